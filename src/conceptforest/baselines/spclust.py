"""Spectral clustering (Ng, Jordan and Weiss) of a graph of nearest items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from conceptforest.baselines.contract import (
    ClusteringBaseline,
    check_option,
    check_scale,
    check_threads,
    side_by_side,
)
from conceptforest.baselines.gaussian_graph import gaussian_graph
from conceptforest.checks import whole
from conceptforest.structure.cosine_graph import cosine_graph
from conceptforest.structure.graph import normalise
from conceptforest.structure.k_means import k_means
from conceptforest.structure.spectral import embed, leading_vectors, unit_rows
from conceptforest.structure.visual_neighbours import nearest_items

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conceptforest.tags import TagMatrix

__all__ = ["SpClust"]

_GRAPHS = {"gaussian": gaussian_graph, "cosine": cosine_graph}


class SpClust(ClusteringBaseline):
    """Spectral clustering of features, of tags or of both.

    Items are joined to their nearest, the leading eigenvectors of the normalised graph are scaled
    to unit rows, and these are clustered by k-means.

    Parameters
    ----------
    n_clusters : int, default=8
    mode : {"vision", "tags", "concatenated", "balanced"}, default="vision"
        Distances of features; of 0/1 tag rows; of both as one vector; or the mean of the
        normalised graphs of features and of tags.
    cmb_scale : {"none", "zscore", "block_trace"}, default="none"
        Scales of features and tags in mode "concatenated": as they are, columns over their
        standard deviations, or each part over the root of its mean squared length.
    affinity : {"gaussian", "cosine"}, default="gaussian"
        Gaussian of the distance with a scale for each item, or the cosine. By the cosine an item
        without tags is joined to none; by the Gaussian all such items are joined to each other.
    n_neighbors : int, default=20
        Nearest items that each is joined to.
    n_init : int, default=20
        Restarts of k-means.
    random_state : int, RandomState instance or None, default=None
        Chooses among equal distances and starts k-means.
    n_jobs : int or None, default=None
        Threads, as in scikit-learn. The labels do not depend on it.

    Attributes
    ----------
    labels_ : ndarray of shape (n_items,), int64
        From 0, the largest cluster first.

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1]]
    >>> tags = [{"sea"}, {"sea"}, None, {"snow"}, {"snow"}]
    >>> SpClust(2, n_neighbors=1, random_state=0).fit(X, tags).labels_.tolist()
    [0, 0, 0, 1, 1]
    """

    modes: ClassVar[tuple[str, ...]] = ("vision", "tags", "concatenated", "balanced")

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        mode: str = "vision",
        cmb_scale: str = "none",
        affinity: str = "gaussian",
        n_neighbors: int = 20,
        n_init: int = 20,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.mode = mode
        self.cmb_scale = cmb_scale
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        check_scale(self.cmb_scale)
        check_option("affinity", self.affinity, tuple(_GRAPHS))
        whole("n_neighbors", self.n_neighbors, 1)
        whole("n_init", self.n_init, 1)
        check_threads(self.n_jobs)

    def _cluster(self, X: NDArray[Any], tags: TagMatrix, seed: int) -> NDArray[np.int64]:
        n_threads = check_threads(self.n_jobs)
        with threadpool_limits(n_threads):  # neighbours are exact, so their number is free
            graphs = [
                _GRAPHS[self.affinity](rows, self.n_neighbors, seed=seed + place)
                for place, rows in enumerate(self._views(X, tags))
            ]
        rows, left_out = self._embed(graphs)
        inside = np.flatnonzero(~left_out)
        labels = np.empty(len(X), dtype=np.int64)
        labels[inside] = k_means(
            rows[inside], self.n_clusters, n_init=self.n_init, seed=seed, n_threads=n_threads
        ).labels
        if left_out.any():
            nearest, _ = nearest_items(X[left_out], X[inside], 1, seed=seed)
            labels[left_out] = labels[inside][nearest[:, 0]]
        return labels

    def _views(self, X: NDArray[Any], tags: TagMatrix) -> list[Any]:
        """Give the rows of which graphs are made."""
        if self.mode == "concatenated":
            return [side_by_side(X, tags, self.cmb_scale)]
        views: dict[str, list[Any]] = {
            "vision": [X],
            "tags": [tags.matrix],
            "balanced": [X, tags.matrix],
        }
        return views[self.mode]

    def _embed(self, graphs: list[Any]) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Give a point for each item, and which items have none."""
        if len(graphs) == 1:
            embedding = embed(graphs[0], self.n_clusters)
            return embedding.rows, embedding.left_out
        mean = sum(normalise(graph) for graph in graphs) / len(graphs)
        _, vectors = leading_vectors(mean.tocsr(), self.n_clusters)
        return unit_rows(vectors), np.diff(mean.indptr) == 0
