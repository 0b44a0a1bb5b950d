// What the items of a node bring to the sources of a joint gain (see Sources), and how much each
// source counts in a tree.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "node.hpp"
#include "order.hpp"

namespace cf {

// Numbers of items, here and below, count repeated draws.
struct SourceItems {
  void read(const Node& node, const Sources& sources);  // after node.find_layer()

  std::uint32_t n_real = 0;
  std::uint32_t n_present = 0;
  std::vector<std::uint32_t> real;     // (size) draws of a real item; 0 for a synthetic one
  std::vector<std::uint32_t> present;  // (size) draws of an item that is present, or 0
  std::vector<std::uint32_t> start;    // (size + 1) into tags
  std::vector<std::uint32_t> tags;     // active numbers, item by item; never the two-class tag
};

// The tags that vary among the present items share what the two classes leave. Of that, as large a
// part as that of the real items that are not present is handed out again, evenly to all sources.
// Where gains are normalised, a weight is then divided by the best gain of its source over all cuts
// of the features that the root tries.
class SourceWeights {
 public:
  SourceWeights(const Node& node, const Sources& sources, const SourceItems& items);

  // At the root of a tree, after items.read(), in this order.
  void begin();
  void measure(Order& order);  // where gains are normalised: each feature, after order.gather()
  void finish();

  // Weights of tags are whole numbers, the largest of them kLargest, in units.
  static constexpr std::uint64_t kLargest = 1ULL << 62;
  std::uint64_t of_tag(std::uint32_t tag) const { return of_tag_[tag]; }
  double unit() const { return unit_; }
  double of_classes() const { return of_classes_; }

 private:
  void mark_cuts(const Order& order);
  void measure_classes(const Order& order);
  void measure_tags(const Order& order);
  void measure_run(std::size_t tag, std::uint32_t from, std::uint32_t to);
  bool varies(std::size_t tag) const;
  double scale(double best) const;

  const Node& node_;
  const Sources& sources_;
  const SourceItems& items_;
  std::vector<std::uint64_t> of_tag_;
  double unit_ = 0.0;
  double of_classes_ = 0.0;
  std::vector<double> best_;  // (active) best gain of each tag
  double best_of_classes_ = 0.0;

  // Of a feature. A cut is named by the position in the order that it comes after.
  std::vector<std::uint32_t> next_cut_;      // (size + 1) first cut from here on, or size
  std::vector<std::uint32_t> previous_cut_;  // (size + 1) last cut before here, or size
  std::vector<std::uint32_t> present_left_;  // (size) present items left of a cut here
  std::vector<std::uint32_t> count_;         // (active) items so far
  std::vector<std::uint32_t> since_;         // (active) position of the last of them
};

}  // namespace cf
