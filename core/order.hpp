// Items of a node in ascending order of one feature.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

namespace cf {

// Ranks of one feature at the node's items, and their order once `sort` has run.
class Order {
 public:
  // Gathers the ranks. False when the feature is constant at the node.
  template <class Rank>
  bool gather(const Rank* column, const std::uint32_t* items, std::uint32_t size) {
    size_ = size;
    if (rank.size() < size) {
      rank.resize(size);
      sorted.resize(size);
    }
    std::uint32_t low = ~0U;
    std::uint32_t high = 0;
    for (std::uint32_t x = 0; x < size; ++x) {
      const std::uint32_t r = column[items[x]];
      rank[x] = r;
      low = r < low ? r : low;
      high = r > high ? r : high;
    }
    lowest = low;
    range = high - low;
    return range > 0;
  }

  // Fills `sorted` with item numbers by ascending rank; items of equal rank keep their order.
  void sort() {
    if (range <= 0xFFFFU && size_ <= 0x10000U) {
      radix(packed32_, swap32_, 16);
    } else {
      radix(packed64_, swap64_, 32);
    }
  }

  // Fills keys with the ranks in their order, from the lowest value of Lane up.
  template <class Lane>
  void shift_ranks(std::vector<Lane>& keys) const {
    constexpr auto least = static_cast<std::uint32_t>(std::numeric_limits<Lane>::min());
    for (std::uint32_t x = 0; x < size_; ++x) keys[x] = static_cast<Lane>(rank[x] - lowest + least);
  }

  std::vector<std::uint32_t> rank;    // (size) by item number within the node
  std::vector<std::uint32_t> sorted;  // (size)
  std::uint32_t lowest = 0;
  std::uint32_t range = 0;

 private:
  // Least-significant-digit radix sort of (rank - lowest, item number) pairs packed in one word,
  // on the digits of the rank that vary within the node.
  template <class Word>
  void radix(std::vector<Word>& from, std::vector<Word>& to, int shift) {
    if (from.size() < size_) {
      from.resize(size_);
      to.resize(size_);
    }
    const Word low_bits = (Word{1} << shift) - 1;
    Word* a = from.data();
    Word* b = to.data();
    for (std::uint32_t x = 0; x < size_; ++x) a[x] = (Word{rank[x] - lowest} << shift) | x;
    const int bits = std::bit_width(range);
    const int passes = (bits + kDigit - 1) / kDigit;
    const int digit = (bits + passes - 1) / passes;
    const std::uint32_t buckets = 1U << digit;
    for (int pass = 0; pass < passes; ++pass) {
      const int at = shift + pass * digit;
      for (std::uint32_t i = 0; i < buckets; ++i) count_[i] = 0;
      for (std::uint32_t x = 0; x < size_; ++x) ++count_[(a[x] >> at) & (buckets - 1)];
      std::uint32_t sum = 0;
      for (std::uint32_t i = 0; i < buckets; ++i) {
        const std::uint32_t c = count_[i];
        count_[i] = sum;
        sum += c;
      }
      for (std::uint32_t x = 0; x < size_; ++x) b[count_[(a[x] >> at) & (buckets - 1)]++] = a[x];
      std::swap(a, b);
    }
    for (std::uint32_t k = 0; k < size_; ++k)
      sorted[k] = static_cast<std::uint32_t>(a[k] & low_bits);
  }

  static constexpr int kDigit = 9;
  std::uint32_t size_ = 0;
  std::vector<std::uint32_t> packed32_, swap32_;
  std::vector<std::uint64_t> packed64_, swap64_;
  std::uint32_t count_[1U << kDigit] = {};
};

}  // namespace cf
