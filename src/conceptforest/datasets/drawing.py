"""What made-up collections share: how classes and features are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.random import RandomState
    from numpy.typing import NDArray

__all__ = ["draw_features", "draw_labels"]


def draw_labels(n_items: int, n_classes: int, rng: RandomState) -> NDArray[np.int64]:
    """Give every class an item, and the early classes up to twice as many as the late ones."""
    weight = np.linspace(2, 1, n_classes)
    rest = rng.choice(n_classes, size=n_items - n_classes, p=weight / weight.sum())
    return rng.permutation(np.concatenate([np.arange(n_classes), rest])).astype(np.int64)


def draw_features(
    labels: NDArray[np.int64],
    n_classes: int,
    n_features: int,
    rng: RandomState,
    *,
    one_in: int,
    strength: float,
) -> NDArray[np.float32]:
    """Add noise to the mean of each item's class.

    Parameters
    ----------
    labels : ndarray of shape (n_items,), int64
    n_classes, n_features : int
    rng : RandomState
    one_in : int
        One feature in so many differs between classes, and never fewer than two.
    strength : float
        Spread of the classes' means in units of the noise.

    Returns
    -------
    ndarray of shape (n_items, n_features), float32
    """
    n_relevant = max(2, n_features // one_in)
    relevant = rng.choice(n_features, size=n_relevant, replace=False)
    means = np.zeros((n_classes, n_features))
    means[:, relevant] = strength * rng.normal(size=(n_classes, n_relevant))
    noise = rng.normal(size=(len(labels), n_features))
    return (means[labels] + noise).astype(np.float32)
