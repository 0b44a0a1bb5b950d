"""Progress of many runs that take seconds or minutes, with an estimate of what is left."""

from __future__ import annotations

import sys
import time
from collections import defaultdict
from contextlib import contextmanager
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from rich.progress import Progress

    from conceptforest.experiments.cells import Cell
    from conceptforest.experiments.jobs import Job
    from conceptforest.experiments.pool import Bounds

__all__ = ["Estimate", "watching"]

_UNKNOWN = 10.0  # seconds, until the first run is done
_EVERY = 60.0  # seconds between lines where there is no terminal to draw a bar on


class Estimate:
    """How long runs will take, from those that are done.

    Parameters
    ----------
    foreseen : function of a Job or None, default=None
        Gives the seconds foreseen for it from elsewhere, or None.

    Examples
    --------
    >>> from conceptforest.experiments.jobs import Job
    >>> estimate = Estimate()
    >>> estimate.learn(Job("cluster", "KMeans", seed=0), 4.0)
    >>> estimate.of(Job("cluster", "KMeans", seed=1))
    4.0
    """

    def __init__(self, foreseen: Callable[[Job], float | None] | None = None) -> None:
        self._foreseen = foreseen
        self._by_settings: dict[object, list[float]] = defaultdict(list)
        self._by_method: dict[str, list[float]] = defaultdict(list)

    def learn(self, job: Job, seconds: float) -> None:
        """Take note of a run that took so long."""
        self._by_settings[job.method, job.params].append(seconds)
        self._by_method[job.method].append(seconds)

    def of(self, job: Job) -> float:
        """Foresee a run: as long as its like, else by what is foreseen, its method or the rest."""
        like = self._by_settings.get((job.method, job.params))
        foreseen = None if like or self._foreseen is None else self._foreseen(job)
        if foreseen is not None:
            return foreseen
        like = like or self._by_method.get(job.method)
        if like:
            return float(np.mean(like))
        everything = [one for some in self._by_method.values() for one in some]
        return float(np.median(everything)) if everything else _UNKNOWN


@contextmanager
def watching(
    missing: Sequence[Job],
    look: Callable[[Job], Cell | None],
    needed: Sequence[Job],
    bounds: Bounds,
    *,
    foreseen: Callable[[Job], float | None] | None = None,
    show: bool,
) -> Iterator[Callable[[Job, Cell], None]]:
    """Show how far the runs are; yields a function to be told of each that is done."""
    estimate = Estimate(foreseen)
    for job in needed:
        cell = look(job)
        if cell is not None and not cell.failure:
            estimate.learn(job, cell.seconds)
    if not show or not missing:
        yield lambda _job, _cell: None
        return
    with _display(len(missing)) as display:
        left = dict.fromkeys(missing)
        n_failed = 0
        begun = time.monotonic()

        def finished(job: Job, cell: Cell) -> None:
            nonlocal n_failed
            left.pop(job, None)
            if cell.failure:
                n_failed += 1
                display.say(f"{job}: {cell.failure}")
            if not cell.foreseen:
                estimate.learn(job, cell.seconds)
            remaining = sum(map(estimate.of, left)) / bounds.n_workers
            failed = f", {n_failed} without a result" if n_failed else ""
            display.advance(
                f"elapsed {_clock(time.monotonic() - begun)}, left about {_clock(remaining)}"
                f"{failed}; last: {job}"
            )

        yield finished


class _Lines:
    """Progress for a file: a line a minute, and one at the end."""

    def __init__(self, total: int) -> None:
        self._done, self._total = 0, total
        self._said = time.monotonic()

    def say(self, text: str) -> None:
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()

    def advance(self, told: str) -> None:
        self._done += 1
        if self._done == self._total or time.monotonic() - self._said > _EVERY:
            self._said = time.monotonic()
            self.say(f"{self._done:,} of {self._total:,} runs; {told}")


class _Bar:
    """Progress for a terminal."""

    def __init__(self, bar: Progress, total: int) -> None:
        self._bar = bar
        self._task = bar.add_task("running", total=total, told="")

    def say(self, text: str) -> None:
        self._bar.console.print(text, markup=False, style="yellow")

    def advance(self, told: str) -> None:
        self._bar.update(self._task, advance=1, told=told[:150])


@contextmanager
def _display(total: int) -> Iterator[_Lines | _Bar]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        yield _Lines(total)
        return
    columns = (
        TextColumn("running"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[told]}"),
    )
    with Progress(*columns, console=console) as bar:
        yield _Bar(bar, total)


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}"
