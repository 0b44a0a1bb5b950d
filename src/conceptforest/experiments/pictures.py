"""Figures that show items: samples, the pipeline, clusters and completed tags."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest.experiments.figures import COLOURS, INK
from conceptforest.experiments.looks import look_at_clusters, look_at_completion
from conceptforest.experiments.tiles import GREEN, RED, draw_tile, tag_names
from conceptforest.report.affinity_plot import draw_affinity as draw_matrix
from conceptforest.report.affinity_plot import plot_affinity
from conceptforest.report.figure_file import figure_for

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from numpy.typing import NDArray

    from conceptforest.experiments.looks import ClusterLook
    from conceptforest.experiments.plan import Plan

__all__ = ["PICTURES", "Picture"]

_ROWS, _COLUMNS = 3, 8
_CLUSTERS = 5
_SHOWN = 8  # items of a cluster
_EDGES = 2  # of each item that are drawn
_MANY = 1000  # dots or lines, that are pixels in vector figures too


@dataclass(frozen=True)
class Picture:
    """A figure that needs a fitted model or the items themselves.

    Attributes
    ----------
    name, title, about : str
    draw : function of a Plan, a folder for what is computed, a file and a number of threads
    """

    name: str
    title: str
    about: str
    draw: Any


def draw_samples(plan: Plan, folder: Path, path: str | os.PathLike[str], n_jobs: int) -> None:
    """Draw items of the collection, an equal number of each class as far as they go."""
    del folder, n_jobs
    subject = plan.subject
    items = _spread(subject.labels, _ROWS * _COLUMNS)
    with figure_for(path, figsize=(11, 5.2), layout="constrained") as figure:
        for axes, item in zip(figure.subplots(_ROWS, _COLUMNS).flat, items, strict=False):
            draw_tile(axes, subject, int(item))
            title = subject.collection.class_names[subject.labels[item]]
            axes.set_title(title[:24], fontsize=6, color=INK)


def _spread(labels: Any, n: int) -> NDArray[np.int64]:
    """Choose items, taking turns between classes."""
    rng = np.random.default_rng(0)
    shuffled = rng.permutation(len(labels))
    turn = np.zeros(len(labels), dtype=np.int64)
    for number in np.unique(labels):
        own = shuffled[labels[shuffled] == number]
        turn[own] = np.arange(len(own))
    order = shuffled[np.argsort(turn[shuffled], kind="stable")]
    return np.asarray(order[:n])


def draw_pipeline(plan: Plan, folder: Path, path: str | os.PathLike[str], n_jobs: int) -> None:
    """Draw affinities, their graph, its clusters, and the neighbourhood of one item."""
    look = look_at_clusters(plan, folder, 0.0, n_jobs=n_jobs)
    colours = np.array([COLOURS[label % len(COLOURS)] for label in look.labels])
    many = len(look.places) > _MANY
    with figure_for(path, figsize=(11, 3.4), dpi=200, layout="constrained") as figure:
        matrix, graph, clusters, near = figure.subplots(1, 4)
        draw_matrix(matrix, look.graph, look.labels)
        matrix.set_title("a  affinity, by cluster", fontsize=9, loc="left")
        _draw_edges(graph, look, "#9aa39e")
        graph.scatter(*look.places.T, s=2, color=INK, linewidths=0, rasterized=many)
        graph.set_title("b  graph of neighbours", fontsize=9, loc="left")
        clusters.scatter(*look.places.T, s=4, color=colours, linewidths=0, rasterized=many)
        clusters.set_title("c  clusters", fontsize=9, loc="left")
        _draw_neighbourhood(near, look)
        near.set_title("d  neighbourhood of an item", fontsize=9, loc="left")
        for axes in (matrix, graph, clusters, near):
            axes.set_xticks([])
            axes.set_yticks([])
        for axes in (graph, clusters, near):
            axes.set_aspect("equal")
            for spine in axes.spines.values():
                spine.set_visible(False)


def _draw_edges(axes: Any, look: ClusterLook, colour: str) -> None:
    from matplotlib.collections import LineCollection

    """Draw what joins each item to its nearest."""
    entries = look.graph.tocoo()
    rows, columns = entries.coords
    strongest = np.lexsort((-entries.data, rows))
    place = np.arange(len(rows)) - look.graph.indptr[rows[strongest]]
    drawn = strongest[place < _EDGES]
    ends = np.stack([look.places[rows[drawn]], look.places[columns[drawn]]], axis=1)
    axes.add_collection(
        LineCollection(
            list(ends), colors=colour, linewidths=0.3, alpha=0.6, rasterized=len(ends) > _MANY
        )
    )


def _draw_neighbourhood(axes: Any, look: ClusterLook) -> None:
    item = int(look.central[0, 0])
    own = look.graph[[item]]
    many = len(look.places) > _MANY
    axes.scatter(*look.places.T, s=2, color="#dfe4e1", linewidths=0, rasterized=many)
    for other, affinity in zip(own.indices, own.data, strict=True):
        ends = look.places[[item, other]].T
        axes.plot(*ends, color=COLOURS[0], linewidth=0.3 + 2 * affinity / own.data.max())
    axes.scatter(*look.places[own.indices].T, s=10, color=COLOURS[0], linewidths=0, zorder=3)
    axes.scatter(*look.places[[item]].T, s=40, color=INK, marker="*", linewidths=0, zorder=4)


def draw_affinity(plan: Plan, folder: Path, path: str | os.PathLike[str], n_jobs: int) -> None:
    """Draw the affinity matrix ordered by cluster."""
    look = look_at_clusters(plan, folder, 0.0, n_jobs=n_jobs)
    plot_affinity(look.graph, look.labels, path, names=look.names)


def _draw_clusters(
    plan: Plan, folder: Path, path: str | os.PathLike[str], n_jobs: int, removed: float
) -> None:
    look = look_at_clusters(plan, folder, removed, n_jobs=n_jobs)
    subject = plan.subject
    sizes = np.bincount(look.labels)
    chosen = np.argsort(-sizes, kind="stable")[:_CLUSTERS]
    with figure_for(path, figsize=(11, 1.5 * len(chosen) + 0.4), layout="constrained") as figure:
        grid = figure.subplots(len(chosen), _SHOWN, squeeze=False)
        for row, cluster in zip(grid, chosen, strict=True):
            own = subject.labels[look.labels == cluster]
            main = np.bincount(own).argmax()
            for axes, item in zip(row, look.central[cluster], strict=False):
                if item < 0:
                    axes.set_axis_off()
                    continue
                wrong = subject.labels[item] != main
                untagged = look.tags.indptr[item] == look.tags.indptr[item + 1]
                frame = RED if wrong else "#7b8580" if untagged else None
                left = tag_names(subject, int(item), look.tags)
                draw_tile(axes, subject, int(item), words=left, frame=frame, dashed=untagged)
            name = f"{look.names[cluster]}\n{sizes[cluster]:,} items"
            row[0].set_ylabel(name[:60], fontsize=6.5, color=INK)
        figure.supxlabel(
            "red: of another class than most of the cluster; dashed: without any tag left",
            fontsize=7,
            color=INK,
        )


def draw_clusters(plan: Plan, folder: Path, path: str | os.PathLike[str], n_jobs: int) -> None:
    """Draw typical items of the largest clusters, with all tags."""
    _draw_clusters(plan, folder, path, n_jobs, 0.0)


def draw_sparse_clusters(
    plan: Plan, folder: Path, path: str | os.PathLike[str], n_jobs: int
) -> None:
    """Draw the same with half of the tags removed."""
    _draw_clusters(plan, folder, path, n_jobs, 0.5)


def draw_completion(plan: Plan, folder: Path, path: str | os.PathLike[str], n_jobs: int) -> None:
    """Draw items with their observed tags, the hidden ones and the first three suggested."""
    look = look_at_completion(plan, folder, n_jobs=n_jobs)
    subject = plan.subject
    truth = subject.collection.truth or subject.collection.tags
    hidden = np.diff(truth.matrix.indptr) - np.diff(look.observed.indptr)
    candidates = np.flatnonzero(hidden > 0)
    items = candidates[_spread(subject.labels[candidates], 8)]
    with figure_for(path, figsize=(11, 3.8), layout="constrained") as figure:
        for axes, item in zip(figure.subplots(2, 4).flat, items, strict=False):
            left, right = axes.inset_axes((0, 0, 0.42, 1)), axes.inset_axes((0.45, 0, 0.55, 1))
            axes.set_axis_off()
            right.set_axis_off()
            draw_tile(left, subject, int(item), words=[])
            left.set_xlabel("")
            _write_tags(right, plan, int(item), look, truth)


def _write_tags(axes: Any, plan: Plan, item: int, look: Any, truth: Any) -> None:
    vocabulary = plan.subject.collection.tags.vocabulary
    observed = tag_names(plan.subject, item, look.observed)
    hidden = [t for t in tag_names(plan.subject, item, truth.matrix) if t not in observed]
    lines = [
        ("Obs", [(t, INK) for t in observed]),
        ("GT", [(t, INK) for t in hidden]),
        ("Pr", [(vocabulary[j], GREEN if vocabulary[j] in hidden else RED)
                for j in look.first[item] if j >= 0]),
    ]  # fmt: skip
    y = 0.96
    for title, tags in lines:
        axes.text(0, y, f"{title}:", fontsize=6.5, weight="bold", va="top", color=INK)
        for tag, colour in tags[:5]:
            weight = "bold" if colour == GREEN else "normal"
            text = tag.replace("$", r"\$")[:28]
            axes.text(0.2, y, text, fontsize=6.5, va="top", color=colour, weight=weight)
            y -= 0.075
        y -= 0.03 if tags else 0.1


PICTURES = (
    Picture("fig-samples", "Items of the collection", "Some of each class, with their tags.",
            draw_samples),
    Picture("fig-pipeline", "The pipeline", "Affinities of the forest, the graph of neighbours,"
            " its clusters, and the neighbourhood of one item.", draw_pipeline),
    Picture("fig-affinity", "Affinity by cluster", "Good clusters are dark blocks on the diagonal.",
            draw_affinity),
    Picture("fig-clusters", "Clusters with all tags", "The most typical items of the largest"
            " clusters.", draw_clusters),
    Picture("fig-clusters-sparse", "Clusters with half of the tags removed",
            "The same after every second tag was taken away at random.", draw_sparse_clusters),
    Picture("fig-completion", "Completed tags", "Observed tags, hidden ones, and the first three"
            " suggested; the right ones are green.", draw_completion),
)  # fmt: skip
