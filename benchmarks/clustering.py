"""Speed of the clustering step, against scikit-learn on the same graph, and its size limits.

First the graph of a forest is embedded and cut into clusters by conceptforest and by scikit-learn's
``spectral_embedding`` and ``SpectralClustering``, in turn. Then whole collections of growing size
are clustered, from features and tags to labels.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.cluster import SpectralClustering
from sklearn.manifold import spectral_embedding

from conceptforest import ConceptClustering, HMLForest
from conceptforest.metrics import clustering_report
from conceptforest.structure.graph import degrees, neighbour_graph, normalise
from conceptforest.structure.k_means import k_means
from conceptforest.structure.spectral import embed, leading_vectors
from conceptforest.structure.summary import cohesion
from workload import (
    Clock,
    PeakMemory,
    arguments,
    emit,
    machine_facts,
    make_workload,
    note,
    settings,
    table,
)

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

    from numpy.typing import NDArray

_TAGS, _TAGS_PER_ITEM = 1000, 4.8
_LOOSE = 1e-6  # looser than ours; scikit-learn's default is machine precision
_EIGEN_TARGET, _FIT_TARGET = 20.0, 3.0


def _timed(work: Callable[[], Any]) -> tuple[Any, float]:
    clock = Clock()
    with clock.running():
        result = work()
    return result, clock.wall


def _normalised_cut(graph: Any, labels: NDArray[np.int64], n_clusters: int) -> float:
    """Sum up the shares of the clusters' affinities that leave them."""
    return float(n_clusters - cohesion(graph, labels, n_clusters).sum())


def _smallest_cosine(ours: NDArray[np.float64], theirs: NDArray[np.float64]) -> float:
    """Compare the spaces that two sets of vectors span: 1 if they are the same."""
    bases = [np.linalg.qr(vectors)[0] for vectors in (ours, theirs)]
    return float(np.linalg.svd(bases[0].T @ bases[1], compute_uv=False).min())


def compare(args: argparse.Namespace, n_features: int) -> dict[str, Any]:
    """Time both libraries on one graph, in turn."""
    note(f"growing a forest on {args.items:,} items with {n_features} features")
    X, tags, classes = make_workload(
        args.items, n_features, _TAGS, _TAGS_PER_ITEM, n_classes=args.clusters, seed=args.seed
    )
    forest = HMLForest(args.trees, layers=1, n_jobs=args.jobs, random_state=args.seed).fit(X, tags)
    nearest = forest.affinity(n_neighbors=20)
    graph = neighbour_graph(nearest)
    p = args.clusters
    rounds = []
    for number in range(args.rounds):
        note(f"round {number + 1} of {args.rounds}")
        vectors, own_eigen = _timed(lambda: leading_vectors(normalise(graph), p)[1])
        maps, their_eigen = _timed(
            lambda: spectral_embedding(graph, n_components=p, drop_first=False, random_state=0)
        )
        _, loose_eigen = _timed(
            lambda: spectral_embedding(
                graph, n_components=p, drop_first=False, random_state=0, eigen_tol=_LOOSE
            )
        )
        own, own_fit = _timed(partial(_cut, nearest, p, args, seed=number))
        rival = SpectralClustering(
            p, affinity="precomputed", n_init=args.restarts, random_state=number
        )
        fitted, their_fit = _timed(partial(rival.fit, graph))
        theirs = fitted.labels_
        rounds.append(
            {
                "eigen_seconds": own_eigen,
                "sklearn_eigen_seconds": their_eigen,
                "sklearn_loose_eigen_seconds": loose_eigen,
                "smallest_cosine": _smallest_cosine(
                    vectors, maps * np.sqrt(degrees(graph))[:, None]
                ),
                "fit_seconds": own_fit,
                "sklearn_fit_seconds": their_fit,
                "cut": _normalised_cut(graph, own, p),
                "sklearn_cut": _normalised_cut(graph, theirs, p),
                "nmi": clustering_report(classes, own)["nmi"],
                "sklearn_nmi": clustering_report(classes, theirs)["nmi"],
            }
        )
    return {"features": n_features, "edges": int(graph.nnz // 2), "rounds": rounds}


def _cut(nearest: Any, p: int, args: argparse.Namespace, seed: int) -> NDArray[np.int64]:
    """Do what ConceptClustering does once it has the nearest items."""
    rows = embed(neighbour_graph(nearest), p).rows
    return k_means(rows, p, n_init=args.restarts, seed=seed, n_threads=args.jobs).labels


def scale(args: argparse.Namespace, n: int) -> list[dict[str, Any]]:
    """Cluster a whole collection of n items, from features and tags to labels."""
    note(f"clustering {n:,} items with {args.scale_trees} trees")
    X, tags, classes = make_workload(
        n, args.scale_features, _TAGS, _TAGS_PER_ITEM, n_classes=args.clusters, seed=args.seed
    )
    forest = HMLForest(args.scale_trees, layers=1, n_jobs=args.jobs, random_state=args.seed)
    with PeakMemory() as growing:
        grown, grow_seconds = _timed(lambda: forest.fit(X, tags))
    found = []
    for method in args.methods:
        note(f"method {method}")
        clusters = ConceptClustering(
            args.clusters, method=method, forest=grown, n_init=args.restarts, n_jobs=args.jobs,
            random_state=0,
        )  # fmt: skip
        with PeakMemory() as memory:
            _, cluster_seconds = _timed(partial(clusters.fit, X, tags))
            _, predict_seconds = _timed(partial(clusters.predict, X[:1000]))
        found.append(
            {
                "items": n,
                "method": method,
                "grow_seconds": grow_seconds,
                "cluster_seconds": cluster_seconds,
                "predict_1000_seconds": predict_seconds,
                "forest_peak_gb": growing.increase / 1e9,
                "peak_gb": memory.increase / 1e9,
                "x_gb": X.nbytes / 1e9,
                "nmi": clustering_report(classes, clusters.labels_)["nmi"],
            }
        )
    return found


def render(result: dict[str, Any]) -> None:
    for compared in result["compared"]:
        _render_graph(compared)
    if result["scaled"]:
        heads = ("items", "method", "forest s", "clusters s", "1,000 unseen s", "forest GB",
                 "clusters GB", "X GB", "NMI")  # fmt: skip
        table(heads, [tuple(row.values()) for row in result["scaled"]])


def _render_graph(compared: dict[str, Any]) -> None:
    rounds = compared["rounds"]
    median = {key: float(np.median([r[key] for r in rounds])) for key in rounds[0]}
    print(
        f"The graph of a forest on {compared['features']} features, {compared['edges']:,} edges;"
        f" median of {len(rounds)} rounds\n"
    )
    rows = []
    for step, key, target in (
        ("eigenvectors", "eigen_seconds", _EIGEN_TARGET),
        ("graph to labels", "fit_seconds", _FIT_TARGET),
    ):
        own, theirs = median[key], median[f"sklearn_{key}"]
        rows.append((step, own, theirs, theirs / own, target))
    table(("step", "conceptforest s", "scikit-learn s", "ratio", "target"), rows)
    loose = median["sklearn_loose_eigen_seconds"]
    print(f"\nscikit-learn with eigen_tol={_LOOSE:g}: {loose:.4g} s")
    print(f"smallest cosine between the two eigenspaces: {median['smallest_cosine']:.9f}")
    print(f"normalised cut: {median['cut']:.4f}, scikit-learn {median['sklearn_cut']:.4f}")
    print(f"NMI with the classes: {median['nmi']:.3f}, scikit-learn {median['sklearn_nmi']:.3f}\n")


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--items", type=int, default=5000, help="items of the compared graph")
    parser.add_argument(
        "--features",
        type=int,
        nargs="+",
        default=[128, 1024],
        help="with many, classes lie far apart, and a shift-invert solver has an easy time",
    )
    parser.add_argument("--trees", type=int, default=500)
    parser.add_argument("--clusters", type=int, default=30)
    parser.add_argument("--restarts", type=int, default=20, help="of k-means, on both sides")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--scale", type=int, nargs="*", default=[20_000, 200_000])
    parser.add_argument("--scale-features", type=int, default=128)
    parser.add_argument("--scale-trees", type=int, default=500)
    parser.add_argument("--methods", nargs="+", default=["forest", "joint"])
    args = parser.parse_args()
    facts = machine_facts()
    result = {
        "machine": facts,
        "options": settings(args),
        "compared": [compare(args, n_features) for n_features in args.features],
        "scaled": [row for n in args.scale for row in scale(args, n)],
    }
    emit(result, render, as_json=args.json)


if __name__ == "__main__":
    main()
