"""K-means with restarts, by the core."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from conceptforest import _core

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["KMeansResult", "k_means"]


class KMeansResult(NamedTuple):
    """The best of all restarts.

    Attributes
    ----------
    labels : ndarray of shape (n_points,), int64
    centres : ndarray of shape (n_clusters, n_dimensions)
    inertia : float
        Sum of squared distances to the nearest centre.
    """

    labels: NDArray[np.int64]
    centres: NDArray[np.float64]
    inertia: float


def k_means(
    points: NDArray[np.float64],
    n_clusters: int,
    *,
    n_init: int = 20,
    max_iter: int = 300,
    seed: int = 0,
    n_threads: int = 1,
    progress: Callable[[int], None] | None = None,
) -> KMeansResult:
    """Cluster points by Lloyd's algorithm from k-means++ starts, and keep the best restart.

    Parameters
    ----------
    points : ndarray of shape (n_points, n_dimensions)
    n_clusters : int
        At most n_points.
    n_init : int, default=20
        Restarts.
    max_iter : int, default=300
        Iterations of a restart; it ends sooner when no label changes.
    seed : int, default=0
    n_threads : int, default=1
        The result does not depend on it.
    progress : callable or None, default=None
        Is told how many restarts are done.

    Returns
    -------
    KMeansResult

    Examples
    --------
    >>> k_means(np.array([[0.0], [0.1], [5.0], [5.1]]), 2).labels[:2].tolist() in ([0, 0], [1, 1])
    True
    """
    labels, centres, inertia, _ = _core.k_means(
        np.ascontiguousarray(points, dtype=np.float64),
        n_clusters,
        n_init=n_init,
        max_iter=max_iter,
        seed=seed,
        n_threads=n_threads,
        progress=progress,
    )
    return KMeansResult(labels.astype(np.int64), centres, inertia)
