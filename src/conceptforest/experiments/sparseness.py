"""What is left when tags are removed (Table 3 and the figure beside it in the paper).

A tenth to a half of all tags is taken away at random: NMI against the share removed, and the drop
relative to all tags, (NMI(0) - NMI(r)) / NMI(0).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conceptforest.experiments.by_rate import drop_table, nmi_table
from conceptforest.experiments.figures import CurveFigure
from conceptforest.experiments.jobs import CLUSTER
from conceptforest.experiments.methods import METHODS

if TYPE_CHECKING:
    from collections.abc import Callable

    from conceptforest.experiments.by_rate import Runs
    from conceptforest.experiments.cells import Cell
    from conceptforest.experiments.jobs import Job
    from conceptforest.experiments.plan import Plan
    from conceptforest.experiments.scoretable import ScoreTable

__all__ = ["ABOUT", "NAMES", "TITLE", "jobs", "result"]

NAMES = ("table3", "fig-sparseness")
TITLE = "NMI when tags are removed"
ABOUT = (
    "The methods of the paper's figure, and the default of this package, with more and more of all"
    " tags taken away at random."
)
_COMPARED: dict[str, dict[str, Any]] = {
    "SpClust": {"mode": "concatenated"},
    "MMC": {"mode": "balanced"},
    "CCA": {"mode": "balanced"},
    "ThreeViewCCA": {"mode": "balanced"},
    "DCCA": {"mode": "balanced"},
    "DCCAE": {"mode": "balanced"},
    "HMLRF": {},
    "Joint": {},
}
_ROOMIEST = ("balanced", "concatenated", "scores", "tags")  # of the modes of a user's method


def _title(name: str) -> str:
    return METHODS[name].title + ("-cmb" if name == "SpClust" else "")


def _compared() -> dict[str, dict[str, Any]]:
    """List the methods and their parameters: those of the paper's figure, and users' own."""
    own = {
        name: {"mode": next((m for m in _ROOMIEST if m in method.modes), method.modes[0])}
        for name, method in METHODS.items()
        if method.file and method.task == CLUSTER
    }
    return _COMPARED | own


def _runs(plan: Plan) -> dict[str, Runs]:
    rates = (0.0, *plan.settings.rates)
    return {
        _title(name): {rate: plan.jobs(name, removed=rate, **params) for rate in rates}
        for name, params in _compared().items()
        if plan.wants(name)
    }


def _printed(plan: Plan) -> dict[str, dict[float, float]]:
    """Give the published drops by title and rate."""
    drops = (plan.subject.published or {}).get("drop", {"rates": [], "methods": {}})
    return {
        _title(key.split(":")[0]): dict(zip(drops["rates"], values, strict=True))
        for key, values in drops["methods"].items()
    }


def jobs(plan: Plan) -> list[Job]:
    """List what must be run."""
    return [job for own in _runs(plan).values() for some in own.values() for job in some]


def result(plan: Plan, look: Callable[[Job], Cell | None]) -> dict[str, ScoreTable | CurveFigure]:
    """Fill the table of drops, draw the curves, and give their numbers."""
    runs = _runs(plan)
    if not runs:
        return {}
    return {
        "table3": drop_table(f"Relative drop of {TITLE}", runs, look, _printed(plan)),
        "fig-sparseness": CurveFigure.of_rates(TITLE, runs, look, own=METHODS["HMLRF"].title),
        "fig-sparseness-numbers": nmi_table(TITLE, runs, look),
    }
