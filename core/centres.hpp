// Distances between points and a few centres, and sums of points, in vector code. Every number is
// the sum of its terms in one order, whatever the width of the registers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "points.hpp"

namespace cf {

constexpr std::size_t kChunk = 64;  // points to score together: their scores stay in the cache

// Centres side by side, so that the lanes of a vector belong to different centres.
class Centres {
 public:
  Centres(std::uint32_t n, std::uint32_t d);

  void set(std::uint32_t which, const double* centre);

  // The score of point x for centre c is |c|^2 - 2 x.c, the squared distance less |x|^2; without
  // end for the padding. out: (n, width), row i for the point index[i].
  void score(const Points& points, const std::uint32_t* index, std::size_t n, double* out) const;

  std::size_t width() const { return width_; }

 private:
  std::uint32_t d_;
  std::size_t width_;          // centres, padded
  std::vector<double> table_;  // (1 + d, width): |c|^2, then -2 c
};

struct Closest {
  double score;
  double second;  // the lowest score of the others
  std::uint32_t which;
};

// The lowest score of each row of (n, width); equal ones: the first.
void find_closest(const double* scores, std::size_t n, std::size_t width, Closest* out);

// For each of n points, the squared distance to the closest centre if one more were there, for
// each of `width` centres that might be: out is (n, width), and total (width) is added to. Squared
// distances of at most `nothing` count as zero.
void improve(const double* scores, const double* square, const double* closest, std::size_t n,
             std::size_t width, double nothing, double* out, double* total);

// Adds the point index[i] to row group[i] of sums, (any, stride), for each i below n.
void add_rows(const Points& points, const std::uint32_t* index, const std::uint32_t* group,
              std::size_t n, double* sums);

// Squared distance, from the differences themselves.
double squared_distance(const double* a, const double* b, std::size_t stride);

}  // namespace cf
