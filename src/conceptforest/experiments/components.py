"""What the parts of the model contribute (the paper's figure of its variants).

FlatTags has one layer of all tags and no softening, NoCorr has the layers alone; both against the
whole model, as tags are removed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conceptforest.experiments.by_rate import nmi_table
from conceptforest.experiments.figures import CurveFigure

if TYPE_CHECKING:
    from collections.abc import Callable

    from conceptforest.experiments.by_rate import Runs
    from conceptforest.experiments.cells import Cell
    from conceptforest.experiments.jobs import Job
    from conceptforest.experiments.plan import Plan
    from conceptforest.experiments.scoretable import ScoreTable

__all__ = ["ABOUT", "NAMES", "TITLE", "VARIANTS", "jobs", "result"]

NAMES = ("fig-components",)
TITLE = "The parts of the model when tags are removed"
ABOUT = "The paper's model without its hierarchy, without its correlations, and whole."
VARIANTS: dict[str, dict[str, Any]] = {
    "FlatTags": {"layers": 1},
    "NoCorr": {"correlation": False},
    "HML-RF": {},
}


def _runs(plan: Plan) -> dict[str, Runs]:
    rates = (0.0, *plan.settings.rates)
    return {
        name: {rate: plan.jobs("HMLRF", removed=rate, **params) for rate in rates}
        for name, params in VARIANTS.items()
        if plan.wants("HMLRF")
    }


def jobs(plan: Plan) -> list[Job]:
    """List what must be run."""
    return [job for own in _runs(plan).values() for some in own.values() for job in some]


def result(plan: Plan, look: Callable[[Job], Cell | None]) -> dict[str, ScoreTable | CurveFigure]:
    """Draw the curves, and give their numbers as a table."""
    runs = _runs(plan)
    if not runs:
        return {}
    return {
        "fig-components": CurveFigure.of_rates(TITLE, runs, look, own="HML-RF"),
        "fig-components-numbers": nmi_table(f"NMI: {TITLE.lower()}", runs, look),
    }
