"""Tables of scores over seeds: means and spreads, the best, and what is too close to tell apart."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import t

from conceptforest.metrics import audit

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from conceptforest.experiments.cells import Cell
    from conceptforest.experiments.jobs import Job

__all__ = ["CLUSTER_COLUMNS", "Column", "Row", "ScoreTable", "series_columns"]

_LEVEL = 0.05  # above this chance a difference over seeds may be luck
_AVERAGED = 0.01  # how far the ARI of an average may be from what its RI and F1 imply
DECIMALS = 3
AUDITED = frozenset({"purity", "nmi", "nmi_geometric", "ri", "f1", "ari", "ap", "ar", "coverage"})


@dataclass(frozen=True)
class Column:
    """A score that a table shows.

    Attributes
    ----------
    title : str
    value : function of the scores of a cell
    higher : bool
        Whether more is better.
    published : function of the published scores of a row, or None
    """

    title: str
    value: Callable[[Mapping[str, Any]], float]
    higher: bool = True
    published: Callable[[Mapping[Any, Any]], float | None] | None = None


def _single(key: str, title: str) -> Column:
    return Column(title, lambda scores: float(scores[key]), published=lambda own: own.get(key))


CLUSTER_COLUMNS = tuple(
    _single(key, title)
    for key, title in (
        ("purity", "Purity"),
        ("nmi", "NMI"),
        ("ri", "RI"),
        ("f1", "F1"),
        ("ari", "ARI"),
    )
)


def series_columns(key: str, title: str, n: int = 5) -> tuple[Column, ...]:
    """Give the columns of a score at N = 1 to n."""

    def at(place: int) -> Column:
        return Column(
            f"{title}@{place + 1}",
            lambda scores: float(scores[key][place]),
            published=lambda own: own[key][place] if key in own else None,
        )

    return tuple(at(place) for place in range(n))


@dataclass(frozen=True)
class Row:
    """A row of a table: a method and its runs.

    Attributes
    ----------
    title : str
    jobs : sequence of Job
        One for each seed, in the same order in all rows of a table.
    group : str
        Rows of a group stand together under its name.
    published : dict or None
        What the paper prints.
    note : str
        To be read below the table.
    """

    title: str
    jobs: Sequence[Job]
    group: str = ""
    published: Mapping[Any, Any] | None = None
    note: str = ""


@dataclass(frozen=True)
class Entry:
    """A number of a table.

    Attributes
    ----------
    mean, spread : float
        Over seeds; not a number where there are none, and for the spread of one.
    rank : int
        1 for the best of the column, 2 for the second best, else 0. Only rows of as many seeds as
        any other take part.
    close : bool
        Not the best, but not told apart from it by a paired t test over the seeds.
    published : float or None
    values : tuple of float
        Of the seeds, one by one; not a number where there is none.
    """

    mean: float
    spread: float
    rank: int = 0
    close: bool = False
    published: float | None = None
    values: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Rows of methods and columns of scores.

    Attributes
    ----------
    title : str
    columns : sequence of Column
    rows : sequence of Row
    entries : list of list of Entry
    states : list of str
        For each row: empty, or why there are no numbers, or how many seeds are missing.
    remarks : list of str
        What the audit has found.
    audited : bool
        Whether it has scores that the audit can hold against each other.
    about : str
        On what, and how thoroughly.
    seconds, peak_mb : list of float
        For each row the mean time of a run and the most memory.
    """

    title: str
    columns: Sequence[Column]
    rows: Sequence[Row]
    entries: list[list[Entry]]
    states: list[str]
    remarks: list[str] = field(default_factory=list)
    audited: bool = False
    about: str = ""
    seconds: list[float] = field(default_factory=list)
    peak_mb: list[float] = field(default_factory=list)

    @property
    def is_tested(self) -> bool:
        """Whether any two rows have two seeds or more, and so could be compared by a test."""
        several = sum(
            sum(not np.isnan(value) for value in row[0].values) > 1 for row in self.entries if row
        )
        return several > 1

    @property
    def has_spread(self) -> bool:
        """Whether any number is a mean of two seeds or more."""
        return any(not np.isnan(entry.spread) for row in self.entries for entry in row)

    @property
    def has_published(self) -> bool:
        """Whether numbers of the paper stand beside any of its own."""
        return any(entry.published is not None for row in self.entries for entry in row)

    @classmethod
    def of(
        cls,
        title: str,
        columns: Sequence[Column],
        rows: Sequence[Row],
        look: Callable[[Job], Cell | None],
    ) -> ScoreTable:
        """Fill a table with what is there.

        Parameters
        ----------
        title : str
        columns : sequence of Column
        rows : sequence of Row
        look : function of a Job
            Gives its cell, or None if it has not been run.
        """
        cells = [[look(job) for job in row.jobs] for row in rows]
        values = np.array(
            [
                [
                    [np.nan if c is None or c.failure else column.value(c.scores) for c in runs]
                    for column in columns
                ]
                for runs in cells
            ]
        ).reshape(len(rows), len(columns), len(rows[0].jobs) if rows else 0)
        entries = [
            [_entry(values[:, j], i, column, row.published) for j, column in enumerate(columns)]
            for i, row in enumerate(rows)
        ]
        done = [[c for c in runs if c is not None and not c.failure] for runs in cells]
        return cls(
            title,
            columns,
            rows,
            entries,
            [_state(runs) for runs in cells],
            [remark for row, runs in zip(rows, done, strict=True) for remark in _audit(row, runs)],
            any(AUDITED & cell.scores.keys() for runs in done for cell in runs),
            "",
            [float(np.mean([c.seconds for c in runs])) if runs else np.nan for runs in done],
            [max((c.peak_mb for c in runs), default=np.nan) for runs in done],
        )


def _state(runs: Sequence[Cell | None]) -> str:
    """Say what is missing in a row, and why."""
    done = sum(cell is not None and not cell.failure for cell in runs)
    why = {cell.failure: None for cell in runs if cell is not None and cell.failure}
    why |= {lost: None for cell in runs if cell is not None for lost in cell.facts.get("lost", ())}
    if any(cell is None for cell in runs):
        why["not run"] = None
    if not why:
        return ""
    return "; ".join([*([f"{done} of {len(runs)} seeds"] if 0 < done < len(runs) else []), *why])


def _entry(values: Any, row: int, column: Column, published: Mapping[Any, Any] | None) -> Entry:
    """Give the entry of a row from the values of a column, shape (n_rows, n_seeds)."""
    own = values[row]
    known = ~np.isnan(own)
    reported = None
    if published is not None and column.published is not None:
        reported = column.published(published)
    alone = tuple(map(float, own))
    if not known.any():
        return Entry(np.nan, np.nan, published=reported, values=alone)
    mean = float(own[known].mean())
    spread = float(own[known].std(ddof=1)) if known.sum() > 1 else np.nan
    n_seeds = (~np.isnan(values)).sum(axis=1)
    if known.sum() < n_seeds.max():  # of fewer seeds: not to be compared
        return Entry(mean, spread, published=reported, values=alone)
    full = values[n_seeds == n_seeds.max()]
    means = np.nanmean(full, axis=1)
    ordered = sorted({_shown(one) for one in means}, reverse=column.higher)
    place = ordered.index(_shown(mean)) + 1
    rank = place if place <= 2 and len(ordered) > 1 else 0
    best = full[int(means.argmax() if column.higher else means.argmin())]
    return Entry(mean, spread, rank, place > 1 and _too_close(own, best), reported, alone)


def _shown(value: float) -> float:
    """Round a number as tables do: what looks equal there is equal."""
    return round(float(value), DECIMALS) + 0.0  # of -0.0 too


def _too_close(own: Any, best: Any) -> bool:
    """Tell whether runs paired by seed cannot be told apart."""
    pairs = ~(np.isnan(own) | np.isnan(best))
    if pairs.sum() < 2:
        return False
    difference = own[pairs] - best[pairs]
    n = len(difference)
    mean, error = float(difference.mean()), float(difference.std(ddof=1)) / n**0.5
    return bool(abs(mean) <= error * float(t.ppf(1 - _LEVEL / 2, n - 1)))


def _audit(row: Row, runs: Sequence[Cell]) -> list[str]:
    """Look for numbers that cannot stand together, run by run and in the average as printed."""
    found: list[Any] = []
    if not runs or not AUDITED & runs[0].scores.keys():
        return []
    for number, cell in enumerate(runs, start=1):
        own = {"name": f"{row.title}, run {number}"} | cell.scores
        found += audit([own], same_class=cell.facts.get("same_class"))
    shares = [c.facts["same_class"] for c in runs if "same_class" in c.facts]
    mean = {
        key: np.round(np.mean([c.scores[key] for c in runs], axis=0), DECIMALS).tolist()
        for key in AUDITED & runs[0].scores.keys()
    }
    found += audit(
        [{"name": row.title} | mean],
        same_class=(min(shares), max(shares)) if shares else None,
        decimals=DECIMALS,
        tolerance=_AVERAGED,
    )
    return [str(remark) for remark in found]
