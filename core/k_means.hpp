// k-means: Lloyd's iterations from several k-means++ seedings, of which the best is kept.
#pragma once

#include <cstdint>
#include <vector>

#include "parallel.hpp"

namespace cf {

struct Clusters {
  std::vector<std::int32_t> label;  // (n)
  std::vector<double> centre;       // (k, d) means of the points with each label
  double inertia = 0.0;             // sum of squared distances to the own centre
  std::int64_t n_iter = 0;
};

struct KMeansOptions {
  std::uint32_t n_clusters;
  std::int64_t n_init;    // seedings
  std::int64_t max_iter;  // of each
  std::uint64_t seed;
  int n_threads;
};

// values: (n, d), finite, of at most kLargestCoordinate. Iterations end when no label changes;
// where max_iter ends them before, some point may be closer to another centre. The result is the
// same bits for any number of threads. Progress is in seedings done.
constexpr double kLargestCoordinate = 1e100;
Clusters k_means(const double* values, std::uint32_t n, std::uint32_t d,
                 const KMeansOptions& options, const Poll& poll);

}  // namespace cf
