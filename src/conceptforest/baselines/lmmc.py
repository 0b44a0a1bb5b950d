"""Latent maximum margin clustering: each cluster sees the tags that suit it best."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from conceptforest.baselines.balanced_assignment import balanced_assignment
from conceptforest.baselines.balanced_start import balanced_start
from conceptforest.baselines.contract import ClusteringBaseline, check_threads
from conceptforest.baselines.latent_margins import LatentMargins, pairwise_losses
from conceptforest.baselines.margin_alternation import N_COSTS, SETTLED
from conceptforest.baselines.margin_parameters import check_balance, check_cost, size_bounds
from conceptforest.baselines.modes import rows_of_mode
from conceptforest.checks import whole
from conceptforest.progress import progress_bar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conceptforest.tags import TagMatrix

__all__ = ["LMMC"]


class LMMC(ClusteringBaseline):
    """Maximum margin clustering of scores of tags, whose presence is latent.

    A cluster t has a slope a_tj and a shift b_tj for each tag j. Its value for an item with the
    scores s_j counts the tags that raise it, ``f_t = sum_j max(0, a_tj s_j + b_tj)``, and

        |a, b|^2 / 2 + C / p sum_i sum_{r != y_i} max(0, 1 - f_{y_i} + f_r)

    is lowered over slopes and shifts and over the labels y in turn, from k-means, for costs that
    rise to `C`.

    Parameters
    ----------
    n_clusters : int, default=8
    mode : {"scores", "scores_held_out"}, default="scores"
        Scores of tag classifiers, or such scores of items that the classifiers have not seen.
    C : float, default=1.0
        Cost of a violated margin.
    balance : pair of float, default=(0.9, 1.1)
        The least and the most items of a cluster, as factors of their mean.
    n_init : int, default=20
        Restarts of the k-means from which to start.
    max_iter : int, default=5
        Turns at one cost.
    n_steps : int, default=20
        Quasi-Newton steps in a turn.
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
        That of weights and labels.
    falls_ : list of list of float
        The objective after each step, of weights or of labels, a list for each cost. None of them
        ever rises.

    Examples
    --------
    >>> X = np.repeat(np.eye(2), 8, axis=0)
    >>> tags = [{"sea"}] * 8 + [{"snow"}] * 8
    >>> LMMC(2, random_state=0).fit(X, tags).labels_.tolist()
    [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]
    """

    title = "L-MMC"
    source = "Zhou and others 2013"
    grade = "structure"
    modes: ClassVar[tuple[str, ...]] = ("scores", "scores_held_out")
    objective_: float
    falls_: list[list[float]]

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        mode: str = "scores",
        C: float = 1.0,
        balance: tuple[float, float] = (0.9, 1.1),
        n_init: int = 20,
        max_iter: int = 5,
        n_steps: int = 20,
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
        self.n_steps = n_steps
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        check_cost(self.C)
        check_balance(self.balance)
        whole("n_init", self.n_init, 1)
        whole("max_iter", self.max_iter, 1)
        whole("n_steps", self.n_steps, 1)

    def _cluster(self, X: NDArray[Any], tags: TagMatrix, seed: int) -> NDArray[np.int64]:
        scores, *rest = rows_of_mode(self, X, tags, seed)
        rare = rest[0] if rest else sparse.csr_array((len(X), 0))
        threads, p = check_threads(self.n_jobs), self.n_clusters
        bounds = size_bounds(len(X), p, self.balance)
        with threadpool_limits(1):
            labels = balanced_start(
                (scores, rare), p, bounds, n_init=self.n_init, seed=seed, n_threads=threads
            )
            problem = LatentMargins(scores, rare, p, threads)
            return self._anneal(problem, labels, bounds)

    def _anneal(
        self, problem: LatentMargins, labels: NDArray[np.int64], bounds: tuple[int, int]
    ) -> NDArray[np.int64]:
        """Take turns at each cost, the next from where the one before ended."""
        weights = np.zeros(problem.p * problem.width)
        self.falls_ = []
        with progress_bar("widening margins", N_COSTS, show=self._show) as update:
            for stage in range(N_COSTS):
                cost = self.C * 2.0 ** (stage + 1 - N_COSTS)
                weights, labels = self._take_turns(problem, cost, weights, labels, bounds)
                if update:
                    update(stage + 1)
        self.objective_ = self.falls_[-1][-1]
        return labels

    def _take_turns(
        self,
        problem: LatentMargins,
        cost: float,
        weights: NDArray[np.float64],
        labels: NDArray[np.int64],
        bounds: tuple[int, int],
    ) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Lower the objective until labels settle."""
        values = problem.values(weights)
        fall = [problem.objective(weights, values, labels, cost)]
        self.falls_.append(fall)
        for _ in range(self.max_iter):
            tried = problem.improve(weights, labels, cost, self.n_steps)
            new_values = problem.values(tried)
            objective = problem.objective(tried, new_values, labels, cost)
            if objective < fall[-1]:
                weights, values = tried, new_values
                fall.append(objective)
            best = balanced_assignment(pairwise_losses(values), *bounds)
            objective = problem.objective(weights, values, best, cost)
            if objective >= fall[-1]:
                break
            changed = np.mean(best != labels)
            labels = best
            fall.append(objective)
            if changed < SETTLED:
                break
        return weights, labels
