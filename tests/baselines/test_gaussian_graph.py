"""The self-tuning Gaussian graph: the affinities of the oracle, doubles, ties, scales."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.oracle import baselines as oracle

from conceptforest.baselines.gaussian_graph import _scales, gaussian_graph
from conceptforest.baselines.modes import side_by_side
from conceptforest.tags import parse_tags


@settings(max_examples=50, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 25),
    k=st.integers(1, 12),
    doubles=st.integers(0, 9),
)
def test_equals_oracle(seed, n, k, doubles):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 3))
    points[:doubles] = points[0]
    k = max(k, n - 1) if doubles else k  # there is no choice among doubles
    expected = oracle.gaussian_graph(points.tolist(), k)
    found = gaussian_graph(points, k).toarray()
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-300)


@given(
    distances=st.integers(1, 10).flatmap(
        lambda k: st.lists(
            st.lists(st.sampled_from([0.0, 0.0, 0.0, 1.0, 2.0]), min_size=k, max_size=k).map(
                sorted
            ),
            min_size=1,
            max_size=6,
        )
    )
)
def test_scales_equal_oracle(distances):
    assert _scales(np.array(distances)).tolist() == oracle.scales(distances)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_doubles_have_affinity_1(form):
    rows = form(np.repeat(np.eye(3), [30, 9, 2], axis=0))
    graph = gaussian_graph(rows, 20).toarray()
    np.testing.assert_array_equal(graph, graph.T)
    assert (graph.diagonal() == 0).all()
    assert set(graph[:30, :30][graph[:30, :30] > 0]) == {1.0}
    assert graph[39, 40] == 1
    assert np.isfinite(graph).all()
    assert ((graph > 0).sum(axis=1) >= 20).all()


def test_all_items_alike():
    graph = gaussian_graph(np.ones((50, 2)), 5)
    assert (graph.data == 1).all()
    assert (np.diff(graph.indptr) >= 5).all()


def test_equal_distances_do_not_follow_the_order_of_items():
    """Untagged items are all alike; joined in order they would tell where they stood."""
    rows = sparse.csr_array((300, 4), dtype=np.uint8)
    graph = gaussian_graph(rows, 5, seed=1).tocoo()
    assert np.abs(graph.row - graph.col).mean() == pytest.approx(100, abs=8)  # of 300 / 3
    other = gaussian_graph(rows, 5, seed=2)
    assert (graph.tocsr() != other).nnz
    assert (graph.tocsr() != gaussian_graph(rows, 5, seed=1)).nnz == 0


def test_units_do_not_matter(rng):
    points = rng.normal(size=(40, 3))
    base = gaussian_graph(points, 6).toarray()
    np.testing.assert_allclose(gaussian_graph(points * 1e8, 6).toarray(), base, rtol=1e-9)
    np.testing.assert_allclose(gaussian_graph(points * 1e-8 + 1e-8, 6).toarray(), base, rtol=1e-6)


@pytest.mark.parametrize("scale", ["none", "zscore", "block_trace"])
def test_side_by_side(scale, rng):
    X = rng.normal(loc=3, scale=[1, 10, 0, 2], size=(30, 4))
    tags = parse_tags((rng.random((30, 5)) < [0.3, 0.5, 0.0, 1.0, 0.1]).astype(int))
    left, right = side_by_side(X, tags, scale)
    assert sparse.issparse(right)
    right, Y = right.toarray(), tags.matrix.toarray().astype(float)
    if scale == "none":
        np.testing.assert_array_equal(left, X)
        np.testing.assert_array_equal(right, Y)
    elif scale == "zscore":
        joined, plain = np.hstack([left, right]), np.hstack([X, Y])
        varied = plain.std(axis=0) > 0
        np.testing.assert_allclose(joined.std(axis=0), varied, atol=1e-12)
        centred = (plain - plain.mean(axis=0))[:, varied] / plain.std(axis=0)[varied]
        np.testing.assert_allclose(
            joined[1:, varied] - joined[0, varied], centred[1:] - centred[0], atol=1e-9
        )
    else:
        for part, source in ((left, X), (right, Y)):
            assert (part**2).sum() / 30 == pytest.approx(1)
            np.testing.assert_allclose(part * (source**2).sum() ** 0.5 / 30**0.5, source)


def test_half_precision_features_are_scaled_in_single(rng):
    X = (rng.normal(size=(20, 3)) * 1e-3).astype(np.float16)
    left, _ = side_by_side(X, parse_tags(np.eye(20, 2)), "zscore")
    assert left.dtype == np.float32
    np.testing.assert_allclose(left.std(axis=0), 1, rtol=1e-5)
