"""The affinity matrix with its items ordered by cluster (a part of the paper's overview figure).

Where the forest gives structure, items of a cluster share leaves with each other and with few else.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from conceptforest.experiments.looks import cluster_run, look_at_clusters
from conceptforest.experiments.pictures import Picture
from conceptforest.report.affinity_plot import plot_affinity

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from conceptforest.experiments.plan import Plan

__all__ = ["PICTURES"]


def draw_affinity(plan: Plan, folder: Path, path: str | os.PathLike[str], n_jobs: int) -> None:
    """Draw the affinity matrix ordered by cluster."""
    look = look_at_clusters(plan, folder, 0.0, n_jobs=n_jobs)
    plot_affinity(look.graph, look.labels, path, names=look.names)


PICTURES = (
    Picture(
        "fig-affinity",
        "Affinity by cluster",
        "Good clusters are dark blocks on the diagonal.",
        draw_affinity,
        partial(cluster_run, removed=0.0),
    ),
)
