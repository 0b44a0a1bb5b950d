"""The made TRECVID-like collection with more and more tags removed: does the paper's order hold?

Every seed makes another collection, removes other tags and grows other forests. Two methods are
compared seed by seed: one is above the other if the mean of the differences is larger than their
standard deviation, else the two are level. Not a benchmark itself: quality.py runs it.
"""

from __future__ import annotations

import statistics
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from conceptforest.datasets import make_trecvid_like
from conceptforest.tags import remove_tags
from quality_clustering import (
    BASELINES,
    FLAT,
    FULL,
    NO_CORR,
    VARIANTS,
    baseline_labels,
    known_labels,
    layer_facts,
    layer_table,
    paper_clusters,
)
from quality_tables import (
    Runs,
    audited,
    mean_and_spread,
    score_table,
    scored,
    single,
    warned,
    warnings_counted,
)
from workload import Clock, note

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from conceptforest.datasets import Collection

SPARSE = 0.4  # removed from here on, the paper's NoCorr is no better than FlatTags
BALANCED = "SpClust, balanced", "SpClust, balanced, cosine"
ESTIMATED = ", estimated layers"
NO_CORR_ESTIMATED, FULL_ESTIMATED = NO_CORR + ESTIMATED, FULL + ESTIMATED
ORDER = (*BASELINES, FLAT, NO_CORR, FULL, NO_CORR_ESTIMATED, FULL_ESTIMATED)


def measure(
    *,
    trees: int,
    seeds: Sequence[int],
    removed: float,
    make: Callable[..., Collection] = make_trecvid_like,
) -> dict[str, Any]:
    """Cluster by every method for every seed, with a share of the tags removed."""
    runs: Runs = {name: [] for name in ORDER}
    layers: dict[str, list[list[dict[str, float]]]] = {name: [] for name in ORDER[-4:]}
    untagged, counts, clock = [], Counter[str](), Clock()
    with clock.running(), warnings_counted(counts):
        for seed in seeds:
            made = make(random_state=seed)
            labels = known_labels(made)
            tags = remove_tags(made.tags, removed, random_state=seed)
            untagged.append(float(tags.untagged.mean()))
            for name, reports in runs.items():
                note(f"{removed:.0%} removed, seed {seed}: {name}")
                if name in BASELINES:
                    found = baseline_labels(name, made.X, tags, made.n_classes, seed=seed)
                else:
                    changes = dict(VARIANTS[name.removesuffix(ESTIMATED)])
                    if name in {NO_CORR, FULL}:
                        changes["layers"] = made.layers
                    clusters = paper_clusters(
                        made.X, tags, made.n_classes, trees=trees, seed=seed, **changes
                    )
                    found = clusters.labels_
                    if name in layers:
                        layers[name].append(layer_facts(clusters.forest_))
                reports.append(scored(labels, found))
    return {
        "part": "sparseness",
        "removed": removed,
        "untagged": untagged,
        "runs": runs,
        "layers": layers,
        "warnings": dict(counts),
        "seconds": clock.wall,
    }


def render(result: dict[str, Any]) -> Iterator[str]:
    """Write one removal rate as paragraphs of Markdown."""
    untagged = statistics.fmean(result["untagged"])
    yield f"## {result['removed']:.0%} of tags removed"
    yield (
        f"{untagged:.1%} of items without a tag; mean ± standard deviation of"
        f" {len(result['untagged'])} seeds; **best**, *second best*."
    )
    yield score_table(result["runs"], [single(key) for key in ("nmi", "ari", "purity")])
    yield audited(result["runs"])
    yield layer_table(result["layers"])
    yield from warned(result["warnings"])
    yield f"{result['seconds']:.0f} s"


def summary(results: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Write NMI against removal, and what the numbers say about the paper's order."""
    yield "## NMI by share of tags removed"
    header = [(f"{result['removed']:.0%}", result["runs"]) for result in results]
    by_rate: Runs = {
        name: [{rate: runs[name][place]["nmi"] for rate, runs in header} for place in seeds]
        for name in ORDER
        for seeds in [range(len(header[0][1][name]))]
    }
    yield score_table(by_rate, [single(rate) for rate, _ in header])
    yield "## Verdict"
    yield "\n".join(f"- {line}" for line in verdict(results))


# --- Verdicts ------------------------------------------------------------------------------------


def compare(above: Sequence[float], below: Sequence[float]) -> str:
    """Say whether the first method is above, level with or below the second, seed by seed.

    They are level if the mean of the differences is within its standard error.
    """
    gaps = [a - b for a, b in zip(above, below, strict=True)]
    if len(gaps) < 2:
        return "not known from one seed"
    mean = statistics.fmean(gaps)
    if abs(mean) <= statistics.stdev(gaps) / len(gaps) ** 0.5:
        return "level"
    return "above" if mean > 0 else "below"


def verdict(results: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Hold the numbers against what the paper reports, in plain words."""
    for no_corr, full, kind in (
        (NO_CORR, FULL, "given layers"),
        (NO_CORR_ESTIMATED, FULL_ESTIMATED, "estimated layers"),
    ):
        for result in results:
            if result["removed"] == 0:
                yield _rising(result, (FLAT, no_corr, full), kind)
        for result in results:
            if result["removed"] >= SPARSE:
                rate = f"{result['removed']:.0%} removed, {kind}"
                claims = ((no_corr, FLAT, "is at or below"), (full, FLAT, "is above"))
                for one, other, claim in (*claims, (full, no_corr, "is above")):
                    yield _claim(result, one, claim, other, rate)
        for result in results:
            rate = f"{result['removed']:.0%} removed, {kind}"
            means = {statistics.fmean(_nmi(result, name)): name for name in BALANCED}
            rival = means[max(means)]
            yield _claim(result, full, "is at or above", rival, rate)


def _nmi(result: dict[str, Any], name: str) -> list[float]:
    return [report["nmi"] for report in result["runs"][name]]


def _rising(result: dict[str, Any], names: Sequence[str], kind: str) -> str:
    found = {
        (low, high): compare(_nmi(result, high), _nmi(result, low)) for low, high in pairwise(names)
    }
    holds = all(relation == "above" for relation in found.values())
    means = ", ".join(f"{statistics.fmean(_nmi(result, name)):.3f}" for name in names)
    words = {"level": "level with", "below": "below"}
    why = [
        f"{high.removesuffix(ESTIMATED)} is {words.get(relation, relation + ', against')}"
        f" {low.removesuffix(ESTIMATED)}"
        for (low, high), relation in found.items()
        if relation != "above"
    ]
    order = " < ".join(name.removesuffix(ESTIMATED) for name in names)
    verb = "HOLDS" if holds else "DOES NOT HOLD"
    because = f": {'; '.join(why)}" if why else ""
    return f"With all tags and {kind}, the paper's order {order} {verb} ({means}{because})."


def _claim(result: dict[str, Any], one: str, claim: str, other: str, rate: str) -> str:
    allowed = {
        "is above": {"above"},
        "is at or above": {"above", "level"},
        "is at or below": {"below", "level"},
    }[claim]
    relation = compare(_nmi(result, one), _nmi(result, other))
    verb = "YES" if relation in allowed else "NO"
    gaps = [a - b for a, b in zip(_nmi(result, one), _nmi(result, other), strict=True)]
    means = [f"{statistics.fmean(_nmi(result, name)):.3f}" for name in (one, other)]
    short = [name.removesuffix(ESTIMATED) for name in (one, other)]
    return (
        f"{rate}: {short[0]} {claim} {short[1]}: {verb} ({means[0]} and {means[1]}, difference"
        f" {mean_and_spread(gaps)}: {relation})."
    )
