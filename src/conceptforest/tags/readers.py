"""One reader for each form of tags without a table: sparse, dense, and a set of names per item.

Every reader gives the canonical matrix of :class:`~conceptforest.tags.matrix.TagMatrix` and the
names of its columns; ``wanted`` is the vocabulary that the caller asked for, or None.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping
from itertools import chain
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

import numpy as np
from scipy import sparse

from conceptforest.tags.names import Names, column_names, encode, short

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "ACCEPTED",
    "Parsed",
    "as_numbers",
    "from_pairs",
    "is_bad",
    "read_dense",
    "read_sets",
    "read_sparse",
    "refuse_value",
    "stack_rows",
]

Matrix: TypeAlias = "sparse.csr_array[np.uint8, tuple[int, int]]"
Parsed: TypeAlias = tuple[Matrix, Names]

MAX_INT32 = 2**31 - 1
ACCEPTED = (
    "Give a SciPy sparse or NumPy 0/1 matrix (items x tags), a list with one set of strings per "
    "item, or a table: long with the columns 'item' and 'tag', or wide with one 0/1 column per tag."
)
PLAIN = {set, frozenset, list, tuple}


def read_sparse(tags: Any, wanted: Names | None) -> Parsed:
    """Read a SciPy sparse matrix, leaving the caller's arrays alone."""
    if tags.ndim != 2:
        raise ValueError(f"tags must be 2-D (items x tags), got a {tags.ndim}-D sparse array.")
    names = column_names(tags.shape[1], wanted)
    try:
        if tags.format in {"csr", "csc"}:
            kind = sparse.csr_array if tags.format == "csr" else sparse.csc_array
            fresh: Any = kind((tags.data, tags.indices, tags.indptr), shape=tags.shape)
            fresh.check_format(full_check=True)
        else:
            fresh = sparse.coo_array(tags)
    except ValueError as error:
        raise ValueError(f"The sparse tag matrix is damaged: {error}.") from error
    entries = fresh.tocoo()
    values = as_numbers(entries.data, "The tag matrix")
    bad = np.flatnonzero(is_bad(values))
    if bad.size:
        k = bad[np.lexsort((entries.col[bad], entries.row[bad]))[0]]
        refuse_value(entries.row[k], entries.col[k], values[k], wanted)
    keep = values != 0
    rows, columns = entries.row, entries.col
    if not keep.all():
        rows, columns = rows[keep], columns[keep]
    return from_pairs(rows, columns, tags.shape), names


def read_dense(tags: NDArray[Any], wanted: Names | None) -> Parsed:
    """Read a 2-D array of numbers."""
    if tags.ndim != 2:
        raise ValueError(f"tags must be 2-D (items x tags), got shape {tags.shape}. {ACCEPTED}")
    names = column_names(tags.shape[1], wanted)
    values = as_numbers(tags, "The tag matrix")
    bad = is_bad(values)
    if bad.any():
        i, j = np.unravel_index(int(bad.argmax()), bad.shape)
        refuse_value(i, j, values[i, j], wanted)
    rows, columns = np.nonzero(values)
    return from_pairs(rows, columns, tags.shape), names


def stack_rows(items: list[Any]) -> NDArray[Any]:
    """Stack rows of numbers into a 2-D array."""
    sizes = [len(item) if isinstance(item, (list, tuple, np.ndarray)) else -1 for item in items]
    odd = next((i for i, size in enumerate(sizes) if size != sizes[0]), None)
    if odd is not None or sizes[0] < 0:
        raise ValueError(
            f"tags are rows of numbers, but item {odd or 0} is not like the first: "
            f"{short(items[odd or 0])}. Give rows of one length, a 0 or 1 for every tag; to list "
            "each item's own tags, use names: [{'cat', 'park'}, {'dog'}]."
        )
    try:
        return np.asarray(items)
    except (ValueError, OverflowError) as error:
        raise ValueError(f"tags as nested lists do not form a 2-D matrix: {error}.") from error


def read_sets(items: list[Any], wanted: Names | None) -> Parsed:
    """Read one collection of tag names per item."""
    if set(map(type, items)) - PLAIN:
        items = [_as_collection(i, item) for i, item in enumerate(items)]
    sizes = np.fromiter(map(len, items), dtype=np.int64, count=len(items))
    rows = np.repeat(np.arange(len(items)), sizes)
    names, columns = encode(list(chain.from_iterable(items)), rows, wanted)
    return from_pairs(rows, columns, (len(items), len(names))), names


def _as_collection(i: int, item: Any) -> Any:
    """Give one item's tags as a collection with a length."""
    if type(item) in PLAIN:
        return item
    if item is None:
        return ()
    if isinstance(item, str):
        raise TypeError(
            f"The tags of item {i} are the bare string {short(item)}, which would be split into "
            f"letters. Write {{{short(item)}}} for one tag, or a set of strings for several."
        )
    scalar = isinstance(item, np.ndarray) and item.ndim == 0
    if scalar or isinstance(item, (numbers.Number, np.generic)):
        raise ValueError(
            f"tags are 1-D: item {i} is the number {item}. Tags must be 2-D, items x tags, with 0 "
            "or 1 in each place; use labels.reshape(-1, 1) if one column is meant, or one set of "
            "strings per item."
        )
    if isinstance(item, (bytes, Mapping)) or not isinstance(item, Iterable):
        raise TypeError(
            f"The tags of item {i} are of type {type(item).__name__}; give a set of strings, or "
            "None for an item without tags."
        )
    return tuple(item)


def from_pairs(rows: NDArray[Any], columns: NDArray[Any], shape: tuple[int, int]) -> Matrix:
    """Build the canonical matrix from (item, tag) pairs in any order, repeats allowed."""
    ones = np.ones(len(rows), dtype=np.uint8)
    width = np.int32 if max(*shape, len(rows)) <= MAX_INT32 else np.int64
    pairs: Any = (rows.astype(width, copy=False), columns.astype(width, copy=False))
    matrix = sparse.csr_array((ones, pairs), shape=shape)
    matrix.sum_duplicates()
    matrix.data[:] = 1
    return matrix


def as_numbers(values: NDArray[Any], what: str) -> NDArray[Any]:
    """Give bool, integer and float arrays as they are, and objects that are numbers as floats."""
    kind = values.dtype.kind
    if kind == "O" and not any(isinstance(value, (str, bytes)) for value in values.flat):
        try:
            return values.astype(np.float64)
        except (TypeError, ValueError, OverflowError):
            pass
    if kind not in "buif":
        sample = f", e.g. {short(values.flat[0])}" if values.size else ""
        raise TypeError(f"{what} holds values of dtype {values.dtype}{sample}. {ACCEPTED}")
    return values


def is_bad(values: NDArray[Any]) -> NDArray[np.bool_]:
    """Mark what is not a whole number from 0 up."""
    if values.dtype.kind in "bu":
        return np.zeros(values.shape, dtype=np.bool_)
    bad = ~(values >= 0)
    if values.dtype.kind == "f":
        bad |= ~np.isfinite(values) | (values != np.floor(values))
    return np.asarray(bad, dtype=np.bool_)


def refuse_value(item: Any, column: Any, value: Any, names: Names | None) -> NoReturn:
    """Say which value is not allowed, and where it is."""
    tag = f"tag {names[int(column)]!r}" if names else f"tag number {int(column)}"
    raise ValueError(
        f"tags hold {value!s} at item {int(item)}, {tag}. Use 1 for a tag that is present and 0 "
        "for one that is not; counts above 1 mean present."
    )
