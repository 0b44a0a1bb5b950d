"""The demo: make a collection, find its concepts, complete its tags, and say how well it went.

:func:`run_demo` computes and writes the files; :func:`print_summary` tells a person about it.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from rich import box
from rich.progress_bar import ProgressBar
from rich.table import Table

from conceptforest.baselines import CLUSTERING
from conceptforest.completion import TagCompletion
from conceptforest.datasets import TaggedSet, make_tagged
from conceptforest.forest.hml_forest import HMLForest
from conceptforest.forest.trees import LEAF
from conceptforest.metrics import clustering_report
from conceptforest.report import plot_affinity, plot_reliability
from conceptforest.structure.clustering import ConceptClustering
from conceptforest.tags import TagHierarchy, TagMatrix, parse_tags

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from numpy.typing import NDArray
    from rich.console import Console

__all__ = ["Demo", "print_summary", "run_demo", "suggestion_hits"]

_LAYERS = "abstract", "specific"
_DRAWN_WHOLE = 3000  # items up to which all affinities are drawn, not the nearest alone
_SUGGESTED = 3  # tags for each untagged item
_SHOWN_ITEMS = 6
_COMPARED: dict[str, tuple[str, dict[str, Any]]] = {  # ways to cluster without the forest
    "features, k-means": ("KMeans", {"mode": "vision"}),
    "tags, k-means": ("KMeans", {"mode": "tags"}),
    "features, spectral": ("SpClust", {"mode": "vision", "affinity": "cosine"}),
    "tags, spectral": ("SpClust", {"mode": "tags", "affinity": "cosine"}),
    "both, mean of graphs": ("SpClust", {"mode": "balanced", "affinity": "cosine"}),
}


Suggestion: TypeAlias = tuple[str, float, list[int]]


@dataclass(frozen=True, eq=False)
class Demo:
    """All that the summary tells.

    Attributes
    ----------
    made : TaggedSet
    observed : TagMatrix
        The observed tags, (n_items, n_tags).
    clustering : ConceptClustering
    grow_seconds, total_seconds : float
    found : dict of str to ndarray of shape (n_items,)
        Cluster labels by what they were found from; the forest's come last.
    suggestions : dict of int to list of (str, float, list of int)
        Tags for each untagged item, the most likely first, each with its probability and the
        nearest items that voted for it.
    files : dict of str to str
        Path of each file, or why it was not written, by what it holds.
    """

    made: TaggedSet
    observed: TagMatrix
    clustering: ConceptClustering
    grow_seconds: float
    total_seconds: float
    found: dict[str, NDArray[np.int64]]
    suggestions: dict[int, list[Suggestion]]
    files: dict[str, str]


def run_demo(
    out: Path, *, n_items: int, n_trees: int, seed: int, n_jobs: int, verbose: int
) -> Demo:
    """Do all the work and write the files into the folder `out`, which must exist."""
    begin = time.perf_counter()
    made = make_tagged(n_items, random_state=seed)
    observed = parse_tags(made.tags)
    common: dict[str, Any] = {"random_state": seed, "n_jobs": n_jobs, "verbose": verbose}
    n_clusters = len(made.concept_names)

    grow_begin = time.perf_counter()
    layers = TagHierarchy(2, n_topics=n_clusters)
    forest = HMLForest(n_trees, layers=layers, **common).fit(made.X, observed)
    grow_seconds = time.perf_counter() - grow_begin
    clustering = ConceptClustering(n_clusters, forest=forest, **common).fit(made.X, observed)
    found = {
        name: CLUSTERING[method]()
        .set_params(n_clusters=n_clusters, random_state=seed, **settings)
        .fit(made.X, observed)
        .labels_
        for name, (method, settings) in _COMPARED.items()
    }
    knowing = HMLForest(n_trees, layers=made.layers)
    with_layers = ConceptClustering(n_clusters, forest=knowing, **common)
    found["forest, told the tag layers"] = with_layers.fit(made.X, observed).labels_
    found["forest, layers estimated"] = clustering.labels_

    # For tags that are missing, trees should not have seen every item: hence another forest.
    voters = HMLForest(n_trees, layers=layers, bootstrap=True)
    completion = TagCompletion(forest=voters, calibrate=True, **common).fit(made.X, observed)

    model = out / "model.safetensors"
    forest.save(model)
    files = {
        "affinities": _draw_affinity(clustering, out / "affinity.png"),
        "probabilities": _drawn(plot_reliability, completion.calibration_, out / "reliability.png"),
        "model": str(model),
    }
    return Demo(
        made=made,
        observed=observed,
        clustering=clustering,
        grow_seconds=grow_seconds,
        total_seconds=time.perf_counter() - begin,
        found=found,
        suggestions=_suggest(completion, np.flatnonzero(observed.untagged)),
        files=files,
    )


def _draw_affinity(clustering: ConceptClustering, place: Path) -> str:
    labels = clustering.labels_
    whole = len(labels) <= _DRAWN_WHOLE
    names = [clustering.cluster_names_[c] for c in np.unique(labels)]
    return _drawn(
        plot_affinity,
        clustering.forest_.affinity(dense=True) if whole else clustering.graph_,
        labels,
        place,
        names=names,
        title=f"Affinity of {len(labels):,} items in {len(names)} clusters",
    )


def _drawn(draw: Callable[..., None], *what: Any, **options: Any) -> str:
    """Draw a picture; give its path, which comes last in `what`, or what to install for it."""
    try:
        draw(*what, **options)
    except ImportError as error:
        return f"no picture. {error}"
    return str(what[-1])


def _suggest(completion: TagCompletion, items: NDArray[np.intp]) -> dict[int, list[Suggestion]]:
    """Ask for tags of some items."""
    suggestions: dict[int, list[Suggestion]] = {int(item): [] for item in items}
    if len(items):
        for row in completion.suggest(_SUGGESTED, items=items).itertuples():
            voters = [voter for voter, _ in row.why]
            suggestions[row.item].append((row.tag, row.score, voters))
    return suggestions


def suggestion_hits(demo: Demo) -> tuple[float, float, str]:
    """Give the share of untagged items whose first suggestion is right.

    Second, to compare it with, the share for which the most popular tag is right; third, that tag.
    There must be untagged items.
    """
    truth, items = demo.made.truth, demo.suggestions.items()
    popular = demo.observed.vocabulary[int(demo.observed.counts.argmax())]
    right = np.mean([bool(tags) and tags[0][0] in truth[item] for item, tags in items])
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
    trees = demo.clustering.forest_.trees_
    layer = trees.layer[trees.feature != LEAF]
    layers = demo.clustering.forest_.layers_
    splits = np.bincount(layer, minlength=len(layers))
    missing = demo.clustering.forest_.missing_[0]
    names = _LAYERS[: len(layers)]  # a tiny collection may give one layer only
    return {
        "estimated layers": ", ".join(
            f"{len(columns)} {name} tags" for columns, name in zip(layers, names, strict=True)
        ),
        "trees": f"{trees.n_trees:,} with {len(trees.feature):,} nodes,"
        f" grown in {demo.grow_seconds:.1f} s",
        "splits chosen by": ", ".join(
            f"{name} tags {count / max(1, splits.sum()):.0%} ({count:,})"
            for name, count in zip(names, splits, strict=True)
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
        scores = clustering_report(demo.made.labels, labels)
        nmi, ari = scores["nmi"], scores["ari"]
        bar = ProgressBar(total=1, completed=nmi, width=24, finished_style="bar.complete")
        style = "bold" if labels is demo.clustering.labels_ else ""
        table.add_row(f"  {name}", f"{nmi:.2f}", bar, f"{ari:.2f}", style=style)
    return table


def _clusters(demo: Demo) -> Table:
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, padding=(0, 2, 0, 0))
    table.add_column("  cluster", overflow="fold")
    table.add_column("items", justify="right")
    table.add_column("cohesion", justify="right")
    table.add_column("characteristic tags", overflow="fold")
    table.add_column("mostly shows", overflow="fold")
    for row in demo.clustering.cluster_summary(top=4).itertuples():
        concepts = np.bincount(demo.made.labels[demo.clustering.labels_ == row.cluster])
        main, size = int(concepts.argmax()), int(concepts.sum())
        table.add_row(
            f"  {row.name}",
            str(size),
            f"{row.cohesion:.2f}",
            ", ".join(row.tags),
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
    table.add_column("suggested, and how likely", overflow="fold")
    table.add_column("because of", overflow="fold")
    table.add_column("true tags, all of them lost", overflow="fold")
    for item, tags in list(demo.suggestions.items())[:_SHOWN_ITEMS]:
        marked = ", ".join(
            f"[bold green]{tag}*[/] {share:.0%}" if tag in truth[item] else f"{tag} {share:.0%}"
            for tag, share, _ in tags
        )
        why = ", ".join(f"#{voter}" for voter in tags[0][2][:3]) if tags else ""
        table.add_row(str(item), marked, why, ", ".join(sorted(truth[item])))
    console.print(table)
    right, by_popularity, popular = suggestion_hits(demo)
    console.print(
        f"  * is right. The first suggestion is right for {right:.0%} of the"
        f" {len(demo.suggestions)} untagged items;\n  always saying '{popular}' would be right"
        f" for {by_popularity:.0%}."
    )
