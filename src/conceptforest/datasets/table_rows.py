"""The rows of a table file, one at a time: CSV and TSV, JSON lines, Parquet."""

from __future__ import annotations

import codecs
import csv
import io
import json
import re
from typing import TYPE_CHECKING, Any, NoReturn, TextIO, TypeAlias

from conceptforest.datasets.regular_file import open_regular

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from conceptforest.datasets.found_tags import Faults

__all__ = ["TABLE_SUFFIXES", "Row", "is_csv", "read_rows", "refuse_table"]

TABLE_SUFFIXES = frozenset({".csv", ".jsonl", ".ndjson", ".parquet", ".tsv", ".txt"})
MAX_LINE = 2**22  # characters of one line, or of one row that goes over several lines
MAX_LINES = 1000  # of one row
BATCH = 2**14  # rows of a Parquet file held at once

# Line number, names of the columns, cells. All rows of a CSV file share one tuple of names.
Row: TypeAlias = "tuple[int, tuple[str, ...], Sequence[Any]]"

_UNREADABLE = "{} cannot be read"
# Excel's way to say in a first line what stands between cells.
_SAYS_DELIMITER = re.compile(r'"?sep=([^\w\s"]|\t)"?', re.IGNORECASE)


def is_csv(path: Path) -> bool:
    """Tell whether a table holds nothing but text.

    Examples
    --------
    >>> from pathlib import Path
    >>> is_csv(Path("tags.TSV")), is_csv(Path("tags.jsonl"))
    (True, False)
    """
    return path.suffix.lower() in {".csv", ".tsv", ".txt"}


def read_rows(
    path: Path, faults: Faults, notes: list[str], *, leave_out: frozenset[str] = frozenset()
) -> Iterator[Row]:
    """Give the rows of a table.

    Parameters
    ----------
    path : Path
        What it holds is told by its suffix, one of ``TABLE_SUFFIXES``.
    faults : Faults
        Counts rows that cannot be read.
    notes : list of str
        Takes what else a person should know.
    leave_out : frozenset of str, default=frozenset()
        Columns of a Parquet file that are not wanted.

    Yields
    ------
    line : int
        From 1.
    names : tuple of str
        What the columns are called.
    cells : sequence of any
        As many. In CSV files all of them are text, and the first row is the names themselves.

    Raises
    ------
    ValueError
        If there are no rows to give, or none beyond some line.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from conceptforest.datasets.found_tags import Faults
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "tags.jsonl"
    ...     _ = path.write_text('{"file": "a.jpg", "tags": ["cat"]}')
    ...     list(read_rows(path, Faults(), []))
    [(1, ('file', 'tags'), ['a.jpg', ['cat']])]
    """
    if path.suffix.lower() == ".parquet":
        yield from _parquet_rows(path, leave_out)
        return
    encoding = _find_encoding(path)
    if encoding == "cp1252":
        notes.append(
            f"{path.name} is not UTF-8 and was read as Windows-1252; check letters with accents."
        )
    with (
        open_regular(path) as raw,
        io.TextIOWrapper(raw, encoding, errors="replace", newline="") as file,
    ):
        lines = _Lines(path, file)
        if is_csv(path):
            yield from _csv_rows(path, lines, faults)
        else:
            yield from _json_rows(path, lines, faults)


class _Lines:
    """The lines of a file, none of which may be endless."""

    def __init__(self, path: Path, file: TextIO) -> None:
        self.path, self.file = path, file
        self.number = 0  # of the line given last
        self.start_row()

    def start_row(self) -> None:
        self.first, self.length = self.number + 1, 0

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self.file.readline(MAX_LINE)
        if not line:
            raise StopIteration
        self.number += 1
        self.length += len(line)
        if self.length >= MAX_LINE or self.number - self.first >= MAX_LINES:
            if self.number == self.first:
                refuse_table(self.path, f"line {self.number} has more than {MAX_LINE:,} characters")
            _refuse_quote(self.path, self.first)
        return line


def _refuse_quote(path: Path, line: int) -> NoReturn:
    refuse_table(path, f"a quotation mark in line {line} is not closed. Close it, or double it")


def refuse_table(path: Path, why: str) -> NoReturn:
    """Say why a table cannot be used."""
    raise ValueError(f"Cannot read {str(path)!r}: {why}.")


# --- Text ----------------------------------------------------------------------------------------


def _find_encoding(path: Path) -> str:
    """Tell UTF-8 from older text by reading all of it, which is quick."""
    decoder = codecs.getincrementaldecoder("utf-8")()
    lines = 1
    with open_regular(path) as file:
        if file.read(2) in {codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE}:
            return "utf-16"
        file.seek(0)
        encoding = "utf-8-sig"
        while block := file.read(2**20):
            zero = block.find(0)
            if zero >= 0:
                line = lines + block.count(b"\n", 0, zero)
                refuse_table(path, f"line {line} holds a zero byte. Save the table as UTF-8 text")
            lines += block.count(b"\n")
            if encoding == "utf-8-sig":
                try:
                    decoder.decode(block)
                except UnicodeDecodeError:
                    encoding = "cp1252"
        if encoding == "utf-8-sig":
            try:
                decoder.decode(b"", final=True)
            except UnicodeDecodeError:
                encoding = "cp1252"
    return encoding


def _csv_rows(path: Path, lines: _Lines, faults: Faults) -> Iterator[Row]:
    names, delimiter = _read_header(path, lines)
    yield lines.number, names, names
    # The csv module stops at a long cell by a setting of the whole process. It is not touched:
    # `_Lines` has a limit of its own.
    rows = csv.reader(lines, delimiter=delimiter, strict=True)
    while True:
        lines.start_row()
        try:
            cells = next(rows, None)
        except csv.Error as error:
            _check_recovers(path, lines, error)
            faults.add(_UNREADABLE, "row", f"line {lines.number}: {error}")
            continue
        if cells is None:
            return
        if not cells and len(names) == 1:
            cells = [""]
        if len(cells) > len(names) and not any(cells[len(names) :]):
            cells = cells[: len(names)]
        if len(cells) == len(names):
            yield lines.first, names, cells
        elif cells:
            length = f"line {lines.first} has {len(cells)}"
            faults.add(f"{{}} without the {len(names)} cells of the first line", "row", length)


def _read_header(path: Path, lines: _Lines) -> tuple[tuple[str, ...], str]:
    """Read the first line that is not empty; gives its cells and what stands between them."""
    head = next(filter(str.strip, lines), "")
    if not head:
        refuse_table(path, "it is empty")
    delimiter = "\t" if path.suffix.lower() == ".tsv" else _sniff(head)
    if said := _SAYS_DELIMITER.fullmatch(head.rstrip("\r\n")):
        delimiter = said.group(1)
        head = next(filter(str.strip, lines), "")
        if not head:
            refuse_table(path, "it is empty but for its first line")
    try:
        cells = next(csv.reader([head], delimiter=delimiter, strict=True))
    except csv.Error as error:
        refuse_table(path, f"its first line cannot be read ({error})")
    return tuple(cell.strip() for cell in cells), delimiter


def _check_recovers(path: Path, lines: _Lines, error: csv.Error) -> None:
    """Refuse the table if the error may have swallowed more than one row."""
    if "end of data" in str(error):
        _refuse_quote(path, lines.first)
    if "field limit" in str(error):
        refuse_table(
            path,
            f"a cell that begins in line {lines.first} has more than {csv.field_size_limit():,}"
            " characters, or its quotation mark is not closed",
        )


def _sniff(head: str) -> str:
    """Find the character between cells: the one most frequent outside quotation marks."""
    plain = "".join(head.split('"')[::2])
    return max(",;\t", key=plain.count)


def _json_rows(path: Path, lines: _Lines, faults: Faults) -> Iterator[Row]:
    any_record = False
    for line in lines:
        lines.start_row()
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            why = "nested too deep" if isinstance(error, RecursionError) else str(error)
            faults.add(_UNREADABLE, "line", f"line {lines.number}: {why}")
            continue
        if not isinstance(record, dict):
            faults.add(_UNREADABLE, "line", f"line {lines.number} is no object in braces")
            continue
        any_record = True
        yield lines.number, tuple(record), list(record.values())
    if not any_record:
        refuse_table(path, 'no line of it is an object such as {"file": "a.jpg", "tags": ["cat"]}')


# --- Parquet -------------------------------------------------------------------------------------


def _parquet_rows(path: Path, leave_out: frozenset[str]) -> Iterator[Row]:
    import pyarrow as pa
    from pyarrow import parquet

    with open_regular(path) as raw:
        try:
            file = parquet.ParquetFile(raw)
            # Pictures themselves, and other things that are no tags, are not even unpacked.
            names = [
                column.name
                for column in file.schema_arrow
                if column.name not in leave_out and _may_hold_tags(column.type)
            ]
            line = 0
            for batch in file.iter_batches(batch_size=BATCH, columns=names):
                columns = [column.to_pylist() for column in batch.columns]
                header = tuple(batch.schema.names)
                for cells in zip(*columns, strict=True):
                    line += 1
                    yield line, header, cells
        except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
            refuse_table(path, f"it is no sound Parquet file ({_first_line(error)})")
        if not line:
            refuse_table(path, "it has no rows")


def _may_hold_tags(kind: Any) -> bool:
    from pyarrow import types

    if types.is_list(kind) or types.is_large_list(kind) or types.is_dictionary(kind):
        return not types.is_floating(kind.value_type) and _may_hold_tags(kind.value_type)
    return bool(
        types.is_string(kind)
        or types.is_large_string(kind)
        or types.is_boolean(kind)
        or types.is_integer(kind)
        or types.is_floating(kind)  # a column of 0.0 and 1.0
    )


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0].rstrip(".")
