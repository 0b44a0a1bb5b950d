"""HDBSCAN by a spanning tree that is handed to the library: the library's own answer."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import minimum_spanning_tree
from sklearn import cluster
from sklearn.metrics import adjusted_rand_score

from conceptforest.baselines import hdbscan
from conceptforest.baselines.dense_distances import squared_distances
from conceptforest.baselines.hdbscan import HDBSCAN, _select, _spanning_tree, _spread


def blobs(seed, n, k):
    rng = np.random.default_rng(seed)
    return 6 * rng.normal(size=(k, 3))[rng.integers(k, size=n)] + rng.normal(size=(n, 3))


def distances_of(X):
    squares, unit = squared_distances((X,), dtype=np.float64)
    return np.sqrt(squares * unit)


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(30, 90),
    min_samples=st.one_of(st.none(), st.integers(1, 10)),
)
def test_tree_is_that_of_the_library(seed, n, min_samples):
    X = blobs(seed, n, 4)
    for size, tree in HDBSCAN(min_samples=min_samples)._trees(distances_of(X), [2, 5, 12]):
        library = cluster.HDBSCAN(size, min_samples=min_samples, copy=True).fit(X)
        heights = library._single_linkage_tree_["value"]
        np.testing.assert_allclose(np.sort(tree.data)[::2], heights, rtol=1e-9)


@settings(max_examples=15, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(30, 90),
    min_samples=st.integers(1, 2),  # from 3 on, edges tie, and there are several shortest trees
    selection=st.sampled_from(["eom", "leaf"]),
)
def test_labels_are_those_of_the_library(seed, n, min_samples, selection):
    X = blobs(seed, n, 4)
    for size, tree in HDBSCAN(min_samples=min_samples)._trees(distances_of(X), [2, 5, 12]):
        library = cluster.HDBSCAN(
            size, min_samples=min_samples, cluster_selection_method=selection, copy=True
        ).fit(X)
        found = _select(tree, size, selection)
        np.testing.assert_array_equal(found < 0, library.labels_ < 0)
        assert adjusted_rand_score(found, library.labels_) == 1


def test_spanning_tree_is_the_shortest(rng):
    distances = distances_of(rng.normal(size=(60, 4)))
    core = np.sort(distances, axis=1)[:, 4]
    tree = _spanning_tree(distances, core)
    reach = np.maximum(np.maximum(distances, core[:, None]), core)
    np.fill_diagonal(reach, 0)
    assert tree.nnz == 2 * 59
    assert abs(tree - tree.T).nnz == 0
    assert tree.sum() / 2 == pytest.approx(minimum_spanning_tree(reach).sum())
    places = tree.tocoo()
    np.testing.assert_array_equal(places.data, reach[places.row, places.col])


def test_finds_planted_groups_and_their_noise(rng):
    group = np.repeat([0, 1, 2, 3], [80, 60, 40, 20])
    X = 10 * np.eye(4)[group] + rng.normal(size=(200, 4))
    far = np.concatenate([X, 60 + 200 * rng.random((5, 4))])
    method = HDBSCAN(4).fit(far, np.eye(205, 2))
    assert method.n_clusters_ == 4
    assert method.n_noise_ >= 5
    assert adjusted_rand_score(group, method.labels_[:200]) > 0.98


def test_the_nearest_number_with_least_noise_is_kept(rng, monkeypatch):
    X = rng.normal(size=(150, 3))
    original, seen = hdbscan._select, {}

    def watch(tree, size, selection):
        seen[size, selection] = original(tree, size, selection)
        return seen[size, selection]

    monkeypatch.setattr(hdbscan, "_select", watch)
    method = HDBSCAN(6).fit(X, np.eye(150, 2))
    ranks = {key: (abs(found.max() + 1 - 6), (found < 0).sum()) for key, found in seen.items()}
    kept = (method.min_cluster_size_, method.selection_)
    assert ranks[kept] == min(ranks.values())
    assert method.n_clusters_ == seen[kept].max() + 1
    assert method.n_noise_ == (seen[kept] < 0).sum()
    seen.clear()
    HDBSCAN(6, selection="leaf").fit(X, np.eye(150, 2))
    assert {selection for _, selection in seen} == {"leaf"}


def test_noise_and_small_clusters_join_the_nearest_item():
    place = np.array([0.0, 1.0, 2.0, 2.9, 10.0, 11.0, 6.4, 20.0])
    distances = abs(place[:, None] - place)
    labels = np.array([0, 0, 0, -1, 1, 1, -1, 2])
    assert _spread(distances, labels, 3).tolist() == [0, 0, 0, 0, 1, 1, 1, 2]
    assert _spread(distances, labels, 2).tolist() == [0, 0, 0, 0, 1, 1, 1, 1]
    assert _spread(distances, labels, 1).tolist() == [0] * 8


def test_nothing_but_noise_is_one_cluster():
    method = HDBSCAN(3).fit(np.ones((12, 2)), np.eye(12, 2))
    assert not method.labels_.any()
    assert (method.n_clusters_, method.n_noise_) == (0, 12)


def test_doubles_are_clusters(rng):
    X = np.repeat(rng.normal(size=(5, 3)), 20, axis=0)
    method = HDBSCAN(5).fit(X, np.eye(100, 2))
    assert (method.n_clusters_, method.n_noise_) == (5, 0)
    assert adjusted_rand_score(np.repeat(np.arange(5), 20), method.labels_) == 1


@pytest.mark.parametrize(
    ("params", "message"),
    [({"min_samples": 0}, "min_samples must be"), ({"selection": "leafs"}, "Did you mean 'leaf'")],
)
def test_wrong_parameters_are_explained(params, message):
    with pytest.raises(ValueError, match=message):
        HDBSCAN(2, **params).fit(np.eye(4), np.eye(4))


def test_more_samples_than_items():
    assert len(HDBSCAN(2, min_samples=99).fit(np.eye(4), np.eye(4)).labels_) == 4
