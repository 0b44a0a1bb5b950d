"""The pipeline on this collection (the paper's overview figure).

From the leaves that items share to their affinities; from these to the graph of nearest neighbours
and its spectral clusters, the global structure; and to the neighbourhood of a single item, the
local structure that completes its tags.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest.experiments.figures import COLOURS, INK
from conceptforest.experiments.looks import cluster_run, look_at_clusters
from conceptforest.experiments.pictures import Picture
from conceptforest.report.affinity_plot import draw_affinity as draw_matrix
from conceptforest.report.figure_file import figure_for

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from conceptforest.experiments.looks import ClusterLook
    from conceptforest.experiments.plan import Plan

__all__ = ["PICTURES"]

_EDGES = 2  # of each item that are drawn
_MANY = 1000  # dots or lines, that are pixels in vector figures too


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
    """Draw what joins each item to its nearest."""
    from matplotlib.collections import LineCollection

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


PICTURES = (
    Picture(
        "fig-pipeline",
        "The pipeline",
        "Affinities of the forest, the graph of neighbours, its clusters, and the neighbourhood of"
        " one item.",
        draw_pipeline,
        partial(cluster_run, removed=0.0),
    ),
)
