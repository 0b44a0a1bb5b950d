"""Tags from a table: which column names the file, which its tags, and whose each row is."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from conceptforest.datasets.found_tags import Faults, FoundTags, count, sentence
from conceptforest.datasets.item_names import NONE, ItemNames
from conceptforest.datasets.table_rows import TABLE_SUFFIXES, is_csv, read_rows, refuse_table
from conceptforest.datasets.tag_cells import (
    SINGULAR,
    TAG_COLUMNS,
    TagCells,
    find_column,
    read_yes_no,
)
from conceptforest.tags.names import did_you_mean, short

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Sequence

    from conceptforest.datasets.item_names import Match
    from conceptforest.datasets.media import MediaItem
    from conceptforest.datasets.table_rows import Row

__all__ = ["FILE_COLUMNS", "read_tag_table"]

EXIFTOOL = "sourcefile"  # the column that its tables begin with
FILE_COLUMNS = (
    EXIFTOOL,
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
_NOT_HERE = "{} whose file is not here"
_SEVERAL = "{} whose file name several files have"
_RIVALS = "{} left out, as rows of different folders fit one file"
FIRST_CLAIM = 2**40  # above the places of all items
MAX_LAYOUTS = 1000  # kinds of JSON lines remembered


class _NoTagsError(ValueError):
    """A table, or one line of it, has no column of tags."""


class _Columns(NamedTuple):
    """Where in a row things stand."""

    file: int
    singular: bool  # whether the column of tags is called by the name of one
    tags: int | None  # None: every other column is a tag, and its cells say whether it is there


@dataclass
class _Claim:
    """Rows that name one file, in folders that may not be those of the collection."""

    place: int
    name: str
    rows: int = 0


def read_tag_table(
    path: str | os.PathLike[str],
    items: Sequence[MediaItem] | ItemNames,
    *,
    within: str = "",
    anywhere: bool = True,
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
    anywhere : bool, default=True
        Whether the table may name items outside that folder.

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
    (['animal', 'indoor'], ["tags.csv: 2 rows; 1 row matched by file name alone (first: 'cat.jpg');
    1 row whose file is not here (first: 'dog.jpg')."])
    """
    path = Path(path)
    if path.suffix.lower() not in TABLE_SUFFIXES:
        known = ", ".join(sorted(TABLE_SUFFIXES))
        refuse_table(path, f"its name ends in {path.suffix!r}; tables end in one of {known}")
    names = items if isinstance(items, ItemNames) else ItemNames(items)
    return _Reading(path, names, within, anywhere=anywhere).run()


class _Reading:
    """One pass over one table."""

    def __init__(self, path: Path, names: ItemNames, within: str, *, anywhere: bool) -> None:
        self.path, self.names, self.within, self.anywhere = path, names, within, anywhere
        self.found, self.faults = FoundTags(), Faults()
        self.cells = TagCells(self.faults, is_csv=is_csv(path))
        self.rows = 0
        self.layouts: dict[tuple[str, ...], _Columns] = {}
        self.header: tuple[str, ...] | None = None  # of the row before, and its columns
        self.columns = _Columns(0, False, None)
        self.tags_seen = False
        # Rows that name folders of which the collection knows nothing, by item and folders.
        self.claims: dict[tuple[int, str], _Claim] = {}

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
        phrases = self.cells.settle(self.found)
        self.settle_claims()
        phrases = [count(self.rows, "row"), *phrases, *self.faults.phrases()]
        self.found.notes.append(sentence(f"{self.within}{self.path.name}", phrases))
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
        if known or len(names) != 2 or self.match(names[0]).place < 0:
            self.choose(names)  # refuses what has no tags even where there are no rows
            return rows
        header = ("file", "tags")
        return ((line, header, cells) for line, _, cells in chain([first], rows))

    def choose(self, header: tuple[str, ...]) -> _Columns:
        """Choose the columns that matter by their names."""
        tags = find_column(header, TAG_COLUMNS)
        file = find_column(header, FILE_COLUMNS)
        if file is None:
            file = next((place for place in range(len(header)) if place != tags), 0)
        if file == tags or (tags is None and (len(header) < 2 or self.tags_seen)):
            self.refuse_columns(header, "")
        self.tags_seen = tags is not None
        lowered = [name.strip().lower() for name in header]
        # ExifTool calls a list of tags by the name of its field, which is Subject.
        singular = tags is not None and lowered[tags] in SINGULAR and EXIFTOOL not in lowered
        return _Columns(file, singular, tags)

    def refuse_columns(self, header: Sequence[str], why: str) -> NoReturn:
        """Say that there are no tags, and what to do."""
        hint = next(filter(None, (did_you_mean(name, TAG_COLUMNS) for name in header)), "")
        shown = short(", ".join(map(str, header)))
        raise _NoTagsError(
            f"Cannot read {str(self.path)!r}: none of its columns holds tags{why}. Its columns are"
            f" {shown}; call the one with the tags 'tags', with ';' between tags, or make a column"
            f" for each tag, with 0 and 1 in it.{hint}"
        )

    def match(self, name: str) -> Match:
        return self.names.match(name, self.within, anywhere=self.anywhere)

    def take(
        self, line: int, columns: _Columns, header: tuple[str, ...], cells: Sequence[Any]
    ) -> None:
        name = cells[columns.file]
        if not isinstance(name, str):
            if not isinstance(name, int):
                self.faults.add("{} without the name of a file", "row", f"line {line}")
                return
            name = str(name)
        place, how, outer = self.match(name)
        if place < 0:
            what = _NOT_HERE if place == NONE else _SEVERAL
            self.faults.add(what, "row", short(name))
        elif how:
            self.faults.add(f"{{}} matched {how}", "row", short(name))
        if outer:
            place = self.claim(place, outer, name)
        if columns.tags is None:
            self.take_wide(line, columns, header, cells, place)
        else:
            self.cells.add(place, cells[columns.tags], singular=columns.singular, line=line)

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
            says = read_yes_no(cell, is_csv=is_csv(self.path))
            if says is None:
                why = f": {short(header[column])} holds {short(cell)} in line {line}"
                self.refuse_columns(header, why)
            if says:
                tags.append(header[column])
        if place >= 0:
            self.found.tags[place].update(tags)

    def claim(self, place: int, outer: str, name: str) -> int:
        """Give a row a place of its own until it is known what other rows claim its item."""
        claim = self.claims.get((place, outer))
        if claim is None:
            claim = self.claims[place, outer] = _Claim(FIRST_CLAIM + len(self.claims), name)
        claim.rows += 1
        return claim.place

    def settle_claims(self) -> None:
        """Give an item the tags of the folder that claims it, if it is the only one.

        Of ``train/1.jpg`` and ``test/1.jpg``, at most one can be the only ``1.jpg`` that is here.
        """
        rivals = Counter(place for place, _ in self.claims)
        own = {place for place in rivals if self.found.tags.get(place)}
        for (place, _), claim in self.claims.items():
            tags = self.found.tags.pop(claim.place, set())
            if rivals[place] == 1 and place not in own:
                self.found.tags[place] |= tags
                continue
            for _ in range(claim.rows):
                self.faults.add(_RIVALS, "row", short(claim.name))
