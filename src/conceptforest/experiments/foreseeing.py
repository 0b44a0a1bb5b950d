"""How long a run will take on a large collection, from runs on smaller parts of it.

Time is taken to have two parts, one that grows as the number of items and one as its square, so
that it comes out right for the two largest sizes: on all items the square takes over, where on the
parts it still hides. Higher powers are not believed: where short times grow faster, it is because
more items leave the cache, or bring more tags, and neither goes on for long. What would take far
longer than allowed is not begun, and the table says how long it would take.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from conceptforest.experiments.cells import Cell

if TYPE_CHECKING:
    from collections.abc import Iterable

    from conceptforest.experiments.jobs import Job

__all__ = ["Growth", "too_slow", "untried"]

# Runs of minutes on 17,523 items, foreseen from 1,100 and 4,400, took from a fifth of that time to
# one and a half of it. So what may be done in time is begun, and stopped at its limit if it is not.
_SURE = 2.0


class Growth:
    """Times of runs by the number of items.

    Parameters
    ----------
    runs : iterable of (Job, int, float)
        A job, the number of items and the seconds it took.
    stopped : iterable of (Job, int), default=()
        Jobs that were stopped at their limit on so many items: they take longer than was seen.

    Examples
    --------
    >>> from conceptforest.experiments.jobs import Job
    >>> job = Job("cluster", "KMeans")
    >>> Growth([(job, 1000, 2.0), (job, 2000, 8.0)]).seconds(job, 4000)
    32.0
    """

    def __init__(
        self, runs: Iterable[tuple[Job, int, float]], stopped: Iterable[tuple[Job, int]] = ()
    ) -> None:
        self._stopped = {(_of_any_seed(job), n_items) for job, n_items in stopped}
        self._times: dict[Job, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
        for job, n_items, seconds in runs:
            self._times[_of_any_seed(job)][n_items].append(seconds)

    def sizes(self, job: Job) -> tuple[int, ...]:
        """Give the two largest numbers of items that the job was run on, or what there is."""
        return tuple(sorted(self._times.get(_of_any_seed(job), {}))[-2:])

    def is_least(self, job: Job) -> bool:
        """Tell whether it takes at least so long as foreseen: little is known, or not all of it."""
        sizes = self.sizes(job)
        key = _of_any_seed(job)
        return len(sizes) < 2 or any((key, n_items) in self._stopped for n_items in sizes)

    def seconds(self, job: Job, n_items: int) -> float | None:
        """Foresee how long a job takes; from one size at least so long, None from none."""
        sizes = self.sizes(job)
        if not sizes:
            return None
        times = self._times[_of_any_seed(job)]
        before, last = (max(float(np.mean(times[n])), 1e-3) for n in (sizes[0], sizes[-1]))
        larger, growth, more = sizes[-1] / sizes[0], last / before, n_items / sizes[-1]
        square = 0.0  # the share of the last time that grows so
        if growth > larger:
            square = min(1.0, (1 - larger / growth) / (1 - 1 / larger))
        return last * ((1 - square) * more + square * more**2)


def too_slow(growth: Growth, job: Job, n_items: int, limit: float | None) -> Cell | None:
    """Give the cell of a job that would take far longer than allowed, or None if it may not.

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
    cell = untried(growth, job, n_items)
    if limit is None or cell is None or cell.seconds <= _SURE * limit:
        return None
    return replace(cell, failure=f"{cell.failure}; {_duration(limit)} allowed", limit=limit)


def untried(growth: Growth, job: Job, n_items: int) -> Cell | None:
    """Give the cell of a job that is not begun, with how long it would take, if that is known."""
    seconds = growth.seconds(job, n_items)
    if seconds is None:
        return None
    word = "at least" if growth.is_least(job) else "about"
    sizes = " and ".join(f"{n:,}" for n in growth.sizes(job))
    why = f"not run: {word} {_duration(seconds)} foreseen, from {sizes} items"
    return Cell({}, why, seconds=seconds, facts={"foreseen": True})


def _duration(seconds: float) -> str:
    for unit, length in (("h", 3600), ("min", 60)):
        if seconds >= length:
            return f"{seconds / length:.1f} {unit}"
    return f"{seconds:.0f} s"


def _of_any_seed(job: Job) -> Job:
    return replace(job, seed=0)
