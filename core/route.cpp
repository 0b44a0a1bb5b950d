#include "route.hpp"

#include <algorithm>

namespace cf {

namespace {

// Items are taken in blocks that stay in cache while every tree of the task passes over them.
constexpr std::int64_t kBlock = 64;

}  // namespace

template <class Value>
void route(const FlatTrees& nodes, const Value* values, std::int64_t n, std::int64_t d,
           std::int32_t* leaves, int n_threads, const Poll& poll) {
  const std::int64_t blocks = (n + kBlock - 1) / kBlock;
  const Poll poll_items = [&](std::int64_t done) { poll(std::min(n, done * kBlock)); };
  parallel_for(
      blocks, n_threads, poll_items, [&](std::int64_t block, int, const std::atomic<bool>& stop) {
        const std::int64_t begin = block * kBlock;
        const std::int64_t end = std::min(n, begin + kBlock);
        for (std::int64_t t = 0; t < nodes.n_trees; ++t) {
          if (stop.load(std::memory_order_relaxed)) throw Stopped{};
          const std::int64_t root = nodes.offsets[t];
          for (std::int64_t i = begin; i < end; ++i) {
            const Value* x = values + i * d;
            std::int64_t at = root;
            while (nodes.left[at] >= 0) {
              const bool right = !(static_cast<double>(x[nodes.feature[at]]) < nodes.threshold[at]);
              at = root + nodes.left[at] + (right ? 1 : 0);
            }
            leaves[t * n + i] = static_cast<std::int32_t>(at - root);
          }
        }
      });
}

template void route(const FlatTrees&, const float*, std::int64_t, std::int64_t, std::int32_t*, int,
                    const Poll&);
template void route(const FlatTrees&, const double*, std::int64_t, std::int64_t, std::int32_t*, int,
                    const Poll&);

}  // namespace cf
