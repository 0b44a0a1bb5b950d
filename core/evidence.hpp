// What the forest grows from: feature ranks and, for every tag layer, the evidence of every item.
//
// Evidence is fixed point, so that sums are exact and do not depend on their order: kOne stands
// for 1. For tag i of a layer, item x brings the masses
//     P = positive[e], N = negative[e]   where entry e of x names tag i,
//     P = 0,           N = base[x]       otherwise.
// A hard item has base = kOne and entries (kOne, 0): its tags are present, all others absent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "pairs.hpp"

namespace cf {

constexpr std::int32_t kOne = 1 << 20;

// For exact comparisons of fractions.
__extension__ typedef __int128 Int128;

struct Layer {
  std::uint32_t n_tags = 0;
  const std::int64_t* start = nullptr;     // (n + 1) first entry of each item
  const std::int32_t* tag = nullptr;       // (entries)
  const std::int32_t* positive = nullptr;  // (entries), or null: every item is hard
  const std::int32_t* negative = nullptr;  // (entries), or null
  const std::int32_t* base = nullptr;      // (n), or null
  const std::uint8_t* soft = nullptr;      // (n) 1 where the item is not hard, or null
  const std::uint32_t* weight = nullptr;   // (n_tags) weight of each tag's gain, or null: all 1
  double weight_unit = 1.0;                // what a weight of 1 is worth in the reported gain

  std::uint32_t weight_of(std::uint32_t i) const { return weight ? weight[i] : 1U; }
};

enum class ChildWeights { kCount, kEvidence };

// Several sources whose gains are joined in a weighted sum: the two classes of all items, real and
// synthetic, and every other tag of the only layer, over the items that have such a tag at all.
struct Sources {
  std::int32_t two_class = -1;  // the tag of real items, or -1: all are real, and no source
  double alpha = 0.5;           // weight of the two classes; the tags share the rest
  bool normalise = true;        // divide the gain of a source by its best at the root of the tree
};

struct Problem {
  std::uint32_t n_items = 0;
  std::uint32_t n_features = 0;
  const std::uint16_t* ranks16 = nullptr;  // (n_features, n_items), one of the two
  const std::uint32_t* ranks32 = nullptr;
  std::vector<Layer> layers;
  std::optional<Sources> sources;  // or the gain is that of the target layer (Eq. 5)
  std::uint32_t n_try = 1;
  std::uint32_t min_leaf = 1;
  ChildWeights child_weights = ChildWeights::kCount;
  bool bootstrap = false;
  // Strategy limits. They change the time taken, never the trees; tests set them to reach every
  // path.
  std::uint32_t pair_limit = pairs_worth();  // nodes up to this size are ordered by all pairs
  std::int64_t small_mass = 0x7FFFFFFF;   // nodes up to this mass are summed in 32 bits throughout
  std::uint64_t soft_cells = 1ULL << 25;  // largest dense evidence table of a node (rows x tags)
};

// Nodes of one tree, or of several one after another. Children are adjacent: right = left + 1,
// counted from the tree's root. Thresholds are not known here: a cut lies between the values of two
// items, `below` and `above`, of the node's feature.
struct Nodes {
  std::vector<std::int32_t> feature;
  std::vector<std::int32_t> left;
  std::vector<std::int16_t> layer;
  std::vector<double> gain;
  std::vector<std::int32_t> count;
  std::vector<std::int32_t> cut_items;  // (nodes, 2): below, above

  std::size_t size() const { return feature.size(); }

  // Calls f(field, values a node) for every field of this and the same field of `other`.
  template <class F>
  void with_fields(const Nodes& other, F f) {
    f(feature, other.feature, 1);
    f(left, other.left, 1);
    f(layer, other.layer, 1);
    f(gain, other.gain, 1);
    f(count, other.count, 1);
    f(cut_items, other.cut_items, 2);
  }
};

struct Forest {
  std::vector<std::int64_t> offsets{0};  // (n_trees + 1)
  Nodes nodes;
};

}  // namespace cf
