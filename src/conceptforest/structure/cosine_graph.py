"""The graph of items by the cosine of their rows, for methods that start from distances."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import sparse

from conceptforest.structure.graph import neighbour_graph
from conceptforest.structure.visual_neighbours import nearest_items

__all__ = ["cosine_graph"]


def cosine_graph(rows: Any, n_neighbors: int = 20, *, seed: int | None = 0) -> Any:
    """Join each item to those at the smallest angles, by the cosine.

    Parameters
    ----------
    rows : array or sparse array of shape (n_items, d), or tuple of such parts
        At least two items, finite. A tuple stands for the concatenation of its parts.
    n_neighbors : int, default=20
        Nearest items of each item; fewer if there are not so many.
    seed : int or None, default=0
        Chooses among items at equal angles.

    Returns
    -------
    csr_array of shape (n_items, n_items), float64
        Symmetric with an empty diagonal: two items are joined if either is among the nearest of
        the other and their cosine is positive. A row of zeros, as of an item without tags, has no
        angle to any other and is joined to none.

    Examples
    --------
    >>> cosine_graph(np.array([[1.0, 0.0], [3.0, 4.0], [0.0, 2.0], [0.0, 0.0]]), 2).toarray()
    array([[0. , 0.6, 0. , 0. ],
           [0.6, 0. , 0.8, 0. ],
           [0. , 0.8, 0. , 0. ],
           [0. , 0. , 0. , 0. ]])
    """
    parts = rows if isinstance(rows, tuple) else (rows,)
    n = parts[0].shape[0]
    length = np.sqrt(sum(_squares(part) for part in parts))
    known = length > 0
    unit = tuple(_divide(part, np.where(known, length, 1.0)) for part in parts)
    k = min(n_neighbors, n - 1)
    indices, distances = nearest_items(unit, unit, k, exclude_self=True, seed=seed)
    cosine = 1 - distances**2 / 2  # of rows of length 1
    cosine[~known] = 0
    cosine[~known[indices]] = 0
    # What is left of a right angle after rounding is not an affinity.
    cosine[cosine < 1e-12] = 0
    places = np.repeat(np.arange(n), k), indices.ravel()
    return neighbour_graph(sparse.csr_array((cosine.ravel(), places), shape=(n, n)))


def _squares(part: Any) -> Any:
    """Sum up the squares of each row, shape (n_items,)."""
    if not isinstance(part, np.ndarray):
        wide: Any = part.astype(np.float64)
        return np.asarray(wide.multiply(wide).sum(axis=1)).ravel()
    return np.einsum("ij,ij->i", part, part, dtype=np.float64)


def _divide(part: Any, length: Any) -> Any:
    """Divide each row by a number."""
    if not isinstance(part, np.ndarray):
        scale: Any = sparse.diags_array(1 / length)
        return sparse.csr_array(scale @ part.astype(np.float64))
    return part / length[:, None]
