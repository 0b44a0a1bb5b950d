#include "soft_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "pairs.hpp"
#include "soft_walk.hpp"

namespace cf {

namespace {

constexpr double kTiny = 0x1p-40;
constexpr std::uint32_t kStretch = 256;  // items of a large node walked from one base
constexpr double kUlp = 0x1p-24;         // relative rounding of single precision

// q (1 - q) for q = p / m, times m by evidence. m - p is exact: nothing is lost where q is near 1.
double term(double p, double m, bool by_evidence) {
  if (m == 0.0) return 0.0;
  const double mixed = p * ((m - p) / m);
  return by_evidence ? mixed : mixed / m;
}

template <int kBytes>
CF_INLINE void kernel_count_before16(const std::int16_t* keys, std::uint32_t size,
                                     std::uint16_t* before) {
  all_pairs<kBytes, std::int16_t, false>(keys, size, nullptr, 0, before, nullptr);
}

CF_KERNEL(void, count_before16,
          (const std::int16_t* keys, std::uint32_t size, std::uint16_t* before),
          (keys, size, before))

}  // namespace

SoftSearch::SoftSearch(const Node& node) : node_(node) {}

void SoftSearch::begin() {
  const std::size_t n_active = node_.active.size();
  constexpr std::uint32_t lanes = kLanes<std::int32_t>;
  width_ = (static_cast<std::uint32_t>(n_active) + lanes - 1) / lanes * lanes;
  const std::size_t width = width_;
  at_least(cut_, node_.size);
  at_least(left_size_, node_.size);
  factor_.assign(width, 0.0F);
  exact_factor_.assign(width, 0.0);
  total64_.assign(2 * width, 0.0);

  const bool by_evidence = node_.problem.child_weights == ChildWeights::kEvidence;
  std::int64_t largest = 0;
  double factors = 0.0;
  node_value_ = 0.0;
  for (std::size_t a = 0; a < n_active; ++a) {
    const double p = static_cast<double>(node_.positive[a]);
    const double m = static_cast<double>(node_.mass[a]);
    const double weight = node_.active_weight[a];
    total64_[a] = p;
    total64_[width + a] = m;
    largest = std::max(largest, node_.mass[a]);
    exact_factor_[a] = by_evidence ? weight / m : weight;
    factor_[a] = static_cast<float>(exact_factor_[a]);
    node_value_ += exact_factor_[a] * term(p, m, by_evidence) * (by_evidence ? 1.0 : node_.total);
    factors += weight;
  }
  best_gain_ = node_value_ * kTiny;
  best_position_ = kNone;

  // A share is at most 1, so a term q (1 - q), or P / M (1 - q), has no larger error than the share
  // itself; a term is at most 1/4 of its factor. The narrowest registers hold four reals: a sum of
  // width / 4 + 4 terms and the child sizes add as many roundings of that.
  const double scale = by_evidence ? 2.0 : node_.total;
  extra_error_ = factors * scale * (kShareError + 0.25 * (width_ / 4.0 + 12.0) * kUlp);

  const std::uint64_t cells = std::uint64_t{node_.size} * width_;
  if (cells > node_.problem.soft_cells) {
    way_ = Way::kSparse;
  } else {
    way_ = largest <= node_.problem.small_mass ? Way::kSmall : Way::kLarge;
    build_rows();
  }
}

void SoftSearch::build_rows() {
  const Layer& l = node_.problem.layers[node_.layer];
  const std::size_t width = width_;
  const std::size_t n_active = node_.active.size();
  at_least(rows_, 2 * width * (std::size_t{node_.size} + 1));
  at_least(item_mass_, node_.size);
  std::fill_n(rows_.data() + 2 * width * node_.size, 2 * width, 0);
  for (std::uint32_t x = 0; x < node_.size; ++x) {
    const std::uint32_t item = node_.items[x];
    const auto times = static_cast<std::int32_t>(node_.times[x]);
    std::int32_t* p = rows_.data() + x * 2 * width;
    std::int32_t* m = p + width;
    const std::int32_t base = times * l.base[item];
    std::fill_n(p, width, 0);
    std::fill_n(m, n_active, base);
    std::fill_n(m + n_active, width - n_active, 0);
    for (std::int64_t e = l.start[item]; e < l.start[item + 1]; ++e) {
      const std::int32_t a = node_.active_number(static_cast<std::uint32_t>(l.tag[e]));
      if (a < 0) continue;
      p[a] = times * l.positive[e];
      m[a] = times * (l.positive[e] + l.negative[e]);
    }
    item_mass_[x] = *std::max_element(m, m + n_active);
  }
  left32_.resize(2 * width);
  left64_.resize(2 * width);
  total32_.resize(2 * width);
  base_.resize(4 * width);
  here_.resize(2 * width);
  if (way_ == Way::kSmall)
    std::transform(total64_.begin(), total64_.end(), total32_.begin(),
                   [](double v) { return static_cast<std::int32_t>(v); });
}

void SoftSearch::sort(Order& order) {
  const std::uint32_t size = node_.size;
  if (size > node_.problem.pair_limit || order.range >= 0xFFFFU) {
    order.sort();
    return;
  }
  constexpr std::uint32_t lanes = kLanes<std::int16_t>;
  const std::size_t padded = (std::size_t{size} + lanes - 1) / lanes * lanes;
  at_least(keys16_, padded);
  at_least(before16_, padded);
  order.shift_ranks(keys16_);
  count_before16(keys16_.data(), size, before16_.data());
  for (std::uint32_t x = 0; x < size; ++x) order.sorted[before16_[x]] = x;
}

void SoftSearch::mark_cuts(const Order& order) {
  const std::uint32_t min_leaf = node_.problem.min_leaf;
  std::uint32_t left = 0;
  for (std::uint32_t k = 0; k < node_.size; ++k) {
    const std::uint32_t x = order.sorted[k];
    left += node_.times[x];
    left_size_[k] = left;
    cut_[k] = k + 1 < node_.size && left >= min_leaf && node_.total - left >= min_leaf &&
              order.rank[x] != order.rank[order.sorted[k + 1]];
  }
}

void SoftSearch::feature(std::uint32_t f, Order& order, Best& best) {
  sort(order);
  mark_cuts(order);
  bool better = false;
  switch (way_) {
    case Way::kSmall:
      better = walk_small(order);
      break;
    case Way::kLarge:
      better = walk_large(order);
      break;
    case Way::kSparse:
      better = sparse(order);
      break;
  }
  if (!better) return;
  const double scale = node_.problem.child_weights == ChildWeights::kEvidence ? 1.0 : node_.total;
  best.replace(node_, order, f, best_position_, 2.0 * best_gain_ / scale);
}

template <class Number>
SoftWalk<Number> SoftSearch::start_walk(const Order& order, std::vector<Number>& left,
                                        const std::vector<Number>& total) {
  const bool by_evidence = node_.problem.child_weights == ChildWeights::kEvidence;
  const bool factors = by_evidence || node_.problem.layers[node_.layer].weight;
  std::fill(left.begin(), left.end(), Number{0});
  return {.rows = rows_.data(),
          .width = width_,
          .total = total.data(),
          .left = left.data(),
          .base = nullptr,
          .factor = factors ? factor_.data() : nullptr,
          .sorted = order.sorted.data(),
          .cut = cut_.data(),
          .left_size = left_size_.data(),
          .size = node_.size,
          .node_size = node_.total,
          .end = node_.size,
          .limit = quick_limit(),
          .by_evidence = by_evidence};
}

// What a quick value must not exceed for its cut to be looked at closely.
float SoftSearch::quick_limit() const {
  return static_cast<float>((node_value_ - best_gain_ + extra_error_) * (1.0 + 4.0 * kUlp));
}

bool SoftSearch::walk_small(const Order& order) {
  SoftWalk<std::int32_t> w = start_walk(order, left32_, total32_);
  bool better = false;
  for (std::uint32_t k = 0; (k = soft_walk(w, k)) < node_.size; ++k) {
    if (consider(exact_value(w.left, w.left + width_, k), k)) {
      better = true;
      w.limit = quick_limit();
    }
  }
  return better;
}

// In stretches whose masses fit int32_t; where the right side gets small, in double precision.
bool SoftSearch::walk_large(const Order& order) {
  SoftWalk<std::int32_t> w = start_walk(order, left32_, total32_);
  SoftWalk<double> tail = start_walk(order, left64_, total64_);
  const std::size_t width = width_;
  const std::size_t n_active = node_.active.size();
  std::vector<double>& left = left64_;  // exact sums where the stretch begins
  bool better = false;
  for (std::uint32_t begin = 0; begin < node_.size;) {
    double stretch = 0.0;
    std::uint32_t end = begin;
    while (end < node_.size && end - begin < kStretch) {
      const double mass = item_mass_[order.sorted[end]];
      if (stretch + mass > std::numeric_limits<std::int32_t>::max()) break;
      stretch += mass;
      ++end;
    }
    bool room = end > begin;
    for (std::size_t a = 0; a < n_active && room; ++a)
      room = total64_[width + a] - left[width + a] >= 2.0 * stretch;
    if (!room) {
      tail.limit = quick_limit();
      for (std::uint32_t k = begin; (k = soft_walk(tail, k)) < node_.size; ++k) {
        if (consider(exact_value(tail.left, tail.left + width, k), k)) {
          better = true;
          tail.limit = quick_limit();
        }
      }
      return better;
    }
    for (std::size_t i = 0; i < 2 * width; ++i) {
      base_[i] = static_cast<float>(left[i]);
      base_[2 * width + i] = static_cast<float>(total64_[i] - left[i]);
    }
    w.base = base_.data();
    w.end = end;
    std::fill(left32_.begin(), left32_.end(), 0);
    for (std::uint32_t k = begin; (k = soft_walk(w, k)) < end; ++k) {
      for (std::size_t i = 0; i < 2 * width; ++i) here_[i] = left[i] + left32_[i];
      if (consider(exact_value(here_.data(), here_.data() + width, k), k)) {
        better = true;
        w.limit = quick_limit();
      }
    }
    for (std::size_t i = 0; i < 2 * width; ++i) left[i] += left32_[i];
    begin = end;
  }
  return better;
}

// The value of a cut in double precision, tag by tag in a fixed order.
template <class Number>
double SoftSearch::exact_value(const Number* left_p, const Number* left_m,
                               std::uint32_t position) const {
  const bool by_evidence = node_.problem.child_weights == ChildWeights::kEvidence;
  double left_sum = 0.0;
  double right_sum = 0.0;
  for (std::size_t a = 0; a < node_.active.size(); ++a) {
    const double pl = static_cast<double>(left_p[a]);
    const double ml = static_cast<double>(left_m[a]);
    const double pr = total64_[a] - pl;
    const double mr = total64_[width_ + a] - ml;
    left_sum += exact_factor_[a] * term(pl, ml, by_evidence);
    right_sum += exact_factor_[a] * term(pr, mr, by_evidence);
  }
  if (by_evidence) return left_sum + right_sum;
  const double left = left_size_[position];
  return left * left_sum + (node_.total - left) * right_sum;
}

bool SoftSearch::consider(double value, std::uint32_t position) {
  const double gain = node_value_ - value;
  // The first of equal cuts stays: a better one is better by more than rounding.
  const double needed = best_position_ == kNone ? best_gain_ : best_gain_ + node_value_ * kTiny;
  if (!(gain > needed)) return false;
  best_gain_ = gain;
  best_position_ = position;
  return true;
}

// Without a dense table: sums by tag, the rest of each tag's mass in one number for all tags.
bool SoftSearch::sparse(const Order& order) {
  const Layer& l = node_.problem.layers[node_.layer];
  const std::size_t n_active = node_.active.size();
  left64_.assign(2 * std::size_t{width_}, 0.0);
  std::vector<double>& beyond_base = beyond_base_;
  beyond_base.assign(n_active, 0.0);
  double base_mass = 0.0;
  bool better = false;
  for (std::uint32_t k = 0; k < node_.size; ++k) {
    const std::uint32_t x = order.sorted[k];
    const std::uint32_t item = node_.items[x];
    const double times = node_.times[x];
    base_mass += times * l.base[item];
    for (std::int64_t e = l.start[item]; e < l.start[item + 1]; ++e) {
      const std::int32_t a = node_.active_number(static_cast<std::uint32_t>(l.tag[e]));
      if (a < 0) continue;
      left64_[static_cast<std::size_t>(a)] += times * l.positive[e];
      beyond_base[static_cast<std::size_t>(a)] +=
          times * (static_cast<double>(l.positive[e]) + l.negative[e] - l.base[item]);
    }
    if (!cut_[k]) continue;
    for (std::size_t a = 0; a < n_active; ++a) left64_[width_ + a] = base_mass + beyond_base[a];
    if (consider(exact_value(left64_.data(), left64_.data() + width_, k), k)) better = true;
  }
  return better;
}

}  // namespace cf
