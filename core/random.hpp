// Seeded random numbers: SplitMix64, small enough to write again in a test in another language.
#pragma once

#include <cstdint>

namespace cf {

constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15ULL;

inline std::uint64_t scramble(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

// A key for one branch of a keyed tree of streams. A node's stream depends on its path from the
// root alone, so trees do not depend on the order in which their nodes are grown.
inline std::uint64_t branch(std::uint64_t key, std::uint64_t which) {
  return scramble(key + kGolden * (which + 1));
}

class Random {
 public:
  explicit Random(std::uint64_t key) : state_(key) {}

  std::uint64_t next() { return scramble(state_ += kGolden); }

  // Uniform in [0, bound), without bias.
  std::uint32_t below(std::uint32_t bound) {
    std::uint64_t product = (next() >> 32) * bound;
    std::uint32_t low = static_cast<std::uint32_t>(product);
    if (low < bound) {
      const std::uint32_t reject = (0U - bound) % bound;
      while (low < reject) {
        product = (next() >> 32) * bound;
        low = static_cast<std::uint32_t>(product);
      }
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

 private:
  std::uint64_t state_;
};

}  // namespace cf
