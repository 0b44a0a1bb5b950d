"""What the cells of a table say about tags: which columns hold them, and where one tag ends."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import chain
from typing import TYPE_CHECKING, Any

from conceptforest.datasets.found_tags import count

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from conceptforest.datasets.found_tags import Faults, FoundTags

__all__ = ["NO_TEXT", "SINGULAR", "TAG_COLUMNS", "TagCells", "find_column", "read_yes_no"]

SINGULAR = ("tag", "keyword", "label", "subject")
TAG_COLUMNS = tuple(chain.from_iterable((f"{name}s", name) for name in SINGULAR))
YES = frozenset({"1", "1.0", "true", "yes", "y", "x"})
NO = frozenset({"0", "0.0", "false", "no", "n", ""})
# What programs write into a CSV file where there is nothing.
NOTHING = frozenset({"nan", "none", "null"})
MARKS = (";", "|", ",")  # of equally frequent ones the first counts
NO_TEXT = "{} whose tags are no text"
_NOTHING = "{} whose tags are 'nan', 'None' or 'null', taken as none"


def find_column(names: Sequence[str], wanted: Sequence[str]) -> int | None:
    """Give the place of the first wanted name that a table has, in any case of letters.

    Examples
    --------
    >>> find_column(["File", "Keywords"], TAG_COLUMNS)
    1
    """
    lowered = [name.strip().lower() for name in names]
    return next((lowered.index(name) for name in wanted if name in lowered), None)


def read_yes_no(cell: Any, *, is_csv: bool) -> bool | None:
    """Tell whether a cell of a column that is a tag says yes or no; None if it says neither.

    Examples
    --------
    >>> read_yes_no("X", is_csv=True), read_yes_no(0.0, is_csv=False), read_yes_no("2", is_csv=True)
    (True, False, None)
    """
    if _is_missing(cell):
        return False
    value = str(cell).strip().lower()
    if value in YES:
        return True
    return False if value in NO or (is_csv and value in NOTHING) else None


class TagCells:
    """Cells by item, made into tags once all of them are known.

    Parameters
    ----------
    faults : Faults
        Counts cells that hold no tags but something else.
    is_csv : bool
        Whether the cells are those of a CSV file, where all is text.

    Examples
    --------
    >>> from conceptforest.datasets.found_tags import Faults, FoundTags
    >>> cells, found = TagCells(Faults(), is_csv=True), FoundTags()
    >>> for item, cell in enumerate(["sea, boat", "rock | roll, sea", "nan"]):
    ...     cells.add(item, cell, singular=False, line=item + 2)
    >>> cells.settle(found), sorted(found.tags[1])
    (["tags end at ',' (found in 2 cells; '|' in 1)"], ['rock | roll', 'sea'])
    """

    def __init__(self, faults: Faults, *, is_csv: bool) -> None:
        self._faults = faults
        self._is_csv = is_csv
        self._lists: dict[int, set[str]] = defaultdict(set)
        self._columns = {singular: _Column() for singular in (False, True)}

    def add(self, item: int, cell: Any, *, singular: bool, line: int) -> None:
        """Take a cell of a column of tags; of an item that is not known, for its faults alone.

        Parameters
        ----------
        item : int
            Its place, or a negative number.
        cell : any
            Text with any number of tags, a list of tags, or one tag.
        singular : bool
            Whether the column is called by one of ``SINGULAR``.
        line : int
        """
        if isinstance(cell, str):
            text = cell.strip()
            if self._is_csv and text.lower() in NOTHING:
                self._faults.add(_NOTHING, "row", f"line {line}")
            elif text and item >= 0:
                self._columns[singular].add(item, text)
            return
        several = [] if _is_missing(cell) else cell if isinstance(cell, list) else [cell]
        # A yes or no is a number in Python, but no name of anything.
        tags = [str(t) for t in several if isinstance(t, (str, int)) and not isinstance(t, bool)]
        if len(tags) + sum(map(_is_missing, several)) < len(several):
            self._faults.add(NO_TEXT, "row", f"line {line}")
        if tags and item >= 0:
            self._lists[item].update(tags)

    def settle(self, found: FoundTags) -> list[str]:
        """Add all tags to what was found; gives phrases for a note."""
        phrases = []
        for item, tags in self._lists.items():
            found.tags[item] |= tags
        for singular, column in self._columns.items():
            if singular and column.repeats:
                mark = None
            else:
                mark = column.most_frequent(MARKS[:2] if singular else MARKS)
                phrases += column.describe(mark, MARKS[:2] if singular else MARKS)
            if singular and column.marks[","]:
                cells = count(column.marks[","], "cell")
                phrases.append(f"commas of {cells} kept, as the column's name is that of one tag")
            column.split(mark, found)
        return phrases


class _Column:
    """The different texts of each item."""

    def __init__(self) -> None:
        self.cells: dict[int, set[str]] = defaultdict(set)
        self.marks: Counter[str] = Counter()  # cells that hold each mark
        self.repeats = False  # whether some item has several

    def add(self, item: int, text: str) -> None:
        known = self.cells[item]
        if text in known:
            return
        self.repeats = self.repeats or bool(known)
        known.add(text)
        for mark in MARKS:
            if mark in text:
                self.marks[mark] += 1

    def most_frequent(self, allowed: Sequence[str]) -> str | None:
        seen = [mark for mark in allowed if self.marks[mark]]
        return max(seen, key=self.marks.__getitem__) if seen else None

    def describe(self, chosen: str | None, allowed: Collection[str]) -> list[str]:
        """Say what ends a tag, if there was a choice."""
        others = [mark for mark in allowed if self.marks[mark] and mark != chosen]
        if chosen is None or not others:
            return []
        rest = " and ".join(f"{mark!r} in {self.marks[mark]:,}" for mark in others)
        return [f"tags end at {chosen!r} (found in {count(self.marks[chosen], 'cell')}; {rest})"]

    def split(self, mark: str | None, found: FoundTags) -> None:
        known: dict[str, list[str]] = {}
        for item, cells in self.cells.items():
            for cell in cells:
                if cell not in known:
                    tags = cell.split(mark) if mark else [cell]
                    known[cell] = [tag.strip() for tag in tags]
                found.tags[item].update(known[cell])
        self.cells.clear()


def _is_missing(cell: Any) -> bool:
    return cell is None or (isinstance(cell, float) and cell != cell)  # noqa: PLR0124 - not a number
