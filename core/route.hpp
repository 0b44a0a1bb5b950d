// Dropping items through finished trees.
#pragma once

#include <cstdint>

#include "parallel.hpp"

namespace cf {

struct FlatTrees {
  std::int64_t n_trees;
  const std::int64_t* offsets;  // (n_trees + 1)
  const std::int32_t* feature;
  const double* threshold;
  const std::int32_t* left;  // within the tree; -1 at a leaf; right = left + 1
};

// values is (n, d), C order; leaves, (n_trees, n), receives the node in which each item ends.
// Progress is reported in items.
template <class Value>
void route(const FlatTrees& nodes, const Value* values, std::int64_t n, std::int64_t d,
           std::int32_t* leaves, int n_threads, const Poll& poll);

}  // namespace cf
