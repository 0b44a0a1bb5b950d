"""Number of trees and size of leaves (the paper's figure of its two parameters).

The paper finds that more trees are always better, that leaves of one item are worse than those of a
few, and that among the latter the number does not matter.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conceptforest.experiments.figures import Curve, CurveFigure

if TYPE_CHECKING:
    from collections.abc import Callable

    from conceptforest.experiments.cells import Cell
    from conceptforest.experiments.jobs import Job
    from conceptforest.experiments.plan import Plan

__all__ = ["ABOUT", "NAMES", "TITLE", "jobs", "result"]

NAMES = ("fig-parameters",)
TITLE = "Number of trees and size of leaves"
ABOUT = "The paper's model with fewer and more trees, and with smaller and larger leaves."


def _by_trees(plan: Plan, n_trees: int) -> tuple[Job, ...]:
    return plan.jobs("HMLRF", n_estimators=n_trees)


def _by_leaf(plan: Plan, size: int) -> tuple[Job, ...]:
    # Of the paper's size the jobs are those of all other tables.
    return plan.jobs("HMLRF", **({} if size == 3 else {"min_samples_leaf": size}))


def jobs(plan: Plan) -> list[Job]:
    """List what must be run."""
    if not plan.wants("HMLRF"):
        return []
    return [
        *(job for n in plan.settings.tree_counts for job in _by_trees(plan, n)),
        *(job for size in plan.settings.leaf_sizes for job in _by_leaf(plan, size)),
    ]


def result(plan: Plan, look: Callable[[Job], Cell | None]) -> dict[str, CurveFigure]:
    """Draw NMI against both."""
    if not plan.wants("HMLRF"):
        return {}
    trees = [(n, [look(job) for job in _by_trees(plan, n)]) for n in plan.settings.tree_counts]
    leaves = [(n, [look(job) for job in _by_leaf(plan, n)]) for n in plan.settings.leaf_sizes]
    return {
        "fig-parameters": CurveFigure(
            "NMI against the number of trees",
            "trees",
            "NMI",
            [Curve("HML-RF", trees, own=True)],
            log=True,
        ),
        "fig-parameters-leaves": CurveFigure(
            "NMI against the size of leaves",
            "fewest items in a leaf",
            "NMI",
            [Curve("HML-RF", leaves, own=True)],
            log=True,
        ),
    }
