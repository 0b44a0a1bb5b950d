// Tags voted for by the training items in the leaves of each item: local neighbourhoods.
#pragma once

#include <cstdint>
#include <vector>

#include "leaf_members.hpp"
#include "parallel.hpp"

namespace cf {

// The tags of the training items.
struct TagLists {
  const std::int64_t* start;  // (n + 1), from 0
  const std::int32_t* tag;    // ascending within an item
  std::uint32_t n_tags;
};

struct Votes {
  std::vector<std::int64_t> start;  // (n + 1)
  std::vector<std::int32_t> tag;    // ascending within a row
  std::vector<double> score;        // positive
};

// What all the trees' mean share of a tag adds to its score, to order tags of equal votes.
constexpr double kMeanShare = 1e-6;

// A tree votes for a tag if all the training items in the row's leaf have it, against it if none
// has; the score is the share of the votes that are for it, plus kMeanShare times the mean, over
// the trees, of the share of the leaf's items that have it. Leaves without training items do not
// count. With `exclude_self`, row i is training item i, and its leaves are judged without it.
//
// Each row gets its `keep` highest scores (all if negative); equal ones: the tag that more training
// items have, then the lower one. With `exclude_self` only tags that the row itself lacks compete,
// and those it has come on top. n_nodes, (n_trees): the size of each tree.
Votes leaf_votes(const LeafTable& rows, const LeafTable& training,
                 const std::vector<std::int32_t>& n_nodes, const TagLists& tags, std::int64_t keep,
                 bool exclude_self, int n_threads, const Poll& poll);

}  // namespace cf
