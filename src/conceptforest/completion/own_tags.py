"""What the tags that a new item has already say about those that it lacks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from conceptforest.completion.keep import row_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conceptforest.tags import TagMatrix

__all__ = ["OwnTags"]

# What part of a score the frequency of its tag makes up before tags are asked: a tag that no
# neighbour carries can still follow from the others.
_FREQUENCY_PART = 0.1


class OwnTags:
    """Bayes' rule for a score from vision and the tags that an item has.

    Vision and tags are taken as two witnesses that know nothing of each other::

        odds(i | vision, tags) = odds(i | vision) * odds(i | tags) / odds(i)

    ``P(i | tags)`` is the mean over the item's other tags j of the share of training items with j
    that have i, as if each j had one more item with i as frequent as in the collection.
    ``P(i)`` is the frequency of i. ``P(i | vision)`` is the score as a share of the one that a tag
    of all voters would have, mixed with a tenth of ``P(i)``.

    Parameters
    ----------
    tags : TagMatrix
        Tags of the training items, (n_items, n_tags).
    """

    def __init__(self, tags: TagMatrix) -> None:
        self._frequency = (tags.counts + 0.5) / (tags.n_items + 1)  # never 0 or 1
        self._weight = 1 / (tags.counts + 1.0)
        matrix = tags.matrix.astype(np.int64)
        together: Any = (matrix.T.tocsr() @ matrix).tocsr()
        # Row j holds P(i | j), less the part that every tag i gets of the one more item.
        weighted = together.data * self._weight[row_numbers(together)]
        self._given: Any = sparse.csr_array(
            (weighted, together.indices, together.indptr), shape=together.shape
        )

    def join(self, scores: Any, own: Any, full: NDArray[np.float64]) -> Any:
        """Give the scores that follow from scores by vision and the tags that items have.

        Parameters
        ----------
        scores : csr_array of shape (n_new, n_tags), float64
            By vision, in [0, 1].
        own : csr_array of shape (n_new, n_tags)
            Tags that the new items have. An item without tags keeps its scores.
        full : ndarray of shape (n_new,), float64
            The score that a tag of all voters would have.

        Returns
        -------
        csr_array of shape (n_new, n_tags), float64
            Between 0 and the full score. All scores of the items with tags are positive, so this
            is as large as a dense array: call it on blocks of rows.
        """
        asked = np.flatnonzero(np.diff(own.indptr))
        if len(asked) == 0:
            return scores
        full = np.where(full > 0, full, 1.0)[asked, None]
        vision = np.minimum(scores[asked].toarray() / full, 1.0)
        vision *= 1 - _FREQUENCY_PART
        vision += _FREQUENCY_PART * self._frequency
        by_tags = self._by_tags(own[asked])
        odds = _odds(vision)
        odds *= _odds(by_tags)
        odds /= _odds(self._frequency)
        odds /= 1 + odds  # a probability from here on
        odds *= full
        silent = np.flatnonzero(np.diff(own.indptr) == 0)
        joined: Any = sparse.vstack([scores[silent], sparse.csr_array(odds)], format="csr")
        place = np.empty(own.shape[0], dtype=np.int64)
        place[np.concatenate([silent, asked])] = np.arange(own.shape[0])
        return joined[place]

    def _by_tags(self, own: Any) -> NDArray[np.float64]:
        """Give P(i | tags), (n_new, n_tags); a tag does not speak for itself."""
        own = own.astype(np.float64)
        total: NDArray[np.float64] = (own @ self._given).toarray()
        total += np.outer(own @ self._weight, self._frequency)
        n_tags = np.diff(own.indptr)
        mean: NDArray[np.float64] = total / n_tags[:, None]
        row, column = row_numbers(own), own.indices
        itself = self._given.diagonal()[column] + self._weight[column] * self._frequency[column]
        others = n_tags[row] - 1
        mean[row, column] = np.where(
            others > 0,
            (total[row, column] - itself) / np.maximum(others, 1),
            self._frequency[column],
        )
        # Differences of sums can pass 0 or 1 by a rounding error.
        np.clip(mean, 1e-12, 1 - 1e-12, out=mean)
        return mean


def _odds(probability: NDArray[np.float64]) -> NDArray[np.float64]:
    return probability / (1 - probability)
