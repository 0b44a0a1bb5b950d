"""The graph that joins each item to its nearest items."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["degrees", "neighbour_graph", "normalise"]


def neighbour_graph(affinity: Any) -> Any:
    """Join two items if either is among the nearest of the other.

    Parameters
    ----------
    affinity : sparse array of shape (n_items, n_items)
        Each row's affinities to its nearest items, not negative.

    Returns
    -------
    csr_array of shape (n_items, n_items), float64
        Symmetric: of the two affinities of a pair the larger. The diagonal and zeros are not
        stored.

    Examples
    --------
    >>> nearest = sparse.csr_array([[1.0, 0.5, 0.0], [0.2, 0.0, 0.1], [0.0, 0.0, 0.0]])
    >>> neighbour_graph(nearest).toarray()
    array([[0. , 0.5, 0. ],
           [0.5, 0. , 0.1],
           [0. , 0.1, 0. ]])
    """
    entries = sparse.coo_array(affinity, dtype=np.float64)
    kept = (entries.row != entries.col) & (entries.data != 0)
    # Narrow numbers: half the memory, and many libraries take no others.
    narrow = sparse.get_index_dtype(maxval=max(2 * len(entries.data), *entries.shape))
    places = entries.row[kept].astype(narrow), entries.col[kept].astype(narrow)
    one_way = sparse.csr_array((entries.data[kept], places), shape=entries.shape)
    graph = sparse.csr_array(one_way.maximum(one_way.T))
    graph.sort_indices()
    return graph


def degrees(graph: Any) -> NDArray[np.float64]:
    """Sum up the affinities of each item, shape (n_items,)."""
    return np.asarray(graph.sum(axis=1), dtype=np.float64).ravel()


def normalise(graph: Any) -> Any:
    """Divide every affinity by the roots of its two items' degrees.

    Parameters
    ----------
    graph : csr_array of shape (n_items, n_items)
        Symmetric and not negative.

    Returns
    -------
    csr_array of shape (n_items, n_items), float64
        Its eigenvalues are at most 1. Rows of items without affinities stay empty.

    Examples
    --------
    >>> normalise(sparse.csr_array([[0.0, 4.0], [4.0, 0.0]])).toarray()
    array([[0., 1.],
           [1., 0.]])
    """
    degree = degrees(graph)
    scale = np.divide(1.0, np.sqrt(degree), out=np.zeros_like(degree), where=degree > 0)
    rows = np.repeat(np.arange(graph.shape[0]), np.diff(graph.indptr))
    data = graph.data * scale[rows] * scale[graph.indices]
    return sparse.csr_array((data, graph.indices, graph.indptr), shape=graph.shape)
