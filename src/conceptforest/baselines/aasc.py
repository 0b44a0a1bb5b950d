"""Spectral clustering of several graphs whose weights are learned along with the embedding."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy.optimize import brentq
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from conceptforest.baselines.contract import ClusteringBaseline, check_option, check_threads
from conceptforest.baselines.gaussian_graph import gaussian_graphs
from conceptforest.checks import whole
from conceptforest.progress import progress_bar, working
from conceptforest.structure.graph import degrees, normalise
from conceptforest.structure.k_means import k_means
from conceptforest.structure.spectral import leading_vectors, unit_rows
from conceptforest.structure.visual_neighbours import nearest_items

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from conceptforest.tags import TagMatrix

__all__ = ["AASC", "better_weights"]

_BANDWIDTHS = {"pair": (1.0,), "multi": (0.25, 0.5, 1.0, 2.0, 4.0)}
_STILL = 1e-5  # change of the second eigenvector at which the alternation ends
_EQUAL = 1e-10  # cuts (from 0 to 2) that differ by less differ by rounding
_DOUBLINGS = 100


class AASC(ClusteringBaseline):
    """Affinity aggregation for spectral clustering.

    Graphs of features and of tags are added with squared weights. In turn, the second eigenvector
    of the sum is found for given weights, and weights that make its cut cheaper for a given
    eigenvector. The eigenvectors of the last sum are clustered by k-means.

    Parameters
    ----------
    n_clusters : int, default=8
    mode : {"balanced"}, default="balanced"
        Both features and tags, each in its own right.
    kernels : {"pair", "multi"}, default="pair"
        One graph of features and one of tags, or of each one for 0.25, 0.5, 1, 2 and 4 times the
        bandwidth (that of `gaussian_graph`). Of two graphs the weights hardly move: see the notes.
    unit_rows : bool, default=False
        Scale the rows of the eigenvectors to length 1 before k-means, as `SpClust` does and the
        authors do not.
    n_neighbors : int, default=20
        Nearest items that each is joined to.
    n_init : int, default=50
        Restarts of k-means.
    max_iter : int, default=20
        Rounds of the alternation.
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
    weights_ : ndarray of shape (n_graphs,)
        Not negative, with the sum 1: first the graphs of features, then those of tags, each by
        ascending bandwidth.
    n_iter_ : int
        Rounds that were run.

    Notes
    -----
    Two weights must meet two constraints, which at most two points do. One of them is where the
    weights are, so they can only stay or jump to the other one.

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [5.3]]
    >>> tags = [{"sea"}, {"sea"}, {"sea"}, {"snow"}, {"snow"}, {"snow"}]
    >>> AASC(2, n_neighbors=2, random_state=0).fit(X, tags).labels_.tolist()
    [0, 0, 0, 1, 1, 1]
    """

    title = "AASC"
    source = "Huang, Chuang and Chen 2012"
    grade = "exact"
    variants: ClassVar[Mapping[str, Mapping[str, Any]]] = {
        "multi": {"kernels": "multi"},
        "unit rows": {"unit_rows": True},
    }
    modes: ClassVar[tuple[str, ...]] = ("balanced",)
    weights_: NDArray[np.float64]
    n_iter_: int

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        mode: str = "balanced",
        kernels: str = "pair",
        unit_rows: bool = False,
        n_neighbors: int = 20,
        n_init: int = 50,
        max_iter: int = 20,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.mode = mode
        self.kernels = kernels
        self.unit_rows = unit_rows
        self.n_neighbors = n_neighbors
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        check_option("kernels", self.kernels, tuple(_BANDWIDTHS))
        whole("n_neighbors", self.n_neighbors, 1)
        whole("n_init", self.n_init, 1)
        whole("max_iter", self.max_iter, 1)

    def _cluster(self, X: NDArray[Any], tags: TagMatrix, seed: int) -> NDArray[np.int64]:
        n_threads = check_threads(self.n_jobs)
        # Neighbours are exact, so their number of threads is free.
        with threadpool_limits(n_threads), working("graphs", show=self._show):
            graphs = [
                graph
                for place, rows in enumerate((X, tags.matrix))
                for graph in gaussian_graphs(
                    rows,
                    self.n_neighbors,
                    bandwidths=_BANDWIDTHS[self.kernels],
                    seed=seed + place,
                )
            ]
        self.weights_ = self._learn_weights(graphs)
        with working("clusters", show=self._show):
            rows = eigenvectors(aggregate(graphs, self.weights_), self.n_clusters)
            rows = unit_rows(rows) if self.unit_rows else rows
            joined = np.flatnonzero(rows.any(axis=1))
            labels = np.empty(len(X), dtype=np.int64)
            labels[joined] = k_means(
                rows[joined], self.n_clusters, n_init=self.n_init, seed=seed, n_threads=n_threads
            ).labels
        alone = np.setdiff1d(np.arange(len(X)), joined)
        if len(alone):
            nearest, _ = nearest_items(X[alone], X[joined], 1, seed=seed)
            labels[alone] = labels[joined][nearest[:, 0]]
        return labels

    def _learn_weights(self, graphs: Sequence[Any]) -> NDArray[np.float64]:
        """Alternate between the eigenvector and the weights."""
        weights = np.full(len(graphs), 1 / len(graphs))
        before: NDArray[np.float64] | None = None
        self.n_iter_ = 0
        with progress_bar("weights of graphs", self.max_iter, show=self._show) as update:
            while self.n_iter_ < self.max_iter:
                self.n_iter_ += 1
                vector = eigenvectors(aggregate(graphs, weights), 2)[:, 1]
                if before is not None and ((abs(vector) - before) ** 2).sum() < _STILL:
                    break
                before = abs(vector)
                weights = better_weights(*_cuts(graphs, vector), weights)
                if update:
                    update(self.n_iter_)
        return weights


def aggregate(graphs: Sequence[Any], weights: NDArray[np.float64]) -> Any:
    """Add up graphs times their squared weights."""
    return sum(weight**2 * graph for graph, weight in zip(graphs, weights, strict=True)).tocsr()


def eigenvectors(graph: Any, n_vectors: int) -> NDArray[np.float64]:
    """Give the smallest eigenvectors f of L f = lambda D f with f' D f = 1, smallest first.

    Rows of items without affinities are 0.
    """
    degree = degrees(graph)
    scale = np.divide(1.0, np.sqrt(degree), out=np.zeros_like(degree), where=degree > 0)
    return np.asarray(leading_vectors(normalise(graph), n_vectors)[1] * scale[:, None])


def _cuts(
    graphs: Sequence[Any], vector: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give the volume f' D f and the cut f' L f of a vector in each graph."""
    volumes = np.array([degrees(graph) @ vector**2 for graph in graphs])
    inside = np.array([vector @ (graph @ vector) for graph in graphs])
    return volumes, volumes - inside


def better_weights(
    volumes: NDArray[np.float64], cuts: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Give the weights that make the cut of an eigenvector cheapest.

    They minimise ``sum(cuts * v**2)`` where ``sum(v) == 1`` and ``sum(volumes * v**2) == 1``. With
    g = cuts / volumes, every such minimum has the form

        v_k = b / (volumes_k * (g_k - a))

    for some a. Between two of the g the factors differ in sign, so only an a below all of them or
    above all of them gives weights that are not negative; and on either side there is at most one.

    Parameters
    ----------
    volumes, cuts : ndarray of shape (n_graphs,)
        Of the current eigenvector in each graph.
    weights : ndarray of shape (n_graphs,)
        The current ones, which meet the constraints. They stay if nothing is better.

    Returns
    -------
    ndarray of shape (n_graphs,)

    Examples
    --------
    >>> better_weights(np.array([2.2, 1.8]), np.array([0.9, 0.1]), np.array([0.5, 0.5])).round(3)
    array([0.4, 0.6])
    """
    volumes = np.maximum(volumes, np.finfo(np.float64).tiny)
    shares = cuts / volumes
    below, above = (_meet(volumes, away) for away in (shares - shares.min(), shares.max() - shares))
    found = [weights, *(one for one in (below, above) if one is not None)]
    return min(found, key=lambda v: float(cuts @ v**2))


def _meet(volumes: NDArray[np.float64], away: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Find s so that v_k = b / (volumes_k * (1 + s * away_k)) with the sum 1 meets the constraint.

    From s = 0 on, where ``sum(volumes * v**2)`` is the least possible, it grows with s.
    """
    if away.max() <= _EQUAL:
        return None
    away = away / away.max()

    def at(s: float) -> NDArray[np.float64]:
        v = 1 / (volumes * (1 + s * away))
        return np.asarray(v / v.sum())

    def excess(s: float) -> float:
        return float(volumes @ at(s) ** 2) - 1

    high = 1.0
    for _ in range(_DOUBLINGS):
        if excess(high) >= 0:
            break
        high *= 2
    if excess(0.0) > 0 or excess(high) < 0:
        return None
    return at(float(brentq(excess, 0.0, high, xtol=1e-300, rtol=1e-15)))
