"""Which number of clusters is chosen: by the eigengap, which is in use, and by modularity.

For a feature file with classes, or for the demo's made-up collections: the number of classes, what
each rule chooses, the votes of half forests, and the NMI with the classes at either choice.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest import ConceptClustering, HMLForest, datasets
from conceptforest.metrics import clustering_report
from conceptforest.structure.cluster_count import most_clusters
from conceptforest.structure.graph import degrees
from conceptforest.structure.k_means import k_means
from conceptforest.structure.spectral import embed
from conceptforest.structure.summary import cohesion
from conceptforest.tags import TagMatrix, parse_tags
from workload import arguments, emit, machine_facts, note, settings, table

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from numpy.typing import NDArray


def collections(args: argparse.Namespace) -> Iterator[tuple[str, Any, TagMatrix, Any]]:
    """Give name, features, tags and classes."""
    for path in args.data:
        found = datasets.load(path)
        yield found.name, found.X, found.tags, found.labels
    if not args.data:
        for n_items, n_concepts in ((600, 4), (600, 8), (1500, 16)):
            for seed in range(args.seed, args.seed + 2):
                made = datasets.make_tagged(n_items, n_concepts, random_state=seed)
                yield f"made, seed {seed}", made.X, parse_tags(made.tags), made.labels


def modularity(graph: Any, labels: NDArray[np.int64], n_clusters: int) -> float:
    """Give the share of affinity inside clusters, less what chance would put there."""
    volume = np.bincount(labels, weights=degrees(graph), minlength=n_clusters)
    share = volume / volume.sum()
    return float((cohesion(graph, labels, n_clusters) * share).sum() - (share**2).sum())


def by_modularity(graph: Any) -> tuple[int, NDArray[np.int64]]:
    """Choose the number of clusters with the highest modularity, and give the clusters."""
    best = -1.0, 0, np.empty(0, dtype=np.int64)
    for p in range(2, most_clusters(graph.shape[0]) + 1):
        labels = k_means(embed(graph, p).rows, p, n_init=3, n_threads=2).labels
        value = modularity(graph, labels, p)
        best = max(best, (value, p, labels), key=lambda found: found[0])
    return best[1], best[2]


def measure(args: argparse.Namespace) -> dict[str, Any]:
    result: dict[str, Any] = {"machine": machine_facts(), "options": settings(args), "rows": []}
    for name, X, tags, classes in collections(args):
        note(name)
        forest = HMLForest(args.trees, layers=1, n_jobs=-1)
        found = ConceptClustering(forest=forest, random_state=args.seed, n_jobs=-1).fit(X, tags)
        count: Any = found.cluster_count_
        rival, labels = by_modularity(found.graph_)
        result["rows"].append(
            {
                "name": name,
                "classes": len(np.unique(classes)),
                "eigengap": count.n_clusters,
                "confidence": count.confidence,
                "votes": list(count.votes),
                "nmi": clustering_report(classes, found.labels_)["nmi"],
                "modularity": rival,
                "modularity_nmi": clustering_report(classes, labels)["nmi"],
            }
        )
    return result


def render(result: dict[str, Any]) -> None:
    table(
        ("collection", "classes", "eigengap", "confidence", "NMI", "modularity", "NMI", "votes"),
        [
            (r["name"], r["classes"], r["eigengap"], r["confidence"], r["nmi"], r["modularity"],
             r["modularity_nmi"], " ".join(map(str, r["votes"])))
            for r in result["rows"]
        ],
    )  # fmt: skip


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--data", type=Path, nargs="*", default=[], help="feature files, .npz")
    parser.add_argument("--trees", type=int, default=300)
    args = parser.parse_args()
    emit(measure(args), render, as_json=args.json)


if __name__ == "__main__":
    main()
