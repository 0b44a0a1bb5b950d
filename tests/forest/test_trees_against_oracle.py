"""The core grows the trees of the plain-Python oracle, for every parameter and reading."""

import itertools
import warnings
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracle import evidence as oracle_evidence
from tests.oracle import hml_tree
from tests.oracle.random_stream import draw_bag

import conceptforest as cf
from conceptforest import _core
from conceptforest.forest.evidence import gather_evidence
from conceptforest.forest.ranks import rank_features
from conceptforest.tags import parse_tags

READINGS = [
    cf.Reading(w, e, s)
    for w in ("count", "evidence")
    for e in ("none", "negative", "base")
    for s in ("layer", "tag", "sample", "joint", "mean")
]


@st.composite
def collections(draw):
    n = draw(st.integers(2, 14))
    d = draw(st.integers(1, 4))
    m = draw(st.integers(1, 6))
    values = draw(st.sampled_from([[0.0, 1.0], [0.0, -0.0, 0.5, 1.0, 3.25], None]))
    cell = st.sampled_from(values) if values else st.floats(-1e3, 1e3, width=32)
    X = draw(st.lists(st.lists(cell, min_size=d, max_size=d), min_size=n, max_size=n))
    density = draw(st.sampled_from([1, 2, 4]))
    bit = st.integers(0, density).map(lambda v: int(v == density))
    Y = draw(st.lists(st.lists(bit, min_size=m, max_size=m), min_size=n, max_size=n))
    if not any(map(any, Y)):
        Y[0][0] = 1
    order = draw(st.permutations(range(m)))
    n_layers = draw(st.integers(1, min(3, m)))
    cuts = sorted(draw(st.permutations(range(1, m)))[: n_layers - 1])
    layers = [sorted(order[a:b]) for a, b in zip([0, *cuts], [*cuts, m], strict=True)]
    return X, Y, layers


def whole_weights(weights, layers):
    """Weights in units of 2^-20 of the largest of their layer, at least one where positive.

    The units come second, one a layer.
    """
    if weights is None:
        return None, [1.0] * len(layers)
    units = [max(weights[i] for i in layer) / 2**20 for layer in layers]
    whole = [0] * len(weights)
    for layer, unit in zip(layers, units, strict=True):
        for i in layer:
            whole[i] = max(1, round(weights[i] / unit)) if weights[i] else 0
    return whole, units


def oracle_trees(X, Y, layers, keys, *, reading, correlation, weights, n_try, min_leaf, bootstrap):
    whole, units = whole_weights(weights, layers)
    evidence = oracle_evidence.gather(
        Y, layers, correlation=correlation, reading=reading, weights=whole
    )
    how = hml_tree.Settings(n_try, min_leaf, reading.child_weights)
    for key in keys:
        draws = draw_bag(key, len(X)) if bootstrap else None
        yield hml_tree.grow_tree(X, evidence, key, how, draws), units


def assert_equals_oracle(
    X, Y, layers, *, reading, correlation=True, weights=None, n_try, min_leaf, bootstrap, **fit
):
    """Fit a forest and grow its trees again by the oracle; `weights` are None, "idf" or numbers."""
    n, m = len(Y), len(Y[0])
    tag_weights = weights
    if weights == "idf":
        idf = [np.log(n / c) if (c := sum(r[i] for r in Y)) else 0.0 for i in range(m)]
        tag_weights = idf if any(idf) else None
    forest = cf.HMLForest(
        min_samples_leaf=min_leaf,
        max_features=n_try,
        layers=layers,
        correlation=correlation,
        tag_weights=weights,
        bootstrap=bootstrap,
        reading=reading,
        **fit,
    )
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "No tree could split")
        forest.fit(np.array(X), np.array(Y))
    leaves = forest.apply(np.array(X))
    np.testing.assert_array_equal(leaves, forest.leaves_)
    keys = [int(k) for k in forest._tree_keys]
    expected = oracle_trees(
        X, Y, layers, keys, reading=reading, correlation=correlation, weights=tag_weights,
        n_try=n_try, min_leaf=min_leaf, bootstrap=bootstrap,
    )  # fmt: skip
    # A gain is a difference of impurities, which sum to at most half the weights.
    rounding = 2.0**-47 * sum(tag_weights or [1.0] * m)
    for t, (nodes, units) in enumerate(expected):
        tree = forest.trees_.tree(t)
        assert tree.feature.tolist() == [v.feature for v in nodes]
        assert tree.threshold.tolist() == [v.threshold for v in nodes]
        assert tree.left.tolist() == [v.left for v in nodes]
        assert tree.layer.tolist() == [v.layer for v in nodes]
        assert tree.count.tolist() == [v.count for v in nodes]
        gains = [float(v.gain * Fraction(units[v.layer])) for v in nodes]
        np.testing.assert_allclose(tree.gain, gains, rtol=1e-9, atol=rounding)
        assert leaves[:, t].tolist() == [hml_tree.find_leaf(nodes, x) for x in X]
    return forest


@settings(max_examples=400, deadline=None)
@given(
    data=collections(),
    reading=st.sampled_from(READINGS),
    correlation=st.booleans(),
    weights=st.sampled_from([None, "idf", "mixed"]),
    n_try=st.integers(1, 4),
    min_leaf=st.integers(1, 3),
    bootstrap=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_forest_equals_oracle(
    data, reading, correlation, weights, n_try, min_leaf, bootstrap, seed
):
    X, Y, layers = data
    m = len(Y[0])
    if weights == "mixed":
        weights = [float(i % 3) for i in range(m)] if m > 1 else [2.5]
    assert_equals_oracle(
        X, Y, layers, reading=reading, correlation=correlation, weights=weights,
        n_try=min(n_try, len(X[0])), min_leaf=min_leaf, bootstrap=bootstrap, random_state=seed,
        n_estimators=2,
    )  # fmt: skip


def test_a_gain_within_rounding_of_soft_evidence_is_none():
    # Base rates kept to 2^-20: by exact fractions the only cut gains 5e-15, which is rounding.
    X = [[0.0, 0.0, 0.0, float(x == 11)] for x in range(12)]
    Y = [[int(x in (6, 8)), int(x == 0)] for x in range(12)]
    forest = assert_equals_oracle(
        X, Y, [[0], [1]], reading=cf.Reading("count", "base", "layer"), n_try=1, min_leaf=1,
        bootstrap=True, random_state=1725, n_estimators=2,
    )  # fmt: skip
    assert forest.trees_.feature.tolist() == [-1, -1]


@pytest.mark.parametrize("correlation", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_weights_of_one_layer_do_not_blur_those_of_another(seed, correlation):
    rng = np.random.default_rng(seed)
    X, Y = rng.normal(size=(40, 3)), rng.random((40, 3)) < 0.4
    Y[:, :2] = X[:, :2] > 0  # one cut for each tag of the first layer: weights choose between them

    def grown(weights):
        forest = assert_equals_oracle(
            X.tolist(), Y.astype(int).tolist(), [[0, 1], [2]], reading=cf.Reading(),
            correlation=correlation, weights=weights, n_try=3, min_leaf=1, bootstrap=False,
            random_state=seed, n_estimators=2,
        )  # fmt: skip
        assert forest.trees_.layer[forest.trees_.offsets[:-1]].tolist() == [0, 0]
        return forest.trees_

    far, near = grown([1, 5, 1e7]), grown([1, 5, 1])
    first = near.layer == 0
    np.testing.assert_array_equal(far.feature, near.feature)
    np.testing.assert_array_equal(far.gain[first], near.gain[first])
    if not correlation:
        assert near.feature[near.offsets[:-1]].tolist() == [1, 1]
        turned = grown([5, 1, 1e7])
        assert turned.feature[turned.offsets[:-1]].tolist() == [0, 0]


# The core compares up to 32 items with one instruction; these nodes have more.


def larger_collection(seed):
    rng = np.random.default_rng(seed)
    a, b, c = rng.normal(size=(3, int(rng.integers(40, 71))))
    X = np.column_stack([a, b.round(1), c.round()])  # values all differ, some equal, most equal
    return X, rng.random((len(X), 6)) < 0.35


@pytest.mark.parametrize("bootstrap", [False, True])
@pytest.mark.parametrize(("seed", "reading"), list(enumerate(READINGS)))
def test_large_soft_nodes_equal_the_oracles(seed, reading, bootstrap):
    X, Y = larger_collection(seed)
    Y[:, 0] |= X[:, 0] > 0.5
    forest = assert_equals_oracle(
        X.tolist(), Y.astype(int).tolist(), [[0, 1, 2], [3, 4, 5]], reading=reading,
        weights=[None, "idf"][seed % 2], n_try=2 + seed % 2, min_leaf=1 + seed % 3,
        bootstrap=bootstrap, random_state=seed, n_estimators=1,
    )  # fmt: skip
    assert forest.missing_[0]["supported"] > 0
    assert forest.trees_.layer[0] == 0


@pytest.mark.parametrize("bootstrap", [False, True])
@pytest.mark.parametrize("child_weights", ["count", "evidence"])
@pytest.mark.parametrize("seed", range(5))
def test_large_hard_nodes_equal_the_oracles(seed, child_weights, bootstrap):
    X, Y = larger_collection(seed)
    Y[:, 0] = X[:, 0] > -2  # one cut makes the first layer pure, and most items are above it
    Y[:, 1] = ~Y[:, 0]
    Y[:, 2] = False
    X[0, 0], Y[0, :2] = -3, (False, True)
    forest = assert_equals_oracle(
        X.tolist(), Y.astype(int).tolist(), [[0, 1, 2], [3, 4, 5]],
        reading=cf.Reading(child_weights), weights=[None, "idf"][seed % 2], n_try=3, min_leaf=1,
        bootstrap=bootstrap, random_state=seed, n_estimators=1,
    )  # fmt: skip
    assert forest.missing_[0]["missing"] == 0
    assert forest.trees_.count[forest.trees_.layer == 1].max() > 32


@pytest.mark.parametrize("bootstrap", [False, True])
@pytest.mark.parametrize("layers", [1, [[0, 1], [2, 3, 4]]], ids=["hard", "soft"])
@pytest.mark.parametrize("n_jobs", [2, 3])
def test_trees_do_not_depend_on_threads(n_jobs, layers, bootstrap, rng):
    X, Y = rng.normal(size=(80, 6)), rng.random((80, 5)) < 0.3
    given = {"layers": layers, "bootstrap": bootstrap, "random_state": 1}
    a = cf.HMLForest(20, n_jobs=1, **given).fit(X, Y)
    b = cf.HMLForest(20, n_jobs=n_jobs, **given).fit(X, Y)
    assert (a.missing_[0]["supported"] > 0) == (layers != 1)
    for name in ("offsets", "feature", "threshold", "left", "layer", "gain", "count"):
        np.testing.assert_array_equal(getattr(a.trees_, name), getattr(b.trees_, name))
    np.testing.assert_array_equal(a.leaves_, b.leaves_)


@pytest.fixture
def _all_registers_afterwards():
    yield
    _core.limit_registers(64)


@pytest.mark.parametrize("ranks_type", [np.uint16, np.uint32])
@pytest.mark.parametrize("bootstrap", [False, True])
@pytest.mark.parametrize("weights", [None, "idf", "large"])
@pytest.mark.parametrize("reading", [READINGS[0], READINGS[15]])
@pytest.mark.usefixtures("_all_registers_afterwards")
def test_every_strategy_grows_the_same_trees(ranks_type, bootstrap, weights, reading, rng):
    n, m, first = 300, 60, 37  # more tags in the first layer than two vectors hold
    X = np.round(rng.normal(size=(n, 8)), 1)
    Y = rng.random((n, m)) < 0.03
    Y[:, 0] |= X[:, 0] > 1
    tags = parse_tags(Y)
    tag_weights = None
    if weights == "idf":
        tag_weights = np.log(n / np.maximum(1, Y.sum(axis=0)))
    elif weights == "large":
        tag_weights = np.linspace(0.01, 1e6, m)
    evidence = gather_evidence(
        tags,
        [np.arange(first, dtype=np.int32), np.arange(first, m, dtype=np.int32)],
        correlation=True,
        reading=reading,
        weights=tag_weights,
    )
    ranks = rank_features(X, 1).astype(ranks_type)
    keys = np.arange(4, dtype=np.uint64)

    def grow(**limits):
        leaves = np.full((4, n), -1, np.int32)
        grown = _core.grow(
            ranks, evidence, keys, leaves, n_try=3, min_leaf=2, n_threads=1, progress=None,
            evidence_weights=reading.child_weights == "evidence", bootstrap=bootstrap, **limits,
        )  # fmt: skip
        return leaves, grown

    leaves, grown = grow()
    assert grown["offsets"][-1] > 4 * 20
    ways = ({}, {"pair_limit": 0}, {"pair_limit": 1024}, {"small_mass": 0}, {"soft_cells": 0})
    for register_bytes, limits in itertools.product((64, 32, 16), ways):
        _core.limit_registers(register_bytes)
        other_leaves, other = grow(**limits)
        np.testing.assert_array_equal(leaves, other_leaves)
        for name, values in grown.items():
            np.testing.assert_array_equal(values, other[name])


STRETCH = 256  # items that the core walks from one base where masses pass 32 bits


@pytest.mark.parametrize("child_weights", ["count", "evidence"])
@pytest.mark.usefixtures("_all_registers_afterwards")
def test_walks_in_stretches_grow_the_same_trees(child_weights, rng):
    n, m, first = 1500, 40, 20
    X = np.round(rng.normal(size=(n, 6)), 2)
    Y = rng.random((n, m)) < 0.05
    Y[:, 0] |= X[:, 0] > 1
    top, low = gather_evidence(
        parse_tags(Y),
        [np.arange(first, dtype=np.int32), np.arange(first, m, dtype=np.int32)],
        correlation=True,
        reading=cf.Reading(child_weights),
        weights=None,
    )
    # Stretches are walked as long as every tag has twice the mass of the next one ahead.
    item = np.repeat(np.arange(n), np.diff(top.start))
    beyond_base = top.positive.astype(np.int64) + top.negative - top.base[item]
    mass = top.base.sum(dtype=np.int64) + np.bincount(top.tag, beyond_base, minlength=first)
    assert mass.min() > 3 * STRETCH * _core.ONE
    ranks, keys = rank_features(X, 1), np.arange(3, dtype=np.uint64)

    def grow(**limits):
        leaves = np.full((3, n), -1, np.int32)
        grown = _core.grow(
            ranks, [top, low], keys, leaves, n_try=3, min_leaf=2, n_threads=1, progress=None,
            evidence_weights=child_weights == "evidence", bootstrap=False, **limits,
        )  # fmt: skip
        return leaves, grown

    leaves, grown = grow()
    assert (grown["layer"][grown["offsets"][:-1]] == 0).all()
    for register_bytes in (64, 32, 16):
        _core.limit_registers(register_bytes)
        other_leaves, other = grow(small_mass=0)
        np.testing.assert_array_equal(leaves, other_leaves)
        for name, values in grown.items():
            np.testing.assert_array_equal(values, other[name])
