"""Tags by linear classifiers, each item judged by those that have not seen its fold."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.special import expit
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from conceptforest.baselines.contract import CompletionBaseline, check_threads
from conceptforest.baselines.detection_scores import fit_sigmoids
from conceptforest.baselines.linear_svm import fit_linear_svms, with_ones
from conceptforest.baselines.numbers import positive_number
from conceptforest.progress import progress_bar
from conceptforest.steady_product import steady_product

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from conceptforest.tags import TagMatrix

__all__ = ["LinearClassifiers"]

_FOLDS = 5
_FEWEST = 2  # positives outside a fold: one to learn from, and one for the sigmoid to hear of
_TRIED = (1.0, 0.3, 0.1, 0.03, 0.01)  # C: more takes long, and separates the few positives anyway


class LinearClassifiers(CompletionBaseline):
    """Score a tag by a linear support vector machine on the features and a sigmoid.

    Items with a tag are its positives and all others its negatives, though some may lack it by
    mistake. A classifier that has seen an item as a negative is biased against the tag that is
    sought. So the items are cut into five folds, and those of a fold are scored by classifiers
    and sigmoids that have seen neither them nor their tags: the sigmoids of a fold are fitted to
    what classifiers without two folds say of the other one. The scores of tags that an item has
    are therefore what they would be if it had none. A new item is scored by the mean of the five;
    tags that it comes with do not count.

    Parameters
    ----------
    C : float, default=1.0
        Cost of a violated margin. Positives and negatives of a tag have the same total weight,
        and the features of an item are scaled to length 1.
    tune : bool, default=True
        Choose `C` by hidden observed tags, from the given one and 1, 0.3, 0.1, 0.03, 0.01.
    n_scores : int or None, default=100
        Scores to keep of each item among tags that it lacks; None keeps all.
    random_state : int, RandomState instance or None, default=None
        Draws the folds.
    n_jobs : int or None, default=None
        Threads, as in scikit-learn. The scores do not depend on it.
    verbose : int, default=0
        1 shows progress.

    Attributes
    ----------
    scores_ : csr_array of shape (n_items, n_tags), float64
        Probabilities: the highest of tags that an item lacks, and those of its own tags. A tag
        that only one item outside a fold carries has none there.

    Examples
    --------
    >>> X = np.repeat(np.eye(2), 20, axis=0)
    >>> tags = [{"sea"}] * 17 + [set()] * 3 + [{"snow"}] * 20
    >>> method = LinearClassifiers(tune=False, random_state=0).fit(X, tags)
    >>> sea, snow = method.scores_.toarray()[18]
    >>> bool(sea > 0.6), bool(snow < 0.2)
    (True, True)
    """

    title = "linear classifiers"
    source = "Cortes and Vapnik 1995; sigmoids by Platt 1999"
    grade = "exact"

    def __init__(
        self,
        C: float = 1.0,
        *,
        tune: bool = True,
        n_scores: int | None = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.C = C
        self.tune = tune
        self.n_scores = n_scores
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        positive_number("C", self.C)

    def _candidates(self) -> list[dict[str, Any]]:
        others = [C for C in _TRIED if self.C != C]
        return [{"C": C} for C in (self.C, *others)]

    def _learn(self, X: NDArray[Any], tags: TagMatrix, seed: int) -> None:
        rows = with_ones(X)
        n_folds = min(_FOLDS, len(X))
        self._fold = np.random.default_rng(seed).permutation(len(X)) % n_folds
        self._n_tags = tags.n_tags
        n_fits = n_folds * (n_folds + 1) // 2
        with (
            threadpool_limits(1),
            progress_bar("tag classifiers", n_fits, show=self._show) as update,
        ):
            count = _Counter(update)
            values = self._values_without_two(rows, tags.matrix, n_folds, count)
            self._models = [
                self._model_without(fold, rows, tags.matrix, values, count)
                for fold in range(n_folds)
            ]
            self._scores = [
                model.score(rows[self._fold == fold]) for fold, model in enumerate(self._models)
            ]
        self._place = np.zeros(len(X), dtype=np.int64)  # of an item among those of its fold
        for fold in range(n_folds):
            here = np.flatnonzero(self._fold == fold)
            self._place[here] = np.arange(len(here))

    def _values_without_two(
        self, rows: NDArray[np.float32], matrix: Any, n_folds: int, count: _Counter
    ) -> dict[tuple[int, int], _Values]:
        """Give what classifiers without two folds say of the items of each.

        The key (a, b) is for the items of b, judged by classifiers without a and b.
        """
        found = {}
        for pair in combinations(range(n_folds), 2):
            left_out = np.isin(self._fold, pair)
            columns, weights = self._fit_on(~left_out, rows, matrix, fewest=1)
            for a, b in (pair, pair[::-1]):
                values = steady_product(rows[self._fold == b], weights)
                found[a, b] = _Values(columns, values)
            count()
        return found

    def _model_without(
        self,
        fold: int,
        rows: NDArray[np.float32],
        matrix: Any,
        values: dict[tuple[int, int], _Values],
        count: _Counter,
    ) -> _Model:
        """Fit classifiers to all items but those of a fold, and sigmoids that fit others."""
        columns, weights = self._fit_on(self._fold != fold, rows, matrix, fewest=_FEWEST)
        judged = [values[key] for key in values if key[0] == fold]
        items = [np.flatnonzero(self._fold == key[1]) for key in values if key[0] == fold]
        slope, shift = np.zeros(len(columns)), np.zeros(len(columns))
        step = max(1, 2**22 // len(rows))
        for start in range(0, len(columns), step):
            part = slice(start, start + step)
            heard = np.concatenate([one.of(columns[part]) for one in judged])
            carried = matrix[np.concatenate(items)][:, columns[part]].toarray().astype(bool)
            slope[part], shift[part] = fit_sigmoids(heard, carried)
        count()
        return _Model(columns, weights, slope, shift)

    def _fit_on(
        self, seen: NDArray[np.bool_], rows: NDArray[np.float32], matrix: Any, *, fewest: int
    ) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Fit the tags that enough of some items carry; give their columns and weights."""
        items = np.flatnonzero(seen)
        labels = matrix[items]
        counts = np.bincount(labels.indices, minlength=matrix.shape[1])
        columns = np.flatnonzero(counts >= fewest)
        if not len(columns):
            return columns, np.zeros((rows.shape[1], 0), dtype=np.float32)
        weights = fit_linear_svms(
            rows[items],
            labels[:, columns],
            C=self._setting("C"),
            n_threads=check_threads(self.n_jobs),
        )
        return columns, weights

    def _score_fitted(self, rows: slice) -> NDArray[np.float64]:
        fold, place = self._fold[rows], self._place[rows]
        scores = np.zeros((len(fold), self._n_tags))
        for number, model in enumerate(self._models):
            here = np.flatnonzero(fold == number)
            scores[np.ix_(here, model.columns)] = self._scores[number][place[here]]
        return scores

    def _score_new(self, X: NDArray[Any], known: Any) -> NDArray[np.float64]:
        del known
        rows = with_ones(X)
        scores = np.zeros((len(X), self._n_tags))
        with threadpool_limits(1):
            for model in self._models:
                scores[:, model.columns] += model.score(rows) / len(self._models)
        return scores


class _Values(NamedTuple):
    """Decision values of some tags for the items of a fold."""

    columns: NDArray[np.int64]
    values: NDArray[np.float32]

    def of(self, wanted: NDArray[np.int64]) -> NDArray[np.float64]:
        """Give the values of the wanted tags, 0 for those that had no classifier."""
        found = np.zeros((len(self.values), len(wanted)))
        there = np.isin(wanted, self.columns)
        found[:, there] = self.values[:, np.searchsorted(self.columns, wanted[there])]
        return found


class _Model(NamedTuple):
    """Classifiers and sigmoids of the tags in some columns."""

    columns: NDArray[np.int64]
    weights: NDArray[np.float32]
    slope: NDArray[np.float64]
    shift: NDArray[np.float64]

    def score(self, rows: NDArray[np.float32]) -> NDArray[np.float32]:
        """Give probabilities, (n_rows, n_columns)."""
        values = steady_product(rows, self.weights)
        return np.asarray(expit(self.slope * values + self.shift), dtype=np.float32)


class _Counter:
    """Tells a progress bar that one more is done."""

    def __init__(self, update: Callable[[int], None] | None) -> None:
        self._update, self._done = update, 0

    def __call__(self) -> None:
        self._done += 1
        if self._update is not None:
            self._update(self._done)
