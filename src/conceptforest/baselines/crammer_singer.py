"""A linear support vector machine of many classes, after Crammer and Singer.

    |W|^2 / 2 + C sum_i max(0, 1 + max_{r != y_i} w_r.x_i - w_{y_i}.x_i)

What ``sklearn.svm.LinearSVC(multi_class="crammer_singer")`` minimises, by the same dual method
(Keerthi and others 2008), but from a start that is given, with a proven distance from the minimum,
and stopped by Ctrl-C at once. Each item has a share for each class; shares sum to 1, and

    W = C sum_i x_i (own class - shares_i)'

Items are visited in blocks whose inner products are computed together, so that a visit works on
small arrays however wide the features are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conceptforest.baselines.margin_rows import MarginRows

__all__ = ["Machine", "fit_crammer_singer", "margin_losses"]

_BLOCK = 128  # items whose inner products are computed together
_MAX_ROUNDS = 1000  # 40 are usual
_LEAST_FALL = 1e-3  # of the objective; below, the tolerance does not get tighter
_LEAST_SQUARE = 1e-6  # of an item's length


class Machine(NamedTuple):
    """A machine, and what another one of almost the same labels starts from.

    Attributes
    ----------
    weights : ndarray of shape (width, n_classes), float32
    values : ndarray of shape (n_items, n_classes), float32
        Rows times weights.
    objective : float
    gap : float
        How far at most the objective is above the minimum.
    shares : ndarray of shape (n_items, n_classes), float32
    labels : ndarray of shape (n_items,), int64
    """

    weights: NDArray[np.float32]
    values: NDArray[np.float32]
    objective: float
    gap: float
    shares: NDArray[np.float32]
    labels: NDArray[np.int64]


def margin_losses(values: NDArray[np.float32]) -> NDArray[np.float64]:
    """Give the loss of each item if it were of each class, (n_items, n_classes).

    Parameters
    ----------
    values : ndarray of shape (n_items, n_classes)

    Examples
    --------
    >>> margin_losses(np.array([[2.0, 0.5, 0.0]])).tolist()
    [[0.0, 2.5, 3.0]]
    """
    n, p = values.shape
    if p == 1:
        return np.zeros((n, 1))
    order = np.argpartition(values, p - 2, axis=1)
    best, second = order[:, -1], order[:, -2]
    items = np.arange(n)
    rival = np.repeat(values[items, best][:, None], p, axis=1).astype(np.float64)
    rival[items, best] = values[items, second]
    return np.maximum(1 + rival - values, 0.0)


def fit_crammer_singer(
    rows: MarginRows,
    labels: NDArray[np.int64],
    n_classes: int,
    *,
    C: float = 1.0,
    start: Machine | None = None,
    tolerance: float = 1e-3,
    seed: int = 0,
) -> Machine:
    """Fit a machine by dual block descent.

    Parameters
    ----------
    rows : MarginRows of n_items
    labels : ndarray of shape (n_items,), int64
    n_classes : int
    C : float, default=1.0
        Cost of a violated margin.
    start : Machine or None, default=None
        For the same rows and other labels.
    tolerance : float, default=1e-3
        The gap to reach, as a share of the objective.
    seed : int, default=0
        Of the order in which items are visited.

    Returns
    -------
    Machine

    Examples
    --------
    >>> from conceptforest.baselines.margin_rows import MarginRows
    >>> rows = MarginRows((np.array([[0.0], [1.0], [5.0], [6.0]]),))
    >>> machine = fit_crammer_singer(rows, np.array([0, 0, 1, 1]), 2, C=10.0)
    >>> machine.values.argmax(axis=1).tolist(), machine.gap < 1e-3 * machine.objective
    ([0, 0, 1, 1], True)
    """
    rng, items = np.random.default_rng(seed), np.arange(rows.n)
    own = np.zeros((rows.n, n_classes), dtype=np.float32)
    own[items, labels] = 1
    shares = own.copy()
    if start is not None:
        same = start.labels == labels
        shares[same] = start.shares[same]
    for rounds in range(_MAX_ROUNDS + 1):
        weights = C * rows.gather(own - shares)  # anew, since small changes add up to errors
        values = rows.values(weights)
        scores = values + (1 - own)
        highest = scores.max(axis=1).astype(np.float64)
        square = float(np.einsum("ij,ij->", weights, weights, dtype=np.float64))
        objective = square / 2 + C * float((highest - scores[items, labels]).sum())
        slack = C * (highest - np.einsum("ij,ij->i", shares, scores, dtype=np.float64))
        gap = float(slack.sum())
        below = C * rows.n * (n_classes > 1) - objective  # the objective of no weights at all
        allowed = tolerance * max(min(objective, below), _LEAST_FALL * objective)
        if gap <= allowed or rounds == _MAX_ROUNDS:
            break
        # What the items left out can still give is half of what is asked for.
        wanted = np.flatnonzero(slack > allowed / (2 * rows.n))
        _visit(rows, rng.permutation(wanted), own=own, shares=shares, weights=weights, C=C)
    return Machine(weights, values, objective, gap, shares, labels)


def _visit(
    rows: MarginRows,
    order: NDArray[np.int64],
    *,
    own: NDArray[np.float32],
    shares: NDArray[np.float32],
    weights: NDArray[np.float32],
    C: float,
) -> None:
    """Make the shares of one item after the other the best given all others, in place."""
    places = np.arange(1, own.shape[1] + 1, dtype=np.float32)
    for first in range(0, len(order), _BLOCK):
        block = order[first : first + _BLOCK]
        taken = rows.take(block)
        scores = taken @ weights + (1 - own[block])
        inner = C * (taken @ taken.T)
        inner.flat[:: len(block) + 1] = np.maximum(inner.diagonal(), C * _LEAST_SQUARE)
        mine = shares[block]
        given = np.zeros_like(mine)  # what each item has less than before
        for item in range(len(block)):
            score = scores[item] + inner[item, :item] @ given[:item]
            best = _on_simplex(mine[item] + score / inner[item, item], places)
            given[item] = mine[item] - best
            mine[item] = best
        shares[block] = mine
        weights += C * (taken.T @ given)


def _on_simplex(point: NDArray[np.float32], places: NDArray[np.float32]) -> NDArray[np.float32]:
    """Give the nearest point whose coordinates are not negative and sum to 1."""
    falling = np.sort(point)[::-1]
    above = falling.cumsum() - 1
    last = max(int(np.count_nonzero(falling * places > above)), 1) - 1
    return np.asarray(np.maximum(point - above[last] / places[last], 0))
