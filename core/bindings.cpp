// The only file that knows Python exists: checks shapes, releases the GIL, wraps results.
#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "grow.hpp"
#include "k_means.hpp"
#include "layout.hpp"
#include "messages.hpp"
#include "neighbours.hpp"
#include "rank.hpp"
#include "route.hpp"
#include "settle.hpp"
#include "votes.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace {

template <class T, int kDims>
using In = nb::ndarray<const T, nb::ndim<kDims>, nb::c_contig, nb::device::cpu>;
template <class T, int kDims>
using InOut = nb::ndarray<T, nb::ndim<kDims>, nb::c_contig, nb::device::cpu>;

void require(bool condition, const char* what) {
  if (!condition) throw nb::value_error(what);
}

// Hands a vector's memory to NumPy.
template <class T>
nb::ndarray<nb::numpy, T> as_array(std::vector<T>&& values,
                                   std::initializer_list<std::size_t> shape) {
  auto* held = new std::vector<T>(std::move(values));
  nb::capsule owner(held, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return nb::ndarray<nb::numpy, T>(held->data(), shape, owner);
}

template <class T>
nb::ndarray<nb::numpy, T> as_array(std::vector<T>&& values) {
  const std::size_t size = values.size();
  return as_array(std::move(values), {size});
}

// Lets Ctrl-C through and tells the progress bar, from the waiting thread.
cf::Poll make_poll(nb::object progress) {
  return [progress](std::int64_t done) {
    const nb::gil_scoped_acquire gil;
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    if (!progress.is_none()) progress(done);
  };
}

// Points into the record's own arrays, which `held` keeps alive: nothing is converted.
cf::Layer make_layer(nb::handle record, std::uint32_t n, std::vector<nb::object>& held) {
  cf::Layer layer;
  const auto array = [&](const char* name) {
    held.push_back(record.attr(name));
    return held.back();
  };
  const auto start = nb::cast<In<std::int64_t, 1>>(array("start"), false);
  const auto tag = nb::cast<In<std::int32_t, 1>>(array("tag"), false);
  layer.n_tags = nb::cast<std::uint32_t>(record.attr("n_tags"));
  require(start.shape(0) == std::size_t{n} + 1 && start(0) == 0,
          "layer: start does not fit the items");
  for (std::size_t i = 0; i < n; ++i)
    require(start(i) <= start(i + 1), "layer: start must not decrease");
  const auto entries = static_cast<std::size_t>(start(n));
  require(tag.shape(0) == entries, "layer: tag does not fit start");
  require(entries < 0xFFFFFF00U, "layer: too many entries");
  for (std::size_t e = 0; e < entries; ++e)
    require(tag(e) >= 0 && static_cast<std::uint32_t>(tag(e)) < layer.n_tags,
            "layer: tag out of range");
  layer.start = start.data();
  layer.tag = tag.data();
  if (!record.attr("soft").is_none()) {
    const auto positive = nb::cast<In<std::int32_t, 1>>(array("positive"), false);
    const auto negative = nb::cast<In<std::int32_t, 1>>(array("negative"), false);
    const auto base = nb::cast<In<std::int32_t, 1>>(array("base"), false);
    const auto soft = nb::cast<In<std::uint8_t, 1>>(array("soft"), false);
    require(positive.shape(0) == entries && negative.shape(0) == entries && base.shape(0) == n &&
                soft.shape(0) == n,
            "layer: evidence does not fit");
    const auto in_unit = [](std::int32_t v) { return v >= 0 && v <= cf::kOne; };
    for (std::size_t e = 0; e < entries; ++e)
      require(in_unit(positive(e)) && in_unit(negative(e)), "layer: evidence must lie in [0, 1]");
    for (std::size_t i = 0; i < n; ++i) require(in_unit(base(i)), "layer: base must lie in [0, 1]");
    layer.positive = positive.data();
    layer.negative = negative.data();
    layer.base = base.data();
    layer.soft = soft.data();
  }
  if (!record.attr("weight").is_none()) {
    const auto weight = nb::cast<In<std::uint32_t, 1>>(array("weight"), false);
    require(weight.shape(0) == layer.n_tags, "layer: weight does not fit");
    layer.weight = weight.data();
    layer.weight_unit = nb::cast<double>(record.attr("weight_unit"));
  }
  return layer;
}

cf::Sources make_sources(nb::handle record, const std::vector<cf::Layer>& layers) {
  cf::Sources sources;
  sources.two_class = nb::cast<std::int32_t>(record.attr("two_class"));
  sources.alpha = nb::cast<double>(record.attr("alpha"));
  sources.normalise = nb::cast<bool>(record.attr("normalise"));
  require(layers.size() == 1 && !layers[0].soft && !layers[0].weight,
          "sources: they need one layer, hard and without weights");
  require(
      sources.two_class >= -1 && sources.two_class < static_cast<std::int64_t>(layers[0].n_tags),
      "sources: two_class is no tag");
  require(sources.alpha >= 0.0 && sources.alpha <= 1.0, "sources: alpha must lie in [0, 1]");
  return sources;
}

template <class Value, class Rank>
void rank_columns(In<Value, 2> values, InOut<Rank, 2> ranks, int n_threads) {
  require(values.shape(0) == ranks.shape(0) && values.shape(1) == ranks.shape(1),
          "values and ranks differ in shape");
  require(
      values.shape(1) > 0 && values.shape(1) - 1 < std::size_t{std::numeric_limits<Rank>::max()},
      "too many items for this rank type");
  const cf::Poll poll = make_poll(nb::none());
  const nb::gil_scoped_release release;
  cf::rank_columns(values.data(), static_cast<std::int64_t>(values.shape(0)),
                   static_cast<std::uint32_t>(values.shape(1)), ranks.data(), n_threads, poll);
}

nb::dict grow(nb::object ranks, nb::list layers, In<std::uint64_t, 1> keys,
              InOut<std::int32_t, 2> leaves, std::uint32_t n_try, std::uint32_t min_leaf,
              bool evidence_weights, bool bootstrap, int n_threads, nb::object progress,
              nb::object sources, std::uint32_t pair_limit, std::int64_t small_mass,
              std::uint64_t soft_cells) {
  cf::Problem problem;
  std::size_t d = 0;
  std::size_t n = 0;
  In<std::uint16_t, 2> ranks16;
  In<std::uint32_t, 2> ranks32;
  if (nb::try_cast(ranks, ranks16, false)) {
    d = ranks16.shape(0);
    n = ranks16.shape(1);
    problem.ranks16 = ranks16.data();
  } else {
    ranks32 = nb::cast<In<std::uint32_t, 2>>(ranks, false);
    d = ranks32.shape(0);
    n = ranks32.shape(1);
    problem.ranks32 = ranks32.data();
  }
  require(n > 0 && n < 0x7FFFFFFFU && d > 0 && d < 0x7FFFFFFFU, "ranks: bad shape");
  require(leaves.shape(0) == keys.shape(0) && leaves.shape(1) == n, "leaves: bad shape");
  require(min_leaf >= 1 && n_try >= 1, "min_leaf and n_try must be at least 1");
  require(layers.size() > 0 && layers.size() < 0x7FFFU, "layers: too few or too many");
  require(pair_limit <= 1024, "pair_limit must be at most 1024");
  require(small_mass <= cf::Problem{}.small_mass, "small_mass must fit 32 bits");
  problem.n_items = static_cast<std::uint32_t>(n);
  problem.n_features = static_cast<std::uint32_t>(d);
  std::vector<nb::object> held;
  for (nb::handle record : layers)
    problem.layers.push_back(make_layer(record, problem.n_items, held));
  if (!sources.is_none()) problem.sources = make_sources(sources, problem.layers);
  problem.n_try = n_try;
  problem.min_leaf = min_leaf;
  problem.child_weights = evidence_weights ? cf::ChildWeights::kEvidence : cf::ChildWeights::kCount;
  problem.bootstrap = bootstrap;
  problem.pair_limit = pair_limit;
  problem.small_mass = small_mass;
  problem.soft_cells = soft_cells / static_cast<std::uint64_t>(std::max(1, n_threads));
  const std::vector<std::uint64_t> key_list(keys.data(), keys.data() + keys.shape(0));

  cf::Forest forest;
  const cf::Poll poll = make_poll(progress);
  {
    const nb::gil_scoped_release release;
    forest = cf::grow(problem, key_list, leaves.data(), n_threads, poll);
  }
  cf::Nodes& nodes = forest.nodes;
  const std::size_t total = nodes.size();
  nb::dict result;
  result["offsets"] = as_array(std::move(forest.offsets));
  result["feature"] = as_array(std::move(nodes.feature));
  result["left"] = as_array(std::move(nodes.left));
  result["layer"] = as_array(std::move(nodes.layer));
  result["gain"] = as_array(std::move(nodes.gain));
  result["count"] = as_array(std::move(nodes.count));
  result["cut_items"] = as_array(std::move(nodes.cut_items), {total, 2});
  return result;
}

nb::ndarray<nb::numpy, std::uint32_t> draw_bag(std::uint64_t key, std::uint32_t n) {
  std::vector<std::uint32_t> draws(n);
  cf::draw_bag(key, n, draws.data());
  return as_array(std::move(draws));
}

template <class Value>
void route(In<std::int64_t, 1> offsets, In<std::int32_t, 1> feature, In<double, 1> threshold,
           In<std::int32_t, 1> left, In<Value, 2> values, InOut<std::int32_t, 2> leaves,
           int n_threads, nb::object progress) {
  const std::size_t nodes = feature.shape(0);
  require(offsets.shape(0) >= 1 && threshold.shape(0) == nodes && left.shape(0) == nodes &&
              static_cast<std::size_t>(offsets(offsets.shape(0) - 1)) == nodes,
          "nodes: arrays differ in length");
  require(leaves.shape(0) + 1 == offsets.shape(0) && leaves.shape(1) == values.shape(0),
          "leaves: bad shape");
  require(offsets(0) == 0, "nodes: offsets must begin at 0");
  for (std::size_t t = 0; t + 1 < offsets.shape(0); ++t) {
    require(offsets(t) < offsets(t + 1), "nodes: a tree without nodes");
    const std::int64_t size = offsets(t + 1) - offsets(t);
    for (std::int64_t j = 0; j < size; ++j) {  // children come after their parent: routing ends
      const auto at = static_cast<std::size_t>(offsets(t) + j);
      require(
          left(at) < 0 || (left(at) > j && left(at) + std::int64_t{1} < size && feature(at) >= 0 &&
                           static_cast<std::size_t>(feature(at)) < values.shape(1)),
          "nodes: a node has a bad child or feature");
    }
  }
  const cf::FlatTrees forest{static_cast<std::int64_t>(offsets.shape(0)) - 1, offsets.data(),
                             feature.data(), threshold.data(), left.data()};
  const cf::Poll poll = make_poll(progress);
  const nb::gil_scoped_release release;
  cf::route(forest, values.data(), static_cast<std::int64_t>(values.shape(0)),
            static_cast<std::int64_t>(values.shape(1)), leaves.data(), n_threads, poll);
}

struct Tables {
  cf::LeafTable rows;
  cf::LeafTable training;
  std::vector<std::int32_t> n_nodes;
};

Tables make_tables(const In<std::int32_t, 2>& rows, const In<std::int32_t, 2>& training,
                   const In<std::int64_t, 1>& offsets) {
  require(rows.shape(0) == training.shape(0) && offsets.shape(0) == training.shape(0) + 1,
          "leaf tables: trees differ");
  require(training.shape(1) < 0x7FFFFFFFU && rows.shape(1) < 0x7FFFFFFFU,
          "leaf tables: too many items");
  const auto trees = static_cast<std::int64_t>(training.shape(0));
  Tables t{{rows.data(), trees, static_cast<std::uint32_t>(rows.shape(1))},
           {training.data(), trees, static_cast<std::uint32_t>(training.shape(1))},
           {}};
  for (std::size_t k = 0; k + 1 < offsets.shape(0); ++k)
    t.n_nodes.push_back(static_cast<std::int32_t>(offsets(k + 1) - offsets(k)));
  for (const auto* table : {&t.rows, &t.training}) {
    for (std::int64_t k = 0; k < trees; ++k) {
      const std::int32_t* leaf = table->leaves + k * table->n;
      const std::int32_t limit = t.n_nodes[static_cast<std::size_t>(k)];
      for (std::uint32_t i = 0; i < table->n; ++i)
        require(leaf[i] >= 0 && leaf[i] < limit, "leaf tables: no such node");
    }
  }
  return t;
}

nb::tuple nearest(In<std::int32_t, 2> rows, In<std::int32_t, 2> training,
                  In<std::int64_t, 1> offsets, std::uint32_t k, bool exclude_self,
                  std::uint64_t seed, int n_threads, nb::object progress) {
  const Tables t = make_tables(rows, training, offsets);
  require(k >= 1, "k must be at least 1");
  require(!exclude_self || t.rows.n == t.training.n, "rows must be the training items");
  const cf::Poll poll = make_poll(progress);
  cf::Neighbours found;
  {
    const nb::gil_scoped_release release;
    found = cf::nearest(t.rows, t.training, t.n_nodes, k, exclude_self, seed, n_threads, poll);
  }
  return nb::make_tuple(as_array(std::move(found.start)), as_array(std::move(found.item)),
                        as_array(std::move(found.count)));
}

void all_counts(In<std::int32_t, 2> rows, In<std::int32_t, 2> training, In<std::int64_t, 1> offsets,
                InOut<std::int32_t, 2> counts, int n_threads, nb::object progress) {
  const Tables t = make_tables(rows, training, offsets);
  require(counts.shape(0) == t.rows.n && counts.shape(1) == t.training.n, "counts: bad shape");
  const cf::Poll poll = make_poll(progress);
  const nb::gil_scoped_release release;
  cf::all_counts(t.rows, t.training, t.n_nodes, counts.data(), n_threads, poll);
}

nb::tuple leaf_votes(In<std::int32_t, 2> rows, In<std::int32_t, 2> training,
                     In<std::int64_t, 1> offsets, In<std::int64_t, 1> start,
                     In<std::int32_t, 1> tags, std::uint32_t n_tags, std::int64_t keep,
                     bool exclude_self, int n_threads, nb::object progress) {
  const Tables t = make_tables(rows, training, offsets);
  require(!exclude_self || (t.rows.n == t.training.n &&
                            std::equal(rows.data(), rows.data() + rows.size(), training.data())),
          "rows must be the training items");
  require(start.shape(0) == std::size_t{t.training.n} + 1 && start(0) == 0,
          "tags: start does not fit the training items");
  for (std::size_t i = 0; i < t.training.n; ++i)
    require(start(i) <= start(i + 1), "tags: start must not decrease");
  require(tags.shape(0) == static_cast<std::size_t>(start(t.training.n)),
          "tags: they do not fit start");
  for (std::size_t i = 0; i < t.training.n; ++i) {
    std::int64_t before = -1;
    for (auto e = static_cast<std::size_t>(start(i)); e < static_cast<std::size_t>(start(i + 1));
         ++e) {
      require(tags(e) > before, "tags: an item's tags must ascend from 0");
      before = tags(e);
    }
    require(before < std::int64_t{n_tags}, "tags: tag out of range");
  }
  const cf::TagLists lists{start.data(), tags.data(), n_tags};
  const cf::Poll poll = make_poll(progress);
  cf::Votes found;
  {
    const nb::gil_scoped_release release;
    found =
        cf::leaf_votes(t.rows, t.training, t.n_nodes, lists, keep, exclude_self, n_threads, poll);
  }
  return nb::make_tuple(as_array(std::move(found.start)), as_array(std::move(found.tag)),
                        as_array(std::move(found.score)));
}

nb::tuple k_means(In<double, 2> points, std::uint32_t n_clusters, std::int64_t n_init,
                  std::int64_t max_iter, std::uint64_t seed, int n_threads, nb::object progress) {
  const std::size_t n = points.shape(0);
  const std::size_t d = points.shape(1);
  require(n > 0 && n < 0x7FFFFFFFU && d > 0 && d < 0x7FFFFFFFU, "points: bad shape");
  require(n_clusters >= 1 && n_clusters <= n, "n_clusters must lie between 1 and the points");
  require(n_init >= 1 && max_iter >= 1, "n_init and max_iter must be at least 1");
  for (std::size_t i = 0; i < n * d; ++i)
    require(std::abs(points.data()[i]) <= cf::kLargestCoordinate,
            "points: values must be finite and of at most 1e100");
  const cf::KMeansOptions options{n_clusters, n_init, max_iter, seed, n_threads};
  const cf::Poll poll = make_poll(progress);
  cf::Clusters found;
  {
    const nb::gil_scoped_release release;
    found = cf::k_means(points.data(), static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(d),
                        options, poll);
  }
  return nb::make_tuple(as_array(std::move(found.label)),
                        as_array(std::move(found.centre), {n_clusters, d}), found.inertia,
                        found.n_iter);
}

void lay_out(In<std::int64_t, 1> start, In<std::int32_t, 1> item, In<float, 1> weight,
             InOut<float, 2> position, std::int64_t n_epochs, std::uint32_t n_repelled,
             std::uint64_t seed, nb::object progress) {
  const std::size_t n = position.shape(0);
  require(n > 0 && n < 0x7FFFFFFFU && position.shape(1) == 2, "position: bad shape");
  require(start.shape(0) == n + 1 && start(0) == 0, "graph: start does not fit the items");
  for (std::size_t i = 0; i < n; ++i)
    require(start(i) <= start(i + 1), "graph: start must not decrease");
  require(item.shape(0) == static_cast<std::size_t>(start(n)) && weight.shape(0) == item.shape(0),
          "graph: arrays differ in length");
  for (std::size_t e = 0; e < item.shape(0); ++e) {
    require(item(e) >= 0 && static_cast<std::size_t>(item(e)) < n, "graph: no such item");
    require(weight(e) >= 0.0F && weight(e) <= 1.0F, "graph: weights must lie between 0 and 1");
  }
  for (std::size_t i = 0; i < 2 * n; ++i)
    require(std::abs(position.data()[i]) <= cf::kFarthest,
            "position: values must be finite and of at most 1e6");
  require(n_epochs >= 0 && n_epochs <= cf::kMostEpochs, "n_epochs must lie between 0 and 100000");
  require(n_repelled <= 1000, "n_repelled must be at most 1000");
  const cf::WeightedGraph graph{static_cast<std::uint32_t>(n), start.data(), item.data(),
                                weight.data()};
  const cf::LayoutOptions options{n_epochs, n_repelled, seed};
  const cf::Poll poll = make_poll(progress);
  const nb::gil_scoped_release release;
  cf::lay_out(graph, options, position.data(), poll);
}

template <class T>
void pass_messages(In<T, 2> similarity, InOut<T, 2> responsibility, InOut<T, 2> availability,
                   In<T, 1> support, InOut<double, 1> found, std::uint32_t begin, std::uint32_t end,
                   std::uint32_t step, T damping) {
  const std::size_t n = similarity.shape(0);
  require(n > 0 && n < 0x7FFFFFFFU, "similarity: bad shape");
  for (const auto& shape :
       {similarity.shape(1), responsibility.shape(0), responsibility.shape(1),
        availability.shape(0), availability.shape(1), support.shape(0), found.shape(0)})
    require(shape == n, "messages: arrays do not fit each other");
  require(begin <= end && end <= n && step >= 1, "messages: no such rows");
  require(damping >= T{0} && damping < T{1}, "damping must be at least 0 and less than 1");
  const cf::MessageArrays<T> arrays{static_cast<std::uint32_t>(n), similarity.data(),
                                    responsibility.data(), availability.data()};
  const nb::gil_scoped_release release;
  cf::pass_messages<T>(arrays, {begin, end, step, damping}, support.data(), found.data());
}

std::int64_t settle(In<std::int64_t, 1> start, In<std::int32_t, 1> item, In<double, 1> weight,
                    InOut<std::int64_t, 1> label, std::uint32_t n_clusters, double resolution,
                    std::int64_t max_rounds, std::uint64_t seed, nb::object progress) {
  const std::size_t n = label.shape(0);
  require(n > 0 && n < 0x7FFFFFFFU && n_clusters >= 1, "label: bad shape");
  require(start.shape(0) == n + 1 && start(0) == 0, "graph: start does not fit the items");
  for (std::size_t i = 0; i < n; ++i) {
    require(start(i) <= start(i + 1), "graph: start must not decrease");
    require(label(i) >= 0 && label(i) < std::int64_t{n_clusters}, "label: no such cluster");
  }
  require(item.shape(0) == static_cast<std::size_t>(start(n)) && weight.shape(0) == item.shape(0),
          "graph: arrays differ in length");
  for (std::size_t e = 0; e < item.shape(0); ++e) {
    require(item(e) >= 0 && static_cast<std::size_t>(item(e)) < n, "graph: no such item");
    require(weight(e) >= 0.0 && weight(e) <= cf::kLargestCoordinate,
            "graph: weights must lie between 0 and 1e100");
  }
  require(resolution >= 0.0 && resolution <= 1e6, "resolution must lie between 0 and 1e6");
  require(max_rounds >= 0, "max_rounds must not be negative");
  const cf::Affinities graph{static_cast<std::uint32_t>(n), start.data(), item.data(),
                             weight.data()};
  const cf::SettleOptions options{n_clusters, resolution, max_rounds, seed};
  const cf::Poll poll = make_poll(progress);
  const nb::gil_scoped_release release;
  return cf::settle(graph, options, label.data(), poll);
}

}  // namespace

NB_MODULE(_core, m) {
  m.doc() = "Compiled core of conceptforest: pure functions on arrays.";
  m.attr("ONE") = cf::kOne;
  m.attr("SOURCES") = CF_SOURCES;
  m.def("rank_columns", &rank_columns<float, std::uint16_t>, "values"_a.noconvert(),
        "ranks"_a.noconvert(), "n_threads"_a);
  m.def("rank_columns", &rank_columns<float, std::uint32_t>, "values"_a.noconvert(),
        "ranks"_a.noconvert(), "n_threads"_a);
  m.def("rank_columns", &rank_columns<double, std::uint16_t>, "values"_a.noconvert(),
        "ranks"_a.noconvert(), "n_threads"_a);
  m.def("rank_columns", &rank_columns<double, std::uint32_t>, "values"_a.noconvert(),
        "ranks"_a.noconvert(), "n_threads"_a);
  m.def("grow", &grow, "ranks"_a, "layers"_a, "keys"_a, "leaves"_a.noconvert(), nb::kw_only(),
        "n_try"_a, "min_leaf"_a, "evidence_weights"_a, "bootstrap"_a, "n_threads"_a,
        "progress"_a.none(), "sources"_a.none() = nb::none(),
        "pair_limit"_a = cf::Problem{}.pair_limit, "small_mass"_a = cf::Problem{}.small_mass,
        "soft_cells"_a = cf::Problem{}.soft_cells);
  m.def(
      "limit_registers",
      [](int bytes) { cf::kernel_bytes() = std::min(bytes, cf::register_bytes()); }, "bytes"_a);
  m.def("draw_bag", &draw_bag, "key"_a, "n"_a);
  m.def("route", &route<float>, "offsets"_a, "feature"_a, "threshold"_a, "left"_a,
        "values"_a.noconvert(), "leaves"_a.noconvert(), "n_threads"_a, "progress"_a.none());
  m.def("route", &route<double>, "offsets"_a, "feature"_a, "threshold"_a, "left"_a,
        "values"_a.noconvert(), "leaves"_a.noconvert(), "n_threads"_a, "progress"_a.none());
  m.def("nearest", &nearest, "rows"_a, "training"_a, "offsets"_a, nb::kw_only(), "k"_a,
        "exclude_self"_a, "seed"_a, "n_threads"_a, "progress"_a.none());
  m.def("all_counts", &all_counts, "rows"_a, "training"_a, "offsets"_a, "counts"_a.noconvert(),
        "n_threads"_a, "progress"_a.none());
  m.def("leaf_votes", &leaf_votes, "rows"_a, "training"_a, "offsets"_a, "start"_a, "tags"_a,
        nb::kw_only(), "n_tags"_a, "keep"_a, "exclude_self"_a, "n_threads"_a, "progress"_a.none());
  m.def("k_means", &k_means, "points"_a, "n_clusters"_a, nb::kw_only(), "n_init"_a, "max_iter"_a,
        "seed"_a, "n_threads"_a, "progress"_a.none());
  m.def("lay_out", &lay_out, "start"_a, "item"_a, "weight"_a, "position"_a.noconvert(),
        nb::kw_only(), "n_epochs"_a, "n_repelled"_a, "seed"_a, "progress"_a.none());
  m.def("pass_messages", &pass_messages<float>, "similarity"_a.noconvert(),
        "responsibility"_a.noconvert(), "availability"_a.noconvert(), "support"_a.noconvert(),
        "found"_a.noconvert(), nb::kw_only(), "begin"_a, "end"_a, "step"_a, "damping"_a);
  m.def("pass_messages", &pass_messages<double>, "similarity"_a.noconvert(),
        "responsibility"_a.noconvert(), "availability"_a.noconvert(), "support"_a.noconvert(),
        "found"_a.noconvert(), nb::kw_only(), "begin"_a, "end"_a, "step"_a, "damping"_a);
  m.def("settle", &settle, "start"_a, "item"_a, "weight"_a, "label"_a.noconvert(), nb::kw_only(),
        "n_clusters"_a, "resolution"_a, "max_rounds"_a, "seed"_a, "progress"_a.none());
}
