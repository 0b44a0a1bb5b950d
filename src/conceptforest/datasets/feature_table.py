"""Ready features with a table beside them: a .npy array and its table, or one Parquet file."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple, NoReturn

import numpy as np

from conceptforest.datasets.collection import Collection
from conceptforest.datasets.feature_file import MAX_BYTES
from conceptforest.datasets.found_tags import Faults, FoundTags, count
from conceptforest.datasets.published_files import (
    check_finite,
    check_regular,
    open_array,
    open_file,
    refuse,
)
from conceptforest.datasets.settled_tags import settle_tags
from conceptforest.datasets.table_rows import TABLE_SUFFIXES, is_csv, read_rows
from conceptforest.datasets.tag_cells import (
    NO_TEXT,
    SINGULAR,
    TAG_COLUMNS,
    TagCells,
    find_column,
    read_yes_no,
)
from conceptforest.datasets.tag_table import FILE_COLUMNS, MAX_LAYOUTS
from conceptforest.tags.names import short

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

__all__ = ["read_feature_table"]

_TABLES = (".csv", ".tsv", ".jsonl", ".parquet")
_LISTS = ("features", "embedding", "x")
_NAMES = frozenset({"name", "file", "file_name", "filename", "path"})
_CLASSES = frozenset({"class", "label"})
_TAGS = tuple(name for name in TAG_COLUMNS if name not in _CLASSES)
_NUMBERED = re.compile(r"f(0|[1-9][0-9]{0,5})")
_BATCH = 4096  # rows of a Parquet file that are unpacked at a time


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
        TSV, JSONL or Parquet. By default the file of the same name with one of these endings. It
        is read as tables of tags are (see :func:`read_tag_table`), and its tags are cleaned as
        theirs. Its columns, in any case:

        - ``tags``, ``keywords``, ``labels`` or ``subjects``: a list of names, or names with ";"
          between them; or else a column for each tag, which holds 0 or 1 (or nothing, which is 0);
        - ``class`` or ``label``: optional, for scoring alone;
        - ``name``, ``file``, ``file_name``, ``filename`` or ``path``: optional; it is not a tag.
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
    return _assemble(source, X, _read_table(source, X.shape[0], columns))


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
    return _assemble(source, array, _read_table(table, array.shape[0]))


# --- Tables --------------------------------------------------------------------------------------


class _Strict(Faults):
    """Refuses a table at the first fault: a row left out would shift all after it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path

    def add(self, what: str, noun: str, case: str) -> None:
        """Refuse."""
        why = f"{what.format(count(1, noun))} ({case})"
        refuse(self.path, f"{why}. Mend it: each row of the array needs its own row")


class _Layout(NamedTuple):
    """Where in a row things stand."""

    tags: int | None
    singular: bool  # whether the column of tags is called by the name of one
    label: int | None
    name: int | None
    others: tuple[int, ...]


class _Table:
    """What a table says of the rows of an array, in their order."""

    def __init__(self, path: Path) -> None:
        self.path, self.is_csv = path, is_csv(path)
        self.n_rows = 0
        self.labels: list[Any] = []
        self.names: list[Any] = []
        self.label_names: set[str] = set()
        self.faults = Faults()
        self.cells = TagCells(self.faults, is_csv=self.is_csv)
        self.has_tags = self.has_names = self.has_others = False
        # Only at the end is it known that no row has a column of tags, and others hold them.
        self.wide = FoundTags()
        self.not_wide: tuple[str, int] | None = None
        self.layouts: dict[tuple[str, ...], _Layout] = {}

    def layout(self, header: tuple[str, ...]) -> _Layout:
        """Choose the columns that matter by their names."""
        if header in self.layouts:
            return self.layouts[header]
        lowered = [name.strip().lower() for name in header]
        if not all(lowered) or len(set(lowered)) < len(lowered):
            refuse(self.path, "it must name its columns, each once in whatever case of letters")
        self.label_names |= _CLASSES & set(lowered)
        if len(self.label_names) > 1:
            refuse(self.path, "it has both a class and a label; keep one of them")
        tags = find_column(lowered, _TAGS)
        layout = _Layout(
            tags,
            tags is not None and lowered[tags] in SINGULAR,
            find_column(lowered, sorted(_CLASSES)),
            find_column(lowered, [name for name in FILE_COLUMNS if name in _NAMES]),
            tuple(k for k, name in enumerate(lowered) if name not in _NAMES | _CLASSES),
        )
        self.has_tags |= tags is not None
        self.has_names |= layout.name is not None
        self.has_others |= bool(layout.others)
        if len(self.layouts) < MAX_LAYOUTS:
            self.layouts[header] = layout
        return layout

    def take(self, line: int, header: tuple[str, ...], cells: Sequence[Any]) -> None:
        """Take the next row."""
        item, layout = self.n_rows, self.layout(header)
        self.n_rows += 1
        self.labels.append(None if layout.label is None else cells[layout.label])
        self.names.append(None if layout.name is None else cells[layout.name])
        if layout.tags is not None:
            cell = cells[layout.tags]
            self.cells.add(item, cell, singular=layout.singular, line=line)
            if NO_TEXT in self.faults.counts:
                refuse(self.path, f"the tags of item {item} are {short(cell)}; give names", line)
        if self.has_tags:
            return
        for k in layout.others:
            says = read_yes_no(cells[k], is_csv=self.is_csv)
            if says:
                self.wide.tags[item].add(header[k])
            elif says is None and self.not_wide is None:
                why = f"the tag {header[k].strip()!r} of item {item} is {short(cells[k])}; it must"
                self.not_wide = (f"{why} be 0 or 1, or give the names in one column tags", line)

    def tags(self) -> FoundTags:
        """Give all tags, by the rules of other tables."""
        if not self.has_tags:
            if not self.has_others:
                refuse(self.path, "it has neither a column tags nor a column for each tag")
            if self.not_wide is not None:
                refuse(self.path, *self.not_wide)
            return self.wide
        found = FoundTags()
        self.cells.settle(found)
        return found

    def item_names(self) -> tuple[str, ...] | None:
        """Give the names of the items, where a column has them and they differ."""
        if not self.has_names:
            return None
        names = tuple(str(value) for value in self.names)
        if len(set(names)) < len(names):
            why = "two items have the same name. Names must differ, or leave the column out"
            refuse(self.path, why)
        return names


def _read_table(path: Path, n_rows: int, leave_out: frozenset[str] = frozenset()) -> _Table:
    """Read a table and check that it has a row for each item."""
    if path.suffix.lower() not in TABLE_SUFFIXES:
        known = ", ".join(sorted(TABLE_SUFFIXES))
        refuse(path, f"its name ends in {path.suffix.lower()!r}. Tables end in one of {known}")
    check_regular(path)
    table = _Table(path)
    for line, header, cells in read_rows(path, _Strict(path), [], leave_out=leave_out):
        if cells is header:  # the first line of a CSV file
            table.layout(header)
            continue
        if table.n_rows == n_rows:
            _refuse_rows(path, f"more than {n_rows:,}", n_rows)
        table.take(line, header, cells)
    if table.n_rows != n_rows:
        _refuse_rows(path, f"{table.n_rows:,}", n_rows)
    return table


def _refuse_rows(path: Path, found: str, n_rows: int) -> NoReturn:
    refuse(path, f"it has {found} rows; the {n_rows:,} rows of the array need one each")


# --- Parquet -------------------------------------------------------------------------------------


def _open_parquet(path: Path, raw: BinaryIO) -> Any:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        return pq.ParquetFile(raw)
    except (pa.ArrowException, OSError, ValueError) as error:
        refuse(path, f"it is no Parquet file ({' '.join(str(error).split())[:200]})")


def _batches(path: Path, file: Any, names: list[str]) -> Any:
    import pyarrow as pa

    try:
        yield from file.iter_batches(batch_size=_BATCH, columns=names)
    except (pa.ArrowException, OSError) as error:
        refuse(path, f"it is damaged ({' '.join(str(error).split())[:200]})")


def _read_parquet_features(path: Path) -> tuple[NDArray[np.floating[Any]], frozenset[str]]:
    """Read the features, and give the names of their columns."""
    with open_file(path) as raw:
        file = _open_parquet(path, raw)
        chosen, in_lists = _feature_columns(path, file.schema_arrow.names)
        return _read_floats(path, file, chosen, in_lists=in_lists), frozenset(chosen)


def _feature_columns(path: Path, names: list[str]) -> tuple[list[str], bool]:
    lists = [name for name in names if name.lower() in _LISTS]
    numbered = sorted((n for n in names if _NUMBERED.fullmatch(n)), key=lambda n: int(n[1:]))
    if len(lists) == 1:
        return lists, True
    if lists or not numbered or numbered != [f"f{k}" for k in range(len(numbered))]:
        refuse(
            path,
            f"it must have one column of {', '.join(_LISTS)}, or columns f0, f1, ...; it has"
            f" {', '.join(names)[:200]}",
        )
    return numbered, False


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


def _assemble(source: Path, X: NDArray[np.floating[Any]], table: _Table) -> Collection:
    labels: NDArray[np.int64] | None = None
    class_names: tuple[str, ...] = ()
    if table.label_names:
        labels, class_names = _read_classes(table.path, table.labels)
    tags, _ = settle_tags(table.tags(), X.shape[0])
    names = table.item_names()
    return Collection(X, tags, labels, class_names, source.stem, item_names=names)


def _read_classes(path: Path, values: list[Any]) -> tuple[NDArray[np.int64], tuple[str, ...]]:
    for row, value in enumerate(values):
        if value is None or not isinstance(value, (str, int)) or not str(value).strip():
            refuse(path, f"the class of item {row} is {value!r}; give every item one, or none")
    texts = [str(value).strip() for value in values]
    names = tuple(sorted(set(texts)))
    place = {name: label for label, name in enumerate(names)}
    return np.array([place[text] for text in texts], dtype=np.int64), names
