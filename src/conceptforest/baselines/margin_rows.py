"""Vectors of items as linear machines of many clusters need them: around the mean, of size one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MarginRows"]

_BLOCK = 1024  # rows whose squares are summed at a time


class MarginRows:
    """Vectors in parts, dense and sparse, side by side, and a last coordinate of 1.

    Every part is taken around its mean and divided by the root of its mean squared length, so
    that a cost of violated margins means the same for all features. Sparse parts stay sparse.

    Parameters
    ----------
    parts : tuple of ndarray or csr_array, each of n_items rows
    each : bool, default=False
        Scale each part on its own, so that all count the same. Otherwise all by one number.

    Attributes
    ----------
    n : int
        Items.
    width : int
        Coordinates, the 1 among them.
    parts : list of ndarray or csr_array, float32
        Scaled; the dense ones are around their means.
    scales : list of float
        What each part was divided by; 0 for parts in which all items are alike.

    Examples
    --------
    >>> from scipy import sparse
    >>> rows = MarginRows((np.array([[0.0], [4.0]]), sparse.csr_array([[0, 1], [1, 0]])), each=True)
    >>> rows.take(np.array([1])).round(2).tolist()
    [[1.0, 0.7099999785423279, -0.7099999785423279, 1.0]]
    """

    def __init__(self, parts: tuple[Any, ...], *, each: bool = False) -> None:
        self.n = int(parts[0].shape[0])
        self.width = 1 + sum(int(part.shape[1]) for part in parts)
        means = [np.asarray(part.mean(axis=0, dtype=np.float64)).ravel() for part in parts]
        squares = [_mean_square(part, mean) for part, mean in zip(parts, means, strict=True)]
        if not each:
            squares = [sum(squares)] * len(squares)
        self.scales = [float(np.sqrt(square)) for square in squares]
        self.parts: list[Any] = []
        self._shifts: list[NDArray[np.float32]] = []  # of sparse parts
        for part, mean, scale in zip(parts, means, self.scales, strict=True):
            inverse = 1 / scale if scale > 0 else 0.0
            if isinstance(part, np.ndarray):
                around = np.empty(part.shape, dtype=np.float32)
                np.subtract(part, mean, out=around, casting="unsafe")
                self.parts.append(np.multiply(around, np.float32(inverse), out=around))
                self._shifts.append(np.zeros(0, dtype=np.float32))
            else:
                self.parts.append((part * inverse).astype(np.float32))
                self._shifts.append((mean * inverse).astype(np.float32))

    def take(self, items: Any) -> NDArray[np.float32]:
        """Write out the rows of some items, (n_taken, width)."""
        taken = [part[items] for part in self.parts]
        rows = np.ones((taken[0].shape[0], self.width), dtype=np.float32)
        start = 0
        for part, shift in zip(taken, self._shifts, strict=True):
            end = start + part.shape[1]
            if isinstance(part, np.ndarray):
                rows[:, start:end] = part
            else:
                np.subtract(part.toarray(), shift, out=rows[:, start:end])
            start = end
        return rows

    def values(self, weights: NDArray[np.float32]) -> NDArray[np.float32]:
        """Multiply all rows by weights of shape (width, n_columns)."""
        found = np.repeat(weights[-1:], self.n, axis=0)
        start = 0
        for part, shift in zip(self.parts, self._shifts, strict=True):
            own = weights[start : start + part.shape[1]]
            found += part @ own
            if len(shift):
                found -= shift @ own
            start += part.shape[1]
        return found

    def gather(self, amounts: NDArray[np.float32]) -> NDArray[np.float32]:
        """Multiply the transposed rows by amounts of shape (n_items, n_columns)."""
        found, start = np.empty((self.width, amounts.shape[1]), dtype=np.float32), 0
        for part, shift in zip(self.parts, self._shifts, strict=True):
            own = found[start : start + part.shape[1]]
            own[:] = part.T @ amounts
            if len(shift):
                own -= np.outer(shift, amounts.sum(axis=0))
            start += part.shape[1]
        found[-1] = amounts.sum(axis=0)
        return found


def _mean_square(part: Any, mean: NDArray[np.float64]) -> float:
    """Give the mean squared distance of rows from their mean."""
    if isinstance(part, np.ndarray):
        total = 0.0
        for start in range(0, len(part), _BLOCK):
            around = part[start : start + _BLOCK] - mean
            total += float(np.einsum("ij,ij->", around, around))
        return total / len(part)
    square = float(part.multiply(part).sum(dtype=np.float64)) / part.shape[0] - float(mean @ mean)
    return square if square > 1e-12 else 0.0
