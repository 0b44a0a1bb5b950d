// A map of a graph's items in the plane: joined items attract, random others repel each other.
#pragma once

#include <cstdint>

#include "parallel.hpp"

namespace cf {

struct WeightedGraph {
  std::uint32_t n;
  const std::int64_t* start;  // (n + 1)
  const std::int32_t* item;   // joined items, row by row
  const float* weight;        // of each join, in [0, 1]: how often it is pulled, an epoch
};

struct LayoutOptions {
  std::int64_t n_epochs;
  std::uint32_t n_repelled;  // random items that push a pulled one away
  std::uint64_t seed;
};

// Moves `position` (n, 2), whose coordinates are of at most kFarthest. One thread, one item after
// the other, float products, sums and quotients alone: the same bits wherever floats are IEEE's.
// Progress is in epochs done.
constexpr float kFarthest = 1e6F;
constexpr std::int64_t kMostEpochs = 100'000;
void lay_out(const WeightedGraph& graph, const LayoutOptions& options, float* position,
             const Poll& poll);

}  // namespace cf
