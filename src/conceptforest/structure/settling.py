"""Last touches to clusters: items move between them while the modularity of the graph grows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest import _core

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["settle"]

_RESOLUTION = 2.0
_MAX_ROUNDS = 100  # a dozen are usual


def settle(
    graph: Any,
    labels: NDArray[np.int64],
    n_clusters: int,
    *,
    resolution: float = _RESOLUTION,
    seed: int = 0,
) -> NDArray[np.int64]:
    """Move items one by one to the cluster where the modularity gains most, until none gains.

    With w the weights of edges, K(C) the sum of the degrees in a cluster and 2m that of all, the
    modularity at a resolution g is the sum over clusters of ``w(C, C) / 2m - g (K(C) / 2m)^2``.
    K-means cuts the embedding, which is smooth; the graph itself has the last word at the borders.

    Parameters
    ----------
    graph : csr_array of shape (n_items, n_items), float64
        Symmetric, not negative, nothing on the diagonal.
    labels : ndarray of shape (n_items,), int64
        From 0 to ``n_clusters - 1``. It is left as it is.
    n_clusters : int
        Clusters never become empty, and none is added.
    resolution : float, default=2.0
    seed : int, default=0
        Of the order in which items are looked at.

    Returns
    -------
    ndarray of shape (n_items,), int64

    Examples
    --------
    >>> from scipy import sparse
    >>> triangles = sparse.csr_array(np.kron(np.eye(2), 1 - np.eye(3)))
    >>> settle(triangles, np.array([0, 0, 1, 1, 1, 1]), 2).tolist()
    [0, 0, 0, 1, 1, 1]
    """
    found = np.array(labels, dtype=np.int64)
    _core.settle(
        graph.indptr.astype(np.int64),
        graph.indices.astype(np.int32),
        np.ascontiguousarray(graph.data, dtype=np.float64),
        found,
        n_clusters=n_clusters,
        resolution=resolution,
        max_rounds=_MAX_ROUNDS,
        seed=seed,
        progress=None,
    )
    return found
