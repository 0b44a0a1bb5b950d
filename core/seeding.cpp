#include "seeding.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "centres.hpp"
#include "random.hpp"

namespace cf {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

class Seeding {
 public:
  Seeding(const CentredPoints& centred, std::uint32_t k, const Blocks& blocks,
          const ForBlocks& for_blocks)
      : x_(centred.points()),
        rounding_(centred.rounding),
        blocks_(blocks),
        for_blocks_(for_blocks),
        n_trials_(2 + static_cast<std::size_t>(std::log(static_cast<double>(k)))),
        width_(padded(n_trials_)),
        closest_(x_.n, kInfinity),
        running_(x_.n),
        trial_(width_ * x_.n),
        total_(width_ * blocks.count()) {}

  std::vector<std::uint32_t> pick(std::uint32_t k, std::uint64_t key) {
    Random random(key);
    std::vector<std::uint32_t> picked;
    std::vector<std::uint32_t> candidates{random.below(x_.n)};
    for (;;) {
      const std::size_t best = try_out(candidates);
      picked.push_back(candidates[best]);
      if (picked.size() == k) return picked;
      const double total = take(best);
      candidates.clear();
      for (std::size_t t = 0; t < n_trials_; ++t) candidates.push_back(draw(random, total));
    }
  }

 private:
  // The candidate that leaves the lowest sum of squared distances; equal ones: the first.
  std::size_t try_out(const std::vector<std::uint32_t>& candidates) {
    Centres table(static_cast<std::uint32_t>(n_trials_), x_.d);
    for (std::uint32_t t = 0; t < candidates.size(); ++t) table.set(t, x_.row(candidates[t]));
    for_blocks_(blocks_.count(), [&](std::size_t b) { try_on_block(table, b); });
    std::size_t best = 0;
    double lowest = kInfinity;
    for (std::size_t t = 0; t < candidates.size(); ++t) {
      double sum = 0.0;
      for (std::size_t b = 0; b < blocks_.count(); ++b) sum += total_[b * width_ + t];
      if (sum < lowest) {
        lowest = sum;
        best = t;
      }
    }
    return best;
  }

  void try_on_block(const Centres& table, std::size_t b) {
    double* total = total_.data() + b * width_;
    std::fill_n(total, width_, 0.0);
    std::uint32_t index[kChunk];
    std::vector<double> scores(kChunk * width_);
    for (std::size_t i = blocks_.begin(b); i < blocks_.end(b); i += kChunk) {
      const std::size_t n = std::min(kChunk, blocks_.end(b) - i);
      for (std::size_t p = 0; p < n; ++p) index[p] = static_cast<std::uint32_t>(i + p);
      table.score(x_, index, n, scores.data());
      improve(scores.data(), x_.square + i, closest_.data() + i, n, width_, rounding_,
              trial_.data() + i * width_, total);
    }
  }

  // Makes a candidate one of the seeds; returns the sum of squared distances to the closest.
  double take(std::size_t candidate) {
    for_blocks_(blocks_.count(), [&](std::size_t b) {
      double sum = 0.0;
      for (std::size_t i = blocks_.begin(b); i < blocks_.end(b); ++i) {
        closest_[i] = trial_[i * width_ + candidate];
        running_[i] = sum += closest_[i];
      }
    });
    double total = 0.0;
    for (std::size_t b = 0; b < blocks_.count(); ++b) total += running_[blocks_.end(b) - 1];
    return total;
  }

  std::uint32_t draw(Random& random, double total) const {
    const double uniform = static_cast<double>(random.next() >> 11) * 0x1p-53;
    if (!(total > 0.0)) return static_cast<std::uint32_t>(uniform * x_.n);
    double target = uniform * total;
    const double* running = running_.data();
    std::ptrdiff_t last = 0;  // what is drawn if rounding leaves the target beyond the end
    for (std::size_t b = 0; b < blocks_.count(); ++b) {
      const double* begin = running + blocks_.begin(b);
      const double* end = running + blocks_.end(b);
      const double sum = end[-1];
      if (target < sum)
        return static_cast<std::uint32_t>(std::upper_bound(begin, end, target) - running);
      if (sum > 0.0) last = std::lower_bound(begin, end, sum) - running;
      target -= sum;
    }
    return static_cast<std::uint32_t>(last);
  }

  const Points& x_;
  double rounding_;
  const Blocks& blocks_;
  const ForBlocks& for_blocks_;
  std::size_t n_trials_;
  std::size_t width_;            // candidates, padded
  std::vector<double> closest_;  // squared distance to the closest seed
  std::vector<double> running_;  // running sums of these within each block
  std::vector<double> trial_;    // (n, width) the same if a candidate were a seed
  std::vector<double> total_;    // (blocks, width) sums of these
};

}  // namespace

std::vector<std::uint32_t> pick_seeds(const CentredPoints& points, std::uint32_t k,
                                      std::uint64_t key, const Blocks& blocks,
                                      const ForBlocks& for_blocks) {
  return Seeding(points, k, blocks, for_blocks).pick(k, key);
}

}  // namespace cf
