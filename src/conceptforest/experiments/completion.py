"""Completion of missing tags (Tables 6, 7 and 8 of the paper).

AP@N, AR@N and Coverage@N of the tags that were hidden, for the paper's three algorithms, LSR,
TCMR, completion by the clusters of every clustering method, and what a user would try first. Large
sets of flat tags use five estimated layers, as the paper does; collections with layers of their own
use those.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conceptforest.experiments.methods import METHODS
from conceptforest.experiments.plan import jobs_of
from conceptforest.experiments.scoretable import Row, ScoreTable, series_columns

if TYPE_CHECKING:
    from collections.abc import Callable

    from conceptforest.experiments.cells import Cell
    from conceptforest.experiments.jobs import Job
    from conceptforest.experiments.plan import Plan

__all__ = ["ABOUT", "NAMES", "TITLE", "jobs", "notes", "own_layers", "result"]

VIDEOS = "TRECVID MED 2011"
NAMES = ("table6", "table7", "table8")
TITLE = "Completion of missing tags"
ABOUT = (
    "How many of the tags that were hidden from an item are among the first N that a method"
    " suggests for it."
)
_OWN = ("HMLRF(GC)", "HMLRF(LN)", "HMLRF(AM)")


def notes(plan: Plan) -> list[str]:
    """Say what is hidden, and how that differs from the paper."""
    if plan.subject.collection.truth is not None:
        known = "All true tags are known: methods get the tags as they are, and are scored by those"
        return [f"{known} that are lacking."]
    told = f"{plan.settings.hidden:.0%} of each item's tags were hidden and are looked for."
    if plan.subject.published is None or plan.subject.published["title"] != VIDEOS:
        return [told]
    other = "The paper's numbers are of something else: 200 videos and 51 tags, completed by hand."
    return [f"{told} {other}"]


def own_layers(plan: Plan) -> Any:
    """Give the tag layers of the forest that completes: the collection's, else estimated ones."""
    given = plan.subject.collection.layers is not None
    return "given" if given else plan.settings.completion_layers


def rows(plan: Plan) -> list[Row]:
    """Give a row for each method."""
    printed = (plan.subject.published or {}).get("completion", {})
    found = []
    for name in plan.completers():
        method = METHODS[name]
        found.append(Row(method.title, plan.jobs(name), published=printed.get(name)))
        for called, params in (method.variants or {}).items():
            found.append(Row(f"{method.title}, {called}", plan.jobs(name, **params)))
    for name in filter(plan.wants, _OWN):
        jobs = plan.jobs(name, layers=own_layers(plan))
        found.append(Row(METHODS[name].title, jobs, published=printed.get(name)))
    if plan.wants("Joint(tags)"):
        found.append(Row(METHODS["Joint(tags)"].title, plan.jobs("Joint(tags)")))
    return found


def jobs(plan: Plan) -> list[Job]:
    """List what must be run."""
    return jobs_of(rows(plan))


def result(plan: Plan, look: Callable[[Job], Cell | None]) -> dict[str, ScoreTable]:
    """Fill a table of precision and recall, and one of coverage."""
    both = (*series_columns("ap", "AP"), *series_columns("ar", "AR"))
    coverage = series_columns("coverage", "Coverage")
    return {
        "table6": ScoreTable.of(f"{TITLE}: precision and recall", both, rows(plan), look),
        "table8": ScoreTable.of(f"{TITLE}: coverage", coverage, rows(plan), look),
    }
