"""Completion by three witnesses: regressions, neighbours by leaves, neighbours by tags shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from conceptforest.completion.affinity import AffinityRule
from conceptforest.completion.keep import blocks, keep_highest
from conceptforest.progress import progress_bar, working
from conceptforest.regression.tag_profile import TagProfile
from conceptforest.structure.profile_neighbours import profile_neighbours

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conceptforest.forest.hml_forest import HMLForest
    from conceptforest.tags import TagMatrix

__all__ = ["JointRule", "join"]

_REGRESSION, _LEAVES, _PROFILES = 0.55, 0.2, 0.25  # weights of the witnesses
_FLOOR = 0.01  # what the word of a witness is who says 0
_CIRCLE = 2  # neighbours by profile that vote, for each by leaves


def join(
    foretold: NDArray[np.float64], leaves: NDArray[np.float64], profiles: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Join what regressions foretell with votes of neighbours, by a weighted geometric mean.

    Parameters
    ----------
    foretold : ndarray of shape (n_items, n_tags), float64
        Taken as 0 where below, and as 1 where above. NaN where there is no regression: there the
        neighbours by profile speak in its place.
    leaves, profiles : ndarray of shape (n_items, n_tags), float64
        Votes, from 0 to 1.

    Returns
    -------
    ndarray of shape (n_items, n_tags), float64
        From 0 to 1; 0 where all say 0.

    Examples
    --------
    >>> votes = np.array([[0.5, 0.0, 0.0, 0.3]])
    >>> join(np.array([[0.5, 0.5, 0.0, np.nan]]), votes, votes).round(2)
    array([[0.5 , 0.08, 0.  , 0.3 ]])
    """
    sure = np.where(np.isnan(foretold), profiles, foretold)
    np.clip(sure, 0, 1, out=sure)
    both = (sure + _FLOOR) ** _REGRESSION
    both *= (leaves + _FLOOR) ** _LEAVES
    both *= (profiles + _FLOOR) ** _PROFILES
    both -= _FLOOR
    return np.asarray(np.where(both < 1e-12, 0.0, both))  # a rest of rounding is no evidence


class JointRule:
    """Regressions (:class:`TagRidge`), :class:`AffinityRule` and neighbours by profile, joined.

    Parameters
    ----------
    forest : HMLForest
        Grown on the items of `tags`.
    X : ndarray of shape (n_items, n_features)
    tags : TagMatrix
        Observed tags, (n_items, n_tags).
    n_neighbors : int
        Neighbours in the forest that vote. Of those that show the same tags
        (:class:`TagProfile`), twice as many vote, each by its affinity.
    n_threads : int
    seed : int
    verbose : bool

    Attributes
    ----------
    profile : TagProfile
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
        self._circle = _CIRCLE * n_neighbors
        self._search: dict[str, Any] = {"seed": seed, "n_threads": n_threads}
        self._voters = AffinityRule(
            forest, tags, n_neighbors=n_neighbors, n_threads=n_threads, verbose=verbose
        )
        self.profile = TagProfile(X, tags, seed=seed, verbose=verbose)
        self._wide: Any = tags.matrix.astype(np.float64)

    def seen(self, n_scores: int | None) -> Any:
        """Score the tags of the items themselves; see :meth:`AffinityRule.seen`."""
        tags = self._tags
        votes = self._voters.seen(None)
        rows_of_all = self.profile.rows
        with working("comparing profiles", show=self._verbose):
            near = profile_neighbours(
                rows_of_all, rows_of_all, self._circle, exclude_self=True, **self._search
            )
        pieces = []
        with progress_bar("joining scores", tags.n_items, show=self._verbose) as update:
            for rows in blocks(tags.n_items, tags.n_tags):
                scores = join(
                    self.profile.ridge.seen(rows), votes[rows].toarray(), self._share(near[rows])
                )
                kept = sparse.csr_array(scores)
                pieces.append(keep_highest(kept, tags.matrix[rows], tags.counts, n_scores))
                if update is not None:
                    update(rows.stop)
        return sparse.vstack(pieces, format="csr")

    def place(self, X: NDArray[Any]) -> Any:
        """Find the nearest items of new ones by leaves, and keep their features."""
        return X, self._voters.place(X)

    def _share(self, near: Any) -> NDArray[np.float64]:
        """Give the share of the affinity of neighbours that carries each tag."""
        total = np.asarray(near.sum(axis=1), dtype=np.float64)[:, None]
        votes: NDArray[np.float64] = (near @ self._wide).toarray()
        return votes / np.where(total > 0, total, 1.0)

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
        X, by_leaves = places
        foretold = self.profile.ridge.unseen(X[rows], own)
        near = profile_neighbours(
            self.profile.shown(foretold, own),
            self.profile.rows,
            self._circle,
            exclude_self=False,
            **self._search,
        )
        votes = self._voters.unseen(by_leaves, rows).toarray()
        return sparse.csr_array(join(foretold, votes, self._share(near)))
