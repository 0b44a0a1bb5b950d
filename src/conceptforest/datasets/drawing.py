"""What made-up collections share: how classes and features are drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.random import RandomState
    from numpy.typing import NDArray

__all__ = ["draw_features", "draw_labels", "draw_mixed_features"]

_ROWS = 1024  # drawn at a time
_NOISE = 0.5  # of a feature, in units of what the aspects bring
_DECIMALS = 2  # kept of a feature: what different processors make of sums cannot be seen


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


def draw_mixed_features(
    labels: NDArray[np.int64],
    n_classes: int,
    n_features: int,
    rng: RandomState,
    *,
    n_aspects: int,
    strength: float,
) -> NDArray[np.float32]:
    """Mix a few hidden aspects of each item, in which classes differ, into all features.

    As with the features that networks and histograms give, most of what distinguishes items is of
    few dimensions and has nothing to do with their classes. So every method sees the classes about
    equally well, or badly, however it measures distances.

    Parameters
    ----------
    labels : ndarray of shape (n_items,), int64
    n_classes, n_features : int
    rng : RandomState
    n_aspects : int
    strength : float
        Spread of the classes' means in units of the spread within a class, in each aspect.

    Returns
    -------
    ndarray of shape (n_items, n_features), float32
        Rounded to hundredths, so that they are the same on every machine.
    """
    means = strength * rng.normal(size=(n_classes, n_aspects))
    mixing = rng.normal(size=(n_aspects, n_features)) / np.sqrt(n_aspects)
    X = np.empty((len(labels), n_features), dtype=np.float32)
    for start in range(0, len(labels), _ROWS):
        some = labels[start : start + _ROWS]
        aspects = means[some] + rng.normal(size=(len(some), n_aspects))
        noise = _NOISE * rng.normal(size=(len(some), n_features))
        X[start : start + _ROWS] = np.round(aspects @ mixing + noise, _DECIMALS)
    return X
