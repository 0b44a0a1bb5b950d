"""Figures that show items or a fitted model: what they have in common."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Picture", "of_all_classes"]


@dataclass(frozen=True)
class Picture:
    """A figure that needs a fitted model or the items themselves.

    Attributes
    ----------
    name, title, about : str
    draw : function of a Plan, a folder for what is computed, a file and a number of threads
    """

    name: str
    title: str
    about: str
    draw: Any


def of_all_classes(labels: Any, n: int) -> NDArray[np.int64]:
    """Choose items at random, taking turns between classes.

    Parameters
    ----------
    labels : ndarray of shape (n_items,), int64
    n : int

    Returns
    -------
    ndarray of shape (n,), int64
        Or as many as there are.

    Examples
    --------
    >>> labels = np.array([0, 0, 0, 1])
    >>> sorted(labels[of_all_classes(labels, 2)].tolist())
    [0, 1]
    """
    rng = np.random.default_rng(0)
    shuffled = rng.permutation(len(labels))
    turn = np.zeros(len(labels), dtype=np.int64)
    for number in np.unique(labels):
        own = shuffled[labels[shuffled] == number]
        turn[own] = np.arange(len(own))
    order = shuffled[np.argsort(turn[shuffled], kind="stable")]
    return np.asarray(order[:n])
