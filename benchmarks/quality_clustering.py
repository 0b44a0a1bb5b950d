"""Clusters against classes: the paper's forest and its variants beside spectral clustering.

Not a benchmark itself: quality.py runs it.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest import ConceptClustering, HMLForest
from conceptforest.baselines import CLUSTERING
from conceptforest.tags import remove_tags
from quality_tables import (
    CLUSTER_SCORES,
    Runs,
    audited,
    markdown,
    score_table,
    scored,
    single,
    warned,
    warnings_counted,
)
from workload import Clock, note, splits_by_layer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from conceptforest.datasets import Collection
    from conceptforest.tags import TagMatrix

BASELINES: dict[str, dict[str, Any]] = {
    "SpClust, vision": {"mode": "vision"},
    "SpClust, tags": {"mode": "tags"},
    "SpClust, balanced": {"mode": "balanced"},
    "SpClust, vision, cosine": {"mode": "vision", "affinity": "cosine"},
    "SpClust, tags, cosine": {"mode": "tags", "affinity": "cosine"},
    "SpClust, balanced, cosine": {"mode": "balanced", "affinity": "cosine"},
}
FLAT, NO_CORR, FULL = "FlatTags", "NoCorr", "HML-RF, full"
VARIANTS: dict[str, dict[str, Any]] = {
    FLAT: {"layers": 1},
    NO_CORR: {"correlation": False},
    FULL: {},
}


def known_labels(collection: Collection) -> NDArray[np.int64]:
    """Give the classes of a collection that has some."""
    if collection.labels is None:
        raise SystemExit(f"{collection.name} has no classes (y), so clusters cannot be scored.")
    return collection.labels


def baseline_labels(
    name: str, X: Any, tags: TagMatrix, n_clusters: int, *, seed: int
) -> NDArray[np.int64]:
    """Cluster by a competing method."""
    common = {"n_clusters": n_clusters, "random_state": seed, "n_jobs": -1}
    estimator: Any = CLUSTERING["SpClust"]().set_params(**common, **BASELINES[name])
    labels: NDArray[np.int64] = estimator.fit(X, tags).labels_
    return labels


def paper_clusters(
    X: Any, tags: TagMatrix, n_clusters: int, *, trees: int, seed: int, **changes: Any
) -> ConceptClustering:
    """Cluster by the paper's settings; ``changes`` of the forest make its variants."""
    forest = HMLForest.paper(n_estimators=trees, **changes)
    clusters = ConceptClustering.paper(n_clusters, forest=forest, random_state=seed, n_jobs=-1)
    return clusters.fit(X, tags)


def layer_facts(forest: HMLForest) -> list[dict[str, float]]:
    """Say of each tag layer how many splits it chose and how many items lack it."""
    splits = splits_by_layer(forest.trees_, len(forest.layers_))
    total = sum(splits) or 1.0
    return [
        {"tags": len(layer), "splits": count / total, **missing}
        for layer, count, missing in zip(forest.layers_, splits, forest.missing_, strict=True)
    ]


def measure(
    collection: Collection, *, trees: int, seeds: Sequence[int], removed: float
) -> dict[str, Any]:
    """Cluster by every method for every seed, with a share of the tags removed."""
    labels = known_labels(collection)
    n_clusters = len(np.unique(labels))
    runs: Runs = {name: [] for name in (*BASELINES, *VARIANTS)}
    layers: dict[str, list[list[dict[str, float]]]] = {NO_CORR: [], FULL: []}
    untagged, counts, clock = [], Counter[str](), Clock()
    with clock.running(), warnings_counted(counts):
        for seed in seeds:
            tags = remove_tags(collection.tags, removed, random_state=seed)
            untagged.append(float(tags.untagged.mean()))
            for name, reports in runs.items():
                note(f"clustering, {removed:.0%} removed, seed {seed}: {name}")
                if name in BASELINES:
                    found = baseline_labels(name, collection.X, tags, n_clusters, seed=seed)
                else:
                    clusters = paper_clusters(
                        collection.X, tags, n_clusters, trees=trees, seed=seed, **VARIANTS[name]
                    )
                    found = clusters.labels_
                    if name in layers:
                        layers[name].append(layer_facts(clusters.forest_))
                reports.append(scored(labels, found))
    return {
        "part": "clustering",
        "removed": removed,
        "untagged": untagged,
        "n_clusters": n_clusters,
        "runs": runs,
        "layers": layers,
        "warnings": dict(counts),
        "seconds": clock.wall,
    }


def render(result: dict[str, Any]) -> Iterator[str]:
    """Write a measured part as paragraphs of Markdown."""
    runs: Runs = result["runs"]
    n_seeds = len(next(iter(runs.values())))
    title = "all tags" if not result["removed"] else f"{result['removed']:.0%} of tags removed"
    yield f"## Clustering, {title}"
    untagged = float(np.mean(result["untagged"]))
    yield (
        f"{result['n_clusters']} clusters, {untagged:.1%} of items without a tag; mean ± standard"
        f" deviation of {n_seeds} seeds; **best**, *second best*."
    )
    yield score_table(runs, [single(key) for key in CLUSTER_SCORES])
    yield audited(runs)
    yield "Splits by tag layer, and items without a tag of the layer (mean of the seeds):"
    yield layer_table(result["layers"])
    yield from warned(result["warnings"])
    yield f"{result['seconds']:.0f} s"


def layer_table(layers: dict[str, list[list[dict[str, float]]]]) -> str:
    """Write what the layers did, a row for each variant and layer."""
    header = ("variant", "layer", "tags", "splits", "items missing", "of these with evidence")
    rows = []
    for name, runs in layers.items():
        for number in range(max(map(len, runs))):
            facts = [run[number] for run in runs if number < len(run)]
            mean = {key: float(np.mean([fact[key] for fact in facts])) for key in facts[0]}
            shares = [f"{mean[key]:.1%}" for key in ("splits", "missing", "supported")]
            rows.append([name, str(number + 1), f"{mean['tags']:.0f}", *shares])
    return markdown(header, rows)
