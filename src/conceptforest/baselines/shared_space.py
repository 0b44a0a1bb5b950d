"""What methods have in common that cluster items in a space shared by features and tags."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from conceptforest.baselines.spectral_cut import cut_graphs
from conceptforest.structure.cosine_graph import cosine_graph
from conceptforest.structure.k_means import k_means
from conceptforest.structure.spectral import unit_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conceptforest.tags import TagMatrix

__all__ = ["cut_shared_space", "tags_in_use"]


def cut_shared_space(
    points: NDArray[np.float64],
    X: NDArray[Any],
    n_clusters: int,
    *,
    n_neighbors: int = 20,
    n_init: int = 20,
    seed: int = 0,
    n_threads: int = 1,
) -> NDArray[np.int64]:
    """Cluster items by their angles in a shared space: nearest items by the cosine, then a cut.

    Parameters
    ----------
    points : ndarray of shape (n_items, n_components)
        Around the origin. Without components, all items are one cluster.
    X : ndarray of shape (n_items, n_features)
        An item at a positive cosine to no other gets the cluster of the one nearest to it here.
    n_clusters : int
    n_neighbors : int, default=20
    n_init : int, default=20
        Restarts of k-means.
    seed : int, default=0
    n_threads : int, default=1
        The labels do not depend on it.

    Returns
    -------
    ndarray of shape (n_items,), int64

    Examples
    --------
    >>> points = np.array([[1.0, 0.1], [1.0, -0.1], [-1.0, 0.1], [-1.0, -0.1]])
    >>> labels = cut_shared_space(points, points, 2)
    >>> labels.tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])
    True
    """
    if not points.shape[1]:
        return np.zeros(len(points), dtype=np.int64)
    with threadpool_limits(n_threads):  # neighbours are exact, so their number is free
        graph = cosine_graph(points, n_neighbors, seed=seed)
    common: dict[str, Any] = {"n_init": n_init, "seed": seed, "n_threads": n_threads}
    if np.count_nonzero(np.diff(graph.indptr)) < n_clusters:  # hardly two items in one direction
        return k_means(unit_rows(points), n_clusters, **common).labels
    return cut_graphs([graph], X, n_clusters, **common)


def tags_in_use(tags: TagMatrix) -> Any:
    """Give the columns of tags that some item has, csr_array of shape (n_items, n_used).

    Examples
    --------
    >>> from conceptforest.tags import parse_tags
    >>> tags_in_use(parse_tags(np.array([[0, 1], [0, 0]]))).toarray().tolist()
    [[1], [0]]
    """
    return sparse.csr_array(tags.matrix[:, np.flatnonzero(tags.counts)])
