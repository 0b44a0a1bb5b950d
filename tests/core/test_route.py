"""Items walk down the trees as they do one node at a time in plain Python."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.forest.states import random_trees

from conceptforest import _core


def route(trees, values, n_threads=1):
    leaves = np.full((trees.n_trees, len(values)), -1, np.int32)
    parts = (trees.offsets, trees.feature, trees.threshold, trees.left)
    _core.route(*parts, values, leaves, n_threads, None)
    return leaves


def walk(tree, x):
    at = 0
    while tree.left[at] != -1:
        goes_left = float(x[tree.feature[at]]) < float(tree.threshold[at])
        at = tree.left[at] + (0 if goes_left else 1)
    return at


@settings(deadline=None, max_examples=60)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.sampled_from([1, 2, 63, 64, 65, 130]),
    dtype=st.sampled_from([np.float32, np.float64]),
    n_threads=st.integers(1, 3),
)
def test_leaves_equal_a_walk_by_hand(seed, n, dtype, n_threads):
    rng = np.random.default_rng(seed)
    trees, _ = random_trees(rng, n_trees=3, n_items=12, n_features=4, n_layers=1)
    values = rng.normal(size=(n, 4)).astype(dtype)
    inner = np.flatnonzero(trees.feature != -1)
    for i, node in zip(range(n), inner, strict=False):  # some values lie on a threshold
        values[i, trees.feature[node]] = trees.threshold[node]
    leaves = route(trees, values, n_threads)
    for t in range(3):
        assert leaves[t].tolist() == [walk(trees.tree(t), x) for x in values]


def test_a_value_on_the_threshold_goes_right():
    stump = (
        np.array([0, 3], np.int64),
        np.array([0, -1, -1], np.int32),
        np.array([0.5, 0, 0]),
        np.array([1, -1, -1], np.int32),
    )
    leaves = np.empty((1, 3), np.int32)
    values = np.array([[np.nextafter(0.5, 0)], [0.5], [1.0]])
    _core.route(*stump, values, leaves, 1, None)
    assert leaves.tolist() == [[1, 2, 2]]


def test_float32_values_are_compared_with_float64_thresholds():
    # 0.1 in float32 is above 0.1 in float64.
    stump = (
        np.array([0, 3], np.int64),
        np.array([0, -1, -1], np.int32),
        np.array([np.nextafter(float(np.float32(0.1)), 1), 0, 0]),
        np.array([1, -1, -1], np.int32),
    )
    leaves = np.empty((1, 1), np.int32)
    _core.route(*stump, np.array([[0.1]], np.float32), leaves, 1, None)
    assert leaves.tolist() == [[1]]


def test_no_items_and_no_trees(rng):
    trees, _ = random_trees(rng, n_trees=2, n_items=5, n_features=3, n_layers=1)
    assert route(trees, np.empty((0, 3))).shape == (2, 0)
    leaves = np.empty((0, 4), np.int32)
    none = (np.zeros(1, np.int64), np.empty(0, np.int32), np.empty(0), np.empty(0, np.int32))
    _core.route(*none, np.zeros((4, 3)), leaves, 1, None)
    assert leaves.shape == (0, 4)


def test_shapes_must_agree(rng):
    trees, _ = random_trees(rng, n_trees=2, n_items=5, n_features=3, n_layers=1)
    parts = [trees.offsets, trees.feature, trees.threshold, trees.left]
    values = np.zeros((4, 3))
    with pytest.raises(ValueError, match="leaves: bad shape"):
        _core.route(*parts, values, np.empty((3, 4), np.int32), 1, None)
    with pytest.raises(ValueError, match="leaves: bad shape"):
        _core.route(*parts, values, np.empty((2, 5), np.int32), 1, None)
    parts[2] = trees.threshold[:-1]
    with pytest.raises(ValueError, match="nodes: arrays differ in length"):
        _core.route(*parts, values, np.empty((2, 4), np.int32), 1, None)


# Two trees: a root with two leaves, and a root whose right child has two leaves.
OFFSETS, FEATURE, LEFT = [0, 3, 8], [0, -1, -1, 2, -1, 1, -1, -1], [1, -1, -1, 1, -1, 3, -1, -1]


@pytest.mark.parametrize(
    ("offsets", "feature", "left"),
    [
        pytest.param(OFFSETS, [3, *FEATURE[1:]], LEFT, id="feature too large"),
        pytest.param(OFFSETS, [-1, *FEATURE[1:]], LEFT, id="no feature at an inner node"),
        pytest.param(OFFSETS, [-(2**31), *FEATURE[1:]], LEFT, id="feature far below 0"),
        pytest.param(OFFSETS, FEATURE, [0, *LEFT[1:]], id="its own child"),
        pytest.param(OFFSETS, FEATURE, [*LEFT[:5], 2, -1, -1], id="its own child, not the root"),
        pytest.param(OFFSETS, FEATURE, [*LEFT[:5], 1, -1, -1], id="child before its parent"),
        pytest.param(OFFSETS, FEATURE, [2, *LEFT[1:]], id="right child in the next tree"),
        pytest.param(OFFSETS, FEATURE, [3, *LEFT[1:]], id="both children in the next tree"),
        pytest.param(OFFSETS, FEATURE, [*LEFT[:5], 4, -1, -1], id="right child after the end"),
        pytest.param(OFFSETS, FEATURE, [2**31 - 1, *LEFT[1:]], id="child far after the end"),
        pytest.param([1, 3, 8], FEATURE, LEFT, id="offsets begin late"),
        pytest.param([-1, 3, 8], FEATURE, LEFT, id="offsets begin below 0"),
        pytest.param([0, 3, 7], FEATURE, LEFT, id="offsets end early"),
        pytest.param([0, 3, 9], FEATURE, LEFT, id="offsets end late"),
        pytest.param([0, 3, -8], FEATURE, LEFT, id="offsets end below 0"),
        pytest.param([0, 0, 8], FEATURE, LEFT, id="a tree without nodes"),
        pytest.param([0, 9, 8], FEATURE, LEFT, id="offsets fall"),
        pytest.param([0, 2**62, 8], FEATURE, LEFT, id="an offset far after the end"),
        pytest.param([], [], [], id="no offsets"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_bad_nodes_are_refused(offsets, feature, left, dtype):
    leaves = np.full((2, 4), -7, np.int32)
    parts = (np.array(offsets, np.int64), np.array(feature, np.int32), np.zeros(len(feature)))
    with pytest.raises(ValueError, match="nodes: "):
        _core.route(*parts, np.array(left, np.int32), np.zeros((4, 3), dtype), leaves, 1, None)
    assert (leaves == -7).all()


def test_good_nodes_of_the_same_shape_are_taken():
    leaves = np.full((2, 4), -7, np.int32)
    parts = (np.array(OFFSETS, np.int64), np.array(FEATURE, np.int32), np.zeros(8))
    _core.route(*parts, np.array(LEFT, np.int32), np.zeros((4, 3)), leaves, 1, None)
    assert leaves.tolist() == [[2] * 4, [4] * 4]
