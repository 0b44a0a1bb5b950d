"""Completion by local neighbourhoods: the leaves that agree about a tag decide."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from conceptforest import _core
from conceptforest.forest.growth import route
from conceptforest.progress import progress_bar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conceptforest.forest.hml_forest import HMLForest
    from conceptforest.tags import TagMatrix

__all__ = ["LocalRule"]


class LocalRule:
    """The share of positive leaves among those that are sure of a tag (HML-RF(LN)).

    An item's fellows in a leaf are sure of a tag when all of them carry it or none does. Trees in
    which they are not, or in which the item is alone, are ignored; where no tree is sure the
    share is 0. A millionth of the mean share of fellows that carry the tag is added, which
    orders tags that the sure leaves leave equal.

    Parameters
    ----------
    forest : HMLForest
        Grown on the items of `tags`.
    tags : TagMatrix
        Observed tags, (n_items, n_tags).
    n_threads : int
    verbose : bool
    """

    def __init__(
        self, forest: HMLForest, tags: TagMatrix, *, n_threads: int, verbose: bool
    ) -> None:
        self._forest = forest
        self._tags = tags
        self._n_threads = n_threads
        self._verbose = verbose

    def seen(self, n_scores: int | None) -> Any:
        """Score the tags of the items themselves; each leaves itself out.

        Parameters
        ----------
        n_scores : int or None
            How many scores to keep among the tags that an item lacks.

        Returns
        -------
        csr_array of shape (n_items, n_tags), float64
        """
        leaves = self._forest._leaf_table  # noqa: SLF001
        return self._votes(leaves, keep=-1 if n_scores is None else n_scores, seen=True)

    def place(self, X: NDArray[Any]) -> NDArray[np.int32]:
        """Find the leaves of new items.

        Parameters
        ----------
        X : ndarray of shape (n_new, n_features)

        Returns
        -------
        ndarray of shape (n_trees, n_new), int32
        """
        return route(X, self._forest.trees_, n_threads=self._n_threads, verbose=self._verbose)

    def unseen(self, places: NDArray[np.int32], rows: slice) -> Any:
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
        leaves = np.ascontiguousarray(places[:, rows])
        return self._votes(leaves, keep=-1, seen=False)

    def full_vote(self, places: NDArray[Any], rows: slice) -> NDArray[np.float64]:  # noqa: ARG002
        """Give the score that a tag of all voters would have, (n_rows,): always 1."""
        return np.ones(rows.stop - rows.start)

    def _votes(self, rows: NDArray[np.int32], *, keep: int, seen: bool) -> Any:
        matrix = self._tags.matrix
        n_rows = rows.shape[1]
        with progress_bar("scoring tags", n_rows, show=self._verbose and seen) as update:
            start, tag, score = _core.leaf_votes(
                rows,
                self._forest._leaf_table,  # noqa: SLF001
                self._forest.trees_.offsets,
                matrix.indptr.astype(np.int64),
                matrix.indices.astype(np.int32),
                n_tags=self._tags.n_tags,
                keep=keep,
                exclude_self=seen,
                n_threads=self._n_threads,
                progress=update,
            )
        votes: Any = sparse.csr_array((score, tag, start), shape=(n_rows, self._tags.n_tags))
        votes.sort_indices()
        return votes
