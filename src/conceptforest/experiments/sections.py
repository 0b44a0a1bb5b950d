"""What the pages of a reproduction hold: tables and figures, and how they came about."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from conceptforest.datasets.found_tags import count
from conceptforest.experiments.machine import described
from conceptforest.experiments.published import published, remarks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from conceptforest.experiments.claims import ClaimTable
    from conceptforest.experiments.plan import Plan
    from conceptforest.experiments.scoretable import ScoreTable

__all__ = ["Provenance", "Section", "below_tables", "in_short", "published_remarks"]


@dataclass
class Section:
    """The tables and figures of an experiment.

    Attributes
    ----------
    name, title, about : str
    tables : list of ScoreTable
    claims : ClaimTable or None
    figures : list of (title, path)
    files : list of Path
    notes : list of str
        What else to know, such as why something is not there.
    lacking : list of str
        Names of what could not be made.
    """

    name: str
    title: str
    about: str
    tables: list[ScoreTable] = field(default_factory=list)
    claims: ClaimTable | None = None
    figures: list[tuple[str, Path]] = field(default_factory=list)
    files: list[Path] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    lacking: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Provenance:
    """How results came about.

    Attributes
    ----------
    command : str
    machines : list of dict
        Where and when runs were made, a :func:`~conceptforest.experiments.machine.machine_facts`
        for each.
    here : dict
        The same of the machine that tables and figures were made on.
    n_older : int
        Runs that earlier code has computed.
    seconds : float
        Of all runs.
    """

    command: str
    machines: Sequence[Mapping[str, Any]]
    here: Mapping[str, Any]
    n_older: int
    seconds: float

    def lines(self) -> list[str]:
        """Say it in sentences."""
        lines = [
            *described(self.machines),
            f"{self.seconds / 3600:.1f} hours of runs in all, without the models of figures.",
            "Times are those of single runs, with others beside them.",
            f"Tables and figures were made {self.here['date']}, on {self.here['cpu']}.",
            "Classes are used for scores alone, and their number as that of clusters.",
        ]
        if self.n_older:
            lines.append(f"{self.n_older:,} runs were computed by earlier code.")
        return lines


def published_remarks(plan: Plan) -> list[str]:
    """Say which of the published numbers beside ours cannot stand together."""
    own = plan.subject.published
    key = next((key for key, value in published().items() if value is own), None)
    return [] if key is None else [str(remark) for remark in remarks()[key]]


def below_tables(plan: Plan) -> str:
    """Say below a table what it is of, so that it can stand alone."""
    own, settings = plan.subject.collection, plan.settings
    how = f"{own.n_items:,} items, {count(settings.seeds, 'seed')}, {settings.trees:,} trees"
    return " ".join([f"{own.name}: {how}.", *plan.subject.notes])


def in_short(plan: Plan) -> str:
    """Say what the collection is and how thoroughly it was worked on."""
    own = plan.subject.collection
    return (
        f"{own.n_items:,} items, {own.X.shape[1]:,} features, {own.tags.n_tags:,} tags"
        f" ({own.tags.matrix.nnz / own.n_items:.1f} an item, {own.tags.untagged.mean():.0%} of the"
        f" items without any), {own.n_classes:,} classes. {count(plan.settings.seeds, 'seed')},"
        f" {plan.settings.trees:,} trees."
    )
