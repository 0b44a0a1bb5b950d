// The best cut of a feature when several sources join in the gain (see Sources).
//
// With w_i the weight of tag i in the tree, c_i its items on one side of a cut and L the present
// items there, sum_i w_i c_i (L - c_i) / L = (A L - B) / L is half the impurity of that side times
// L, where A = sum_i w_i c_i and B = sum_i w_i c_i^2: sums over the tags of the items, as in
// hard_search.hpp. Weights are whole numbers, so A and B have no error, and a cut has the same
// value whichever feature makes it. Values are compared in double precision: a gain must exceed
// kTiny of the node's impurity, and the gain of the best cut so far by as much; less is rounding.
#pragma once

#include <cstdint>
#include <vector>

#include "best.hpp"
#include "node.hpp"
#include "order.hpp"
#include "source_weights.hpp"

namespace cf {

class JointSearch {
 public:
  JointSearch(const Node& node, const Sources& sources);

  void arrive() { items_.read(node_, sources_); }  // after node.find_layer()
  SourceWeights& weights() { return weights_; }    // to be found at the root, before begin()

  bool begin();                                             // false when no cut can gain
  void feature(std::uint32_t f, Order& order, Best& best);  // after order.gather()

 private:
  struct Side {
    std::uint32_t size;
    std::uint32_t real;
    std::uint32_t present;
    Int128 a, b;
  };

  double value(const Side& side) const;
  bool scan(const Order& order);

  const Node& node_;
  const Sources& sources_;
  SourceItems items_;
  SourceWeights weights_;
  std::vector<double> inverse_;        // 1 / k; 0 for 0
  std::vector<std::uint64_t> weight_;  // (active)
  std::vector<std::uint32_t> count_;   // (active) c_i left of a cut
  std::vector<Int128> amount_;         // (size) what an item adds to A
  std::vector<Int128> cross_;          // (size) what it adds to sum_i w_i c_i C_i, C_i the node's
  Side whole_ = {};
  int shift_ = 0;              // bits that sums over tags lose on the way to double precision
  double class_factor_ = 0.0;  // from c (L - c) / L to a gain
  double tag_factor_ = 0.0;
  double tiny_ = 0.0;
  double node_value_ = 0.0;  // value of the undivided node; a cut's gain is this minus its value
  double best_value_ = 0.0;  // of the best cut so far
  std::uint32_t best_position_ = 0;
};

}  // namespace cf
