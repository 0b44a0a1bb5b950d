"""How long a run will take on a large collection, from runs on smaller parts of it.

Time is taken to grow as a power of the number of items, the one between the two largest parts. So
what would exceed the limit of time is not begun, and the table says how long it would take.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from conceptforest.experiments.cells import Cell

if TYPE_CHECKING:
    from collections.abc import Iterable

    from conceptforest.experiments.jobs import Job

__all__ = ["Growth", "too_slow"]

_LEAST, _MOST = 1.0, 3.0  # a method reads every item; noise in short times must not run away


class Growth:
    """Times of runs by the number of items.

    Parameters
    ----------
    runs : iterable of (Job, int, float)
        A job, the number of items and the seconds it took.

    Examples
    --------
    >>> from conceptforest.experiments.jobs import Job
    >>> job = Job("cluster", "KMeans")
    >>> Growth([(job, 1000, 2.0), (job, 2000, 8.0)]).seconds(job, 4000)
    32.0
    """

    def __init__(self, runs: Iterable[tuple[Job, int, float]]) -> None:
        self._times: dict[Job, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
        for job, n_items, seconds in runs:
            self._times[_of_any_seed(job)][n_items].append(seconds)

    def sizes(self, job: Job) -> tuple[int, ...]:
        """Give the two largest numbers of items that the job was run on, or nothing."""
        return tuple(sorted(self._times.get(_of_any_seed(job), {}))[-2:])

    def seconds(self, job: Job, n_items: int) -> float | None:
        """Foresee how long a job takes; None where fewer than two sizes are known."""
        sizes = self.sizes(job)
        if len(sizes) < 2:
            return None
        times = self._times[_of_any_seed(job)]
        before, last = (max(float(np.mean(times[n])), 1e-3) for n in sizes)
        power = math.log(last / before) / math.log(sizes[1] / sizes[0])
        return float(last * (n_items / sizes[1]) ** min(max(power, _LEAST), _MOST))


def too_slow(growth: Growth, job: Job, n_items: int, limit: float | None) -> Cell | None:
    """Give the cell of a job that would exceed its limit of time, or None if it would not.

    Parameters
    ----------
    growth : Growth
    job : Job
    n_items : int
    limit : float or None
        Seconds.

    Returns
    -------
    Cell or None
        Its `seconds` are those foreseen.
    """
    seconds = growth.seconds(job, n_items)
    if limit is None or seconds is None or seconds <= limit:
        return None
    first, second = growth.sizes(job)
    why = (
        f"not run: about {seconds / 3600:.1f} h foreseen, from {first:,} and {second:,} items;"
        f" {limit / 3600:.1f} h allowed"
    )
    return Cell({}, why, seconds=seconds, limit=limit, facts={"foreseen": True})


def _of_any_seed(job: Job) -> Job:
    return replace(job, seed=0)
