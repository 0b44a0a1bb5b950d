"""Tags by the votes of the items that look alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from conceptforest.baselines.contract import CompletionBaseline, check_option, check_threads
from conceptforest.checks import whole
from conceptforest.completion.own_tags import OwnTags
from conceptforest.structure.visual_neighbours import nearest_items

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conceptforest.tags import TagMatrix

__all__ = ["VisualNeighbours"]

_TRIED = (5, 10, 20, 40, 80)  # neighbours


class VisualNeighbours(CompletionBaseline):
    """Score a tag by its share among the items with the most similar features.

    Parameters
    ----------
    n_neighbors : int, default=20
        Items that vote: those with the highest cosine to the item's features, itself left out.
        All of them if there are not so many.
    weights : {"equal", "cosine"}, default="cosine"
        Votes count the same, or as much as the cosine (at least 0).
    own_tags : bool, default=False
        Join the votes for a new item with what the tags that it has say, by the same rule as
        :meth:`conceptforest.TagCompletion.predict`. Otherwise they do not count.
    tune : bool, default=False
        Choose `n_neighbors` by hidden observed tags, from the given number and 5, 10, 20, 40, 80.
    n_scores : int or None, default=100
        Scores to keep of each item among tags that it lacks; None keeps all.
    random_state : int, RandomState instance or None, default=None
        Chooses among equal cosines.
    n_jobs : int or None, default=None
        Threads, as in scikit-learn. The scores do not depend on it.
    verbose : int, default=0
        1 shows the progress of `tune`.

    Attributes
    ----------
    scores_ : csr_array of shape (n_items, n_tags), float64
        The highest scores of tags that an item lacks, and those of its own tags.

    Examples
    --------
    >>> X = [[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.1, 0.9]]
    >>> tags = [{"sea"}, None, {"snow"}, {"snow"}]
    >>> method = VisualNeighbours(1).fit(X, tags)
    >>> method.scores_.toarray().tolist()
    [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.0, 1.0]]
    """

    title = "visual neighbours"
    source = "Li, Snoek and Worring 2009 (TagVote)"
    grade = "faithful"

    def __init__(
        self,
        n_neighbors: int = 20,
        *,
        weights: str = "cosine",
        own_tags: bool = False,
        tune: bool = False,
        n_scores: int | None = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.own_tags = own_tags
        self.tune = tune
        self.n_scores = n_scores
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        whole("n_neighbors", self.n_neighbors, 1)
        check_option("weights", self.weights, ("equal", "cosine"))
        check_threads(self.n_jobs)

    def _candidates(self) -> list[dict[str, Any]]:
        others = [k for k in _TRIED if k != self.n_neighbors]
        return [{"n_neighbors": k} for k in (self.n_neighbors, *others)]

    def _learn(self, X: NDArray[Any], tags: TagMatrix, seed: int) -> None:
        self._X, self._matrix, self._seed = X, tags.matrix.astype(np.float64), seed
        self._votes = self._find(X, exclude_self=True)
        self._evidence = OwnTags(tags) if self.own_tags else None

    def _score_fitted(self, rows: slice) -> NDArray[np.float64]:
        return np.asarray((self._votes[rows] @ self._matrix).toarray())

    def _score_new(self, X: NDArray[Any], known: Any) -> NDArray[np.float64]:
        scores: Any = self._find(X, exclude_self=False) @ self._matrix
        if self._evidence is not None:
            scores = self._evidence.join(scores, known, np.ones(len(X)))
        return np.asarray(scores.toarray())

    def _find(self, X: NDArray[Any], *, exclude_self: bool) -> Any:
        """Give the votes of the items of the collection, shape (rows of X, n_items)."""
        n = len(self._X)
        k = min(self._setting("n_neighbors"), n - exclude_self)
        with threadpool_limits(check_threads(self.n_jobs)):
            indices, distances = nearest_items(
                X, self._X, k, metric="cosine", exclude_self=exclude_self, seed=self._seed
            )
        votes = np.ones_like(distances)
        if self.weights == "cosine":
            votes = np.maximum(1 - distances, 0.0)
        total = votes.sum(axis=1, keepdims=True)
        places = np.repeat(np.arange(len(X)), k), indices.ravel()
        shape = (len(X), n)
        found: Any = sparse.csr_array((votes.ravel(), places), shape=shape)
        inverse = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
        return sparse.csr_array(found * inverse)
