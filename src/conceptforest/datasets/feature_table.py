"""Ready features with a table beside them: a .npy array and its table, or one Parquet file."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from conceptforest.datasets.collection import Collection
from conceptforest.datasets.feature_file import MAX_BYTES
from conceptforest.datasets.published_files import (
    check_finite,
    check_regular,
    numbered_lines,
    open_array,
    refuse,
    text_lines,
)
from conceptforest.tags import TagMatrix, parse_tags

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["read_feature_table"]

_TABLES = (".csv", ".tsv", ".jsonl", ".parquet")
_LISTS = ("features", "embedding", "x")
_NAMES = {"name", "file", "file_name"}
_CLASSES = {"class", "label"}
_NUMBERED = re.compile(r"f(0|[1-9][0-9]{0,5})")
_BATCH = 4096  # rows of a Parquet file that are unpacked at a time

Columns = dict[str, list[Any]]


def read_feature_table(
    path: str | os.PathLike[str],
    table: str | os.PathLike[str] | None = None,
    *,
    verbose: int = 0,
) -> Collection:
    r"""Read ready features and the tags of their items.

    Parameters
    ----------
    path : str or path-like
        Either a ``.npy`` file, floats of shape (n_items, n_features), which is mapped into memory;
        or a ``.parquet`` file that has the features in one column of lists of floats
        (``features``, ``embedding`` or ``X``) or in columns ``f0``, ``f1``, ..., beside the columns
        of a table as below.
    table : str or path-like, default=None
        For a ``.npy`` file: its table, a row for each row of the array, in the same order; CSV,
        TSV, JSONL or Parquet. By default the file of the same name with one of these endings. Its
        columns, in any case:

        - ``tags``: a list of names, or names with ";" between them; or else a column for each tag,
          which holds 0 or 1 (or nothing, which is 0);
        - ``class`` or ``label``: optional, for scoring alone;
        - ``name`` or ``file``: optional; it is not a tag.
    verbose : int, default=0
        Taken for the sake of uniformity.

    Returns
    -------
    Collection
        `X` keeps its precision. That of a ``.npy`` file is mapped, and can only be read.

    Raises
    ------
    FileNotFoundError
        If there is no such file, or no table beside the array.
    ValueError
        If a file is damaged, or array and table do not fit together.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(Path(folder, "pets.npy"), np.eye(2, dtype="float32"))
    ...     _ = Path(folder, "pets.csv").write_text("name,tags,class\na,cat;tame,1\nb,dog,2\n")
    ...     pets = read_feature_table(Path(folder, "pets.npy"))
    >>> pets.tags.vocabulary, pets.class_names, pets.X.shape
    (('cat', 'dog', 'tame'), ('1', '2'), (2, 2))
    """
    del verbose
    for name, value in (("path", path), ("table", table)):
        if not isinstance(value, (str, os.PathLike)) and (name == "path" or value is not None):
            raise TypeError(f"{name} is of type {type(value).__name__}; give the name of a file.")
    source = Path(path)
    check_regular(source)
    kind = source.suffix.lower()
    if kind == ".npy":
        return _read_pair(source, None if table is None else Path(table))
    if kind != ".parquet":
        refuse(source, f"its name ends in {kind!r}. Features come in .npy and .parquet files")
    if table is not None:
        raise ValueError("A Parquet file holds its own table; leave out table.")
    X, columns = _read_parquet_features(source)
    return _assemble(source, source, X, columns)


def _read_pair(source: Path, table: Path | None) -> Collection:
    if table is None:
        beside = [source.with_suffix(ending) for ending in _TABLES]
        there = [one for one in beside if one.exists()]
        if len(there) != 1:
            names = ", ".join(one.name for one in (there or beside))
            why = "Several tables lie" if there else "No table lies"
            kind = ValueError if there else FileNotFoundError
            raise kind(f"{why} beside {str(source)!r} ({names}). Give the one to read as table.")
        table = there[0]
    array = open_array(source)
    check_finite(source, array)
    return _assemble(source, table, array, _read_table(table, array.shape[0]))


# --- Tables --------------------------------------------------------------------------------------


def _read_table(path: Path, n_rows: int) -> Columns:
    """Read a table as columns of values, and check that it has a row for each item."""
    check_regular(path)
    ending = path.suffix.lower()
    if ending in {".csv", ".tsv"}:
        columns = _read_delimited(path, "," if ending == ".csv" else "\t", n_rows)
    elif ending == ".jsonl":
        columns = _read_json_lines(path, n_rows)
    elif ending == ".parquet":
        file = _open_parquet(path)
        if file.metadata.num_rows != n_rows:
            _refuse_rows(path, file.metadata.num_rows, n_rows)
        columns = _unpack(path, file, file.schema_arrow.names)
    else:
        refuse(path, f"its name ends in {ending!r}. Tables are {', '.join(_TABLES)} files")
    return columns


def _refuse_rows(path: Path, found: int | str, n_rows: int) -> None:
    refuse(path, f"it has {found} rows; the {n_rows:,} rows of the array need one each")


def _read_delimited(path: Path, delimiter: str, n_rows: int) -> Columns:
    import csv

    rows = csv.reader(text_lines(path), delimiter=delimiter, strict=True)
    try:
        header = next(rows, [])
        _check_header(path, header)
        columns: Columns = {name: [] for name in header}
        found = 0
        for row in rows:
            if not row and len(header) > 1:
                continue
            cells = row or [""]  # an empty line of a table of one column is an empty cell
            found += 1
            if len(cells) != len(header):
                why = f"it has {len(cells)} cells; the first line names {len(header)} columns"
                refuse(path, why, rows.line_num)
            if found > n_rows:
                _refuse_rows(path, f"more than {n_rows:,}", n_rows)
            for name, value in zip(header, cells, strict=True):
                columns[name].append(value)
    except csv.Error as error:
        refuse(path, f"it is no table ({error})", rows.line_num)
    if found != n_rows:
        _refuse_rows(path, f"{found:,}", n_rows)
    return columns


def _check_header(path: Path, header: Sequence[str]) -> None:
    lower = [name.strip().lower() for name in header]
    if not header or not all(lower) or len(set(lower)) != len(lower):
        refuse(path, "its first line must name the columns, each once", 1)


def _read_json_lines(path: Path, n_rows: int) -> Columns:
    rows = []
    for number, line in numbered_lines(path, n_rows):
        try:
            row = json.loads(line)
        except (ValueError, RecursionError) as error:
            refuse(path, f"it is no JSON ({error})", number)
        if not isinstance(row, dict):
            refuse(path, f"it holds a {type(row).__name__}; give an object", number)
        rows.append(row)
    names = list(dict.fromkeys(name for row in rows for name in row))
    _check_header(path, names)
    return {name: [row.get(name) for row in rows] for name in names}


# --- Parquet -------------------------------------------------------------------------------------


def _open_parquet(path: Path) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        file = pq.ParquetFile(path)
    except (pa.ArrowException, OSError, ValueError) as error:
        refuse(path, f"it is no Parquet file ({' '.join(str(error).split())[:200]})")
    _check_header(path, file.schema_arrow.names)
    return file


def _batches(path: Path, file: Any, names: list[str]) -> Any:
    import pyarrow as pa

    try:
        yield from file.iter_batches(batch_size=_BATCH, columns=names)
    except (pa.ArrowException, OSError) as error:
        refuse(path, f"it is damaged ({' '.join(str(error).split())[:200]})")


def _unpack(path: Path, file: Any, names: list[str]) -> Columns:
    columns: Columns = {name: [] for name in names}
    if names:
        for batch in _batches(path, file, names):
            for name in names:
                columns[name].extend(batch.column(name).to_pylist())
    return columns


def _read_parquet_features(path: Path) -> tuple[NDArray[np.floating[Any]], Columns]:
    file = _open_parquet(path)
    names = file.schema_arrow.names
    lists = [name for name in names if name.lower() in _LISTS]
    numbered = sorted((n for n in names if _NUMBERED.fullmatch(n)), key=lambda n: int(n[1:]))
    if len(lists) == 1:
        chosen = lists
    elif not lists and numbered == [f"f{k}" for k in range(len(numbered))] and numbered:
        chosen = numbered
    else:
        refuse(
            path,
            f"it must have one column of {', '.join(_LISTS)}, or columns f0, f1, ...; it has"
            f" {', '.join(names)[:200]}",
        )
    X = _read_floats(path, file, chosen, in_lists=bool(lists))
    return X, _unpack(path, file, [name for name in names if name not in set(chosen)])


def _read_floats(
    path: Path, file: Any, names: list[str], *, in_lists: bool
) -> NDArray[np.floating[Any]]:
    """Read features, some rows at a time, into one array."""
    n_rows = file.metadata.num_rows
    width = getattr(file.schema_arrow.field(names[0]).type, "list_size", len(names))
    if n_rows * width > MAX_BYTES // 2:  # before a batch of them is unpacked
        refuse(path, f"its features take more than the {MAX_BYTES:,} bytes that are allowed")
    X: NDArray[Any] | None = None
    begin = 0
    for batch in _batches(path, file, names):
        block = _list_block(path, batch.column(names[0]), begin) if in_lists else None
        if block is None:
            block = np.column_stack([_numbers(path, batch.column(name), begin) for name in names])
        if X is None:
            if n_rows * block.shape[1] * block.itemsize > MAX_BYTES:
                refuse(
                    path, f"its features take more than the {MAX_BYTES:,} bytes that are allowed"
                )
            X = np.empty((n_rows, block.shape[1]), dtype=block.dtype)
        if block.shape[1] != X.shape[1]:
            refuse(path, f"item {begin} has {block.shape[1]} features; others have {X.shape[1]}")
        X[begin : begin + len(block)] = block
        begin += len(block)
    if X is None or not X.size or begin != n_rows:
        refuse(path, "it must hold at least one item and one feature")
    check_finite(path, X)
    return X


def _list_block(path: Path, column: Any, begin: int) -> NDArray[np.floating[Any]]:
    """Turn a column of lists of one length into an array."""
    import pyarrow as pa

    kind = column.type
    listed = pa.types.is_list(kind) or pa.types.is_large_list(kind)
    if not listed and not pa.types.is_fixed_size_list(kind):
        refuse(path, f"the features are {kind}; they must be lists of floats")
    if column.null_count:
        row = column.is_null().to_pylist().index(True)
        refuse(path, f"item {begin + row} has no features")
    if listed:
        sizes = np.diff(column.offsets.to_numpy())
        if (sizes != sizes[0]).any():
            row = int((sizes != sizes[0]).argmax())
            refuse(path, f"item {begin + row} has {sizes[row]} features; others have {sizes[0]}")
    return _numbers(path, column.flatten(), begin).reshape(len(column), -1)


def _numbers(path: Path, column: Any, begin: int) -> NDArray[np.floating[Any]]:
    import pyarrow as pa

    if not pa.types.is_floating(column.type):
        refuse(path, f"the features are {column.type}; they must be floats")
    if column.null_count:
        refuse(path, f"a feature of one of the items from {begin} on is missing")
    values: NDArray[np.floating[Any]] = column.to_numpy(zero_copy_only=False)
    return values


# --- The collection ------------------------------------------------------------------------------


def _assemble(
    source: Path, table: Path, X: NDArray[np.floating[Any]], columns: Columns
) -> Collection:
    by_name = {name.strip().lower(): values for name, values in columns.items()}
    given = [name for name in by_name if name in _CLASSES]
    if len(given) > 1:
        refuse(table, "it has both a class and a label; keep one of them")
    labels: NDArray[np.int64] | None = None
    class_names: tuple[str, ...] = ()
    if given:
        labels, class_names = _read_classes(table, by_name[given[0]])
    if "tags" in by_name:
        sets = [_tag_set(table, row, value) for row, value in enumerate(by_name["tags"])]
        tags = parse_tags(sets)
    else:
        wide = {
            n.strip(): v for n, v in columns.items() if n.strip().lower() not in _NAMES | _CLASSES
        }
        tags = _read_wide(table, wide, X.shape[0])
    return Collection(
        X, tags, labels, class_names, source.stem, item_names=_item_names(table, by_name)
    )


def _item_names(path: Path, by_name: Columns) -> tuple[str, ...] | None:
    """Give the names of the items, where a column has them and they differ."""
    values = next((by_name[key] for key in sorted(_NAMES) if key in by_name), None)
    if values is None:
        return None
    names = tuple(str(value) for value in values)
    if len(set(names)) < len(names):
        refuse(path, "two items have the same name. Names must differ, or leave the column out")
    return names


def _tag_set(path: Path, row: int, value: Any) -> set[str]:
    if value is None:
        return set()
    names = value.split(";") if isinstance(value, str) else value
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        refuse(path, f"the tags of item {row} are {str(value)[:60]!r}; give names")
    return {name.strip() for name in names if name.strip()}


def _read_wide(path: Path, columns: Columns, n_items: int) -> TagMatrix:
    if not columns:
        refuse(path, "it has neither a column tags nor a column for each tag")
    rows, places = [], []
    for place, (name, values) in enumerate(columns.items()):
        for row, value in enumerate(values):
            if value in {"1", 1} if isinstance(value, (str, int, float)) else False:
                rows.append(row)
                places.append(place)
            elif value is not None and value not in ("0", "", 0):
                refuse(
                    path,
                    f"the tag {name!r} of item {row} is {str(value)[:40]!r}; it must be 0 or 1, or"
                    " give the names in one column tags",
                )
    pairs = (np.array(rows, dtype=np.int64), np.array(places, dtype=np.int64))
    ones = np.ones(len(rows), dtype=np.uint8)
    matrix = sparse.csr_array((ones, pairs), shape=(n_items, len(columns)))
    return parse_tags(matrix, vocabulary=list(columns))


def _read_classes(path: Path, values: list[Any]) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    for row, value in enumerate(values):
        if value is None or not isinstance(value, (str, int)) or not str(value).strip():
            refuse(path, f"the class of item {row} is {value!r}; give every item one, or none")
    texts = [str(value).strip() for value in values]
    names = tuple(sorted(set(texts)))
    place = {name: label for label, name in enumerate(names)}
    return np.array([place[text] for text in texts], dtype=np.int64), names
