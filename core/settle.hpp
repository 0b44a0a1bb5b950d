// Last touches to a partition of a graph: items move where the modularity gains most.
#pragma once

#include <cstdint>

#include "parallel.hpp"

namespace cf {

struct Affinities {
  std::uint32_t n;
  const std::int64_t* start;  // (n + 1)
  const std::int32_t* item;   // joined items, row by row; symmetric, nothing on the diagonal
  const double* weight;       // of each join, not negative
};

struct SettleOptions {
  std::uint32_t n_clusters;
  double resolution;  // the higher, the more alike in size the clusters become
  std::int64_t max_rounds;
  std::uint64_t seed;  // of the order of items in each round
};

// Moves items between the clusters in `label` (n), which lie in [0, n_clusters), until a round
// moves none. An item goes only to a cluster of an item that it is joined to, and the last item of
// a cluster stays. One thread. Gives the number of rounds; progress is in rounds done.
std::int64_t settle(const Affinities& graph, const SettleOptions& options, std::int64_t* label,
                    const Poll& poll);

}  // namespace cf
