"""Tags by how often they go with the tags that an item has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from conceptforest.baselines.contract import CompletionBaseline

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conceptforest.tags import TagMatrix

__all__ = ["CoOccurrence"]


class CoOccurrence(CompletionBaseline):
    """Score a tag by the sum of its shares among the items that carry each tag of an item.

    The score of tag i for an item is the sum, over its other tags j, of the share of the items
    with j that carry i as well. An item of the collection is not counted among them: it would
    vouch for its own tags, and against all others. So its score is the sum of

    - ``co[i, j] / (o[j] - 1)`` for a tag that it lacks,
    - ``(co[i, j] - 1) / (o[j] - 1)`` for a tag that it has,

    with ``o[j]`` the items that carry j and ``co[i, j]`` those that carry both; a tag j that no
    other item carries adds nothing. For new items the share is ``co[i, j] / o[j]``. An item
    without tags has no scores.

    Parameters
    ----------
    n_scores : int or None, default=100
        Scores to keep of each item among tags that it lacks; None keeps all.

    Attributes
    ----------
    scores_ : csr_array of shape (n_items, n_tags), float64
        The highest scores of tags that an item lacks, and those of its own tags.

    Examples
    --------
    >>> tags = [{"sea"}, {"sea", "boat"}, {"sea", "boat"}, {"snow"}]
    >>> method = CoOccurrence().fit([[0.0], [1.0], [2.0], [3.0]], tags)
    >>> method.vocabulary_, method.scores_.toarray()[:2].tolist()
    (('boat', 'sea', 'snow'), [[1.0, 0.0, 0.0], [0.5, 1.0, 0.0]])
    """

    title = "co-occurrence"
    source = "Sigurbjörnsson and van Zwol 2008, the sum of votes"
    grade = "faithful"

    def __init__(self, n_scores: int | None = 100) -> None:
        self.n_scores = n_scores

    def _learn(self, X: NDArray[Any], tags: TagMatrix, seed: int) -> None:
        del X, seed
        matrix = tags.matrix.astype(np.float64)
        together: Any = sparse.csr_array(matrix.T @ matrix)
        together.setdiag(0.0)  # a tag does not speak for itself
        self._tags, self._together = tags, together

    def _score_fitted(self, rows: slice) -> NDArray[np.float64]:
        known: Any = self._tags.matrix[rows].astype(np.float64)
        voices = known * _inverse(self._tags.counts - 1)
        scores: NDArray[np.float64] = (voices @ self._together).toarray()
        entries = known.tocoo()
        total = np.asarray(voices.sum(axis=1)).ravel()
        own = _inverse(self._tags.counts - 1)[entries.col]
        scores[entries.row, entries.col] -= total[entries.row] - own
        return np.maximum(scores, 0.0, out=scores)  # of rounding

    def _score_new(self, X: NDArray[Any], known: Any) -> NDArray[np.float64]:
        del X
        voices = known * _inverse(self._tags.counts)
        return np.asarray((voices @ self._together).toarray())


def _inverse(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """Give one over each count, and 0 for none."""
    return np.divide(1.0, counts, out=np.zeros(len(counts)), where=counts > 0)
