#include "neighbours.hpp"

#include <algorithm>
#include <cstring>

#include "random.hpp"

namespace cf {

namespace {

constexpr std::size_t kLongRow = 1U << 16;  // a row with more items in its leaves is not copied
constexpr std::size_t kStream = 1U << 23;   // items copied for a worker's rows at a time, about

// Counts the leaves that rows share with the training items.
template <class Index>
class LeafCounter {
 public:
  using Members = LeafMembers<Index>;
  using Span = typename Members::Span;
  static constexpr std::size_t kChunk = Members::kChunk;  // items of a leaf copied at once

  struct Scratch {
    std::vector<std::int32_t> count;     // by training item; zero between rows
    std::vector<std::uint32_t> touched;  // items whose count is not zero
    std::vector<std::size_t> length;     // by row of the block
    std::vector<Index*> end;             // by row: where its next leaf is copied to
    std::vector<Index> stream;           // the leaves of each row, one after another
  };

  LeafCounter(const LeafTable& rows, const LeafTable& training,
              const std::vector<std::int32_t>& n_nodes, int n_threads, const Poll& poll)
      : members_(rows, training, n_nodes, n_threads, poll) {}

  // Calls visit(row, n_touched) for each row in [begin, end), with its counts in `own`; visit must
  // leave the counts zero again.
  template <class Visit>
  void count_rows(std::int64_t begin, std::int64_t end, Scratch& own, const std::atomic<bool>& stop,
                  Visit visit) const {
    own.count.resize(members_.n_training());
    own.touched.resize(members_.n_training() + std::size_t{1});
    measure(begin, end, own);
    for (std::int64_t first = begin; first < end;) {  // as many rows as the stream may hold
      std::size_t room = 0;
      std::int64_t last = first;
      do {
        const std::size_t length = own.length[static_cast<std::size_t>(last++ - begin)];
        room += length > kLongRow ? 0 : length + kChunk;
      } while (last < end && room < kStream);
      const std::size_t* lengths = own.length.data() + (first - begin);
      collect(first, last, lengths, room, own, stop);
      const Index* from = own.stream.data();
      for (std::int64_t i = first; i < last; ++i) {
        if (stop.load(std::memory_order_relaxed)) throw Stopped{};
        const std::size_t length = lengths[i - first];
        std::uint32_t n_touched = 0;
        if (length > kLongRow) {
          for (std::int64_t t = 0; t < members_.n_trees(); ++t) {
            const Span span = members_.spans(t)[i];
            n_touched = count(members_of(t, span), Members::length_of(span), own, n_touched);
          }
        } else {
          n_touched = count(from, length, own, n_touched);
          from += length + kChunk;
        }
        visit(static_cast<std::uint32_t>(i), n_touched);
      }
      first = last;
    }
  }

 private:
  const Index* members_of(std::int64_t t, Span s) const {
    return members_.members(t) + Members::begin_of(s);
  }

  static std::uint32_t count(const Index* items, std::size_t length, Scratch& own,
                             std::uint32_t n_touched) {
    std::int32_t* counts = own.count.data();
    std::uint32_t* touched = own.touched.data();
    for (std::size_t j = 0; j < length; ++j) {
      const Index item = items[j];
      touched[n_touched] = item;
      n_touched += counts[item]++ == 0 ? 1 : 0;
    }
    return n_touched;
  }

  // Sums up how many items share a leaf with each row of a block.
  void measure(std::int64_t begin, std::int64_t end, Scratch& own) const {
    own.length.assign(static_cast<std::size_t>(end - begin), 0);
    for (std::int64_t t = 0; t < members_.n_trees(); ++t) {
      const Span* span = members_.spans(t) + begin;
      for (std::size_t i = 0; i < own.length.size(); ++i)
        own.length[i] += Members::length_of(span[i]);
    }
  }

  // Copies the members of the rows' leaves into a stream for each row, tree by tree: one tree's
  // members fit the cache while all the rows take theirs. A leaf is small, so a fixed number of
  // items is copied whatever its size, and no branch is mispredicted.
  void collect(std::int64_t begin, std::int64_t end, const std::size_t* lengths, std::size_t room,
               Scratch& own, const std::atomic<bool>& stop) const {
    const auto n = static_cast<std::size_t>(end - begin);
    if (own.stream.size() < room + kChunk) own.stream.resize(room + kChunk);
    own.end.resize(n);
    Index* at = own.stream.data();
    for (std::size_t i = 0; i < n; ++i) {
      own.end[i] = at;
      if (lengths[i] <= kLongRow) at += lengths[i] + kChunk;
    }
    for (std::int64_t t = 0; t < members_.n_trees(); ++t) {
      if (stop.load(std::memory_order_relaxed)) throw Stopped{};
      const Span* span = members_.spans(t) + begin;
      for (std::size_t i = 0; i < n; ++i) {
        if (lengths[i] > kLongRow) continue;
        const Index* from = members_of(t, span[i]);
        const std::size_t length = Members::length_of(span[i]);
        Index* to = own.end[i];
        own.end[i] = to + length;
        std::memcpy(to, from, kChunk * sizeof(Index));
        if (length > kChunk)
          std::memcpy(to + kChunk, from + kChunk, (length - kChunk) * sizeof(Index));
      }
    }
  }

  Members members_;
};

// Picks the k largest counts of one row.
class Selector {
 public:
  Selector(std::uint32_t k, std::int64_t n_trees)
      : k_(k), histogram_(static_cast<std::size_t>(n_trees) + 1, 0) {}

  // Leaves the items in `picked`, in ascending order. The key decides between equal counts.
  void pick(std::uint64_t key, const std::vector<std::int32_t>& count,
            const std::vector<std::uint32_t>& touched, std::uint32_t n_touched) {
    picked.clear();
    tied_.clear();
    // Items are alike: what sufficed for the last row mostly does for this one, and then the many
    // items that share few leaves are passed over once, without being counted by their counts.
    gather(count, touched, n_touched, guess_);
    if (likely_.size() < k_ && guess_ > 1) gather(count, touched, n_touched, 1);
    const std::int32_t lowest = lowest_picked(count);
    guess_ = std::max(1, lowest - lowest / 4);
    for (const std::uint32_t item : likely_) {
      if (count[item] > lowest) {
        picked.push_back(item);
      } else if (count[item] == lowest) {
        tied_.push_back({branch(key, item), item});
      }
    }
    const std::size_t room = std::min<std::size_t>(k_ - picked.size(), tied_.size());
    if (room < tied_.size())
      std::nth_element(tied_.begin(), tied_.begin() + static_cast<std::ptrdiff_t>(room),
                       tied_.end());
    for (std::size_t j = 0; j < room; ++j) picked.push_back(tied_[j].second);
    std::sort(picked.begin(), picked.end());
  }

  std::vector<std::uint32_t> picked;

 private:
  void gather(const std::vector<std::int32_t>& count, const std::vector<std::uint32_t>& touched,
              std::uint32_t n_touched, std::int32_t least) {
    likely_.clear();
    for (std::uint32_t j = 0; j < n_touched; ++j) {
      if (count[touched[j]] >= least) likely_.push_back(touched[j]);
    }
  }

  // The lowest count that is picked; likely items above it all are, those at it compete.
  std::int32_t lowest_picked(const std::vector<std::int32_t>& count) {
    std::int32_t highest = 0;
    for (const std::uint32_t item : likely_) {
      ++histogram_[static_cast<std::size_t>(count[item])];
      highest = std::max(highest, count[item]);
    }
    std::int32_t lowest = highest;
    std::uint32_t above = 0;
    while (lowest > 1 && above + histogram_[static_cast<std::size_t>(lowest)] < k_) {
      above += histogram_[static_cast<std::size_t>(lowest)];
      --lowest;
    }
    std::fill_n(histogram_.begin(), static_cast<std::size_t>(highest) + 1, 0U);
    return std::max(lowest, 1);
  }

  std::uint32_t k_;
  std::int32_t guess_ = 1;
  std::vector<std::uint32_t> likely_;
  std::vector<std::uint32_t> histogram_;
  std::vector<std::pair<std::uint64_t, std::uint32_t>> tied_;
};

// A key for each row. A training item has the key of its number, any other that of its leaves, so
// that it does not matter in which company it is asked about.
std::vector<std::uint64_t> keys_of(const LeafTable& rows, bool training, std::uint64_t seed) {
  std::vector<std::uint64_t> keys(rows.n, seed);
  if (training) {
    for (std::uint32_t i = 0; i < rows.n; ++i) keys[i] = branch(seed, i);
    return keys;
  }
  for (std::int64_t t = 0; t < rows.n_trees; ++t) {
    const std::int32_t* leaf = rows.leaves + t * rows.n;
    for (std::uint32_t i = 0; i < rows.n; ++i)
      keys[i] = branch(keys[i], static_cast<std::uint64_t>(leaf[i]));
  }
  return keys;
}

template <class Index>
Neighbours nearest_with(const LeafTable& rows, const LeafTable& training,
                        const std::vector<std::int32_t>& n_nodes, std::uint32_t k,
                        bool exclude_self, std::uint64_t seed, int n_threads, const Poll& poll) {
  const LeafCounter<Index> counter(rows, training, n_nodes, n_threads, poll);
  const auto workers = static_cast<std::size_t>(std::max(1, n_threads));
  std::vector<typename LeafCounter<Index>::Scratch> scratch(workers);
  std::vector<Selector> selectors(workers, Selector(k, training.n_trees));
  const std::vector<std::uint64_t> keys = keys_of(rows, exclude_self, seed);
  std::vector<Neighbours> parts(static_cast<std::size_t>(blocks_of(rows.n, n_threads)));
  for_rows(rows.n, n_threads, poll,
           [&](std::int64_t block, std::int64_t begin, std::int64_t end, int worker,
               const std::atomic<bool>& stop) {
             auto& own = scratch[static_cast<std::size_t>(worker)];
             auto& selector = selectors[static_cast<std::size_t>(worker)];
             auto& part = parts[static_cast<std::size_t>(block)];
             const auto visit = [&](std::uint32_t row, std::uint32_t n_touched) {
               if (exclude_self) own.count[row] = 0;
               selector.pick(keys[row], own.count, own.touched, n_touched);
               part.start.push_back(static_cast<std::int64_t>(selector.picked.size()));
               for (const std::uint32_t item : selector.picked) {
                 part.item.push_back(static_cast<std::int32_t>(item));
                 part.count.push_back(own.count[item]);
               }
               for (std::uint32_t j = 0; j < n_touched; ++j) own.count[own.touched[j]] = 0;
             };
             counter.count_rows(begin, end, own, stop, visit);
           });
  Neighbours all;
  all.start.push_back(0);
  for (auto& part : parts) {
    for (const std::int64_t length : part.start) all.start.push_back(all.start.back() + length);
    all.item.insert(all.item.end(), part.item.begin(), part.item.end());
    all.count.insert(all.count.end(), part.count.begin(), part.count.end());
    part = {};
  }
  return all;
}

template <class Index>
void all_counts_with(const LeafTable& rows, const LeafTable& training,
                     const std::vector<std::int32_t>& n_nodes, std::int32_t* counts, int n_threads,
                     const Poll& poll) {
  const LeafCounter<Index> counter(rows, training, n_nodes, n_threads, poll);
  std::vector<typename LeafCounter<Index>::Scratch> scratch(
      static_cast<std::size_t>(std::max(1, n_threads)));
  for_rows(
      rows.n, n_threads, poll,
      [&](std::int64_t, std::int64_t begin, std::int64_t end, int worker,
          const std::atomic<bool>& stop) {
        auto& own = scratch[static_cast<std::size_t>(worker)];
        counter.count_rows(begin, end, own, stop, [&](std::uint32_t row, std::uint32_t n_touched) {
          std::copy(own.count.begin(), own.count.end(), counts + std::size_t{row} * training.n);
          for (std::uint32_t j = 0; j < n_touched; ++j) own.count[own.touched[j]] = 0;
        });
      });
}

}  // namespace

Neighbours nearest(const LeafTable& rows, const LeafTable& training,
                   const std::vector<std::int32_t>& n_nodes, std::uint32_t k, bool exclude_self,
                   std::uint64_t seed, int n_threads, const Poll& poll) {
  if (training.n <= 0xFFFFU)
    return nearest_with<std::uint16_t>(rows, training, n_nodes, k, exclude_self, seed, n_threads,
                                       poll);
  return nearest_with<std::uint32_t>(rows, training, n_nodes, k, exclude_self, seed, n_threads,
                                     poll);
}

void all_counts(const LeafTable& rows, const LeafTable& training,
                const std::vector<std::int32_t>& n_nodes, std::int32_t* counts, int n_threads,
                const Poll& poll) {
  if (training.n <= 0xFFFFU) {
    all_counts_with<std::uint16_t>(rows, training, n_nodes, counts, n_threads, poll);
  } else {
    all_counts_with<std::uint32_t>(rows, training, n_nodes, counts, n_threads, poll);
  }
}

}  // namespace cf
