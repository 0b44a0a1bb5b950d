"""HDBSCAN, with the smallest size of a cluster that gives the number of clusters asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn import cluster

from conceptforest.baselines.contract import ClusteringBaseline, check_option, check_threads
from conceptforest.baselines.dense_distances import squared_distances
from conceptforest.checks import whole
from conceptforest.progress import progress_bar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from conceptforest.tags import TagMatrix

__all__ = ["HDBSCAN"]

_SIZES = (2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 70, 100)
_SELECTIONS = {"either": ("eom", "leaf"), "eom": ("eom",), "leaf": ("leaf",)}
_LEAST = 1e-9  # in mean distances; the library takes a tree with no edge of length 0
_BLOCK = 512  # rows of distances looked at together


class HDBSCAN(ClusteringBaseline):
    """Clusters that persist over a range of densities, by ``sklearn.cluster.HDBSCAN``.

    The method finds the number of clusters itself. Every smallest size of a cluster on a fixed
    grid (2 to 100) is tried with either way of selecting clusters from the tree, and the one whose
    number is nearest to `n_clusters` is kept: of equally near ones that with least noise. Items
    that are noise, and those of clusters beyond the `n_clusters` largest, are then given to the
    cluster of the nearest item that has one, since the scores know no noise.

    Parameters
    ----------
    n_clusters : int, default=8
    mode : {"vision"}, default="vision"
        Distances of features.
    min_samples : int or None, default=None
        Items, itself among them, that must lie within an item's core distance; None takes the
        smallest size of a cluster, as the library does.
    selection : {"either", "eom", "leaf"}, default="either"
        Clusters are those of the tree with most excess of mass, its leaves, or whichever gives the
        better number.
    random_state : int, RandomState instance or None, default=None
        Taken by every method; nothing is drawn here.
    n_jobs : int or None, default=None
        Threads of the distances, as in scikit-learn. The labels do not depend on it.
    verbose : int, default=0
        1 shows progress.

    Attributes
    ----------
    labels_ : ndarray of shape (n_items,), int64
        From 0, the largest cluster first.
    n_clusters_ : int
        Clusters that were found, perhaps none: then all items are given to one.
    n_noise_ : int
        Items that belonged to none of them.
    min_cluster_size_ : int
        Smallest size that was chosen.
    selection_ : str
        Way of selecting clusters that was chosen.

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1], [9.0]]
    >>> tags = [{"sea"}, {"sea"}, None, {"snow"}, {"snow"}, {"snow"}]
    >>> method = HDBSCAN(2).fit(X, tags)
    >>> method.labels_.tolist(), method.n_clusters_
    ([0, 0, 0, 1, 1, 1], 2)
    """

    title = "HDBSCAN"
    source = "Campello, Moulavi and Sander 2013"
    grade = "exact"
    modes: ClassVar[tuple[str, ...]] = ("vision",)
    n_clusters_: int
    n_noise_: int
    min_cluster_size_: int
    selection_: str

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        mode: str = "vision",
        min_samples: int | None = None,
        selection: str = "either",
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.mode = mode
        self.min_samples = min_samples
        self.selection = selection
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        if self.min_samples is not None:
            whole("min_samples", self.min_samples, 1, " or None")
        check_option("selection", self.selection, tuple(_SELECTIONS))

    def _cluster(self, X: NDArray[Any], tags: TagMatrix, seed: int) -> NDArray[np.int64]:
        del tags, seed
        distances, _ = squared_distances(
            (X,), dtype=np.float64, n_threads=check_threads(self.n_jobs)
        )
        np.sqrt(distances, out=distances)
        best: NDArray[np.int64] = np.full(len(X), -1)
        rank: tuple[float, int] = (np.inf, 0)
        sizes = [size for size in _SIZES if size <= len(X)]
        with progress_bar("HDBSCAN", len(sizes), show=self._show) as update:
            for done, (size, tree) in enumerate(self._trees(distances, sizes), start=1):
                for selection in _SELECTIONS[self.selection]:
                    found = _select(tree, size, selection)
                    near = abs(int(found.max()) + 1 - self.n_clusters), int((found < 0).sum())
                    if near < rank:
                        best, rank = found, near
                        self.min_cluster_size_, self.selection_ = size, selection
                if update:
                    update(done)
        self.n_clusters_, self.n_noise_ = int(best.max()) + 1, int((best < 0).sum())
        return _spread(distances, best, self.n_clusters)

    def _trees(self, distances: NDArray[np.float64], sizes: list[int]) -> Iterator[tuple[int, Any]]:
        """Give the spanning tree of mutual reachability for each smallest size of a cluster."""
        n = len(distances)
        samples = [min(self.min_samples or size, n) for size in sizes]
        cores = np.empty((n, len(sizes)))  # distances to the item's nearest ones, itself the first
        places = np.array(samples) - 1
        for start in range(0, n, _BLOCK):
            rows = slice(start, start + _BLOCK)
            cores[rows] = np.partition(distances[rows], np.unique(places), axis=1)[:, places]
        tree: Any = None
        for number, size in enumerate(sizes):
            if not number or samples[number] != samples[number - 1]:
                tree = _spanning_tree(distances, cores[:, number])
            yield size, tree


def _spanning_tree(distances: NDArray[np.float64], core: NDArray[np.float64]) -> Any:
    """Join all items by the shortest edges, an edge being no shorter than its ends' cores (Prim).

    Gives a csr_array of shape (n_items, n_items), both directions of every edge.
    """
    n = len(distances)
    outside = np.ones(n, dtype=bool)
    reach, source = np.full(n, np.inf), np.zeros(n, dtype=np.int64)
    ends, lengths = np.empty((2, n - 1), dtype=np.int64), np.empty(n - 1)
    newest = 0
    for edge in range(n - 1):
        outside[newest] = False
        reach[newest] = np.inf
        from_newest = np.maximum(distances[newest], core)
        np.maximum(from_newest, core[newest], out=from_newest)
        closer = outside & (from_newest < reach)
        reach[closer] = from_newest[closer]
        source[closer] = newest
        newest = int(reach.argmin())
        ends[:, edge] = source[newest], newest
        lengths[edge] = reach[newest]
    np.maximum(lengths, _LEAST, out=lengths)
    one_way: Any = sparse.csr_array((lengths, (ends[0], ends[1])), shape=(n, n))
    return one_way + one_way.T


def _select(tree: Any, size: int, selection: str) -> NDArray[np.int64]:
    """Give the clusters of the library, -1 for noise.

    It is told to look at no more than one item around each, since the tree already has the core
    distances in it; and of a tree the spanning tree is the tree itself.
    """
    method = cluster.HDBSCAN(
        min_cluster_size=size,
        min_samples=1,
        metric="precomputed",
        algorithm="brute",
        cluster_selection_method=selection,
        copy=True,
    )
    return np.asarray(method.fit(tree).labels_, dtype=np.int64)


def _spread(
    distances: NDArray[np.float64], labels: NDArray[np.int64], n_clusters: int
) -> NDArray[np.int64]:
    """Give all items that are in none of the largest clusters to that of the nearest item."""
    if labels.max() < 0:
        return np.zeros_like(labels)
    sizes = np.bincount(labels[labels >= 0])
    kept = np.argsort(-sizes, kind="stable")[:n_clusters]
    inside = np.isin(labels, kept)
    found, settled = labels.copy(), np.flatnonzero(inside)
    loose = np.flatnonzero(~inside)
    for start in range(0, len(loose), _BLOCK):
        rows = loose[start : start + _BLOCK]
        found[rows] = labels[settled[distances[rows][:, settled].argmin(axis=1)]]
    return found
