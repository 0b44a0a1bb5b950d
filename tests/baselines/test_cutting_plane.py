"""Cutting planes and their programmes, against closed forms and a general solver."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize
from tests.oracle import margins as oracle

from conceptforest.baselines import cutting_plane
from conceptforest.baselines.cutting_plane import fit_cutting_planes, nearest_centre_weights
from conceptforest.baselines.margin_rows import MarginRows
from conceptforest.baselines.quadratic_program import solve_quadratic


@settings(max_examples=40, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 12), rank=st.integers(1, 12))
def test_programmes_against_a_general_solver(seed, k, rank):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(k, rank))  # may be singular
    Q, linear, E = root @ root.T, rng.normal(size=k), np.ones((1, k))
    sums = np.array([rng.uniform(0.1, 5)])
    x = solve_quadratic(Q, linear, E, sums)
    assert (x >= 0).all()
    assert x.sum() == pytest.approx(sums[0])
    bent = Q @ x - linear
    # The first-order conditions of this programme: slopes are least where x is not 0.
    assert x @ bent == pytest.approx(bent.min() * sums[0], abs=1e-5)


@given(seed=st.integers(0, 2**32 - 1), k=st.integers(2, 9))
def test_projection_onto_the_simplex_has_a_closed_form(seed, k):
    point = np.random.default_rng(seed).normal(size=k)
    falling = np.sort(point)[::-1]
    level = max((falling[:j].sum() - 1) / j for j in range(1, k + 1))
    x = solve_quadratic(np.eye(k), point, np.ones((1, k)), np.ones(1))
    np.testing.assert_allclose(x, np.maximum(point - level, 0), atol=1e-6)


def exact(rows, labels, p, C, imbalance):
    """Minimum for fixed labels, all constraints written out, by sequential least squares."""
    n, d = rows.shape
    items = [(i, r) for i in range(n) for r in range(p) if r != labels[i]]
    margins = np.zeros((len(items), d * p + n))
    for row, (i, r) in zip(margins, items, strict=True):
        W = row[: d * p].reshape(d, p)
        W[:, labels[i]] += rows[i]
        W[:, r] -= rows[i]
        row[d * p + i] = 1
    total = rows.sum(axis=0)
    levels = np.zeros((p * (p - 1), d * p + n))
    pairs = [(q, s) for q in range(p) for s in range(p) if q != s]
    for row, (q, s) in zip(levels, pairs, strict=True):
        W = row[: d * p].reshape(d, p)
        W[:, q], W[:, s] = -total, total
    A = np.vstack([margins, levels])
    b = np.append(np.ones(len(items)), np.full(len(pairs), -imbalance))
    mass = np.append(np.ones(d * p), np.zeros(n))

    found = optimize.minimize(
        lambda x: mass @ x**2 / 2 + C * x[d * p :].sum(),
        np.append(np.zeros(d * p), np.ones(n)),
        jac=lambda x: mass * x + C * np.append(np.zeros(d * p), np.ones(n)),
        bounds=[(None, None)] * (d * p) + [(0, None)] * n,
        constraints={"type": "ineq", "fun": lambda x: A @ x - b, "jac": lambda _: A},
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-10},
    )
    assert found.success
    return found.fun


@pytest.mark.parametrize("C", [0.1, 1.0])
@pytest.mark.parametrize("imbalance", [0.5, 10.0])
def test_no_machine_for_these_labels_is_better(C, imbalance, monkeypatch):
    monkeypatch.setattr(cutting_plane, "_ENOUGH", 1e-7)
    monkeypatch.setattr(cutting_plane, "_FLOOR", 1e-4)
    settled = 0
    for seed in range(6):
        X, p = np.random.default_rng(seed).normal(size=(9, 2)), 2 + seed % 2
        rows = MarginRows((X,))
        found = fit_cutting_planes(
            rows, nearest_centre_weights(rows, np.arange(9) % p, p), C=C, tolerance=1e-2,
            max_cuts=60, imbalance=imbalance,
        )  # fmt: skip
        labels = found.values.argmax(axis=1)
        vectors = np.array(oracle.vectors((X.tolist(),), each=False))
        mine = oracle.margin_objective(vectors.tolist(), found.weights.tolist(), labels, C)
        assert found.objective == pytest.approx(mine, rel=1e-4)
        assert np.ptp((vectors @ found.weights).sum(axis=0)) <= imbalance + 1e-3
        if found.n_cuts < 60:  # else labels change for ever, which the method does not exclude
            settled += 1
            assert mine == pytest.approx(exact(vectors, labels, p, C, imbalance), rel=1.5e-2)
    assert settled >= 4


def test_constraints_end_where_they_must(rng):
    rows = MarginRows((rng.normal(size=(40, 3)),))
    start = nearest_centre_weights(rows, np.arange(40) % 3, 3)
    told = []
    found = fit_cutting_planes(rows, start, max_cuts=2, progress=told.append)
    assert found.n_cuts == 2
    assert told == [1, 2]


def test_start_from_centres(rng):
    X = rng.normal(size=(30, 4))
    labels = np.arange(30) % 3
    rows = MarginRows((X,))
    values = rows.values(nearest_centre_weights(rows, labels, 3))
    centres = np.array([X[labels == t].mean(axis=0) for t in range(3)])
    nearest = np.linalg.norm(X[:, None] - centres, axis=2).argmin(axis=1)
    np.testing.assert_array_equal(values.argmax(axis=1), nearest)
