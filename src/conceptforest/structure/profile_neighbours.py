"""Which items show the same tags, by their profiles."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from conceptforest.structure.visual_neighbours import nearest_items

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["profile_neighbours"]

_POWER = 4  # of the cosine: near ones count more


def profile_neighbours(
    queries: NDArray[np.float32],
    rows: NDArray[np.float32],
    n_neighbors: int,
    *,
    exclude_self: bool,
    seed: int,
    n_threads: int = 1,
) -> Any:
    """Give the affinity of each query to the nearest rows: the fourth power of their cosine.

    Parameters
    ----------
    queries : ndarray of shape (n_queries, n_tags), float32
        Profiles, see :class:`~conceptforest.regression.tag_profile.TagProfile`.
    rows : ndarray of shape (n_items, n_tags), float32
    n_neighbors : int
        Fewer where there are not so many items.
    exclude_self : bool
        The queries are the rows, and each leaves itself out.
    seed : int
        Chooses among equally near ones.
    n_threads : int, default=1
        The answer does not depend on it.

    Returns
    -------
    csr_array of shape (n_queries, n_items), float64
        Rows of zeros have no affinity to any.

    Examples
    --------
    >>> rows = np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]], dtype=np.float32)
    >>> profile_neighbours(rows, rows, 1, exclude_self=True, seed=0).toarray().round(2)
    array([[0.  , 0.13, 0.  ],
           [0.  , 0.  , 0.41],
           [0.  , 0.41, 0.  ]])
    """
    n_queries, n_items = len(queries), len(rows)
    k = min(n_neighbors, n_items - bool(exclude_self))
    with threadpool_limits(n_threads):  # neighbours are exact, so their number is free
        items, distances = nearest_items(
            queries, rows, k, metric="cosine", exclude_self=exclude_self, seed=seed
        )
    cosine = 1 - distances
    cosine[cosine < 1e-6] = 0  # what is left of a right angle after rounding
    found: Any = sparse.csr_array(
        ((cosine**_POWER).ravel(), items.ravel(), np.arange(0, n_queries * k + 1, k)),
        shape=(n_queries, n_items),
    )
    found.eliminate_zeros()
    return found
