"""The scores of runs over all seeds, by method."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest.experiments.completion import own_layers
from conceptforest.experiments.methods import METHODS

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from conceptforest.experiments.cells import Cell
    from conceptforest.experiments.jobs import Job
    from conceptforest.experiments.plan import Plan

__all__ = ["Runs"]


_ASKED_WITH = {"MostSpecific": "HMLRF"}  # run wherever the other one is


class Runs:
    """Scores over the seeds of a plan.

    Parameters
    ----------
    plan : Plan
    look : function of a Job
        Gives its cell, or None if it has not been run.

    Attributes
    ----------
    asked : dict of Job
        Every job that was looked at.
    """

    def __init__(self, plan: Plan, look: Callable[[Job], Cell | None]) -> None:
        self.plan, self._look = plan, look
        self.asked: dict[Job, None] = {}

    def cluster(
        self, method: str, score: str = "nmi", *, removed: float = 0.0, **params: Any
    ) -> NDArray[np.float64]:
        """Give a score of clusters for each seed; not a number where there is none."""
        return self._scores(method, lambda scores: scores[score], removed=removed, **params)

    def complete(self, method: str, score: str, n: int) -> NDArray[np.float64]:
        """Give a score of `n` completed tags for each seed."""
        params = {"layers": own_layers(self.plan)} if method.startswith("HMLRF(") else {}
        return self._scores(method, lambda scores: scores[score][n - 1], **params)

    def _scores(
        self,
        method: str,
        value: Callable[[dict[str, Any]], float],
        *,
        removed: float | None = None,
        **params: Any,
    ) -> NDArray[np.float64]:
        if method not in METHODS or not self.plan.wants(_ASKED_WITH.get(method, method)):
            return np.full(len(self.plan.seeds), np.nan)
        jobs = self.plan.jobs(method, removed=removed, **params)
        self.asked |= dict.fromkeys(jobs)
        cells = [self._look(job) for job in jobs]
        return np.array([np.nan if c is None or c.failure else value(c.scores) for c in cells])
