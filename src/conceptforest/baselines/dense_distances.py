"""Distances between all items, for methods that need every one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from conceptforest.in_threads import in_threads
from conceptforest.progress import progress_bar

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

__all__ = ["squared_distances"]

_BLOCK = 256  # rows of a product; fixed, so that threads cannot change its rounding


def squared_distances(
    parts: tuple[Any, ...],
    *,
    dtype: DTypeLike = np.float32,
    n_threads: int = 1,
    verbose: bool = False,
) -> tuple[NDArray[Any], float]:
    """Give the squared Euclidean distances of all pairs of items.

    Parameters
    ----------
    parts : tuple of ndarray or csr_array, each of n_items rows
        Parts of the items' vectors side by side.
    dtype : dtype, default=float32
        Of the answer; sums are in double precision.
    n_threads : int, default=1
        The answer does not depend on it.
    verbose : bool, default=False

    Returns
    -------
    squares : ndarray of shape (n_items, n_items)
        In multiples of `unit`, which keeps them within any precision. Symmetric; zero on the
        diagonal, and for doubles. All of it is held: 4 bytes a pair in single precision.
    unit : float
        The mean squared distance; 1 if all items are alike.

    Examples
    --------
    >>> squares, unit = squared_distances((np.array([[0.0], [1.0], [3.0]]),), dtype=np.float64)
    >>> (squares * unit).round(6).tolist(), round(unit, 6)
    ([[0.0, 1.0, 9.0], [1.0, 0.0, 4.0], [9.0, 4.0, 0.0]], 3.111111)
    """
    n = parts[0].shape[0]
    opened = [_open(part) for part in parts]
    lengths = [_squared_lengths(part) for part in opened]
    unit = _mean_square(opened, lengths)
    squares = np.empty((n, n), dtype=dtype)

    def fill(start: int) -> None:
        stop = min(start + _BLOCK, n)
        found = np.zeros((stop - start, n - start))
        for part, length in zip(opened, lengths, strict=True):
            found += _part_of(part, length, start, stop)
        found /= unit
        square = found[:, : stop - start]
        np.fill_diagonal(square, 0.0)
        np.maximum(square, square.T.copy(), out=square)
        squares[start:stop, start:] = found
        squares[start:, start:stop] = found.T

    starts = range(0, n, _BLOCK)
    with (
        threadpool_limits(1),
        progress_bar("distances", len(starts), show=verbose) as update,
        in_threads(fill, starts, n_threads) as results,
    ):
        for done, _ in enumerate(results, start=1):
            if update:
                update(done)
    return squares, unit


def _open(part: Any) -> Any:
    """Give rows in double precision; dense ones around their mean, where products lose less."""
    if not isinstance(part, np.ndarray):
        return part.astype(np.float64)
    wide = np.array(part, dtype=np.float64)
    wide -= wide.mean(axis=0)
    return wide


def _squared_lengths(part: Any) -> NDArray[np.float64]:
    if isinstance(part, np.ndarray):
        return np.asarray(np.einsum("ij,ij->i", part, part))
    return np.asarray(part.multiply(part).sum(axis=1)).ravel()


def _mean_square(parts: list[Any], lengths: list[NDArray[np.float64]]) -> float:
    """Give the mean squared distance of all pairs: twice the mean squared distance to the mean."""
    n = len(lengths[0])
    found = sum(
        2 * (float(length.mean()) - float(((part.sum(axis=0) / n) ** 2).sum()))
        for part, length in zip(parts, lengths, strict=True)
    )
    # Of items that are all alike nothing but rounding is left.
    return found if found > 1e-13 * sum(float(length.mean()) for length in lengths) else 1.0


def _part_of(part: Any, lengths: NDArray[np.float64], start: int, stop: int) -> NDArray[np.float64]:
    """Give the squared distances in one part of some rows to all from the first of them on."""
    products = part[start:stop] @ part[start:].T
    found = products if isinstance(products, np.ndarray) else products.toarray()
    found *= -2
    size = lengths[start:stop, None] + lengths[start:]
    found += size
    # What a product of rows may err by is no distance: doubles lie at 0.
    size *= (part.shape[1] + 8) * np.finfo(np.float64).eps
    found[found <= size] = 0.0
    return np.asarray(found)
