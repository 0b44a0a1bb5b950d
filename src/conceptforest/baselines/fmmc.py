"""Flip maximum margin clustering: tags that looks and cluster speak for are added on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from conceptforest.baselines.contract import check_threads
from conceptforest.baselines.linear_svm import fit_linear_svms, with_ones
from conceptforest.baselines.margin_rows import MarginRows
from conceptforest.baselines.smmc import SMMC
from conceptforest.checks import whole
from conceptforest.completion.keep import blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conceptforest.baselines.margin_alternation import Alternation
    from conceptforest.tags import TagMatrix

__all__ = ["FMMC"]

_FEWEST = 5  # items from which a tag has a model


class FMMC(SMMC):
    """Maximum margin clustering that corrects tags by the joint score of :class:`SMMC`.

    In turn a linear classifier b_j of each tag learns from the present tags h; an item gets a tag
    that it lacks where ``b_j.x + g_yj`` is above a threshold; and items are clustered anew.

    Parameters
    ----------
    n_clusters : int, default=8
    mode : {"balanced"}, default="balanced"
        Features and tags, each scaled to a mean squared length of 1.
    C : float, default=1.0
        Cost of a violated margin.
    balance : pair of float, default=(0.9, 1.1)
        The least and the most items of a cluster, as factors of their mean.
    n_flips : int, default=2
        The most tags of an item that differ from those observed.
    flip_threshold : float, default=0.0
        How far the joint score must speak for a flip.
    remove : bool, default=False
        Whether observed tags may be taken away too, where the joint score is as far below 0.
        Otherwise tags may be missing, but are never wrong.
    n_rounds : int, default=10
        Rounds, unless tags settle before.
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
        That of machine and labels for the corrected tags.
    tags_ : csr_array of shape (n_items, n_tags), uint8
        The corrected tags.
    n_rounds_ : int
        Rounds that changed tags.

    Examples
    --------
    >>> X = np.repeat(np.eye(2), 8, axis=0)
    >>> tags = [{"sea"}] * 6 + [None, None] + [{"snow"}] * 7 + [None]
    >>> method = FMMC(2, random_state=0).fit(X, tags)
    >>> method.labels_.tolist()
    [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]
    >>> method.tags_.toarray()[[7, 15]].tolist()
    [[1, 0], [0, 1]]
    """

    title = "F-MMC (reimpl.)"
    modes: ClassVar[tuple[str, ...]] = ("balanced",)
    tags_: sparse.csr_array[np.uint8, tuple[int, int]]
    n_rounds_: int

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        mode: str = "balanced",
        C: float = 1.0,
        balance: tuple[float, float] = (0.9, 1.1),
        n_flips: int = 2,
        flip_threshold: float = 0.0,
        remove: bool = False,
        n_rounds: int = 10,
        n_init: int = 20,
        max_iter: int = 50,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            n_clusters, mode=mode, C=C, balance=balance, n_init=n_init, max_iter=max_iter,
            random_state=random_state, n_jobs=n_jobs, verbose=verbose,
        )  # fmt: skip
        self.n_flips = n_flips
        self.flip_threshold = flip_threshold
        self.remove = remove
        self.n_rounds = n_rounds

    def _check_parameters(self) -> None:
        super()._check_parameters()
        whole("n_flips", self.n_flips, 0)
        whole("n_rounds", self.n_rounds, 1)
        if not np.isscalar(self.flip_threshold) or not np.isfinite(self.flip_threshold):
            raise ValueError(f"flip_threshold must be a number; got {self.flip_threshold!r}.")

    def _cluster(self, X: NDArray[Any], tags: TagMatrix, seed: int) -> NDArray[np.int64]:
        observed: Any = tags.matrix.astype(np.uint8)
        models = _TagModels(X, tags.counts, check_threads(self.n_jobs), verbose=self._show)
        present, self.n_rounds_ = observed, 0
        with threadpool_limits(1):
            rows = MarginRows((X, present), each=True)
            found = self._grouped(rows, seed)
            for _ in range(self.n_rounds):
                models.learn(present)
                flipped = self._flipped(models, observed, found, rows)
                if not (flipped != present).nnz:
                    break
                present = flipped
                rows = MarginRows((X, present), each=True)
                found = self._grouped(rows, seed, found.labels)
                self.n_rounds_ += 1
        self.tags_, self.objective_ = present, found.objective
        return found.labels

    def _flipped(
        self, models: _TagModels, observed: Any, found: Alternation, rows: MarginRows
    ) -> Any:
        """Give the observed tags with those flipped for which the joint score speaks most."""
        scale = rows.scales[1]
        bonus = found.machine.weights[-1 - observed.shape[1] : -1].T / (scale or 1.0)
        parts = []
        for some in blocks(*observed.shape):
            had = observed[some].toarray()
            gain = models.scores(some)
            gain += bonus[found.labels[some]]
            gain[had > 0] = -gain[had > 0] if self.remove else -np.inf
            gain[:, ~models.known] = -np.inf
            most = np.argsort(-gain, axis=1, kind="stable")[:, : self.n_flips]
            items = np.arange(len(had))[:, None]
            had[items, most] ^= gain[items, most] > self.flip_threshold
            parts.append(sparse.csr_array(had))
        return sparse.vstack(parts, format="csr")


class _TagModels:
    """Linear classifiers of the tags that several items have, learned anew where tags changed."""

    def __init__(
        self, X: NDArray[Any], counts: NDArray[np.int64], n_threads: int, *, verbose: bool
    ) -> None:
        self.rows = with_ones(X)
        self.known = counts >= _FEWEST
        self.weights = np.zeros((self.rows.shape[1], int(self.known.sum())), dtype=np.float32)
        self.n_threads, self.verbose = n_threads, verbose
        self.learned: Any = None

    def learn(self, tags: Any) -> None:
        """Learn the tags whose items are not those of the last time."""
        labels: Any = sparse.csc_array(tags[:, np.flatnonzero(self.known)])
        changed = np.arange(labels.shape[1])
        if self.learned is not None:
            changed = np.flatnonzero(np.diff(sparse.csc_array(labels != self.learned).indptr))
        alive = changed[np.diff(labels.indptr)[changed] > 0]
        if len(alive):
            self.weights[:, alive] = fit_linear_svms(
                self.rows, sparse.csr_array(labels[:, alive]),
                n_threads=self.n_threads, verbose=self.verbose,
            )  # fmt: skip
        self.learned = labels

    def scores(self, items: slice) -> NDArray[np.float32]:
        """Give the decision values of all tags, 0 for those without a model."""
        found = np.zeros((items.stop - items.start, len(self.known)), dtype=np.float32)
        found[:, self.known] = self.rows[items] @ self.weights
        return found
