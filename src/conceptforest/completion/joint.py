"""Completion by two witnesses: a regression of each tag, and the neighbours in the forest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from conceptforest.completion.affinity import AffinityRule
from conceptforest.completion.keep import blocks, keep_highest
from conceptforest.completion.ridge import TagRidge
from conceptforest.progress import progress_bar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conceptforest.forest.hml_forest import HMLForest
    from conceptforest.tags import TagMatrix

__all__ = ["JointRule", "join"]

_FOREST = 0.2  # weight of the forest's word; the regression has the rest
_FLOOR = 0.01  # what the word of a witness is who says 0


def join(foretold: NDArray[np.float64], votes: NDArray[np.float64]) -> NDArray[np.float64]:
    """Join what regressions foretell with votes of neighbours, by a weighted geometric mean.

    Parameters
    ----------
    foretold : ndarray of shape (n_items, n_tags), float64
        Taken as 0 where below, and as 1 where above; NaN where there is no regression, so that
        votes decide alone.
    votes : ndarray of shape (n_items, n_tags), float64
        From 0 to 1.

    Returns
    -------
    ndarray of shape (n_items, n_tags), float64
        From 0 to 1; 0 where both say 0.

    Examples
    --------
    >>> join(np.array([[0.5, 0.5, 0.0, np.nan]]), np.array([[0.5, 0.0, 0.0, 0.3]])).round(2)
    array([[0.5 , 0.22, 0.  , 0.3 ]])
    """
    sure = np.where(np.isnan(foretold), votes, foretold)
    np.clip(sure, 0, 1, out=sure)
    sure += _FLOOR
    both = sure ** (1 - _FOREST) * (votes + _FLOOR) ** _FOREST - _FLOOR
    return np.asarray(np.where(both < 1e-12, 0.0, both))  # a rest of rounding is no evidence


class JointRule:
    """The scores of :class:`TagRidge` and of :class:`AffinityRule`, joined.

    Parameters
    ----------
    forest : HMLForest
        Grown on the items of `tags`.
    X : ndarray of shape (n_items, n_features)
    tags : TagMatrix
        Observed tags, (n_items, n_tags).
    n_neighbors : int
        Neighbours in the forest that vote.
    n_threads : int
    seed : int
    verbose : bool

    Attributes
    ----------
    ridge : TagRidge
    """

    def __init__(
        self,
        forest: HMLForest,
        X: NDArray[Any],
        tags: TagMatrix,
        *,
        n_neighbors: int,
        n_threads: int,
        seed: int,
        verbose: bool,
    ) -> None:
        self._tags, self._verbose = tags, verbose
        self._voters = AffinityRule(
            forest, tags, n_neighbors=n_neighbors, n_threads=n_threads, verbose=verbose
        )
        self.ridge = TagRidge(X, tags, seed=seed, verbose=verbose)

    def seen(self, n_scores: int | None) -> Any:
        """Score the tags of the items themselves; see :meth:`AffinityRule.seen`."""
        tags = self._tags
        votes = self._voters.seen(None)
        pieces = []
        with progress_bar("joining scores", tags.n_items, show=self._verbose) as update:
            for rows in blocks(tags.n_items, tags.n_tags):
                scores = join(self.ridge.seen(rows), votes[rows].toarray())
                kept = sparse.csr_array(scores)
                pieces.append(keep_highest(kept, tags.matrix[rows], tags.counts, n_scores))
                if update is not None:
                    update(rows.stop)
        return sparse.vstack(pieces, format="csr")

    def place(self, X: NDArray[Any]) -> Any:
        """Find the nearest items of new ones, and keep their features."""
        return X, self._voters.place(X)

    def unseen(self, places: Any, rows: slice, own: Any) -> Any:
        """Score all tags of some of the new items.

        Parameters
        ----------
        places : see `place`
        rows : slice
            Which of the new items.
        own : csr_array of shape (n_rows, n_tags)
            Tags that they come with. The regressions take them into account.

        Returns
        -------
        csr_array of shape (n_rows, n_tags), float64
        """
        X, near = places
        votes = self._voters.unseen(near, rows).toarray()
        return sparse.csr_array(join(self.ridge.unseen(X[rows], own), votes))
