// Vector types of a fixed width, and the switch that compiles one function for several processors.
//
// The types are the compiler's own (GCC and Clang): on AVX-512 one register each, on narrower
// machines two or four. Integer results are the same everywhere.
#pragma once

#include <cstdint>
#include <cstring>

#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__clang__) && !defined(CF_NO_CLONES)
#define CF_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define CF_CLONES
#endif
#define CF_INLINE_LAMBDA __attribute__((always_inline))
#define CF_INLINE inline __attribute__((always_inline))

namespace cf {

constexpr int kVectorBytes = 64;

template <class T>
struct VectorOf {
  typedef T type __attribute__((vector_size(kVectorBytes)));
};
template <class T>
using Vector = typename VectorOf<T>::type;
template <class T>
constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(T));

template <class T>
CF_INLINE Vector<T> load(const T* from) {
  Vector<T> v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

template <class T>
CF_INLINE void store(T* to, const Vector<T>& v) {
  std::memcpy(to, &v, sizeof v);
}

}  // namespace cf
