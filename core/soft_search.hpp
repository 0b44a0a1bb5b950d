// The best cut of a feature when some item at the node has soft evidence in the target layer.
//
// With q_i = P_i / M_i the share of positive evidence, the impurity of a child is
// sum_i 2 w_i q_i (1 - q_i), and Eq. 3 weighs it by the child's share of the items (or of the
// tag's evidence). M_i differs from tag to tag, so every cut looks at every active tag. Two things
// make that fast without making it less exact:
//   - masses are integers, so the running sums of either child have no error at all;
//   - a cut is first valued in single precision, a vector of tags at a time. Only a cut that could
//     beat the best, given the bound on that rounding, is valued in double precision.
// A gain must exceed kTiny of the node's impurity: below it is rounding, not evidence.
#pragma once

#include <cstdint>
#include <vector>

#include "best.hpp"
#include "node.hpp"
#include "order.hpp"
#include "soft_walk.hpp"

namespace cf {

class SoftSearch {
 public:
  explicit SoftSearch(const Node& node);

  void begin();                                             // after node.find_layer()
  void feature(std::uint32_t f, Order& order, Best& best);  // after order.gather()

 private:
  static constexpr std::uint32_t kNone = ~0U;
  enum class Way { kSmall, kLarge, kSparse };

  void build_rows();
  void sort(Order& order);
  void mark_cuts(const Order& order);
  template <class Number>
  SoftWalk<Number> start_walk(const Order& order, std::vector<Number>& left,
                              const std::vector<Number>& total);
  float quick_limit() const;
  bool walk_small(const Order& order);
  bool walk_large(const Order& order);
  bool sparse(const Order& order);
  bool consider(double value, std::uint32_t position);
  template <class Number>
  double exact_value(const Number* left_p, const Number* left_m, std::uint32_t position) const;

  const Node& node_;
  Way way_ = Way::kSparse;
  double node_value_ = 0.0;  // value of the undivided node; a split's gain is this minus its value
  double best_gain_ = 0.0;   // node_value_ minus value, of the best cut so far
  std::uint32_t best_position_ = kNone;
  std::uint32_t width_ = 0;                     // active tags, padded to whole vectors
  std::vector<std::int32_t> rows_;              // (size, 2 width) positive masses, then all masses
  std::vector<std::int32_t> total32_, left32_;  // (2 width)
  std::vector<double> total64_, left64_;        // (2 width)
  std::vector<std::int32_t> item_mass_;         // (size) largest mass of a tag
  std::vector<float> base_;                     // (4 width) of a stretch
  std::vector<double> here_;                    // (2 width) exact sums at a cut of a stretch
  std::vector<float> factor_;         // (width) what a tag's term is multiplied by; 0 in padding
  std::vector<double> exact_factor_;  // (width)
  std::vector<double> beyond_base_;   // (active) scratch of the sparse way
  std::vector<std::uint8_t> cut_;     // (size) 1 where a cut after this position is allowed
  std::vector<std::uint32_t> left_size_;  // (size) items left of a cut after this position
  std::vector<std::int16_t> keys16_;
  std::vector<std::uint16_t> before16_;
  double extra_error_ = 0.0;  // bound on the error of the single-precision value
};

}  // namespace cf
