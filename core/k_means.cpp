#include "k_means.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <functional>
#include <limits>
#include <mutex>

#include "centres.hpp"
#include "random.hpp"

namespace cf {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kChunk = 64;                   // points scored together
constexpr std::size_t kBlock = 2048;                 // points whose sum is kept, at least
constexpr std::size_t kSums = std::size_t{1} << 23;  // numbers in all the blocks' sums, about
constexpr std::uint32_t kManyPoints = 1U << 15;      // enough for all threads to share a seeding

// The points around their mean, in padded rows, and what rounding does to their distances.
class CentredPoints {
 public:
  CentredPoints(const double* from, std::uint32_t n, std::uint32_t d)
      : mean(d, 0.0),
        values_(padded(d) * n, 0.0),
        square_(n),
        points_{values_.data(), square_.data(), n, d, padded(d)} {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < d; ++j) mean[j] += from[i * d + j];
    }
    for (double& m : mean) m /= n;
    double largest = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      double* row = values_.data() + i * points_.stride;
      double square = 0.0;
      for (std::size_t j = 0; j < d; ++j) {
        row[j] = from[i * d + j] - mean[j];
        square += row[j] * row[j];
      }
      square_[i] = square;
      largest = std::max(largest, square);
    }
    rounding = (2.0 * d + 8.0) * std::numeric_limits<double>::epsilon() * largest;
  }
  CentredPoints(const CentredPoints&) = delete;

  const Points& points() const { return points_; }

  std::vector<double> mean;
  double rounding = 0.0;  // more than a computed squared distance may be off

 private:
  std::vector<double> values_;
  std::vector<double> square_;
  Points points_;
};

// Runs a task for each block of points: one after another, or on all threads.
using BlockTask = std::function<void(std::size_t)>;
using ForBlocks = std::function<void(std::size_t, const BlockTask&)>;

// One seeding and the iterations from it. Points belong to fixed blocks; a sum over points is the
// sum of its blocks in order, so that it does not depend on who adds up which block.
class Restart {
 public:
  Restart(const CentredPoints& centred, const KMeansOptions& options, const ForBlocks& for_blocks)
      : centred_(centred),
        x_(centred.points()),
        k_(options.n_clusters),
        max_iter_(options.max_iter),
        for_blocks_(for_blocks),
        margin_(4.0 * std::sqrt(centred.rounding)),
        centre_(k_ * x_.stride, 0.0),
        table_(k_, x_.d),
        label_(x_.n, -1),
        upper_(x_.n, kInfinity),
        lower_(x_.n, 0.0),
        drift_(k_, 0.0) {
    const std::size_t most = std::max<std::size_t>(1, kSums / (k_ * x_.stride));
    const std::size_t size = std::max(kBlock, (x_.n + most - 1) / most);
    for (std::size_t begin = 0; begin < x_.n; begin += size) {
      Block block;
      block.begin = begin;
      block.end = std::min<std::size_t>(x_.n, begin + size);
      block.sum.resize(k_ * x_.stride);
      block.count.resize(k_);
      block.dirty.resize(k_);
      blocks_.push_back(std::move(block));
    }
  }

  Clusters run(std::uint64_t key) {
    seed(key);
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
    std::vector<double> total;         // of candidates in a seeding
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

  // k-means++ with the best of several candidates for each centre.
  void seed(std::uint64_t key) {
    Random random(key);
    const auto n_trials = 2 + static_cast<std::size_t>(std::log(static_cast<double>(k_)));
    closest_.assign(x_.n, kInfinity);
    running_.resize(x_.n);
    trial_.resize(padded(n_trials) * x_.n);
    std::vector<std::uint32_t> candidates{random.below(x_.n)};
    for (std::uint32_t c = 0;; ++c) {
      const std::size_t best = try_candidates(candidates);
      set_centre(c, x_.row(candidates[best]));
      if (c + 1 == k_) break;
      candidates.clear();
      const double total = take_candidate(best);
      for (std::size_t t = 0; t < n_trials; ++t) candidates.push_back(draw(random, total));
    }
    trial_ = {};
    running_ = {};
    closest_ = {};
  }

  // The candidate that leaves the lowest sum of squared distances; equal ones: the first.
  std::size_t try_candidates(const std::vector<std::uint32_t>& candidates) {
    Centres table(static_cast<std::uint32_t>(candidates.size()), x_.d);
    for (std::uint32_t t = 0; t < candidates.size(); ++t) table.set(t, x_.row(candidates[t]));
    const std::size_t width = table.width();
    trial_width_ = width;
    for_blocks([&](Block& block) {
      block.total.assign(width, 0.0);
      std::uint32_t index[kChunk];
      std::vector<double> scores(kChunk * width);
      for (std::size_t i = block.begin; i < block.end; i += kChunk) {
        const std::size_t n = std::min(kChunk, block.end - i);
        for (std::size_t p = 0; p < n; ++p) index[p] = static_cast<std::uint32_t>(i + p);
        table.score(x_, index, n, scores.data());
        improve(scores.data(), x_.square + i, closest_.data() + i, n, width, centred_.rounding,
                trial_.data() + i * width, block.total.data());
      }
    });
    std::size_t best = 0;
    double lowest = kInfinity;
    for (std::size_t t = 0; t < candidates.size(); ++t) {
      double total = 0.0;
      for (const Block& block : blocks_) total += block.total[t];
      if (total < lowest) {
        lowest = total;
        best = t;
      }
    }
    return best;
  }

  // Makes the candidate a centre; returns the sum of squared distances to the closest one.
  double take_candidate(std::size_t which) {
    for_blocks([&](Block& block) {
      double sum = 0.0;
      for (std::size_t i = block.begin; i < block.end; ++i) {
        closest_[i] = trial_[i * trial_width_ + which];
        running_[i] = sum += closest_[i];
      }
    });
    double total = 0.0;
    for (const Block& block : blocks_) total += running_[block.end - 1];
    return total;
  }

  // A point, with a chance in proportion to its squared distance to the closest centre.
  std::uint32_t draw(Random& random, double total) {
    const double uniform = static_cast<double>(random.next() >> 11) * 0x1p-53;
    if (!(total > 0.0))  // every point lies on a centre
      return static_cast<std::uint32_t>(uniform * x_.n);
    double target = uniform * total;
    std::size_t last = 0;  // what rounding at the very end comes to
    for (const Block& block : blocks_) {
      const double* begin = running_.data() + block.begin;
      const double* end = running_.data() + block.end;
      const double sum = end[-1];
      if (sum > 0.0) {
        if (target < sum)
          return static_cast<std::uint32_t>(std::upper_bound(begin, end, target) - running_.data());
        last = static_cast<std::size_t>(std::lower_bound(begin, end, sum) - running_.data());
      }
      target -= sum;
    }
    return static_cast<std::uint32_t>(last);
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
      relabel(blocks_[which / (blocks_[0].end - blocks_[0].begin)], which, c);
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
  double margin_;
  std::vector<Block> blocks_;
  std::vector<double> centre_;  // (k, stride)
  Centres table_;
  std::vector<std::int32_t> label_;
  std::vector<double> upper_;    // of the distance to the own centre
  std::vector<double> lower_;    // of the distance to any other
  std::vector<double> drift_;    // (k) how far the centres moved last
  std::vector<double> closest_;  // seeding: squared distance to the closest centre
  std::vector<double> running_;  // their running sums within each block
  std::vector<double> trial_;    // the same with each candidate, (n, trial_width)
  std::size_t trial_width_ = 0;
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
    for (std::int64_t r = 0; r < options.n_init; ++r) {
      auto last = std::chrono::steady_clock::now();
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
