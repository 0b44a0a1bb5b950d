"""Jobs in several processes, within bounds of time and memory.

A job that takes too long is stopped. When all jobs together hold too much memory, the one that was
begun last is stopped and tried again in a new process with nothing beside it; only one that needs
too much even so fails. A process that dies takes no more than its job with it.
"""

from __future__ import annotations

import multiprocessing
import os
import time
from collections import deque
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any

from conceptforest.experiments.cells import Cell
from conceptforest.experiments.jobs import Job
from conceptforest.experiments.worker import resident_mb, serve

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from multiprocessing.context import SpawnProcess
    from pathlib import Path

__all__ = ["Bounds", "run_jobs"]

_PAUSE = 0.5  # seconds between looks at time and memory
_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")


@dataclass(frozen=True)
class Bounds:
    """What jobs may take.

    Attributes
    ----------
    n_workers : int
        Jobs at a time.
    n_threads : int
        Of each job.
    memory_mb : float
        Of all processes together.
    seconds : float or None
        Of each job; None lets them run.
    """

    n_workers: int = 1
    n_threads: int = 1
    memory_mb: float = 16_000.0
    seconds: float | None = None


def run_jobs(
    jobs: Sequence[Job],
    data: str | os.PathLike[str],
    done: Callable[[Job, Cell], None],
    bounds: Bounds,
    *,
    method_files: Sequence[str] = (),
    shared: Path | None = None,
) -> None:
    """Run jobs and report each as soon as it is done.

    Parameters
    ----------
    jobs : sequence of Job
    data : path-like
        Feature file of the collection.
    done : function of a Job and a Cell
        Called in the order in which jobs end.
    bounds : Bounds
    method_files : sequence of str, default=()
        Files with further methods.
    shared : Path or None, default=None
        Folder of what several jobs use; None shares nothing.
    """
    waiting, alone = deque(jobs), deque[Job]()
    with _team(bounds, os.fspath(data), list(method_files), bounds.n_threads, shared) as workers:
        while waiting or alone or any(worker.job for worker in workers):
            _hand_out(workers, waiting, alone)
            wait([worker.connection for worker in workers if worker.job], _PAUSE)
            for worker in workers:
                answer = worker.answer(bounds)
                if answer is not None:
                    done(*answer)
            stopped = _relieve(workers, bounds)
            if isinstance(stopped, tuple):
                done(*stopped)
            elif stopped is not None:
                alone.append(stopped)


def _hand_out(workers: list[_Worker], waiting: deque[Job], alone: deque[Job]) -> None:
    """Give jobs to those who have none; one that must be alone waits until all others are done."""
    busy = [worker for worker in workers if worker.job]
    if any(worker.is_alone for worker in busy):
        return
    if alone and not busy:
        for worker in workers:
            worker.stop()  # nothing beside it, not even what earlier jobs left behind
        workers[0].begin(alone.popleft(), is_alone=True)
        return
    for worker in workers:
        if not worker.job and waiting and not alone:
            worker.begin(waiting.popleft())


def _relieve(workers: list[_Worker], bounds: Bounds) -> Job | tuple[Job, Cell] | None:
    """Stop the job begun last if all of them hold too much: give it back, or its failure."""
    busy = [worker for worker in workers if worker.job]
    if not busy or _held(workers) <= bounds.memory_mb:
        return None
    for worker in workers:
        if not worker.job:
            worker.stop()  # it may hold what an earlier job left behind
    if _held(busy) <= bounds.memory_mb:
        return None
    last = max(busy, key=lambda worker: worker.begun)
    job, own = last.job, last.held_mb()
    seconds = time.monotonic() - last.begun
    last.stop()
    assert job is not None  # noqa: S101 - it is busy
    if len(busy) > 1 or not last.is_fresh:
        return job
    failure = f"it held {own:,.0f} MB, more than the {bounds.memory_mb:,.0f} allowed"
    return job, Cell({}, failure, seconds=seconds, limit=bounds.seconds, peak_mb=own)


def _held(workers: Sequence[_Worker]) -> float:
    return sum(worker.held_mb() for worker in workers)


@contextmanager
def _team(bounds: Bounds, *arguments: Any) -> Iterator[list[_Worker]]:
    before = {name: os.environ.get(name) for name in _THREAD_VARIABLES}
    os.environ.update(dict.fromkeys(_THREAD_VARIABLES, str(bounds.n_threads)))
    workers: list[_Worker] = []
    try:
        workers += [_Worker(*arguments) for _ in range(bounds.n_workers)]
        yield workers
    finally:
        for worker in workers:
            worker.stop()
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


class _Worker:
    """A process, given the arguments of :func:`serve`, and the job that it works on.

    The process is started with its first job, and again after it was stopped.
    """

    def __init__(self, *arguments: Any) -> None:
        self._arguments = arguments
        self.job: Job | None = None
        self.is_alone = False
        self.is_fresh = False  # whether its process was started for this job
        self.begun = 0.0
        self._process: SpawnProcess | None = None

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self._process = context.Process(target=serve, args=(theirs, *self._arguments), daemon=True)
        self._process.start()
        theirs.close()

    def begin(self, job: Job, *, is_alone: bool = False) -> None:
        if self._process is not None and not self._process.is_alive():
            self.stop()  # it died while it had nothing to do
        self.is_fresh = self._process is None
        if self.is_fresh:
            self._start()
        self.job, self.is_alone, self.begun = job, is_alone, time.monotonic()
        with suppress(OSError):  # if it dies just now, `answer` finds out
            self.connection.send(job)

    def answer(self, bounds: Bounds) -> tuple[Job, Cell] | None:
        """Give the job and its cell if it has ended, one way or the other."""
        if self.job is None:
            return None
        seconds = time.monotonic() - self.begun
        limit = bounds.seconds
        job, cell = self.job, None
        try:
            if self.connection.poll():
                cell = _cell(*self.connection.recv(), seconds=seconds, limit=limit)
        except (EOFError, OSError):
            cell = Cell({}, self._death(), seconds=seconds, limit=limit)
            self.stop()
        if cell is None and limit is not None and seconds > limit:
            cell = Cell({}, f"it took more than {limit:,.0f} s", seconds=seconds, limit=limit)
            self.stop()
        if cell is None:
            return None
        self.job = None
        return job, cell

    def _death(self) -> str:
        code = None
        if self._process is not None:
            self._process.join(5)
            code = self._process.exitcode
        why = "it may have run out of memory" if code == -9 else f"exit code {code}"
        return f"its process died ({why})"

    def held_mb(self) -> float:
        return 0.0 if self._process is None else resident_mb(self._process.pid or "none")

    def stop(self) -> None:
        """End the process, and what it works on."""
        self.job = None
        if self._process is not None:
            self.connection.close()
            self._process.kill()
            self._process.join()
            self._process = None


def _cell(how: str, what: Any, peak_mb: float, *, seconds: float, limit: float | None) -> Cell:
    if how == "failed":
        return Cell({}, what, seconds=seconds, limit=limit, peak_mb=peak_mb)
    return Cell(
        what["scores"],
        seconds=round(what["seconds"], 3),
        limit=limit,
        peak_mb=peak_mb,
        facts=what["facts"],
    )
