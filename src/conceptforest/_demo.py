"""The demo: make a collection, grow a forest, find its concepts, and say how well it went.

:func:`run_demo` computes and writes the files; :func:`print_summary` tells a person about it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from rich import box
from rich.progress_bar import ProgressBar
from rich.table import Table
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import eigsh
from sklearn.cluster import KMeans
from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from conceptforest.datasets import TaggedSet, make_tagged
from conceptforest.forest.hml_forest import HMLForest
from conceptforest.forest.trees import LEAF
from conceptforest.report import plot_affinity
from conceptforest.tags import TagMatrix, parse_tags

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray
    from rich.console import Console

__all__ = ["Demo", "print_summary", "run_demo", "suggestion_hits"]

_LAYERS = "abstract", "specific"
_NEIGHBORS = 20
_BRIDGE = 1e-4  # affinity that joins the parts of a graph in pieces, as a share of its mean
_DRAWN_WHOLE = 3000  # items up to which all affinities are drawn, not the nearest alone
_SUGGESTED = 3  # tags for each untagged item
_SHOWN_ITEMS = 6


@dataclass(frozen=True, eq=False)
class Demo:
    """All that the summary tells.

    Attributes
    ----------
    made : TaggedSet
    observed : TagMatrix
        The observed tags, (n_items, n_tags).
    forest : HMLForest
    grow_seconds, total_seconds : float
    found : dict of str to ndarray of shape (n_items,)
        Cluster labels by what they were found from; the forest's come last.
    suggestions : dict of int to list of str
        Tags for each untagged item, the most likely first.
    files : dict of str to str
        Path of each file, or why it was not written, by what it holds.
    """

    made: TaggedSet
    observed: TagMatrix
    forest: HMLForest
    grow_seconds: float
    total_seconds: float
    found: dict[str, NDArray[np.int64]]
    suggestions: dict[int, list[str]]
    files: dict[str, str]

    @property
    def clusters(self) -> NDArray[np.int64]:
        """The forest's clusters, (n_items,)."""
        return list(self.found.values())[-1]


def run_demo(
    out: Path, *, n_items: int, n_trees: int, seed: int, n_jobs: int, verbose: int
) -> Demo:
    """Do all the work and write the files into the folder `out`, which must exist."""
    begin = time.perf_counter()
    made = make_tagged(n_items, random_state=seed)
    observed = parse_tags(made.tags)
    n_clusters = len(made.concept_names)

    grow_begin = time.perf_counter()
    forest = HMLForest(
        n_trees,
        layers=made.layers,
        n_jobs=n_jobs,
        random_state=seed,
        verbose=verbose,
    ).fit(made.X, made.tags)
    grow_seconds = time.perf_counter() - grow_begin

    graph = forest.affinity(n_neighbors=_NEIGHBORS)
    with threadpool_limits(1):  # the same sums in the same order on every machine
        found = _find_clusters(made.X, observed, graph, n_clusters)
    clusters = list(found.values())[-1]

    model = out / "model.safetensors"
    forest.save(model)
    files = {"affinities": _draw(forest, graph, clusters, observed, out), "model": str(model)}
    return Demo(
        made=made,
        observed=observed,
        forest=forest,
        grow_seconds=grow_seconds,
        total_seconds=time.perf_counter() - begin,
        found=found,
        suggestions=_suggest(graph, observed),
        files=files,
    )


def _find_clusters(
    X: NDArray[np.float32], observed: TagMatrix, graph: Any, n_clusters: int
) -> dict[str, NDArray[np.int64]]:
    """Cluster by the forest's graph, and in simpler ways to compare it with."""
    tags = observed.matrix.astype(np.float64)
    features_graph, tags_graph = _cosine_graph(X - X.mean(axis=0)), _cosine_graph(tags)
    return {
        "features, k-means": _k_means(X, n_clusters),
        "tags, k-means": _k_means(tags.toarray(), n_clusters),
        "features, spectral": _spectral_clusters(features_graph, n_clusters),
        "tags, spectral": _spectral_clusters(tags_graph, n_clusters),
        "both, mean of graphs": _spectral_clusters((features_graph + tags_graph) / 2, n_clusters),
        "both, by the forest": _spectral_clusters(graph, n_clusters),
    }


def _cosine_graph(X: Any) -> Any:
    """Join each item to its nearest by cosine similarity; one of all zeros stays alone."""
    near = NearestNeighbors(n_neighbors=_NEIGHBORS, metric="cosine").fit(X)
    graph = near.kneighbors_graph(mode="distance")
    graph.data = np.maximum(1 - graph.data, 0)
    graph.eliminate_zeros()
    return sparse.csr_array(graph)


def _draw(
    forest: HMLForest, graph: Any, clusters: NDArray[np.int64], observed: TagMatrix, out: Path
) -> str:
    """Draw the affinities; give the path, or what to install for a picture."""
    place = out / "affinity.png"
    whole = len(clusters) <= _DRAWN_WHOLE
    names = _cluster_names(_characteristic_tags(observed, clusters))
    try:
        plot_affinity(
            forest.affinity(dense=True) if whole else graph,
            clusters,
            place,
            names=names,
            title=f"Affinity of {len(clusters):,} items in {len(names)} clusters",
        )
    except ImportError as error:
        return f"no picture. {error}"
    return str(place)


def _k_means(X: Any, n_clusters: int) -> NDArray[np.int64]:
    model = KMeans(n_clusters, n_init=10, random_state=0).fit(X)
    return np.asarray(model.labels_, dtype=np.int64)


def _spectral_clusters(graph: Any, n_clusters: int) -> NDArray[np.int64]:
    """Cluster items by k-means on the leading eigenvectors of the normalised affinity graph.

    The largest cluster is number 0.

    Parameters
    ----------
    graph : csr_array of shape (n_items, n_items)
        Affinities to the nearest items. Made symmetric here; each piece of it is joined to the
        largest by an edge too weak to matter, since eigenvectors of a graph in pieces are not
        unique.
    n_clusters : int
    """
    graph = sparse.csr_array(graph.maximum(graph.T))
    n_pieces, piece = connected_components(graph, directed=False)
    if n_pieces > 1:
        largest = np.bincount(piece).argmax()
        first = np.unique(piece, return_index=True)[1]
        ends = np.delete(first, largest), np.full(n_pieces - 1, first[largest])
        weak = np.full(n_pieces - 1, _BRIDGE * graph.data.mean())
        bridge = sparse.coo_array((weak, ends), shape=graph.shape)
        graph = sparse.csr_array(graph + bridge + bridge.T)
    scale = sparse.diags_array(1 / np.sqrt(np.asarray(graph.sum(axis=1))))
    start = np.random.RandomState(0).uniform(size=graph.shape[0])
    vectors = eigsh(scale @ graph @ scale, k=n_clusters, which="LA", v0=start)[1]
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), np.finfo(float).tiny)
    labels = _k_means(vectors, n_clusters)
    by_size = np.argsort(-np.bincount(labels, minlength=n_clusters), kind="stable")
    return np.argsort(by_size)[labels].astype(np.int64)


def _characteristic_tags(
    observed: TagMatrix, clusters: NDArray[np.int64], top: int = 4
) -> list[list[str]]:
    """Choose for each cluster the tags that are frequent in it and rarer elsewhere.

    The score is the tag's part in the Kullback-Leibler divergence of cluster from collection.
    """
    tags = observed.matrix
    everywhere = observed.counts / observed.n_items
    chosen = []
    for cluster in np.unique(clusters):
        here = np.asarray(tags[clusters == cluster].mean(axis=0)).ravel()
        with np.errstate(divide="ignore", invalid="ignore"):
            score = np.where(here > 0, here * np.log(here / everywhere), 0.0)
        best = np.argsort(-score, kind="stable")[:top]
        chosen.append([observed.vocabulary[j] for j in best if score[j] > 0])
    return chosen


def _cluster_names(tags: list[list[str]]) -> list[str]:
    """Name each cluster by its first tag that names no cluster before it."""
    names: list[str] = []
    for number, own in enumerate(tags, start=1):
        free = [tag for tag in own if tag not in names]
        names.append(free[0] if free else f"cluster {number}")
    return names


def _suggest(graph: Any, observed: TagMatrix) -> dict[int, list[str]]:
    """Let the nearest items of each untagged item vote for their tags, weighted by affinity."""
    items = np.flatnonzero(observed.untagged)
    votes = np.asarray((graph[items] @ observed.matrix).toarray())
    best = np.argsort(-votes, axis=1, kind="stable")[:, :_SUGGESTED]
    return {
        int(item): [observed.vocabulary[j] for j in row if vote[j] > 0]
        for item, row, vote in zip(items, best, votes, strict=True)
    }


def suggestion_hits(demo: Demo) -> tuple[float, float, str]:
    """Give the share of untagged items whose first suggestion is right.

    Second, to compare it with, the share for which the most popular tag is right; third, that tag.
    There must be untagged items.
    """
    truth, items = demo.made.truth, demo.suggestions.items()
    popular = demo.observed.vocabulary[int(demo.observed.counts.argmax())]
    right = np.mean([bool(tags) and tags[0] in truth[item] for item, tags in items])
    by_popularity = np.mean([popular in truth[item] for item in demo.suggestions])
    return float(right), float(by_popularity), popular


def print_summary(demo: Demo, console: Console) -> None:
    """Tell a person what was made, grown and found, in 80 columns."""
    _section(console, "Collection")
    console.print(_facts(_collection_facts(demo)))
    _section(console, "Forest")
    console.print(_facts(_forest_facts(demo)))
    _section(console, "How well clusters match the true concepts")
    console.print(_scores(demo))
    console.print("  1 is a perfect match; chance gives an ARI of 0.", style="dim")
    _section(console, f"The {len(demo.made.concept_names)} clusters of the forest")
    console.print(_clusters(demo))
    _section(console, "Tag suggestions for untagged items")
    _print_suggestions(demo, console)
    _section(console, "Files")
    for what, place in demo.files.items():  # a path is not broken into lines, so it can be copied
        console.print(f"  {what:<16}  {place}", markup=False, soft_wrap=True)
    console.print(f"\nDone in {demo.total_seconds:.1f} s.", style="bold")


def _section(console: Console, title: str) -> None:
    console.print(f"\n{title}", style="bold cyan")


def _facts(facts: dict[str, str]) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", min_width=18)
    table.add_column(overflow="fold")
    for name, value in facts.items():
        table.add_row(f"  {name}", value)
    return table


def _collection_facts(demo: Demo) -> dict[str, str]:
    made, observed = demo.made, demo.observed
    n_seen, n_true = observed.matrix.nnz, sum(map(len, made.truth))
    n_abstract, n_specific = map(len, made.layers)
    return {
        "items": f"{observed.n_items:,}, made up from {len(made.concept_names)} concepts",
        "features": f"{made.X.shape[1]}, most of them noise",
        "tags": f"{observed.n_tags}: {n_abstract} abstract, {n_specific} specific",
        "tags per item": f"{n_seen / observed.n_items:.1f} observed of"
        f" {n_true / observed.n_items:.1f} true ones; {1 - n_seen / n_true:.0%} removed",
        "untagged": f"{observed.untagged.mean():.0%} of items have no tag left",
    }


def _forest_facts(demo: Demo) -> dict[str, str]:
    trees = demo.forest.trees_
    layer = trees.layer[trees.feature != LEAF]
    splits = np.bincount(layer, minlength=len(_LAYERS))
    missing = demo.forest.missing_[0]
    return {
        "trees": f"{trees.n_trees:,} with {len(trees.feature):,} nodes,"
        f" grown in {demo.grow_seconds:.1f} s",
        "splits chosen by": ", ".join(
            f"{name} tags {count / max(1, splits.sum()):.0%} ({count:,})"
            for name, count in zip(_LAYERS, splits, strict=True)
        ),
        "no abstract tag": f"{missing['missing']:.0%} of items; for"
        f" {missing['supported']:.0%} of those, specific tags give evidence",
    }


def _scores(demo: Demo) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 2, 0, 0))
    table.add_column("  clusters found from")
    table.add_column("NMI", justify="right")
    table.add_column("", width=24)
    table.add_column("ARI", justify="right")
    for name, labels in demo.found.items():
        nmi = normalized_mutual_info_score(demo.made.labels, labels)
        ari = adjusted_rand_score(demo.made.labels, labels)
        bar = ProgressBar(total=1, completed=nmi, width=24, finished_style="bar.complete")
        style = "bold" if labels is demo.clusters else ""
        table.add_row(f"  {name}", f"{nmi:.2f}", bar, f"{ari:.2f}", style=style)
    return table


def _clusters(demo: Demo) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 2, 0, 0))
    table.add_column("  cluster", justify="right")
    table.add_column("items", justify="right")
    table.add_column("most characteristic tags", overflow="fold")
    table.add_column("mostly shows", overflow="fold")
    for cluster, tags in enumerate(_characteristic_tags(demo.observed, demo.clusters)):
        concepts = np.bincount(demo.made.labels[demo.clusters == cluster])
        main, size = int(concepts.argmax()), int(concepts.sum())
        table.add_row(
            str(cluster + 1),
            str(size),
            ", ".join(tags),
            f"{demo.made.concept_names[main]} ({concepts[main] / size:.0%})",
        )
    return table


def _print_suggestions(demo: Demo, console: Console) -> None:
    if not demo.suggestions:
        console.print("  Every item has a tag.")
        return
    truth = demo.made.truth
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 2, 0, 0))
    table.add_column("  item", justify="right")
    table.add_column("suggested by its nearest items", overflow="fold")
    table.add_column("true tags, all of them lost", overflow="fold")
    for item, tags in list(demo.suggestions.items())[:_SHOWN_ITEMS]:
        marked = ", ".join(f"[bold green]{t}*[/]" if t in truth[item] else t for t in tags)
        table.add_row(str(item), marked, ", ".join(sorted(truth[item])))
    console.print(table)
    right, by_popularity, popular = suggestion_hits(demo)
    console.print(
        f"  * is right. The first suggestion is right for {right:.0%} of the"
        f" {len(demo.suggestions)} untagged items;\n  always saying '{popular}' would be right"
        f" for {by_popularity:.0%}."
    )
