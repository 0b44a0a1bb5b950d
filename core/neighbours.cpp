#include "neighbours.hpp"

#include <algorithm>
#include <type_traits>

#include "random.hpp"

namespace cf {

namespace {

constexpr std::int64_t kBlock = 64;  // rows handled together
constexpr std::int64_t kAhead = 12;  // trees whose leaf members are fetched before they are needed

// The training items of every leaf, tree after tree, and for each row the run of items that share
// its leaf. Index is the narrowest type that counts the items; a Span packs a run's begin and length.
template <class Index>
class LeafMembers {
 public:
  using Span = std::conditional_t<sizeof(Index) == 2, std::uint32_t, std::uint64_t>;
  static constexpr int kShift = 8 * sizeof(Index);

  LeafMembers(const LeafTable& rows, const LeafTable& training,
              const std::vector<std::int32_t>& n_nodes, int n_threads, const Poll& poll)
      : rows_(rows), training_(training) {
    members_.resize(static_cast<std::size_t>(training.n_trees) * training.n);
    spans_.resize(static_cast<std::size_t>(training.n_trees) * rows.n);
    parallel_for(training.n_trees, n_threads, poll,
                 [&](std::int64_t t, int, const std::atomic<bool>&) { index_tree(t, n_nodes); });
  }

  // Calls visit(row) with the counts of each row of a block in scratch.count, touched items listed.
  template <class Visit>
  void count_block(std::int64_t block, std::vector<std::int32_t>& count,
                   std::vector<std::uint32_t>& touched, std::vector<Span>& spans,
                   const std::atomic<bool>& stop, Visit visit) const {
    const std::int64_t trees = training_.n_trees;
    const std::int64_t begin = block * kBlock;
    const std::int64_t end = std::min<std::int64_t>(rows_.n, begin + kBlock);
    spans.resize(static_cast<std::size_t>(kBlock * trees));
    for (std::int64_t t = 0; t < trees; ++t) {
      const Span* from = spans_.data() + t * rows_.n;
      for (std::int64_t i = begin; i < end; ++i) spans[static_cast<std::size_t>((i - begin) * trees + t)] = from[i];
    }
    count.resize(training_.n);
    touched.resize(training_.n + std::size_t{1});
    for (std::int64_t i = begin; i < end; ++i) {
      if (stop.load(std::memory_order_relaxed)) throw Stopped{};
      const Span* row = spans.data() + (i - begin) * trees;
      std::uint32_t n_touched = 0;
      for (std::int64_t t = 0; t < trees; ++t) {
        if (t + kAhead < trees) __builtin_prefetch(members_.data() + (t + kAhead) * training_.n + begin_of(row[t + kAhead]));
        const Index* m = members_.data() + t * training_.n + begin_of(row[t]);
        const Index* last = m + length_of(row[t]);
        for (; m < last; ++m) {
          touched[n_touched] = *m;
          n_touched += count[*m]++ == 0 ? 1 : 0;
        }
      }
      visit(static_cast<std::uint32_t>(i), n_touched);
    }
  }

 private:
  static std::size_t begin_of(Span s) { return static_cast<std::size_t>(s >> kShift); }
  static std::size_t length_of(Span s) { return static_cast<std::size_t>(s & ((Span{1} << kShift) - 1)); }

  void index_tree(std::int64_t t, const std::vector<std::int32_t>& n_nodes) {
    const std::int32_t* leaf = training_.leaves + t * training_.n;
    std::vector<std::uint32_t> first(static_cast<std::size_t>(n_nodes[static_cast<std::size_t>(t)]) + 1, 0);
    for (std::uint32_t i = 0; i < training_.n; ++i) ++first[static_cast<std::size_t>(leaf[i]) + 1];
    for (std::size_t k = 1; k < first.size(); ++k) first[k] += first[k - 1];
    const std::int32_t* of_row = rows_.leaves + t * rows_.n;
    Span* spans = spans_.data() + t * rows_.n;
    for (std::uint32_t i = 0; i < rows_.n; ++i) {
      const auto node = static_cast<std::size_t>(of_row[i]);
      spans[i] = static_cast<Span>(Span{first[node]} << kShift | (first[node + 1] - first[node]));
    }
    Index* members = members_.data() + t * training_.n;
    for (std::uint32_t i = 0; i < training_.n; ++i)
      members[first[static_cast<std::size_t>(leaf[i])]++] = static_cast<Index>(i);
  }

  LeafTable rows_;
  LeafTable training_;
  std::vector<Index> members_;
  std::vector<Span> spans_;
};

// Picks the k largest counts of one row.
class Selector {
 public:
  Selector(std::uint32_t k, std::int64_t n_trees, std::uint64_t seed)
      : k_(k), seed_(seed), histogram_(static_cast<std::size_t>(n_trees) + 1, 0) {}

  // Returns the number picked; `picked` holds the items in ascending order.
  std::uint32_t pick(std::uint32_t row, const std::vector<std::int32_t>& count,
                     const std::vector<std::uint32_t>& touched, std::uint32_t n_touched) {
    picked.clear();
    tied_.clear();
    std::int32_t highest = 0;
    for (std::uint32_t j = 0; j < n_touched; ++j) {
      const std::int32_t c = count[touched[j]];
      ++histogram_[static_cast<std::size_t>(c)];
      highest = std::max(highest, c);
    }
    // The lowest count that is picked; items above it all are, items at it compete.
    std::int32_t lowest = highest;
    histogram_[0] = 0;
    std::uint32_t above = 0;
    while (lowest > 0 && above + histogram_[static_cast<std::size_t>(lowest)] < k_) {
      above += histogram_[static_cast<std::size_t>(lowest)];
      --lowest;
    }
    std::fill_n(histogram_.begin(), static_cast<std::size_t>(highest) + 1, 0U);
    lowest = std::max(lowest, 1);
    const std::uint64_t key = branch(seed_, row);
    for (std::uint32_t j = 0; j < n_touched; ++j) {
      const std::uint32_t item = touched[j];
      const std::int32_t c = count[item];
      if (c > lowest) {
        picked.push_back(item);
      } else if (c == lowest) {
        tied_.push_back({branch(key, item), item});
      }
    }
    const std::size_t room = std::min<std::size_t>(k_ - picked.size(), tied_.size());
    if (room < tied_.size())
      std::nth_element(tied_.begin(), tied_.begin() + static_cast<std::ptrdiff_t>(room), tied_.end());
    for (std::size_t j = 0; j < room; ++j) picked.push_back(tied_[j].second);
    std::sort(picked.begin(), picked.end());
    return static_cast<std::uint32_t>(picked.size());
  }

  std::vector<std::uint32_t> picked;

 private:
  std::uint32_t k_;
  std::uint64_t seed_;
  std::vector<std::uint32_t> histogram_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> tied_;
};

template <class Index>
struct Scratch {
  std::vector<std::int32_t> count;
  std::vector<std::uint32_t> touched;
  std::vector<typename LeafMembers<Index>::Span> spans;
};

template <class Index>
Neighbours nearest_with(const LeafTable& rows, const LeafTable& training,
                        const std::vector<std::int32_t>& n_nodes, std::uint32_t k,
                        bool exclude_self, std::uint64_t seed, int n_threads, const Poll& poll) {
  const LeafMembers<Index> members(rows, training, n_nodes, n_threads, poll);
  const auto workers = static_cast<std::size_t>(std::max(1, n_threads));
  std::vector<Scratch<Index>> scratch(workers);
  std::vector<Selector> selectors(workers, Selector(k, training.n_trees, seed));
  const std::int64_t blocks = (std::int64_t{rows.n} + kBlock - 1) / kBlock;
  std::vector<Neighbours> parts(static_cast<std::size_t>(blocks));
  parallel_for(blocks, n_threads, poll, [&](std::int64_t block, int worker, const std::atomic<bool>& stop) {
    auto& own = scratch[static_cast<std::size_t>(worker)];
    auto& selector = selectors[static_cast<std::size_t>(worker)];
    auto& part = parts[static_cast<std::size_t>(block)];
    members.count_block(block, own.count, own.touched, own.spans, stop,
                        [&](std::uint32_t row, std::uint32_t n_touched) {
                          if (exclude_self) own.count[row] = 0;
                          part.start.push_back(selector.pick(row, own.count, own.touched, n_touched));
                          for (const std::uint32_t item : selector.picked) {
                            part.item.push_back(static_cast<std::int32_t>(item));
                            part.count.push_back(own.count[item]);
                          }
                          for (std::uint32_t j = 0; j < n_touched; ++j) own.count[own.touched[j]] = 0;
                        });
  });
  Neighbours all;
  all.start.reserve(rows.n + std::size_t{1});
  all.start.push_back(0);
  for (auto& part : parts) {
    for (const std::int64_t length : part.start) all.start.push_back(all.start.back() + length);
    all.item.insert(all.item.end(), part.item.begin(), part.item.end());
    all.count.insert(all.count.end(), part.count.begin(), part.count.end());
    part = {};
  }
  return all;
}

template <class Index>
void all_counts_with(const LeafTable& rows, const LeafTable& training,
                     const std::vector<std::int32_t>& n_nodes, std::int32_t* counts, int n_threads,
                     const Poll& poll) {
  const LeafMembers<Index> members(rows, training, n_nodes, n_threads, poll);
  std::vector<Scratch<Index>> scratch(static_cast<std::size_t>(std::max(1, n_threads)));
  const std::int64_t blocks = (std::int64_t{rows.n} + kBlock - 1) / kBlock;
  parallel_for(blocks, n_threads, poll, [&](std::int64_t block, int worker, const std::atomic<bool>& stop) {
    auto& own = scratch[static_cast<std::size_t>(worker)];
    members.count_block(block, own.count, own.touched, own.spans, stop,
                        [&](std::uint32_t row, std::uint32_t n_touched) {
                          std::copy(own.count.begin(), own.count.end(),
                                    counts + std::size_t{row} * training.n);
                          for (std::uint32_t j = 0; j < n_touched; ++j) own.count[own.touched[j]] = 0;
                        });
  });
}

}  // namespace

Neighbours nearest(const LeafTable& rows, const LeafTable& training,
                   const std::vector<std::int32_t>& n_nodes, std::uint32_t k, bool exclude_self,
                   std::uint64_t seed, int n_threads, const Poll& poll) {
  if (training.n <= 0xFFFFU)
    return nearest_with<std::uint16_t>(rows, training, n_nodes, k, exclude_self, seed, n_threads, poll);
  return nearest_with<std::uint32_t>(rows, training, n_nodes, k, exclude_self, seed, n_threads, poll);
}

void all_counts(const LeafTable& rows, const LeafTable& training,
                const std::vector<std::int32_t>& n_nodes, std::int32_t* counts, int n_threads,
                const Poll& poll) {
  if (training.n <= 0xFFFFU) {
    all_counts_with<std::uint16_t>(rows, training, n_nodes, counts, n_threads, poll);
  } else {
    all_counts_with<std::uint32_t>(rows, training, n_nodes, counts, n_threads, poll);
  }
}

}  // namespace cf
