"""What a grown forest is: flat arrays, one entry a node, trees one after another."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["LEAF", "Trees"]

LEAF = -1


@dataclass(frozen=True, eq=False)
class Trees:
    """The nodes of all trees as arrays of length N, 30 bytes a node.

    Tree ``t`` owns the nodes ``offsets[t]:offsets[t + 1]``; its root comes first and every child
    comes after its parent. The two children of a node lie next to each other: the right child of
    node ``j`` is ``left[j] + 1``. Items with ``x[feature] < threshold`` go left (Eq. 1).

    Attributes
    ----------
    offsets : ndarray of shape (n_trees + 1,), int64
        Where each tree's nodes begin.
    feature : ndarray of shape (N,), int32
        Feature tested at the node, ``-1`` at a leaf.
    threshold : ndarray of shape (N,), float64
        Cut-point, ``0`` at a leaf.
    left : ndarray of shape (N,), int32
        Left child, counted from the tree's root; ``-1`` at a leaf.
    layer : ndarray of shape (N,), int16
        Target layer whose tags chose the split (Eq. 5), from 0; ``-1`` at a leaf.
    gain : ndarray of shape (N,), float64
        Gain of the split, summed over the target layer's tags; ``0`` at a leaf.
    count : ndarray of shape (N,), int32
        Training items at the node; with bootstrapping, draws.
    """

    offsets: NDArray[np.int64]
    feature: NDArray[np.int32]
    threshold: NDArray[np.float64]
    left: NDArray[np.int32]
    layer: NDArray[np.int16]
    gain: NDArray[np.float64]
    count: NDArray[np.int32]

    @property
    def n_trees(self) -> int:
        """Number of trees."""
        return len(self.offsets) - 1

    def tree(self, t: int) -> Trees:
        """Give tree ``t`` alone, as views."""
        a, b = self.offsets[t], self.offsets[t + 1]
        parts = {f.name: getattr(self, f.name)[a:b] for f in fields(self) if f.name != "offsets"}
        return Trees(offsets=np.array([0, b - a], dtype=np.int64), **parts)

    def followed_by(self, other: Trees) -> Trees:
        """Append the trees of another forest grown on the same features."""
        parts = {
            f.name: np.concatenate([getattr(self, f.name), getattr(other, f.name)])
            for f in fields(self)
            if f.name != "offsets"
        }
        offsets = np.concatenate([self.offsets, other.offsets[1:] + self.offsets[-1]])
        return Trees(offsets=offsets, **parts)

    def gain_shares(self, n_layers: int, n_features: int) -> NDArray[np.float64]:
        """Give the share of each layer and feature in the gain of all splits.

        A split's gain counts by the share of the tree's items that it divides.

        Returns
        -------
        ndarray of shape (n_layers, n_features), float64
        """
        inner = np.flatnonzero(self.feature != LEAF)
        place = self.layer[inner].astype(np.int64) * n_features + self.feature[inner]
        gain = self.gain[inner] * self.count[inner]
        total = np.zeros(n_layers * n_features)
        total += np.bincount(place, weights=gain, minlength=len(total))
        shares = total / max(float(total.sum()), np.finfo(float).tiny)
        return shares.reshape(n_layers, n_features)
