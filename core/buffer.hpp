// Large uninitialised arrays, on huge pages where the system has them.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace cf {

// For tables that are read at random: with small pages every access would also miss the TLB.
template <class T>
class Buffer {
 public:
  explicit Buffer(std::size_t size) {
    constexpr std::size_t page = std::size_t{1} << 21;
    const std::size_t bytes = (size * sizeof(T) + page - 1) / page * page;
    data_.reset(static_cast<T*>(std::aligned_alloc(page, bytes == 0 ? page : bytes)));
    if (!data_) throw std::bad_alloc();
#if defined(__linux__)
    madvise(data_.get(), bytes, MADV_HUGEPAGE);  // advice: nothing is lost if it is not taken
#endif
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }

 private:
  struct Free {
    void operator()(T* p) const { std::free(p); }
  };
  std::unique_ptr<T, Free> data_;
};

}  // namespace cf
