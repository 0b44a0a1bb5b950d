"""Who is near whom: by the leaves of the forest alone, or by these and by profiles of tags.

Both kinds answer the same questions: the graph of the items, and who is near an item that was not
there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from scipy import sparse

from conceptforest.forest.given import nearest_training
from conceptforest.progress import working
from conceptforest.regression.tag_profile import TagProfile
from conceptforest.structure.graph import neighbour_graph, normalise
from conceptforest.structure.profile_neighbours import profile_neighbours

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.random import RandomState
    from numpy.typing import NDArray

    from conceptforest.forest.hml_forest import HMLForest
    from conceptforest.tags import TagMatrix

__all__ = ["Affinities", "ForestAffinities", "JointAffinities"]

_FOREST = 1 / 3  # share of the forest's graph; profiles have the rest


class ForestAffinities:
    """Items are near each other that share many leaves (Eq. 10 of the paper).

    Parameters
    ----------
    forest : HMLForest
        Grown on the items.
    n_neighbors : int
    n_threads : int
    verbose : bool
    """

    def __init__(
        self, forest: HMLForest, *, n_neighbors: int, n_threads: int, verbose: bool
    ) -> None:
        self._forest, self._n_neighbors = forest, n_neighbors
        self._n_threads, self._verbose = n_threads, verbose

    @property
    def leaves(self) -> ForestAffinities:
        """What the forest alone says."""
        return self

    def graph(self, trees: NDArray[np.int64] | None = None) -> Any:
        """Join each item to its nearest, by all trees or some.

        Returns
        -------
        csr_array of shape (n_items, n_items), float64
            Symmetric, with an empty diagonal.
        """
        return neighbour_graph(self._nearest(None, trees=trees))

    def halves(self, n: int, rng: RandomState) -> Iterator[Any]:
        """Give graphs of random halves of the trees: none if there is a single one."""
        n_trees = self._forest.trees_.n_trees
        chosen = [rng.permutation(n_trees)[: n_trees // 2] for _ in range(n)]
        return (self.graph(np.sort(trees)) for trees in chosen if len(trees))

    def near(self, X: NDArray[Any], tags: Any) -> Any:  # noqa: ARG002 - trees split on features
        """Give the affinities of new items to the nearest of those that are known.

        Returns
        -------
        csr_array of shape (n_new, n_items), float64
        """
        return self._nearest(X)

    def _nearest(self, X: NDArray[Any] | None, *, trees: NDArray[np.int64] | None = None) -> Any:
        return nearest_training(
            self._forest,
            X,
            n_neighbors=self._n_neighbors,
            trees=trees,
            n_threads=self._n_threads,
            verbose=self._verbose and trees is None,
        )


class JointAffinities:
    """Items are near each other that share many leaves, or that show the same tags.

    The mean, one to two, of two normalised graphs: that of the forest, and that of the nearest by
    their :class:`~conceptforest.regression.tag_profile.TagProfile`, with the fourth power of the
    cosine.

    Parameters
    ----------
    forest : HMLForest
        Grown on the items.
    X : ndarray of shape (n_items, n_features)
    tags : TagMatrix of shape (n_items, n_tags)
    n_neighbors : int
    n_threads : int
    seed : int
    verbose : bool

    Attributes
    ----------
    leaves : ForestAffinities
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
        self.leaves = ForestAffinities(
            forest, n_neighbors=n_neighbors, n_threads=n_threads, verbose=verbose
        )
        self._search: dict[str, Any] = {"seed": seed, "n_threads": n_threads}
        self._n_neighbors, self._verbose = n_neighbors, verbose
        self.profile = TagProfile(X, tags, seed=seed, verbose=verbose)

    def graph(self) -> Any:
        """Join each item to its nearest; see :meth:`ForestAffinities.graph`."""
        rows = self.profile.rows
        with working("comparing profiles", show=self._verbose):
            shown = profile_neighbours(
                rows, rows, self._n_neighbors, exclude_self=True, **self._search
            )
        return _mean(self.leaves.graph(), neighbour_graph(shown))

    def near(self, X: NDArray[Any], tags: Any) -> Any:
        """Give the affinities of new items to the nearest of those that are known.

        Of both kinds of affinity each sums up to its share for each item.

        Parameters
        ----------
        X : ndarray of shape (n_new, n_features)
        tags : csr_array of shape (n_new, n_tags)
            Tags that they come with.

        Returns
        -------
        csr_array of shape (n_new, n_items), float64
        """
        shown = profile_neighbours(
            self.profile.unseen(X, tags),
            self.profile.rows,
            self._n_neighbors,
            exclude_self=False,
            **self._search,
        )
        both = _shares(self.leaves.near(X, tags)) * _FOREST + _shares(shown) * (1 - _FOREST)
        both.sort_indices()
        return both


Affinities: TypeAlias = "ForestAffinities | JointAffinities"


def _mean(leaves: Any, shown: Any) -> Any:
    # Rounding differs on the two sides of the diagonal; the larger value is taken on both.
    return neighbour_graph(normalise(leaves) * _FOREST + normalise(shown) * (1 - _FOREST))


def _shares(near: Any) -> Any:
    """Divide each row by its sum."""
    total = np.asarray(near.sum(axis=1)).ravel()
    scale = np.divide(1.0, total, out=np.zeros_like(total), where=total > 0)
    data = near.data * np.repeat(scale, np.diff(near.indptr))
    return sparse.csr_array((data, near.indices, near.indptr), near.shape)
