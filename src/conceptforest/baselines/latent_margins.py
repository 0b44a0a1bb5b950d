"""The objective of latent maximum margin clustering, and how it is lowered.

A cluster t has a slope a_tj and a shift b_tj for each tag j, and looks for the presence of tags
that suits it best, so that its value for an item with the scores s_j is

    f_t = max over h in {0, 1}^m of sum_j h_j (a_tj s_j + b_tj) = sum_j max(0, a_tj s_j + b_tj)

The objective is ``|a, b|^2 / 2 + C / p sum_i sum_{r != y_i} max(0, 1 - f_{y_i} + f_r)``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import optimize, sparse

from conceptforest.in_threads import in_threads

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LatentMargins", "pairwise_losses"]

_CELLS = 2**16  # scores worked on at a time, which fit in a core's cache
_KINK = 0.2  # width over which the kink of a loss is rounded off, while slopes are searched


def pairwise_losses(values: NDArray[np.float32]) -> NDArray[np.float64]:
    """Give the loss of each item if it were of each cluster, summed over all others.

    Parameters
    ----------
    values : ndarray of shape (n_items, n_clusters)

    Returns
    -------
    ndarray of shape (n_items, n_clusters)

    Examples
    --------
    >>> pairwise_losses(np.array([[2.0, 0.5, 0.0]])).tolist()
    [[0.0, 3.0, 4.5]]
    """
    n, p = values.shape
    losses = np.empty((n, p))
    step = max(1, 2**20 // p**2)
    for start in range(0, n, step):
        some = values[start : start + step].astype(np.float64)
        short = 1 - some[:, :, None] + some[:, None, :]
        losses[start : start + step] = np.maximum(short, 0).sum(axis=2) - 1  # r = t gives 1
    return losses


class Weights(NamedTuple):
    """Slopes and shifts of all clusters, for scores in the dense part and in the sparse one."""

    slopes: NDArray[np.float32]  # (n_clusters, n_dense)
    shifts: NDArray[np.float32]
    rare_slopes: NDArray[np.float32]  # (n_clusters, n_sparse)
    rare_shifts: NDArray[np.float32]


class LatentMargins:
    """Items and their scores.

    Parameters
    ----------
    scores : ndarray of shape (n_items, n_dense)
    rare : csr_array of shape (n_items, n_sparse)
        0/1.
    n_clusters : int
    n_threads : int
        Nothing depends on it but time.
    """

    def __init__(self, scores: NDArray[Any], rare: Any, n_clusters: int, n_threads: int) -> None:
        self.scores = np.ascontiguousarray(scores, dtype=np.float32)
        self.rare = sparse.csr_array(rare, dtype=np.float32)
        self.p, self.n_threads = n_clusters, n_threads
        step = max(1, _CELLS // self.scores.shape[1])
        self.blocks = [slice(s, min(s + step, len(scores))) for s in range(0, len(scores), step)]
        self.width = 2 * (self.scores.shape[1] + self.rare.shape[1])

    def split(self, flat: NDArray[np.float64]) -> Weights:
        """Give the parts of a vector of all weights."""
        rows = flat.reshape(self.p, self.width).astype(np.float32)
        m, k = self.scores.shape[1], self.rare.shape[1]
        cuts = np.cumsum([m, m, k])
        return Weights(*(np.ascontiguousarray(part) for part in np.split(rows, cuts, axis=1)))

    def values(self, flat: NDArray[np.float64]) -> NDArray[np.float32]:
        """Give the clusters' values for all items, (n_items, n_clusters)."""
        weights = self.split(flat)
        found = np.empty((len(self.scores), self.p), dtype=np.float32)

        def fill(block: slice) -> None:
            found[block] = self._values(block, weights)

        with in_threads(fill, self.blocks, self.n_threads) as results:
            for _ in results:
                pass
        return found

    def objective(
        self, flat: NDArray[np.float64], values: NDArray[Any], labels: Any, C: float
    ) -> float:
        """Give the objective itself, without anything rounded off."""
        losses = pairwise_losses(values)[np.arange(len(labels)), labels]
        return float(flat @ flat) / 2 + C / self.p * float(losses.sum())

    def improve(
        self, flat: NDArray[np.float64], labels: NDArray[np.int64], C: float, max_iter: int
    ) -> NDArray[np.float64]:
        """Lower the objective, its kinks rounded off, by quasi-Newton steps (L-BFGS)."""
        found = optimize.minimize(
            self.smooth, flat, args=(labels, C), jac=True, method="L-BFGS-B",
            options={"maxiter": max_iter},
        )  # fmt: skip
        return np.asarray(found.x)

    def smooth(
        self, flat: NDArray[np.float64], labels: NDArray[np.int64], C: float
    ) -> tuple[float, NDArray[np.float64]]:
        """Give the objective with its kinks rounded off, and its gradient."""
        weights = self.split(flat)
        total, gradient = float(flat @ flat) / 2, flat.copy()

        def part(block: slice) -> tuple[float, NDArray[np.float32]]:
            return self._part(block, weights, labels[block], C / self.p)

        with in_threads(part, self.blocks, self.n_threads) as results:
            parts = {block.start: found for block, found in results}
        for block in self.blocks:
            loss, slope = parts[block.start]
            total += loss
            gradient += slope.ravel()
        return total, gradient

    def _values(self, block: slice, weights: Weights) -> NDArray[np.float32]:
        scores = self.scores[block]
        found = np.empty((len(scores), self.p), dtype=np.float32)
        work = np.empty_like(scores)
        for t in range(self.p):
            np.multiply(scores, weights.slopes[t], out=work)
            np.add(work, weights.shifts[t], out=work)
            np.maximum(work, 0, out=work)
            found[:, t] = work.sum(axis=1)
        if self.rare.shape[1]:
            absent = np.maximum(weights.rare_shifts, 0)
            present = np.maximum(weights.rare_slopes + weights.rare_shifts, 0)
            found += self.rare[block] @ (present - absent).T + absent.sum(axis=1)
        return found

    def _part(
        self, block: slice, weights: Weights, labels: NDArray[np.int64], cost: float
    ) -> tuple[float, NDArray[np.float32]]:
        """Give what some items add to the objective and to its gradient."""
        loss, pull = _rounded(self._values(block, weights), labels, cost)
        scores = self.scores[block]
        m, k = scores.shape[1], self.rare.shape[1]
        gradient = np.zeros((self.p, self.width), dtype=np.float32)
        work, on = np.empty_like(scores), np.empty_like(scores)
        for t in range(self.p):
            np.multiply(scores, weights.slopes[t], out=work)
            np.greater_equal(work, -weights.shifts[t], out=on)
            gradient[t, m : 2 * m] = pull[:, t] @ on
            np.multiply(on, scores, out=on)
            gradient[t, :m] = pull[:, t] @ on
        if k:
            there = (self.rare[block].T @ pull).T
            with_tag = there * (weights.rare_slopes + weights.rare_shifts >= 0)
            rest = (pull.sum(axis=0)[:, None] - there) * (weights.rare_shifts >= 0)
            gradient[:, 2 * m : 2 * m + k] = with_tag
            gradient[:, 2 * m + k :] = with_tag + rest
        return loss, gradient


def _rounded(
    values: NDArray[np.float32], labels: NDArray[np.int64], cost: float
) -> tuple[float, NDArray[np.float32]]:
    """Give the sum of rounded losses, and its gradient by the values."""
    items = np.arange(len(labels))
    short = 1 - values[items, labels][:, None] + values
    short[items, labels] = 0
    slope = np.clip(short / np.float32(_KINK), 0, 1)
    loss = float((slope * (short - slope * np.float32(_KINK / 2))).sum(dtype=np.float64))
    slope[items, labels] = -slope.sum(axis=1)
    return cost * loss, np.float32(cost) * slope
