#include "centres.hpp"

#include <algorithm>
#include <limits>

#include "simd.hpp"

namespace cf {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr std::size_t kStep = kLanes<double>;  // doubles of the widest vector

// One tile of scores, held in registers: kPoints points by kVectors vectors of centres.
template <int kBytes, int kPoints, int kVectors>
CF_INLINE void score_tile(const double* const* x, const double* table, std::uint32_t d,
                          std::size_t width, double* out) {
  using V = Vector<double, kBytes>;
  constexpr std::size_t lanes = kLanes<double, kBytes>;
  V sum[kPoints][kVectors];
  for (int p = 0; p < kPoints; ++p) {
    for (int v = 0; v < kVectors; ++v) sum[p][v] = load<V>(table + v * lanes);
  }
  for (std::uint32_t j = 0; j < d; ++j) {
    table += width;
    V centre[kVectors];
    for (int v = 0; v < kVectors; ++v) centre[v] = load<V>(table + v * lanes);
    for (int p = 0; p < kPoints; ++p) {
      for (int v = 0; v < kVectors; ++v) sum[p][v] += x[p][j] * centre[v];
    }
  }
  for (int p = 0; p < kPoints; ++p) {
    for (int v = 0; v < kVectors; ++v) store(out + p * width + v * lanes, sum[p][v]);
  }
}

template <int kBytes, int kPoints>
CF_INLINE void score_rows(const double* const* x, const double* table, std::uint32_t d,
                          std::size_t width, double* out) {
  constexpr std::size_t lanes = kLanes<double, kBytes>;
  std::size_t c = 0;
  for (; c + 2 * lanes <= width; c += 2 * lanes)
    score_tile<kBytes, kPoints, 2>(x, table + c, d, width, out + c);
  if (c < width) score_tile<kBytes, kPoints, 1>(x, table + c, d, width, out + c);
}

template <int kBytes>
CF_INLINE void kernel_score(const Points& points, const std::uint32_t* index, std::size_t n,
                            const double* table, std::size_t width, double* out) {
  constexpr int together = 4;
  const double* x[together];
  std::size_t i = 0;
  for (; i + together <= n; i += together) {
    for (int p = 0; p < together; ++p) x[p] = points.row(index[i + static_cast<std::size_t>(p)]);
    score_rows<kBytes, together>(x, table, points.d, width, out + i * width);
  }
  for (; i < n; ++i) {
    x[0] = points.row(index[i]);
    score_rows<kBytes, 1>(x, table, points.d, width, out + i * width);
  }
}

CF_KERNEL(void, score,
          (const Points& points, const std::uint32_t* index, std::size_t n, const double* table,
           std::size_t width, double* out),
          (points, index, n, table, width, out))

template <int kBytes>
CF_INLINE void kernel_find_closest(const double* scores, std::size_t n, std::size_t width,
                                   Closest* out) {
  using V = Vector<double, kBytes>;
  using I = Vector<std::int64_t, kBytes>;
  constexpr std::size_t lanes = kLanes<double, kBytes>;
  for (std::size_t i = 0; i < n; ++i) {
    const double* row = scores + i * width;
    V best = load<V>(row);
    V second = V{} + kInfinity;
    I first = {};  // where each lane's best begins
    for (std::size_t c = lanes; c < width; c += lanes) {
      const V value = load<V>(row + c);
      const auto lower = value < best;
      const V other = lower ? best : value;
      second = other < second ? other : second;
      best = lower ? value : best;
      first = lower ? I{} + static_cast<std::int64_t>(c) : first;
    }
    Closest found{best[0], second[0], static_cast<std::uint32_t>(first[0])};
    for (std::size_t lane = 1; lane < lanes; ++lane) {
      const auto which = static_cast<std::uint32_t>(first[lane]) + static_cast<std::uint32_t>(lane);
      const double value = best[lane];
      const bool lower = value < found.score || (value == found.score && which < found.which);
      found.second = std::min({found.second, second[lane], lower ? found.score : value});
      found.score = lower ? value : found.score;
      found.which = lower ? which : found.which;
    }
    out[i] = found;
  }
}

template <int kBytes>
CF_INLINE void kernel_improve(const double* scores, const double* square, const double* before,
                              std::size_t n, std::size_t width, double nothing, double* out,
                              double* total) {
  using V = Vector<double, kBytes>;
  constexpr std::size_t lanes = kLanes<double, kBytes>;
  for (std::size_t c = 0; c < width; c += lanes) {
    V sum = load<V>(total + c);
    for (std::size_t i = 0; i < n; ++i) {
      V value = load<V>(scores + i * width + c) + square[i];
      value = value <= nothing ? V{} : value;
      value = value < before[i] ? value : V{} + before[i];
      store(out + i * width + c, value);
      sum += value;
    }
    store(total + c, sum);
  }
}

template <int kBytes>
CF_INLINE void kernel_add_rows(const Points& points, const std::uint32_t* index,
                               const std::uint32_t* group, std::size_t n, double* sums) {
  using V = Vector<double, kBytes>;
  constexpr std::size_t lanes = kLanes<double, kBytes>;
  for (std::size_t i = 0; i < n; ++i) {
    const double* row = points.row(index[i]);
    double* sum = sums + group[i] * points.stride;
    for (std::size_t j = 0; j < points.stride; j += lanes)
      store(sum + j, load<V>(sum + j) + load<V>(row + j));
  }
}

}  // namespace

Centres::Centres(std::uint32_t n, std::uint32_t d)
    : d_(d), width_(padded(n)), table_((std::size_t{d} + 1) * width_, 0.0) {
  std::fill_n(table_.begin(), width_, kInfinity);
}

void Centres::set(std::uint32_t which, const double* centre) {
  double square = 0.0;
  for (std::uint32_t j = 0; j < d_; ++j) {
    square += centre[j] * centre[j];
    table_[(j + std::size_t{1}) * width_ + which] = -2.0 * centre[j];
  }
  table_[which] = square;
}

void Centres::score(const Points& points, const std::uint32_t* index, std::size_t n,
                    double* out) const {
  cf::score(points, index, n, table_.data(), width_, out);
}

CF_KERNEL(void, find_closest,
          (const double* scores, std::size_t n, std::size_t width, Closest* out),
          (scores, n, width, out))

CF_KERNEL(void, improve,
          (const double* scores, const double* square, const double* before, std::size_t n,
           std::size_t width, double nothing, double* out, double* total),
          (scores, square, before, n, width, nothing, out, total))

CF_KERNEL(void, add_rows,
          (const Points& points, const std::uint32_t* index, const std::uint32_t* group,
           std::size_t n, double* sums),
          (points, index, group, n, sums))

double squared_distance(const double* a, const double* b, std::size_t stride) {
  double sum[kStep] = {};  // the same number of partial sums on every processor
  for (std::size_t j = 0; j < stride; j += kStep) {
    for (std::size_t lane = 0; lane < kStep; ++lane) {
      const double difference = a[j + lane] - b[j + lane];
      sum[lane] += difference * difference;
    }
  }
  double total = 0.0;
  for (const double part : sum) total += part;
  return total;
}

}  // namespace cf
