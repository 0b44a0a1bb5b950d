"""Synthetic rows, and the affinities that come of telling items from them."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.ensemble import RandomForestClassifier

from conceptforest.baselines.two_class_forest import add_synthetic
from conceptforest.forest.affinity import dense_affinity
from conceptforest.forest.evidence import hard_layer
from conceptforest.forest.growth import grow_trees, tree_keys


@pytest.fixture
def correlated(rng):
    base = rng.normal(size=(4000, 1))
    return np.hstack([base, base + rng.normal(scale=0.1, size=base.shape), base**2])


def test_marginals_keep_columns_and_lose_what_joins_them(correlated):
    X = correlated.astype(np.float32)
    rows = add_synthetic((X,), "marginals", 0)
    assert rows.dtype == np.float32
    np.testing.assert_array_equal(rows[:4000], X)
    made = rows[4000:]
    for column in range(3):
        assert np.isin(made[:, column], X[:, column]).all()
        # With replacement: as many different ones as a bootstrap has.
        assert len(np.unique(made[:, column])) / 4000 == pytest.approx(1 - 1 / np.e, abs=0.02)
        assert made[:, column].mean() == pytest.approx(X[:, column].mean(), abs=0.1)
    assert np.corrcoef(X.T)[0, 1] > 0.9
    assert np.abs(np.corrcoef(made.T) - np.eye(3)).max() < 0.06


def test_a_box_is_filled_evenly(correlated):
    rows = add_synthetic((correlated,), "box", 0)
    assert rows.dtype == np.float64
    low, high = correlated.min(axis=0), correlated.max(axis=0)
    share = (rows[4000:] - low) / (high - low)
    assert share.min() >= 0
    assert share.max() <= 1
    np.testing.assert_allclose(share.mean(axis=0), 1 / 2, atol=0.03)
    np.testing.assert_allclose(share.var(axis=0), 1 / 12, atol=0.005)
    assert np.abs(np.corrcoef(share.T) - np.eye(3)).max() < 0.06


def test_a_box_of_all_that_floats_can_hold():
    rows = add_synthetic((np.array([[-1e308], [1e308]]),), "box", 0)
    assert np.isfinite(rows).all()


def test_every_block_is_filled(monkeypatch, correlated):
    monkeypatch.setattr("conceptforest.baselines.two_class_forest._CELLS", 3 * 70)
    rows = add_synthetic((correlated,), "marginals", 0)
    assert all(np.isin(rows[4000:, c], correlated[:, c]).all() for c in range(3))
    assert len(np.unique(rows[4000:], axis=0)) > 3900


def test_tags_that_nobody_has_are_no_columns():
    tags = sparse.csr_array(([1, 1, 1], ([0, 1, 3], [7, 2, 7])), shape=(4, 9), dtype=np.uint8)
    rows = add_synthetic((np.zeros((4, 1), dtype=np.float16), tags), "marginals", 0)
    assert rows.dtype == np.float32
    np.testing.assert_array_equal(rows[:4, 1:], tags.toarray()[:, [2, 7]])


def test_the_seed_decides(correlated):
    one, same, other = (add_synthetic((correlated,), "marginals", seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert (one != other)[4000:].mean() > 0.9


@pytest.mark.parametrize("synthesis", ["marginals", "box"])
def test_affinities_are_those_of_the_library(synthesis, rng):
    """The library's forest of the two classes differs no more than another one of the library.

    But for one thing: the library splits a node even where no cut gains anything.
    """
    n, n_trees = 120, 200
    X = 2 * rng.normal(size=(3, 6))[rng.integers(3, size=n)] + rng.normal(size=(n, 6))
    rows = add_synthetic((X,), synthesis, 0)
    is_real = np.arange(2 * n) < n
    trees, leaves = grow_trees(
        rows, [hard_layer(sparse.csr_array(is_real[:, None]))], tree_keys(0, 0, n_trees), n_try=2,
        min_leaf=3, evidence_weights=False, bootstrap=True, n_threads=1, verbose=False,
    )  # fmt: skip
    pairs = np.triu_indices(n, 1)
    own = dense_affinity(leaves[:, :n], leaves[:, :n], trees.offsets, n_threads=1)[pairs]

    def library(seed):
        forest = RandomForestClassifier(n_trees, min_samples_leaf=3, random_state=seed)
        ends = forest.fit(rows, is_real).apply(rows[:n]).T
        return np.mean([end[:, None] == end for end in ends], axis=0)[pairs]

    one, other = library(0), library(1)
    luck = np.abs(one - other).mean()
    assert np.abs(own - one).mean() < 1.2 * luck
    assert np.corrcoef(own, one)[0, 1] > np.corrcoef(one, other)[0, 1] - 0.01
    assert own.mean() == pytest.approx(one.mean(), rel=0.1)
