"""Clustering methods in all input modes (Tables 1 and 2 of the paper).

A method gets the visual features, the binary tags, the scores of tag classifiers, or features and
tags, as one vector or each in its own right.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conceptforest.experiments.methods import METHODS, MODES
from conceptforest.experiments.plan import jobs_of
from conceptforest.experiments.scoretable import CLUSTER_COLUMNS, Row, ScoreTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from conceptforest.experiments.cells import Cell
    from conceptforest.experiments.jobs import Job
    from conceptforest.experiments.plan import Plan

__all__ = ["ABOUT", "NAMES", "TITLE", "jobs", "result"]

NAMES = ("table1", "table2")
TITLE = "Clustering methods in all input modes"
ABOUT = (
    "What each method finds from features alone, from tags alone, from scores of tag classifiers,"
    " and from features and tags together."
)
_OWN: dict[str, tuple[str, dict[str, Any]]] = {
    "HML-RF, FlatTags": ("HMLRF", {"layers": 1}),
    "HML-RF, NoCorr": ("HMLRF", {"correlation": False}),
    "HML-RF": ("HMLRF", {}),
}


def rows(plan: Plan, removed: float = 0.0) -> list[Row]:
    """Give a row for each method in each of its modes and settings, the paper's model and ours."""
    printed = (plan.subject.published or {}).get("clustering", {})
    found = []
    for mode, title in MODES.items():
        for name in plan.clusterers():
            method = METHODS[name]
            if mode not in method.modes:
                continue
            own = printed.get(mode, {}).get(name)
            found.append(Row(method.title, plan.jobs(name, removed=removed, mode=mode), title, own))
            for called, params in (method.variants or {}).items():
                if params.get("mode", mode) == mode:
                    jobs = plan.jobs(name, removed=removed, **{"mode": mode, **params})
                    found.append(Row(f"{method.title}, {called}", jobs, title))
    last = MODES["balanced"]
    if plan.wants("HMLRF"):
        for title, (name, params) in _OWN.items():
            own = printed.get("balanced", {}).get(name) if not params else None
            found.append(Row(title, plan.jobs(name, removed=removed, **params), last, own))
    if plan.wants("Joint"):
        found.append(Row(METHODS["Joint"].title, plan.jobs("Joint", removed=removed), last))
    return found


def jobs(plan: Plan) -> list[Job]:
    """List what must be run."""
    return jobs_of(rows(plan))


def result(plan: Plan, look: Callable[[Job], Cell | None]) -> dict[str, ScoreTable]:
    """Fill the table."""
    return {NAMES[0]: ScoreTable.of(TITLE, CLUSTER_COLUMNS, rows(plan), look)}
