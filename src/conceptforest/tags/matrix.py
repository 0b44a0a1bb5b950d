"""Every accepted form of tags becomes one sparse 0/1 matrix and a vocabulary, here and only here.

The way in is :func:`parse_tags`; what comes out is a :class:`TagMatrix`, and nothing after this
file asks again what the caller passed. No form is ever made dense on the way.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np
from scipy import sparse

from conceptforest.tags.names import Names, check_vocabulary, columns_of
from conceptforest.tags.readers import (
    ACCEPTED,
    Parsed,
    from_pairs,
    read_dense,
    read_sets,
    read_sparse,
    stack_rows,
)
from conceptforest.tags.tables import open_table, read_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["TagMatrix", "parse_tags"]


@dataclass(frozen=True, eq=False, repr=False)
class TagMatrix:
    """Which item carries which tag, and what the tags are called.

    Attributes
    ----------
    matrix : csr_array of shape (n_items, n_tags), uint8
        Canonical: indices sorted, no duplicates, every stored value is 1. SciPy refuses some
        operations when its two index arrays differ in width, so the widths are SciPy's choice
        (int32 for both up to 2**31 - 1 entries).
    vocabulary : tuple of str, length n_tags
        Name of each column; column numbers written as strings where the tags have no names.

    Examples
    --------
    >>> tags = parse_tags([{"cat", "indoor"}, None, {"cat"}])
    >>> tags.vocabulary
    ('cat', 'indoor')
    >>> tags.counts.tolist(), tags.untagged.tolist()
    ([2, 1], [False, True, False])
    """

    matrix: sparse.csr_array[np.uint8, tuple[int, int]]
    vocabulary: Names

    def __post_init__(self) -> None:
        if self.matrix.shape[1] != len(self.vocabulary):
            raise ValueError(
                f"The tag matrix has {self.matrix.shape[1]} columns but the vocabulary has "
                f"{len(self.vocabulary)} names. Give one name per column."
            )

    def __repr__(self) -> str:
        return (
            f"<TagMatrix: {self.n_items:,} items, {self.n_tags:,} tags,"
            f" {self.matrix.nnz / max(1, self.n_items):.2f} an item>"
        )

    @property
    def n_items(self) -> int:
        """Number of items, with and without tags."""
        return int(self.matrix.shape[0])

    @property
    def n_tags(self) -> int:
        """Number of tags, with and without items."""
        return int(self.matrix.shape[1])

    @property
    def counts(self) -> NDArray[np.int64]:
        """Items per tag, shape (n_tags,) (Eq. 6)."""
        return np.bincount(self.matrix.indices, minlength=self.n_tags).astype(np.int64)

    @property
    def untagged(self) -> NDArray[np.bool_]:
        """True where an item carries no tag, shape (n_items,)."""
        return np.asarray(np.diff(self.matrix.indptr) == 0)


def parse_tags(
    tags: Any, *, vocabulary: Sequence[str] | None = None, n_items: int | None = None
) -> TagMatrix:
    """Turn any accepted form of tags into a :class:`TagMatrix`.

    Parameters
    ----------
    tags : sparse matrix, array, sequence, table or TagMatrix
        One of:

        - SciPy sparse matrix or array of shape (n_items, n_tags), any format;
        - dense array or nested lists of numbers, same shape;
        - a sequence, array or Series of n_items collections of tag names; ``None`` is an item
          without tags;
        - a long table (pandas, polars or anything else narwhals reads) with exactly the columns
          ``item`` and ``tag`` in any case: row numbers from 0, and names. A null name lists an
          item without giving it a tag;
        - a wide table: one column per tag, one row per item, a null is a 0;
        - a TagMatrix.

        Positive whole numbers mean that the tag is present, 0 that it is not; anything else is
        refused, before repeated entries are merged into one.
    vocabulary : sequence of unique str of length n_tags, default=None
        Names of the columns, in order. By default the sorted names of sets and long tables, the
        columns of wide tables, and column numbers for matrices. Forms with names are matched to
        it by name and may not use others.
    n_items : int, default=None
        How many items there must be. Long tables cannot say by themselves: by default theirs is
        the largest item number plus one.

    Returns
    -------
    TagMatrix
        Items without tags and, in matrices, wide tables and given vocabularies, tags without
        items are kept.

    Raises
    ------
    TypeError
        If the form, a dtype or a tag name is of the wrong kind.
    ValueError
        If values, shapes, names or item numbers are not as described above.

    Examples
    --------
    >>> parse_tags([["dog", "park"], set(), ["dog"]]).matrix.toarray()
    array([[1, 1],
           [0, 0],
           [1, 0]], dtype=uint8)
    >>> parse_tags([[0, 2], [1, 0]], vocabulary=["cat", "dog"]).matrix.toarray()
    array([[0, 1],
           [1, 0]], dtype=uint8)
    """
    wanted = None if vocabulary is None else check_vocabulary(vocabulary)
    if isinstance(tags, TagMatrix):
        parsed = _match(tags, wanted)
    else:
        parsed = TagMatrix(*_read(tags, wanted, n_items))
    if n_items is not None and parsed.n_items != n_items:
        raise ValueError(
            f"X has {n_items} items but tags have {parsed.n_items}. Give one row of tags per item, "
            "an empty one for an item without tags."
        )
    return parsed


def _read(tags: Any, wanted: Names | None, n_items: int | None) -> Parsed:
    """Find out which form the tags have and hand them to its reader."""
    if sparse.issparse(tags):
        return read_sparse(tags, wanted)
    native = open_table(tags)
    if isinstance(native, nw.DataFrame):
        return read_table(native, wanted, n_items)
    if isinstance(native, nw.Series):
        null = native.is_null().to_list()
        items = [None if gone else item for item, gone in zip(native.to_list(), null, strict=True)]
    else:
        array = _open_array(tags)
        if array is not None and array.ndim != 1:
            return read_dense(array, wanted)
        items = _open_sequence(tags if array is None else array)
    if _has_rows_of_numbers(items):
        return read_dense(stack_rows(items), wanted)
    return read_sets(items, wanted)


def _match(tags: TagMatrix, wanted: Names | None) -> TagMatrix:
    """Pass a TagMatrix through, its columns in the order of the vocabulary if one is given."""
    if wanted is None or wanted == tags.vocabulary:
        return tags
    entries = tags.matrix.tocoo()
    columns = columns_of(tags.vocabulary, wanted)[entries.col]
    return TagMatrix(from_pairs(entries.row, columns, (tags.n_items, len(wanted))), wanted)


def _open_array(tags: Any) -> NDArray[Any] | None:
    """Give arrays, and whatever turns itself into one, as a plain array; others as None."""
    if isinstance(tags, np.ma.MaskedArray):
        return np.asarray(tags.filled(0))
    return np.asarray(tags) if hasattr(tags, "__array__") else None


def _open_sequence(tags: Any) -> list[Any]:
    """Put the items of an ordered collection into a list."""
    if tags is None:
        raise ValueError(f"tags is None. {ACCEPTED}")
    if isinstance(tags, (str, bytes, Mapping)) or not isinstance(tags, Iterable):
        raise TypeError(f"tags is of type {type(tags).__name__}. {ACCEPTED}")
    if isinstance(tags, (set, frozenset)):
        raise TypeError(
            "tags is a set, whose items have no order. Give a list with one set of strings per "
            "item, in the order of the items."
        )
    return list(tags)


def _has_rows_of_numbers(items: list[Any]) -> bool:
    """Tell nested lists of 0/1 from lists of names, by the first row that holds anything."""
    for item in items:
        sized = isinstance(item, (list, tuple)) or (isinstance(item, np.ndarray) and item.ndim > 0)
        if sized and len(item):
            first = item[0]
            return isinstance(first, (numbers.Number, np.generic)) and not isinstance(first, str)
        if isinstance(item, (set, frozenset)) and item:
            return False
    return False
