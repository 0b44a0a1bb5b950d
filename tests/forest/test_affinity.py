"""Affinities: the values and rows of the oracle, fair and seeded choices among equals."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.memory import peak_growth
from tests.oracle import affinity as oracle

import conceptforest as cf


def fit(X, Y, **params):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "No tree could split")
        return cf.HMLForest(layers=1, **params).fit(X, Y)


@st.composite
def forests(draw):
    seed = draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    n, d = draw(st.integers(2, 30)), draw(st.integers(1, 3))
    X = np.round(rng.normal(size=(n, d)), 1)
    Y = rng.random((n, 3)) < 0.4
    Y[0, 0] = True
    forest = fit(
        X,
        Y,
        n_estimators=draw(st.sampled_from([1, 3, 7])),
        min_samples_leaf=draw(st.integers(1, 4)),
        bootstrap=draw(st.booleans()),
        random_state=seed,
    )
    return forest, X, np.round(rng.normal(size=(draw(st.integers(1, 5)), d)), 1)


def check_rows(found, expected, n_trees, k, *, exclude_self):
    assert isinstance(found, sparse.csr_array)
    assert found.shape == (len(expected), len(expected[0]))
    assert found.has_sorted_indices
    assert (found.data > 0).all()
    for i, row_counts in enumerate(expected):
        columns = found.indices[found.indptr[i] : found.indptr[i + 1]].tolist()
        values = found.data[found.indptr[i] : found.indptr[i + 1]]
        in_trees = np.rint(values * n_trees).astype(int)
        assert (values == in_trees / n_trees).all()  # multiples of 1 / n_trees, exactly
        chosen = dict(zip(columns, in_trees.tolist(), strict=True))
        assert len(chosen) == len(columns)
        oracle.check_nearest(row_counts, chosen, k, itself=i if exclude_self else None)


@settings(max_examples=60, deadline=None)
@given(made=forests(), k=st.integers(1, 40))
def test_rows_equal_oracle_for_training_items(made, k):
    forest, _, _ = made
    expected = oracle.counts(forest.leaves_.tolist(), forest.leaves_.tolist())
    found = forest.affinity(n_neighbors=k)
    check_rows(found, expected, forest.trees_.n_trees, k, exclude_self=True)


@settings(max_examples=60, deadline=None)
@given(made=forests(), k=st.integers(1, 40))
def test_rows_equal_oracle_for_new_items(made, k):
    forest, _, X_new = made
    expected = oracle.counts(forest.apply(X_new).tolist(), forest.leaves_.tolist())
    found = forest.affinity(X_new, n_neighbors=k)
    check_rows(found, expected, forest.trees_.n_trees, k, exclude_self=False)


@settings(max_examples=30, deadline=None)
@given(made=forests())
def test_dense_equals_oracle(made):
    forest, _, X_new = made
    n_trees = forest.trees_.n_trees
    training = forest.leaves_.tolist()
    expected = np.array(oracle.counts(training, training)) / n_trees
    np.testing.assert_array_equal(forest.affinity(dense=True), expected)
    expected = np.array(oracle.counts(forest.apply(X_new).tolist(), training)) / n_trees
    np.testing.assert_array_equal(forest.affinity(X_new, dense=True), expected)


@settings(max_examples=30, deadline=None)
@given(made=forests())
def test_dense_is_a_kernel(made):
    dense = made[0].affinity(dense=True)
    np.testing.assert_array_equal(dense, dense.T)
    assert (np.diag(dense) == 1).all()
    assert np.linalg.eigvalsh(dense).min() > -1e-9


def test_every_tree_is_an_equivalence_relation(rng):
    X, Y = rng.normal(size=(25, 3)), rng.random((25, 3)) < 0.4
    for seed in range(5):
        same = fit(X, Y, n_estimators=1, random_state=seed).affinity(dense=True).astype(bool)
        assert same.diagonal().all()
        np.testing.assert_array_equal(same, same.T)
        np.testing.assert_array_equal(same @ same, same)  # transitive


def test_an_item_given_anew_finds_itself(rng):
    X, Y = rng.normal(size=(30, 3)), rng.random((30, 3)) < 0.4
    forest = fit(X, Y, n_estimators=9, random_state=0)
    np.testing.assert_array_equal(forest.affinity(X, n_neighbors=30).diagonal(), 1)
    np.testing.assert_array_equal(forest.affinity(n_neighbors=30).diagonal(), 0)


@pytest.fixture
def all_tied():
    """One leaf holds all 400 items, so all affinities are 1."""

    def make(seed):
        X, Y = np.zeros((400, 1)), np.eye(400, 1)
        return fit(X, Y, n_estimators=3, random_state=seed)

    return make


def test_choice_among_equals_is_seeded(all_tied):
    one, again, other = (all_tied(seed).affinity(n_neighbors=5) for seed in (1, 1, 2))
    assert one.indices.tobytes() == again.indices.tobytes()
    assert one.indices.tobytes() != other.indices.tobytes()


def test_choice_among_equals_favours_no_index(all_tied):
    found = all_tied(0).affinity(n_neighbors=10)
    # 4000 choices among 400: the mean of their indices has a standard error of 1.8, and each
    # item is chosen 10 times on average, with a standard deviation of 3.1.
    assert found.indices.mean() == pytest.approx(199.5, abs=6)
    times = np.bincount(found.indices, minlength=400)
    assert times.max() < 26
    assert times.std() == pytest.approx(3.1, abs=0.5)


def test_choice_among_equals_differs_from_row_to_row(all_tied):
    found = all_tied(0).affinity(n_neighbors=10).indices.reshape(400, 10)
    assert len(np.unique(found, axis=0)) == 400


@pytest.mark.parametrize("n_jobs", [2, 3, -1])
def test_rows_do_not_depend_on_threads(n_jobs, rng):
    X, Y = rng.normal(size=(200, 3)), rng.random((200, 3)) < 0.4
    forest = fit(X, Y, n_estimators=6, random_state=0, n_jobs=1)
    one = forest.affinity(n_neighbors=7)
    dense = forest.affinity(dense=True)
    other = forest.set_params(n_jobs=n_jobs).affinity(n_neighbors=7)
    np.testing.assert_array_equal(one.indptr, other.indptr)
    np.testing.assert_array_equal(one.indices, other.indices)
    np.testing.assert_array_equal(one.data, other.data)
    np.testing.assert_array_equal(dense, forest.affinity(dense=True))


def test_more_neighbours_than_items_gives_all_that_share_a_leaf(rng):
    X, Y = rng.normal(size=(20, 3)), rng.random((20, 3)) < 0.4
    forest = fit(X, Y, n_estimators=4, random_state=0)
    dense = forest.affinity(dense=True)
    np.fill_diagonal(dense, 0)
    np.testing.assert_array_equal(forest.affinity(n_neighbors=10**12).toarray(), dense)


MANY_ITEMS = """
import numpy as np
from scipy import sparse
import conceptforest as cf

n = 70_000
X = np.random.default_rng(0).random((n, 2))
tags = sparse.csr_array((np.ones(n), (np.arange(n), (X[:, 0] * 3000).astype(int))))
forest = cf.HMLForest(2, layers=1, max_features=None, random_state=0, n_jobs=1).fit(X, tags)
"""


def test_memory_follows_the_neighbours_found_not_those_asked_for():
    grown = peak_growth(
        MANY_ITEMS,
        """
        found = forest.affinity(n_neighbors=10**9)
        largest = max(np.bincount(leaf).max() for leaf in forest.leaves_.T)
        assert n < found.nnz < 2 * n * largest < 200 * n
        """,
    )
    assert grown < 400e6  # a place for every pair would take 20 GB


@pytest.mark.parametrize("n_neighbors", [0, -3])
def test_too_few_neighbours_are_refused(n_neighbors, rng):
    forest = fit(rng.normal(size=(9, 2)), np.eye(9, 2), n_estimators=2, random_state=0)
    with pytest.raises(ValueError, match=f"n_neighbors must be at least 1; got {n_neighbors}"):
        forest.affinity(n_neighbors=n_neighbors)


@pytest.mark.parametrize("n_neighbors", [2.0, "2", None, True])
def test_neighbours_that_are_no_number_are_refused(n_neighbors, rng):
    forest = fit(rng.normal(size=(9, 2)), np.eye(9, 2), n_estimators=2, random_state=0)
    with pytest.raises(TypeError, match=r"n_neighbors must be a whole number of at least 1; got"):
        forest.affinity(n_neighbors=n_neighbors)


def test_dense_of_too_many_items_is_refused():
    X = np.arange(10_001.0)[:, None]
    forest = fit(X, X < 5000, n_estimators=1, random_state=0)
    with pytest.raises(ValueError, match=r"10001 x 10001 items would take 0\.8 GB.*n_neighbors"):
        forest.affinity(dense=True)
    assert forest.affinity(X[:3], n_neighbors=2).nnz == 6


def test_more_items_than_16_bits_count(rng):
    n = 66_000
    X = rng.random((n, 2))
    Y = sparse.csr_array((np.ones(n), (np.arange(n), (X[:, 0] * 3000).astype(int))))
    forest = fit(X, Y, n_estimators=2, max_features=None, random_state=0, n_jobs=2)
    found = forest.affinity(n_neighbors=3)
    rows = np.repeat(np.arange(n), np.diff(found.indptr))
    assert (found.indices != rows).all()
    assert found.indices.max() > 65_535
    shared = (forest.leaves_[rows] == forest.leaves_[found.indices]).mean(axis=1)
    np.testing.assert_array_equal(found.data, shared)
    sizes = [np.bincount(leaf)[leaf] - 1 for leaf in forest.leaves_.T]
    assert (np.diff(found.indptr) >= np.minimum(3, np.max(sizes, axis=0))).all()


@pytest.mark.parametrize("trees", [slice(3), slice(1, None, 2), [4, 0, 4], np.array([2])])
def test_chosen_trees_are_a_forest_of_their_own(trees, rng):
    X, Y = rng.normal(size=(30, 3)), rng.random((30, 4)) < 0.4
    forest = fit(X, Y, n_estimators=5, random_state=0)
    chosen = sorted(set(np.arange(5)[trees].tolist()))
    leaves = forest.leaves_[:, chosen].tolist()
    expected = np.array(oracle.counts(leaves, leaves)) / len(chosen)
    assert (forest.affinity(dense=True, trees=trees) == expected).all()
    assert (forest.affinity(X, dense=True, trees=trees) == expected).all()
    sparse_rows = forest.affinity(n_neighbors=30, trees=trees).toarray()
    assert (sparse_rows == expected - np.diag(np.diag(expected))).all()


@pytest.mark.parametrize("trees", [[], [5], [-1], [0.5], slice(5, None), "all", [[0, 1]]])
def test_trees_that_are_not_there_are_refused(trees, rng):
    forest = fit(rng.normal(size=(9, 2)), rng.random((9, 2)) < 0.5, n_estimators=5)
    with pytest.raises(ValueError, match="trees must be"):
        forest.affinity(trees=trees)
