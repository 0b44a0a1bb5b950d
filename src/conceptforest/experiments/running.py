"""Running what is missing: each job once, unless the code of its method has changed.

What is bound to take far longer than allowed, judged by runs on smaller parts, is not begun.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from conceptforest.experiments.code_version import code_version
from conceptforest.experiments.foreseeing import Growth, too_slow, untried
from conceptforest.experiments.machine import date_and_time, machine_facts
from conceptforest.experiments.methods import METHODS
from conceptforest.experiments.pool import Bounds, run_jobs
from conceptforest.experiments.watching import watching

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from conceptforest.experiments.cells import Cell, CellStore
    from conceptforest.experiments.jobs import Job
    from conceptforest.experiments.subject import Subject

_SCORES = ("conceptforest.metrics", "conceptforest.tags.hiding")
_AROUND = ("conceptforest.experiments.run_job", "conceptforest.experiments.building")

__all__ = ["Ran", "code_version_of", "is_done", "run_missing"]


@dataclass(frozen=True)
class Ran:
    """How much was done.

    Attributes
    ----------
    n_run : int
        Jobs run now.
    n_older : int
        Results of earlier code that were kept.
    """

    n_run: int
    n_older: int


def run_missing(
    needed: Sequence[Job],
    subject: Subject,
    store: CellStore,
    bounds: Bounds,
    *,
    shared: Path | None = None,
    method_files: Sequence[str] = (),
    keep_older: bool = False,
    no_runs: bool = False,
    show: bool = False,
) -> Ran:
    """Run the jobs that have no result, or one by other code, and keep what comes out.

    Parameters
    ----------
    needed : sequence of Job
    subject : Subject
    store : CellStore
    bounds : Bounds
    shared : Path or None, default=None
        Folder of what several jobs use; None shares nothing.
    method_files : sequence of str, default=()
        Files with further methods.
    keep_older : bool, default=False
        Take results that earlier code has computed.
    no_runs : bool, default=False
        Begin none, but foresee how long those without a result would take.
    show : bool, default=False
        Show progress.

    Returns
    -------
    Ran
    """
    versions = {name: code_version_of(name) for name in {job.method for job in needed}}
    missing = [
        job
        for job in sorted(needed, key=lambda job: job.seed)  # a whole table of few seeds first
        if not is_done(store.get(job), versions[job.method], bounds, keep_older=keep_older)
    ]
    n_older = sum(
        cell is not None and cell.code != versions[job.method]
        for job in set(needed) - set(missing)
        for cell in [store.get(job)]
    )
    facts = machine_facts(bounds)
    parts = [
        (job, n_items, cell)
        for job, n_items, cell in (store.smaller_parts() if missing else ())
        if (keep_older or cell.code == versions.get(job.method))
        and cell.tells_time
        and _as_here(cell, facts)
    ]
    growth = Growth(
        ((job, n_items, cell.seconds) for job, n_items, cell in parts),
        ((job, n_items) for job, n_items, cell in parts if cell.failure),
    )

    if no_runs:
        for job in missing:
            before, cell = store.get(job), untried(growth, job, subject.collection.n_items)
            if cell is not None and (before is None or before.foreseen):
                store.tell(job, cell)
        return Ran(0, n_older)

    def foreseen(job: Job) -> float | None:
        return growth.seconds(job, subject.collection.n_items)

    with watching(missing, store.get, needed, bounds, foreseen=foreseen, show=show) as finished:

        def done(job: Job, cell: Cell) -> None:
            machine = facts | {"date": date_and_time()}
            store.put(job, replace(cell, code=versions[job.method], machine=machine))
            finished(job, cell)

        feasible = []
        for job in missing:
            cell = too_slow(growth, job, subject.collection.n_items, bounds.seconds)
            if cell is None:
                feasible.append(job)
            else:
                done(job, cell)
        # The quickest of each seed first, where that is known: a page of most rows is there soon.
        feasible.sort(key=lambda job: (job.seed, foreseen(job) or 0.0))
        if feasible:
            run_jobs(feasible, subject.path, done, bounds, method_files=method_files, shared=shared)
    return Ran(len(feasible), n_older)


def _as_here(cell: Cell, facts: Mapping[str, Any]) -> bool:
    """Tell whether a run took as long as it would here: on this processor, with such threads."""
    return all(cell.machine.get(key, facts[key]) == facts[key] for key in ("cpu", "threads"))


def code_version_of(method: str) -> str:
    """Give the version of all code that makes a result of a method, and scores it."""
    module, inner = METHODS[method].module, METHODS[method].inner
    return code_version(module, *([inner] if inner else []), *_SCORES, alone=_AROUND)


def is_done(cell: Cell | None, version: str, bounds: Bounds, *, keep_older: bool) -> bool:
    """Tell whether a result need not be computed: what failed is tried again, but for the slow."""
    if cell is None or cell.foreseen or (cell.code != version and not keep_older):
        return False
    if cell.took_too_long:
        return bounds.seconds is not None and bounds.seconds <= (cell.limit or 0.0)
    return not cell.failure
