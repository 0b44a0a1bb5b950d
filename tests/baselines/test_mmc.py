"""Maximum margin clustering: its objective, its balance, and what only margins can see."""

import itertools
import time

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score
from tests.ctrl_c import PATIENCE, CtrlC
from tests.oracle import margins as oracle

from conceptforest.baselines.balanced_start import balanced_start
from conceptforest.baselines.crammer_singer import fit_crammer_singer
from conceptforest.baselines.margin_alternation import alternate
from conceptforest.baselines.margin_rows import MarginRows
from conceptforest.baselines.mmc import MMC

SOLVERS = ["alternation", "cutting_planes"]


@pytest.fixture
def slabs(rng):
    """Two long slabs with a gap: k-means cuts them across, wide margins run along the gap."""
    group = np.arange(200) % 2
    along = rng.uniform(-4, 4, size=200)
    X = np.column_stack([along, 1.5 * group + rng.uniform(-0.2, 0.2, size=200)])
    return X, np.ones((200, 1)), group


@pytest.mark.parametrize("n_costs", [1, 5])
def test_the_objective_never_rises(n_costs, rng):
    rows = MarginRows((rng.normal(size=(120, 4)),))
    found = alternate(rows, np.arange(120) % 4, 4, (20, 40), n_costs=n_costs)
    assert len(found.falls) == n_costs
    assert max(map(len, found.falls)) > 3
    for fall in found.falls:
        assert (np.diff(fall) <= 1e-9).all()


def test_the_objective_is_that_of_machine_and_labels(rng):
    X = rng.normal(size=(80, 3))
    found = alternate(MarginRows((X,)), np.arange(80) % 3, 3, (20, 40), C=0.5)
    vectors = oracle.vectors((X.tolist(),), each=False)
    expected = oracle.margin_objective(vectors, found.machine.weights.tolist(), found.labels, 0.5)
    assert found.objective == pytest.approx(expected, rel=1e-4)


def test_tiny_data_against_every_labelling(rng):
    """The objective is the least of all balanced labellings."""
    X = np.concatenate([rng.normal(size=(4, 2)), rng.normal(size=(4, 2)) + 6])
    rows = MarginRows((X,))
    best = min(
        fit_crammer_singer(rows, np.array(labels), 2, tolerance=1e-4).objective
        for labels in itertools.product((0, 1), repeat=8)
        if 3 <= sum(labels) <= 5
    )
    start = balanced_start((X,), 2, (3, 5))
    assert alternate(rows, start, 2, (3, 5)).objective == pytest.approx(best, rel=5e-3)


def test_rising_costs_lower_the_objective(slabs):
    X = slabs[0]
    rows = MarginRows((X,))
    start = balanced_start((X,), 2, (90, 110))
    plain, rising = (alternate(rows, start, 2, (90, 110), C=30, n_costs=k) for k in (1, 11))
    assert rising.objective < plain.objective


@pytest.mark.parametrize("balance", [(1, 1), (0.9, 1.1), (0.5, 2.0)])
def test_sizes_are_within_their_bounds(balance, rng):
    X = rng.normal(size=(100, 3)) * [5, 1, 1]
    labels = MMC(4, balance=balance, n_init=2, random_state=0).fit(X, np.ones((100, 1))).labels_
    sizes = np.bincount(labels)
    assert sizes.min() >= np.floor(25 * balance[0])
    assert sizes.max() <= np.ceil(25 * balance[1])


def test_equal_labels_of_any_start_of_a_plain_problem(rng):
    group = np.arange(90) % 3
    X = 5 * np.eye(3, 6)[group] + rng.normal(scale=0.4, size=(90, 6))
    tags = np.eye(3, dtype=int)[group]
    for solver in SOLVERS:
        for mode in MMC.modes:
            method = MMC(3, mode=mode, solver=solver, random_state=1).fit(X, tags)
            assert adjusted_rand_score(group, method.labels_) == 1
            assert method.objective_ > 0


def test_parts_of_the_balanced_mode_weigh_the_same(rng):
    """However large the features are."""
    group = np.arange(80) % 2
    tags = np.eye(2, dtype=int)[group]
    X = rng.normal(size=(80, 10))
    small, large = (
        MMC(2, mode="balanced", random_state=0).fit(X * factor, tags).labels_
        for factor in (1.0, 1024.0)
    )
    np.testing.assert_array_equal(small, large)
    assert adjusted_rand_score(group, small) > 0.9


@pytest.mark.parametrize("solver", SOLVERS)
def test_ctrl_c(solver, rng):
    X = rng.normal(size=(3000, 300))
    method = MMC(40, solver=solver, n_init=1, random_state=0)
    with CtrlC(1.0) as sent, pytest.raises(KeyboardInterrupt):
        method.fit(X, np.ones((3000, 1)))
    assert time.monotonic() - sent.sent < PATIENCE


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"solver": "cpm3c"}, "solver must be one of 'alternation', 'cutting_planes'"),
        ({"C": 0}, "C must be a number above 0"),
        ({"balance": (1.1, 1.2)}, "balance must be two factors"),
    ],
)
def test_bad_parameters_are_explained(params, message):
    with pytest.raises(ValueError, match=message):
        MMC(2, **params).fit([[0.0], [1.0]], [{"a"}, {"b"}])
