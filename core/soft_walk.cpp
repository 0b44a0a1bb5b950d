// Compiled with contracted multiply-adds: a quick value may differ in its last bits between
// processors, and the caller allows for that; no tree depends on it.
#include "soft_walk.hpp"

#include "simd.hpp"

namespace cf {

namespace {

// The types of a walk. Sums of one vector's worth of tags become as many single-precision reals.
template <class Number, int kBytes>
struct Shape;
template <int kBytes>
struct Shape<std::int32_t, kBytes> {
  using Sum = Vector<std::int32_t, kBytes>;
  using Row = Sum;
  using Real = Vector<float, kBytes>;
  static CF_INLINE Sum widen(Row r) { return r; }
};
template <int kBytes>
struct Shape<double, kBytes> {
  static constexpr int kHalf = kBytes > 16 ? kBytes / 2 : 16;
  using Sum = Vector<double, 2 * kHalf>;
  using Row = Vector<std::int32_t, kHalf>;
  using Real = Vector<float, kHalf>;
  static CF_INLINE Sum widen(Row r) { return __builtin_convertvector(r, Sum); }
};

template <class Real>
CF_INLINE float sum_of(Real v) {
  if constexpr (sizeof(Real) == 16) {
    return (v[0] + v[1]) + (v[2] + v[3]);
  } else {
    using Half = Vector<float, sizeof(Real) / 2>;
    const auto* parts = reinterpret_cast<const float*>(&v);
    return sum_of<Half>(load<Half>(parts) + load<Half>(parts + sizeof(Half) / sizeof(float)));
  }
}

// Cuts valued in one pass: sums and totals of a vector of tags stay in registers meanwhile.
constexpr std::uint32_t kBatch = 4;

template <int kBytes, class Number>
CF_INLINE void take(const SoftWalk<Number>& w, const std::int32_t* row, bool back) {
  using S = Shape<Number, kBytes>;
  using Sum = typename S::Sum;
  constexpr std::uint32_t lanes = sizeof(Sum) / sizeof(Number);
  for (std::uint32_t i = 0; i < 2 * w.width; i += lanes) {
    const Sum change = S::widen(load<typename S::Row>(row + i));
    const Sum sum = back ? load<Sum>(w.left + i) - change : load<Sum>(w.left + i) + change;
    std::memcpy(w.left + i, &sum, sizeof sum);
  }
}

// Takes four items over the cut and values the cut after each.
template <int kBytes, class Number, bool kByEvidence, bool kFactors, bool kBased>
CF_INLINE void value_batch(const SoftWalk<Number>& w, std::uint32_t k,
                           const std::int32_t* const (&row)[kBatch],
                           const std::int32_t* const (&ahead)[kBatch], float (&value)[kBatch]) {
  using S = Shape<Number, kBytes>;
  using Sum = typename S::Sum;
  using Row = typename S::Row;
  using Real = typename S::Real;
  constexpr std::uint32_t lanes = sizeof(Sum) / sizeof(Number);
  const std::uint32_t width = w.width;
  const Real one = Real{} + 1.0F;
  Real left_sum[kBatch] = {};
  Real right_sum[kBatch] = {};
  for (std::uint32_t i = 0; i < width; i += lanes) {
    Sum pl = load<Sum>(w.left + i);
    Sum ml = load<Sum>(w.left + width + i);
    Sum ps = {};
    Sum ms = {};
    Real base_pl = {};
    Real base_ml = {};
    Real base_pr = {};
    Real base_mr = {};
    if constexpr (kBased) {
      base_pl = load<Real>(w.base + i);
      base_ml = load<Real>(w.base + width + i);
      base_pr = load<Real>(w.base + 2 * width + i);
      base_mr = load<Real>(w.base + 3 * width + i);
    } else {
      ps = load<Sum>(w.total + i);
      ms = load<Sum>(w.total + width + i);
    }
    const Real factor = kFactors ? load<Real>(w.factor + i) : one;
#pragma GCC unroll 4
    for (std::uint32_t j = 0; j < kBatch; ++j) {
      __builtin_prefetch(ahead[j] + i);
      __builtin_prefetch(ahead[j] + width + i);
      pl += S::widen(load<Row>(row[j] + i));
      ml += S::widen(load<Row>(row[j] + width + i));
      Real positive_left = __builtin_convertvector(pl, Real);
      Real mass_left = __builtin_convertvector(ml, Real);
      Real positive_right;
      Real mass_right;
      if constexpr (kBased) {
        positive_right = base_pr - positive_left;
        mass_right = base_mr - mass_left;
        positive_left += base_pl;
        mass_left += base_ml;
      } else {  // differences of exact sums: a small right side has no less precision
        positive_right = __builtin_convertvector(ps - pl, Real);
        mass_right = __builtin_convertvector(ms - ml, Real);
      }
      mass_left = mass_left > one ? mass_left : one;  // no mass, no positive mass: 0 / 1
      mass_right = mass_right > one ? mass_right : one;
      const Real inverse = one / (mass_left * mass_right);  // one serves both children
      const Real share_left = (positive_left * mass_right) * inverse;
      const Real share_right = (positive_right * mass_left) * inverse;
      if constexpr (kByEvidence) {
        left_sum[j] += factor * (positive_left - positive_left * share_left);
        right_sum[j] += factor * (positive_right - positive_right * share_right);
      } else if constexpr (kFactors) {
        left_sum[j] += factor * (share_left - share_left * share_left);
        right_sum[j] += factor * (share_right - share_right * share_right);
      } else {
        left_sum[j] += share_left - share_left * share_left;
        right_sum[j] += share_right - share_right * share_right;
      }
    }
    std::memcpy(w.left + i, &pl, sizeof pl);
    std::memcpy(w.left + width + i, &ml, sizeof ml);
  }
  for (std::uint32_t j = 0; j < kBatch; ++j) {
    if constexpr (!kByEvidence) {
      const std::uint32_t left_size = w.left_size[k + j < w.end ? k + j : w.end - 1];
      left_sum[j] *= static_cast<float>(left_size);
      right_sum[j] *= static_cast<float>(w.node_size - left_size);
    }
    value[j] = sum_of(left_sum[j] + right_sum[j]);
  }
}

template <int kBytes, class Number, bool kByEvidence, bool kFactors, bool kBased>
CF_INLINE std::uint32_t walk(const SoftWalk<Number>& w, std::uint32_t from) {
  const std::size_t row_length = 2 * std::size_t{w.width};
  const auto row_at = [&](std::uint32_t k) CF_INLINE_LAMBDA {
    return w.rows + (k < w.end ? w.sorted[k] : w.size) * row_length;
  };
  for (std::uint32_t k = from; k < w.end;) {
    if (!w.cut[k]) {
      take<kBytes>(w, row_at(k), false);
      ++k;
      continue;
    }
    const std::int32_t* const row[] = {row_at(k), row_at(k + 1), row_at(k + 2), row_at(k + 3)};
    const std::int32_t* const ahead[] = {row_at(k + 4), row_at(k + 5), row_at(k + 6),
                                         row_at(k + 7)};
    float value[kBatch];
    value_batch<kBytes, Number, kByEvidence, kFactors, kBased>(w, k, row, ahead, value);
    for (std::uint32_t j = 0; j < kBatch; ++j) {
      if (value[j] <= w.limit && k + j < w.end && w.cut[k + j]) {
        for (std::uint32_t back = j + 1; back < kBatch; ++back) take<kBytes>(w, row[back], true);
        return k + j;
      }
    }
    k += kBatch;
  }
  return w.end;
}

template <int kBytes, class Number, bool kBased>
CF_INLINE std::uint32_t walk_as_asked(const SoftWalk<Number>& w, std::uint32_t from) {
  if (w.by_evidence) return walk<kBytes, Number, true, true, kBased>(w, from);
  if (w.factor) return walk<kBytes, Number, false, true, kBased>(w, from);
  return walk<kBytes, Number, false, false, kBased>(w, from);
}

template <int kBytes>
CF_INLINE std::uint32_t kernel_walk_int(const SoftWalk<std::int32_t>& w, std::uint32_t from) {
  return walk_as_asked<kBytes, std::int32_t, false>(w, from);
}

template <int kBytes>
CF_INLINE std::uint32_t kernel_walk_based(const SoftWalk<std::int32_t>& w, std::uint32_t from) {
  return walk_as_asked<kBytes, std::int32_t, true>(w, from);
}

template <int kBytes>
CF_INLINE std::uint32_t kernel_walk_double(const SoftWalk<double>& w, std::uint32_t from) {
  return walk_as_asked<kBytes, double, false>(w, from);
}

CF_KERNEL(std::uint32_t, walk_int, (const SoftWalk<std::int32_t>& w, std::uint32_t from), (w, from))
CF_KERNEL(std::uint32_t, walk_based, (const SoftWalk<std::int32_t>& w, std::uint32_t from),
          (w, from))
CF_KERNEL(std::uint32_t, walk_double, (const SoftWalk<double>& w, std::uint32_t from), (w, from))

}  // namespace

std::uint32_t soft_walk(const SoftWalk<std::int32_t>& w, std::uint32_t from) {
  return w.base ? walk_based(w, from) : walk_int(w, from);
}

std::uint32_t soft_walk(const SoftWalk<double>& w, std::uint32_t from) {
  return walk_double(w, from);
}

}  // namespace cf
