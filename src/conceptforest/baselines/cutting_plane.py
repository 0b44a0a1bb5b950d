"""Multi-class maximum margin clustering by cutting planes: CPM3C (Zhao, Wang and Zhang 2008).

    min |W|^2 / 2 + C n xi   such that for every choice c of a rival class, or of none, per item
      (1/n) sum_{i: c_i} (w_{z_i} - w_{c_i}).x_i >= (1/n) #{i: c_i, c_i != z_i} - xi
      -l <= sum_i (w_q - w_s).x_i <= l   for all q, s

where z_i is the class of the highest value. The most violated constraint is found, joins those that
are kept, and the programme of these is solved; as z depends on W, that is done for fixed z, again
and again (CCCP).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from conceptforest.baselines.quadratic_program import solve_quadratic

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from conceptforest.baselines.margin_rows import MarginRows

__all__ = ["CuttingPlanes", "fit_cutting_planes", "nearest_centre_weights"]

_SLACK = 0.5  # at the start
_ENOUGH = 0.01  # relative fall of the objective below which z is taken to be settled
_MAX_INNER = 20  # programmes for one set of constraints
_FLOOR = 1e-3  # of the tolerance on violations, where all margins are kept


class CuttingPlanes(NamedTuple):
    """A solution.

    Attributes
    ----------
    weights : ndarray of shape (width, n_classes), float32
    values : ndarray of shape (n_items, n_classes), float32
    slack : float
        That of the programme, xi.
    violation : float
        The slack that the most violated of all constraints would need.
    n_cuts : int
    """

    weights: NDArray[np.float32]
    values: NDArray[np.float32]
    slack: float
    violation: float
    objective: float
    n_cuts: int


def fit_cutting_planes(
    rows: MarginRows,
    weights: NDArray[np.float32],
    *,
    C: float = 1.0,
    tolerance: float = 0.1,
    imbalance: float = 10.0,
    max_cuts: int = 500,
    progress: Callable[[int], None] | None = None,
) -> CuttingPlanes:
    """Find a machine that leaves wide margins between the classes of its own highest values.

    Parameters
    ----------
    rows : MarginRows of n_items
    weights : ndarray of shape (width, n_classes)
        From which to start.
    C : float, default=1.0
        Cost of a violated margin.
    tolerance : float, default=0.1
        Share by which the last violation may exceed the slack.
    imbalance : float, default=10.0
        How far apart the sums of the values of two classes may be.
    max_cuts : int, default=500
    progress : callable or None, default=None
        Is told how many constraints there are.

    Returns
    -------
    CuttingPlanes

    Examples
    --------
    >>> from conceptforest.baselines.margin_rows import MarginRows
    >>> rows = MarginRows((np.array([[0.0], [1.0], [5.0], [6.0]]),))
    >>> start = nearest_centre_weights(rows, np.array([0, 0, 0, 1]), 2)
    >>> fit_cutting_planes(rows, start, C=10.0, imbalance=0.1).values.argmax(axis=1).tolist()
    [0, 0, 1, 1]
    """
    programme = _Programme(rows, weights.shape[1], C, imbalance)
    values, slack = rows.values(weights), 0.0
    while True:
        classes, rivals, violation = _most_violated(values)
        if violation <= slack * (1 + tolerance) + _FLOOR or len(programme.cuts) == max_cuts:
            square = float(np.einsum("ij,ij->", weights, weights, dtype=np.float64))
            objective = square / 2 + programme.cost * violation
            return CuttingPlanes(weights, values, slack, violation, objective, len(programme.cuts))
        programme.add(classes, rivals)
        before = np.inf
        for _ in range(_MAX_INNER):
            weights, slack, objective = programme.solve()
            values = rows.values(weights)
            if before - objective < _ENOUGH * objective:
                break
            before = objective
            programme.relabel(values.argmax(axis=1))
        if progress:
            progress(len(programme.cuts))


def nearest_centre_weights(
    rows: MarginRows, labels: NDArray[np.int64], n_classes: int
) -> NDArray[np.float32]:
    """Give weights whose highest value is that of the nearest mean, (width, n_classes)."""
    own = np.zeros((rows.n, n_classes), dtype=np.float32)
    own[np.arange(rows.n), labels] = 1
    weights = rows.gather(own / np.maximum(own.sum(axis=0), 1))
    weights[-1] = -np.square(weights[:-1]).sum(axis=0) / 2
    return weights


def _most_violated(
    values: NDArray[np.float32],
) -> tuple[NDArray[np.int64], NDArray[np.int64], float]:
    """Give each item's class, its rival or -1 where the margin is kept, and the mean shortfall."""
    items, p = np.arange(len(values)), values.shape[1]
    classes = values.argmax(axis=1)
    others = values.copy()
    others[items, classes] = -np.inf
    rivals = others.argmax(axis=1)
    short = 1 - (values[items, classes] - others[items, rivals]).astype(np.float64)
    if p == 1:
        return classes, np.full(len(values), -1), 0.0
    return classes, np.where(short > 0, rivals, -1), float(np.maximum(short, 0).mean())


class _Programme:
    """The constraints that are kept, and the programme for the current classes of items."""

    def __init__(self, rows: MarginRows, p: int, C: float, imbalance: float) -> None:
        self.rows, self.p, self.cost, self.imbalance = rows, p, C * rows.n, imbalance / rows.n
        self.mean = rows.gather(np.full((rows.n, 1), 1 / rows.n, dtype=np.float32))[:, 0]
        self.cuts: list[NDArray[np.int64]] = []  # rivals
        self.slopes = np.empty((0, rows.width * p), dtype=np.float32)
        self.classes = np.empty(0, dtype=np.int64)

    def add(self, classes: NDArray[np.int64], rivals: NDArray[np.int64]) -> None:
        if len(self.cuts):
            self.relabel(classes)
        self.classes = classes
        self.cuts.append(rivals)
        chosen = np.flatnonzero(rivals >= 0)
        signs = np.zeros((self.rows.n, self.p), dtype=np.float32)
        signs[chosen, classes[chosen]] += 1
        signs[chosen, rivals[chosen]] -= 1
        slope = self.rows.gather(signs / np.float32(self.rows.n)).reshape(1, -1)
        self.slopes = np.concatenate([self.slopes, slope])

    def relabel(self, classes: NDArray[np.int64]) -> None:
        """Write all constraints for other classes of items."""
        moved = np.flatnonzero(classes != self.classes)
        if not len(moved):
            return
        signs = np.zeros((len(moved), self.p), dtype=np.float32)
        signs[np.arange(len(moved)), classes[moved]] = 1 / self.rows.n
        signs[np.arange(len(moved)), self.classes[moved]] = -1 / self.rows.n
        taken = self.rows.take(moved)
        for place, rivals in enumerate(self.cuts):
            on = rivals[moved] >= 0
            self.slopes[place] += (taken[on].T @ signs[on]).ravel()
        self.classes = classes

    def solve(self) -> tuple[NDArray[np.float32], float, float]:
        """Give the weights, the slack and the objective of the programme.

        Its dual has one variable for each constraint (and one for none), and two for each class:
        sums of values lie within half of what they may differ from a level that is free.
        """
        k, p, n = len(self.cuts), self.p, self.rows.n
        asked = [np.count_nonzero((cut >= 0) & (cut != self.classes)) / n for cut in self.cuts]
        cuts, up, down = slice(1, 1 + k), slice(1 + k, 1 + k + p), slice(1 + k + p, None)
        columns = self.slopes.reshape(k, -1, p).transpose(0, 2, 1)
        Q = np.zeros((1 + k + 2 * p,) * 2)
        Q[cuts, cuts] = self.slopes @ self.slopes.T
        Q[cuts, down] = columns @ self.mean
        Q[cuts, up] = -Q[cuts, down]
        Q[up, cuts], Q[down, cuts] = Q[cuts, up].T, Q[cuts, down].T
        Q[up, up] = Q[down, down] = float(self.mean @ self.mean) * np.eye(p)
        Q[up, down] = Q[down, up] = -Q[up, up]
        linear = np.concatenate([[0], asked, np.full(2 * p, -self.imbalance / 2)])
        E = np.zeros((2, len(Q)))
        E[0, : 1 + k] = 1
        E[1, up], E[1, down] = 1, -1
        x = solve_quadratic(Q, linear, E, np.array([self.cost, 0.0]))
        weights = (x[cuts].astype(np.float32) @ self.slopes).reshape(-1, p)
        weights -= np.outer(self.mean, x[up] - x[down]).astype(np.float32)
        slack = max(0.0, float((np.array(asked) - self.slopes @ weights.ravel()).max()))
        square = float(np.einsum("ij,ij->", weights, weights, dtype=np.float64))
        return weights, slack, square / 2 + self.cost * slack
