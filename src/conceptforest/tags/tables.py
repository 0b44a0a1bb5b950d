"""Readers of tables, long and wide, from pandas, polars and whatever else narwhals reads."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import narwhals as nw
import numpy as np

from conceptforest.tags.names import Names, check_vocabulary, columns_of, encode
from conceptforest.tags.readers import Parsed, as_numbers, from_pairs, is_bad, refuse_value

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["open_table", "read_table"]

# Item numbers this far beyond the rows of a long table are ids from elsewhere, not row numbers;
# taking them at their word would allocate memory for items that do not exist.
MAX_UNLISTED_ITEMS = 50_000_000


def open_table(tags: Any) -> Any:
    """Wrap a table or Series with narwhals; give anything else back as it came."""
    try:
        native = nw.from_native(tags, pass_through=True, allow_series=True)
        if isinstance(native, nw.LazyFrame):
            native = native.collect()
        if isinstance(native, nw.DataFrame):
            _ = native.columns  # narwhals refuses repeated columns here
    except nw.exceptions.DuplicateError as error:
        raise ValueError(
            f"The table of tags names a column twice ({' '.join(str(error).split())}). "
            "Rename or merge the repeated columns."
        ) from error
    return native


def read_table(frame: nw.DataFrame[Any], wanted: Names | None, n_items: int | None) -> Parsed:
    """Tell long tables from wide ones by their columns."""
    columns = [str(column).lower() for column in frame.columns]
    if sorted(columns) != ["item", "tag"]:
        return _read_wide(frame, wanted)
    item, tag = (frame[frame.columns[columns.index(name)]] for name in ("item", "tag"))
    return _read_long(item, tag, wanted, n_items)


def _read_long(
    item: nw.Series[Any], tag: nw.Series[Any], wanted: Names | None, n_items: int | None
) -> Parsed:
    """Read a table with one row per item and tag."""
    if len(item) and not item.dtype.is_integer():
        raise TypeError(
            f"The column {item.name!r} of a long table of tags holds {item.dtype}; it must hold "
            "integer row numbers, 0 for the first item of X. Map other ids to row numbers first, "
            "e.g. with {id: row for row, id in enumerate(ids)}."
        )
    null = item.is_null().to_numpy()
    if null.any():
        raise ValueError(
            f"Row {int(null.argmax())} of the long table of tags has no item. Drop such rows, or "
            "fill in the item's row number."
        )
    rows = item.to_numpy().astype(np.int64)
    size = _count_items(rows, n_items)
    named = ~tag.is_null().to_numpy().astype(bool)
    flat = tag.to_list()
    if not named.all():
        rows, flat = rows[named], [flat[k] for k in np.flatnonzero(named)]
    names, columns = encode(flat, rows, wanted)
    return from_pairs(rows, columns, (size, len(names))), names


def _count_items(rows: NDArray[np.int64], n_items: int | None) -> int:
    """Check the item numbers of a long table and say how many items they speak of."""
    last = int(rows.max(initial=-1))
    if rows.min(initial=0) < 0 or (n_items is not None and last >= n_items):
        allowed = "0 or more" if n_items is None else f"0 to {n_items - 1}: X has {n_items} items"
        k = int(((rows < 0) | (rows >= (last + 1 if n_items is None else n_items))).argmax())
        raise ValueError(
            f"Row {k} of the long table of tags names item {int(rows[k])}; item numbers are row "
            f"numbers of X, {allowed}."
        )
    if n_items is None and last >= len(rows) + MAX_UNLISTED_ITEMS:
        raise ValueError(
            f"The long table of tags has {len(rows)} rows but names item {last}, which looks like "
            "an id rather than a row number. Map ids to row numbers from 0, or give n_items."
        )
    return last + 1 if n_items is None else n_items


def _read_wide(frame: nw.DataFrame[Any], wanted: Names | None) -> Parsed:
    """Read a table with one column per tag, a column at a time."""
    labels: list[Any] = list(frame.columns)
    for label in labels:
        if isinstance(label, bool) or not isinstance(label, (str, int, np.integer)) or label == "":
            raise TypeError(
                f"The wide table of tags has a column named {label!r}; tag names are non-empty "
                "strings. Rename the column."
            )
    names = check_vocabulary([str(label) for label in labels])
    places = columns_of(names, wanted)
    rows, columns = [np.empty(0, np.int64)], [np.empty(0, np.int64)]
    for name, place, column in zip(names, places, frame.iter_columns(), strict=True):
        given = np.flatnonzero(~column.is_null().to_numpy().astype(bool))
        known = column if given.size == len(column) else column.drop_nulls()
        values = as_numbers(known.to_numpy(), f"The column {name!r} of the wide table of tags")
        bad = is_bad(values)
        if bad.any():
            refuse_value(given[bad.argmax()], 0, values[bad.argmax()], (name,))
        rows.append(given[values != 0])
        columns.append(np.full(rows[-1].size, place, dtype=np.int64))
    shape = (len(frame), len(names if wanted is None else wanted))
    matrix = from_pairs(np.concatenate(rows), np.concatenate(columns), shape)
    return matrix, names if wanted is None else wanted
