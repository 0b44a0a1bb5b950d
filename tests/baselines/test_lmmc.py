"""Latent maximum margins: values by trying every set of tags, and an objective that only falls."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize, sparse
from sklearn.metrics import adjusted_rand_score
from tests.oracle import margins as oracle

from conceptforest.baselines import latent_margins
from conceptforest.baselines.latent_margins import LatentMargins, pairwise_losses
from conceptforest.baselines.lmmc import LMMC


def made(seed, n, m, k, p):
    """Scores of m tags, and 0/1 of k rare ones, weights for p clusters, and labels."""
    rng = np.random.default_rng(seed)
    scores = rng.random((n, m)).astype(np.float32)
    rare = (rng.random((n, k)) < 0.3).astype(np.float32)
    flat = rng.normal(size=(p, 2 * (m + k))).astype(np.float32).astype(float).ravel()
    return scores, rare, flat, rng.integers(p, size=n)


def parts(flat, m, k, p):
    """Slopes and shifts of all tags, the rare ones last."""
    rows = flat.reshape(p, -1)
    slopes = np.hstack([rows[:, :m], rows[:, 2 * m : 2 * m + k]])
    return slopes, np.hstack([rows[:, m : 2 * m], rows[:, 2 * m + k :]])


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(1, 9),
    m=st.integers(1, 4),
    k=st.integers(0, 3),
    p=st.integers(1, 4),
    cells=st.sampled_from([1, 8, 2**16]),
)
def test_values_and_objective_by_their_definitions(seed, n, m, k, p, cells):
    scores, rare, flat, labels = made(seed, n, m, k, p)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(latent_margins, "_CELLS", cells)
        problem = LatentMargins(scores, sparse.csr_array(rare), p, 2)
    values = problem.values(flat)
    slopes, shifts = (part.tolist() for part in parts(flat, m, k, p))
    both = np.hstack([scores, rare]).tolist()
    expected = [[oracle.latent_value(row, slopes[t], shifts[t]) for t in range(p)] for row in both]
    np.testing.assert_allclose(values, expected, rtol=1e-4, atol=1e-5)
    objective = oracle.latent_objective(both, slopes, shifts, labels, 0.7)
    assert problem.objective(flat, values, labels, 0.7) == pytest.approx(objective, rel=1e-4)


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 9), p=st.integers(1, 6))
def test_losses_of_every_label(seed, n, p):
    values = np.random.default_rng(seed).normal(size=(n, p)).astype(np.float32)
    expected = [[oracle.pairwise_loss(row, t) for t in range(p)] for row in values.tolist()]
    np.testing.assert_allclose(pairwise_losses(values), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("k", [0, 3])
def test_the_gradient_is_that_of_differences(k):
    scores, rare, flat, labels = made(5, 7, 4, k, 3)
    problem = LatentMargins(scores, sparse.csr_array(rare), 3, 1)
    _, gradient = problem.smooth(flat, labels, 0.7)
    found = optimize.approx_fprime(flat, lambda w: problem.smooth(w, labels, 0.7)[0], 1e-3)
    np.testing.assert_allclose(gradient, found, atol=2e-2)


def test_rounding_the_kink_changes_little():
    """Each loss by at most half the width of the rounding."""
    scores, rare, flat, labels = made(2, 40, 5, 2, 4)
    problem = LatentMargins(scores, sparse.csr_array(rare), 4, 1)
    exact = problem.objective(flat, problem.values(flat), labels, 2.0)
    rounded = problem.smooth(flat, labels, 2.0)[0]
    assert 0 <= exact - rounded <= 2.0 / 4 * 40 * 3 * latent_margins._KINK / 2


@pytest.fixture
def collection(rng):
    """Five groups with tags of their own, of which half are missing, and faint looks."""
    group = np.arange(150) % 5
    tags = np.kron(np.eye(5, dtype=int), [1, 1, 1])[group] * (rng.random((150, 15)) < 0.5)
    return np.eye(5)[group] + rng.normal(scale=0.2, size=(150, 5)), tags, group


@pytest.mark.parametrize("mode", LMMC.modes)
def test_the_objective_never_rises(mode, collection, rng):
    X, tags = rng.normal(size=(150, 5)), collection[1]
    method = LMMC(5, mode=mode, n_init=1, random_state=0).fit(X, tags)
    assert max(map(len, method.falls_)) > 3
    for fall in method.falls_:
        assert (np.diff(fall) < 0).all()
    assert method.objective_ == method.falls_[-1][-1]


def test_finds_planted_groups(collection):
    X, tags, group = collection
    assert adjusted_rand_score(group, LMMC(5, random_state=0).fit(X, tags).labels_) > 0.9


@pytest.mark.parametrize("balance", [(1, 1), (0.5, 2)])
def test_sizes_are_within_their_bounds(balance, collection):
    X, tags, _ = collection
    sizes = np.bincount(LMMC(4, balance=balance, random_state=0).fit(X, tags).labels_)
    assert sizes.min() >= np.floor(150 / 4 * balance[0])
    assert sizes.max() <= np.ceil(150 / 4 * balance[1])


def test_a_cost_must_be_positive(collection):
    with pytest.raises(ValueError, match="C must be a number above 0"):
        LMMC(2, C=-1).fit(*collection[:2])
