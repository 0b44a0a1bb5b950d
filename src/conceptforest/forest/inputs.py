"""Checks of the collection that a forest is given: features, tags and layers."""

from __future__ import annotations

import numbers
import warnings
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import validate_data

from conceptforest.tags import TagHierarchy, match_layers, parse_tags, resolve_layers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conceptforest.tags import TagMatrix

__all__ = ["check_features", "check_layers", "check_tags", "is_fitted_hierarchy"]


def check_features(forest: Any, X: Any, *, reset: bool) -> NDArray[Any]:
    """Check that X is a finite table of numbers, without copying one that already is.

    Parameters
    ----------
    forest : estimator
        Learns the number and the names of the features, or is asked for them.
    X : array-like of shape (n_items, n_features)
    reset : bool
        Learn from X, as for a new fit.

    Returns
    -------
    ndarray of shape (n_items, n_features)
        Floats, whole numbers or booleans.
    """
    checked: NDArray[Any] = validate_data(
        forest,
        X,
        reset=reset,
        dtype=None if _is_number_table(X) else "numeric",
        ensure_min_samples=2 if reset else 1,
        estimator=forest,
    )
    return checked if checked.dtype.kind in "fiub" else checked.astype(np.float64)


def _is_number_table(X: Any) -> bool:
    return isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "fiub"


def check_tags(estimator: Any, tags: Any, n_items: int) -> TagMatrix:
    """Check that there are tags, for as many items, and bring them into one form."""
    if tags is None:
        raise ValueError(
            "requires y to be passed, but the target y is None:"
            f" {type(estimator).__name__}.fit(X, tags) learns from tags. Without any, use another"
            " estimator."
        )
    return parse_tags(tags, n_items=n_items)


def check_layers(
    layers: Any, tags: TagMatrix, unlayered: str, seed: int
) -> tuple[NDArray[np.int32], ...]:
    """Give the tags of each layer, some of which must be on an item.

    Parameters
    ----------
    layers : int, TagHierarchy or sequence of layers
        What the forest was given.
    tags : TagMatrix
    unlayered : {"error", "drop"}
        What becomes of a tag in no layer.
    seed : int
        The forest's; decides estimated layers unless a hierarchy has a seed of its own.

    Returns
    -------
    tuple of ndarray, int32
        Columns of each layer, ascending.
    """
    hierarchy = _estimator(layers, seed)
    if is_fitted_hierarchy(layers):
        named = [[layers.vocabulary_[j] for j in layer] for layer in layers.layers_]
        resolved = resolve_layers(
            match_layers(named, tags.vocabulary), tags.vocabulary, unlayered=unlayered
        )
        if len(resolved) == 1 < len(named):
            warnings.warn(
                f"Only one of the {len(named)} layers of the hierarchy has tags of this collection,"
                " so it makes no difference. If items carry their most specific tags alone, add"
                " those above: a dog is also an animal.",
                stacklevel=5,
            )
    elif hierarchy is None:
        resolved = resolve_layers(layers, tags.vocabulary, unlayered=unlayered)
    elif tags.matrix.nnz:
        resolved = hierarchy.fit(tags).layers_
    else:
        _refuse_layers()
    if not any(tags.counts[layer].any() for layer in resolved):
        _refuse_layers()
    return resolved


def is_fitted_hierarchy(layers: Any) -> bool:
    """Tell a hierarchy that says what the layers are from one that is still to find them."""
    return isinstance(layers, TagHierarchy) and hasattr(layers, "layers_")


def _estimator(layers: Any, seed: int) -> TagHierarchy | None:
    """Give the hierarchy to fit, if the layers are to be estimated."""
    own_seed = int(np.random.SeedSequence(seed).generate_state(1)[0])  # not that of any tree
    if isinstance(layers, TagHierarchy) and not is_fitted_hierarchy(layers):
        hierarchy: TagHierarchy = clone(layers)
        if hierarchy.random_state is None:
            hierarchy.random_state = own_seed
        return hierarchy
    number = isinstance(layers, numbers.Integral) and not isinstance(layers, bool)
    return TagHierarchy(int(layers), random_state=own_seed) if number and layers > 1 else None


def _refuse_layers() -> NoReturn:
    raise ValueError(
        "No item carries a tag of any layer, so there is nothing to grow trees from. Check"
        " that tags and layers belong to this collection, and that tags are 0/1 with 1"
        " for a tag that is present."
    )
