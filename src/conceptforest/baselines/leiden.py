"""Communities of the graph of items, at the resolution that gives the number asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from conceptforest.baselines.communities import leiden
from conceptforest.baselines.contract import ClusteringBaseline, check_threads
from conceptforest.checks import whole
from conceptforest.progress import progress_bar
from conceptforest.structure.cosine_graph import cosine_graph
from conceptforest.structure.graph import normalise
from conceptforest.structure.visual_neighbours import nearest_items

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conceptforest.tags import TagMatrix

__all__ = ["Leiden"]

_STEP = 4.0  # between resolutions until they lie on both sides of the number asked for


class Leiden(ClusteringBaseline):
    """Well-connected communities of highest modularity, by a search for the resolution.

    The Leiden algorithm finds the number of communities itself, the larger the higher the
    resolution. Up to `max_probes` resolutions are tried, by bisection on a logarithmic scale, and
    the partition whose number is nearest to `n_clusters` is kept: of two equally near ones that
    with more communities. If there are too many, the smallest is joined to the one that it shares
    most weight of edges with, or if it shares none to that of its nearest item, until there are
    `n_clusters`; too few stay too few.

    Parameters
    ----------
    n_clusters : int, default=8
    mode : {"vision", "balanced"}, default="vision"
        The graph joins each item to its nearest by the cosine of features; or it is the mean of
        that and of the same of tags, both normalised by their degrees.
    n_neighbors : int, default=20
        Nearest items that each is joined to. One that is joined to none gets the community of the
        nearest item by features.
    n_iterations : int, default=2
        Runs of the algorithm, each beginning with what the last one found.
    max_probes : int, default=20
    random_state : int, RandomState instance or None, default=None
        Chooses among equal cosines, and the order in which items are looked at.
    n_jobs : int or None, default=None
        Threads of the search for neighbours, as in scikit-learn. The labels do not depend on it.
    verbose : int, default=0
        1 shows progress.

    Attributes
    ----------
    labels_ : ndarray of shape (n_items,), int64
        From 0, the largest cluster first.
    n_clusters_ : int
        Communities that were found; more than `n_clusters` were joined.
    resolution_ : float
        At which they were found.

    Examples
    --------
    >>> X = [[1.0, 0.0], [1.0, 0.1], [1.0, 0.2], [0.0, 1.0], [0.1, 1.0]]
    >>> tags = [{"sea"}, {"sea"}, None, {"snow"}, {"snow"}]
    >>> Leiden(2, n_neighbors=1, random_state=0).fit(X, tags).labels_.tolist()
    [0, 0, 0, 1, 1]
    """

    title = "Leiden"
    source = "Traag, Waltman and van Eck 2019"
    grade = "exact"
    modes: ClassVar[tuple[str, ...]] = ("vision", "balanced")
    n_clusters_: int
    resolution_: float

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        mode: str = "vision",
        n_neighbors: int = 20,
        n_iterations: int = 2,
        max_probes: int = 20,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.mode = mode
        self.n_neighbors = n_neighbors
        self.n_iterations = n_iterations
        self.max_probes = max_probes
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        for name in ("n_neighbors", "n_iterations", "max_probes"):
            whole(name, getattr(self, name), 1)

    def _cluster(self, X: NDArray[Any], tags: TagMatrix, seed: int) -> NDArray[np.int64]:
        graph = self._graph(X, tags, seed)
        joined = np.flatnonzero(np.diff(graph.indptr))
        labels = np.zeros(len(X), dtype=np.int64)
        if not len(joined):
            self.n_clusters_, self.resolution_ = 1, 0.0
            return labels
        graph = graph[joined][:, joined]
        found = self._search(graph, seed)
        labels[joined] = _join(graph, X[joined], found, self.n_clusters)
        loose = np.setdiff1d(np.arange(len(X)), joined)
        if len(loose):
            nearest, _ = nearest_items(X[loose], X[joined], 1, seed=seed)
            labels[loose] = labels[joined[nearest[:, 0]]]
        return labels

    def _graph(self, X: NDArray[Any], tags: TagMatrix, seed: int) -> Any:
        """Join the items to their nearest."""
        with threadpool_limits(check_threads(self.n_jobs)):  # neighbours are exact
            graph = cosine_graph(X, self.n_neighbors, seed=seed)
            if self.mode == "vision":
                return graph
            other = cosine_graph(tags.matrix, self.n_neighbors, seed=seed + 1)
        return sparse.csr_array((normalise(graph) + normalise(other)) / 2)

    def _search(self, graph: Any, seed: int) -> NDArray[np.int64]:
        """Give the communities at the resolution with the best number of them."""
        resolution, few, many = 1.0, 0.0, np.inf  # with at most and with more than `n_clusters`
        tried: list[tuple[float, NDArray[np.int64]]] = []
        with progress_bar("communities", self.max_probes, show=self._show) as update:
            for done in range(1, self.max_probes + 1):
                labels = leiden(graph, resolution, n_iterations=self.n_iterations, seed=seed)
                tried.append((resolution, labels))
                excess = int(labels.max()) + 1 - self.n_clusters
                if update:
                    update(done if excess else self.max_probes)
                if not excess:
                    break
                if excess < 0:
                    few = resolution
                    resolution = few * (_STEP if many == np.inf else (many / few) ** 0.5)
                else:
                    many = resolution
                    resolution = many / (_STEP if few == 0 else (many / few) ** 0.5)
        self.resolution_, best = min(tried, key=lambda one: self._rank(one[1]))
        self.n_clusters_ = int(best.max()) + 1
        return best

    def _rank(self, labels: NDArray[np.int64]) -> tuple[int, int]:
        count = int(labels.max()) + 1
        return abs(count - self.n_clusters), -count


def _join(
    graph: Any, X: NDArray[Any], labels: NDArray[np.int64], n_clusters: int
) -> NDArray[np.int64]:
    """Join the smallest communities to others until there are no more than `n_clusters`."""
    count = int(labels.max()) + 1
    into, sizes = np.arange(count), np.bincount(labels)
    members: Any = sparse.csr_array((np.ones(len(labels)), (labels, np.arange(len(labels)))))
    weights = (members @ graph @ members.T).toarray()
    np.fill_diagonal(weights, 0.0)
    for _ in range(count - n_clusters):
        left = np.unique(into)
        smallest = left[sizes[left].argmin()]
        others = left[left != smallest]
        kept = others[weights[smallest, others].argmax()]
        if weights[smallest, kept] == 0:
            kept = _nearest(X, into[labels], smallest)
        into[into == smallest] = kept
        sizes[kept] += sizes[smallest]
        weights[kept] += weights[smallest]
        weights[:, kept] = weights[kept]
        weights[kept, kept] = 0.0
    return np.asarray(into[labels])


def _nearest(X: NDArray[Any], labels: NDArray[np.int64], which: int) -> int:
    """Give the cluster of the item that is nearest to any of one cluster."""
    inside, outside = np.flatnonzero(labels == which), np.flatnonzero(labels != which)
    indices, distances = nearest_items(X[inside], X[outside], 1)
    return int(labels[outside[indices[distances.argmin(), 0]]])
