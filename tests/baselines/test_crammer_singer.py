"""The machine of many classes: the library's minimum, its rows, and what it starts from."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.svm import LinearSVC
from tests.oracle import margins as oracle

from conceptforest.baselines.crammer_singer import fit_crammer_singer, margin_losses
from conceptforest.baselines.margin_rows import MarginRows


def made(seed, n, d, p):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, d)), rng.permutation(np.arange(n) % p)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(6, 60),
    d=st.integers(1, 8),
    p=st.integers(3, 5),
    C=st.sampled_from([0.01, 0.3, 1.0, 10.0]),
)
def test_the_minimum_is_that_of_the_library(seed, n, d, p, C):
    X, labels = made(seed, n, d, p)
    rows = MarginRows((X,))
    machine = fit_crammer_singer(rows, labels, p, C=C)
    vectors = oracle.vectors((X.tolist(),), each=False)
    mine = oracle.margin_objective(vectors, machine.weights.tolist(), labels, C)
    assert machine.objective == pytest.approx(mine, rel=1e-4)
    library = LinearSVC(
        C=C, multi_class="crammer_singer", fit_intercept=False, tol=1e-7, max_iter=100_000
    ).fit(np.array(vectors), labels)
    best = oracle.margin_objective(vectors, library.coef_.T.tolist(), labels, C)
    assert mine == pytest.approx(best, rel=2e-3)
    assert mine - machine.gap <= best * (1 + 1e-5)


def test_two_classes_are_one_machine():
    """With two classes weights mirror each other, and half their difference is an SVM's at C."""
    X, labels = made(3, 40, 3, 2)
    machine = fit_crammer_singer(MarginRows((X,)), labels, 2, C=0.7, tolerance=1e-5)
    np.testing.assert_allclose(machine.weights[:, 0], -machine.weights[:, 1], atol=1e-4)
    vectors = np.array(oracle.vectors((X.tolist(),), each=False))
    # |w|^2 of each class and a margin of 2w.x: |2w|^2 / 4, so half the cost for 2w.
    library = LinearSVC(
        loss="hinge", C=2 * 0.7, fit_intercept=False, tol=1e-8, max_iter=1_000_000
    ).fit(vectors, labels)
    np.testing.assert_allclose(2 * machine.weights[:, 1], library.coef_[0], atol=2e-2)


def test_a_start_changes_the_way_not_the_end():
    X, labels = made(1, 300, 6, 4)
    rows = MarginRows((X,))
    first = fit_crammer_singer(rows, labels, 4)
    other = labels.copy()
    other[:9] = (other[:9] + 1) % 4
    warm = fit_crammer_singer(rows, other, 4, start=first)
    cold = fit_crammer_singer(rows, other, 4)
    assert warm.objective == pytest.approx(cold.objective, rel=2e-3)
    assert warm.gap <= 1e-3 * warm.objective
    np.testing.assert_allclose(warm.shares.sum(axis=1), 1, atol=1e-5)
    assert (warm.shares >= 0).all()


def test_one_class_has_no_losses():
    machine = fit_crammer_singer(MarginRows((np.eye(5),)), np.zeros(5, dtype=int), 1)
    assert machine.objective == 0


def test_items_without_any_length():
    """Rows that are all alike leave only the coordinate of 1, which cannot part them."""
    machine = fit_crammer_singer(MarginRows((np.ones((6, 2)),)), np.arange(6) % 3, 3)
    assert machine.objective == pytest.approx(6, rel=1e-3)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 9), p=st.integers(1, 6))
def test_losses_of_every_label(seed, n, p):
    values = np.random.default_rng(seed).integers(-3, 4, size=(n, p)) / 2
    expected = [[oracle.margin_loss(row, t) for t in range(p)] for row in values.tolist()]
    np.testing.assert_array_equal(margin_losses(values), expected)


@pytest.mark.parametrize("each", [False, True])
@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array])
def test_rows_by_their_definition(each, kind, rng):
    X = rng.normal(loc=3, scale=2, size=(12, 3))
    tags = (rng.random((12, 5)) < 0.3).astype(np.uint8)
    tags[:, 0] = 1
    rows = MarginRows((X, kind(tags)), each=each)
    expected = np.array(oracle.vectors((X.tolist(), tags.tolist()), each=each))
    np.testing.assert_allclose(rows.take(np.arange(12)), expected, atol=1e-6)
    weights, amounts = rng.normal(size=(rows.width, 4)), rng.normal(size=(12, 2))
    np.testing.assert_allclose(
        rows.values(weights.astype(np.float32)), expected @ weights, atol=1e-5
    )
    np.testing.assert_allclose(
        rows.gather(amounts.astype(np.float32)), expected.T @ amounts, atol=1e-5
    )


def test_a_part_that_never_changes_is_nothing():
    rows = MarginRows((np.ones((4, 2)), sparse.csr_array(np.ones((4, 3)))), each=True)
    np.testing.assert_allclose(rows.take(np.arange(4)), np.eye(6)[[5] * 4], atol=1e-6)
