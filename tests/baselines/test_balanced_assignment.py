"""Balanced assignment: the optimum of other solvers, and of trying everything."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import optimize, sparse
from tests.oracle import margins as oracle

from conceptforest.baselines.balanced_assignment import balanced_assignment
from conceptforest.baselines.margin_parameters import check_balance, check_cost, size_bounds


def made(seed, n, p, *, ties):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 4, size=(n, p)).astype(float) if ties else rng.normal(size=(n, p))


def total(costs, labels):
    return costs[np.arange(len(labels)), labels].sum()


def by_linear_programme(costs, least, most):
    n, p = costs.shape
    ones = np.ones((1, n))
    sizes = sparse.kron(ones, sparse.eye_array(p))
    found = optimize.linprog(
        costs.ravel(),
        A_ub=sparse.vstack([sizes, -sizes]),
        b_ub=np.repeat([most, -least], p),
        A_eq=sparse.kron(sparse.eye_array(n), np.ones((1, p))),
        b_eq=np.ones(n),
        bounds=(0, 1),
    )
    assert found.success
    return found.fun


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 70),
    p=st.integers(1, 8),
    factors=st.tuples(st.floats(0, 1), st.floats(1, 3)),
    ties=st.booleans(),
)
def test_no_assignment_within_the_bounds_is_cheaper(seed, n, p, factors, ties):
    costs = made(seed, n, p, ties=ties)
    least, most = size_bounds(n, p, factors)
    labels = balanced_assignment(costs, least, most)
    sizes = np.bincount(labels, minlength=p)
    assert least <= sizes.min() <= sizes.max() <= most
    best = by_linear_programme(costs, least, most)
    assert total(costs, labels) == pytest.approx(best, rel=1e-7, abs=1e-6)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), size=st.integers(1, 12), p=st.integers(1, 6))
def test_equal_sizes_are_an_assignment_problem(seed, size, p):
    """Each cluster with as many places as items: what scipy's linear_sum_assignment solves."""
    costs = made(seed, size * p, p, ties=False)
    labels = balanced_assignment(costs, size, size)
    places = np.repeat(costs, size, axis=1)
    best = places[optimize.linear_sum_assignment(places)].sum()
    assert total(costs, labels) == pytest.approx(best, rel=1e-9, abs=1e-9)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 6),
    p=st.integers(1, 3),
    least=st.integers(0, 2),
    most=st.integers(1, 6),
    ties=st.booleans(),
)
def test_nothing_that_can_be_tried_is_cheaper(seed, n, p, least, most, ties):
    assume(least * p <= n <= most * p)
    costs = made(seed, n, p, ties=ties)
    found = total(costs, balanced_assignment(costs, least, most))
    assert found == pytest.approx(oracle.cheapest_balanced(costs.tolist(), least, most))


def test_costs_that_are_all_equal_spread_items():
    labels = balanced_assignment(np.zeros((12, 4)), 0, 12)
    assert np.bincount(labels).tolist() == [3, 3, 3, 3]


def test_many_moves(rng):
    """All items want one cluster, so that nearly all must move, some through others."""
    costs = rng.random((600, 7)) + np.arange(7)
    labels = balanced_assignment(costs, 80, 90)
    assert total(costs, labels) == pytest.approx(by_linear_programme(costs, 80, 90), rel=1e-9)


@pytest.mark.parametrize(
    ("costs", "least", "most", "message"),
    [
        (np.zeros((5, 2)), 3, 4, "5 items cannot be parted into 2 clusters of 3 to 4"),
        (np.zeros((5, 2)), 0, 2, "these hold 0 to 4"),
        (np.full((4, 2), np.inf), 0, 4, "finite"),
    ],
)
def test_what_cannot_be_done_is_said(costs, least, most, message):
    with pytest.raises(ValueError, match=message):
        balanced_assignment(costs, least, most)


@pytest.mark.parametrize(
    "wrong", [(0.9,), (1.1, 1.2), (0.5, 0.9), 1.0, "ab", (-0.1, 1), (0, np.inf)]
)
def test_a_wrong_balance_is_refused(wrong):
    with pytest.raises(ValueError, match="balance must be two factors"):
        check_balance(wrong)


@pytest.mark.parametrize("wrong", [0, -1.0, np.inf, np.nan, "1", True, None])
def test_a_wrong_cost_is_refused(wrong):
    with pytest.raises(ValueError, match="C must be a number above 0"):
        check_cost(wrong)


@given(n=st.integers(1, 10_000), p=st.integers(1, 100), least=st.floats(0, 1), most=st.floats(1, 5))
def test_bounds_can_always_be_kept(n, p, least, most):
    low, high = size_bounds(n, p, (least, most))
    assert low * p <= n <= high * p
