#include "hard_search.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

#include "pairs.hpp"

namespace cf {

namespace {

template <int kBytes>
CF_INLINE void kernel_pairs16(const std::int16_t* keys, std::uint32_t size,
                              const std::uint16_t* gram, std::uint32_t stride,
                              std::uint16_t* before, std::uint16_t* shared) {
  all_pairs<kBytes, std::int16_t, true>(keys, size, gram, stride, before, shared);
}

template <int kBytes>
CF_INLINE void kernel_pairs32(const std::int32_t* keys, std::uint32_t size,
                              const std::uint32_t* gram, std::uint32_t stride,
                              std::uint32_t* before, std::uint32_t* shared) {
  all_pairs<kBytes, std::int32_t, true>(keys, size, gram, stride, before, shared);
}

CF_KERNEL(void, pairs16,
          (const std::int16_t* keys, std::uint32_t size, const std::uint16_t* gram,
           std::uint32_t stride, std::uint16_t* before, std::uint16_t* shared),
          (keys, size, gram, stride, before, shared))

CF_KERNEL(void, pairs32,
          (const std::int32_t* keys, std::uint32_t size, const std::uint32_t* gram,
           std::uint32_t stride, std::uint32_t* before, std::uint32_t* shared),
          (keys, size, gram, stride, before, shared))

// Two scores this close, relatively, are told apart as fractions; rounding is far below it.
constexpr double kClose = 1e-13;

constexpr std::size_t kChunk = 8;  // tags of an item copied at once

}  // namespace

HardSearch::HardSearch(const Node& node) : node_(node) {}

void HardSearch::begin() {
  const Layer& l = node_.problem.layers[node_.layer];
  const std::uint32_t size = node_.size;
  at_least(start_, std::size_t{size} + 1);
  at_least(growth_, size);
  at_least(own_, size);
  at_least(cross_, size);
  at_least(count_, node_.active.size());
  for (std::size_t k = inverse_.size(); k <= node_.total; ++k)
    inverse_.push_back(k == 0 ? 0.0 : 1.0 / static_cast<double>(k));

  tags_.clear();
  b_node_ = 0;
  std::int64_t largest_row = 0;
  for (std::uint32_t x = 0; x < size; ++x) {
    const std::uint32_t item = node_.items[x];
    const std::int64_t times = node_.times[x];
    std::int64_t own = 0;
    std::int64_t cross = 0;
    start_[x] = static_cast<std::uint32_t>(tags_.size());
    for (std::int64_t e = l.start[item]; e < l.start[item + 1]; ++e) {
      const std::int32_t a = node_.active_number(static_cast<std::uint32_t>(l.tag[e]));
      if (a < 0) continue;
      const auto number = static_cast<std::uint32_t>(a);
      tags_.push_back(number);
      own += node_.active_weight[number];
      cross += std::int64_t{node_.active_weight[number]} * (node_.positive[number] / kOne);
    }
    own_[x] = own * times * times;
    cross_[x] = cross * times;
    b_node_ += cross_[x];
    largest_row = std::max(largest_row, cross_[x]);
  }
  start_[size] = static_cast<std::uint32_t>(tags_.size());
  tags_.resize(tags_.size() + kChunk);  // a chunk may be read past the last item's tags

  best_left_ = 0;
  best_score_ = static_cast<double>(b_node_) / node_.total;
  const int bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(b_node_))) +
                   3 * static_cast<int>(std::bit_width(node_.total));
  exact_ = bits + 1 <= 126;

  way_ = Way::kSweep;
  if (size <= node_.problem.pair_limit) {
    if (largest_row <= std::numeric_limits<std::uint16_t>::max()) {
      way_ = Way::kPairs16;
      build_gram(gram16_, kLanes<std::uint16_t>);
    } else if (largest_row <= std::numeric_limits<std::uint32_t>::max()) {
      way_ = Way::kPairs32;
      build_gram(gram32_, kLanes<std::uint32_t>);
    }
  }
}

// gram[y][x] = draws_y draws_x sum of the weights of the tags that y and x share.
template <class Number>
void HardSearch::build_gram(std::vector<Number>& gram, std::uint32_t lanes) {
  const std::uint32_t size = node_.size;
  stride_ = (size + lanes - 1) / lanes * lanes;
  gram.assign(std::size_t{size} * stride_, 0);
  // Items of each tag, by a counting sort of tags_.
  const std::size_t n_active = node_.active.size();
  std::vector<std::uint32_t>& first = tag_first_;
  first.assign(n_active + 1, 0);
  for (std::uint32_t e = 0; e < start_[size]; ++e) ++first[tags_[e] + 1];
  for (std::size_t a = 0; a < n_active; ++a) first[a + 1] += first[a];
  at_least(tag_items_, start_[size]);
  for (std::uint32_t x = 0; x < size; ++x) {
    for (std::uint32_t e = start_[x]; e < start_[x + 1]; ++e) tag_items_[first[tags_[e]]++] = x;
  }
  std::uint32_t begin = 0;
  for (std::size_t a = 0; a < n_active; ++a) {
    const std::uint32_t end = first[a];
    const std::uint64_t weight = node_.active_weight[a];
    for (std::uint32_t i = begin; i < end; ++i) {
      Number* row = gram.data() + std::size_t{tag_items_[i]} * stride_;
      const std::uint64_t scaled = weight * node_.times[tag_items_[i]];
      for (std::uint32_t j = begin; j < end; ++j)
        row[tag_items_[j]] =
            static_cast<Number>(row[tag_items_[j]] + scaled * node_.times[tag_items_[j]]);
    }
    begin = end;
  }
}

template <class Lane>
void HardSearch::order_pairs(Order& order, const std::vector<std::make_unsigned_t<Lane>>& gram,
                             std::vector<Lane>& keys,
                             std::vector<std::make_unsigned_t<Lane>>& before,
                             std::vector<std::make_unsigned_t<Lane>>& shared) {
  const std::uint32_t size = node_.size;
  at_least(keys, stride_);
  at_least(before, stride_);
  at_least(shared, stride_);
  order.shift_ranks(keys);
  if constexpr (sizeof(Lane) == 2) {
    pairs16(keys.data(), size, gram.data(), stride_, before.data(), shared.data());
  } else {
    pairs32(keys.data(), size, gram.data(), stride_, before.data(), shared.data());
  }
  for (std::uint32_t x = 0; x < size; ++x) {
    order.sorted[before[x]] = x;
    growth_[before[x]] = own_[x] + 2 * std::int64_t{shared[x]};
  }
}

// Moves the items over the cut one by one: an item with c_i others left of it that share tag i adds
// w_i (2 c_i + 1) to B_left.
void HardSearch::walk_tags(const Order& order) {
  std::fill_n(count_.begin(), node_.active.size(), 0U);
  if (!node_.draws && !node_.problem.layers[node_.layer].weight) {
    walk_plain_tags(order);
    return;
  }
  const std::uint32_t* weight = node_.active_weight.data();
  for (std::uint32_t k = 0; k < node_.size; ++k) {
    const std::uint32_t x = order.sorted[k];
    std::int64_t sum = 0;
    for (std::uint32_t e = start_[x]; e < start_[x + 1]; ++e) {
      sum += std::int64_t{count_[tags_[e]]} * weight[tags_[e]];
      count_[tags_[e]] += node_.times[x];
    }
    growth_[k] = own_[x] + 2 * sum * node_.times[x];
  }
}

// The same where every item counts once and every tag weighs 1. The tags are first laid out in the
// order of the walk, a fixed number for each item whatever it has, so that no loop over one item's
// tags has an end to mispredict; then one loop passes over them all.
void HardSearch::walk_plain_tags(const Order& order) {
  const std::uint32_t size = node_.size;
  const std::size_t n_tags = start_[size];
  at_least(stream_, n_tags + kChunk);
  at_least(running_, n_tags + 1);
  std::uint32_t* to = stream_.data();
  for (std::uint32_t k = 0; k < size; ++k) {
    const std::uint32_t x = order.sorted[k];
    const std::uint32_t* from = tags_.data() + start_[x];
    const std::uint32_t length = start_[x + 1] - start_[x];
    std::memcpy(to, from, kChunk * sizeof(std::uint32_t));
    if (length > kChunk) std::memcpy(to, from, length * sizeof(std::uint32_t));
    to += length;
  }
  std::uint32_t* count = count_.data();
  std::int64_t sum = 0;
  running_[0] = 0;
  for (std::size_t e = 0; e < n_tags; ++e) {
    sum += count[stream_[e]]++;
    running_[e + 1] = sum;
  }
  std::size_t at = 0;
  for (std::uint32_t k = 0; k < size; ++k) {
    const std::size_t begin = at;
    at += static_cast<std::size_t>(own_[order.sorted[k]]);  // here: its number of tags
    growth_[k] = own_[order.sorted[k]] + 2 * (running_[at] - running_[begin]);
  }
}

void HardSearch::feature(std::uint32_t f, Order& order, Best& best) {
  if (way_ == Way::kPairs16 && order.range < 0xFFFFU) {
    order_pairs<std::int16_t>(order, gram16_, keys16_, before16_, shared16_);
  } else if (way_ == Way::kPairs32 && order.range < 0xFFFFFFFFU) {
    order_pairs<std::int32_t>(order, gram32_, keys32_, before32_, shared32_);
  } else {
    order.sort();
    walk_tags(order);
  }
  const bool better = node_.draws ? scan<true>(order) : scan<false>(order);
  if (better) best.replace(node_, order, f, best_position_, gain());
}

double HardSearch::gain() const {
  const std::int64_t total = node_.total;
  const std::int64_t right = total - best_left_;
  if (!exact_)
    return 2.0 / node_.total * (best_score_ - static_cast<double>(b_node_) / node_.total);
  // As one fraction, so that a tiny gain is not lost in the difference of two large numbers.
  const Int128 children =
      static_cast<Int128>(best_b_left_) * right + static_cast<Int128>(best_b_right_) * best_left_;
  const Int128 sizes = static_cast<Int128>(best_left_) * right;
  const Int128 top = children * total - static_cast<Int128>(b_node_) * sizes;
  return 2.0 * static_cast<double>(top) / (static_cast<double>(sizes) * node_.total * node_.total);
}

// Visits the cuts in ascending order; the first strict maximum over all features so far wins.
template <bool kRepeats>
bool HardSearch::scan(const Order& order) {
  const std::int64_t total = node_.total;
  const std::int64_t min_leaf = node_.problem.min_leaf;
  const double* inverse = inverse_.data();
  const std::uint32_t* sorted = order.sorted.data();
  const std::uint32_t* rank = order.rank.data();
  const std::int64_t b_node = b_node_;
  std::int64_t b_left = 0;
  std::int64_t cross = 0;
  std::int64_t left = 0;
  double enough = best_score_ * (1.0 - kClose);
  bool better = false;
  for (std::uint32_t k = 0; k + 1 < node_.size; ++k) {
    const std::uint32_t x = sorted[k];
    b_left += growth_[k];
    cross += cross_[x];
    left += kRepeats ? node_.times[x] : 1;
    const std::int64_t b_right = b_node - 2 * cross + b_left;
    const double score = static_cast<double>(b_left) * inverse[left] +
                         static_cast<double>(b_right) * inverse[total - left];
    if (score >= enough && left >= min_leaf && total - left >= min_leaf &&
        rank[x] != rank[sorted[k + 1]]) {
      if (consider({b_left, b_right, left, k}, score)) {
        better = true;
        enough = best_score_ * (1.0 - kClose);
      }
    }
  }
  return better;
}

bool HardSearch::consider(const Cut& cut, double score) {
  const std::int64_t total = node_.total;
  if (score <= best_score_ * (1.0 + kClose)) {
    if (exact_) {
      using Wide = Int128;
      const auto top = [&](std::int64_t bl, std::int64_t br, std::int64_t l) {
        return static_cast<Wide>(bl) * static_cast<Wide>(total - l) +
               static_cast<Wide>(br) * static_cast<Wide>(l);
      };
      const Wide new_top = top(cut.b_left, cut.b_right, cut.left);
      const Wide new_bottom = static_cast<Wide>(cut.left) * static_cast<Wide>(total - cut.left);
      const Wide old_top =
          best_left_ ? top(best_b_left_, best_b_right_, best_left_) : static_cast<Wide>(b_node_);
      const Wide old_bottom =
          best_left_ ? static_cast<Wide>(best_left_) * static_cast<Wide>(total - best_left_)
                     : static_cast<Wide>(total);
      if (new_top * old_bottom <= old_top * new_bottom) return false;
    } else {
      return false;  // too close to tell apart: the earlier cut stays
    }
  }
  best_score_ = score;
  best_b_left_ = cut.b_left;
  best_b_right_ = cut.b_right;
  best_left_ = cut.left;
  best_position_ = cut.position;
  return true;
}

}  // namespace cf
