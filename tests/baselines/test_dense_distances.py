"""All distances: those of SciPy, in parts and blocks, with doubles and large offsets."""

import numpy as np
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist

from conceptforest.baselines import dense_distances
from conceptforest.baselines.dense_distances import squared_distances


@pytest.fixture
def parts(rng):
    tags = sparse.csr_array((rng.random((70, 9)) < 0.3).astype(np.uint8))
    return rng.normal(size=(70, 5)).astype(np.float16), tags


@pytest.mark.parametrize("chosen", [[0], [1], [0, 1]])
@pytest.mark.parametrize("block", [1, 16, 256])
def test_equal_those_of_scipy(chosen, block, parts, monkeypatch):
    monkeypatch.setattr(dense_distances, "_BLOCK", block)
    given = tuple(parts[number] for number in chosen)
    joined = np.hstack([p.toarray() if sparse.issparse(p) else p for p in given]).astype(float)
    expected = cdist(joined, joined, "sqeuclidean")
    found, unit = squared_distances(given, dtype=np.float64)
    assert unit == pytest.approx(expected.mean())
    np.testing.assert_allclose(found * unit, expected, atol=1e-12 * unit)
    np.testing.assert_array_equal(found, found.T)
    assert squared_distances(given)[0].dtype == np.float32


def test_threads_do_not_matter(rng):
    X = rng.normal(size=(700, 40))
    one, many = (squared_distances((X,), n_threads=n)[0] for n in (1, 3))
    np.testing.assert_array_equal(one, many)


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
def test_doubles_lie_at_0_and_no_scale_is_lost(scale, rng):
    X = scale * (1e3 + np.repeat(rng.normal(size=(6, 300)), 2, axis=0))
    found, unit = squared_distances((X,))
    assert unit == pytest.approx(cdist(X, X, "sqeuclidean").mean())
    assert (found == 0).sum() == 24
    assert found.max() < 10


def test_items_that_are_all_alike():
    found, unit = squared_distances((np.full((5, 3), 0.1), sparse.csr_array((5, 2))))
    assert not found.any()
    assert unit == 1
