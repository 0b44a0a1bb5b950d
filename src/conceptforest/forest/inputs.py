"""Checks of the collection that a forest is given: features, tags and layers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils.validation import validate_data

from conceptforest.tags import parse_tags, resolve_layers

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conceptforest.tags import TagMatrix

__all__ = ["check_features", "check_layers", "check_tags"]


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


def check_tags(tags: Any, n_items: int) -> TagMatrix:
    """Check that there are tags, for as many items, and bring them into one form."""
    if tags is None:
        raise ValueError(
            "requires y to be passed, but the target y is None: HMLForest.fit(X, tags) grows"
            " trees from tags. For a forest without tags, use another estimator."
        )
    return parse_tags(tags, n_items=n_items)


def check_layers(layers: Any, tags: TagMatrix, unlayered: str) -> tuple[NDArray[np.int32], ...]:
    """Give the tags of each layer, some of which must be on an item."""
    resolved = resolve_layers(layers, tags.vocabulary, unlayered=unlayered)
    if not any(tags.counts[layer].any() for layer in resolved):
        raise ValueError(
            "No item carries a tag of any layer, so there is nothing to grow trees from. Check"
            " that tags and layers belong to this collection, and that tags are 0/1 with 1"
            " for a tag that is present."
        )
    return resolved
