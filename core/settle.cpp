#include "settle.hpp"

#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

#include "random.hpp"

namespace cf {

namespace {

constexpr double kLeastGain = 1e-12;  // of an item's degree: less is rounding

class Partition {
 public:
  Partition(const Affinities& graph, const SettleOptions& options, std::int64_t* label)
      : graph_(graph),
        label_(label),
        degree_(graph.n, 0.0),
        mass_(options.n_clusters, 0.0),
        size_(options.n_clusters, 0),
        shared_(options.n_clusters, 0.0),
        touched_(options.n_clusters, 0) {
    double total = 0.0;
    for (std::uint32_t i = 0; i < graph.n; ++i) {
      for (std::int64_t e = graph.start[i]; e < graph.start[i + 1]; ++e)
        degree_[i] += graph.weight[e];
      mass_[of(i)] += degree_[i];
      ++size_[of(i)];
      total += degree_[i];
    }
    scale_ = total > 0.0 ? options.resolution / total : 0.0;
  }

  // Moves an item where it gains most; of equal clusters to the one with the lowest number.
  bool move(std::uint32_t i) {
    const std::size_t own = of(i);
    if (size_[own] == 1 || degree_[i] == 0.0) return false;
    near_.clear();
    for (std::int64_t e = graph_.start[i]; e < graph_.start[i + 1]; ++e) {
      const std::size_t cluster = of(static_cast<std::uint32_t>(graph_.item[e]));
      if (touched_[cluster] == 0) near_.push_back(cluster);
      touched_[cluster] = 1;
      shared_[cluster] += graph_.weight[e];
    }
    const double cost = scale_ * degree_[i];
    std::size_t best = own;
    double most = shared_[own] - cost * (mass_[own] - degree_[i]);
    const double least = kLeastGain * degree_[i];
    for (const std::size_t cluster : near_) {
      if (cluster == own) continue;
      const double gain = shared_[cluster] - cost * mass_[cluster];
      const bool equal = best != own && gain >= most - least && cluster < best;
      if (gain > most + least || equal) {
        best = cluster;
        most = gain;
      }
    }
    for (const std::size_t cluster : near_) {
      shared_[cluster] = 0.0;
      touched_[cluster] = 0;
    }
    if (best == own) return false;
    mass_[own] -= degree_[i];
    mass_[best] += degree_[i];
    --size_[own];
    ++size_[best];
    label_[i] = static_cast<std::int64_t>(best);
    return true;
  }

 private:
  std::size_t of(std::uint32_t i) const { return static_cast<std::size_t>(label_[i]); }

  const Affinities& graph_;
  std::int64_t* label_;
  std::vector<double> degree_;  // of items
  std::vector<double> mass_;    // sums of degrees of clusters
  std::vector<std::uint32_t> size_;
  std::vector<double> shared_;  // affinity of the item at hand to each cluster; else 0
  std::vector<char> touched_;
  std::vector<std::size_t> near_;
  double scale_ = 0.0;
};

}  // namespace

std::int64_t settle(const Affinities& graph, const SettleOptions& options, std::int64_t* label,
                    const Poll& poll) {
  Partition partition(graph, options, label);
  Random random(options.seed);
  std::vector<std::uint32_t> order(graph.n);
  std::iota(order.begin(), order.end(), 0U);
  for (std::int64_t round = 1; round <= options.max_rounds; ++round) {
    for (std::uint32_t left = graph.n; left > 1; --left)
      std::swap(order[left - 1], order[random.below(left)]);
    bool moved = false;
    for (const std::uint32_t i : order) moved = partition.move(i) || moved;
    poll(round);
    if (!moved) return round;
  }
  return options.max_rounds;
}

}  // namespace cf
