"""Whether what somebody found holds here: comparisons over seeds, and what they come to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import numpy as np

from conceptforest.datasets.found_tags import count
from conceptforest.experiments.scoretable import DECIMALS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from conceptforest.experiments.runs import Runs

__all__ = [
    "BOTH",
    "IMAGES",
    "OURS",
    "VIDEOS",
    "WORDS",
    "Claim",
    "Comparison",
    "Side",
    "Verdict",
    "best_of",
]

_SAME = 0.005  # a smaller difference is none where two decimals are printed
_LITTLE = 0.02  # "hardly", "insensitive"
_SAID = {  # least and greatest difference that is as said
    "more": (_SAME, np.inf),
    "no less": (-_SAME, np.inf),
    "hardly less": (-_LITTLE, np.inf),
    "level": (-_LITTLE, _LITTLE),
}
_SHOWN = 2  # comparisons that a verdict tells

VIDEOS, IMAGES, BOTH, OURS = "videos", "images", "both", "not asked"  # where it was found

HOLDS, SO_FAR, IN_PART = "holds", "holds so far", "holds in part"
FAILS, UNCLEAR, NOT_RUN = "does not hold", "cannot be told", "not run"
WORDS = {  # and what is said of several
    HOLDS: "hold", SO_FAR: "hold so far", IN_PART: "hold in part", FAILS: "do not hold",
    UNCLEAR: UNCLEAR, NOT_RUN: "were not run",
}  # fmt: skip


class Side(NamedTuple):
    """One side of a comparison.

    Attributes
    ----------
    name : str
    scores : ndarray of shape (n_seeds,)
        Not a number where there is no run.
    n_absent : int
        Of those that it is the best of, how many were not run.
    """

    name: str
    scores: NDArray[np.float64]
    n_absent: int = 0


@dataclass(frozen=True, eq=False)
class Comparison:
    """What is said of one side against the other.

    Attributes
    ----------
    left, right : Side
    said : {"more", "no less", "hardly less", "level"}
        Of the left one against the right one.
    at : str
        Where they are compared.
    """

    left: Side
    right: Side
    said: Literal["more", "no less", "hardly less", "level"] = "more"
    at: str = ""

    @property
    def _by_seed(self) -> NDArray[np.float64]:
        return (self.left.scores - self.right.scores)[self._known]

    @property
    def difference(self) -> float:
        """How far the left is above the right in the mean; not a number where nothing was run."""
        return float(self._by_seed.mean()) if len(self._by_seed) else np.nan

    @property
    def outcome(self) -> str:
        """One of ``"as said"``, ``"against"``, ``"unclear"`` and ``"missing"``.

        A difference counts if it has the same sign with every seed and is not tiny in the mean.
        """
        gap = self.difference
        if np.isnan(gap):
            return "missing"
        agreed = bool((self._by_seed * gap > 0).all())
        least, greatest = _SAID[self.said]
        if least <= gap <= greatest:
            return "as said" if agreed or self.said != "more" else "unclear"
        return "against" if agreed and abs(gap) >= _SAME else "unclear"

    @property
    def _known(self) -> NDArray[np.bool_]:
        """Mark the seeds that both sides were run with."""
        return ~np.isnan(self.left.scores - self.right.scores)

    @property
    def n_seeds(self) -> tuple[int, int]:
        """With how many seeds both sides were run, and of how many."""
        return int(self._known.sum()), len(self._known)

    @property
    def is_whole(self) -> bool:
        """Whether all that it is about was run, with every seed."""
        return bool(self._known.all()) and not self.left.n_absent + self.right.n_absent

    def __str__(self) -> str:
        known = self._known
        sides = (
            f"{side.name} {float(side.scores[known].mean()):z.{DECIMALS}f}"
            for side in (self.left, self.right)
        )
        return f"{self.at}{': ' if self.at else ''}{', '.join(sides)}"


@dataclass(frozen=True)
class Verdict:
    """What comparisons come to.

    Attributes
    ----------
    word : str
        ``"holds"``, ``"holds so far"`` (of what was run), ``"holds in part"``,
        ``"does not hold"``, ``"cannot be told"`` or ``"not run"``.
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
        >>> sides = Side("forest", np.array([0.9])), Side("mean", np.array([0.8]))
        >>> Verdict.of([Comparison(*sides)])
        Verdict(word='holds', numbers='forest 0.900, mean 0.800')
        """
        known = [one for one in comparisons if one.outcome != "missing"]
        if not known:
            return cls(NOT_RUN, "")
        held = [one for one in known if one.outcome == "as said"]
        if len(held) == len(known):
            word = HOLDS if all(one.is_whole for one in comparisons) else SO_FAR
            decisive = sorted(known, key=_margin)[:1]
        else:
            is_against = any(one.outcome == "against" for one in known)
            word = IN_PART if held else FAILS if is_against else UNCLEAR
            decisive = sorted((one for one in known if one not in held), key=_margin)[:_SHOWN]
        told = "; ".join(map(str, decisive))
        if len(comparisons) > 1:
            lead = "; the closest:" if word in (HOLDS, SO_FAR) else ", but"
            told = f"{len(held)} of {len(known)}{lead} {told}"
        return cls(word, "; ".join([told, *_absent(comparisons)]))


def _margin(comparison: Comparison) -> float:
    """Give by how much a comparison comes out as said; negative where it does not."""
    gap = comparison.difference
    return -abs(gap) if comparison.said == "level" else gap


def _absent(comparisons: Sequence[Comparison]) -> list[str]:
    """Say what was not run."""
    n_missing = sum(one.outcome == "missing" for one in comparisons)
    n_rivals = max(one.left.n_absent + one.right.n_absent for one in comparisons)
    fewest, all_seeds = min(one.n_seeds for one in comparisons if one.outcome != "missing")
    return [
        *([f"{n_missing} of {len(comparisons)} not run"] if n_missing else []),
        *([f"{count(n_rivals, 'rival')} not run"] if n_rivals else []),
        *([f"{fewest} of {all_seeds} seeds"] if fewest < all_seeds else []),
    ]


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


def best_of(sides: Sequence[Side], *, higher: bool = True) -> Side:
    """Give the best in the mean over seeds, of those that were run with the most seeds.

    Parameters
    ----------
    sides : sequence of Side
    higher : bool, default=True

    Returns
    -------
    Side
        With the number of those that were not run.

    Examples
    --------
    >>> best_of([Side("a", np.array([0.1])), Side("b", np.array([0.3]))]).name
    'b'
    """
    n_seeds = [int((~np.isnan(side.scores)).sum()) for side in sides]
    most = max(n_seeds, default=0)
    if not most:
        return Side("others", np.array([np.nan]))
    sign = 1 if higher else -1
    full = [side for side, n in zip(sides, n_seeds, strict=True) if n == most]
    best = max(full, key=lambda side: sign * float(np.nanmean(side.scores)))
    return best._replace(n_absent=len(sides) - len(full))
