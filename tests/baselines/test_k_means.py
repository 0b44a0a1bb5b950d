"""K-means on points in parts: the labels of the oracle and of the concatenated vectors."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.cluster import KMeans as LibraryKMeans
from sklearn.metrics import adjusted_rand_score
from tests.oracle import baselines as oracle
from threadpoolctl import threadpool_limits

from conceptforest.baselines.k_means import KMeans, Points, lloyd, spread


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(3, 30), k=st.integers(1, 3))
def test_lloyd_equals_oracle(seed, n, k):
    rng = np.random.default_rng(seed)
    X, tags = rng.normal(size=(n, 2)), (rng.random((n, 3)) < 0.5).astype(np.uint8)
    points = Points((X, sparse.csr_array(tags)))
    start = rng.choice(n, size=k, replace=False)
    joined = np.hstack([X, tags])
    assume(len(np.unique(joined[start], axis=0)) == k)
    try:
        expected = oracle.lloyd(joined.tolist(), joined[start].tolist(), 100)
    except AssertionError:  # a centre lost all its points, which the oracle does not treat
        assume(False)
    run = lloyd(points, points.take(start), 100)
    assert run.labels.tolist() == expected
    centres = [joined[run.labels == c].mean(axis=0) for c in range(k)]
    exact = sum(((p - centres[c]) ** 2).sum() for p, c in zip(joined, expected, strict=True))
    assert run.inertia == pytest.approx(exact, abs=1e-9)


def test_as_good_as_the_library(rng):
    centres = rng.normal(scale=2, size=(8, 6))
    X = (centres[rng.integers(8, size=300)] + rng.normal(size=(300, 6))).astype(np.float32)
    tags = sparse.csr_array((rng.random((300, 10)) < 0.2).astype(np.uint8))
    for mode, rows in (
        ("vision", X),
        ("tags", tags.toarray()),
        ("concatenated", np.hstack([X, tags.toarray()])),
    ):
        found = KMeans(8, mode=mode, random_state=0).fit(X, tags)
        with threadpool_limits(1):
            library = LibraryKMeans(8, n_init=10, random_state=0).fit(rows.astype(float))
        assert found.inertia_ < 1.01 * library.inertia_
        if mode == "vision":
            assert adjusted_rand_score(found.labels_, library.labels_) > 0.9


def test_best_restart_is_kept(rng):
    X, tags = rng.normal(size=(100, 3)), np.eye(100, 2)
    few, many = (KMeans(9, n_init=n, random_state=0).fit(X, tags).inertia_ for n in (1, 20))
    assert many < few


def test_starts_are_spread_out(rng):
    """One point of each far group, however many points the groups have."""
    group = np.repeat(np.arange(5), [200, 50, 10, 5, 1])
    X = 1000 * np.eye(5)[group] + rng.normal(size=(266, 5))
    chosen = spread(Points((X,)), 5, rng)
    assert sorted(group[chosen]) == [0, 1, 2, 3, 4]


def test_starts_among_doubles():
    chosen = spread(Points((np.ones((4, 2)),)), 3, np.random.default_rng(0))
    assert len(chosen) == 3


def test_a_centre_without_points_takes_the_farthest():
    X = np.array([[0.0], [1.0], [2.0], [50.0]])
    points = Points((X,))
    far_away = [np.array([[0.0], [1e6]])]
    assert lloyd(points, far_away, 100).labels.tolist() == [0, 0, 0, 1]


def test_features_far_from_zero_keep_their_precision(rng):
    group = np.arange(60) % 2
    X = (1e4 + group[:, None] * 0.5 + rng.normal(scale=0.05, size=(60, 3))).astype(np.float32)
    labels = KMeans(2, random_state=0).fit(X, np.eye(60, 2)).labels_
    assert adjusted_rand_score(group, labels) == 1
