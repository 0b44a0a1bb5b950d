"""The main line: what is asked for, what is missing, running it, writing it down."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from conceptforest.experiments import (
    abstractness,
    affinity_by_cluster,
    claims,
    comparison,
    completed_tags,
    completion,
    components,
    example_clusters,
    forest_sizes,
    layer_numbers,
    pipeline,
    samples,
    sparseness,
)
from conceptforest.experiments.cells import Cell, CellStore
from conceptforest.experiments.claims import ClaimTable
from conceptforest.experiments.figures import CurveFigure
from conceptforest.experiments.index_page import write_index
from conceptforest.experiments.machine import machine_facts
from conceptforest.experiments.markdown_page import write_markdown
from conceptforest.experiments.methods import add_methods_of_file
from conceptforest.experiments.pictures import Picture
from conceptforest.experiments.plan import PRESETS, Plan, Settings
from conceptforest.experiments.pool import Bounds
from conceptforest.experiments.running import code_version_of, is_done, run_missing
from conceptforest.experiments.scoretable import ScoreTable
from conceptforest.experiments.sections import Provenance, Section, below_tables
from conceptforest.experiments.sources import open_subject
from conceptforest.experiments.table_files import write_table
from conceptforest.progress import working
from conceptforest.tags.names import did_you_mean

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence

    from conceptforest.experiments.jobs import Job

__all__ = ["EXPERIMENTS", "Reproduction", "reproduce"]

_SCORED: tuple[Any, ...] = (
    claims,
    comparison,
    sparseness,
    layer_numbers,
    abstractness,
    completion,
    components,
    forest_sizes,
)
_DRAWN: tuple[Any, ...] = (
    samples,
    pipeline,
    affinity_by_cluster,
    example_clusters,
    completed_tags,
)
Look: TypeAlias = "Callable[[Job], Cell | None]"
EXPERIMENTS: dict[str, Any] = {
    **{name: module for module in _SCORED for name in module.NAMES},
    **{picture.name: picture for module in _DRAWN for picture in module.PICTURES},
}


@dataclass(frozen=True)
class Reproduction:
    """What was done.

    Attributes
    ----------
    index : Path
        The page that holds everything; ``index.md`` beside it is the same as Markdown.
    files : tuple of Path
        All tables and figures.
    n_jobs, n_run, n_failed : int
        Runs that the tables need, runs made now, and runs without a result.
    remarks : tuple of str
        What the audit found in our own tables.
    lacking : tuple of str
        Tables and figures that could not be made; the page says why.
    """

    index: Path
    files: tuple[Path, ...]
    n_jobs: int
    n_run: int
    n_failed: int
    remarks: tuple[str, ...]
    lacking: tuple[str, ...] = ()


def reproduce(
    names: Sequence[str],
    data: str,
    out: str | os.PathLike[str],
    *,
    settings: Settings | tuple[str, Mapping[str, Any]] = PRESETS["paper"],
    features: str = "auto",
    layout: Mapping[str, Any] | None = None,
    cells: str | os.PathLike[str] | None = None,
    bounds: Bounds | None = None,
    method_files: Sequence[str] = (),
    keep_older: bool = False,
    no_runs: bool = False,
    command: str = "",
    verbose: int = 0,
) -> Reproduction:
    """Run the paper's experiments on a collection and write its tables and figures.

    Parameters
    ----------
    names : sequence of str
        Names of :data:`EXPERIMENTS`, or ``"all"``.
    data : str
        See :func:`~conceptforest.experiments.sources.open_subject`.
    out : path-like
        Folder for everything; made where missing.
    settings : Settings, or the name of a preset and changes, default=the paper's
    features : str, default="auto"
        For collections of media: see ``conceptforest discover``.
    layout : dict or None, default=None
        How to read a published layout: parameters of its reader.
    cells : path-like or None, default=None
        Folder of the results of single runs; None is ``cells`` in `out`.
    bounds : Bounds or None, default=None
        What runs may take; the limit of time is that of the settings.
    method_files : sequence of str, default=()
        Python files with further methods; each gets its rows in all tables.
    keep_older : bool, default=False
        Use results that earlier code has computed, and say so, instead of computing them again.
    no_runs : bool, default=False
        Begin no run: what is kept makes the tables, and they say how long the rest would take.
    command : str, default=""
        What to write down as the command.
    verbose : int, default=0
        1 shows progress.

    Returns
    -------
    Reproduction
    """
    chosen = _choose(names)
    for file in method_files:
        add_methods_of_file(file)
    if not isinstance(settings, Settings):  # its methods may be those of the files
        settings = Settings.of(*settings)
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    bounds = replace(bounds or Bounds(), seconds=settings.seconds)
    n_jobs = bounds.n_workers * bounds.n_threads
    subject = open_subject(
        data, out, features=features, layout=layout, n_jobs=n_jobs, verbose=verbose
    )
    plan = Plan(subject, settings)
    own = subject.collection
    store = CellStore(cells or out / "cells", subject.digest, own.name, own.n_items)
    scored = [one for one in chosen if not hasattr(one, "draw")]
    needed = list(dict.fromkeys(itertools.chain.from_iterable(one.jobs(plan) for one in scored)))
    done = run_missing(
        needed,
        subject,
        store,
        bounds,
        shared=out / "shared",
        method_files=method_files,
        keep_older=keep_older,
        no_runs=no_runs,
        show=verbose > 0,
    )
    asked = frozenset(needed)

    def lasting(job: Job) -> Cell | None:
        """Look at a run that a figure shows: a failure that would be tried again tells nothing."""
        cell = store.get(job)
        code = code_version_of(job.method)
        lasts = job in asked or is_done(cell, code, bounds, keep_older=keep_older)
        return cell if lasts else None

    writer = _Writer(plan, store.get, lasting, out, n_jobs, show=verbose > 0)
    sections = [writer.written(one) for one in chosen]
    failed = [job for job in needed if (cell := store.get(job)) is None or cell.failure]
    cells_run = [cell for job in needed if (cell := store.get(job)) and not cell.foreseen]
    provenance = Provenance(
        command,
        [cell.machine for cell in cells_run if cell.machine],
        machine_facts(bounds),
        done.n_older,
        sum(cell.seconds for cell in cells_run),
    )
    write_markdown(out, plan, sections, provenance)
    index = write_index(out, plan, sections, provenance)
    tables = [table for section in sections for table in section.tables]
    return Reproduction(
        index,
        tuple(path for section in sections for path in section.files),
        len(needed),
        done.n_run,
        len(failed),
        tuple(remark for table in tables for remark in table.remarks),
        tuple(name for section in sections for name in section.lacking),
    )


def _choose(names: Sequence[str]) -> list[Any]:
    if "all" in names:
        names = tuple(EXPERIMENTS)
    for name in names:
        if name not in EXPERIMENTS:
            raise ValueError(
                f"There is no experiment {name!r}; there are all, {', '.join(EXPERIMENTS)}."
                f"{did_you_mean(name, tuple(EXPERIMENTS))}"
            )
    if not names:
        raise ValueError(f"Name an experiment: all, {', '.join(EXPERIMENTS)}.")
    return list(dict.fromkeys(EXPERIMENTS[name] for name in names))


class _Writer:
    """Writes the tables and figures of experiments."""

    def __init__(
        self, plan: Plan, look: Look, lasting: Look, out: Path, n_jobs: int, *, show: bool
    ) -> None:
        self.plan, self.look, self.lasting = plan, look, lasting
        self.out, self.n_jobs, self.show = out, n_jobs, show
        for folder in ("tables", "figures"):
            (out / folder).mkdir(exist_ok=True)

    def written(self, one: Any) -> Section:
        """Write one experiment; what cannot be made is told in its place, and costs no other."""
        if isinstance(one, Picture):
            section = Section(one.name, one.title, one.about)
            fill: Callable[[Any, Section], None] = self._draw
        else:
            section = Section(one.NAMES[0], one.TITLE, one.ABOUT)
            fill = self._score
        try:
            fill(one, section)
        except (ImportError, KeyboardInterrupt):
            raise  # matplotlib is not installed, or somebody has had enough
        except Exception as error:  # noqa: BLE001 - a page without one figure beats no page
            section.notes.append(f"This could not be made: {type(error).__name__}: {error}")
            section.lacking.append(section.name)
        return section

    def _draw(self, picture: Picture, section: Section) -> None:
        hindrance = picture.hindrance(self.plan, self.lasting)
        if hindrance:
            section.notes.append(f"Not drawn. {hindrance}")
            section.lacking.append(section.name)
            return
        paths = self._figures(picture.name)
        with working(f"drawing {picture.name}", show=self.show):
            for path in paths:
                picture.draw(self.plan, self.out / "looks", path, self.n_jobs)
        section.figures.append((picture.title, paths[0]))
        section.files += paths

    def _score(self, module: Any, section: Section) -> None:
        if hasattr(module, "notes"):
            section.notes += module.notes(self.plan)
        for name, made in module.result(self.plan, self.look).items():
            found = made
            if isinstance(found, ScoreTable) and found.rows:
                found = replace(found, about=below_tables(self.plan))
                section.tables.append(found)
                section.files += write_table(found, self.out / "tables", name)
            elif isinstance(found, ClaimTable):
                section.claims = found
                section.files += found.write(self.out / "tables", name)
            elif isinstance(found, CurveFigure):
                paths = self._figures(name)
                for path in paths:
                    found.draw(path)
                section.figures.append((found.title, paths[0]))
                section.files += paths
        if not section.files:
            asked = ", ".join(self.plan.settings.methods)
            section.notes.append(f"None of the methods asked for has a part in this: {asked}.")
            section.lacking.append(section.name)

    def _figures(self, name: str) -> list[Path]:
        return [self.out / "figures" / f"{name}{ending}" for ending in (".svg", ".pdf")]
