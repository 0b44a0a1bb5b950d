"""From graphs of items to clusters, the last step of every method that ends in one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest.structure.graph import normalise
from conceptforest.structure.k_means import k_means
from conceptforest.structure.spectral import embed, leading_vectors, unit_rows
from conceptforest.structure.visual_neighbours import nearest_items

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["cut_graphs"]


def cut_graphs(
    graphs: Sequence[Any],
    X: NDArray[Any],
    n_clusters: int,
    *,
    n_init: int = 20,
    seed: int = 0,
    n_threads: int = 1,
) -> NDArray[np.int64]:
    """Cluster the items of a graph, or of several that count the same, after Ng, Jordan and Weiss.

    Parameters
    ----------
    graphs : sequence of csr_array of shape (n_items, n_items)
        Symmetric affinities with empty diagonals. Of several, the mean of the normalised ones is
        embedded.
    X : ndarray of shape (n_items, n_features)
        An item that no graph joins to another gets the cluster of the nearest one that is joined.
    n_clusters : int
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
    >>> from scipy import sparse
    >>> pairs = sparse.csr_array(np.kron(np.eye(2), [[0.0, 1.0], [1.0, 0.0]]))
    >>> labels = cut_graphs([pairs], np.arange(4.0)[:, None], 2)
    >>> labels.tolist() in ([0, 0, 1, 1], [1, 1, 0, 0])
    True
    """
    rows, left_out = _embedded(graphs, n_clusters)
    inside = np.flatnonzero(~left_out)
    labels = np.empty(len(X), dtype=np.int64)
    labels[inside] = k_means(
        rows[inside], n_clusters, n_init=n_init, seed=seed, n_threads=n_threads
    ).labels
    if left_out.any():
        nearest, _ = nearest_items(X[left_out], X[inside], 1, seed=seed)
        labels[left_out] = labels[inside][nearest[:, 0]]
    return labels


def _embedded(
    graphs: Sequence[Any], n_clusters: int
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Give a point for each item, and which items have none."""
    if len(graphs) == 1:
        embedding = embed(graphs[0], n_clusters)
        return embedding.rows, embedding.left_out
    mean = sum(normalise(graph) for graph in graphs) / len(graphs)
    _, vectors = leading_vectors(mean.tocsr(), n_clusters)
    return unit_rows(vectors), np.diff(mean.indptr) == 0
