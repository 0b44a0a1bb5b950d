#include "messages.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

#include "simd.hpp"

namespace cf {

namespace {

template <class T>
struct Row {
  std::uint32_t n;
  std::uint32_t own;  // its number: where it meets itself
  const T* s;
  T* r;
  T* a;
  T damping, rest;
};

// The largest and the second largest of values, which may be equal.
template <class V>
struct TopTwo {
  V first, second;

  CF_INLINE void add(const V& value) {
    const V low = value < first ? value : first;
    first = value > first ? value : first;
    second = low > second ? low : second;
  }
};

template <class T, int kBytes>
CF_INLINE void renew_availability(const Row<T>& row, const T* support) {
  using V = Vector<T, kBytes>;
  constexpr std::uint32_t kStep = kLanes<T, kBytes>;
  const T own = row.damping * row.a[row.own] - (row.r[row.own] - support[row.own]) * row.rest;
  const V zero = V{};
  std::uint32_t k = 0;
  for (; k + kStep <= row.n; k += kStep) {
    const V r = load<V>(row.r + k);
    V more = (r > zero ? r : zero) - load<V>(support + k);
    more = (more > zero ? more : zero) * row.rest;
    store(row.a + k, load<V>(row.a + k) * row.damping - more);
  }
  for (; k < row.n; ++k) {
    const T more = std::max(std::max(row.r[k], T{0}) - support[k], T{0}) * row.rest;
    row.a[k] = row.a[k] * row.damping - more;
  }
  row.a[row.own] = own;
}

template <class T, int kBytes>
CF_INLINE TopTwo<T> top_two(const Row<T>& row) {
  using V = Vector<T, kBytes>;
  constexpr std::uint32_t kStep = kLanes<T, kBytes>;
  constexpr T kLeast = -std::numeric_limits<T>::infinity();
  const V least = V{} + kLeast;
  TopTwo<V> lanes{least, least};
  std::uint32_t k = 0;
  for (; k + kStep <= row.n; k += kStep) lanes.add(load<V>(row.a + k) + load<V>(row.s + k));
  TopTwo<T> top{kLeast, kLeast};
  for (std::uint32_t lane = 0; lane < kStep; ++lane) {
    top.add(lanes.first[lane]);
    top.add(lanes.second[lane]);
  }
  for (; k < row.n; ++k) top.add(row.a[k] + row.s[k]);
  return top;
}

// Of several equally good ones the second best is as good as the best: which is which is the same.
template <class T, int kBytes>
CF_INLINE void renew_responsibility(const Row<T>& row, const TopTwo<T>& top, T* sums) {
  using V = Vector<T, kBytes>;
  constexpr std::uint32_t kStep = kLanes<T, kBytes>;
  const T before = sums[row.own];
  const V zero = V{};
  const V first = zero + top.first;
  const V second = zero + top.second;
  std::uint32_t k = 0;
  for (; k + kStep <= row.n; k += kStep) {
    const V s = load<V>(row.s + k);
    const V rival = load<V>(row.a + k) + s == first ? second : first;
    const V r = load<V>(row.r + k) * row.damping + (s - rival) * row.rest;
    store(row.r + k, r);
    store(sums + k, load<V>(sums + k) + (r > zero ? r : zero));
  }
  for (; k < row.n; ++k) {
    const T rival = row.a[k] + row.s[k] == top.first ? top.second : top.first;
    row.r[k] = row.r[k] * row.damping + (row.s[k] - rival) * row.rest;
    sums[k] += std::max(row.r[k], T{0});
  }
  sums[row.own] = before + row.r[row.own];
}

template <int kBytes, class T>
CF_INLINE void kernel_pass_row(const Row<T>& row, const T* support, T* sums) {
  renew_availability<T, kBytes>(row, support);
  const TopTwo<T> top = top_two<T, kBytes>(row);
  renew_responsibility<T, kBytes>(row, top, sums);
}

CF_KERNEL(void, pass_row, (const Row<float>& row, const float* support, float* sums),
          (row, support, sums))
CF_KERNEL(void, pass_row, (const Row<double>& row, const double* support, double* sums),
          (row, support, sums))

}  // namespace

template <class T>
void pass_messages(const MessageArrays<T>& arrays, const MessageRows<T>& rows, const T* support,
                   double* found) {
  const std::size_t n = arrays.n;
  std::vector<T> sums(n);
  for (std::uint32_t begin = rows.begin; begin < rows.end;) {
    const std::uint32_t end = std::min(rows.end - begin, rows.step) + begin;
    std::fill(sums.begin(), sums.end(), T{0});
    for (std::uint32_t i = begin; i < end; ++i) {
      const std::size_t at = i * n;
      pass_row({arrays.n, i, arrays.similarity + at, arrays.responsibility + at,
                arrays.availability + at, rows.damping, T{1} - rows.damping},
               support, sums.data());
    }
    for (std::size_t k = 0; k < n; ++k) found[k] += static_cast<double>(sums[k]);
    begin = end;
  }
}

template void pass_messages(const MessageArrays<float>&, const MessageRows<float>&, const float*,
                            double*);
template void pass_messages(const MessageArrays<double>&, const MessageRows<double>&, const double*,
                            double*);

}  // namespace cf
