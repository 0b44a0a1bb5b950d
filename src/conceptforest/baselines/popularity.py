"""Tags by how often they occur: what every other method has to beat."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest.baselines.contract import CompletionBaseline

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conceptforest.tags import TagMatrix

__all__ = ["Popularity"]


class Popularity(CompletionBaseline):
    """Score a tag by the share of the other items that carry it.

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
    >>> method = Popularity().fit([[0.0], [1.0], [2.0]], [{"sea"}, {"sea", "boat"}, None])
    >>> method.vocabulary_, method.scores_.toarray().tolist()
    (('boat', 'sea'), [[0.5, 0.5], [0.0, 0.5], [0.5, 1.0]])
    """

    title = "popularity"
    source = "what any method has to beat"
    grade = "exact"

    def __init__(self, n_scores: int | None = 100) -> None:
        self.n_scores = n_scores

    def _learn(self, X: NDArray[Any], tags: TagMatrix, seed: int) -> None:
        del X, seed
        self._tags = tags

    def _score_fitted(self, rows: slice) -> NDArray[np.float64]:
        others = self._tags.counts - self._tags.matrix[rows].toarray()
        return np.asarray(others / (self._tags.n_items - 1))

    def _score_new(self, X: NDArray[Any], known: Any) -> NDArray[np.float64]:
        del known
        return np.tile(self._tags.counts / self._tags.n_items, (len(X), 1))
