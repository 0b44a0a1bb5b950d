"""The self-tuning Gaussian graph of items, for methods that start from distances."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from conceptforest.structure.graph import neighbour_graph
from conceptforest.structure.visual_neighbours import nearest_items

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["gaussian_graph", "gaussian_graphs"]

_SCALE_NEIGHBOUR = 7  # whose distance is an item's scale (Zelnik-Manor and Perona)


def gaussian_graph(rows: Any, n_neighbors: int = 20, *, seed: int | None = 0) -> Any:
    """Join each item to its nearest ones by an affinity that adapts to how dense the items lie.

    The affinity of two items at distance d is ``exp(-d * d / (s * t))`` with s and t the
    distances to their 7th neighbours. Where that is 0, an item's scale is the distance to the
    first of its neighbours that is not its double, or else, if all are, the median scale.

    Parameters
    ----------
    rows : array or sparse array of shape (n_items, d), or tuple of such parts
        At least two items, finite.
    n_neighbors : int, default=20
        Nearest items of each item; fewer if there are not so many.
    seed : int or None, default=0
        Chooses among items at equal distance.

    Returns
    -------
    csr_array of shape (n_items, n_items), float64
        Symmetric with an empty diagonal: two items are joined if either is among the nearest of
        the other. Doubles have affinity 1.

    Examples
    --------
    >>> line = np.array([[0.0], [1.0], [2.0], [10.0]])
    >>> gaussian_graph(line, 1).toarray().round(2)
    array([[0.  , 0.99, 0.  , 0.  ],
           [0.99, 0.  , 0.99, 0.  ],
           [0.  , 0.99, 0.  , 0.45],
           [0.  , 0.  , 0.45, 0.  ]])
    """
    return gaussian_graphs(rows, n_neighbors, seed=seed)[0]


def gaussian_graphs(
    rows: Any,
    n_neighbors: int = 20,
    *,
    bandwidths: Sequence[float] = (1.0,),
    seed: int | None = 0,
) -> list[Any]:
    """Join each item to its nearest ones by affinities that reach more or less far.

    Parameters
    ----------
    rows, n_neighbors, seed : see gaussian_graph
    bandwidths : sequence of float, default=(1.0,)
        Above 0. What `s * t` is multiplied by, in each graph.

    Returns
    -------
    list of csr_array of shape (n_items, n_items), float64
        A graph for each bandwidth, each as of :func:`gaussian_graph`.

    Examples
    --------
    >>> pair = np.array([[0.0], [1.0]])
    >>> [float(graph[0, 1].round(3)) for graph in gaussian_graphs(pair, bandwidths=[0.5, 1, 2])]
    [0.135, 0.368, 0.607]
    """
    n = (rows[0] if isinstance(rows, tuple) else rows).shape[0]
    k = min(max(n_neighbors, _SCALE_NEIGHBOUR), n - 1)
    indices, distances = nearest_items(rows, rows, k, exclude_self=True, seed=seed)
    scales = _scales(distances)
    indices, distances = indices[:, :n_neighbors], distances[:, :n_neighbors]
    apart = (distances / scales[:, None]) * (distances / scales[indices])
    places = np.repeat(np.arange(n), indices.shape[1]), indices.ravel()
    return [
        neighbour_graph(sparse.csr_array((np.exp(-apart / width).ravel(), places), shape=(n, n)))
        for width in bandwidths
    ]


def _scales(distances: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give each item's scale from the distances to its nearest items, nearest first."""
    scales = distances[:, min(_SCALE_NEIGHBOUR, distances.shape[1]) - 1].copy()
    smallest = np.where(distances > 0, distances, np.inf).min(axis=1)
    scales = np.where(scales > 0, scales, smallest)
    known = np.isfinite(scales)
    scales[~known] = np.median(scales[known]) if known.any() else 1.0
    return scales
