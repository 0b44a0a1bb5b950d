"""Last moves between clusters equal plain loops, and never lower the modularity."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.oracle import settling as oracle

from conceptforest import _core
from conceptforest.structure.settling import settle


def random_graph(rng, n, share):
    joins = np.triu(rng.random((n, n)) < share, 1) * rng.integers(1, 4, (n, n))
    return joins + joins.T


@settings(deadline=None, max_examples=80)
@given(data=st.data())
def test_equals_the_oracle(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    n, n_clusters = data.draw(st.integers(1, 12)), data.draw(st.integers(1, 4))
    graph = random_graph(rng, n, data.draw(st.sampled_from([0.0, 0.2, 0.5, 1.0])))
    labels = rng.integers(0, n_clusters, n)
    resolution = data.draw(st.sampled_from([0.0, 0.5, 1.0, 2.0, 8.0]))
    seed = data.draw(st.integers(0, 2**64 - 1))
    found = settle(sparse.csr_array(graph), labels, n_clusters, resolution=resolution, seed=seed)
    expected = oracle.settle(graph.tolist(), labels.tolist(), resolution, 100, seed)
    assert found.tolist() == expected


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 2**32 - 1), resolution=st.sampled_from([0.5, 2.0]))
def test_modularity_never_falls_and_no_cluster_is_lost(seed, resolution):
    rng = np.random.default_rng(seed)
    graph = random_graph(rng, 15, 0.4)
    labels = rng.permutation(np.arange(15) % 4)
    given_labels = labels.copy()
    found = settle(sparse.csr_array(graph * 0.37), labels, 4, resolution=resolution)
    assert (labels == given_labels).all()
    assert len(set(found.tolist())) == 4
    before = oracle.modularity(graph.tolist(), labels.tolist(), resolution)
    assert oracle.modularity(graph.tolist(), found.tolist(), resolution) >= before


def test_a_wrong_label_in_a_clear_graph_is_mended():
    graph = sparse.csr_array(np.kron(np.eye(3), 1 - np.eye(5)))
    labels = np.repeat([0, 1, 2], 5)
    wrong = labels.copy()
    wrong[[0, 7]] = 2
    assert (settle(graph, wrong, 3) == labels).all()


def test_items_without_affinities_stay():
    graph = sparse.csr_array((4, 4))
    assert settle(graph, np.array([1, 0, 1, 0]), 2).tolist() == [1, 0, 1, 0]


@pytest.mark.parametrize(
    ("change", "match"),
    [
        ({"label": np.array([0, 2])}, "no such cluster"),
        ({"label": np.array([0, -1])}, "no such cluster"),
        ({"item": np.array([1, 2], dtype=np.int32)}, "no such item"),
        ({"start": np.array([0, 2, 1])}, "must not decrease"),
        ({"weight": np.array([1.0, np.nan])}, "weights"),
        ({"resolution": -1.0}, "resolution"),
    ],
)
def test_nonsense_is_refused(change, match):
    given_arrays = {
        "start": np.array([0, 1, 2]),
        "item": np.array([1, 0], dtype=np.int32),
        "weight": np.ones(2),
        "label": np.array([0, 1]),
        "n_clusters": 2,
        "resolution": 1.0,
        "max_rounds": 5,
        "seed": 0,
        "progress": None,
    }
    arrays = given_arrays | change
    places = [arrays.pop(name) for name in ("start", "item", "weight", "label")]
    with pytest.raises(ValueError, match=match):
        _core.settle(*places, **arrays)
