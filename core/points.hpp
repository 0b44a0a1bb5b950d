// The points of k-means, and how the work on them is divided.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <vector>

#include "simd.hpp"

namespace cf {

// Rounds up to whole vectors of the widest kind.
constexpr std::size_t padded(std::size_t n) {
  constexpr std::size_t step = kLanes<double>;
  return (n + step - 1) / step * step;
}

// Points with zeros after each row, up to whole vectors.
struct Points {
  const double* values;  // (n, stride)
  const double* square;  // (n) squared lengths
  std::uint32_t n;
  std::uint32_t d;
  std::size_t stride;

  const double* row(std::size_t i) const { return values + i * stride; }
};

// The points around their mean, in padded rows, and what rounding does to their distances.
class CentredPoints {
 public:
  CentredPoints(const double* from, std::uint32_t n, std::uint32_t d)
      : mean(d, 0.0),
        values_(padded(d) * n, 0.0),
        square_(n),
        points_{values_.data(), square_.data(), n, d, padded(d)} {
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = 0; j < d; ++j) mean[j] += from[i * d + j];
    }
    for (double& m : mean) m /= n;
    double largest = 0.0;
    for (std::size_t i = 0; i < n; ++i) {
      double* row = values_.data() + i * points_.stride;
      double square = 0.0;
      for (std::size_t j = 0; j < d; ++j) {
        row[j] = from[i * d + j] - mean[j];
        square += row[j] * row[j];
      }
      square_[i] = square;
      largest = std::max(largest, square);
    }
    rounding = (2.0 * d + 8.0) * std::numeric_limits<double>::epsilon() * largest;
  }
  CentredPoints(const CentredPoints&) = delete;

  const Points& points() const { return points_; }

  std::vector<double> mean;
  double rounding = 0.0;  // more than a computed squared distance may be off

 private:
  std::vector<double> values_;
  std::vector<double> square_;
  Points points_;
};

// Fixed blocks of points. A sum over points is the sum of its blocks in order, so that it does not
// depend on who adds up which block.
struct Blocks {
  std::size_t n;     // points
  std::size_t size;  // of a block

  std::size_t count() const { return (n + size - 1) / size; }
  std::size_t begin(std::size_t block) const { return block * size; }
  std::size_t end(std::size_t block) const { return std::min(n, (block + 1) * size); }
};

// Runs a task for each block: one after another, or on all threads.
using BlockTask = std::function<void(std::size_t)>;
using ForBlocks = std::function<void(std::size_t n_blocks, const BlockTask&)>;

}  // namespace cf
