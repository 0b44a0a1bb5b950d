"""One layer of the most specific tags against all layers (Table 5 of the paper).

The abstract tags are taken away and the rest of the model stays: what is lost is what the abstract
ones are worth.
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

NAMES = ("table5",)
TITLE = "The most specific tags alone, and all layers"
ABOUT = (
    "The paper's model without its abstract tags, and with all layers: two, where none are given."
)


def rows(plan: Plan) -> list[Row]:
    """Give the two rows."""
    if not plan.wants("HMLRF"):
        return []
    printed = plan.subject.published or {}
    given = plan.subject.collection.layers
    two = printed.get("clustering", {}).get("balanced", {}).get("HMLRF")
    return [
        Row(
            "1 layer, the most specific tags",
            plan.jobs("MostSpecific"),
            published=printed.get("most_specific"),
        ),
        Row(f"{len(given) if given else 2} layers", plan.jobs("HMLRF"), published=two),
    ]


def jobs(plan: Plan) -> list[Job]:
    """List what must be run."""
    return jobs_of(rows(plan))


def result(plan: Plan, look: Callable[[Job], Cell | None]) -> dict[str, ScoreTable]:
    """Fill the table."""
    return {NAMES[0]: ScoreTable.of(TITLE, CLUSTER_COLUMNS, rows(plan), look)}
