// The best cut of a feature when every item at the node is hard.
//
// With c_i the items left of the cut that have tag i (weight w_i), B = sum_i w_i c_i^2 for either
// child, and L, R the child sizes, the gain is (2 / S) (B_left / L + B_right / R - B_node / S):
// sums over the tags of the items, never over the vocabulary. B_right = B_node - 2 D + B_left where
// D = sum_i w_i C_i c_i grows by a constant of each item. All of it is integers, and two cuts are
// compared as fractions: the best cut is exact.
#pragma once

#include <cstdint>
#include <type_traits>
#include <vector>

#include "best.hpp"
#include "node.hpp"
#include "order.hpp"

namespace cf {

class HardSearch {
 public:
  explicit HardSearch(const Node& node);

  void begin();                                             // after node.find_layer()
  void feature(std::uint32_t f, Order& order, Best& best);  // after order.gather()

 private:
  enum class Way { kPairs16, kPairs32, kSweep };
  struct Cut {
    std::int64_t b_left;
    std::int64_t b_right;
    std::int64_t left;
    std::uint32_t position;
  };

  template <class Number>
  void build_gram(std::vector<Number>& gram, std::uint32_t lanes);
  template <class Lane>
  void order_pairs(Order& order, const std::vector<std::make_unsigned_t<Lane>>& gram,
                   std::vector<Lane>& keys, std::vector<std::make_unsigned_t<Lane>>& before,
                   std::vector<std::make_unsigned_t<Lane>>& shared);
  void walk_tags(const Order& order);
  void walk_plain_tags(const Order& order);
  template <bool kRepeats>
  bool scan(const Order& order);
  double gain() const;
  bool consider(const Cut& cut, double score);

  const Node& node_;
  Way way_ = Way::kSweep;
  bool exact_ = true;        // fractions of this node fit the 128-bit comparison
  std::int64_t b_node_ = 0;  // B of the node
  double best_score_ = 0.0;  // B_left / L + B_right / R of the best cut, or B_node / S
  std::int64_t best_b_left_ = 0, best_b_right_ = 0, best_left_ = 0;
  std::uint32_t best_position_ = 0;
  std::uint32_t stride_ = 0;
  std::vector<std::uint32_t> start_;   // (size + 1) into tags_
  std::vector<std::uint32_t> tags_;    // active numbers, item by item
  std::vector<std::int64_t> growth_;   // (size) what the item at each position adds to B_left
  std::vector<std::int64_t> own_;      // (size) w_x^2 sum of tag weights: what it adds alone
  std::vector<std::int64_t> cross_;    // (size) what it adds to D
  std::vector<std::uint32_t> count_;   // (active) c_i during a walk
  std::vector<std::uint32_t> stream_;  // tags in the order of a walk
  std::vector<std::int64_t> running_;  // sums of c_i along the stream
  std::vector<double> inverse_;        // 1 / k
  std::vector<std::uint32_t> tag_first_, tag_items_;  // items of each active tag
  std::vector<std::uint16_t> gram16_, before16_, shared16_;
  std::vector<std::uint32_t> gram32_, before32_, shared32_;
  std::vector<std::int16_t> keys16_;
  std::vector<std::int32_t> keys32_;
};

}  // namespace cf
