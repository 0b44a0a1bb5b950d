"""What all competing methods share: the checks of their input and the form of their answers.

A method is a scikit-learn estimator that learns from ``fit(X, tags)`` and never sees classes. A
clustering method fills in one step, from the features and the tags to labels; a completion method
fills in how it learns and how it scores a block of items. Scores are only ever dense in blocks.
What a method says of itself in class attributes is what the list of all methods shows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from conceptforest.baselines.tuning import choose_settings
from conceptforest.checks import whole
from conceptforest.completion.keep import blocks
from conceptforest.forest.inputs import check_features
from conceptforest.forest.parameters import n_threads, random_numbers
from conceptforest.tagged_estimator import TaggedEstimator
from conceptforest.tags import parse_tags
from conceptforest.tags.names import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from conceptforest.tags import TagMatrix

__all__ = [
    "GRADES",
    "ClusteringBaseline",
    "CompletionBaseline",
    "check_option",
    "check_threads",
    "draw_seed",
    "keep_of_block",
]

GRADES = {
    "exact": "as published, or the library's own",
    "faithful": "as published, up to choices that the page of the method lists",
    "structure": "the published structure; constants are ours",
    "reimplementation": "in the spirit of what was published, which leaves too much open",
}


class Baseline(TaggedEstimator):
    """What every method says of itself.

    Attributes
    ----------
    title : str
        Its name in tables.
    source : str
        Who published it, and when.
    grade : str
        How far it is what its authors ran: one of :data:`GRADES`.
    extra : str or None
        What must be installed for it beside the package.
    variants : dict of str to dict
        Further settings that tables of results show beside the default, by what they are called.
        One with a `mode` is shown in that mode alone.
    """

    title: ClassVar[str]
    source: ClassVar[str]
    grade: ClassVar[str]
    extra: ClassVar[str | None] = None
    variants: ClassVar[Mapping[str, Mapping[str, Any]]] = {}

    @property
    def _show(self) -> bool:
        """Whether to show progress."""
        return bool(getattr(self, "verbose", 0))

    def _check_common(self) -> None:
        """Check the parameters that many methods have, and those of the subclass."""
        if hasattr(self, "n_jobs"):
            check_threads(self.n_jobs)
        if hasattr(self, "verbose"):
            whole("verbose", self.verbose, 0)
        self._check_parameters()

    def _check_parameters(self) -> None:
        """Check the parameters that only the subclass has."""


class ClusteringBaseline(Baseline):
    """A method that groups items; a subclass has the step `_cluster`.

    Attributes
    ----------
    modes : tuple of str
        What the class can work on: "vision" (features), "tags", "scores" (of tag classifiers on
        the features, the paper's DetScore), "scores_held_out" (such scores of items that the
        classifiers have not seen), "concatenated" (one vector of features and tags, -cmb),
        "balanced" (both, each in its own right, -bln).
    labels_ : ndarray of shape (n_items,), int64
        From 0, the largest cluster first. Where items coincide, fewer than `n_clusters` may occur.
    """

    modes: ClassVar[tuple[str, ...]]
    n_clusters: int
    mode: str
    random_state: Any = None  # of methods that draw nothing
    labels_: NDArray[np.int64]
    n_features_in_: int

    def _fit(self, X: Any, tags: Any) -> None:
        check_option("mode", self.mode, self.modes, type(self).__name__)
        whole("n_clusters", self.n_clusters, 1)
        self._check_common()
        X = check_features(self, X, reset=True)
        parsed = _check_tags(self, tags, len(X), needed=self.mode != "vision")
        if self.n_clusters > len(X):
            raise ValueError(
                f"n_clusters={self.n_clusters} clusters are asked for, but there are only"
                f" {len(X)} items. Ask for at most as many clusters as items."
            )
        labels = self._cluster(X, parsed, draw_seed(self.random_state))
        self.labels_ = _largest_first(labels)

    def fit_predict(self, X: Any, tags: Any) -> NDArray[np.int64]:
        """Cluster the items and give `labels_`; the parameters are those of `fit`."""
        return self.fit(X, tags).labels_

    def _cluster(self, X: NDArray[Any], tags: TagMatrix, seed: int) -> NDArray[np.int64]:
        """Give each item a cluster number below `n_clusters`, shape (n_items,)."""
        raise NotImplementedError


class CompletionBaseline(Baseline):
    """A method that scores tags; a subclass has `_learn`, `_score_fitted` and `_score_new`.

    A method with a parameter `tune` and with `_candidates` chooses among them by hidden observed
    tags, and asks :meth:`_setting` for what was chosen.

    Attributes
    ----------
    scores_own : bool
        Whether tags that an item has are scored too, each as if it did not have it. Methods that
        would have to learn anew for each of them give no such scores.
    scores_ : csr_array of shape (n_items, n_tags), float64
        The `n_scores` highest positive scores of each item among the tags that it lacks (of equal
        ones those of the more frequent tag, then of the lower column), and all positive scores of
        tags that it has, each as if the item did not have that tag, where the method has them.
    vocabulary_ : tuple of str
        Tag names, by column.
    tuned_ : dict
        The settings chosen by `tune`.
    tuning_ : list of float
        How well each candidate found hidden observed tags; empty where none were hidden.
    """

    scores_own: ClassVar[bool] = True
    n_scores: int | None
    tuned_: dict[str, Any]
    tuning_: list[float]
    random_state: Any = None  # of methods that draw nothing
    scores_: sparse.csr_array[np.float64, tuple[int, int]]
    vocabulary_: tuple[str, ...]
    n_features_in_: int
    _counts: NDArray[np.int64]

    def _fit(self, X: Any, tags: Any) -> None:
        if self.n_scores is not None:
            whole("n_scores", self.n_scores, 1)
        self._check_common()
        X = check_features(self, X, reset=True)
        parsed = _check_tags(self, tags, len(X), needed=True)
        seed = draw_seed(self.random_state)
        self.tuned_, self.tuning_ = self._choose(X, parsed, seed)
        self.vocabulary_ = parsed.vocabulary
        self.scores_ = self._learn_and_score(X, parsed, seed)

    def _learn_and_score(self, X: NDArray[Any], tags: TagMatrix, seed: int) -> Any:
        self._learn(X, tags, seed)
        self._counts = tags.counts
        parts = (
            (self._score_fitted(rows), tags.matrix[rows]) for rows in blocks(*tags.matrix.shape)
        )
        return self._gather(parts, own=self.scores_own)

    def _choose(
        self, X: NDArray[Any], tags: TagMatrix, seed: int
    ) -> tuple[dict[str, Any], list[float]]:
        """Choose among the candidates where that is wanted."""
        if not getattr(self, "tune", False):
            return {}, []

        def scores_of(settings: dict[str, Any], X: NDArray[Any], seen: TagMatrix, seed: int) -> Any:
            quiet = {"verbose": 0} if self._show else {}  # two bars cannot be shown at once
            trial: CompletionBaseline = clone(self).set_params(tune=False, **quiet, **settings)
            return trial._learn_and_score(X, seen, seed)

        return choose_settings(
            self._candidates(), scores_of, X, tags, seed=seed, verbose=self._show
        )

    def _candidates(self) -> list[dict[str, Any]]:
        """List settings to choose from, the default first."""
        raise NotImplementedError

    def _setting(self, name: str) -> Any:
        """Give a parameter, as it was chosen or else as it was given."""
        return getattr(self, "tuned_", {}).get(name, getattr(self, name))

    def predict(self, X_new: Any, tags_new: Any = None) -> Any:
        """Score the tags of items that were not in the collection.

        Parameters
        ----------
        X_new : array-like of shape (n_new, n_features)
        tags_new : tag matrix or None, default=None
            Tags that the new items already have, in the vocabulary of the collection.

        Returns
        -------
        csr_array of shape (n_new, n_tags), float64
            As `scores_`.
        """
        check_is_fitted(self, "scores_")
        X = check_features(self, X_new, reset=False)
        shape = (len(X), len(self.vocabulary_))
        known: Any = sparse.csr_array(shape, dtype=np.uint8)
        if tags_new is not None:
            known = parse_tags(tags_new, vocabulary=self.vocabulary_, n_items=len(X)).matrix
        return self._gather(
            (self._score_new(X[rows], known[rows]), known[rows]) for rows in blocks(*shape)
        )

    def _gather(self, parts: Iterator[tuple[NDArray[np.float64], Any]], *, own: bool = True) -> Any:
        kept = []
        for scores, known in parts:
            if not own:
                scores[known.nonzero()] = 0.0
            kept.append(keep_of_block(scores, known, self._counts, self.n_scores))
        return sparse.vstack(kept, format="csr")

    def _learn(self, X: NDArray[Any], tags: TagMatrix, seed: int) -> None:
        """Keep what the scores need."""
        raise NotImplementedError

    def _score_fitted(self, rows: slice) -> NDArray[np.float64]:
        """Score all tags for some items of the collection, shape (rows, n_tags)."""
        raise NotImplementedError

    def _score_new(self, X: NDArray[Any], known: Any) -> NDArray[np.float64]:
        """Score all tags for new items with the tags `known` (CSR), shape (n_new, n_tags)."""
        raise NotImplementedError


def keep_of_block(
    scores: NDArray[np.float64], known: Any, counts: NDArray[np.int64], n_scores: int | None
) -> Any:
    """Keep the highest scores of each row among unknown tags, and all of known ones.

    Parameters
    ----------
    scores : ndarray of shape (n_rows, n_tags)
        Not negative.
    known : csr_array of shape (n_rows, n_tags)
        The tags that the items have.
    counts : ndarray of shape (n_tags,), int64
        Items per tag. Of equal scores that of the more frequent tag is kept, then that of the
        lower column.
    n_scores : int or None
        How many of a row to keep; None keeps all.

    Returns
    -------
    csr_array of shape (n_rows, n_tags), float64
        Only positive scores are stored.

    Examples
    --------
    >>> scores, known = np.array([[0.5, 0.2, 0.5, 0.9]]), sparse.csr_array([[0, 0, 0, 1]])
    >>> keep_of_block(scores, known, np.array([1, 1, 2, 1]), 1).toarray()
    array([[0. , 0. , 0.5, 0.9]])
    """
    keep = scores > 0
    if n_scores is not None:
        lacked = np.where(known.toarray(), 0.0, scores)
        full = np.flatnonzero(np.count_nonzero(lacked, axis=1) > n_scores)
        if len(full):
            lacked = lacked[full]
            keep[full] &= (lacked == 0) | _highest(lacked, counts, n_scores)
    return sparse.csr_array(np.where(keep, scores, 0.0))


def _highest(
    scores: NDArray[np.float64], counts: NDArray[np.int64], n_scores: int
) -> NDArray[np.bool_]:
    """Mark the `n_scores` highest of each row, which has at least so many."""
    order = np.lexsort((np.arange(len(counts)), -counts))
    negated = -scores[:, order]  # partition is 10 times slower at the far end of equal scores
    last = np.partition(negated, n_scores - 1, axis=1)[:, [n_scores - 1]]
    chosen, equal = negated < last, negated == last
    room = n_scores - chosen.sum(axis=1, keepdims=True)
    chosen |= equal & (equal.cumsum(axis=1, dtype=np.int32) <= room)
    marked = np.empty_like(chosen)
    marked[:, order] = chosen
    return marked


def check_option(name: str, value: Any, allowed: tuple[str, ...], owner: str = "") -> None:
    """Check that a parameter is one of a few words."""
    if value not in allowed:
        of = f" of {owner}" if owner else ""
        raise ValueError(
            f"{name}{of} must be one of {', '.join(map(repr, allowed))}; got {value!r}."
            f"{did_you_mean(str(value), allowed)}"
        )


def check_threads(n_jobs: Any) -> int:
    """Give the number of threads that `n_jobs` means."""
    number = isinstance(n_jobs, int | np.integer) and not isinstance(n_jobs, bool)
    if n_jobs is not None and (not number or n_jobs == 0):
        raise ValueError(f"n_jobs must be a whole number other than 0, or None; got {n_jobs!r}.")
    return n_threads(n_jobs)


def draw_seed(random_state: Any) -> int:
    """Draw the seed of one fit."""
    return int(random_numbers(random_state).randint(0, 2**31 - 1))


def _check_tags(method: Any, tags: Any, n_items: int, *, needed: bool) -> TagMatrix:
    """Bring the tags into one form; where the method lives on them, there must be some."""
    if tags is None:
        raise ValueError(
            f"tags is None: {type(method).__name__}.fit(X, tags) needs one row of tags per item,"
            " an empty one for an item without tags."
        )
    parsed = parse_tags(tags, n_items=n_items)
    if needed and not parsed.matrix.nnz:
        raise ValueError(
            f"No item carries a tag, so {type(method).__name__} has nothing to learn from. Check"
            " that tags belong to this collection, and that they are 0/1 with 1 for a tag that is"
            " present."
        )
    return parsed


def _largest_first(labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give the largest cluster number 0; equal ones by their first item, empty ones none."""
    _, first, number, sizes = np.unique(
        labels, return_index=True, return_inverse=True, return_counts=True
    )
    rank = np.empty(len(sizes), dtype=np.int64)
    rank[np.lexsort((first, -sizes))] = np.arange(len(sizes))
    return np.asarray(rank[number])
