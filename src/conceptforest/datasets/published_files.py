"""What the readers of published collections share: finding files, reading lists, refusing.

Every number and name is checked before it is used, no line or list can grow without bound, and
what is wrong is said with the name of the file and the line.
"""

from __future__ import annotations

import io
import math
import os
import stat
import tokenize
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn

import numpy as np

from conceptforest.datasets.regular_file import open_regular

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

__all__ = [
    "MAX_LINE",
    "check_finite",
    "check_folder",
    "check_regular",
    "decode",
    "files_by_name",
    "numbered_lines",
    "open_array",
    "open_file",
    "read_csv_rows",
    "read_names",
    "read_relative_names",
    "read_small_text",
    "refuse",
    "text_lines",
    "whole_number",
]

# The longest line of any published list is a row of 5,018 tags; a longer one is no list.
MAX_LINE = 2**20
MAX_LINES = 2**24
# A header is a piece of Python text; NumPy lets what its tokenizer and parser raise pass through.
_HEADER_ERRORS = (tokenize.TokenError, SyntaxError, RecursionError, MemoryError)
_BLOCK = 2**22  # values whose finiteness is checked at a time


def refuse(path: Path, why: str, line: int | None = None) -> NoReturn:
    """Say that a file cannot be read, where in it, and why."""
    where = f", line {line}" if line is not None else ""
    raise ValueError(f"Cannot read {str(path)!r}{where}: {why}.")


def check_folder(root: Any, what: str) -> Path:
    """Give the folder of a published collection as a path, if there is one."""
    if not isinstance(root, (str, os.PathLike)):
        raise TypeError(f"root is of type {type(root).__name__}; give the folder of {what}.")
    folder = Path(root)
    if not folder.exists():
        raise FileNotFoundError(f"There is no folder {str(folder)!r}. Give the folder of {what}.")
    if not folder.is_dir():
        refuse(folder, f"it is no folder. Give the folder of {what}")
    return folder


def files_by_name(root: Path, suffixes: Iterable[str]) -> dict[str, Path]:
    """Find the files below a folder by their name in lower case.

    Of files with the same name the one nearest to the folder counts, then the first by name.
    Links to folders are not followed.
    """
    wanted = tuple(suffixes)
    found: dict[str, Path] = {}
    depths: dict[str, int] = {}
    for folder, folders, names in os.walk(root):
        folders.sort()
        depth = folder.count(os.sep)
        for name in sorted(names):
            key = name.lower()
            if key.endswith(wanted) and depth < depths.get(key, 2**31):
                found[key] = Path(folder, name)
                depths[key] = depth
    return found


def check_regular(path: Path) -> None:
    """Check that a path is a file: opening a pipe would wait for ever."""
    if not path.exists():
        raise FileNotFoundError(f"There is no file {str(path)!r}.")
    mode = path.stat().st_mode
    if not stat.S_ISREG(mode):
        refuse(path, f"it is {'a folder' if stat.S_ISDIR(mode) else 'not a regular file'}")


def open_file(path: Path) -> BinaryIO:
    """Open a file for reading in bytes, and nothing but a file."""
    try:
        return open_regular(path)
    except OSError as error:
        check_regular(path)  # says what it is instead
        if error.errno is not None:
            raise
        refuse(path, "it is not a regular file")


def numbered_lines(path: Path, n_lines: int | None = None) -> Iterator[tuple[int, bytes]]:
    """Give the lines of a file with their numbers from 1, without the line end.

    With `n_lines` there must be as many, not counting empty ones at the end. A file is never held
    in memory.
    """
    limit = MAX_LINES if n_lines is None else n_lines
    blank = 0  # empty lines that count only if something follows
    number = 0
    with open_file(path) as file:
        while piece := file.readline(MAX_LINE + 1):
            if len(piece) > MAX_LINE:
                refuse(path, f"it is longer than {MAX_LINE:,} bytes", number + blank + 1)
            line = piece.strip()
            if not line:
                blank += 1
                continue
            if number + blank >= limit:
                many = "too many" if n_lines is None else f"more than the {n_lines:,} expected"
                refuse(path, f"it has {many} lines", number + blank + 1)
            for _ in range(blank):
                number += 1
                yield number, b""
            blank = 0
            number += 1
            yield number, line
    if n_lines is not None and number != n_lines:
        refuse(path, f"it has {number:,} lines; {n_lines:,} are expected")


def text_lines(path: Path, errors: str = "strict") -> Iterator[str]:
    """Give the lines of a text in UTF-8 with their ends, for a reader of tables."""
    with (
        open_file(path) as raw,
        io.TextIOWrapper(raw, "utf-8-sig", errors=errors, newline="") as file,
    ):
        number = 0
        try:
            while line := file.readline(MAX_LINE + 1):
                number += 1
                if len(line) > MAX_LINE:
                    refuse(path, f"it is longer than {MAX_LINE:,} characters", number)
                yield line
        except UnicodeDecodeError as error:
            refuse(path, f"it is not UTF-8 text ({error.reason})")


def decode(path: Path, line: bytes, number: int) -> str:
    """Read a line as UTF-8."""
    try:
        return line.decode("utf-8")
    except UnicodeDecodeError:
        refuse(path, f"it is not UTF-8 text: {line[:40]!r}", number)


def read_names(path: Path, what: str) -> tuple[str, ...]:
    """Read a list of different names, one a line."""
    names: dict[str, int] = {}
    for number, line in numbered_lines(path):
        name = decode(path, line, number)
        if not name:
            refuse(path, f"the {what} is empty", number)
        if name in names:
            refuse(path, f"the {what} {name!r} is already on line {names[name]}", number)
        names[name] = number
    if not names:
        refuse(path, f"it holds no {what}")
    return tuple(names)


def read_relative_names(path: Path) -> list[str]:
    """Read a list of files, one a line, with "/" between the parts of their paths."""
    names = []
    for number, line in numbered_lines(path):
        name = decode(path, line, number).replace("\\", "/")
        parts = PurePosixPath(name).parts
        if not name or name.startswith("/") or ".." in parts or "\0" in name or ":" in name:
            refuse(path, f"{name!r} is no path within the collection", number)
        names.append(str(PurePosixPath(*parts)))
    if not names:
        refuse(path, "it is empty")
    return names


def read_small_text(path: Path, limit: int = MAX_LINE) -> str:
    """Read a short text file; what is not UTF-8 is read as Latin-1, as old files are."""
    with open_file(path) as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        refuse(path, f"it is longer than {limit:,} bytes")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("latin-1")


def whole_number(path: Path, text: bytes, number: int, least: int, most: int) -> int:
    """Read a whole number and check its range."""
    # int() takes "1_000", "٣" and numbers of any length, none of which such a file may hold.
    if not text.removeprefix(b"-").isdigit() or len(text) > 18:
        refuse(path, f"{text[:40].decode('latin-1')!r} is no whole number", number)
    value = int(text)
    if not least <= value <= most:
        refuse(path, f"{value} is not from {least} to {most}", number)
    return value


def read_csv_rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    """Give the rows of a comma-separated table with the number of the line on which each ends."""
    import csv

    rows = csv.reader(text_lines(path, errors="replace"), strict=True)
    try:
        header = [name.strip() for name in next(rows, [])]
        if not header or len(set(header)) != len(header):
            refuse(path, "its first line must name the columns, each once", 1)
        for row in rows:
            if not any(cell.strip() for cell in row):
                continue
            if len(row) != len(header):
                why = f"it has {len(row)} cells; the first line names {len(header)} columns"
                refuse(path, why, rows.line_num)
            yield rows.line_num, {k: v.strip() for k, v in zip(header, row, strict=True)}
    except csv.Error as error:
        refuse(path, f"it is no comma-separated table ({error})", rows.line_num)


# --- Arrays --------------------------------------------------------------------------------------


def open_array(path: Path, n_rows: int | None = None) -> NDArray[np.floating[Any]]:
    """Map a .npy file of features into memory. Nothing is unpickled."""
    check_regular(path)
    if not path.stat().st_size:
        refuse(path, "it is empty")
    try:
        array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, OSError, EOFError, TypeError, *_HEADER_ERRORS) as error:
        reason = " ".join(str(error).split())
        refuse(path, f"it is no plain NumPy array ({reason[:200]}). Write it with numpy.save")
    if not isinstance(array, np.ndarray):
        array.close()
        refuse(path, "it is an archive of several arrays. Write one array with numpy.save")
    if array.ndim != 2 or array.dtype.kind != "f" or array.dtype.itemsize > 8 or not array.size:
        refuse(
            path,
            f"it is {array.dtype} of shape {array.shape}; it must be float16, float32 or float64"
            " of shape (n_items, n_features), with at least one of each",
        )
    if n_rows is not None and array.shape[0] != n_rows:
        refuse(path, f"it has {array.shape[0]:,} rows; {n_rows:,} items need one each")
    return array


def check_finite(
    path: Path, X: NDArray[np.floating[Any]], rows: NDArray[np.int64] | None = None
) -> None:
    """Check that no feature is infinite or not a number, a block of rows at a time."""
    step = max(1, _BLOCK // math.prod(X.shape[1:]))
    for begin in range(0, X.shape[0], step):
        bad = ~np.isfinite(X[begin : begin + step])
        if bad.any():
            row, column = (int(place) for place in np.argwhere(bad)[0])
            item = begin + row if rows is None else int(rows[begin + row])
            value = X[begin + row, column]
            refuse(
                path,
                f"it holds {value} (item {item}, feature {column}). Leave such items out, or fill"
                " the gaps",
            )
