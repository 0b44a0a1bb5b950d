"""Products of matrices whose rows do not depend on their company."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["steady_product"]

_ROWS = 256  # multiplied at a time


def steady_product(rows: NDArray[Any], weights: NDArray[Any]) -> NDArray[Any]:
    """Multiply two matrices, each row to the same bits whatever other rows there are.

    BLAS chooses its way by the size of the matrices, and with it how sums are rounded. Here it
    always gets the same number of rows, the last ones filled up with zeros. To be called where BLAS
    is held to one thread.

    Parameters
    ----------
    rows : ndarray of shape (n, d), float32 or float64
    weights : ndarray of shape (d, m), of the same type

    Returns
    -------
    ndarray of shape (n, m), of the same type

    Examples
    --------
    >>> rows, weights = np.eye(2, dtype=np.float32), np.ones((2, 3), dtype=np.float32)
    >>> steady_product(rows, weights).tolist()
    [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]]
    """
    found = np.empty((len(rows), weights.shape[1]), dtype=rows.dtype)
    block = np.zeros((_ROWS, rows.shape[1]), dtype=rows.dtype)
    for start in range(0, len(rows), _ROWS):
        part = rows[start : start + _ROWS]
        block[: len(part)] = part
        block[len(part) :] = 0.0
        found[start : start + _ROWS] = (block @ weights)[: len(part)]
    return found
