// Dense ranks of the values of each feature: equal values, equal ranks; the smallest has rank 0.
#pragma once

#include <cstdint>

#include "parallel.hpp"

namespace cf {

// values and ranks are (n_columns, n). Values are finite. Trees see features through ranks alone:
// exact, no larger than float32, and sorted by integer methods.
template <class Value, class Rank>
void rank_columns(const Value* values, std::int64_t n_columns, std::uint32_t n, Rank* ranks,
                  int n_threads, const Poll& poll);

}  // namespace cf
