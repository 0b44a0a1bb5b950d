"""What an item shows of every tag: between what it has and what it should have."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest.progress import progress_bar
from conceptforest.regression.tag_ridge import TagRidge, row_blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conceptforest.tags import TagMatrix

__all__ = ["TagProfile"]

_LEAST_SPREAD = 1e-9  # what is foretold of all items alike tells nothing


class TagProfile:
    """Rows of tags in which those that an item has count, and those that it should have.

    Of an item with tag j, or without it, regressions in which it took no part foretell j with the
    share r (:class:`TagRidge`; cut to the range from 0 to 1). It shows of that tag

        idf_j * sqrt(a_j t + (1 - a_j) r)

    where t is 1 or 0, and ``idf_j`` the logarithm of the number of items over those with the tag.
    The *trust* ``a_j`` in what items have is the root of the correlation of t with r over all
    items: a tag that nothing else speaks for is taken at little more than what is foretold of it.
    Of items without any tag nothing is known, so their trust is 0. Rows are brought to length 1, to
    be compared by the cosine. Items without tags have their place beside those that they look like.

    Parameters
    ----------
    X : ndarray of shape (n_items, n_features)
    tags : TagMatrix of shape (n_items, n_tags)
    seed : int, default=0
        See :class:`TagRidge`.
    verbose : bool, default=False

    Attributes
    ----------
    rows : ndarray of shape (n_items, n_regressions), float32
        Of length 1 each, or 0 where an item shows nothing. Tags beyond the 2,048 most frequent have
        no regression, and no column.
    trust : ndarray of shape (n_regressions,), float64
        Between 0 and 1.
    ridge : TagRidge

    Examples
    --------
    >>> from conceptforest.tags import parse_tags
    >>> X = np.repeat(np.eye(2), 10, axis=0)
    >>> tags = parse_tags([{"sea", "sand"}] * 9 + [set()] + [{"snow"}] * 10)
    >>> rows = TagProfile(X, tags).rows
    >>> (rows[9] @ rows[[0, 19]].T).round(1).tolist()  # the one without tags and two others
    [1.0, 0.0]
    """

    rows: NDArray[np.float32]
    trust: NDArray[np.float64]
    ridge: TagRidge

    def __init__(
        self, X: NDArray[Any], tags: TagMatrix, *, seed: int = 0, verbose: bool = False
    ) -> None:
        self.ridge = TagRidge(X, tags, seed=seed, verbose=verbose)
        used = self.ridge.columns
        own: Any = tags.matrix[:, used]
        counts = tags.counts[used]
        self._idf = np.log(tags.n_items / np.maximum(counts, 1)) * (counts > 0)
        self.rows = np.empty((tags.n_items, len(used)), dtype=np.float32)
        sums = _Sums(len(used))
        with progress_bar("profiles of tags", tags.n_items, show=verbose) as update:
            for rows in row_blocks(tags.n_items):
                foretold = np.clip(self.ridge.seen(rows)[:, used], 0, 1)
                self.rows[rows] = foretold
                sums.add(foretold, own[rows])
                if update is not None:
                    update(rows.stop)
        self.trust = np.sqrt(sums.correlations(counts, tags.n_items))
        for rows in row_blocks(tags.n_items):
            self.rows[rows] = self._rows(self.rows[rows].astype(np.float64), own[rows])

    def unseen(self, X: NDArray[Any], known: Any) -> NDArray[np.float32]:
        """Give what new items show.

        Parameters
        ----------
        X : ndarray of shape (n_new, n_features)
        known : csr_array of shape (n_new, n_tags)
            Tags that they come with.

        Returns
        -------
        ndarray of shape (n_new, n_regressions), float32
        """
        shown = np.empty((len(X), len(self.ridge.columns)), dtype=np.float32)
        for rows in row_blocks(len(X)):
            shown[rows] = self.shown(self.ridge.unseen(X[rows], known[rows]), known[rows])
        return shown

    def shown(self, foretold: NDArray[np.float64], known: Any) -> NDArray[np.float32]:
        """Give what new items show of whom the regressions foretell these shares of tags.

        Parameters
        ----------
        foretold : ndarray of shape (n_new, n_tags), float64
        known : csr_array of shape (n_new, n_tags)
            Tags that they come with.

        Returns
        -------
        ndarray of shape (n_new, n_regressions), float32
        """
        used = self.ridge.columns
        return self._rows(np.clip(foretold[:, used], 0, 1), known[:, used])

    def _rows(self, foretold: NDArray[np.float64], own: Any) -> NDArray[np.float32]:
        tagged = np.diff(own.indptr)[:, None] > 0
        trust = np.where(tagged, self.trust, 0.0)
        both = (1 - trust) * foretold
        both += trust * own.toarray()
        shown = np.sqrt(both) * self._idf
        length = np.linalg.norm(shown, axis=1, keepdims=True)
        return np.asarray(shown / np.where(length > 0, length, 1.0), dtype=np.float32)


class _Sums:
    """What correlations of tags with what is foretold of them need, block by block."""

    def __init__(self, n_tags: int) -> None:
        self._foretold, self._squares, self._right = np.zeros((3, n_tags))

    def add(self, foretold: NDArray[np.float64], own: Any) -> None:
        self._foretold += foretold.sum(axis=0)
        self._squares += np.einsum("ij,ij->j", foretold, foretold)
        self._right += np.einsum("ij,ij->j", foretold, own.toarray().astype(np.float64))

    def correlations(self, counts: NDArray[Any], n_items: int) -> NDArray[np.float64]:
        """Give the correlation of each tag, 0 where it is negative or one of them is constant."""
        mean = counts / n_items
        together = self._right / n_items - mean * self._foretold / n_items
        spread = np.maximum(self._squares / n_items - (self._foretold / n_items) ** 2, 0)
        scale = np.sqrt(spread * mean * (1 - mean))
        known = scale > _LEAST_SPREAD
        return np.clip(np.divide(together, scale, out=np.zeros_like(scale), where=known), 0, 1)
