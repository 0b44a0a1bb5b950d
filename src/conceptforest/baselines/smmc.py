"""Structural maximum margin clustering, in the spirit of what was published."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from conceptforest.baselines.balanced_start import balanced_start
from conceptforest.baselines.contract import ClusteringBaseline, check_threads
from conceptforest.baselines.margin_alternation import N_COSTS, Alternation, alternate
from conceptforest.baselines.margin_parameters import check_balance, check_cost, size_bounds
from conceptforest.baselines.margin_rows import MarginRows
from conceptforest.checks import whole
from conceptforest.progress import progress_bar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from conceptforest.tags import TagMatrix

__all__ = ["SMMC"]


class SMMC(ClusteringBaseline):
    """Maximum margin clustering by a joint score of cluster, features and tags.

    The score of a cluster y for an item with the features x and the tags h is

        a_y.x + sum_j h_j b_j.x + sum_j h_j g_yj

    Here tags are held to be those observed, so that the middle term is the same for all clusters
    and cancels from every margin: what is left is the clustering of :class:`MMC` in mode
    "balanced", from the same start. :class:`FMMC` uses all three terms.

    Parameters
    ----------
    n_clusters : int, default=8
    mode : {"balanced"}, default="balanced"
        Features and tags, each scaled to a mean squared length of 1.
    C : float, default=1.0
        Cost of a violated margin.
    balance : pair of float, default=(0.9, 1.1)
        The least and the most items of a cluster, as factors of their mean.
    n_init : int, default=20
        Restarts of the k-means from which to start.
    max_iter : int, default=50
        Turns of machine and labels at one cost.
    random_state : int, RandomState instance or None, default=None
    n_jobs : int or None, default=None
        Threads, as in scikit-learn. The labels do not depend on it.
    verbose : int, default=0
        1 shows progress.

    Attributes
    ----------
    labels_ : ndarray of shape (n_items,), int64
        From 0, the largest cluster first.
    objective_ : float
        That of machine and labels.

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1]]
    >>> tags = [{"sea"}, {"sea"}, None, {"snow"}, {"snow"}]
    >>> SMMC(2, random_state=0).fit(X, tags).labels_.tolist()
    [0, 0, 0, 1, 1]
    """

    title = "S-MMC (reimpl.)"
    source = "Vahdat, Zhou and Mori 2014"
    grade = "reimplementation"
    modes: ClassVar[tuple[str, ...]] = ("balanced",)
    objective_: float

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        mode: str = "balanced",
        C: float = 1.0,
        balance: tuple[float, float] = (0.9, 1.1),
        n_init: int = 20,
        max_iter: int = 50,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.mode = mode
        self.C = C
        self.balance = balance
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        check_cost(self.C)
        check_balance(self.balance)
        whole("n_init", self.n_init, 1)
        whole("max_iter", self.max_iter, 1)

    def _cluster(self, X: NDArray[Any], tags: TagMatrix, seed: int) -> NDArray[np.int64]:
        with threadpool_limits(1):
            found = self._grouped(MarginRows((X, tags.matrix), each=True), seed)
        self.objective_ = found.objective
        return found.labels

    def _grouped(
        self, rows: MarginRows, seed: int, labels: NDArray[np.int64] | None = None
    ) -> Alternation:
        """Cluster items, from other labels or else from k-means."""
        bounds = size_bounds(rows.n, self.n_clusters, self.balance)
        if labels is None:
            labels = balanced_start(
                tuple(rows.parts), self.n_clusters, bounds,
                n_init=self.n_init, seed=seed, n_threads=check_threads(self.n_jobs),
            )  # fmt: skip
        with progress_bar("widening margins", N_COSTS, show=self._show) as update:
            return alternate(
                rows, labels, self.n_clusters, bounds,
                C=self.C, max_iter=self.max_iter, seed=seed, progress=update,
            )  # fmt: skip
