"""The forest that an estimator works with: its own, one to grow, or one that is grown already."""

from __future__ import annotations

import numbers
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from conceptforest.forest.affinity import nearest_affinity
from conceptforest.forest.growth import route
from conceptforest.forest.hml_forest import HMLForest, digest
from conceptforest.tags import TagHierarchy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conceptforest.tags import TagMatrix

__all__ = ["grown_forest", "is_grown", "nearest_training"]

_COMPARED = 100  # items whose leaves are looked up to tell whether a forest grew on them


def is_grown(forest: Any) -> bool:
    """Tell whether a forest is given and has trees; refuse what is no forest."""
    if forest is not None and not isinstance(forest, HMLForest):
        raise TypeError(
            f"forest is of type {type(forest).__name__}; give a conceptforest.HMLForest, grown or"
            " not, or None."
        )
    return forest is not None and hasattr(forest, "trees_")


def grown_forest(
    forest: HMLForest,
    X: NDArray[Any],
    tags: TagMatrix,
    *,
    n_topics: int | None,
    seed: int,
    n_jobs: Any,
    verbose: int,
) -> HMLForest:
    """Give a forest that was grown on these items.

    Parameters
    ----------
    forest : HMLForest
        One that is grown already is checked and given back. Of any other a copy is grown, with
        `seed`, `n_jobs` and `verbose` where it has none of its own.
    X : ndarray of shape (n_items, n_features)
    tags : TagMatrix
        Observed tags, (n_items, n_tags).
    n_topics : int or None
        Topics for the tag layers, where the forest is to be grown with a number of them: as many
        as there will be clusters, where that is known.
    seed : int
    n_jobs, verbose : see HMLForest

    Returns
    -------
    HMLForest
    """
    if is_grown(forest):
        _check_grown_on(forest, X, tags)
        return forest
    copy: HMLForest = clone(forest)
    if copy.random_state is None:
        copy.random_state = seed
    if copy.n_jobs is None:
        copy.n_jobs = n_jobs
    copy.verbose = max(copy.verbose, verbose)
    number = isinstance(copy.layers, numbers.Integral) and not isinstance(copy.layers, bool)
    if number and copy.layers > 1 and n_topics is not None:
        copy.layers = TagHierarchy(int(copy.layers), n_topics=int(n_topics))
    return copy.fit(X, tags)


def _check_grown_on(forest: HMLForest, X: NDArray[Any], tags: TagMatrix) -> None:
    """Refuse a forest that did not grow on these items, as far as its leaves tell."""
    n, d = X.shape
    grown = forest.leaves_.shape[0], forest.n_features_in_
    if grown != (n, d):
        raise ValueError(
            f"The forest was grown on {grown[0]} items with {grown[1]} features, but X has {n}"
            f" items with {d}. Give the same collection, or a forest that is not grown yet."
        )
    if forest.vocabulary_ != tags.vocabulary:
        raise ValueError(
            f"The forest was grown on {len(forest.vocabulary_)} tags that are not the"
            f" {tags.n_tags} tags given, or are in another order. Give the same tags, or a forest"
            " that is not grown yet."
        )
    some = np.unique(np.linspace(0, n - 1, min(n, _COMPARED)).astype(np.int64))
    leaves = route(X[some], forest.trees_, n_threads=1, verbose=False)
    if not np.array_equal(leaves.T, forest.leaves_[some]):
        raise ValueError(
            "The forest was grown on other items: theirs end in other leaves. Give the features"
            " that it was grown on, in the same order, or a forest that is not grown yet."
        )
    if forest._grown_on not in {None, digest(tags)}:  # noqa: SLF001
        warnings.warn(
            "The forest was grown on other tags of these items than those given here. What it"
            " learned from them stays in its leaves: tags that are meant to be hidden are not.",
            stacklevel=6,
        )


def nearest_training(
    forest: HMLForest,
    X: NDArray[Any] | None = None,
    *,
    n_neighbors: int,
    n_threads: int,
    verbose: bool,
    trees: NDArray[np.int64] | None = None,
) -> Any:
    """Give the highest affinities to training items, as :meth:`HMLForest.affinity` does.

    For an estimator that has checked X itself: feature names are not looked at again.

    Parameters
    ----------
    forest : HMLForest
        Grown.
    X : ndarray of shape (n_items, n_features) or None, default=None
        None means the training items, each of which then leaves itself out.
    n_neighbors, n_threads : int
    verbose : bool
    trees : ndarray of int64 or None, default=None
        Numbers of the trees that count, ascending; with X=None only.

    Returns
    -------
    csr_array of shape (n_items, n_training), float64
    """
    training, offsets = forest._leaf_table, forest.trees_.offsets  # noqa: SLF001
    if trees is not None:
        training = training[trees]
        offsets = np.concatenate([[0], np.cumsum(np.diff(offsets)[trees])])
    rows = training
    if X is not None:
        rows = route(X, forest.trees_, n_threads=n_threads, verbose=verbose)
    return nearest_affinity(
        rows,
        training,
        offsets,
        n_neighbors=n_neighbors,
        exclude_self=X is None,
        seed=forest.seed_,
        n_threads=n_threads,
        verbose=verbose,
    )
