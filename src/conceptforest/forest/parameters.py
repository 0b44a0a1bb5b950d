"""Checks of the forest's parameters, and what they mean for a collection."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from joblib import effective_n_jobs
from sklearn.utils import check_random_state

from conceptforest.checks import whole
from conceptforest.forest.reading import Reading

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conceptforest.tags import TagMatrix

__all__ = [
    "check",
    "check_running",
    "n_threads",
    "n_try",
    "random_numbers",
    "tag_weights",
    "tree_numbers",
]

_MAX_THREADS = 1024
_LEAST, _MOST = 1e-100, 1e100  # tag weights whose gains neither vanish nor overflow


def check(forest: Any) -> None:
    """Check every parameter that does not need the data; they are attributes of `forest`."""
    whole("n_estimators", forest.n_estimators, 1)
    whole("min_samples_leaf", forest.min_samples_leaf, 1)
    for name in ("correlation", "bootstrap", "warm_start"):
        value = getattr(forest, name)
        if not isinstance(value, bool | np.bool_):
            raise TypeError(f"{name} must be True or False; got {value!r}.")
    if forest.unlayered not in ("error", "drop"):
        raise ValueError(f'unlayered must be "error" or "drop"; got {forest.unlayered!r}.')
    if isinstance(forest.tag_weights, str) and forest.tag_weights != "idf":
        raise ValueError(
            f'tag_weights must be None, "idf" or an array; got {forest.tag_weights!r}.'
        )
    check_running(forest)
    if forest.reading is not None and not isinstance(forest.reading, Reading):
        raise TypeError(
            f"reading must be a conceptforest.Reading or None; got {type(forest.reading).__name__}."
        )


def check_running(estimator: Any) -> None:
    """Check how an estimator is to run: its `n_jobs`, `random_state` and `verbose`."""
    whole("verbose", estimator.verbose, 0)
    _check_n_jobs(estimator.n_jobs)
    random_numbers(estimator.random_state)


def tree_numbers(given: Any, n_trees: int) -> NDArray[np.int64]:
    """Give the numbers of chosen trees, each once.

    Examples
    --------
    >>> tree_numbers(slice(2), 5), tree_numbers([4, 0, 4], 5)
    (array([0, 1]), array([0, 4]))
    """
    if isinstance(given, slice):
        numbers_given = np.arange(n_trees)[given]
    else:
        numbers_given = np.atleast_1d(np.asarray(given))
    if numbers_given.ndim != 1 or numbers_given.dtype.kind not in "iu" or not numbers_given.size:
        raise ValueError(
            f"trees must be a slice or numbers from 0 to {n_trees - 1} that choose a tree or more;"
            f" got {given!r}."
        )
    if numbers_given.min() < 0 or numbers_given.max() >= n_trees:
        raise ValueError(f"trees must be numbers from 0 to {n_trees - 1}; got {given!r}.")
    return np.unique(numbers_given).astype(np.int64)


def _check_n_jobs(value: Any) -> None:
    number = isinstance(value, numbers.Integral) and not isinstance(value, bool)
    if value is not None and not number:
        raise TypeError(f"n_jobs must be a whole number other than 0, or None; got {value!r}.")
    if value == 0:
        raise ValueError("n_jobs must be a whole number other than 0, or None; got 0.")


def random_numbers(value: Any) -> np.random.RandomState:
    """Give the random numbers that a `random_state` means."""
    try:
        return cast("np.random.RandomState", check_random_state(value))
    except ValueError as error:
        raise ValueError(
            "random_state must be a whole number from 0 to 2**32 - 1, a numpy RandomState or None;"
            f" got {value!r}."
        ) from error


def n_threads(n_jobs: int | None) -> int:
    """Give the number of threads that scikit-learn's `n_jobs` means here."""
    return min(int(effective_n_jobs(n_jobs)), _MAX_THREADS)


def n_try(max_features: Any, n_features: int) -> int:
    """Give the number of features to try at a node.

    Examples
    --------
    >>> n_try("sqrt", 1000), n_try("log2", 1000), n_try(0.1, 1000), n_try(None, 1000)
    (31, 9, 100, 1000)
    """
    allowed = (
        '"sqrt", "log2", a whole number from 1 to the number of features'
        f" ({n_features}), a share in (0, 1], or None"
    )
    if max_features is None:
        return n_features
    if isinstance(max_features, str):
        if max_features == "sqrt":
            return max(1, int(n_features**0.5))
        if max_features == "log2":
            return max(1, int(np.log2(n_features)))
    elif isinstance(max_features, bool):  # a number to Python, but hardly meant as one
        pass
    elif isinstance(max_features, numbers.Integral):
        if 1 <= int(max_features) <= n_features:
            return int(max_features)
    elif isinstance(max_features, numbers.Real):
        share = cast("float", max_features)  # type checkers do not know that a Real is a number
        if 0.0 < share <= 1.0:
            return max(1, int(share * n_features))
    raise ValueError(f"max_features must be {allowed}; got {max_features!r}.")


def tag_weights(given: Any, tags: TagMatrix) -> NDArray[np.float64] | None:
    """Give the weight of each tag's gain, or None for equal weights."""
    if given is None:
        return None
    if isinstance(given, str):
        counts = np.maximum(tags.counts, 1)
        idf = np.where(tags.counts > 0, np.log(tags.n_items / counts), 0.0)
        # When every tag is on every item all are 0; they have no impurity either way.
        return idf if idf.any() else None
    weights = np.asarray(given)
    if weights.shape != (tags.n_tags,) or weights.dtype.kind not in "fiub":
        raise ValueError(
            f"tag_weights must hold one number for each of the {tags.n_tags} tags; got an array of"
            f" shape {weights.shape} and dtype {weights.dtype}."
        )
    weights = weights.astype(np.float64)
    bad = np.flatnonzero(~((weights == 0) | ((weights >= _LEAST) & (weights <= _MOST))))
    if len(bad):
        raise ValueError(
            f"tag_weights must each be 0 or from {_LEAST:g} to {_MOST:g}; got {weights[bad[0]]:g}"
            f" for tag {tags.vocabulary[bad[0]]!r}."
        )
    if not weights.any():
        raise ValueError(
            "tag_weights are all 0, so no split has a gain; give some tag a weight above 0."
        )
    return weights
