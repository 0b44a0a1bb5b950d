#include "rank.hpp"

#include <bit>
#include <cstring>
#include <vector>

namespace cf {

namespace {

// Bits whose unsigned order is the order of the values; -0 and +0 are one value.
template <class Value>
auto ordered_bits(Value v) {
  using Bits = std::conditional_t<sizeof(Value) == 4, std::uint32_t, std::uint64_t>;
  v += Value{0};
  const auto bits = std::bit_cast<Bits>(v);
  constexpr Bits sign = Bits{1} << (8 * sizeof(Bits) - 1);
  return static_cast<Bits>(bits & sign ? ~bits : bits | sign);
}

template <class Bits>
struct Keyed {
  Bits key;
  std::uint32_t item;
};

// Radix sort by bytes, from the least significant, skipping bytes that are all the same.
template <class Bits>
class Sorter {
 public:
  template <class Value, class Rank>
  void operator()(const Value* values, std::uint32_t n, Rank* ranks) {
    a_.resize(n);
    b_.resize(n);
    for (std::uint32_t i = 0; i < n; ++i) a_[i] = {ordered_bits(values[i]), i};
    constexpr int bytes = sizeof(Bits);
    count_.assign(std::size_t{bytes} * 256, 0);
    for (const auto& k : a_) {
      for (int b = 0; b < bytes; ++b)
        ++count_[static_cast<std::size_t>(b) * 256 + ((k.key >> (8 * b)) & 0xFF)];
    }
    for (int b = 0; b < bytes; ++b) {
      std::uint32_t* count = count_.data() + static_cast<std::size_t>(b) * 256;
      if (count[(a_[0].key >> (8 * b)) & 0xFF] == n) continue;
      std::uint32_t sum = 0;
      for (int i = 0; i < 256; ++i) {
        const std::uint32_t c = count[i];
        count[i] = sum;
        sum += c;
      }
      for (const auto& k : a_) b_[count[(k.key >> (8 * b)) & 0xFF]++] = k;
      a_.swap(b_);
    }
    std::uint32_t rank = 0;
    for (std::uint32_t k = 0; k < n; ++k) {
      if (k > 0 && a_[k].key != a_[k - 1].key) ++rank;
      ranks[a_[k].item] = static_cast<Rank>(rank);
    }
  }

 private:
  std::vector<Keyed<Bits>> a_, b_;
  std::vector<std::uint32_t> count_;
};

}  // namespace

template <class Value, class Rank>
void rank_columns(const Value* values, std::int64_t n_columns, std::uint32_t n, Rank* ranks,
                  int n_threads, const Poll& poll) {
  using Bits = decltype(ordered_bits(Value{}));
  std::vector<Sorter<Bits>> sorters(static_cast<std::size_t>(std::max(1, n_threads)));
  parallel_for(n_columns, n_threads, poll,
               [&](std::int64_t c, int worker, const std::atomic<bool>&) {
                 const std::size_t at = static_cast<std::size_t>(c) * n;
                 sorters[static_cast<std::size_t>(worker)](values + at, n, ranks + at);
               });
}

template void rank_columns(const float*, std::int64_t, std::uint32_t, std::uint16_t*, int,
                           const Poll&);
template void rank_columns(const float*, std::int64_t, std::uint32_t, std::uint32_t*, int,
                           const Poll&);
template void rank_columns(const double*, std::int64_t, std::uint32_t, std::uint16_t*, int,
                           const Poll&);
template void rank_columns(const double*, std::int64_t, std::uint32_t, std::uint32_t*, int,
                           const Poll&);

}  // namespace cf
