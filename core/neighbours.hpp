// From leaf tables to the nearest training items of each item (Eq. 10), never n x n.
#pragma once

#include <cstdint>
#include <vector>

#include "leaf_members.hpp"
#include "parallel.hpp"

namespace cf {

struct Neighbours {
  std::vector<std::int64_t> start;  // (n + 1)
  std::vector<std::int32_t> item;   // ascending within a row
  std::vector<std::int32_t> count;  // trees in which the two items share a leaf
};

// The k training items that share most leaves with each item of `rows`; never one that shares
// none. Equal counts are decided by a hash of seed, row and item: random, yet the same every time.
// With `exclude_self`, row i is training item i and is not its own neighbour, and its number stands
// for it in the hash; otherwise its leaves do. n_nodes, (n_trees): the size of each tree.
Neighbours nearest(const LeafTable& rows, const LeafTable& training,
                   const std::vector<std::int32_t>& n_nodes, std::uint32_t k, bool exclude_self,
                   std::uint64_t seed, int n_threads, const Poll& poll);

// Affinity counts of all pairs, (rows.n, training.n).
void all_counts(const LeafTable& rows, const LeafTable& training,
                const std::vector<std::int32_t>& n_nodes, std::int32_t* counts, int n_threads,
                const Poll& poll);

}  // namespace cf
