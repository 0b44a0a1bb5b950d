"""The map: neighbours stay neighbours, pieces stay apart, and every place is a place."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.spatial.distance import pdist
from sklearn.manifold import trustworthiness
from tests.ctrl_c import PATIENCE, CtrlC

from conceptforest.structure.graph import neighbour_graph
from conceptforest.structure.layout import lay_out
from conceptforest.structure.spectral import embed
from conceptforest.structure.visual_neighbours import nearest_items


def blobs(rng, n, k, d=8, spread=4.0):
    labels = np.arange(n) % k
    return (spread * rng.normal(size=(k, d)))[labels] + rng.normal(size=(n, d)), labels


def graph_of(points, k=10):
    nearest, distances = nearest_items(points, points, k, exclude_self=True)
    rows = np.repeat(np.arange(len(points)), k)
    affinity = np.exp(-distances.ravel() / distances.mean())
    shape = (len(points), len(points))
    return neighbour_graph(sparse.csr_array((affinity, (rows, nearest.ravel())), shape=shape))


def purity(points, labels):
    nearest, _ = nearest_items(points, points, 10, exclude_self=True)
    return (labels[nearest] == labels[:, None]).mean()


def joined(*sizes):
    """Give a graph of complete pieces."""
    return sparse.csr_array(sparse.block_diag([np.ones((s, s)) - np.eye(s) for s in sizes]))


@pytest.mark.parametrize("spectral", [True, False])
def test_neighbours_stay_neighbours(rng, spectral):
    points, labels = blobs(rng, 300, 6, spread=1.5)
    graph = graph_of(points)
    places = lay_out(graph, embedding=embed(graph, 6).rows if spectral else None)
    assert trustworthiness(points, places, n_neighbors=10) > 0.9
    assert purity(places, labels) > 0.9 * purity(points, labels) > 3 / 6


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(0, 40),
    share=st.sampled_from([0.0, 0.03, 0.2, 1.0]),
    vectors=st.sampled_from([None, 0, 1, 2, 5]),
)
def test_all_places_are_finite_different_and_in_the_square(seed, n, share, vectors):
    rng = np.random.default_rng(seed)
    dense = np.round(rng.uniform(size=(n, n)), 1) * (rng.uniform(size=(n, n)) < share)
    embedding = None if vectors is None else np.round(rng.normal(size=(n, vectors)))
    places = lay_out(sparse.csr_array(dense), embedding=embedding, n_epochs=20, random_state=seed)
    assert places.shape == (n, 2)
    assert places.dtype == np.float32
    assert np.isfinite(places).all()
    assert places.min(initial=0) >= 0
    assert places.max(initial=1) <= 1
    assert len(np.unique(places, axis=0)) == n
    if n > 1:
        assert np.ptp(places, axis=0).max() == pytest.approx(1)


def test_same_seed_same_bits(rng):
    graph = graph_of(blobs(rng, 120, 3)[0])
    one, again, other = (lay_out(graph, random_state=s, n_epochs=50) for s in (1, 1, 2))
    assert one.tobytes() == again.tobytes()
    assert (one != other).any()


def test_pieces_do_not_overlap():
    sizes = [40, 25, 25, 7, 3, 2] + 10 * [1]
    places = lay_out(joined(*sizes))
    ends = np.cumsum(sizes)
    boxes = [
        (part.min(axis=0), part.max(axis=0)) for part in np.split(places.astype(float), ends[:-1])
    ]
    for k, (low, high) in enumerate(boxes):
        for other_low, other_high in boxes[:k]:
            assert (low > other_high).any() or (high < other_low).any()


def test_pieces_get_room_by_their_items(rng):
    points, _ = blobs(rng, 440, 1)
    graph = sparse.block_diag([graph_of(points[:400]), graph_of(points[400:])])
    places = lay_out(sparse.csr_array(graph)).astype(float)
    large, small = (np.ptp(part, axis=0).prod() for part in (places[:400], places[400:]))
    assert 5 < large / small < 20


def test_thousands_of_single_items_fill_the_square():
    places = lay_out(sparse.csr_array((3000, 3000)))
    assert np.ptp(places, axis=0).min() > 0.5
    assert pdist(places).min() > 0.3 / np.sqrt(3000)


def test_copies_do_not_lie_on_one_another():
    n = 60  # all equally near, from the same first place
    places = lay_out(joined(n), embedding=np.ones((n, 3)))
    assert pdist(places).min() > 0.1 / np.sqrt(n)


def test_affinities_count_in_both_directions_and_up_to_scale(rng):
    graph = graph_of(blobs(rng, 80, 2)[0])
    whole = lay_out(graph, n_epochs=20)
    upper = sparse.triu(graph) + sparse.eye_array(80)
    assert lay_out(upper, n_epochs=20).tobytes() == whole.tobytes()
    assert lay_out(graph * 2.0, n_epochs=20).tobytes() == whole.tobytes()


def test_input_is_not_modified(rng):
    graph = graph_of(blobs(rng, 50, 2)[0])
    embedding = rng.normal(size=(50, 3))
    before = graph.copy(), embedding.copy()
    lay_out(graph, embedding=embedding, n_epochs=5)
    assert (graph != before[0]).nnz == 0
    np.testing.assert_array_equal(embedding, before[1])


def test_shows_progress_when_asked(capsys):
    lay_out(joined(5), verbose=1)
    assert "drawing the map" in capsys.readouterr().err


def test_ctrl_c_stops_it(rng):
    graph = graph_of(blobs(rng, 400, 4)[0])
    with CtrlC(0.3) as ctrl_c, pytest.raises(KeyboardInterrupt):
        lay_out(graph, n_epochs=100_000)
    assert time.monotonic() - ctrl_c.sent < PATIENCE


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"graph": np.eye(3)}, TypeError, "sparse array of affinities; got ndarray"),
        ({"graph": sparse.csr_array((3, 4))}, ValueError, r"the shape \(3, 4\)"),
        ({"graph": sparse.csr_array([[0, -1.0], [0, 0]])}, ValueError, "negative"),
        ({"graph": sparse.csr_array([[0, np.nan], [0, 0]])}, ValueError, "NaN"),
        ({"embedding": np.zeros((2, 3))}, ValueError, "each of the 3 items"),
        ({"embedding": np.zeros(3)}, ValueError, "each of the 3 items"),
        ({"embedding": np.full((3, 3), np.nan)}, ValueError, "embedding contains NaN"),
        ({"n_epochs": -1}, ValueError, "n_epochs must be at least 0 or None"),
        ({"n_epochs": 10**6}, ValueError, "n_epochs must be at most 100000"),
        ({"random_state": -1}, ValueError, "random_state must be at least 0"),
        ({"random_state": 0.5}, TypeError, "random_state must be a whole number"),
    ],
)
def test_bad_input_is_explained(change, error, message):
    given = {"graph": joined(3)} | change
    with pytest.raises(error, match=message):
        lay_out(given.pop("graph"), **given)
