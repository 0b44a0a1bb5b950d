#include "votes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace cf {

namespace {

constexpr std::size_t kLarge = 64;      // a leaf with more items may be counted beforehand,
constexpr std::size_t kWorthCells = 4;  // where that saves so many times the work
constexpr std::size_t kCopied = 8;  // tags copied at once; the list of all tags is padded by these
constexpr std::int64_t kTogether = 64;  // rows whose spans are copied together
constexpr std::int64_t kAhead = 8;      // trees whose leaves are fetched ahead

// How many items of a leaf have a tag.
struct Cell {
  std::uint32_t tag;
  std::uint32_t count;
};

// Counts tags, and remembers which have been counted.
class TagCounter {
 public:
  explicit TagCounter(std::uint32_t n_tags) : count_(n_tags, 0), tag_(n_tags + std::size_t{1}) {}

  void add(const std::int32_t* begin, const std::int32_t* end) {
    std::uint32_t* counts = count_.data();  // local: what is in registers stays there
    std::uint32_t* counted = tag_.data();
    std::size_t size = size_;
    for (; begin != end; ++begin) {
      const auto tag = static_cast<std::uint32_t>(*begin);
      counted[size] = tag;
      size += counts[tag]++ == 0 ? 1 : 0;
    }
    size_ = size;
  }

  // Calls visit(tag, count) for each tag, and forgets them.
  template <class Visit>
  void take(Visit visit) {
    std::uint32_t* counts = count_.data();
    const std::uint32_t* counted = tag_.data();
    const std::size_t size = size_;
    for (std::size_t j = 0; j < size; ++j) {
      const std::uint32_t tag = counted[j];
      const std::uint32_t count = counts[tag];
      counts[tag] = 0;
      visit(tag, count);
    }
    size_ = 0;
  }

  std::size_t size() const { return size_; }

 private:
  std::vector<std::uint32_t> count_;  // by tag; zero between uses
  std::vector<std::uint32_t> tag_;
  std::size_t size_ = 0;
};

// The cells of one tree's large leaves. Their items may be thousands, each of which would visit all
// the others.
class LargeLeaves {
 public:
  // members: (n) the tree's training items, leaf after leaf; leaves: (n) by item.
  template <class Index>
  void count(const Index* members, const std::int32_t* leaves, std::size_t n, const TagLists& tags,
             TagCounter& counter) {
    for (std::size_t begin = 0, end = 0; begin < n; begin = end) {
      while (end < n && leaves[members[end]] == leaves[members[begin]]) ++end;
      if (end - begin <= kLarge) continue;
      std::size_t work = 0;
      for (std::size_t p = begin; p < end; ++p) {
        const std::size_t item = members[p];
        work += 1 + static_cast<std::size_t>(tags.start[item + 1] - tags.start[item]);
        counter.add(tags.tag + tags.start[item], tags.tag + tags.start[item + 1]);
      }
      const bool worth = work >= kWorthCells * counter.size();
      if (worth) begin_.push_back(begin);
      counter.take([&](std::uint32_t tag, std::uint32_t n_items) {
        if (worth) cells_.push_back({tag, n_items});
      });
      if (worth) end_.push_back(cells_.size());
    }
    cells_.shrink_to_fit();
  }

  // Calls visit(tag, count) for the leaf whose items begin there; false if it was not counted.
  template <class Visit>
  bool visit(std::size_t begin, Visit visit) const {
    const auto found = std::lower_bound(begin_.begin(), begin_.end(), begin);
    if (found == begin_.end() || *found != begin) return false;
    const auto which = static_cast<std::size_t>(found - begin_.begin());
    const Cell* end = cells_.data() + end_[which];
    for (const Cell* c = cells_.data() + (which == 0 ? 0 : end_[which - 1]); c != end; ++c)
      visit(c->tag, c->count);
    return true;
  }

 private:
  std::vector<std::size_t> begin_;  // of each counted leaf, ascending
  std::vector<std::size_t> end_;    // of its cells
  std::vector<Cell> cells_;
};

// Counts the votes for one row after another.
template <class Index>
class Voter {
 public:
  using Members = LeafMembers<Index>;

  Voter(const Members& members, const std::vector<LargeLeaves>& large, const TagLists& tags,
        const std::vector<std::int64_t>& totals, std::int64_t keep, bool exclude_self)
      : members_(members),
        large_(large),
        tags_(tags),
        totals_(totals),
        keep_(keep),
        exclude_self_(exclude_self),
        counter_(tags.n_tags),
        tally_(tags.n_tags),
        own_(tags.n_tags, 0),
        seen_(tags.n_tags + std::size_t{1}),
        shares_((kLarge + 1) * (kLarge + 1)) {
    std::int64_t most = 0;
    for (std::uint32_t i = 0; i < members.n_training(); ++i)
      most = std::max(most, tags.start[i + 1] - tags.start[i]);
    stream_.resize(kLarge * static_cast<std::size_t>(most) + kCopied);
    for (std::size_t size = 1; size <= kLarge; ++size) {
      for (std::size_t count = 0; count <= size; ++count)
        shares_[size * (kLarge + 1) + count] =
            static_cast<double>(count) / static_cast<double>(size);
    }
  }

  void vote(std::int64_t begin, std::int64_t end, const std::atomic<bool>& stop, Votes& out) {
    const auto n_trees = static_cast<std::size_t>(members_.n_trees());
    spans_.resize(n_trees * kTogether);
    for (std::int64_t first = begin; first < end; first += kTogether) {
      const auto n = static_cast<std::size_t>(std::min(kTogether, end - first));
      for (std::size_t t = 0; t < n_trees; ++t) {
        const auto* span = members_.spans(static_cast<std::int64_t>(t)) + first;
        for (std::size_t i = 0; i < n; ++i) spans_[i * n_trees + t] = span[i];
      }
      for (std::size_t i = 0; i < n; ++i) {
        if (stop.load(std::memory_order_relaxed)) throw Stopped{};
        vote_for(static_cast<std::size_t>(first) + i, spans_.data() + i * n_trees, out);
      }
    }
  }

 private:
  using Span = typename Members::Span;

  struct Tally {
    double share = 0.0;      // sum over the trees
    std::uint64_t some = 0;  // trees in which some item of the leaf has the tag; kAll for all items
  };
  static constexpr std::uint64_t kAll = (std::uint64_t{1} << 32) + 1;

  struct Scored {
    double score;
    std::uint32_t tag;
  };

  void vote_for(std::size_t row, const Span* spans, Votes& out) {
    if (exclude_self_) mark_own(row, 1);
    std::uint32_t n_trees = 0;  // that count
    for (std::int64_t t = 0; t < members_.n_trees(); ++t) {
      if (t + kAhead < members_.n_trees())
        __builtin_prefetch(members_.members(t + kAhead) + Members::begin_of(spans[t + kAhead]));
      const std::size_t length = Members::length_of(spans[t]);
      if (length <= (exclude_self_ ? 1 : 0)) continue;
      ++n_trees;
      count_leaf(row, t, Members::begin_of(spans[t]), length);
    }
    pick(n_trees, out);
    if (exclude_self_) mark_own(row, 0);
  }

  void count_leaf(std::size_t row, std::int64_t t, std::size_t begin, std::size_t length) {
    const auto others = static_cast<std::uint32_t>(length - (exclude_self_ ? 1 : 0));
    Tally* tallies = tally_.data();  // local: what is in registers stays there
    std::uint32_t* seen = seen_.data();
    std::size_t n_seen = n_seen_;
    const auto add = [&](std::uint32_t tag, std::uint32_t count, double share) {
      Tally& tally = tallies[tag];
      seen[n_seen] = tag;
      n_seen += tally.some == 0 ? 1 : 0;
      tally.some += count == others ? kAll : 1;
      tally.share += share;
    };
    const std::uint8_t* own = own_.data();
    const double size = others;
    if (length <= kLarge || !large_[static_cast<std::size_t>(t)].visit(
                                begin, [&](std::uint32_t tag, std::uint32_t count) {
                                  count -= own[tag];
                                  if (count > 0) add(tag, count, count / size);
                                })) {
      const Index* items = members_.members(t) + begin;
      if (length <= kLarge) {
        counter_.add(stream_.data(), collect(row, items, length));
        const double* share = shares_.data() + others * (kLarge + 1);
        counter_.take(
            [&](std::uint32_t tag, std::uint32_t count) { add(tag, count, share[count]); });
      } else {
        for (std::size_t p = 0; p < length; ++p) {
          if (exclude_self_ && items[p] == row) continue;
          counter_.add(tags_.tag + tags_.start[items[p]], tags_.tag + tags_.start[items[p] + 1]);
        }
        counter_.take(
            [&](std::uint32_t tag, std::uint32_t count) { add(tag, count, count / size); });
      }
    }
    n_seen_ = n_seen;
  }

  // Copies the tags of a small leaf's items one after another, and returns their end. Most items
  // have few: a fixed number is copied whatever theirs, and no branch is mispredicted.
  const std::int32_t* collect(std::size_t row, const Index* items, std::size_t length) {
    const std::size_t left_out = exclude_self_ ? row : members_.n_training();
    std::int32_t* to = stream_.data();
    for (std::size_t p = 0; p < length; ++p) {
      const std::size_t item = items[p];
      const std::int32_t* from = tags_.tag + tags_.start[item];
      const auto n = static_cast<std::size_t>(tags_.start[item + 1] - tags_.start[item]);
      std::memcpy(to, from, kCopied * sizeof *to);
      if (n > kCopied) std::memcpy(to + kCopied, from + kCopied, (n - kCopied) * sizeof *to);
      to += item == left_out ? 0 : n;
    }
    return to;
  }

  void mark_own(std::size_t row, std::uint8_t mark) {
    for (std::int64_t e = tags_.start[row]; e < tags_.start[row + 1]; ++e)
      own_[static_cast<std::size_t>(tags_.tag[e])] = mark;
  }

  // Turns the row's tallies into scores and appends those that are kept.
  void pick(std::uint32_t n_trees, Votes& out) {
    lacking_.clear();
    kept_.clear();
    for (std::size_t j = 0; j < n_seen_; ++j) {
      const std::uint32_t tag = seen_[j];
      const Tally tally = tally_[tag];
      tally_[tag] = {};
      const auto in_favour = static_cast<std::uint32_t>(tally.some >> 32);
      const std::uint32_t votes = in_favour + (n_trees - static_cast<std::uint32_t>(tally.some));
      const double share = votes > 0 ? static_cast<double>(in_favour) / votes : 0.0;
      const double score = share + kMeanShare * (tally.share / n_trees);
      (own_[tag] != 0 ? kept_ : lacking_).push_back({score, tag});
    }
    n_seen_ = 0;
    if (keep_ >= 0 && lacking_.size() > static_cast<std::size_t>(keep_)) {
      std::nth_element(lacking_.begin(), lacking_.begin() + keep_, lacking_.end(),
                       [&](const Scored& a, const Scored& b) { return precedes(a, b); });
      lacking_.resize(static_cast<std::size_t>(keep_));
    }
    kept_.insert(kept_.end(), lacking_.begin(), lacking_.end());
    std::sort(kept_.begin(), kept_.end(),
              [](const Scored& a, const Scored& b) { return a.tag < b.tag; });
    out.start.push_back(static_cast<std::int64_t>(kept_.size()));
    for (const Scored& s : kept_) {
      out.tag.push_back(static_cast<std::int32_t>(s.tag));
      out.score.push_back(s.score);
    }
  }

  bool precedes(const Scored& a, const Scored& b) const {
    if (a.score != b.score) return a.score > b.score;
    if (totals_[a.tag] != totals_[b.tag]) return totals_[a.tag] > totals_[b.tag];
    return a.tag < b.tag;
  }

  const Members& members_;
  const std::vector<LargeLeaves>& large_;
  const TagLists& tags_;
  const std::vector<std::int64_t>& totals_;
  std::int64_t keep_;
  bool exclude_self_;
  TagCounter counter_;
  std::vector<Span> spans_;          // (kTogether, n_trees)
  std::vector<Tally> tally_;         // by tag; zero between rows
  std::vector<std::uint8_t> own_;    // by tag: the row has it, and it is not to count
  std::vector<std::uint32_t> seen_;  // tags with a tally
  std::size_t n_seen_ = 0;
  std::vector<std::int32_t> stream_;  // the tags of the items of a small leaf
  std::vector<double> shares_;        // count / size, of small leaves
  std::vector<Scored> lacking_;
  std::vector<Scored> kept_;
};

template <class Index>
Votes leaf_votes_with(const LeafTable& rows, const LeafTable& training,
                      const std::vector<std::int32_t>& n_nodes, const TagLists& given,
                      std::int64_t keep, bool exclude_self, int n_threads, const Poll& poll) {
  std::vector<std::int32_t> tag(given.tag, given.tag + given.start[training.n]);
  tag.resize(tag.size() + kCopied, 0);
  const TagLists tags{given.start, tag.data(), given.n_tags};
  const LeafMembers<Index> members(rows, training, n_nodes, n_threads, poll);
  const auto workers = static_cast<std::size_t>(std::max(1, n_threads));
  std::vector<LargeLeaves> large(static_cast<std::size_t>(training.n_trees));
  {
    std::vector<TagCounter> counters(workers, TagCounter(tags.n_tags));
    parallel_for(
        training.n_trees, n_threads, [&poll](std::int64_t) { poll(0); },
        [&](std::int64_t t, int worker, const std::atomic<bool>&) {
          large[static_cast<std::size_t>(t)].count(
              members.members(t), training.leaves + t * training.n, training.n, tags,
              counters[static_cast<std::size_t>(worker)]);
        });
  }
  std::vector<std::int64_t> totals(tags.n_tags, 0);
  for (std::int64_t e = 0; e < tags.start[training.n]; ++e)
    ++totals[static_cast<std::size_t>(tags.tag[e])];
  std::vector<Voter<Index>> voters(workers,
                                   Voter<Index>(members, large, tags, totals, keep, exclude_self));
  std::vector<Votes> parts(static_cast<std::size_t>(blocks_of(rows.n, n_threads)));
  for_rows(rows.n, n_threads, poll,
           [&](std::int64_t block, std::int64_t begin, std::int64_t end, int worker,
               const std::atomic<bool>& stop) {
             voters[static_cast<std::size_t>(worker)].vote(begin, end, stop,
                                                           parts[static_cast<std::size_t>(block)]);
           });
  Votes all;
  all.start.push_back(0);
  for (auto& part : parts) {
    for (const std::int64_t length : part.start) all.start.push_back(all.start.back() + length);
    all.tag.insert(all.tag.end(), part.tag.begin(), part.tag.end());
    all.score.insert(all.score.end(), part.score.begin(), part.score.end());
    part = {};
  }
  return all;
}

}  // namespace

Votes leaf_votes(const LeafTable& rows, const LeafTable& training,
                 const std::vector<std::int32_t>& n_nodes, const TagLists& tags, std::int64_t keep,
                 bool exclude_self, int n_threads, const Poll& poll) {
  if (training.n <= 0xFFFFU)
    return leaf_votes_with<std::uint16_t>(rows, training, n_nodes, tags, keep, exclude_self,
                                          n_threads, poll);
  return leaf_votes_with<std::uint32_t>(rows, training, n_nodes, tags, keep, exclude_self,
                                        n_threads, poll);
}

}  // namespace cf
