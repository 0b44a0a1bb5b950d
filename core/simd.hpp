// Vector code for several processors: one template, compiled for each width of register.
//
// The vector types are the compiler's own (GCC and Clang). A kernel is a template over the bytes of
// a register; CF_KERNEL compiles it for AVX-512, AVX2 and anything else, and calls the one that
// this processor runs. Vectors wider than the registers would be correct too, and very slow.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>

#define CF_INLINE inline __attribute__((always_inline))
#define CF_INLINE_LAMBDA __attribute__((always_inline))

namespace cf {

constexpr int kWidest = 64;  // bytes; what buffers are padded to

template <class T, int kBytes>
struct VectorOf {
  typedef T type __attribute__((vector_size(kBytes)));
};
template <class T, int kBytes>
using Vector = typename VectorOf<T, kBytes>::type;
template <class T, int kBytes = kWidest>
constexpr int kLanes = kBytes / static_cast<int>(sizeof(T));

template <class V, class T>
CF_INLINE V load(const T* from) {
  V v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

template <class V, class T>
CF_INLINE void store(T* to, const V& v) {
  std::memcpy(to, &v, sizeof v);
}

// Bytes of the vector registers of this processor that kernels are compiled for.
inline int register_bytes() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return 64;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return 32;
#endif
  return 16;
}

// Bytes that kernels use: all of a register, unless a test asks for less.
inline std::atomic<int>& kernel_bytes() {
  static std::atomic<int> bytes{register_bytes()};
  return bytes;
}

}  // namespace cf

// CF_KERNEL(result, name, (parameters), (arguments)) defines `result name(parameters)`, which calls
// kernel_name<bytes>(arguments), an always-inlined template.
#if defined(__x86_64__)
#define CF_KERNEL(result, name, parameters, arguments)                                      \
  __attribute__((                                                                           \
      target("avx512f,avx512bw,avx512dq,avx512vl,avx2,fma"))) result name##_64 parameters { \
    return kernel_##name<64> arguments;                                                     \
  }                                                                                         \
  __attribute__((target("avx2,fma"))) result name##_32 parameters {                         \
    return kernel_##name<32> arguments;                                                     \
  }                                                                                         \
  result name##_16 parameters { return kernel_##name<16> arguments; }                       \
  result name parameters {                                                                  \
    switch (::cf::kernel_bytes().load(std::memory_order_relaxed)) {                         \
      case 64:                                                                              \
        return name##_64 arguments;                                                         \
      case 32:                                                                              \
        return name##_32 arguments;                                                         \
      default:                                                                              \
        return name##_16 arguments;                                                         \
    }                                                                                       \
  }
#else
#define CF_KERNEL(result, name, parameters, arguments) \
  result name parameters { return kernel_##name<16> arguments; }
#endif
