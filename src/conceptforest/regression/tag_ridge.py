"""Every tag foretold by a ridge regression on features and all other tags, in closed form."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import linalg
from sklearn.decomposition import PCA
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from conceptforest.progress import progress_bar
from conceptforest.steady_product import steady_product

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from conceptforest.tags import TagMatrix

__all__ = ["STRENGTHS", "TagRidge", "row_blocks"]

STRENGTHS = (0.3, 1.0, 3.0, 10.0)  # of the penalty on features, weakest first
_HIDDEN = 0.4  # share of tags that are thought to be missing
_JUDGED = 2000  # items by which a strength is chosen
_MOST_TAGS = 2048  # the most frequent ones; the others stay without a regression
_MOST_FEATURES = 4096
_COMPONENTS = 1024  # instead of more features
_BLOCK = 1024  # rows at a time
_MOST_LEVERAGE = 0.95


class TagRidge:
    """A ridge regression for each tag, all of them from one inverse.

    What is regressed on are the features, brought to length 1, centred and brought to length 1
    again, and the 0/1 values of all other tags. For the inverse ``P`` of the penalised Gram matrix
    of both together, the regression of tag j without itself has the coefficients
    ``-P[k, j] / P[j, j]``, and what it foretells for an item that took no part in it follows
    without another fit.

    A tag's penalty is ``0.4 / 0.6`` times the number of its items, plus one: what it would be on
    average if two fifths of all tags were hidden at random, so that no tag is trusted to come with
    all of its company. The penalty on features is chosen from four by how high each observed tag
    ranks among those that its item lacks when the item takes no part.

    Parameters
    ----------
    X : ndarray of shape (n_items, n_features)
    tags : TagMatrix of shape (n_items, n_tags)
    seed : int, default=0
        Of the 2,000 items by which the penalty is chosen, in larger collections.
    verbose : bool, default=False

    Attributes
    ----------
    strength : float
        Penalty on features.
    reciprocal_ranks : dict of float to float
        Mean reciprocal rank of observed tags for every strength.
    columns : ndarray of shape (n_regressions,), int64
        Tags that have a regression: all of them up to 2,048, else the most frequent ones.

    Examples
    --------
    >>> from conceptforest.tags import parse_tags
    >>> X = np.repeat(np.eye(2), 10, axis=0)
    >>> tags = parse_tags([{"sea", "sand"}] * 9 + [{"sea"}] + [{"snow"}] * 10)
    >>> scores = TagRidge(X, tags).seen(slice(9, 11))
    >>> tags.vocabulary, scores.argmax(axis=1).tolist()
    (('sand', 'sea', 'snow'), [0, 2])
    """

    strength: float
    reciprocal_ranks: dict[float, float]
    columns: NDArray[np.int64]

    def __init__(
        self, X: NDArray[Any], tags: TagMatrix, *, seed: int = 0, verbose: bool = False
    ) -> None:
        by_count = np.argsort(-tags.counts, kind="stable")[:_MOST_TAGS]
        self.columns = np.sort(by_count)
        self._X, self._n_tags = X, tags.n_tags
        self._tags: Any = tags.matrix[:, self.columns]
        with threadpool_limits(1):  # the same bits on every machine size
            self._features = _Features(X, seed)
            self._fit(seed, verbose=verbose)

    def _fit(self, seed: int, *, verbose: bool) -> None:
        """Try all strengths and keep the inverse of the best."""
        gram, counts = self._gram()
        d = self._features.width
        penalty = np.concatenate([np.zeros(d), _HIDDEN / (1 - _HIDDEN) * counts + 1])
        tagged = np.flatnonzero(np.diff(self._tags.indptr))
        if len(tagged) > _JUDGED:
            tagged = np.sort(np.random.default_rng(seed).choice(tagged, _JUDGED, replace=False))
        self.reciprocal_ranks = {}
        at = np.arange(len(gram))
        with progress_bar("regressions of tags", len(STRENGTHS), show=verbose) as update:
            for done, strength in enumerate(STRENGTHS, start=1):
                penalised = gram.copy()
                penalised[at, at] += penalty
                penalised[at[:d], at[:d]] += strength
                self._use(linalg.inv(penalised, overwrite_a=True, check_finite=False))
                found = self._judge(tagged)
                if found > max(self.reciprocal_ranks.values(), default=-1.0):
                    best, self.strength = self._inverse, strength
                self.reciprocal_ranks[strength] = found
                if update is not None:
                    update(done)
        self._use(best)

    def _gram(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Give the products of all columns, and how many items carry each tag."""
        d, m = self._features.width, len(self.columns)
        gram = np.zeros((d + m, d + m))
        for rows in row_blocks(len(self._X)):
            part, own = self._features.of(self._X[rows]), self._tags[rows]
            gram[:d, :d] += part.T @ part
            gram[d:, :d] += own.T @ part
        gram[:d, d:] = gram[d:, :d].T
        wide: Any = self._tags.astype(np.float64)
        together = (wide.T @ wide).tocoo()
        gram[d + together.row, d + together.col] = together.data
        return gram, np.diag(gram)[d:].copy()

    def _use(self, inverse: NDArray[np.float64]) -> None:
        d = self._features.width
        self._inverse = inverse
        self._pivots = np.diag(inverse)[d:].copy()

    def _judge(self, items: NDArray[np.int64]) -> float:
        """Give the mean reciprocal rank of observed tags among those that their items lack."""
        total = 0.0
        for rows in row_blocks(len(items)):
            chosen = items[rows]
            own = self._tags[chosen].toarray() > 0
            scores = self._left_out(chosen)
            lacking = np.where(own, -np.inf, scores)
            lacking.sort(axis=1)
            item, tag = np.nonzero(own)
            for i, score in zip(item, scores[item, tag], strict=True):
                below = np.searchsorted(lacking[i], score)
                total += 1 / (1 + lacking.shape[1] - int(below))
        entries = int(np.diff(self._tags.indptr)[items].sum())
        return total / max(entries, 1)

    def _left_out(self, items: Any) -> NDArray[np.float64]:
        """Foretell the tags of items by regressions in which they took no part."""
        features = self._features.of(self._X[items])
        own = self._tags[items].toarray().astype(np.float64)
        whole = np.hstack([features, own])
        onto = whole @ self._inverse
        tags = onto[:, self._features.width :]
        leverage = np.einsum("ij,ij->i", onto, whole)[:, None] - tags**2 / self._pivots
        leverage = np.clip(leverage, 0, _MOST_LEVERAGE)
        return np.asarray((own - tags / self._pivots - leverage * own) / (1 - leverage))

    def seen(self, rows: slice) -> NDArray[np.float64]:
        """Foretell the tags of items of the collection, each as if it had not been in it.

        Parameters
        ----------
        rows : slice

        Returns
        -------
        ndarray of shape (n_rows, n_tags), float64
            NaN for tags without a regression.
        """
        with threadpool_limits(1):
            return self._spread(self._left_out(rows))

    def unseen(self, X: NDArray[Any], known: Any) -> NDArray[np.float64]:
        """Foretell the tags of new items, each tag without a look at itself.

        Parameters
        ----------
        X : ndarray of shape (n_new, n_features)
        known : csr_array of shape (n_new, n_tags)
            Tags that they come with.

        Returns
        -------
        ndarray of shape (n_new, n_tags), float64
        """
        with threadpool_limits(1):
            own = known[:, self.columns].toarray().astype(np.float64)
            whole = np.hstack([self._features.of(X), own])
            tags = steady_product(whole, self._inverse[:, self._features.width :])
            return self._spread(own - tags / self._pivots)

    def _spread(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        if len(self.columns) == self._n_tags:
            return scores
        found = np.full((len(scores), self._n_tags), np.nan)
        found[:, self.columns] = scores
        return found


class _Features:
    """Rows of features of length 1 around their mean, or leading components of very many."""

    def __init__(self, X: NDArray[Any], seed: int) -> None:
        total = np.zeros(X.shape[1])
        for rows in row_blocks(len(X)):
            total += _unit(X[rows]).sum(axis=0)
        self._mean = total / len(X)
        self._components: NDArray[np.float64] | None = None
        if X.shape[1] > _MOST_FEATURES:
            n = min(_COMPONENTS, len(X))
            pca = PCA(n, svd_solver="randomized", random_state=seed)
            self._components = pca.fit(_unit(X) - self._mean).components_.T
        self.width = X.shape[1] if self._components is None else self._components.shape[1]

    def of(self, X: NDArray[Any]) -> NDArray[np.float64]:
        rows = _unit(X) - self._mean
        if self._components is not None:
            rows = steady_product(rows, self._components)
        return _unit(rows)


def _unit(rows: NDArray[Any]) -> NDArray[np.float64]:
    wide = rows.astype(np.float64)
    largest = np.abs(wide).max(axis=1, keepdims=True, initial=0.0)
    wide /= np.where(largest > 0, largest, 1.0)  # squares of what is left neither vanish nor burst
    length = np.linalg.norm(wide, axis=1, keepdims=True)
    wide /= np.where(length > 0, length, 1.0)
    return wide


def row_blocks(n: int) -> Iterator[slice]:
    """Cut n rows into blocks that are always the same, so that sums are, too.

    Examples
    --------
    >>> list(row_blocks(1500))
    [slice(0, 1024, None), slice(1024, 1500, None)]
    """
    return (slice(start, min(start + _BLOCK, n)) for start in range(0, n, _BLOCK))
