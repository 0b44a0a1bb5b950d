#include "k_means.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <mutex>

#include "centres.hpp"
#include "points.hpp"
#include "random.hpp"
#include "seeding.hpp"

namespace cf {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kBlock = 2048;                 // points whose sum is kept, at least
constexpr std::size_t kSums = std::size_t{1} << 23;  // numbers in all the blocks' sums, about
constexpr std::uint32_t kManyPoints = 1U << 15;      // enough for all threads to share a seeding

Blocks make_blocks(const Points& x, std::uint32_t k) {
  const std::size_t most = std::max<std::size_t>(1, kSums / (k * x.stride));
  return {x.n, std::max(kBlock, (x.n + most - 1) / most)};
}

// One seeding and the iterations from it.
class Restart {
 public:
  Restart(const CentredPoints& centred, const KMeansOptions& options, const ForBlocks& for_blocks)
      : centred_(centred),
        x_(centred.points()),
        k_(options.n_clusters),
        max_iter_(options.max_iter),
        for_blocks_(for_blocks),
        division_(make_blocks(x_, k_)),
        margin_(4.0 * std::sqrt(centred.rounding)),
        centre_(k_ * x_.stride, 0.0),
        table_(k_, x_.d),
        label_(x_.n, -1),
        upper_(x_.n, kInfinity),
        lower_(x_.n, 0.0),
        drift_(k_, 0.0) {
    for (std::size_t b = 0; b < division_.count(); ++b) {
      Block block;
      block.begin = division_.begin(b);
      block.end = division_.end(b);
      block.sum.resize(k_ * x_.stride);
      block.count.resize(k_);
      block.dirty.resize(k_);
      blocks_.push_back(std::move(block));
    }
  }

  Clusters run(std::uint64_t key) {
    const auto seeds = pick_seeds(centred_, k_, key, division_, for_blocks_);
    for (std::uint32_t c = 0; c < k_; ++c) set_centre(c, x_.row(seeds[c]));
    Clusters result;
    while (result.n_iter < max_iter_ && assign(result.n_iter == 0)) {
      fill_empty();
      update();
      ++result.n_iter;
    }
    result.inertia = inertia();
    result.label = std::move(label_);
    result.centre.resize(std::size_t{k_} * x_.d);
    for (std::size_t c = 0; c < k_; ++c) {
      for (std::size_t j = 0; j < x_.d; ++j)
        result.centre[c * x_.d + j] = centre_[c * x_.stride + j] + centred_.mean[j];
    }
    return result;
  }

 private:
  struct Block {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::vector<double> sum;           // (k, stride) of the block's points by label
    std::vector<std::uint32_t> count;  // (k)
    std::vector<std::uint8_t> dirty;   // (k) the block's part of the cluster has changed
    bool changed = false;
    double inertia = 0.0;
  };

  void for_blocks(const std::function<void(Block&)>& task) {
    for_blocks_(blocks_.size(), [&](std::size_t b) { task(blocks_[b]); });
  }

  void set_centre(std::uint32_t c, const double* at) {
    std::copy_n(at, x_.stride, centre_.data() + c * x_.stride);
    table_.set(c, at);
  }

  // Gives each point the label of its closest centre; whether any label has changed. A point whose
  // own centre is certainly closer than any other (Hamerly's bounds, with a margin for rounding)
  // is passed over, which changes nothing.
  bool assign(bool fresh) {
    for_blocks([&](Block& block) {
      block.changed = false;
      if (!fresh) move_bounds(block);
      std::uint32_t index[kChunk];
      std::vector<double> scores(kChunk * table_.width());
      for (std::size_t i = block.begin; i < block.end;) {
        std::size_t n = 0;
        for (; i < block.end && n < kChunk; ++i) {
          index[n] = static_cast<std::uint32_t>(i);
          n += upper_[i] + margin_ < lower_[i] ? 0 : 1;
        }
        table_.score(x_, index, n, scores.data());
        Closest found[kChunk];
        find_closest(scores.data(), n, table_.width(), found);
        for (std::size_t p = 0; p < n; ++p) put(block, index[p], found[p]);
      }
    });
    return std::any_of(blocks_.begin(), blocks_.end(), [](const Block& b) { return b.changed; });
  }

  void move_bounds(const Block& block) {
    double far[2] = {0.0, 0.0};  // the two farthest moves of centres
    std::int32_t mover = 0;
    for (std::uint32_t c = 0; c < k_; ++c) {
      if (drift_[c] > far[0]) {
        far[1] = far[0];
        far[0] = drift_[c];
        mover = static_cast<std::int32_t>(c);
      } else {
        far[1] = std::max(far[1], drift_[c]);
      }
    }
    for (std::size_t i = block.begin; i < block.end; ++i) {
      upper_[i] += drift_[static_cast<std::size_t>(label_[i])];
      lower_[i] -= far[label_[i] == mover ? 1 : 0];
    }
  }

  void put(Block& block, std::uint32_t i, const Closest& found) {
    const double square = x_.square[i];
    upper_[i] = std::sqrt(std::max(0.0, found.score + square) + centred_.rounding);
    lower_[i] = std::sqrt(std::max(0.0, found.second + square - centred_.rounding));
    relabel(block, i, found.which);
  }

  void relabel(Block& block, std::size_t i, std::uint32_t label) {
    const std::int32_t before = label_[i];
    if (before == static_cast<std::int32_t>(label)) return;
    if (before >= 0) {
      --block.count[static_cast<std::size_t>(before)];
      block.dirty[static_cast<std::size_t>(before)] = 1;
    }
    ++block.count[label];
    block.dirty[label] = 1;
    block.changed = true;
    label_[i] = static_cast<std::int32_t>(label);
  }

  // Gives each cluster without points the point that is farthest from its centre; equal ones: the
  // first. Where every point lies on its centre, the cluster stays empty.
  void fill_empty() {
    std::vector<std::uint32_t> count(k_, 0);
    for (const Block& block : blocks_) {
      for (std::uint32_t c = 0; c < k_; ++c) count[c] += block.count[c];
    }
    if (std::find(count.begin(), count.end(), 0U) == count.end()) return;
    std::vector<double> distance(x_.n);
    for_blocks([&](Block& block) { measure(block, distance); });
    for (std::uint32_t c = 0; c < k_; ++c) {
      if (count[c] > 0) continue;
      double farthest = centred_.rounding;
      std::size_t which = x_.n;
      for (std::size_t i = 0; i < x_.n; ++i) {
        if (distance[i] > farthest && count[static_cast<std::size_t>(label_[i])] > 1) {
          farthest = distance[i];
          which = i;
        }
      }
      if (which == x_.n) return;
      --count[static_cast<std::size_t>(label_[which])];
      ++count[c];
      distance[which] = 0.0;
      upper_[which] = kInfinity;
      relabel(blocks_[which / division_.size], which, c);
    }
  }

  void measure(const Block& block, std::vector<double>& distance) const {
    for (std::size_t i = block.begin; i < block.end; ++i) {
      const double* centre = centre_.data() + static_cast<std::size_t>(label_[i]) * x_.stride;
      distance[i] = squared_distance(x_.row(i), centre, x_.stride);
    }
  }

  // Moves the centres to the means of their points. A cluster that lost and won none keeps its sum.
  void update() {
    for_blocks([&](Block& block) { add_up(block); });
    std::vector<double> mean(x_.stride);
    for (std::uint32_t c = 0; c < k_; ++c) {
      drift_[c] = 0.0;
      double count = 0.0;
      std::uint8_t dirty = 0;
      for (const Block& block : blocks_) {
        count += block.count[c];
        dirty |= block.dirty[c];
      }
      if (dirty == 0 || count == 0.0) continue;
      std::fill(mean.begin(), mean.end(), 0.0);
      for (const Block& block : blocks_) {
        for (std::size_t j = 0; j < x_.stride; ++j) mean[j] += block.sum[c * x_.stride + j];
      }
      for (double& m : mean) m /= count;
      drift_[c] =
          std::sqrt(squared_distance(mean.data(), centre_.data() + c * x_.stride, x_.stride));
      set_centre(c, mean.data());
    }
    for (Block& block : blocks_) std::fill(block.dirty.begin(), block.dirty.end(), std::uint8_t{0});
  }

  void add_up(Block& block) const {
    for (std::size_t c = 0; c < k_; ++c) {
      if (block.dirty[c] != 0)
        std::fill_n(block.sum.begin() + static_cast<std::ptrdiff_t>(c * x_.stride), x_.stride, 0.0);
    }
    std::uint32_t index[kChunk];
    std::uint32_t group[kChunk];
    for (std::size_t i = block.begin; i < block.end;) {
      std::size_t n = 0;
      for (; i < block.end && n < kChunk; ++i) {
        index[n] = static_cast<std::uint32_t>(i);
        group[n] = static_cast<std::uint32_t>(label_[i]);
        n += block.dirty[group[n]];
      }
      add_rows(x_, index, group, n, block.sum.data());
    }
  }

  double inertia() {
    std::vector<double> distance(x_.n);
    for_blocks([&](Block& block) {
      measure(block, distance);
      block.inertia = 0.0;
      for (std::size_t i = block.begin; i < block.end; ++i) block.inertia += distance[i];
    });
    double total = 0.0;
    for (const Block& block : blocks_) total += block.inertia;
    return total;
  }

  const CentredPoints& centred_;
  const Points& x_;
  std::uint32_t k_;
  std::int64_t max_iter_;
  const ForBlocks& for_blocks_;
  Blocks division_;
  double margin_;  // for rounding, in a comparison of bounds
  std::vector<Block> blocks_;
  std::vector<double> centre_;  // (k, stride)
  Centres table_;
  std::vector<std::int32_t> label_;
  std::vector<double> upper_;  // of the distance to the own centre
  std::vector<double> lower_;  // of the distance to any other
  std::vector<double> drift_;  // (k) how far the centres moved last
};

// Few points: a thread for each seeding. Many: all threads share one.
bool share_points(std::uint32_t n, const KMeansOptions& o) {
  return o.n_threads > 1 && (n >= kManyPoints || (n >= kManyPoints / 4 && o.n_init < o.n_threads));
}

}  // namespace

Clusters k_means(const double* values, std::uint32_t n, std::uint32_t d,
                 const KMeansOptions& options, const Poll& poll) {
  const CentredPoints centred(values, n, d);
  Clusters best;
  std::int64_t which = options.n_init;
  const auto keep = [&](std::int64_t r, Clusters&& found) {
    if (which < options.n_init &&
        (found.inertia > best.inertia || (found.inertia == best.inertia && r > which)))
      return;
    best = std::move(found);
    which = r;
  };
  if (share_points(n, options)) {
    auto last = std::chrono::steady_clock::now();
    for (std::int64_t r = 0; r < options.n_init; ++r) {
      const Poll seldom = [&](std::int64_t) {
        if (std::chrono::steady_clock::now() - last < std::chrono::milliseconds(50)) return;
        poll(r);
        last = std::chrono::steady_clock::now();
      };
      const ForBlocks on_all = [&](std::size_t n_blocks, const BlockTask& task) {
        parallel_for(static_cast<std::int64_t>(n_blocks), options.n_threads, seldom,
                     [&](std::int64_t b, int, const std::atomic<bool>&) {
                       task(static_cast<std::size_t>(b));
                     });
      };
      keep(r, Restart(centred, options, on_all)
                  .run(branch(options.seed, static_cast<std::uint64_t>(r))));
    }
    poll(options.n_init);
    return best;
  }
  std::mutex mutex;
  parallel_for(options.n_init, options.n_threads, poll,
               [&](std::int64_t r, int, const std::atomic<bool>& stop) {
                 const ForBlocks in_turn = [&](std::size_t n_blocks, const BlockTask& task) {
                   for (std::size_t b = 0; b < n_blocks; ++b) {
                     if (stop.load(std::memory_order_relaxed)) throw Stopped{};
                     task(b);
                   }
                 };
                 Clusters found = Restart(centred, options, in_turn)
                                      .run(branch(options.seed, static_cast<std::uint64_t>(r)));
                 const std::lock_guard<std::mutex> lock(mutex);
                 keep(r, std::move(found));
               });
  return best;
}

}  // namespace cf
