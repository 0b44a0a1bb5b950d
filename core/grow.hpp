// Growing trees: from ranks and evidence to node records and leaf tables.
#pragma once

#include <cstdint>
#include <vector>

#include "evidence.hpp"
#include "parallel.hpp"

namespace cf {

// Grows one tree a key. leaves, (n_trees, n_items), receives the node in which each drawn item
// ends; where an item that was not drawn ends depends on thresholds, which are set later. The
// result depends on the problem and the keys alone, not on the number of threads.
Forest grow(const Problem& problem, const std::vector<std::uint64_t>& keys, std::int32_t* leaves,
            int n_threads, const Poll& poll);

// How often each of n items is drawn for the tree of this key.
void draw_bag(std::uint64_t key, std::uint32_t n, std::uint32_t* draws);

}  // namespace cf
