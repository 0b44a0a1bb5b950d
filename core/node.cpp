#include "node.hpp"

#include <algorithm>

namespace cf {

Node::Node(const Problem& p, const std::uint32_t* d) : problem(p), draws(d) {
  std::size_t widest = 0;
  for (const Layer& l : problem.layers) widest = std::max<std::size_t>(widest, l.n_tags);
  positive_of_.assign(widest, 0);
  deficit_of_.assign(widest, 0);
  number_.assign(widest, -1);
}

void Node::arrive(const std::uint32_t* node_items, std::uint32_t node_size) {
  items = node_items;
  size = node_size;
  total = 0;
  at_least(times, size);
  for (std::uint32_t x = 0; x < size; ++x) {
    times[x] = draws ? draws[items[x]] : 1U;
    total += times[x];
  }
}

bool Node::find_layer(std::uint32_t from) {
  for (std::uint32_t k = from; k < problem.layers.size(); ++k) {
    if (read_layer(k)) return true;
  }
  return false;
}

bool Node::read_layer(std::uint32_t k) {
  const Layer& l = problem.layers[k];
  for (const std::uint32_t tag : active) number_[tag] = -1;
  active.clear();
  positive.clear();
  mass.clear();
  active_weight.clear();
  touched_.clear();
  layer = k;
  soft = false;
  if (l.soft) {
    for (std::uint32_t x = 0; x < size && !soft; ++x) soft = l.soft[items[x]] != 0;
  }

  std::int64_t base_mass = std::int64_t{total} * kOne;
  if (soft) {
    base_mass = 0;
    for (std::uint32_t x = 0; x < size; ++x) {
      const std::uint32_t item = items[x];
      const std::int64_t repeats = times[x];
      const std::int64_t base = l.base[item];
      base_mass += repeats * base;
      for (std::int64_t e = l.start[item]; e < l.start[item + 1]; ++e) {
        const auto tag = static_cast<std::uint32_t>(l.tag[e]);
        if (positive_of_[tag] == 0 && deficit_of_[tag] == 0) touched_.push_back(tag);
        positive_of_[tag] += repeats * l.positive[e];
        deficit_of_[tag] += repeats * (base - l.negative[e]);
      }
    }
  } else {
    for (std::uint32_t x = 0; x < size; ++x) {
      const std::uint32_t item = items[x];
      const std::int64_t present = std::int64_t{times[x]} * kOne;
      for (std::int64_t e = l.start[item]; e < l.start[item + 1]; ++e) {
        const auto tag = static_cast<std::uint32_t>(l.tag[e]);
        if (positive_of_[tag] == 0) touched_.push_back(tag);
        positive_of_[tag] += present;
        deficit_of_[tag] += present;
      }
    }
  }
  for (const std::uint32_t tag : touched_) {
    const std::int64_t p = positive_of_[tag];
    const std::int64_t n = base_mass - deficit_of_[tag];
    positive_of_[tag] = 0;
    deficit_of_[tag] = 0;
    // A tag may be listed twice when its sums passed through zero; the second time p is zero.
    if (p > 0 && n > 0 && l.weight_of(tag) > 0 && number_[tag] < 0) {
      number_[tag] = static_cast<std::int32_t>(active.size());
      active.push_back(tag);
      positive.push_back(p);
      mass.push_back(p + n);
      active_weight.push_back(l.weight_of(tag));
    }
  }
  return !active.empty() && !(soft && same_evidence());
}

// True when every item brings the same share of positive evidence to every active tag: the layer
// is impure, and yet no split can reduce its impurity. A hard item among the others rules it out,
// because its share is 0 or 1 and an active tag has both masses.
bool Node::same_evidence() const {
  const Layer& l = problem.layers[layer];
  for (std::uint32_t x = 0; x < size; ++x) {
    if (!l.soft[items[x]]) return false;
  }
  std::vector<std::int64_t> p(active.size());
  std::vector<std::int64_t> n(active.size());
  const bool count_weights = problem.child_weights == ChildWeights::kCount;
  for (std::uint32_t x = 0; x < size; ++x) {
    const std::uint32_t item = items[x];
    std::fill(p.begin(), p.end(), 0);
    std::fill(n.begin(), n.end(), l.base[item]);
    for (std::int64_t e = l.start[item]; e < l.start[item + 1]; ++e) {
      const std::int32_t a = number_[static_cast<std::size_t>(l.tag[e])];
      if (a < 0) continue;
      p[static_cast<std::size_t>(a)] = l.positive[e];
      n[static_cast<std::size_t>(a)] = l.negative[e];
    }
    for (std::size_t a = 0; a < active.size(); ++a) {
      if (p[a] + n[a] == 0) {
        // By item counts, setting apart an item without evidence does reduce the impurity.
        if (count_weights) return false;
        continue;
      }
      // p / (p + n) against the node's positive / mass, without division.
      if (static_cast<Int128>(p[a]) * mass[a] != static_cast<Int128>(positive[a]) * (p[a] + n[a]))
        return false;
    }
  }
  return true;
}

}  // namespace cf
