"""What the paper found when it completed tags, each as comparisons that can be made here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conceptforest.experiments.methods import title_of
from conceptforest.experiments.published import published
from conceptforest.experiments.verdicts import (
    BOTH,
    IMAGES,
    OURS,
    VIDEOS,
    Claim,
    Comparison,
    Side,
    best_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conceptforest.experiments.runs import Runs

__all__ = ["COMPLETION_CLAIMS"]

_COMPLETED = {"ap": "AP", "ar": "AR", "coverage": "Coverage"}
_TOP = range(1, 6)
_RULES = ("HMLRF(GC)", "HMLRF(LN)", "HMLRF(AM)")


def _completers_in_paper() -> list[str]:
    found = {name: None for tables in published().values() for name in tables["completion"]}
    return [name for name in found if name not in _RULES]


def _completed(runs: Runs, names: Sequence[str], score: str, n: int) -> list[Side]:
    return [Side(title_of(name), runs.complete(name, score, n)) for name in names]


def _rules_against(
    runs: Runs, own: Sequence[str], others: Sequence[str], said: Any = "more"
) -> Iterator[Comparison]:
    for score, title in _COMPLETED.items():
        for n in _TOP:
            rival = best_of(_completed(runs, others, score, n))
            best = best_of(_completed(runs, own, score, n))
            yield Comparison(best, rival, said, f"{title}@{n}")


def _rules_best(runs: Runs) -> Iterator[Comparison]:
    yield from _rules_against(runs, _RULES, _completers_in_paper(), "no less")


def _rules_best_of_all(runs: Runs) -> Iterator[Comparison]:
    known = set(_completers_in_paper())
    others = [name for name in runs.plan.completers() if name not in known]
    yield from _rules_against(runs, _RULES, others)


def _affinity_best(runs: Runs) -> Iterator[Comparison]:
    yield from _rules_against(runs, _RULES[2:], [*_completers_in_paper(), *_RULES[:2]])


def _clusters_best(runs: Runs) -> Iterator[Comparison]:
    others = [name for name in _completers_in_paper() if name.endswith("(GC)")]
    for score in ("ap", "ar"):
        for n in _TOP:
            own = Side("HML-RF(GC)", runs.complete("HMLRF(GC)", score, n))
            rival = best_of(_completed(runs, others, score, n))
            yield Comparison(own, rival, "no less", f"{_COMPLETED[score]}@{n}")


def _clusters_are_strong(runs: Runs) -> Iterator[Comparison]:
    own = Side("DCCAE(GC)", runs.complete("DCCAE(GC)", "ap", 1))
    for rival in _completed(runs, ("LSR", "TCMR"), "ap", 1):
        yield Comparison(own, rival, "no less")


def _rule_beats(first: str, second: str, top: Sequence[int]) -> Any:
    def check(runs: Runs) -> Iterator[Comparison]:
        for score in ("ap", "ar"):
            for n in top:
                sides = _completed(runs, (first, second), score, n)
                yield Comparison(sides[0], sides[1], at=f"{_COMPLETED[score]}@{n}")

    return check


def _neighbours_first(runs: Runs) -> Iterator[Comparison]:
    others = [*_completers_in_paper(), "HMLRF(GC)", "HMLRF(AM)"]
    own = Side("HML-RF(LN)", runs.complete("HMLRF(LN)", "ar", 1))
    yield Comparison(own, best_of(_completed(runs, others, "ar", 1)))


COMPLETION_CLAIMS = (
    Claim("completion", "None of the paper's other methods is above the best of the three"
          " completion rules", BOTH, _rules_best),
    Claim("completion-of-all", "The best rule is also above the methods that the paper leaves out"
          " (the default of this package aside)", OURS, _rules_best_of_all),
    Claim("affinity-rule", "HML-RF(AM) is above all others, LN and GC among them",
          IMAGES, _affinity_best),
    Claim("clusters-complete", "Completion by clusters is nowhere better than with those of HML-RF",
          VIDEOS, _clusters_best),
    Claim("clusters-strong", "Clusters alone, DCCAE(GC), complete the first tag as well as LSR and"
          " TCMR", VIDEOS, _clusters_are_strong),
    Claim("clusters-over-neighbours", "HML-RF(GC) is above HML-RF(LN) from the second tag on",
          VIDEOS, _rule_beats("HMLRF(GC)", "HMLRF(LN)", range(2, 6))),
    Claim("neighbours-first", "HML-RF(LN) recalls the most with one tag (AR@1)",
          VIDEOS, _neighbours_first),
    Claim("neighbours-over-clusters", "HML-RF(LN) is above HML-RF(GC)",
          IMAGES, _rule_beats("HMLRF(LN)", "HMLRF(GC)", _TOP)),
)  # fmt: skip
