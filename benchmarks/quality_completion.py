"""Hidden tags of seen items: the paper's three rules beside what one would try first.

Not a benchmark itself: quality.py runs it.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest import HMLForest, TagCompletion, metrics
from conceptforest.baselines import COMPLETION
from conceptforest.tags import TagHierarchy, hide_tags
from quality_tables import (
    COMPLETION_SCORES,
    Runs,
    at,
    audited,
    markdown,
    mean_and_spread,
    score_table,
    warned,
    warnings_counted,
)
from workload import Clock, note

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conceptforest.datasets import Collection
    from conceptforest.tags import TagMatrix

OBSERVED = 0.6
LAYERS = 5
MAX_N = 5
BASELINES = {
    "popularity": "Popularity",
    "co-occurrence": "CoOccurrence",
    "visual neighbours": "VisualNeighbours",
}
RULES = {"HML-RF, LN": "local", "HML-RF, GC": "cluster", "HML-RF, AM": "affinity"}


def paper_forest(
    X: Any, tags: TagMatrix, *, n_clusters: int | None, trees: int, seed: int
) -> HMLForest:
    """Grow the forest that all three rules share, its layers with a topic for each cluster."""
    forest = HMLForest.paper(
        n_estimators=trees,
        bootstrap=True,
        layers=TagHierarchy(LAYERS, n_topics=n_clusters),
        random_state=seed,
        n_jobs=-1,
    )
    return forest.fit(X, tags)


def completers(
    X: Any, tags: TagMatrix, *, n_clusters: int | None, trees: int, seed: int
) -> Iterator[tuple[str, Any]]:
    """Fit every method to the observed tags, one after the other."""
    for name, key in BASELINES.items():
        baseline: Any = COMPLETION[key]()
        if "random_state" in baseline.get_params():
            baseline.set_params(random_state=seed)
        yield name, baseline.fit(X, tags)
    forest = paper_forest(X, tags, n_clusters=n_clusters, trees=trees, seed=seed)
    for name, method in RULES.items():
        rule = TagCompletion.paper(
            method, forest=forest, n_clusters=n_clusters, random_state=seed, n_jobs=-1
        )
        yield name, rule.fit(X, tags)


def class_count(collection: Collection) -> int | None:
    """Give the number of classes that occur, which is the number of clusters for GC."""
    return None if collection.labels is None else len(np.unique(collection.labels))


def measure(collection: Collection, *, trees: int, seeds: Sequence[int]) -> dict[str, Any]:
    """Hide tags of every item and let every method rank them."""
    runs: Runs = {name: [] for name in (*BASELINES, *RULES)}
    counts, clock = Counter[str](), Clock()
    with clock.running(), warnings_counted(counts):
        for seed in seeds:
            seen = hide_tags(collection.tags, OBSERVED, random_state=seed)
            note(f"completion, seed {seed}")
            fitted = completers(
                collection.X, seen, n_clusters=class_count(collection), trees=trees, seed=seed
            )
            for name, method in fitted:
                note(f"completion, seed {seed}: {name}")
                report = metrics.completion_report(
                    method.scores_, seen, collection.tags, max_n=MAX_N
                )
                runs[name].append(plain(report))
    return {
        "part": "completion",
        "observed": OBSERVED,
        "runs": runs,
        "warnings": dict(counts),
        "seconds": clock.wall,
    }


def plain(report: Any) -> dict[str, Any]:
    """Give a report with lists for arrays, as JSON wants them."""
    return {
        key: value.tolist() if isinstance(value, np.ndarray) else value
        for key, value in report.items()
    }


def render(result: dict[str, Any]) -> Iterator[str]:
    """Write a measured part as paragraphs of Markdown."""
    runs: Runs = result["runs"]
    first = next(iter(runs.values()))
    items = mean_and_spread([report["n_items"] for report in first], decimals=0)
    yield f"## Completion of seen items, {result['observed']:.0%} of each item's tags observed"
    yield (
        f"{items} items have a hidden tag and are scored; mean ± standard deviation of"
        f" {len(first)} seeds; **best**, *second best*."
    )
    for key in COMPLETION_SCORES:
        yield score_table(runs, [at(key, n) for n in range(1, MAX_N + 1)])
    yield audited(runs)
    yield f"Share of items whose suggestion {MAX_N} and the next tag have equal scores:"
    ties = [
        [name, mean_and_spread([report["tie_rate"] for report in reports])]
        for name, reports in runs.items()
    ]
    yield markdown(("method", "tie rate"), ties)
    yield from warned(result["warnings"])
    yield f"{result['seconds']:.0f} s"
