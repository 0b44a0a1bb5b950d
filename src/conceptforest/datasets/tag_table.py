"""Tags from a table: which column names the file, which its tags, and whose each row is."""

from __future__ import annotations

from collections import defaultdict
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from conceptforest.datasets.found_tags import Faults, FoundTags, count, sentence
from conceptforest.datasets.item_names import NONE, ItemNames
from conceptforest.datasets.table_rows import TABLE_SUFFIXES, read_rows, refuse_table
from conceptforest.tags.names import did_you_mean, short

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Sequence

    from conceptforest.datasets.media import MediaItem
    from conceptforest.datasets.table_rows import Row

__all__ = ["read_tag_table"]

FILE_COLUMNS = (
    "file",
    "file_name",
    "filename",
    "path",
    "image",
    "name",
    "item",
    "video",
    "id",
)
SINGULAR = ("tag", "keyword", "label", "subject")
TAG_COLUMNS = tuple(chain.from_iterable((f"{name}s", name) for name in SINGULAR))
YES = frozenset({"1", "true"})
NO = frozenset({"0", "false", ""})
_NOT_HERE = "{} whose file is not here"
_SEVERAL = "{} whose file name several files have"
MAX_LAYOUTS = 1000  # kinds of JSON lines remembered


class _NoTagsError(ValueError):
    """A table, or one line of it, has no column of tags."""


class _Columns(NamedTuple):
    """Where in a row things stand."""

    file: int
    tags: int | None  # None: every other column is a tag, and its cells say whether it is there


def read_tag_table(
    path: str | os.PathLike[str], items: Sequence[MediaItem] | ItemNames, *, within: str = ""
) -> FoundTags:
    r"""Read the tags of items from a table.

    Parameters
    ----------
    path : str or path-like
        A file whose name ends in .csv, .tsv, .txt, .jsonl, .ndjson or .parquet. It is read as a
        stream.
    items : sequence of MediaItem, or ItemNames
        Whose tags are wanted.
    within : str, default=""
        Folder that the names in the table are relative to, ending in "/".

    Returns
    -------
    FoundTags
        With a note on what was found.

    Raises
    ------
    OSError
        If the file cannot be opened.
    ValueError
        If it is no table, or no column of it holds tags.

    Examples
    --------
    >>> import tempfile
    >>> from conceptforest.datasets.media import MediaItem
    >>> items = [MediaItem("a/cat.jpg", Path("a/cat.jpg"), "image")]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "tags.csv"
    ...     _ = path.write_text("file,tags\ncat.jpg,animal; indoor\ndog.jpg,animal\n")
    ...     found = read_tag_table(path, items)
    >>> sorted(found.tags[0]), found.notes
    (['animal', 'indoor'], ["tags.csv: 2 rows; 1 row whose file is not here (first: 'dog.jpg')."])
    """
    path = Path(path)
    if path.suffix.lower() not in TABLE_SUFFIXES:
        known = ", ".join(sorted(TABLE_SUFFIXES))
        refuse_table(path, f"its name ends in {path.suffix!r}; tables end in one of {known}")
    names = items if isinstance(items, ItemNames) else ItemNames(items)
    return _Reading(path, names, within).run()


class _Reading:
    """One pass over one table."""

    def __init__(self, path: Path, names: ItemNames, within: str) -> None:
        self.path, self.names, self.within = path, names, within
        self.found, self.faults = FoundTags(), Faults()
        # Cells are split at the end: only then is it known what stands between tags.
        self.cells: dict[int, set[str]] = defaultdict(set)
        self.has_marks = self.one_a_row = self.repeats = False
        self.rows = 0
        self.layouts: dict[tuple[str, ...], _Columns] = {}
        self.header: tuple[str, ...] | None = None  # of the row before, and its columns
        self.columns = _Columns(0, None)
        self.tags_seen = False

    def run(self) -> FoundTags:
        rows = read_rows(self.path, self.faults, self.found.notes)
        first_error: _NoTagsError | None = None
        any_tags = False
        for line, header, cells in self.with_header(rows):
            self.rows += 1
            try:
                self.take(line, self.columns_of(header), header, cells)
                any_tags = True
            except _NoTagsError as error:
                if self.path.suffix.lower() not in {".jsonl", ".ndjson"}:
                    raise
                # Each line has names of its own, and those of items without tags may lack some.
                first_error = first_error or error
                self.faults.add("{} without tags", "row", f"line {line}")
        if first_error is not None and not any_tags:
            raise first_error
        self.split()
        subject = f"{self.within}{self.path.name}"
        self.found.notes.append(
            sentence(subject, [count(self.rows, "row"), *self.faults.phrases()])
        )
        return self.found

    def columns_of(self, header: tuple[str, ...]) -> _Columns:
        """Choose the columns that matter, once for rows that have the same."""
        if header is not self.header:
            columns = self.layouts.get(header) or self.choose(header)
            if len(self.layouts) < MAX_LAYOUTS:
                self.layouts[header] = columns
            self.header, self.columns = header, columns
        return self.columns

    def with_header(self, rows: Iterator[Row]) -> Iterable[Row]:
        """Leave out the first line of a CSV file, unless it names a file and no columns."""
        first = next(rows, None)
        if first is None:
            return []
        _, names, cells = first
        if cells is not names:  # no CSV file
            return chain([first], rows)
        known = {*FILE_COLUMNS, *TAG_COLUMNS} & {name.lower() for name in names}
        if known or len(names) != 2 or self.names.find(names[0], self.within) < 0:
            self.choose(names)  # refuses what has no tags even where there are no rows
            return rows
        header = ("file", "tags")
        return ((line, header, cells) for line, _, cells in chain([first], rows))

    def choose(self, header: tuple[str, ...]) -> _Columns:
        """Choose the columns that matter by their names."""
        lowered = [name.strip().lower() for name in header]
        tags = next((lowered.index(name) for name in TAG_COLUMNS if name in lowered), None)
        others = [place for place in range(len(header)) if place != tags]
        file = next((lowered.index(name) for name in FILE_COLUMNS if name in lowered), None)
        if file is None:
            file = others[0] if others else 0
        self.one_a_row |= tags is not None and lowered[tags] in SINGULAR
        if file == tags or (tags is None and (len(header) < 2 or self.tags_seen)):
            self.refuse_columns(header, "")
        self.tags_seen = tags is not None
        return _Columns(file, tags)

    def refuse_columns(self, header: Sequence[str], why: str) -> NoReturn:
        """Say that there are no tags, and what to do."""
        hint = next(filter(None, (did_you_mean(name, TAG_COLUMNS) for name in header)), "")
        shown = short(", ".join(map(str, header)))
        raise _NoTagsError(
            f"Cannot read {str(self.path)!r}: none of its columns holds tags{why}. Its columns are"
            f" {shown}; call the one with the tags 'tags', with ';' between tags, or make a column"
            f" for each tag, with 0 and 1 in it.{hint}"
        )

    def take(
        self, line: int, columns: _Columns, header: tuple[str, ...], cells: Sequence[Any]
    ) -> None:
        name = cells[columns.file]
        if not isinstance(name, str):
            if not isinstance(name, int):
                self.faults.add("{} without the name of a file", "row", f"line {line}")
                return
            name = str(name)
        place = self.names.find(name, self.within)
        if place < 0:
            what = _NOT_HERE if place == NONE else _SEVERAL
            self.faults.add(what, "row", short(name))
        if columns.tags is None:
            self.take_wide(line, columns, header, cells, place)
            return
        cell = cells[columns.tags]
        if isinstance(cell, str):
            self.has_marks = self.has_marks or ";" in cell or "|" in cell
            if place >= 0:
                known = self.cells[place]
                self.repeats = self.repeats or bool(known)
                known.add(cell)
            return
        several = cell if isinstance(cell, list) else [cell]
        tags = [str(tag) for tag in several if isinstance(tag, str | int)]
        if len(tags) + several.count(None) < len(several):
            self.faults.add("{} whose tags are no text", "row", f"line {line}")
        if place >= 0:
            self.found.tags[place].update(tags)

    def take_wide(
        self,
        line: int,
        columns: _Columns,
        header: tuple[str, ...],
        cells: Sequence[Any],
        place: int,
    ) -> None:
        """Take a row with one column a tag."""
        tags = []
        for column, cell in enumerate(cells):
            if column == columns.file:
                continue
            value = "" if cell is None else str(cell).strip().lower()
            if value in YES:
                tags.append(header[column])
            elif value not in NO:
                why = f": {short(header[column])} holds {short(cell)} in line {line}"
                self.refuse_columns(header, why)
        if place >= 0:
            self.found.tags[place].update(tags)

    def split(self) -> None:
        """Make tags of the cells, now that it is known what stands between tags."""
        is_long = self.one_a_row and self.repeats
        known: dict[str, list[str]] = {}
        for place, cells in self.cells.items():
            for cell in cells:
                if cell not in known:
                    if self.has_marks:
                        tags = cell.replace("|", ";").split(";")
                    else:
                        tags = [cell] if is_long else cell.split(",")
                    known[cell] = [tag.strip() for tag in tags]
                self.found.tags[place].update(known[cell])
        self.cells.clear()
