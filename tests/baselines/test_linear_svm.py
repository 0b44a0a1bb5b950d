"""Many linear SVMs at once: the minimum that liblinear finds for each of them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.svm import LinearSVC

from conceptforest.baselines.linear_svm import fit_linear_svms, with_ones


def made(seed, n, d, m):
    rng = np.random.default_rng(seed)
    labels = (rng.random((n, m)) < rng.uniform(0.05, 0.6, size=m)).astype(np.uint8)
    labels[rng.integers(n, size=m), np.arange(m)] = 1
    return with_ones(rng.normal(size=(n, d))), labels


def objective(weights, rows, labels, C, *, balanced):
    """The sum of half the square of the weights and the costs of all violated margins."""
    n, total = len(labels), labels.sum()
    cost = np.full(n, float(C))
    if balanced:
        cost *= np.where(labels, n / (2 * total), n / (2 * max(n - total, 1)))
    margin = np.where(labels, 1, -1) * (rows.astype(float) @ weights.astype(float))
    return weights @ weights / 2 + (cost * np.maximum(0, 1 - margin) ** 2).sum()


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(4, 40),
    d=st.integers(1, 12),
    m=st.integers(1, 5),
    C=st.sampled_from([0.01, 1.0, 30.0]),
    balanced=st.booleans(),
)
def test_the_minimum_is_that_of_the_library(seed, n, d, m, C, balanced):
    rows, labels = made(seed, n, d, m)
    weights = fit_linear_svms(rows, sparse.csr_array(labels), C=C, balanced=balanced)
    for column in range(m):
        mine = objective(weights[:, column], rows, labels[:, column], C, balanced=balanced)
        if labels[:, column].all():
            assert (rows @ weights[:, column] > 0).all()
            continue
        library = LinearSVC(
            C=C, class_weight="balanced" if balanced else None, fit_intercept=False, dual=False,
            tol=1e-8, max_iter=10_000,
        ).fit(rows.astype(float), labels[:, column])  # fmt: skip
        best = objective(library.coef_[0], rows, labels[:, column], C, balanced=balanced)
        assert mine == pytest.approx(best, rel=2e-3)


def test_blocks_and_threads_change_nothing():
    rows, labels = made(0, 50, 8, 150)
    one = fit_linear_svms(rows, sparse.csr_array(labels))
    np.testing.assert_array_equal(fit_linear_svms(rows, sparse.csr_array(labels), n_threads=3), one)


def test_rows_have_length_one_and_a_one():
    rows = with_ones(np.array([[3.0, 4.0], [0.0, 0.0]]))
    np.testing.assert_allclose(rows, [[0.6, 0.8, 1.0], [0.0, 0.0, 1.0]], rtol=1e-6)
    assert rows.dtype == np.float32
