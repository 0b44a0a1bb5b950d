"""Trees of joined sources: those of the oracle, and of the searches that they contain."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.forest.by_hand import core_layer
from tests.oracle import hml_tree, joint_tree
from tests.oracle.random_stream import draw_bag

from conceptforest import _core
from conceptforest.forest.evidence import Sources, hard_layer
from conceptforest.forest.growth import grow_trees, tree_keys
from conceptforest.forest.ranks import rank_features

FIELDS = ("offsets", "feature", "threshold", "left", "layer", "gain", "count")


def grow(X, layer, sources, *, keys=(7,), n_try=2, min_leaf=1, bootstrap=False, n_threads=1):
    return grow_trees(
        np.array(X, dtype=np.float64), [layer], np.array(keys, dtype=np.uint64), n_try=n_try,
        min_leaf=min_leaf, evidence_weights=False, bootstrap=bootstrap, n_threads=n_threads,
        verbose=False, sources=sources,
    )  # fmt: skip


def layer_of(Y, real):
    """Tags, and after them that of real items."""
    tags = np.array(Y, dtype=np.uint8).reshape(len(Y), -1)
    if real is not None:
        tags = np.column_stack([tags, np.array(real, dtype=np.uint8)])
    return hard_layer(sparse.csr_array(tags))


def assert_equals_oracle(X, Y, real, *, alpha, normalise, n_try, min_leaf, bootstrap, keys):
    sources = Sources(-1 if real is None else len(Y[0]), alpha, normalise)
    trees, leaves = grow(
        X, layer_of(Y, real), sources, keys=keys, n_try=n_try, min_leaf=min_leaf,
        bootstrap=bootstrap,
    )  # fmt: skip
    how = joint_tree.Settings(n_try, min_leaf, alpha, normalise)
    for t, key in enumerate(keys):
        draws = draw_bag(int(key), len(X)) if bootstrap else None
        nodes = joint_tree.grow_tree(X, Y, real, int(key), how, draws)
        tree = trees.tree(t)
        assert tree.feature.tolist() == [v.feature for v in nodes]
        assert tree.threshold.tolist() == [v.threshold for v in nodes]
        assert tree.left.tolist() == [v.left for v in nodes]
        assert tree.count.tolist() == [v.count for v in nodes]
        assert tree.layer.tolist() == [v.layer for v in nodes]
        np.testing.assert_allclose(tree.gain, [float(v.gain) for v in nodes], rtol=1e-9, atol=1e-11)
        assert leaves[t].tolist() == [hml_tree.find_leaf(nodes, x) for x in X]
    return trees


def assert_same(one, other, *, but=()):
    for name in set(FIELDS) - set(but):
        np.testing.assert_array_equal(getattr(one[0], name), getattr(other[0], name))
    np.testing.assert_array_equal(one[1], other[1])


@st.composite
def collections(draw):
    """Rows with ties and doubles, items with and without tags, synthetic rows or none."""
    n, d, m = draw(st.integers(2, 14)), draw(st.integers(1, 4)), draw(st.integers(1, 5))
    cell = st.sampled_from(draw(st.sampled_from([[0.0, 1.0], [0.0, 0.5, 1.0, 3.25, 7.0]])))
    X = draw(st.lists(st.lists(cell, min_size=d, max_size=d), min_size=n, max_size=n))
    density = draw(st.sampled_from([1, 2, 4]))
    bit = st.integers(0, density).map(lambda v: int(v == density))
    Y = draw(st.lists(st.lists(bit, min_size=m, max_size=m), min_size=n, max_size=n))
    real = draw(st.none() | st.lists(st.booleans(), min_size=n, max_size=n))
    if real is not None:
        real[0] = True
        Y = [[has * is_real for has in row] for row, is_real in zip(Y, real, strict=True)]
    if not any(map(any, Y)):
        Y[0][0] = 1
    return X, Y, real


@settings(max_examples=400, deadline=None)
@given(
    data=collections(),
    alpha=st.sampled_from([0.0, 0.3, 0.5, 1.0]),
    normalise=st.booleans(),
    n_try=st.integers(1, 4),
    min_leaf=st.integers(1, 3),
    bootstrap=st.booleans(),
    seed=st.integers(0, 2**32 - 1),
)
def test_trees_equal_the_oracles(data, alpha, normalise, n_try, min_leaf, bootstrap, seed):
    X, Y, real = data
    assert_equals_oracle(
        X, Y, real, alpha=alpha, normalise=normalise, n_try=min(n_try, len(X[0])),
        min_leaf=min_leaf, bootstrap=bootstrap, keys=tree_keys(seed, 0, 2),
    )  # fmt: skip


@pytest.mark.parametrize("bootstrap", [False, True])
@pytest.mark.parametrize("normalise", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_larger_trees_equal_the_oracles(seed, normalise, bootstrap):
    rng = np.random.default_rng(seed)
    n = 70
    a, b, c = rng.normal(size=(3, n))
    X = np.column_stack([a, b.round(1), c.round()])
    real = rng.random(n) < 0.6
    Y = (rng.random((n, 6)) < [0.3, 0.3, 0.2, 0.2, 0.05, 0.02]) & real[:, None]
    Y[real & (a > 0.7)] = False  # untagged items
    trees = assert_equals_oracle(
        X.tolist(), Y.astype(int).tolist(), real.tolist(), alpha=0.5, normalise=normalise, n_try=3,
        min_leaf=2, bootstrap=bootstrap, keys=[seed],
    )  # fmt: skip
    assert trees.offsets[-1] > 15


def test_the_gain_of_a_cut_by_hand():
    # Four items, the last without tags, and two synthetic rows. Three of four items are present:
    # the two tags weigh 1/4 * 3/4 each, and a third of 1/2 * 1/4 more; so do the classes beside
    # 1/2. The cut after two items gains 4/9 for either tag among three items, and for the classes
    # 4/9 - 4/6 * 1/2.
    X = [[float(x)] for x in range(6)]
    Y = [[1, 0], [1, 0], [0, 1], [0, 0], [0, 0], [0, 0]]
    layer = layer_of(Y, [1, 1, 1, 1, 0, 0])
    trees, _ = grow(X, layer, Sources(2, 0.5, normalise=False))
    more = 1 / 24
    assert trees.threshold[0] == 1.5
    assert trees.gain[0] == pytest.approx((1 / 2 + more) / 9 + 2 * (3 / 16 + more) * 4 / 9)
    # Over their best, either tag gains 1 there, and the classes a quarter of theirs.
    trees, _ = grow(X, layer, Sources(2, 0.5, normalise=True))
    assert trees.threshold[0] == 1.5
    assert trees.gain[0] == pytest.approx((1 / 2 + more) / 4 + 2 * (3 / 16 + more))


@pytest.fixture
def collection(rng):
    """Rows with ties and doubles, none without tags."""
    X = np.round(rng.normal(size=(300, 8)), 1)
    X[200:250] = X[:50]
    Y = rng.random((300, 30)) < 0.08
    Y[:, 0] |= X[:, 0] > 0.5
    Y[~Y.any(axis=1), 1] = True
    return X, Y


@pytest.mark.parametrize("normalise", [False, True])
@pytest.mark.parametrize("bootstrap", [False, True])
@pytest.mark.parametrize("n_tags", [0, 30])
def test_two_classes_alone_are_a_forest_of_one_tag(collection, n_tags, bootstrap, normalise):
    X, Y = collection
    real = np.arange(len(X)) % 3 > 0
    how = {"keys": range(10), "n_try": 2, "min_leaf": 3, "bootstrap": bootstrap}
    sources = Sources(n_tags, 1.0, normalise)
    joint = grow(X, layer_of(Y[:, :n_tags] & real[:, None], real), sources, **how)
    alone = grow(X, hard_layer(sparse.csr_array(real[:, None])), None, **how)
    assert joint[0].offsets[-1] > 300
    assert_same(joint, alone, but=("gain",))
    if not normalise:
        np.testing.assert_allclose(joint[0].gain, alone[0].gain, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("bootstrap", [False, True])
def test_tags_alone_are_a_forest_of_one_layer(collection, bootstrap):
    X, Y = collection
    how = {"keys": range(10), "n_try": 3, "min_leaf": 2, "bootstrap": bootstrap}
    joint = grow(X, layer_of(Y, None), Sources(-1, 0.0, normalise=False), **how)
    flat = grow(X, layer_of(Y, None), None, **how)
    assert joint[0].offsets[-1] > 1000
    assert_same(joint, flat, but=("gain",))
    inner = flat[0].gain > 0
    ratio = joint[0].gain[inner] / flat[0].gain[inner]
    root = flat[0].offsets[:-1]
    for first, end in zip(root, flat[0].offsets[1:], strict=True):  # tags that vary share 1
        of_tree = ratio[np.cumsum(inner)[first] - 1 : np.cumsum(inner)[end - 1]]
        np.testing.assert_allclose(of_tree, of_tree[0], rtol=1e-9)
        assert 1 / of_tree[0] == pytest.approx(round(1 / of_tree[0]))


def test_doubling_a_source_counts_it_twice(collection):
    """Two copies of a tag beside another: the forest of one layer in which it weighs twice."""
    X, Y = collection
    twice = np.column_stack([Y[:, [0, 0]], ~Y[:, 0] | Y[:, 1]])
    weighted = core_layer([set(np.flatnonzero(row)) for row in twice[:, 1:]], 2, [2, 1])
    weighted.soft = weighted.positive = weighted.negative = weighted.base = None
    joint = grow(X, layer_of(twice, None), Sources(-1, 0.0, normalise=False), keys=range(5))
    assert_same(joint, grow(X, weighted, None, keys=range(5)), but=("gain",))


@pytest.mark.parametrize("n_threads", [2, 3])
def test_threads_change_nothing(collection, n_threads):
    X, Y = collection
    real = np.arange(len(X)) % 3 > 0
    given = X, layer_of(Y & real[:, None], real), Sources(30, 0.5, normalise=True)
    one, many = (
        grow(*given, keys=range(20), bootstrap=True, n_threads=threads)
        for threads in (1, n_threads)
    )
    assert_same(one, many)


def test_items_that_nothing_tells_apart_stay_together():
    X = [[0.0, 1.0], [0.0, 1.0], [0.0, 1.0]]
    trees, _ = grow(X, layer_of([[1], [0], [1]], [1, 1, 0]), Sources(1, 0.5, normalise=True))
    assert trees.feature.tolist() == [-1]


def test_only_untagged_items_in_a_bag():
    """The tags then have no weight, and none is divided by zero."""
    X, Y = [[float(x % 5)] for x in range(40)], [[1]] + [[0]] * 39
    layer = layer_of(Y, [x < 20 for x in range(40)])
    keys = [key for key in range(60) if not draw_bag(key, 40)[0]]
    trees, _ = grow(X, layer, Sources(1, 0.5, normalise=True), keys=keys, bootstrap=True)
    assert len(keys) > 10
    assert np.isfinite(trees.gain).all()
    assert (trees.gain > 0).any()


SOFT = core_layer([{0}, [(0.5, 0.5)]])
HARD = hard_layer(sparse.csr_array([[1], [0]]))
WEIGHED = core_layer([{0}, set()], weight=[3])
WEIGHED.soft = None


@pytest.mark.parametrize(
    ("layers", "change", "message"),
    [
        ([HARD, HARD], {}, "one layer, hard and without weights"),
        ([SOFT], {}, "one layer, hard and without weights"),
        ([WEIGHED], {}, "one layer, hard and without weights"),
        ([HARD], {"two_class": 1}, "two_class is no tag"),
        ([HARD], {"two_class": -2}, "two_class is no tag"),
        ([HARD], {"alpha": -0.1}, r"alpha must lie in \[0, 1\]"),
        ([HARD], {"alpha": 1.1}, r"alpha must lie in \[0, 1\]"),
        ([HARD], {"alpha": float("nan")}, r"alpha must lie in \[0, 1\]"),
    ],
)
def test_sources_that_do_not_fit_are_refused(layers, change, message):
    sources = SimpleNamespace(**{"two_class": 0, "alpha": 0.5, "normalise": True, **change})
    with pytest.raises(ValueError, match=f"sources: .*{message}"):
        _core.grow(
            rank_features(np.array([[0.0], [1.0]]), 1), layers, np.zeros(1, np.uint64),
            np.zeros((1, 2), np.int32), n_try=1, min_leaf=1, evidence_weights=False,
            bootstrap=False, n_threads=1, progress=None, sources=sources,
        )  # fmt: skip


@pytest.mark.parametrize(
    "change", [{"two_class": 2**31}, {"two_class": "a"}, {"alpha": "a"}, {"normalise": None}]
)
def test_sources_of_another_type_are_refused(change):
    sources = SimpleNamespace(**{"two_class": 0, "alpha": 0.5, "normalise": True, **change})
    with pytest.raises((TypeError, RuntimeError)):
        grow([[0.0], [1.0]], HARD, sources)
