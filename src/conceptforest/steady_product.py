"""Products of matrices whose rows do not depend on their company."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["steady_product"]


def steady_product(rows: NDArray[Any], weights: NDArray[Any]) -> NDArray[Any]:
    """Multiply two matrices, each row to the same bits whatever other rows there are.

    BLAS chooses its way by the size of the matrices, and rounds the sums of a row by where it
    stands among the others. Here each row is multiplied alone, which takes three to ten times as
    long. To be called where BLAS is held to one thread.

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
    weights = np.ascontiguousarray(weights)
    found = np.empty((len(rows), weights.shape[1]), dtype=rows.dtype)
    for row, values in zip(np.ascontiguousarray(rows), found, strict=True):
        np.matmul(row, weights, out=values)
    return found
