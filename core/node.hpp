// A node as the split search sees it: its items, its target layer, and the tags that are active.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "evidence.hpp"

namespace cf {

// Scratch grows and is kept, so that most nodes allocate nothing.
template <class T>
void at_least(std::vector<T>& scratch, std::size_t size) {
  if (scratch.size() < size) scratch.resize(size);
}

// A tag is active in a node when it has both positive and negative mass there: only active tags
// have impurity. Buffers are kept between nodes and only the entries a node touched are cleared,
// so that a node costs what its own tags cost, whatever the size of the vocabulary.
class Node {
 public:
  Node(const Problem& problem, const std::uint32_t* draws);

  // Takes the items that reach the node.
  void arrive(const std::uint32_t* items, std::uint32_t size);

  // Finds the target layer of the items (Eq. 5), beginning at layer `from`: the first whose summed
  // impurity is positive and that some split could reduce. False when all are pure.
  bool find_layer(std::uint32_t from);

  const Problem& problem;
  const std::uint32_t* draws;  // (n) times each item was drawn, or null: once each

  const std::uint32_t* items = nullptr;
  std::uint32_t size = 0;
  std::uint32_t total = 0;           // size, counting repeated draws
  std::vector<std::uint32_t> times;  // (size) draws of each item
  std::uint32_t layer = 0;
  bool soft = false;                   // some item at the node is not hard in the target layer
  std::vector<std::uint32_t> active;   // tags of the layer, in order of first appearance
  std::vector<std::int64_t> positive;  // (active) mass at the node
  std::vector<std::int64_t> mass;      // (active) positive + negative mass
  std::vector<std::uint32_t> active_weight;  // (active)

  // Active number of a tag of the target layer, or -1.
  std::int32_t active_number(std::uint32_t tag) const { return number_[tag]; }

 private:
  bool read_layer(std::uint32_t k);
  bool same_evidence() const;

  std::vector<std::int64_t> positive_of_;  // by tag, zero between nodes
  std::vector<std::int64_t> deficit_of_;   // by tag: base minus negative mass, zero between nodes
  std::vector<std::int32_t> number_;       // by tag, -1 between nodes
  std::vector<std::uint32_t> touched_;
};

}  // namespace cf
