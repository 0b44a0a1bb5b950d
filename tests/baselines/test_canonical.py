"""Canonical correlations: the block problem of the definition, angles of subspaces, odd views."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.linalg import subspace_angles
from sklearn.cross_decomposition import CCA
from tests.oracle import subspaces as oracle

from conceptforest.baselines import canonical
from conceptforest.baselines.canonical import canonical_correlations


def related(rng, n, widths):
    """Views that share two factors, the second one sparse 0/1."""
    factors = rng.normal(size=(n, 2))
    views = [
        factors @ rng.normal(size=(2, width)) + rng.normal(size=(n, width)) for width in widths
    ]
    views[1] = sparse.csr_array((views[1] > 0.5).astype(np.uint8))
    return views


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(3, 40),
    widths=st.lists(st.integers(1, 30), min_size=2, max_size=3),
    regularisation=st.sampled_from([1e-4, 1e-2, 1.0]),
    block=st.sampled_from([7, 100, 2**21]),
    tile=st.sampled_from([3, 512]),
)
def test_equals_the_block_problem(seed, n, widths, regularisation, block, tile):
    views = related(np.random.default_rng(seed), n, widths)
    views[1] = sparse.csr_array(sparse.hstack([views[1], sparse.eye_array(n, 1)]))  # not constant
    values, projections = oracle.canonical(views, regularisation)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(canonical, "_BLOCK", block)
        patch.setattr(canonical, "_TILE", tile)
        found = canonical_correlations(views, regularisation=regularisation)
    # Eigenvalues just above 1 may be kept by one and not by the other; they weigh nothing.
    many = max(len(values), len(found.values))
    np.testing.assert_allclose(padded(found.values, many), padded(values, many), atol=1e-7)
    for i, one in enumerate(found.projections):
        for j, other in enumerate(found.projections):
            # Eigenvectors are unique up to signs and rotations, which this sum does not see.
            expected = (projections[i] * (values - 1)) @ projections[j].T
            np.testing.assert_allclose((one * (found.values - 1)) @ other.T, expected, atol=1e-6)


def padded(values, length):
    return np.concatenate([values, np.ones(length - len(values))])


@pytest.mark.parametrize("widths", [(4, 6), (9, 3), (90, 5), (5, 90)])
def test_correlations_are_cosines_of_the_angles_between_subspaces(widths, rng):
    left, right = (rng.normal(size=(60, width)) for width in widths)
    left[:, 0] += right[:, 0]
    found = canonical_correlations([left, right], regularisation=1e-12)
    expected = np.sort(np.cos(subspace_angles(oracle.dense(left), oracle.dense(right))))[::-1]
    expected = expected[expected > 1e-6]
    np.testing.assert_allclose(found.values - 1, expected, atol=1e-6)


def test_projections_are_those_of_the_library_without_regularisation(rng):
    left, right = rng.normal(size=(300, 4)), rng.normal(size=(300, 3))
    left[:, :2] += 2 * right[:, :2]
    found = canonical_correlations([left, right], regularisation=1e-12)
    library = CCA(3, scale=False, max_iter=5000, tol=1e-12).fit(left, right)
    for mine, theirs in zip(found.projections, library.transform(left, right), strict=True):
        same = np.corrcoef(mine.T, theirs.T)[:3, 3:]
        np.testing.assert_allclose(np.abs(same), np.eye(3), atol=1e-4)


def test_directions_have_unit_length_in_the_regularised_covariance(rng):
    left, right = related(rng, 60, (5, 4))
    values, projections = canonical_correlations([left, right], regularisation=1e-12)
    lengths = sum(np.square(part).mean(axis=0) for part in projections)
    np.testing.assert_allclose(lengths, 1, atol=1e-9)
    across = (projections[0] * projections[1]).mean(axis=0)
    np.testing.assert_allclose(across, (values - 1) / 2, atol=1e-9)


def test_three_equal_views_have_eigenvalues_of_3(rng):
    view = rng.normal(size=(50, 4))
    found = canonical_correlations([view, 5 * view, view[:, ::-1]], regularisation=1e-12)
    np.testing.assert_allclose(found.values[:4], 3, atol=1e-9)
    np.testing.assert_allclose(found.projections[0], found.projections[1], atol=1e-9)


def test_units_do_not_matter(rng):
    left, right = related(rng, 50, (6, 4))
    base = canonical_correlations([left, right])
    for scale in (2.0**-30, 2.0**30):
        found = canonical_correlations([left * scale, right])
        np.testing.assert_allclose(found.values, base.values, rtol=1e-9)
        np.testing.assert_allclose(found.projections[0], base.projections[0], atol=1e-9)


def test_threads_do_not_matter(rng, monkeypatch):
    monkeypatch.setattr(canonical, "_TILE", 16)
    monkeypatch.setattr(canonical, "_BLOCK", 2**12)
    views = related(rng, 300, (80, 30))
    one, two = (canonical_correlations(views, n_threads=n) for n in (1, 3))
    np.testing.assert_array_equal(one.values, two.values)
    np.testing.assert_array_equal(one.projections[0], two.projections[0])


@pytest.mark.parametrize("n", [30, 49, 60])  # 49 * (1 / 49) is not 1
@pytest.mark.parametrize(
    ("value", "form"),
    [(0.1, np.float64), (0.1, np.float32), (1e9 + 0.1, np.float64), (1, sparse.csr_array)],
)
@pytest.mark.parametrize("width", [3, 90])
def test_a_view_that_never_changes_agrees_with_none(n, value, form, width, rng):
    constant = form(np.full((n, width), value))
    for views in ([constant, rng.normal(size=(n, 4))], [rng.normal(size=(n, 4)), constant]):
        found = canonical_correlations(views)
        assert len(found.values) == 0
        assert [part.shape for part in found.projections] == [(n, 0)] * 2


def test_a_column_that_never_changes_counts_for_nothing(rng):
    left, right = related(rng, 60, (5, 4))
    base = canonical_correlations([left, right], regularisation=1e-3)
    padded = np.insert(left, 2, 0.1, axis=1)
    # The mean variance is that of six columns now, so the regularisation is a sixth less.
    found = canonical_correlations([padded, right], regularisation=1e-3)
    assert np.abs(found.values - base.values).max() < 1e-3
    np.testing.assert_allclose(found.values, base.values, rtol=1e-3)


def test_most_components(rng):
    views = related(rng, 60, (8, 8))
    every = canonical_correlations(views)
    few = canonical_correlations(views, n_components=3)
    np.testing.assert_allclose(few.values, every.values[:3], rtol=1e-9)
    assert few.projections[1].shape == (60, 3)


def test_too_little_regularisation_is_explained(rng):
    left = np.repeat(rng.normal(size=(50, 2)), 2, axis=1)
    with pytest.raises(ValueError, match="regularisation=1e-30 is too little"):
        canonical_correlations([left, rng.normal(size=(50, 2))], regularisation=1e-30)
