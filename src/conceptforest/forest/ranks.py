"""Feature values as dense ranks, column by column."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest import _core

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["as_core_floats", "rank_features"]

_BLOCK_CELLS = 2**22  # values transposed and ranked at a time: X may be a file larger than memory
_MAX_16 = 2**16 - 1  # items whose ranks fit 16 bits


def as_core_floats(block: Any) -> NDArray[Any]:
    """Give a block as the core's float32 where that is exact for its type, else as float64.

    Integers beyond 2**53 and long doubles are rounded.
    """
    narrow = block.dtype in (np.float16, np.float32)
    return np.ascontiguousarray(block, dtype=np.float32 if narrow else np.float64)


def rank_features(
    X: NDArray[Any], n_threads: int, update: Callable[[int], None] | None = None
) -> NDArray[Any]:
    """Rank the values of each feature; equal values have equal ranks.

    Parameters
    ----------
    X : ndarray of shape (n_items, n_features)
        Finite numbers; may be a read-only memory map.
    n_threads : int
    update : callable or None, default=None
        Told how many features are done.

    Returns
    -------
    ndarray of shape (n_features, n_items), uint16 where the items allow it, else uint32

    Examples
    --------
    >>> rank_features(np.array([[0.5, 7.0], [-1.0, 7.0], [0.5, 3.0]]), 1)
    array([[1, 0, 1],
           [1, 1, 0]], dtype=uint16)
    """
    n, d = X.shape
    ranks = np.empty((d, n), dtype=np.uint16 if n <= _MAX_16 else np.uint32)
    step = max(1, _BLOCK_CELLS // n)
    for begin in range(0, d, step):
        end = min(d, begin + step)
        _core.rank_columns(as_core_floats(X[:, begin:end].T), ranks[begin:end], n_threads)
        if update is not None:
            update(end)
    return ranks
