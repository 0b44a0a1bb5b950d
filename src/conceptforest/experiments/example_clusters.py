"""Example clusters, with all tags and with half of them removed (two figures of the paper).

The most typical items of the largest clusters, with the tags that the model saw. Those that are not
of the class of most of the cluster have a red frame, those without any tag a dashed one.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from conceptforest.experiments.figures import INK
from conceptforest.experiments.looks import cluster_run, look_at_clusters
from conceptforest.experiments.pictures import Picture
from conceptforest.experiments.tiles import RED, draw_tile, tag_names
from conceptforest.report.figure_file import figure_for

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from conceptforest.experiments.plan import Plan

__all__ = ["PICTURES"]

_CLUSTERS = 5
_SHOWN = 8  # items of a cluster


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


PICTURES = (
    Picture(
        "fig-clusters",
        "Clusters with all tags",
        "The most typical items of the largest clusters.",
        draw_clusters,
        partial(cluster_run, removed=0.0),
    ),
    Picture(
        "fig-clusters-sparse",
        "Clusters with half of the tags removed",
        "The same after every second tag was taken away at random.",
        draw_sparse_clusters,
        partial(cluster_run, removed=0.5),
    ),
)
