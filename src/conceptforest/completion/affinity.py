"""Completion by affinity: the nearest items vote for their tags, by how near they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from conceptforest.completion.keep import blocks, keep_highest
from conceptforest.forest.given import nearest_training
from conceptforest.progress import progress_bar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conceptforest.forest.hml_forest import HMLForest
    from conceptforest.tags import TagMatrix

__all__ = ["AffinityRule"]


class AffinityRule:
    """The mean over an item's nearest neighbours of affinity times tag (HML-RF(AM)).

    Parameters
    ----------
    forest : HMLForest
        Grown on the items of `tags`.
    tags : TagMatrix
        Observed tags, (n_items, n_tags).
    n_neighbors : int
        Neighbours that vote; an item is not its own neighbour. Neighbours of affinity 0 count
        towards the mean, so it is always over as many, or all other items if there are fewer.
    n_threads : int
    verbose : bool

    Attributes
    ----------
    neighbours : csr_array of shape (n_items, n_items), float64
        The affinities of those who vote.
    """

    def __init__(
        self,
        forest: HMLForest,
        tags: TagMatrix,
        *,
        n_neighbors: int,
        n_threads: int,
        verbose: bool,
    ) -> None:
        self._forest = forest
        self._tags = tags
        self._n_neighbors = n_neighbors
        self._n_threads = n_threads
        self._verbose = verbose
        self.neighbours = self._nearest(None)

    def seen(self, n_scores: int | None) -> Any:
        """Score the tags of the items themselves.

        Parameters
        ----------
        n_scores : int or None
            How many scores to keep among the tags that an item lacks.

        Returns
        -------
        csr_array of shape (n_items, n_tags), float64
        """
        tags = self._tags
        pieces = []
        with progress_bar("scoring tags", tags.n_items, show=self._verbose) as update:
            for rows in blocks(tags.n_items, tags.n_tags):
                scores = self._votes(
                    self.neighbours[rows], min(self._n_neighbors, tags.n_items - 1)
                )
                pieces.append(keep_highest(scores, tags.matrix[rows], tags.counts, n_scores))
                if update is not None:
                    update(rows.stop)
        return sparse.vstack(pieces, format="csr")

    def place(self, X: NDArray[Any]) -> Any:
        """Find the nearest items of new ones.

        Parameters
        ----------
        X : ndarray of shape (n_new, n_features)

        Returns
        -------
        csr_array of shape (n_new, n_items), float64
        """
        return self._nearest(X)

    def unseen(self, places: Any, rows: slice) -> Any:
        """Score all tags of some of the new items.

        Parameters
        ----------
        places : see `place`
        rows : slice
            Which of the new items.

        Returns
        -------
        csr_array of shape (n_rows, n_tags), float64
        """
        return self._votes(places[rows], min(self._n_neighbors, self._tags.n_items))

    def full_vote(self, places: Any, rows: slice) -> NDArray[np.float64]:
        """Give the score that a tag of all neighbours would have, (n_rows,)."""
        total: NDArray[np.float64] = places[rows].sum(axis=1)
        return total / min(self._n_neighbors, self._tags.n_items)

    def _nearest(self, X: NDArray[Any] | None) -> Any:
        return nearest_training(
            self._forest,
            X,
            n_neighbors=self._n_neighbors,
            n_threads=self._n_threads,
            verbose=self._verbose,
        )

    def _votes(self, affinity: Any, n_voters: int) -> Any:
        """Sum shared leaves as whole numbers: scores that are equal are equal to the last bit."""
        n_trees = self._forest.trees_.n_trees
        shared = np.rint(affinity.data * n_trees).astype(np.int64)
        counts: Any = sparse.csr_array(
            (shared, affinity.indices, affinity.indptr), shape=affinity.shape
        )
        votes = counts @ self._tags.matrix.astype(np.int64)
        votes.sort_indices()
        # One division, so that an item whose neighbours all agree in all trees scores exactly 1.
        return sparse.csr_array(
            (votes.data / (n_trees * n_voters), votes.indices, votes.indptr), shape=votes.shape
        )
