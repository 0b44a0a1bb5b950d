"""Where clusterings of balanced size begin: k-means, with the sizes put right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from joblib import Parallel, delayed

from conceptforest.baselines.balanced_assignment import balanced_assignment
from conceptforest.baselines.k_means import Points, lloyd, spread

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["balanced_start"]

_MAX_ITER = 300  # of a restart of k-means


def balanced_start(
    parts: tuple[Any, ...],
    n_clusters: int,
    bounds: tuple[int, int],
    *,
    n_init: int = 20,
    seed: int = 0,
    n_threads: int = 1,
) -> NDArray[np.int64]:
    """Run k-means and give each item a centre, at the least sum of squared distances.

    Parameters
    ----------
    parts : tuple of ndarray or csr_array, each of n_items rows
    n_clusters : int
    bounds : pair of int
        The least and the most items of a cluster.
    n_init : int, default=20
        Restarts; the one of the lowest sum, before sizes are put right, is taken.
    seed : int, default=0
    n_threads : int, default=1
        The answer does not depend on it.

    Returns
    -------
    ndarray of shape (n_items,), int64

    Examples
    --------
    >>> points = np.array([[0.0], [0.1], [0.2], [9.0]])
    >>> labels = balanced_start((points,), 2, (2, 2))
    >>> labels.tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])
    True
    """
    points = Points(parts)

    def restart(seed: np.random.SeedSequence) -> tuple[float, NDArray[np.int64]]:
        first = spread(points, n_clusters, np.random.default_rng(seed))
        run = lloyd(points, points.take(first), _MAX_ITER)
        return run.inertia, run.labels

    seeds = np.random.SeedSequence(seed).spawn(n_init)
    runs = Parallel(n_jobs=n_threads, prefer="threads")(delayed(restart)(one) for one in seeds)
    _, labels = min(runs, key=lambda run: run[0])
    return balanced_assignment(points.to_centres(points.means(labels, n_clusters)), *bounds)
