"""Spectral clustering (Ng, Jordan and Weiss) of a graph of nearest items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from conceptforest.baselines.contract import ClusteringBaseline, check_option, check_threads
from conceptforest.baselines.gaussian_graph import gaussian_graph
from conceptforest.baselines.modes import ONE_VECTOR, check_scale, rows_of_mode
from conceptforest.baselines.spectral_cut import cut_graphs
from conceptforest.checks import whole
from conceptforest.structure.cosine_graph import cosine_graph

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
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
    mode : {"vision", "tags", "scores", "scores_held_out", "concatenated", "balanced"}, \
            default="vision"
        Distances of features; of 0/1 tag rows; of scores of tag classifiers; of such scores of
        items that the classifiers have not seen; of features and tags as one vector; or the mean
        of the normalised graphs of features and of tags.
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
    verbose : int, default=0
        1 shows progress.

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

    title = "SpClust"
    source = "Ng, Jordan and Weiss 2001"
    grade = "exact"
    variants: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "cosine": {"affinity": "cosine"},
        "z-scored": {"mode": "concatenated", "cmb_scale": "zscore"},
    }
    modes: ClassVar[tuple[str, ...]] = (*ONE_VECTOR, "balanced")

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
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.mode = mode
        self.cmb_scale = cmb_scale
        self.affinity = affinity
        self.n_neighbors = n_neighbors
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        check_scale(self.cmb_scale)
        check_option("affinity", self.affinity, tuple(_GRAPHS))
        whole("n_neighbors", self.n_neighbors, 1)
        whole("n_init", self.n_init, 1)
        check_threads(self.n_jobs)

    def _cluster(self, X: NDArray[Any], tags: TagMatrix, seed: int) -> NDArray[np.int64]:
        n_threads = check_threads(self.n_jobs)
        views = [X, tags.matrix] if self.mode == "balanced" else [rows_of_mode(self, X, tags, seed)]
        with threadpool_limits(n_threads):  # neighbours are exact, so their number is free
            graphs = [
                _GRAPHS[self.affinity](rows, self.n_neighbors, seed=seed + place)
                for place, rows in enumerate(views)
            ]
        return cut_graphs(
            graphs, X, self.n_clusters, n_init=self.n_init, seed=seed, n_threads=n_threads
        )
