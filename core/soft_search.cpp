#include "soft_search.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "pairs.hpp"

namespace cf {

namespace {

constexpr double kTiny = 0x1p-40;
// Relative rounding of single precision, and how many roundings lie between a mass and its share.
constexpr double kUlp = 0x1p-24;
constexpr double kShareRoundings = 9.0;

template <class T>
void at_least(std::vector<T>& v, std::size_t size) {
  if (v.size() < size) v.resize(size);
}

// One feature's walk over the sorted items.
template <class Number>
struct Walk {
  const std::int32_t* rows;
  std::size_t row_length;     // 2 width
  std::uint32_t width;
  const Number* total;        // (2 width)
  Number* left;               // (2 width) running sums, updated
  const float* factor;        // (width)
  const std::uint32_t* sorted;
  const std::uint8_t* cut;
  const std::uint32_t* left_size;
  std::uint32_t size;
  std::uint32_t node_size;
  float limit;                // stop at a cut whose value is at most this
  bool by_evidence;
};

typedef float Float16 __attribute__((vector_size(64)));
typedef float Float8 __attribute__((vector_size(32)));
typedef float Float4 __attribute__((vector_size(16)));
typedef std::int32_t Int16 __attribute__((vector_size(64)));
typedef std::int32_t Int8 __attribute__((vector_size(32)));
typedef double Double8 __attribute__((vector_size(64)));

CF_INLINE float sum_of(Float8 v) {
  Float4 low;
  Float4 high;
  std::memcpy(&low, &v, sizeof low);
  std::memcpy(&high, reinterpret_cast<const char*>(&v) + sizeof low, sizeof high);
  const Float4 s = low + high;
  return (s[0] + s[1]) + (s[2] + s[3]);
}

CF_INLINE float sum_of(Float16 v) {
  Float8 low;
  Float8 high;
  std::memcpy(&low, &v, sizeof low);
  std::memcpy(&high, reinterpret_cast<const char*>(&v) + sizeof low, sizeof high);
  return sum_of(low + high);
}

template <class Number>
struct Shape;
template <>
struct Shape<std::int32_t> {
  using Sum = Int16;
  using Row = Int16;
  using Real = Float16;
  static CF_INLINE Sum widen(Row r) { return r; }
  static CF_INLINE Real real(Sum s) { return __builtin_convertvector(s, Real); }
  static CF_INLINE Sum at_least_one(Sum s) { return s - (s == 0); }
};
template <>
struct Shape<double> {
  using Sum = Double8;
  using Row = Int8;
  using Real = Float8;
  static CF_INLINE Sum widen(Row r) { return __builtin_convertvector(r, Sum); }
  static CF_INLINE Real real(Sum s) { return __builtin_convertvector(s, Real); }
  static CF_INLINE Sum at_least_one(Sum s) { return s < 1.0 ? Sum{} + 1.0 : s; }
};

template <class V, class T>
CF_INLINE V load_as(const T* from) {
  V v;
  std::memcpy(&v, from, sizeof v);
  return v;
}

// Takes the items over the cut from position `from` on, and returns the first position whose cut
// has a value of at most `limit`, with the sums left of it in place; `size` when there is none.
template <class Number, bool kByEvidence>
CF_INLINE std::uint32_t walk(const Walk<Number>& w, std::uint32_t from) {
  using S = Shape<Number>;
  using Sum = typename S::Sum;
  using Row = typename S::Row;
  using Real = typename S::Real;
  constexpr std::uint32_t lanes = sizeof(Sum) / sizeof(Number);
  for (std::uint32_t k = from; k < w.size; ++k) {
    const std::int32_t* row = w.rows + w.sorted[k] * w.row_length;
    if (k + 2 < w.size) {
      const auto* ahead = reinterpret_cast<const char*>(w.rows + w.sorted[k + 2] * w.row_length);
      for (std::uint32_t i = 0; i < 2 * w.width * sizeof(std::int32_t); i += 64)
        __builtin_prefetch(ahead + i);
    }
    if (!w.cut[k]) {
      for (std::uint32_t i = 0; i < 2 * w.width; i += lanes) {
        const Sum s = load_as<Sum>(w.left + i) + S::widen(load_as<Row>(row + i));
        std::memcpy(w.left + i, &s, sizeof s);
      }
      continue;
    }
    Real left_sum = {};
    Real right_sum = {};
    for (std::uint32_t i = 0; i < w.width; i += lanes) {
      const Sum pl = load_as<Sum>(w.left + i) + S::widen(load_as<Row>(row + i));
      const Sum ml = load_as<Sum>(w.left + w.width + i) + S::widen(load_as<Row>(row + w.width + i));
      std::memcpy(w.left + i, &pl, sizeof pl);
      std::memcpy(w.left + w.width + i, &ml, sizeof ml);
      const Sum pr = load_as<Sum>(w.total + i) - pl;
      const Sum mr = load_as<Sum>(w.total + w.width + i) - ml;
      const Real mass_left = S::real(S::at_least_one(ml));
      const Real mass_right = S::real(S::at_least_one(mr));
      const Real positive_left = S::real(pl);
      const Real positive_right = S::real(pr);
      const Real inverse = 1.0F / (mass_left * mass_right);  // one division serves both children
      const Real share_left = positive_left * (inverse * mass_right);
      const Real share_right = positive_right * (inverse * mass_left);
      const Real factor = load_as<Real>(w.factor + i);
      if constexpr (kByEvidence) {
        left_sum += factor * (positive_left - positive_left * share_left);
        right_sum += factor * (positive_right - positive_right * share_right);
      } else {
        left_sum += factor * (share_left - share_left * share_left);
        right_sum += factor * (share_right - share_right * share_right);
      }
    }
    const float left_size = kByEvidence ? 1.0F : static_cast<float>(w.left_size[k]);
    const float right_size = kByEvidence ? 1.0F : static_cast<float>(w.node_size - w.left_size[k]);
    const float value = sum_of(left_sum * left_size + right_sum * right_size);
    if (value <= w.limit) return k;
  }
  return w.size;
}

CF_CLONES std::uint32_t walk_int(const Walk<std::int32_t>& w, std::uint32_t from) {
  return w.by_evidence ? walk<std::int32_t, true>(w, from) : walk<std::int32_t, false>(w, from);
}

CF_CLONES std::uint32_t walk_double(const Walk<double>& w, std::uint32_t from) {
  return w.by_evidence ? walk<double, true>(w, from) : walk<double, false>(w, from);
}

std::uint32_t walk_from(const Walk<std::int32_t>& w, std::uint32_t k) { return walk_int(w, k); }
std::uint32_t walk_from(const Walk<double>& w, std::uint32_t k) { return walk_double(w, k); }

CF_CLONES void count_before16(const std::int16_t* keys, std::uint32_t size, std::uint16_t* before) {
  all_pairs<std::int16_t, false>(keys, size, nullptr, 0, before, nullptr);
}

}  // namespace

SoftSearch::SoftSearch(const Node& node) : node_(node) {}

void SoftSearch::begin() {
  const std::size_t n_active = node_.active.size();
  constexpr std::uint32_t lanes = kLanes<std::int32_t>;
  width_ = (static_cast<std::uint32_t>(n_active) + lanes - 1) / lanes * lanes;
  const std::size_t width = width_;
  at_least(sorted_, node_.size);
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
    node_value_ += by_evidence ? exact_factor_[a] * (p - p * (p / m))
                               : exact_factor_[a] * (p / m - (p / m) * (p / m)) * node_.total;
    factors += weight;
  }
  best_gain_ = node_value_ * kTiny;
  best_position_ = kNone;

  // A share has relative error kShareRoundings ulp and is at most 1; a term is at most 1/4 of its
  // factor, and sums of `width / 8 + 8` terms and the child sizes add as many roundings of that.
  const double scale = by_evidence ? 2.0 : node_.total;
  const double roundings = kShareRoundings + 3.0 + 0.25 * (width_ / 8.0 + 10.0);
  extra_error_ = factors * scale * roundings * kUlp;

  const std::uint64_t cells = std::uint64_t{node_.size} * width_;
  if (cells > node_.problem.soft_cells) {
    way_ = Way::kSparse;
  } else {
    way_ = largest <= std::numeric_limits<std::int32_t>::max() ? Way::kDenseInt : Way::kDenseDouble;
    build_rows();
  }
}

void SoftSearch::build_rows() {
  const Layer& l = node_.problem.layers[node_.layer];
  const std::size_t width = width_;
  const std::size_t n_active = node_.active.size();
  at_least(rows_, 2 * width * node_.size);
  for (std::uint32_t x = 0; x < node_.size; ++x) {
    const std::uint32_t item = node_.items[x];
    const auto times = static_cast<std::int32_t>(node_.draws_of(item));
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
  }
  left32_.resize(2 * width);
  left64_.resize(2 * width);
  total32_.resize(2 * width);
  if (way_ == Way::kDenseInt)
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
  for (std::uint32_t x = 0; x < size; ++x)
    keys16_[x] = static_cast<std::int16_t>(order.rank[x] - order.lowest - 0x8000U);
  count_before16(keys16_.data(), size, before16_.data());
  for (std::uint32_t x = 0; x < size; ++x) order.sorted[before16_[x]] = x;
}

void SoftSearch::mark_cuts(const Order& order) {
  const std::uint32_t min_leaf = node_.problem.min_leaf;
  std::uint32_t left = 0;
  for (std::uint32_t k = 0; k < node_.size; ++k) {
    const std::uint32_t x = order.sorted[k];
    left += node_.draws_of(node_.items[x]);
    left_size_[k] = left;
    cut_[k] = k + 1 < node_.size && left >= min_leaf && node_.total - left >= min_leaf &&
              order.rank[x] != order.rank[order.sorted[k + 1]];
  }
}

bool SoftSearch::feature(std::uint32_t f, Order& order, Best& best) {
  sort(order);
  mark_cuts(order);
  std::copy_n(order.sorted.begin(), node_.size, sorted_.begin());
  bool better = false;
  switch (way_) {
    case Way::kDenseInt:
      better = dense(left32_);
      break;
    case Way::kDenseDouble:
      better = dense(left64_);
      break;
    case Way::kSparse:
      better = sparse(order);
      break;
  }
  if (!better) return false;
  const double scale = node_.problem.child_weights == ChildWeights::kEvidence ? 1.0 : node_.total;
  best.found = true;
  best.gain = 2.0 * best_gain_ / scale * node_.problem.layers[node_.layer].weight_unit;
  best.feature = f;
  const std::uint32_t above = order.sorted[best_position_ + 1];
  best.above_rank = order.rank[above];
  best.above_item = node_.items[above];
  best.below_item = node_.items[order.sorted[best_position_]];
  return true;
}

template <class Number>
bool SoftSearch::dense(std::vector<Number>& left) {
  const Number* total;
  if constexpr (sizeof(Number) == 4) {
    total = total32_.data();
  } else {
    total = total64_.data();
  }
  std::fill(left.begin(), left.end(), Number{0});
  const auto limit = [&] {
    return static_cast<float>((node_value_ - best_gain_ + extra_error_) * (1.0 + 4.0 * kUlp));
  };
  Walk<Number> w{rows_.data(),   2 * std::size_t{width_}, width_,
                 total,          left.data(),             factor_.data(),
                 sorted_.data(), cut_.data(),             left_size_.data(),
                 node_.size,     node_.total,
                 limit(),        node_.problem.child_weights == ChildWeights::kEvidence};
  bool better = false;
  for (std::uint32_t k = 0; (k = walk_from(w, k)) < node_.size; ++k) {
    if (consider(exact_value(left.data(), left.data() + width_, k), k)) {
      better = true;
      w.limit = limit();
    }
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
    const double ql = ml > 0.0 ? pl / ml : 0.0;
    const double qr = mr > 0.0 ? pr / mr : 0.0;
    left_sum += exact_factor_[a] * (by_evidence ? pl - pl * ql : ql - ql * ql);
    right_sum += exact_factor_[a] * (by_evidence ? pr - pr * qr : qr - qr * qr);
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
    const std::uint32_t item = node_.items[order.sorted[k]];
    const double times = node_.draws_of(item);
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
