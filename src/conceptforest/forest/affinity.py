"""The affinity of items: the share of trees in which they end in the same leaf (Eq. 10)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from conceptforest import _core
from conceptforest.progress import progress_bar

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["dense_affinity", "nearest_affinity"]

_MAX_DENSE = 10_000  # items on either side of a dense affinity matrix: 800 MB


def nearest_affinity(
    rows: NDArray[np.int32],
    training: NDArray[np.int32],
    offsets: NDArray[np.int64],
    *,
    n_neighbors: int,
    exclude_self: bool,
    seed: int,
    n_threads: int,
    verbose: bool,
) -> Any:
    """Give each row's highest affinities to training items.

    Parameters
    ----------
    rows, training : ndarray of shape (n_trees, n_rows) and (n_trees, n_training), int32
        Leaf tables.
    offsets : ndarray of shape (n_trees + 1,), int64
        Where each tree's nodes begin.
    n_neighbors : int
        How many to keep in each row; an affinity of 0 is never kept.
    exclude_self : bool
        Rows are the training items, and each leaves itself out.
    seed : int
        Chooses among equal affinities.
    n_threads : int
    verbose : bool
        Show a progress bar.

    Returns
    -------
    csr_array of shape (n_rows, n_training), float64
    """
    shape = (rows.shape[1], training.shape[1])
    with progress_bar("finding neighbours", shape[0], show=verbose) as update:
        start, item, count = _core.nearest(
            rows,
            training,
            offsets,
            k=min(n_neighbors, shape[1]),
            exclude_self=exclude_self,
            seed=seed,
            n_threads=n_threads,
            progress=update,
        )
    if start[-1] <= np.iinfo(np.int32).max:  # many libraries take 32-bit indices only
        start = start.astype(np.int32)
    return sparse.csr_array((count / len(training), item, start), shape=shape)


def dense_affinity(
    rows: NDArray[np.int32],
    training: NDArray[np.int32],
    offsets: NDArray[np.int64],
    *,
    n_threads: int,
) -> NDArray[np.float64]:
    """Give all affinities of rows to training items, as :func:`nearest_affinity` takes them.

    Returns
    -------
    ndarray of shape (n_rows, n_training), float64

    Raises
    ------
    ValueError
        If there are too many items on either side.
    """
    shape = (rows.shape[1], training.shape[1])
    if max(shape) > _MAX_DENSE:
        raise ValueError(
            f"A dense affinity of {shape[0]} x {shape[1]} items would take"
            f" {shape[0] * shape[1] * 8 / 1e9:.1f} GB; dense=True is for at most"
            f" {_MAX_DENSE} items. Leave dense out to get the nearest"
            " n_neighbors of each item, or ask for fewer items."
        )
    counts = np.empty(shape, dtype=np.int32)
    _core.all_counts(rows, training, offsets, counts, n_threads, None)
    return counts / len(training)
