"""Keeping the highest scores of each item, and asking which tags it has."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["blocks", "contains", "keep_highest", "row_numbers"]

_CELLS = 2**21  # scores in a block of rows, if every tag had one


def blocks(n_rows: int, n_columns: int) -> Iterator[slice]:
    """Cut rows into blocks that stay small however many columns there are.

    Parameters
    ----------
    n_rows, n_columns : int

    Yields
    ------
    slice

    Examples
    --------
    >>> [(rows.start, rows.stop) for rows in blocks(5, 1_000_000)]
    [(0, 2), (2, 4), (4, 5)]
    """
    step = max(1, _CELLS // max(1, n_columns))
    for start in range(0, n_rows, step):
        yield slice(start, min(n_rows, start + step))


def row_numbers(matrix: Any) -> NDArray[np.int64]:
    """Give the row of each entry of a CSR array, (nnz,)."""
    return np.repeat(np.arange(matrix.shape[0], dtype=np.int64), np.diff(matrix.indptr))


def contains(matrix: Any, rows: NDArray[Any], columns: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell which cells of a canonical CSR array are stored.

    Parameters
    ----------
    matrix : csr_array of shape (n_rows, n_columns)
    rows, columns : ndarray of shape (n_cells,), int

    Returns
    -------
    ndarray of shape (n_cells,), bool
    """
    width = np.int64(matrix.shape[1])
    stored = row_numbers(matrix) * width + matrix.indices
    wanted = rows.astype(np.int64) * width + columns
    if len(stored) == 0:
        return np.zeros(len(wanted), dtype=np.bool_)
    at = np.minimum(np.searchsorted(stored, wanted), len(stored) - 1)
    return np.asarray(stored[at] == wanted)


def keep_highest(
    scores: Any, observed: Any, counts: NDArray[np.int64], n_scores: int | None
) -> Any:
    """Keep each row's highest scores among the tags that it lacks, and all of those that it has.

    Parameters
    ----------
    scores : csr_array of shape (n_rows, n_tags), float64
        Sorted indices.
    observed : csr_array of shape (n_rows, n_tags)
        Tags that each row has; canonical.
    counts : ndarray of shape (n_tags,), int64
        Items per tag. Of equal scores that of the more frequent tag is kept, then that of the
        lower column.
    n_scores : int or None
        How many to keep among the tags that a row lacks; None keeps all.

    Returns
    -------
    csr_array of shape (n_rows, n_tags), float64
        Positive scores only, indices sorted.
    """
    rows = row_numbers(scores)
    kept = scores.data > 0
    if n_scores is not None:
        lacking = kept & ~contains(observed, rows, scores.indices)
        kept &= ~lacking
        kept[_highest(scores, rows, lacking, counts, n_scores)] = True
    if kept.all():
        return scores
    start = np.zeros(scores.shape[0] + 1, dtype=scores.indptr.dtype)
    np.cumsum(np.bincount(rows[kept], minlength=scores.shape[0]), out=start[1:])
    return sparse.csr_array((scores.data[kept], scores.indices[kept], start), shape=scores.shape)


def _highest(
    scores: Any,
    rows: NDArray[np.int64],
    lacking: NDArray[np.bool_],
    counts: NDArray[np.int64],
    n_scores: int,
) -> NDArray[np.int64]:
    """Give the entries of `scores` that are each row's `n_scores` highest of those `lacking`."""
    candidates = np.flatnonzero(lacking)
    start = np.searchsorted(rows[candidates], np.arange(scores.shape[0] + 1))
    far = _clearly_lower(scores.data[candidates], start, n_scores)
    candidates = candidates[~far]
    row, column = rows[candidates], scores.indices[candidates]
    order = np.lexsort((column, -counts[column], -scores.data[candidates], row))
    first = np.searchsorted(row, np.arange(scores.shape[0]))
    place = np.arange(len(row)) - first[row]  # `row` ascends, so it is that of `order` too
    return candidates[order[place < n_scores]]


def _clearly_lower(
    values: NDArray[np.float64], start: NDArray[np.int64], n_scores: int
) -> NDArray[np.bool_]:
    """Tell which values of long rows cannot be among the highest, to spare sorting them."""
    lower = np.zeros(len(values), dtype=np.bool_)
    for i in np.flatnonzero(np.diff(start) > 2 * n_scores):
        row = values[start[i] : start[i + 1]]
        bound = np.partition(row, len(row) - n_scores)[len(row) - n_scores]
        lower[start[i] : start[i + 1]] = row < bound
    return lower
