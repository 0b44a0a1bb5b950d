"""The Leiden algorithm: what its authors prove of it, a known optimum, and another library."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from sklearn.metrics import adjusted_rand_score
from sknetwork.clustering import Louvain, get_modularity

from conceptforest.baselines.communities import _Level, _refine, leiden
from conceptforest.structure.cosine_graph import cosine_graph
from conceptforest.structure.graph import degrees


@st.composite
def graphs(draw):
    n = draw(st.integers(2, 30))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    group = rng.integers(1 + n // 6, size=n)
    likely = np.where(group[:, None] == group, 0.7, draw(st.sampled_from([0.0, 0.1, 0.3])))
    upper = np.triu(rng.random((n, n)) < likely, 1)
    weights = rng.uniform(0.1, 1, size=(n, n)) if draw(st.booleans()) else np.ones((n, n))
    return sparse.csr_array((upper * weights) + (upper * weights).T)


def quality(graph, labels, resolution):
    if not graph.nnz:
        return 0.0
    return get_modularity(sparse.csr_matrix(graph), labels, resolution=resolution)


def is_connected(graph, members):
    return connected_components(graph[members][:, members])[0] == 1


@settings(max_examples=60, deadline=None)
@given(graph=graphs(), resolution=st.sampled_from([0.2, 1.0, 3.0]), seed=st.integers(0, 9))
def test_communities_are_connected_and_separated(graph, resolution, seed):
    labels = leiden(graph, resolution, n_iterations=1, seed=seed)
    count = labels.max() + 1
    assert set(labels.tolist()) == set(range(count))
    best = quality(graph, labels, resolution)
    for one in range(count):
        assert is_connected(graph, np.flatnonzero(labels == one))
        for other in range(one):
            joined = np.where(labels == one, other, labels)
            assert quality(graph, joined, resolution) <= best + 1e-6


@settings(max_examples=25, deadline=None)
@given(graph=graphs(), resolution=st.sampled_from([0.2, 1.0, 3.0]), seed=st.integers(0, 9))
def test_when_nothing_changes_any_more_no_item_gains_by_moving(graph, resolution, seed):
    labels = leiden(graph, resolution, n_iterations=100, seed=seed)
    best = quality(graph, labels, resolution)
    for item in range(len(labels)):
        for target in range(labels.max() + 2):  # the last one is to be alone
            moved = labels.copy()
            moved[item] = target
            assert quality(graph, moved, resolution) <= best + 1e-6


@settings(max_examples=60, deadline=None)
@given(graph=graphs(), seed=st.integers(0, 9), resolution=st.sampled_from([0.2, 1.0, 3.0]))
def test_refined_parts_are_connected_and_within_their_community(graph, seed, resolution):
    rng = np.random.default_rng(seed)
    labels = rng.integers(3, size=graph.shape[0]).tolist()
    degree = degrees(graph)
    scale = resolution / max(1.0, degree.sum())
    parts = np.array(_refine(_Level.of(graph, degree, scale), labels, 1e-12, rng))
    for part in set(parts.tolist()):
        members = np.flatnonzero(parts == part)
        assert len({labels[item] for item in members}) == 1
        assert is_connected(graph, members)


def test_optimum_of_the_karate_club():
    """0.4198 is the proven maximum for the unweighted graph (Brandes and others 2008)."""
    graph = sparse.csr_array(nx.to_scipy_sparse_array(nx.karate_club_graph(), weight=None))
    found = [leiden(graph.astype(float), n_iterations=5, seed=seed) for seed in range(20)]
    values = [quality(graph, labels, 1.0) for labels in found]
    assert max(values) == pytest.approx(0.4198, abs=5e-5)
    assert np.median(values) > 0.415


def test_a_ring_of_cliques_falls_into_its_cliques():
    names = nx.ring_of_cliques(12, 6)
    graph = sparse.csr_array(nx.to_scipy_sparse_array(names, dtype=float))
    assert adjusted_rand_score(leiden(graph), np.repeat(np.arange(12), 6)) == 1


def test_resolution_sets_the_number():
    graph = sparse.csr_array(nx.to_scipy_sparse_array(nx.ring_of_cliques(12, 6), dtype=float))
    counts = [leiden(graph, resolution).max() + 1 for resolution in (0.05, 0.3, 1, 30)]
    assert counts == sorted(counts)
    assert counts[0] < 12
    assert counts[-1] == 72


def test_is_no_worse_than_louvain_of_another_library(rng):
    X = rng.normal(size=(25, 12))[rng.integers(25, size=600)] + rng.normal(size=(600, 12))
    graph = cosine_graph(X, 10)
    for resolution in (1.0, 5.0):
        theirs = [
            Louvain(
                resolution, "newman", 1e-7, 1e-7, shuffle_nodes=True, random_state=seed
            ).fit_predict(sparse.csr_matrix(graph))
            for seed in range(5)
        ]
        ours = [leiden(graph, resolution, seed=seed) for seed in range(5)]
        means = [
            np.mean([quality(graph, one, resolution) for one in all_]) for all_ in (ours, theirs)
        ]
        assert means[0] > means[1]


def test_a_graph_without_edges_is_left_in_pieces():
    assert leiden(sparse.csr_array((4, 4))).tolist() == [0, 1, 2, 3]


def test_seed_decides(rng):
    graph = cosine_graph(rng.normal(size=(200, 5)), 8)
    one, same, other = (leiden(graph, 2.0, seed=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one, same)
    assert not np.array_equal(one, other)
