// Points to start k-means from: k-means++.
#pragma once

#include <cstdint>
#include <vector>

#include "points.hpp"

namespace cf {

// Picks k points, each the best of several candidates that are drawn with chances in proportion to
// the squared distance to the closest point picked before. Where all points lie on picked ones, any
// is drawn.
std::vector<std::uint32_t> pick_seeds(const CentredPoints& points, std::uint32_t k,
                                      std::uint64_t key, const Blocks& blocks,
                                      const ForBlocks& for_blocks);

}  // namespace cf
