"""Tables whose columns are shares of tags removed: several runs make one row."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from conceptforest.experiments.cells import Cell
from conceptforest.experiments.scoretable import Column, Row, ScoreTable

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from conceptforest.experiments.jobs import Job

__all__ = ["Runs", "drop_table", "nmi_table"]

Runs: TypeAlias = "dict[float, tuple[Job, ...]]"


def nmi_table(
    title: str, runs: Mapping[str, Runs], look: Callable[[Job], Cell | None]
) -> ScoreTable:
    """Give the NMI of methods for each share of tags removed.

    Parameters
    ----------
    title : str
    runs : dict of title to dict of rate to jobs
        One job for each seed; the same rates for all methods, 0 first.
    look : function of a Job
    """
    rates = list(next(iter(runs.values())))

    def column(rate: float) -> Column:
        return Column(_percent(rate), lambda scores: float(scores["by_rate"][rates.index(rate)]))

    rows = [Row(name, own[0.0]) for name, own in runs.items()]
    return ScoreTable.of(title, [column(rate) for rate in rates], rows, _joined(runs, look))


def drop_table(
    title: str,
    runs: Mapping[str, Runs],
    look: Callable[[Job], Cell | None],
    printed: Mapping[str, Mapping[float, float]],
) -> ScoreTable:
    """Give the drop of the NMI relative to all tags, (NMI(0) - NMI(r)) / NMI(0).

    Parameters
    ----------
    title, runs, look : see :func:`nmi_table`
    printed : dict of title to dict of rate to float
        What the paper prints.
    """
    rates = list(next(iter(runs.values())))

    def column(rate: float) -> Column:
        return Column(
            _percent(rate),
            lambda scores: _drop(scores["by_rate"], rates.index(rate)),
            higher=False,
            published=lambda own: own.get(rate),
        )

    rows = [Row(name, own[0.0], published=printed.get(name)) for name, own in runs.items()]
    return ScoreTable.of(title, [column(r) for r in rates if r], rows, _joined(runs, look))


def _percent(rate: float) -> str:
    return f"{100 * rate:g}%"


def _drop(nmi: Sequence[float], place: int) -> float:
    """Give the relative drop; of nothing, there is none."""
    return (nmi[0] - nmi[place]) / nmi[0] if nmi[0] > 0 else np.nan


def _joined(
    runs: Mapping[str, Runs], look: Callable[[Job], Cell | None]
) -> Callable[[Job], Cell | None]:
    """Look at the runs of all rates by the one with all tags."""
    others = {
        job: [by_rate[rate][place] for rate in by_rate]
        for by_rate in runs.values()
        for place, job in enumerate(by_rate[0.0])
    }

    def look_at_all(job: Job) -> Cell | None:
        cells = [look(one) for one in others[job]]
        done = [cell for cell in cells if cell is not None and not cell.failure]
        if not done:
            return cells[0]
        lost = [
            f"{_percent(one.removed)} removed: {'not run' if cell is None else cell.failure}"
            for one, cell in zip(others[job], cells, strict=True)
            if cell is None or cell.failure
        ]
        return Cell(
            {
                "by_rate": [
                    np.nan if cell is None or cell.failure else cell.scores["nmi"] for cell in cells
                ]
            },
            seconds=float(np.mean([cell.seconds for cell in done])),
            peak_mb=max(cell.peak_mb for cell in done),
            facts={"lost": lost} if lost else {},
        )

    return look_at_all
