"""K-means on features, on tags or on both."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np
from joblib import Parallel, delayed
from scipy import sparse
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from conceptforest.baselines.contract import ClusteringBaseline, check_threads
from conceptforest.baselines.modes import ONE_VECTOR, check_scale, rows_of_mode
from conceptforest.checks import whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conceptforest.tags import TagMatrix

__all__ = ["KMeans"]


class KMeans(ClusteringBaseline):
    """Lloyd's k-means from greedy k-means++ starts, the best of several.

    Features stay dense and tags sparse: concatenated vectors are never written out.

    Parameters
    ----------
    n_clusters : int, default=8
    mode : {"vision", "tags", "scores", "scores_held_out", "concatenated"}, default="vision"
        Points are features, 0/1 tag rows, scores of tag classifiers, such scores of items that the
        classifiers have not seen, or features and tags as one vector.
    cmb_scale : {"none", "zscore", "block_trace"}, default="none"
        Scales of features and tags in mode "concatenated": as they are, columns over their
        standard deviations, or each part over the root of its mean squared length.
    n_init : int, default=20
        Restarts.
    max_iter : int, default=300
        Iterations of a restart; it ends sooner when no label changes.
    random_state : int, RandomState instance or None, default=None
    n_jobs : int or None, default=None
        Threads, as in scikit-learn. The labels do not depend on it.
    verbose : int, default=0
        1 shows progress.

    Attributes
    ----------
    labels_ : ndarray of shape (n_items,), int64
        From 0, the largest cluster first.
    inertia_ : float
        Sum of squared distances to the centres.

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1]]
    >>> tags = [{"sea"}, {"sea"}, None, {"snow"}, {"snow"}]
    >>> KMeans(2, random_state=0).fit(X, tags).labels_.tolist()
    [0, 0, 0, 1, 1]
    """

    title = "K-means"
    source = "MacQueen 1967, Lloyd 1982; starts by Arthur and Vassilvitskii 2007"
    grade = "exact"
    modes: ClassVar[tuple[str, ...]] = ONE_VECTOR
    inertia_: float

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        mode: str = "vision",
        cmb_scale: str = "none",
        n_init: int = 20,
        max_iter: int = 300,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.mode = mode
        self.cmb_scale = cmb_scale
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        check_scale(self.cmb_scale)
        whole("n_init", self.n_init, 1)
        whole("max_iter", self.max_iter, 1)
        check_threads(self.n_jobs)

    def _cluster(self, X: NDArray[Any], tags: TagMatrix, seed: int) -> NDArray[np.int64]:
        points = Points(rows_of_mode(self, X, tags, seed))
        seeds = np.random.SeedSequence(seed).spawn(self.n_init)
        with threadpool_limits(1):
            runs = Parallel(n_jobs=check_threads(self.n_jobs), prefer="threads")(
                delayed(_restart)(points, self.n_clusters, self.max_iter, one) for one in seeds
            )
        best = min(runs, key=lambda run: run.inertia)
        self.inertia_ = best.inertia
        return np.asarray(best.labels)


class _Run(NamedTuple):
    labels: NDArray[np.int64]
    inertia: float


class Points:
    """Points whose coordinates are in several parts, dense or sparse, side by side.

    Centres are lists with one dense array of shape (n_centres, width) per part.
    """

    def __init__(self, parts: tuple[Any, ...]) -> None:
        self.parts = [_open(part) for part in parts]
        self.n = int(self.parts[0].shape[0])
        self.squares = sum(_squared_lengths(part) for part in self.parts)

    def take(self, rows: NDArray[np.int64]) -> list[NDArray[Any]]:
        """Give points as centres."""
        return [_dense(part[rows]) for part in self.parts]

    def to_centres(self, centres: list[NDArray[Any]]) -> NDArray[np.float64]:
        """Give squared distances to centres, shape (n, n_centres)."""
        found = np.zeros((self.n, len(centres[0])))
        other = np.zeros(len(centres[0]))
        for part, centre in zip(self.parts, centres, strict=True):
            found -= 2 * (part @ centre.T)
            other += _squared_lengths(centre)
        found += other
        found += np.asarray(self.squares)[:, None]
        return np.maximum(found, 0.0, out=found)

    def means(self, labels: NDArray[np.int64], n_clusters: int) -> list[NDArray[Any]]:
        """Give the mean of the points with each label; the origin for labels without points."""
        sizes = np.maximum(np.bincount(labels, minlength=n_clusters), 1)
        shape = (n_clusters, self.n)
        members: Any = sparse.csr_array((np.ones(self.n), (labels, np.arange(self.n))), shape=shape)
        sums = [members.astype(part.dtype) @ part for part in self.parts]
        return [_dense(total) / sizes[:, None].astype(total.dtype) for total in sums]


def _restart(points: Points, n_clusters: int, max_iter: int, seed: np.random.SeedSequence) -> _Run:
    """Run k-means once."""
    centres = points.take(spread(points, n_clusters, np.random.default_rng(seed)))
    return lloyd(points, centres, max_iter)


def lloyd(points: Points, centres: list[NDArray[Any]], max_iter: int) -> _Run:
    """Move each centre to the mean of its nearest points until no point changes sides."""
    n_clusters = len(centres[0])
    labels = np.full(points.n, -1, dtype=np.int64)
    for _ in range(max_iter):
        squares = points.to_centres(centres)
        nearest = squares.argmin(axis=1)
        if np.array_equal(nearest, labels):
            break
        labels = nearest
        _fill_empty(labels, squares, n_clusters)
        centres = points.means(labels, n_clusters)
    squares = points.to_centres(centres)
    labels = squares.argmin(axis=1)
    return _Run(labels, float(squares.min(axis=1).sum()))


def _fill_empty(labels: NDArray[np.int64], squares: NDArray[np.float64], n_clusters: int) -> None:
    """Give each empty cluster the point that is farthest from its centre, in place."""
    empty = np.flatnonzero(np.bincount(labels, minlength=n_clusters) == 0)
    if len(empty):
        away = squares[np.arange(len(labels)), labels]
        farthest = np.argsort(-away, kind="stable")[: len(empty)]
        farthest = farthest[away[farthest] > 0]  # where all points sit on centres, none moves
        labels[farthest] = empty[: len(farthest)]


def spread(points: Points, n_clusters: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """Choose points to start from by greedy k-means++.

    Each next one is the best of a few drawn with chances by their squared distance to those
    chosen so far.
    """
    n_trials = 2 + int(np.log(n_clusters))
    chosen = [int(rng.integers(points.n))]
    nearest = points.to_centres(points.take(np.array(chosen)))[:, 0]
    while len(chosen) < n_clusters:
        sums = np.cumsum(nearest)
        if sums[-1] > 0:
            drawn = np.searchsorted(sums, rng.random(n_trials) * sums[-1], side="right")
            drawn = np.minimum(drawn, points.n - 1)
        else:  # all points are doubles of those chosen
            drawn = rng.integers(points.n, size=n_trials)
        tried = np.minimum(nearest[:, None], points.to_centres(points.take(drawn)))
        best = int(tried.sum(axis=0).argmin())
        chosen.append(int(drawn[best]))
        nearest = tried[:, best]
    return np.array(chosen)


def _open(part: Any) -> Any:
    """Give sparse parts as floats, and dense ones as floats around their mean."""
    if not isinstance(part, np.ndarray):
        return part.astype(np.float64)
    dtype = np.result_type(part.dtype, np.float32)
    return (part - part.mean(axis=0, dtype=np.float64).astype(dtype)).astype(dtype, copy=False)


def _dense(rows: Any) -> NDArray[Any]:
    return rows if isinstance(rows, np.ndarray) else np.asarray(rows.toarray())


def _squared_lengths(rows: Any) -> NDArray[np.float64]:
    if not isinstance(rows, np.ndarray):
        return np.asarray(rows.multiply(rows).sum(axis=1), dtype=np.float64).ravel()
    return np.asarray(np.einsum("ij,ij->i", rows, rows, dtype=np.float64))
