#include "grow.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <numeric>
#include <optional>

#include "hard_search.hpp"
#include "joint_search.hpp"
#include "node.hpp"
#include "order.hpp"
#include "random.hpp"
#include "soft_search.hpp"

namespace cf {

namespace {

// Which stream of a tree's key serves what.
constexpr std::uint64_t kRootStream = 0;
constexpr std::uint64_t kBagStream = 1;

// Below this many items a column is fetched item by item before its turn comes: the processor's own
// prefetching follows only longer, denser runs.
constexpr std::uint32_t kPrefetchLimit = 512;
constexpr std::uint32_t kAhead = 3;  // features drawn, and fetched, before their turn

template <class Rank>
class Grower {
 public:
  Grower(const Problem& problem, const Rank* ranks)
      : problem_(problem),
        ranks_(ranks),
        draws_(problem.bootstrap ? problem.n_items : 0),
        node_(problem_, problem.bootstrap ? draws_.data() : nullptr),
        hard_(node_),
        soft_(node_),
        features_(problem.n_features) {
    std::iota(features_.begin(), features_.end(), 0U);
    if (problem.sources) joint_.emplace(node_, *problem.sources);
  }

  const Nodes& grow(std::uint64_t key, std::int32_t* leaves, const std::atomic<bool>& stop) {
    Nodes& tree = tree_;
    tree.with_fields(tree, [](auto& field, const auto&, int) { field.clear(); });
    fill_bag(key);
    std::vector<Pending> stack;
    add_node(tree);
    stack.push_back({0, 0, static_cast<std::uint32_t>(items_.size()), 0, branch(key, kRootStream)});
    while (!stack.empty()) {
      const Pending at = stack.back();
      stack.pop_back();
      split(tree, at, stack, leaves, stop);
    }
    return tree;
  }

 private:
  struct Pending {
    std::uint32_t node;
    std::uint32_t begin, end;  // its part of items_
    std::uint32_t layer;       // layers before this one are pure
    std::uint64_t key;
  };

  const Rank* column(std::uint32_t feature) const {
    return ranks_ + std::size_t{feature} * problem_.n_items;
  }

  void fill_bag(std::uint64_t key) {
    items_.resize(problem_.n_items);
    std::iota(items_.begin(), items_.end(), 0U);
    if (!problem_.bootstrap) return;
    draw_bag(key, problem_.n_items, draws_.data());
    std::erase_if(items_, [this](std::uint32_t i) { return draws_[i] == 0; });
  }

  static std::uint32_t add_node(Nodes& tree) {
    const auto node = static_cast<std::uint32_t>(tree.size());
    tree.feature.push_back(-1);
    tree.left.push_back(-1);
    tree.layer.push_back(-1);
    tree.gain.push_back(0.0);
    tree.count.push_back(0);
    tree.cut_items.insert(tree.cut_items.end(), {0, 0});
    return node;
  }

  void split(Nodes& tree, const Pending& at, std::vector<Pending>& stack, std::int32_t* leaves,
             const std::atomic<bool>& stop) {
    const std::uint32_t* items = items_.data() + at.begin;
    const std::uint32_t size = at.end - at.begin;
    node_.arrive(items, size);
    tree.count[at.node] = static_cast<std::int32_t>(node_.total);
    Best best;
    if (node_.total >= 2 * std::uint64_t{problem_.min_leaf} && size >= 2 &&
        node_.find_layer(at.layer))
      best = search(at, stop);
    if (!best.found) {
      for (std::uint32_t x = 0; x < size; ++x)
        leaves[items[x]] = static_cast<std::int32_t>(at.node);
      return;
    }
    const std::uint32_t middle = partition(at, best);
    const std::uint32_t layer = node_.layer;
    const std::uint32_t left = add_node(tree);
    add_node(tree);
    tree.feature[at.node] = static_cast<std::int32_t>(best.feature);
    tree.left[at.node] = static_cast<std::int32_t>(left);
    tree.layer[at.node] = static_cast<std::int16_t>(layer);
    tree.gain[at.node] = best.gain;
    tree.cut_items[2 * std::size_t{at.node}] = static_cast<std::int32_t>(best.below_item);
    tree.cut_items[2 * std::size_t{at.node} + 1] = static_cast<std::int32_t>(best.above_item);
    stack.push_back({left + 1, middle, at.end, layer, branch(at.key, 1)});
    stack.push_back({left, at.begin, middle, layer, branch(at.key, 0)});
  }

  Best search(const Pending& at, const std::atomic<bool>& stop) {
    Best best;
    if (joint_) {
      joint_->arrive();
      if (at.node == 0) {
        SourceWeights& weights = joint_->weights();
        weights.begin();
        if (problem_.sources->normalise)
          for_tried(at.key, stop, [&](std::uint32_t) { weights.measure(order_); });
        weights.finish();
      }
      if (joint_->begin())
        for_tried(at.key, stop, [&](std::uint32_t f) { joint_->feature(f, order_, best); });
    } else if (node_.soft) {
      soft_.begin();
      for_tried(at.key, stop, [&](std::uint32_t f) { soft_.feature(f, order_, best); });
    } else {
      hard_.begin();
      for_tried(at.key, stop, [&](std::uint32_t f) { hard_.feature(f, order_, best); });
    }
    return best;
  }

  // Draws features without replacement until n_try were not constant, or none is left. Calls
  // look(f) for each of these, its ranks gathered.
  template <class Look>
  void for_tried(std::uint64_t key, const std::atomic<bool>& stop, Look look) {
    Random random(key);
    const std::uint32_t n_features = problem_.n_features;
    std::uint32_t drawn = 0;
    std::uint32_t tried = 0;
    swaps_.clear();
    const auto draw = [&] {
      const std::uint32_t pick = drawn + random.below(n_features - drawn);
      std::swap(features_[drawn], features_[pick]);
      swaps_.push_back(pick);
      ++drawn;
      fetch(features_[drawn - 1]);
    };
    while (drawn < std::min(n_features, kAhead)) draw();
    for (std::uint32_t at = 0; at < n_features && tried < problem_.n_try; ++at) {
      if (stop.load(std::memory_order_relaxed)) throw Stopped{};
      if (drawn < n_features) draw();  // ahead, so that its column is on the way
      const std::uint32_t f = features_[at];
      if (!order_.gather(column(f), node_.items, node_.size)) continue;
      ++tried;
      look(f);
    }
    while (drawn > 0) {  // back to 0, 1, 2, ...: a draw depends on the node's key alone
      --drawn;
      std::swap(features_[drawn], features_[swaps_[drawn]]);
    }
  }

  void fetch(std::uint32_t feature) const {
    if (node_.size > kPrefetchLimit) return;
    const Rank* from = column(feature);
    for (std::uint32_t x = 0; x < node_.size; ++x) __builtin_prefetch(from + node_.items[x], 0, 2);
  }

  // Items below the cut to the front, both parts in their order.
  std::uint32_t partition(const Pending& at, const Best& best) {
    const Rank* ranks = column(best.feature);
    std::uint32_t front = at.begin;
    aside_.clear();
    for (std::uint32_t x = at.begin; x < at.end; ++x) {
      const std::uint32_t item = items_[x];
      if (ranks[item] < best.above_rank) {
        items_[front++] = item;
      } else {
        aside_.push_back(item);
      }
    }
    std::copy(aside_.begin(), aside_.end(), items_.begin() + front);
    return front;
  }

  const Problem& problem_;
  const Rank* ranks_;
  std::vector<std::uint32_t> draws_;
  Node node_;
  HardSearch hard_;
  SoftSearch soft_;
  std::optional<JointSearch> joint_;
  Order order_;
  std::vector<std::uint32_t> features_;
  std::vector<std::uint32_t> swaps_;
  std::vector<std::uint32_t> items_;
  std::vector<std::uint32_t> aside_;
  Nodes tree_;
};

// Puts finished trees one after another, in their order. One that is early waits, so that the
// forest is never held twice.
class Collector {
 public:
  explicit Collector(std::size_t n_trees) : n_trees_(n_trees) {}

  void add(std::size_t t, const Nodes& tree) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (t != next()) {
      waiting_.emplace(t, tree);
      return;
    }
    append(tree);
    for (auto it = waiting_.begin(); it != waiting_.end() && it->first == next();) {
      append(it->second);
      it = waiting_.erase(it);
    }
  }

  Forest take() { return std::move(forest_); }

 private:
  std::size_t next() const { return forest_.offsets.size() - 1; }

  void append(const Nodes& tree) {
    const std::size_t size = forest_.nodes.size() + tree.size();
    if (size > forest_.nodes.feature.capacity()) {
      // Room for all trees if the rest are a little larger; memory that is not used costs nothing.
      const double expected = 1.3 * static_cast<double>(size) * static_cast<double>(n_trees_) /
                              static_cast<double>(next() + 1);
      const std::size_t room = std::max(size, static_cast<std::size_t>(expected));
      forest_.nodes.with_fields(tree, [room](auto& all, const auto&, int width) {
        all.reserve(room * static_cast<std::size_t>(width));
      });
    }
    forest_.nodes.with_fields(tree, [](auto& all, const auto& one, int) {
      all.insert(all.end(), one.begin(), one.end());
    });
    forest_.offsets.push_back(static_cast<std::int64_t>(forest_.nodes.size()));
  }

  std::size_t n_trees_;
  std::mutex mutex_;
  Forest forest_;
  std::map<std::size_t, Nodes> waiting_;
};

template <class Rank>
Forest grow_with(const Problem& problem, const Rank* ranks, const std::vector<std::uint64_t>& keys,
                 std::int32_t* leaves, int n_threads, const Poll& poll) {
  Collector collector(keys.size());
  std::vector<std::unique_ptr<Grower<Rank>>> growers(
      static_cast<std::size_t>(std::max(1, n_threads)));
  parallel_for(static_cast<std::int64_t>(keys.size()), n_threads, poll,
               [&](std::int64_t t, int worker, const std::atomic<bool>& stop) {
                 auto& grower = growers[static_cast<std::size_t>(worker)];
                 if (!grower) grower = std::make_unique<Grower<Rank>>(problem, ranks);
                 const auto at = static_cast<std::size_t>(t);
                 collector.add(at, grower->grow(keys[at], leaves + at * problem.n_items, stop));
               });
  return collector.take();
}

}  // namespace

void draw_bag(std::uint64_t key, std::uint32_t n, std::uint32_t* draws) {
  Random random(branch(key, kBagStream));
  std::fill_n(draws, n, 0U);
  for (std::uint32_t i = 0; i < n; ++i) ++draws[random.below(n)];
}

Forest grow(const Problem& problem, const std::vector<std::uint64_t>& keys, std::int32_t* leaves,
            int n_threads, const Poll& poll) {
  if (problem.ranks16) return grow_with(problem, problem.ranks16, keys, leaves, n_threads, poll);
  return grow_with(problem, problem.ranks32, keys, leaves, n_threads, poll);
}

}  // namespace cf
