// Which training items lie in each leaf, and in whose leaf each row is.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

#include "buffer.hpp"
#include "parallel.hpp"

namespace cf {

struct LeafTable {
  const std::int32_t* leaves;  // (n_trees, n)
  std::int64_t n_trees;
  std::uint32_t n;
};

// The training items of every leaf, tree after tree, and for each row the run of items that share
// its leaf. Index is the narrowest type that counts the items; a Span packs a run's begin and
// length.
template <class Index>
class LeafMembers {
 public:
  using Span = std::conditional_t<sizeof(Index) == 2, std::uint32_t, std::uint64_t>;
  static constexpr int kShift = 8 * sizeof(Index);
  static constexpr std::size_t kChunk = 8;  // items that may be read from any run's begin on

  // n_nodes, (n_trees): the size of each tree.
  LeafMembers(const LeafTable& rows, const LeafTable& training,
              const std::vector<std::int32_t>& n_nodes, int n_threads, const Poll& poll)
      : rows_(rows),
        training_(training),
        members_(static_cast<std::size_t>(training.n_trees) * training.n + kChunk),
        spans_(static_cast<std::size_t>(training.n_trees) * rows.n) {
    std::fill_n(members_.data() + static_cast<std::size_t>(training.n_trees) * training.n, kChunk,
                Index{0});
    // Nothing is reported yet: progress is in rows.
    parallel_for(
        training.n_trees, n_threads, [&poll](std::int64_t) { poll(0); },
        [&](std::int64_t t, int, const std::atomic<bool>&) { index_tree(t, n_nodes); });
  }

  std::int64_t n_trees() const { return training_.n_trees; }
  std::uint32_t n_training() const { return training_.n; }
  const Span* spans(std::int64_t t) const { return spans_.data() + t * rows_.n; }  // by row
  const Index* members(std::int64_t t) const { return members_.data() + t * training_.n; }

  static std::size_t begin_of(Span s) { return static_cast<std::size_t>(s >> kShift); }
  static std::size_t length_of(Span s) {
    return static_cast<std::size_t>(s & ((Span{1} << kShift) - 1));
  }

 private:
  void index_tree(std::int64_t t, const std::vector<std::int32_t>& n_nodes) {
    const std::int32_t* leaf = training_.leaves + t * training_.n;
    std::vector<std::uint32_t> first(
        static_cast<std::size_t>(n_nodes[static_cast<std::size_t>(t)]) + 1, 0);
    for (std::uint32_t i = 0; i < training_.n; ++i) ++first[static_cast<std::size_t>(leaf[i]) + 1];
    for (std::size_t k = 1; k < first.size(); ++k) first[k] += first[k - 1];
    const std::int32_t* of_row = rows_.leaves + t * rows_.n;
    Span* spans = spans_.data() + t * rows_.n;
    for (std::uint32_t i = 0; i < rows_.n; ++i) {
      const auto node = static_cast<std::size_t>(of_row[i]);
      spans[i] = static_cast<Span>(Span{first[node]} << kShift | (first[node + 1] - first[node]));
    }
    Index* members = members_.data() + t * training_.n;
    for (std::uint32_t i = 0; i < training_.n; ++i)
      members[first[static_cast<std::size_t>(leaf[i])]++] = static_cast<Index>(i);
  }

  LeafTable rows_;
  LeafTable training_;
  Buffer<Index> members_;
  Buffer<Span> spans_;
};

// Rows are handled in blocks.
inline std::int64_t block_size(std::int64_t n, int n_threads) {
  return std::clamp<std::int64_t>(n / (4 * std::max(1, n_threads)), 64, 2048);
}

inline std::int64_t blocks_of(std::int64_t n, int n_threads) {
  const std::int64_t size = block_size(n, n_threads);
  return (n + size - 1) / size;
}

// Runs work(block, begin, end, worker, stop) over blocks of the rows; progress is in rows.
template <class Work>
void for_rows(std::int64_t n, int n_threads, const Poll& poll, Work work) {
  const std::int64_t size = block_size(n, n_threads);
  parallel_for(
      blocks_of(n, n_threads), n_threads,
      [&](std::int64_t done) { poll(std::min(n, done * size)); },
      [&](std::int64_t block, int worker, const std::atomic<bool>& stop) {
        work(block, block * size, std::min(n, (block + 1) * size), worker, stop);
      });
}

}  // namespace cf
