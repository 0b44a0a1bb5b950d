// Affinity propagation: both messages of an item in one pass over its rows.
#pragma once

#include <cstdint>

namespace cf {

// Three square arrays, row by row: how alike items are, how much each calls for another as its
// exemplar (responsibility), and how much that one offers itself (availability).
template <class T>
struct MessageArrays {
  std::uint32_t n;
  const T* similarity;
  T* responsibility;
  T* availability;
};

// Which rows, and how: new messages take part with 1 - damping.
template <class T>
struct MessageRows {
  std::uint32_t begin, end;
  std::uint32_t step;  // rows that are summed in T before they are added up in double
  T damping;
};

// Gives the rows their availabilities by `support` (n), the sums of max(0, responsibility) over
// each column with r(k,k) as it is; then the responsibilities that follow. Adds the rows' part of
// the next sums to `found` (n). Every rounding is that of one operation in T.
template <class T>
void pass_messages(const MessageArrays<T>& arrays, const MessageRows<T>& rows, const T* support,
                   double* found);

}  // namespace cf
