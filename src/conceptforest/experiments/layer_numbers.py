"""The number of tag layers (Table 4 of the paper).

The layers are estimated from the tags, each number of them anew, and the model is otherwise the
same.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conceptforest.experiments.plan import jobs_of
from conceptforest.experiments.scoretable import CLUSTER_COLUMNS, Row, ScoreTable

if TYPE_CHECKING:
    from collections.abc import Callable

    from conceptforest.experiments.cells import Cell
    from conceptforest.experiments.jobs import Job
    from conceptforest.experiments.plan import Plan

__all__ = ["ABOUT", "NAMES", "TITLE", "jobs", "result"]

NAMES = ("table4",)
TITLE = "Number of tag layers"
ABOUT = "The paper's model with more and more tag layers, estimated from the tags."


def rows(plan: Plan) -> list[Row]:
    """Give a row for each number of layers."""
    if not plan.wants("HMLRF"):
        return []
    printed = (plan.subject.published or {}).get("layers", {})
    return [
        Row(f"{n} layers", plan.jobs("HMLRF", layers=n), published=printed.get(str(n)))
        for n in plan.settings.layers
    ]


def jobs(plan: Plan) -> list[Job]:
    """List what must be run."""
    return jobs_of(rows(plan))


def result(plan: Plan, look: Callable[[Job], Cell | None]) -> dict[str, ScoreTable]:
    """Fill the table."""
    return {NAMES[0]: ScoreTable.of(TITLE, CLUSTER_COLUMNS, rows(plan), look)}
