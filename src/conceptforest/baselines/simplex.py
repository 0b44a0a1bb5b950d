"""Rows of numbers that are no smaller than a floor and sum up to one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["project_rows"]


def project_rows(rows: NDArray[np.float64], floor: float = 0.0) -> NDArray[np.float64]:
    """Give for each row the nearest one that sums up to 1 and has no number below a floor.

    Parameters
    ----------
    rows : ndarray of shape (n, m), float64
    floor : float, default=0.0
        At most 1 / m.

    Returns
    -------
    ndarray of shape (n, m), float64

    Examples
    --------
    >>> project_rows(np.array([[0.7, 0.5, -3.0]]), floor=0.1).round(2).tolist()
    [[0.55, 0.35, 0.1]]
    """
    room = 1 - floor * rows.shape[1]  # to share out above the floor
    ordered = np.sort(rows, axis=1)[:, ::-1]
    sums = np.cumsum(ordered, axis=1) - room
    # Those above the floor lose the same: the j highest lose `sums / j` if these are they.
    losses = sums / np.arange(1, rows.shape[1] + 1)
    above = np.maximum((ordered > losses).sum(axis=1), 1)
    loss = losses[np.arange(len(rows)), above - 1]
    found: NDArray[np.float64] = rows - loss[:, None]
    np.maximum(found, 0.0, out=found)
    found += floor
    return found
