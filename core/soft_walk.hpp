// The inner loop of the soft search: items cross the cut one by one, and each cut is valued
// quickly.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cf {

// Number is int32_t while the masses fit, else double, which holds them exactly too.
template <class Number>
struct SoftWalk {
  const std::int32_t* rows;     // (size + 1, 2 width) positive masses, then all; last row is zero
  std::uint32_t width;          // tags, padded to whole vectors; padding has no mass
  const Number* total;          // (2 width) sums of the node
  Number* left;                 // (2 width) sums left of the cut, updated
  const float* base;            // (4 width) or null, see below
  const float* factor;          // (width) what each tag's term is multiplied by, or null: 1
  const std::uint32_t* sorted;  // (size)
  const std::uint8_t* cut;      // (size) 1 where a cut after this position is allowed
  const std::uint32_t* left_size;  // (size)
  std::uint32_t size;
  std::uint32_t node_size;
  std::uint32_t end;  // stop before this position
  float limit;        // stop at a cut whose value is at most this
  bool by_evidence;
};

// A node whose masses do not fit int32_t is walked in stretches whose masses do. `left` then counts
// from the stretch's begin, and `base` holds the sums there: positive and all masses left of the
// cut, then right of it. Where the right side is at least twice the stretch, taking the stretch's
// masses off it in single precision loses one bit.

// Relative error of a quick share P / M: the reciprocal's own, and the roundings around it.
constexpr double kShareError = 1.5e-6;

// Takes items over the cut from position `from` on, and returns the first position whose cut has a
// value of at most `limit`, with the sums left of it in place; `end` when there is none. Values
// are quick: in single precision, with shares good to kShareError.
std::uint32_t soft_walk(const SoftWalk<std::int32_t>& w, std::uint32_t from);
std::uint32_t soft_walk(const SoftWalk<double>& w, std::uint32_t from);

}  // namespace cf
