"""Many jobs in threads, a bounded number of them begun at any time."""

from __future__ import annotations

from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

__all__ = ["in_threads"]

_PAUSE = 0.5  # seconds
_Job = TypeVar("_Job")
_Result = TypeVar("_Result")


@contextmanager
def in_threads(
    function: Callable[[_Job], _Result],
    jobs: Iterable[_Job],
    n_threads: int,
    while_waiting: Callable[[], None] | None = None,
) -> Iterator[Iterator[tuple[_Job, _Result]]]:
    """Give an iterator over jobs and their results, in the order in which they are done.

    No more than twice as many jobs as threads are begun, or done and not yet taken. On leaving,
    whatever was not begun is dropped, and nobody waits for what is still running.

    Parameters
    ----------
    function : callable
        Called with a job, in a thread. What it raises is raised by the iterator.
    jobs : iterable
        Taken in the caller's thread, as they are needed.
    n_threads : int
    while_waiting : callable, default=None
        Called without arguments, in the caller's thread, now and then while nothing is done.

    Examples
    --------
    >>> with in_threads(abs, [-1, -2, 3], 2) as results:
    ...     sorted(results)
    [(-2, 2), (-1, 1), (3, 3)]
    """
    executor = ThreadPoolExecutor(n_threads, thread_name_prefix="conceptforest")
    try:
        yield _results(executor, function, jobs, 2 * n_threads, while_waiting)
    finally:
        executor.shutdown(wait=False, cancel_futures=True)


def _results(
    executor: ThreadPoolExecutor,
    function: Callable[[_Job], _Result],
    jobs: Iterable[_Job],
    most: int,
    while_waiting: Callable[[], None] | None,
) -> Iterator[tuple[_Job, _Result]]:
    waiting: dict[Future[_Result], _Job] = {}
    queue = iter(jobs)
    while True:
        while len(waiting) < most:
            try:
                job = next(queue)
            except StopIteration:
                break
            waiting[executor.submit(function, job)] = job
        if not waiting:
            return
        pause = None if while_waiting is None else _PAUSE
        done, _ = wait(waiting, pause, return_when=FIRST_COMPLETED)
        if not done and while_waiting is not None:
            while_waiting()
        for future in done:
            yield waiting.pop(future), future.result()
