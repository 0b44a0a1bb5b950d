#include "joint_search.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace cf {

namespace {

constexpr double kTiny = 0x1p-40;
constexpr int kBits = 62;  // of what is converted to double precision

int bit_width(Int128 v) {
  const auto high = static_cast<std::uint64_t>(v >> 64);
  return high ? 64 + static_cast<int>(std::bit_width(high))
              : static_cast<int>(std::bit_width(static_cast<std::uint64_t>(v)));
}

}  // namespace

JointSearch::JointSearch(const Node& node, const Sources& sources)
    : node_(node), sources_(sources), weights_(node, sources, items_) {}

bool JointSearch::begin() {
  const std::uint32_t size = node_.size;
  at_least(weight_, node_.active.size());
  at_least(count_, node_.active.size());
  at_least(amount_, size);
  at_least(cross_, size);
  for (std::size_t k = inverse_.size(); k <= node_.total; ++k)
    inverse_.push_back(k == 0 ? 0.0 : 1.0 / static_cast<double>(k));
  for (std::size_t a = 0; a < node_.active.size(); ++a)
    weight_[a] = weights_.of_tag(node_.active[a]);

  whole_ = {node_.total, items_.n_real, items_.n_present, 0, 0};
  for (std::uint32_t x = 0; x < size; ++x) {
    Int128 amount = 0;
    Int128 cross = 0;
    for (std::uint32_t e = items_.start[x]; e < items_.start[x + 1]; ++e) {
      const std::uint32_t tag = items_.tags[e];
      amount += weight_[tag];
      cross += static_cast<Int128>(weight_[tag]) * (node_.positive[tag] / kOne);
    }
    amount_[x] = amount * node_.times[x];
    cross_[x] = cross * node_.times[x];
    whole_.a += amount_[x];
    whole_.b += cross_[x];
  }
  // Either side's A L - B is at most the node's A L.
  shift_ = std::max(0, bit_width(whole_.a * whole_.present) - kBits);
  class_factor_ = weights_.of_classes() / node_.total;
  tag_factor_ = weights_.unit() * std::ldexp(1.0, shift_) / std::max(1U, whole_.present);
  node_value_ = value(whole_);
  tiny_ = kTiny * node_value_;
  best_value_ = node_value_;
  return node_value_ > 0.0;
}

// Half the joint impurity of one side, by its share of the node.
double JointSearch::value(const Side& side) const {
  const std::int64_t classes = std::int64_t{side.real} * (side.size - side.real);
  const auto tags = static_cast<std::int64_t>((side.a * side.present - side.b) >> shift_);
  return class_factor_ * (static_cast<double>(classes) * inverse_[side.size]) +
         tag_factor_ * (static_cast<double>(tags) * inverse_[side.present]);
}

void JointSearch::feature(std::uint32_t f, Order& order, Best& best) {
  order.sort();
  if (scan(order)) best.replace(node_, order, f, best_position_, 2.0 * (node_value_ - best_value_));
}

// Visits the cuts in ascending order; of equal ones, over all features so far, the first stays.
bool JointSearch::scan(const Order& order) {
  const std::uint32_t min_leaf = node_.problem.min_leaf;
  const std::uint32_t* sorted = order.sorted.data();
  const std::uint32_t* rank = order.rank.data();
  std::fill_n(count_.begin(), node_.active.size(), 0U);
  Side left = {};
  Int128 cross = 0;
  bool better = false;
  for (std::uint32_t k = 0; k + 1 < node_.size; ++k) {
    const std::uint32_t x = sorted[k];
    const std::uint32_t times = node_.times[x];
    Int128 shared = 0;
    for (std::uint32_t e = items_.start[x]; e < items_.start[x + 1]; ++e) {
      const std::uint32_t tag = items_.tags[e];
      shared += static_cast<Int128>(weight_[tag]) * count_[tag];
      count_[tag] += times;
    }
    left.size += times;
    left.real += items_.real[x];
    left.present += items_.present[x];
    left.a += amount_[x];
    left.b += (amount_[x] + 2 * shared) * times;
    cross += cross_[x];
    if (left.size < min_leaf || whole_.size - left.size < min_leaf ||
        rank[x] == rank[sorted[k + 1]])
      continue;
    const Side right = {whole_.size - left.size, whole_.real - left.real,
                        whole_.present - left.present, whole_.a - left.a,
                        whole_.b - 2 * cross + left.b};
    const double both = value(left) + value(right);
    if (both < best_value_ - tiny_) {
      best_value_ = both;
      best_position_ = k;
      better = true;
    }
  }
  return better;
}

}  // namespace cf
