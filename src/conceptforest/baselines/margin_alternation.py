"""Maximum margin clustering by turns: a machine for the labels, then labels for the machine."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from conceptforest.baselines.balanced_assignment import balanced_assignment
from conceptforest.baselines.crammer_singer import Machine, fit_crammer_singer, margin_losses

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from conceptforest.baselines.margin_rows import MarginRows

__all__ = ["N_COSTS", "SETTLED", "Alternation", "alternate"]

N_COSTS = 11  # from a thousandth of the cost

SETTLED = 0.001  # share of items that change sides below which labels are taken to be settled
_ROUGH, _FINE = 1e-2, 1e-3  # gaps of machines, while labels change and at the end


class Alternation(NamedTuple):
    """What the turns end in.

    Attributes
    ----------
    labels : ndarray of shape (n_items,), int64
    machine : Machine
        Fitted to `labels`, or to others of which at most a few differ.
    objective : float
        Of machine and labels.
    falls : list of list of float
        The objective after every step, a list for each cost. None of them ever rises.
    """

    labels: NDArray[np.int64]
    machine: Machine
    objective: float
    falls: list[list[float]]


def alternate(
    rows: MarginRows,
    labels: NDArray[np.int64],
    n_clusters: int,
    bounds: tuple[int, int],
    *,
    C: float = 1.0,
    n_costs: int = N_COSTS,
    max_iter: int = 50,
    seed: int = 0,
    progress: Callable[[int], None] | None = None,
) -> Alternation:
    """Lower the objective over the machine and over the labels in turn.

    Parameters
    ----------
    rows : MarginRows of n_items
    labels : ndarray of shape (n_items,), int64
        From which to start; within the bounds.
    n_clusters : int
    bounds : pair of int
        The least and the most items of a cluster.
    C : float, default=1.0
    n_costs : int, default=11
        Costs, each twice the one before and the last `C`. What one ends in the next starts from.
    max_iter : int, default=50
        Turns at one cost.
    seed : int, default=0
    progress : callable or None, default=None
        Is told how many costs are done.

    Returns
    -------
    Alternation
    """
    falls: list[list[float]] = []
    machine = None
    for stage in range(n_costs):
        turns = _Turns(rows, n_clusters, bounds, C * 2.0 ** (stage + 1 - n_costs), seed)
        last = stage + 1 == n_costs
        labels, machine = turns.run(labels, machine, max_iter, _FINE if last else _ROUGH)
        falls.append(turns.fall)
        if progress:
            progress(stage + 1)
    assert machine is not None  # noqa: S101  n_costs is at least 1
    return Alternation(labels, machine, falls[-1][-1], falls)


class _Turns:
    """The turns at one cost."""

    def __init__(
        self, rows: MarginRows, n_clusters: int, bounds: tuple[int, int], cost: float, seed: int
    ) -> None:
        self.rows, self.p, self.bounds = rows, n_clusters, bounds
        self.cost, self.seed = cost, seed
        self.fall: list[float] = []

    def run(
        self, labels: NDArray[np.int64], start: Machine | None, max_iter: int, final: float
    ) -> tuple[NDArray[np.int64], Machine]:
        """Take turns until labels settle, for machines whose gap is `final`."""
        tolerance = _ROUGH
        machine = self._fitted(labels, start, tolerance)
        self.fall.append(machine.objective)
        for _ in range(max_iter):
            labels, changed = self._relabelled(labels, machine)
            if changed < SETTLED:
                if tolerance <= final:
                    break
                tolerance = final
            better = self._fitted(labels, machine, tolerance)
            if better.objective > self.fall[-1] and tolerance > _FINE:
                better = self._fitted(labels, machine, _FINE)
            if better.objective <= self.fall[-1]:
                machine = better
                self.fall.append(machine.objective)
        return labels, machine

    def _fitted(
        self, labels: NDArray[np.int64], start: Machine | None, tolerance: float
    ) -> Machine:
        return fit_crammer_singer(
            self.rows, labels, self.p, C=self.cost, start=start, tolerance=tolerance,
            seed=self.seed,
        )  # fmt: skip

    def _relabelled(
        self, labels: NDArray[np.int64], machine: Machine
    ) -> tuple[NDArray[np.int64], float]:
        """Give the best labels for the machine, and the share of items that got others."""
        losses = margin_losses(machine.values)
        best = balanced_assignment(losses, *self.bounds)
        items = np.arange(len(labels))
        saved = float((losses[items, labels] - losses[items, best]).sum())
        if saved <= 0:  # of equally good labels those that they have
            return labels, 0.0
        self.fall.append(self.fall[-1] - self.cost * saved)
        return best, float(np.mean(labels != best))
