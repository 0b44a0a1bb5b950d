"""Find rows of a results table that no clustering or completion can have.

The scores of one row are tied to each other, so misprints, mixed runs and metrics that are not
what they are called often show in the row itself:

- the Rand index, the pairwise F1 and the share of same-class pairs together fix the adjusted Rand
  index (see :func:`~conceptforest.metrics.implied_ari`);
- AP@1 equals Coverage@1; Coverage, AR and N x AP never fall as N grows; N x AP rises by at most 1
  a step, and Coverage and AR by no more than it; AP and AR are at most Coverage, which is at most
  N x AP;
- every score has its range, and the geometric NMI is at least the arithmetic one.

All are checked with the rounding of the table taken into account: a remark is made only if no
numbers that round to those of the table would do.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest.metrics.implied import (
    Interval,
    ari_range,
    check_number,
    check_options,
    check_series,
    check_share,
    half_unit,
)
from conceptforest.tags.names import short

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Remark", "audit"]

SINGLE = {
    "purity": (0.0, 1.0),
    "nmi": (0.0, 1.0),
    "nmi_geometric": (0.0, 1.0),
    "ri": (0.0, 1.0),
    "f1": (0.0, 1.0),
    "ari": (-0.5, 1.0),
}
SERIES = ("ap", "ar", "coverage")
TITLES = {"ap": "AP", "ar": "AR", "coverage": "Coverage", "purity": "purity", "nmi": "NMI"}
TITLES |= {"nmi_geometric": "geometric NMI", "ri": "RI", "f1": "F1", "ari": "ARI"}

NOISE = 1e-9  # what floating point may do to a reported number


@dataclass(frozen=True)
class Remark:
    """Something about a row of results that cannot be, or should be looked at.

    Attributes
    ----------
    row : str
        Name of the row.
    kind : str
        Which check it is: ``range``, ``nmi``, ``pairs`` (no clustering has this RI and F1),
        ``ari``, ``first`` (AP@1 and Coverage@1), ``falls``, ``rises``, ``bounds`` or
        ``identical``. Only the last one is possible, though suspicious.
    text : str
        What was reported and what it would have to be.
    """

    row: str
    kind: str
    text: str

    def __str__(self) -> str:
        return f"{self.row}: {self.text}"


def audit(
    rows: Iterable[Mapping[str, Any]],
    *,
    same_class: float | Interval | None = None,
    decimals: int | None = None,
    tolerance: float = 0.0,
    distinct: bool = False,
) -> list[Remark]:
    """Check rows of results for numbers that cannot stand together.

    Parameters
    ----------
    rows : iterable of mappings
        Each has a ``name`` and any of ``purity``, ``nmi``, ``nmi_geometric``, ``ri``, ``f1``,
        ``ari`` (numbers) and ``ap``, ``ar``, ``coverage`` (sequences for N = 1, 2, ...). None and
        NaN mean that a score is not reported. Other keys are ignored.
    same_class : float or (low, high), default=None
        Share of pairs of items that have the same class, or an interval that it lies in; see
        :func:`~conceptforest.metrics.same_class_share`. By default any share is thought possible,
        which makes for a weak check.
    decimals : int, default=None
        To how many decimals the numbers are rounded; by default they are exact.
    tolerance : float, default=0
        How far the ARI may be outside the implied range. 0 is right for single runs. In a row of
        averages over runs the ARI need not be that of the average RI and F1: 0.005 is enough for
        runs that are alike, 0.01 where some of them collapse into few clusters. Where the averages
        are not even possible together, the F1 may be off by as much. The other checks are linear:
        averages need no tolerance there.
    distinct : bool, default=False
        Whether the rows are of different settings, so that equal ones deserve a remark.

    Returns
    -------
    list of Remark
        In the order of the rows; empty if every row is possible.

    Raises
    ------
    TypeError
        If a row or a score is of the wrong kind.
    ValueError
        If a row has no name or no score, or a number has more decimals than were given.

    Examples
    --------
    >>> row = {"name": "HML-RF", "ri": 0.96, "f1": 0.32, "ari": 0.45}
    >>> for remark in audit([row], same_class=(0.033, 0.053), decimals=2):
    ...     print(remark)
    HML-RF: RI 0.96 and F1 0.32 imply an ARI of 0.292 to 0.315; reported is 0.45.
    """
    share = check_share(same_class)
    check_options(decimals, tolerance)
    remarks: list[Remark] = []
    earlier: dict[tuple[Any, ...], str] = {}
    for number, mapping in enumerate(rows):
        row = _Row.read(mapping, number, decimals)
        row.check_ranges()
        if not row.remarks:  # else nothing follows from the numbers
            row.check_pairs(share, tolerance)
            row.check_completion()
        if distinct:
            row.check_new(earlier)
        remarks += row.remarks
    return remarks


@dataclass
class _Row:
    """One row of a table and what there is to say about it."""

    name: str
    single: dict[str, float]
    series: dict[str, NDArray[np.float64]]
    decimals: int | None
    remarks: list[Remark] = field(default_factory=list)

    @classmethod
    def read(cls, mapping: Any, number: int, decimals: int | None) -> _Row:
        if not isinstance(mapping, Mapping):
            raise TypeError(
                f"Row {number} is of type {type(mapping).__name__}. Give a list of mappings such "
                'as {"name": "k-means", "ri": 0.94, "f1": 0.13, "ari": 0.11}; of a pandas table, '
                'table.to_dict("records").'
            )
        name = mapping.get("name")
        if not isinstance(name, str) or not name:
            raise ValueError(
                f"Row {number} has the name {short(name)}. Give each row a name (str)."
            )
        where = f"of row {name!r}"
        known = [*SINGLE, *SERIES]
        wrong = [key for key in mapping if key not in known and str(key).lower() in known]
        if wrong:
            raise ValueError(f"The key {wrong[0]!r} {where} is written {wrong[0].lower()!r} here.")
        given = {key: mapping[key] for key in known if not _absent(mapping.get(key))}
        if not given:
            raise ValueError(f"Row {name!r} has no score. Give it any of {', '.join(known)}.")
        single = {k: check_number(given[k], f"{k} {where}") for k in SINGLE if k in given}
        series = {k: check_series(given[k], f"{k} {where}") for k in SERIES if k in given}
        row = cls(name, single, series, decimals)
        for key in given:
            row.check_rounding(key)
        return row

    def check_rounding(self, key: str) -> None:
        values = self.series[key] if key in self.series else np.array([self.single[key]])
        if self.decimals is not None and (abs(values - values.round(self.decimals)) > NOISE).any():
            raise ValueError(
                f"{key} of row {self.name!r} is {values.tolist()}, which has more than the "
                f"{self.decimals} decimals that were given. Round it, or set decimals=None for "
                "exact numbers."
            )

    def say(self, kind: str, text: str) -> None:
        self.remarks.append(Remark(self.name, kind, text))

    def show(self, value: float) -> str:
        return f"{value:.6g}" if self.decimals is None else f"{value:.{self.decimals}f}"

    def bound(self, value: float) -> str:
        """Write an implied number, with one decimal more than the reported ones."""
        return f"{value:.6g}" if self.decimals is None else f"{value:.{self.decimals + 1}f}"

    def check_ranges(self) -> None:
        for key, value in self.single.items():
            low, high = SINGLE[key]
            if not low - NOISE <= value <= high + NOISE:
                self.say("range", f"{TITLES[key]} is {value:g}; it lies in {low:g} to {high:g}.")
        for key, values in self.series.items():
            for n, value in enumerate(values, 1):
                if not -NOISE <= value <= 1 + NOISE:
                    self.say("range", f"{TITLES[key]}@{n} is {value:g}; it lies in 0 to 1.")
        if not {"nmi", "nmi_geometric"} <= self.single.keys():
            return
        arithmetic, geometric = self.single["nmi"], self.single["nmi_geometric"]
        if arithmetic > geometric + NOISE:
            self.say(
                "nmi",
                f"The geometric NMI {self.show(geometric)} is at least the arithmetic one, which "
                f"is {self.show(arithmetic)}.",
            )

    def check_pairs(self, share: Interval, tolerance: float) -> None:
        ri, f1, ari = (self.single.get(key) for key in ("ri", "f1", "ari"))
        if ri is None or f1 is None:
            return
        half = half_unit(self.decimals)
        wrong = (1 - ri - half, 1 - ri + half)
        implied = ari_range(wrong, (f1 - half, f1 + half), share)
        if implied is None and tolerance:
            slack = half + tolerance
            implied = ari_range(wrong, (f1 - slack, f1 + slack), share)
        both = f"RI {self.show(ri)} and F1 {self.show(f1)}"
        if implied is None:
            low, high = (f"{end:.4g}" for end in share)
            shares = low if low == high else f"{low} to {high}"
            self.say(
                "pairs",
                f"{both} are not possible together with a share of same-class pairs of {shares}.",
            )
            return
        slack = half + tolerance + NOISE
        if ari is not None and not implied[0] - slack <= ari <= implied[1] + slack:
            self.say(
                "ari",
                f"{both} imply an ARI of {self.bound(implied[0])} to {self.bound(implied[1])}; "
                f"reported is {self.show(ari)}.",
            )

    def check_completion(self) -> None:
        ap, coverage = self.series.get("ap"), self.series.get("coverage")
        if ap is not None and coverage is not None and abs(ap[0] - coverage[0]) > NOISE:
            # Both are the share of items whose first tag is right, so they also round alike.
            self.say(
                "first",
                f"AP@1 is {self.show(ap[0])} and Coverage@1 is {self.show(coverage[0])}; they are "
                "the same quantity.",
            )
        for key in ("ar", "coverage"):
            self._check_rising(key)
        if ap is not None:
            self._check_hits(ap)
        for key in ("ap", "ar"):
            self._check_below_coverage(key)
        if ap is not None and coverage is not None:
            self._check_coverage(ap, coverage)

    def _check_rising(self, key: str) -> None:
        values = self.series.get(key, np.empty(0))
        for n in np.flatnonzero(np.diff(values) < -NOISE) + 1:
            self.say(
                "falls",
                f"{TITLES[key]} cannot fall as N grows, but {TITLES[key]}@{n} is "
                f"{self.show(values[n - 1])} and {TITLES[key]}@{n + 1} is {self.show(values[n])}.",
            )

    def _check_hits(self, ap: NDArray[np.float64]) -> None:
        """Check the mean number of hits, N x AP, and what rises no faster than it."""
        half = half_unit(self.decimals)
        n = np.arange(1, len(ap) + 1)
        low, high = n * (ap - half), n * (ap + half)
        for k in range(1, len(ap)):
            most, least = high[k] - low[k - 1], low[k] - high[k - 1]
            hits = (
                f"N x AP goes from {self.show(k * ap[k - 1])} at N = {k} to "
                f"{self.show((k + 1) * ap[k])} at N = {k + 1}"
            )
            if most < -NOISE:
                self.say("falls", f"{hits}, but the number of hits cannot fall.")
                continue
            if least > 1 + NOISE:
                self.say("rises", f"{hits}, but one more tag gives at most one more hit.")
            for key in ("ar", "coverage"):
                values = self.series.get(key, np.empty(0))
                rise = values[k] - values[k - 1] if k < len(values) else 0.0
                if rise - 2 * half > most + NOISE:
                    self.say(
                        "rises",
                        f"{hits}, so {TITLES[key]} can rise by {self.bound(max(0.0, most))} at "
                        f"most; reported are {self.show(values[k - 1])} and "
                        f"{self.show(values[k])}.",
                    )

    def _check_below_coverage(self, key: str) -> None:
        values = self.series.get(key, np.empty(0))
        for n, (value, top) in enumerate(zip(values, self.series.get("coverage", ())), 1):  # noqa: B905
            # Rounding keeps the order. At N = 1, AP and Coverage are the same.
            if value > top + NOISE and (key, n) != ("ap", 1):
                self.say(
                    "bounds",
                    f"{TITLES[key]}@{n} is at most Coverage@{n}, which is {self.show(top)}; "
                    f"reported is {self.show(value)}.",
                )

    def _check_coverage(self, ap: NDArray[np.float64], coverage: NDArray[np.float64]) -> None:
        half = half_unit(self.decimals)
        for n in range(2, min(len(ap), len(coverage)) + 1):
            most = n * (ap[n - 1] + half)
            if coverage[n - 1] - half > most + NOISE:
                self.say(
                    "bounds",
                    f"AP@{n} of {self.show(ap[n - 1])} implies a Coverage@{n} of at most "
                    f"{self.bound(most)}; reported is {self.show(coverage[n - 1])}.",
                )

    def check_new(self, earlier: dict[tuple[Any, ...], str]) -> None:
        """Remark on a row that has all its scores in common with an earlier one."""
        parts = {**self.single, **{key: tuple(v.tolist()) for key, v in self.series.items()}}
        first = earlier.setdefault(tuple(parts.items()), self.name)
        if first is not self.name:
            titles = ", ".join(TITLES[key] for key in parts)
            self.say("identical", f"All scores ({titles}) are the same as those of {first!r}.")


def _absent(value: Any) -> bool:
    return value is None or (isinstance(value, numbers.Real) and math.isnan(value))
