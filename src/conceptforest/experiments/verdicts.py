"""Whether what somebody found holds here: comparisons over seeds, and what they come to."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from conceptforest.experiments.scoretable import DECIMALS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from conceptforest.experiments.runs import Runs

__all__ = ["Claim", "Comparison", "Verdict", "best_of"]

_SAME = 0.005  # a smaller difference is none where two decimals are printed
_LEVEL = 0.02  # "insensitive", "little effect"
_SHOWN = 2  # comparisons that a verdict tells

HOLDS, IN_PART, FAILS = "holds", "holds in part", "does not hold"
UNCLEAR, NOT_RUN = "cannot be told", "not run"


@dataclass(frozen=True, eq=False)
class Comparison:
    """What is said of two scores, each with a value for each seed; not a number where none is.

    Attributes
    ----------
    left, right : str
        Whose scores they are.
    a, b : ndarray of shape (n_seeds,)
    said : {"more", "no less", "level"}
        Of `a` against `b`.
    at : str
        Where they are compared.
    """

    left: str
    a: NDArray[np.float64]
    right: str
    b: NDArray[np.float64]
    said: Literal["more", "no less", "level"] = "more"
    at: str = ""

    @property
    def difference(self) -> float:
        """How far `a` is above `b` in the mean; not a number where nothing was run."""
        known = ~np.isnan(self.a) & ~np.isnan(self.b)
        return float((self.a - self.b)[known].mean()) if known.any() else np.nan

    @property
    def outcome(self) -> str:
        """One of ``"as said"``, ``"against"``, ``"unclear"`` and ``"missing"``.

        A difference counts if it has the same sign with every seed and is not tiny in the mean.
        """
        gap = self.difference
        if np.isnan(gap):
            return "missing"
        by_seed = (self.a - self.b)[~np.isnan(self.a - self.b)]
        even = abs(gap) < _SAME or bool((by_seed * gap <= 0).any())
        if self.said == "level":
            return "as said" if even or abs(gap) < _LEVEL else "against"
        if even:
            return "as said" if self.said == "no less" else "unclear"
        return "as said" if gap > 0 else "against"

    def __str__(self) -> str:
        known = ~np.isnan(self.a) & ~np.isnan(self.b)
        numbers = [f"{float(x[known].mean()):.{DECIMALS}f}" for x in (self.a, self.b)]
        place = f"{self.at}: " if self.at else ""
        return f"{place}{self.left} {numbers[0]}, {self.right} {numbers[1]}"


@dataclass(frozen=True)
class Verdict:
    """What comparisons come to.

    Attributes
    ----------
    word : str
        ``"holds"``, ``"holds in part"``, ``"does not hold"``, ``"cannot be told"``, ``"not run"``.
    numbers : str
        The comparisons that decide.
    """

    word: str
    numbers: str

    @classmethod
    def of(cls, comparisons: Sequence[Comparison]) -> Verdict:
        """Judge comparisons that were all said to come out in one way.

        Examples
        --------
        >>> Verdict.of([Comparison("forest", np.array([0.9]), "mean", np.array([0.8]))])
        Verdict(word='holds', numbers='forest 0.900, mean 0.800')
        """
        known = [one for one in comparisons if one.outcome != "missing"]
        if not known:
            return cls(NOT_RUN, "")
        counts = Counter(one.outcome for one in known)
        n_held = counts["as said"]
        if n_held == len(known):
            word, decisive = HOLDS, sorted(known, key=_margin)
        else:
            decisive = sorted((o for o in known if o.outcome != "as said"), key=_margin)
            word = IN_PART if n_held else FAILS if counts["against"] else UNCLEAR
        shown = 1 if word == HOLDS else _SHOWN
        told = "; ".join(map(str, decisive[:shown]))
        if len(known) == 1:
            return cls(word, told)
        lead = "; the closest:" if word == HOLDS else ", but"
        missing = len(comparisons) - len(known)
        rest = f"; {missing} not run" if missing else ""
        return cls(word, f"{n_held} of {len(known)}{lead} {told}{rest}")


def _margin(comparison: Comparison) -> float:
    """Give by how much a comparison comes out as said; negative where it does not."""
    gap = comparison.difference
    return -abs(gap) if comparison.said == "level" else gap


@dataclass(frozen=True)
class Claim:
    """Something found, and how to see whether it holds.

    Attributes
    ----------
    name : str
    text : str
        What is claimed, in a sentence.
    source : str
        Which data it was found on.
    check : function of Runs
        Gives the comparisons that must come out as said.
    """

    name: str
    text: str
    source: str
    check: Callable[[Runs], Iterable[Comparison]]


def best_of(
    named: Sequence[tuple[str, Any]], *, higher: bool = True
) -> tuple[str, NDArray[np.float64]]:
    """Give the name and the scores of the best in the mean over seeds, of those that were run.

    Parameters
    ----------
    named : sequence of (str, ndarray of shape (n_seeds,))
    higher : bool, default=True

    Examples
    --------
    >>> best_of([("a", np.array([0.1, np.nan])), ("b", np.array([0.3, 0.2]))])[0]
    'b'
    """
    known = [(name, x) for name, x in named if not np.isnan(x).all()]
    if not known:
        return named[0] if named else ("nothing", np.array([np.nan]))
    sign = 1 if higher else -1
    return max(known, key=lambda pair: sign * float(np.nanmean(pair[1])))
