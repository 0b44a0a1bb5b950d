"""Maximum margin clustering: groups that a linear machine parts with the widest margins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from conceptforest.baselines.balanced_start import balanced_start
from conceptforest.baselines.contract import ClusteringBaseline, check_option, check_threads
from conceptforest.baselines.cutting_plane import fit_cutting_planes, nearest_centre_weights
from conceptforest.baselines.margin_alternation import N_COSTS, alternate
from conceptforest.baselines.margin_parameters import check_balance, check_cost, size_bounds
from conceptforest.baselines.margin_rows import MarginRows
from conceptforest.baselines.modes import ONE_VECTOR, check_scale, rows_of_mode
from conceptforest.checks import whole
from conceptforest.progress import progress_bar

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from conceptforest.tags import TagMatrix

__all__ = ["MMC"]

_SOLVERS = ("alternation", "cutting_planes")
_MAX_CUTS = 500
_IMBALANCE = 10.0  # of the sums of values of two clusters, as in the authors' program


class MMC(ClusteringBaseline):
    """Labels and a linear machine of many classes that together have the least loss of margins.

    The objective is that of a support vector machine (Crammer and Singer),

        |W|^2 / 2 + C sum_i max(0, 1 + max_{r != y_i} w_r.x_i - w_{y_i}.x_i)

    with labels y to be found as well. Vectors are taken around their mean, and scaled to a mean
    squared length of 1.

    Parameters
    ----------
    n_clusters : int, default=8
    mode : {"vision", "tags", "scores", "scores_held_out", "concatenated", "balanced"}, \
            default="vision"
        Vectors are features, 0/1 tag rows, scores of tag classifiers, such scores of items that
        the classifiers have not seen, features and tags as one vector, or both with each part
        scaled to a mean squared length of 1, which is the sum of their trace-normalised kernels.
    solver : {"alternation", "cutting_planes"}, default="alternation"
        By turns the best machine for the labels and the best labels for the machine within the
        bounds on sizes, from k-means, for costs that rise to `C`. Or CPM3C: the most violated
        constraints one after the other; its balance is one of mean values, not of sizes.
    C : float, default=1.0
        Cost of a violated margin.
    balance : pair of float, default=(0.9, 1.1)
        The least and the most items of a cluster, as factors of their mean. Used by
        "alternation" alone.
    cmb_scale : {"none", "zscore", "block_trace"}, default="none"
        Scales of features and tags in mode "concatenated": as they are, columns over their
        standard deviations, or each part over the root of its mean squared length.
    n_init : int, default=20
        Restarts of the k-means from which to start.
    max_iter : int, default=50
        Turns at one cost.
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
    >>> MMC(2, random_state=0).fit(X, tags).labels_.tolist()
    [0, 0, 0, 1, 1]
    """

    title = "MMC"
    source = "Xu and others 2004; Zhao, Wang and Zhang 2008 (CPM3C)"
    grade = "faithful"
    modes: ClassVar[tuple[str, ...]] = (*ONE_VECTOR, "balanced")
    objective_: float

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        mode: str = "vision",
        solver: str = "alternation",
        C: float = 1.0,
        balance: tuple[float, float] = (0.9, 1.1),
        cmb_scale: str = "none",
        n_init: int = 20,
        max_iter: int = 50,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.mode = mode
        self.solver = solver
        self.C = C
        self.balance = balance
        self.cmb_scale = cmb_scale
        self.n_init = n_init
        self.max_iter = max_iter
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        check_option("solver", self.solver, _SOLVERS)
        check_cost(self.C)
        check_balance(self.balance)
        check_scale(self.cmb_scale)
        whole("n_init", self.n_init, 1)
        whole("max_iter", self.max_iter, 1)

    def _cluster(self, X: NDArray[Any], tags: TagMatrix, seed: int) -> NDArray[np.int64]:
        both = self.mode == "balanced"
        parts = (X, tags.matrix) if both else rows_of_mode(self, X, tags, seed)
        with threadpool_limits(1):
            rows = MarginRows(parts, each=both)
            start = balanced_start(
                tuple(rows.parts), self.n_clusters, self._bounds(len(X)),
                n_init=self.n_init, seed=seed, n_threads=check_threads(self.n_jobs),
            )  # fmt: skip
            solve = self._alternate if self.solver == "alternation" else self._cut
            labels, self.objective_ = solve(rows, start, seed)
        return labels

    def _bounds(self, n_items: int) -> tuple[int, int]:
        return size_bounds(n_items, self.n_clusters, self.balance)

    def _alternate(
        self, rows: MarginRows, start: NDArray[np.int64], seed: int
    ) -> tuple[NDArray[np.int64], float]:
        with progress_bar("widening margins", N_COSTS, show=self._show) as update:
            found = alternate(
                rows, start, self.n_clusters, self._bounds(rows.n),
                C=self.C, max_iter=self.max_iter, seed=seed, progress=update,
            )  # fmt: skip
        return found.labels, found.objective

    def _cut(
        self, rows: MarginRows, start: NDArray[np.int64], _seed: int
    ) -> tuple[NDArray[np.int64], float]:
        with progress_bar("cutting planes, at most", _MAX_CUTS, show=self._show) as update:
            found = fit_cutting_planes(
                rows, nearest_centre_weights(rows, start, self.n_clusters), C=self.C,
                imbalance=_IMBALANCE, max_cuts=_MAX_CUTS, progress=update,
            )  # fmt: skip
        return found.values.argmax(axis=1), found.objective
