// The best split of a node so far.
#pragma once

#include <cstdint>

#include "node.hpp"
#include "order.hpp"

namespace cf {

struct Best {
  bool found = false;
  double gain = 0.0;
  std::uint32_t feature = 0;
  std::uint32_t above_rank = 0;  // items whose rank is at least this go right
  std::uint32_t below_item = 0;  // the cut lies between the values of these two
  std::uint32_t above_item = 0;

  // Puts the cut after this position of the feature's order in place of the one before.
  void replace(const Node& node, const Order& order, std::uint32_t f, std::uint32_t position,
               double new_gain) {
    const std::uint32_t above = order.sorted[position + 1];
    found = true;
    gain = new_gain * node.problem.layers[node.layer].weight_unit;
    feature = f;
    above_rank = order.rank[above];
    above_item = node.items[above];
    below_item = node.items[order.sorted[position]];
  }
};

}  // namespace cf
