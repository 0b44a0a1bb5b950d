"""Figures that show items or a fitted model: what they have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest.experiments.methods import title_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from conceptforest.experiments.cells import Cell
    from conceptforest.experiments.jobs import Job
    from conceptforest.experiments.plan import Plan

__all__ = ["Picture", "of_all_classes"]


@dataclass(frozen=True, eq=False)
class Picture:
    """A figure that needs a fitted model or the items themselves.

    Attributes
    ----------
    name, title, about : str
    draw : function of a Plan, a folder for what is computed, a file and a number of threads
    shows : function of a Plan, or None
        Gives the run that the figure shows, if any.
    """

    name: str
    title: str
    about: str
    draw: Any
    shows: Callable[[Plan], Job] | None = None

    def hindrance(self, plan: Plan, look: Callable[[Job], Cell | None]) -> str:
        """Say why it cannot be drawn: what it shows is not wanted, or failed; empty if it can."""
        if self.shows is None:
            return ""
        job = self.shows(plan)
        title = title_of(job.method)
        if not plan.wants(job.method):
            return f"{title}, which it shows, is not among the methods that are run."
        cell = look(job)
        return "" if cell is None or not cell.failure else f"{title}: {cell.failure}."


def of_all_classes(labels: Any, n: int) -> NDArray[np.int64]:
    """Choose items at random, taking turns between classes.

    Parameters
    ----------
    labels : ndarray of shape (n_items,), int64
    n : int

    Returns
    -------
    ndarray of shape (n,), int64
        Or as many as there are.

    Examples
    --------
    >>> labels = np.array([0, 0, 0, 1])
    >>> sorted(labels[of_all_classes(labels, 2)].tolist())
    [0, 1]
    """
    rng = np.random.default_rng(0)
    shuffled = rng.permutation(len(labels))
    turn = np.zeros(len(labels), dtype=np.int64)
    for number in np.unique(labels):
        own = shuffled[labels[shuffled] == number]
        turn[own] = np.arange(len(own))
    order = shuffled[np.argsort(turn[shuffled], kind="stable")]
    return np.asarray(order[:n])
