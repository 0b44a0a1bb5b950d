#include "source_weights.hpp"

#include <algorithm>
#include <cmath>

namespace cf {

namespace {

// A source that no cut at the root could tell apart still has a weight, and not an infinite one.
constexpr double kLeastGain = 1e-6;

// c (L - c) / L: half the Gini impurity of L items, c of them in a class, times L.
double mixed(double count, double size) { return size > 0.0 ? count * (size - count) / size : 0.0; }

double gini_gain(double count, double size, double count_left, double size_left) {
  return 2.0 / size *
         (mixed(count, size) - mixed(count_left, size_left) -
          mixed(count - count_left, size - size_left));
}

}  // namespace

void SourceItems::read(const Node& node, const Sources& sources) {
  const Layer& l = node.problem.layers[node.layer];
  at_least(real, node.size);
  at_least(present, node.size);
  at_least(start, std::size_t{node.size} + 1);
  tags.clear();
  n_real = 0;
  n_present = 0;
  for (std::uint32_t x = 0; x < node.size; ++x) {
    const std::uint32_t item = node.items[x];
    bool is_real = sources.two_class < 0;
    bool is_present = false;
    start[x] = static_cast<std::uint32_t>(tags.size());
    for (std::int64_t e = l.start[item]; e < l.start[item + 1]; ++e) {
      if (l.tag[e] == sources.two_class) {
        is_real = true;
        continue;
      }
      is_present = true;
      const std::int32_t a = node.active_number(static_cast<std::uint32_t>(l.tag[e]));
      if (a >= 0) tags.push_back(static_cast<std::uint32_t>(a));
    }
    real[x] = is_real ? node.times[x] : 0;
    present[x] = is_present ? node.times[x] : 0;
    n_real += real[x];
    n_present += present[x];
  }
  start[node.size] = static_cast<std::uint32_t>(tags.size());
}

SourceWeights::SourceWeights(const Node& node, const Sources& sources, const SourceItems& items)
    : node_(node), sources_(sources), items_(items), of_tag_(node.problem.layers[0].n_tags) {}

void SourceWeights::begin() {
  best_.assign(node_.active.size(), 0.0);
  best_of_classes_ = 0.0;
}

void SourceWeights::measure(Order& order) {
  order.sort();
  mark_cuts(order);
  measure_classes(order);
  measure_tags(order);
}

void SourceWeights::mark_cuts(const Order& order) {
  const std::uint32_t size = node_.size;
  const std::uint32_t min_leaf = node_.problem.min_leaf;
  at_least(next_cut_, std::size_t{size} + 1);
  at_least(previous_cut_, std::size_t{size} + 1);
  at_least(present_left_, size);
  std::uint32_t left = 0;
  std::uint32_t present = 0;
  std::uint32_t previous = size;
  for (std::uint32_t k = 0; k < size; ++k) {
    const std::uint32_t x = order.sorted[k];
    left += node_.times[x];
    present += items_.present[x];
    present_left_[k] = present;
    previous_cut_[k] = previous;
    const bool cut = k + 1 < size && left >= min_leaf && node_.total - left >= min_leaf &&
                     order.rank[x] != order.rank[order.sorted[k + 1]];
    next_cut_[k] = cut ? k : size;
    if (cut) previous = k;
  }
  previous_cut_[size] = previous;
  next_cut_[size] = size;
  for (std::uint32_t k = size; k-- > 0;) {
    if (next_cut_[k] == size) next_cut_[k] = next_cut_[k + 1];
  }
}

void SourceWeights::measure_classes(const Order& order) {
  std::uint32_t left = 0;
  std::uint32_t real = 0;
  for (std::uint32_t k = 0; k < node_.size; ++k) {
    const std::uint32_t x = order.sorted[k];
    left += node_.times[x];
    real += items_.real[x];
    if (next_cut_[k] == k)
      best_of_classes_ =
          std::max(best_of_classes_, gini_gain(items_.n_real, node_.total, real, left));
  }
}

// Between two items that have a tag, the gain of the tag is convex in the number of present items
// left of the cut: the first cut and the last are enough.
void SourceWeights::measure_tags(const Order& order) {
  count_.assign(node_.active.size(), 0);
  since_.assign(node_.active.size(), 0);
  for (std::uint32_t k = 0; k < node_.size; ++k) {
    const std::uint32_t x = order.sorted[k];
    for (std::uint32_t e = items_.start[x]; e < items_.start[x + 1]; ++e) {
      const std::uint32_t tag = items_.tags[e];
      measure_run(tag, since_[tag], k);
      count_[tag] += node_.times[x];
      since_[tag] = k;
    }
  }
  for (std::size_t tag = 0; tag < node_.active.size(); ++tag) {
    if (count_[tag] > 0) measure_run(tag, since_[tag], node_.size);
  }
}

// Cuts from `from` to before `to`, left of which the tag has the same items.
void SourceWeights::measure_run(std::size_t tag, std::uint32_t from, std::uint32_t to) {
  const std::uint32_t first = next_cut_[from];
  if (first >= to) return;
  const auto count = static_cast<double>(node_.positive[tag] / kOne);
  for (const std::uint32_t cut : {first, previous_cut_[to]}) {
    const double gain = gini_gain(count, items_.n_present, count_[tag], present_left_[cut]);
    best_[tag] = std::max(best_[tag], gain);
  }
}

bool SourceWeights::varies(std::size_t tag) const {
  return static_cast<std::int32_t>(node_.active[tag]) != sources_.two_class &&
         node_.positive[tag] / kOne < items_.n_present;
}

double SourceWeights::scale(double best) const {
  return sources_.normalise ? 1.0 / std::max(best, kLeastGain) : 1.0;
}

void SourceWeights::finish() {
  const std::size_t n_active = node_.active.size();
  std::uint32_t n_tags = 0;
  double largest = 0.0;
  for (std::size_t a = 0; a < n_active; ++a) {
    if (!varies(a)) continue;
    ++n_tags;
    largest = std::max(largest, scale(best_[a]));
  }
  std::fill(of_tag_.begin(), of_tag_.end(), 0);
  of_classes_ = sources_.alpha * scale(best_of_classes_);
  unit_ = 0.0;
  if (n_tags == 0 || sources_.alpha == 1.0) return;

  const double missing = 1.0 - static_cast<double>(items_.n_present) / items_.n_real;
  const double shared = 1.0 - sources_.alpha;
  const double handed_out = shared * missing / (n_tags + (sources_.two_class >= 0 ? 1.0 : 0.0));
  of_classes_ = (sources_.alpha + handed_out) * scale(best_of_classes_);
  unit_ =
      (shared * (1.0 - missing) / n_tags + handed_out) * largest / static_cast<double>(kLargest);
  for (std::size_t a = 0; a < n_active; ++a) {
    if (varies(a))
      of_tag_[node_.active[a]] = static_cast<std::uint64_t>(
          std::llround(scale(best_[a]) / largest * static_cast<double>(kLargest)));
  }
}

}  // namespace cf
