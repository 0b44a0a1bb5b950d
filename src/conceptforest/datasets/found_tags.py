"""What the sources of tags say about the items of a collection, before it is put in order."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from conceptforest.datasets.rdf_tags import WrittenTags

__all__ = ["Faults", "FoundTags", "count", "sentence"]


@dataclass
class FoundTags:
    """Tags by item, as they are written.

    Attributes
    ----------
    tags : dict of int to set of str
        By the item's place in the collection.
    paths : dict of int to set of tuple of str
        Tags with those above them, the most abstract first.
    notes : list of str
        What a person should know, one sentence each.
    """

    tags: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))
    paths: dict[int, set[tuple[str, ...]]] = field(default_factory=lambda: defaultdict(set))
    notes: list[str] = field(default_factory=list)

    def add(self, item: int, written: WrittenTags) -> None:
        """Add what one file says of an item."""
        if written.tags:
            self.tags[item].update(written.tags)
        if written.paths:
            self.paths[item].update(written.paths)

    def join(self, other: FoundTags) -> None:
        """Add what another source says."""
        for item, tags in other.tags.items():
            self.tags[item] |= tags
        for item, paths in other.paths.items():
            self.paths[item] |= paths
        self.notes += other.notes


@dataclass
class Faults:
    """Counts of what could not be used, each with its first case.

    Examples
    --------
    >>> faults = Faults()
    >>> faults.add("{} of the wrong length", "row", "line 7")
    >>> faults.add("{} of the wrong length", "row", "line 9")
    >>> faults.phrases()
    ['2 rows of the wrong length (first: line 7)']
    """

    counts: dict[str, int] = field(default_factory=dict)
    firsts: dict[str, tuple[str, str]] = field(default_factory=dict)

    def add(self, what: str, noun: str, case: str) -> None:
        """Count a case; in `what`, braces stand for the number and the noun."""
        if what not in self.counts:
            self.counts[what] = 0
            self.firsts[what] = (noun, case)
        self.counts[what] += 1

    def phrases(self) -> list[str]:
        """Give a phrase for each kind, in the order in which they came up."""
        return [
            f"{what.format(count(number, self.firsts[what][0]))} (first: {self.firsts[what][1]})"
            for what, number in self.counts.items()
        ]


def count(number: int, noun: str) -> str:
    """Write a number of things.

    Examples
    --------
    >>> count(1203, "row"), count(1, "row")
    ('1,203 rows', '1 row')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def sentence(subject: str, phrases: Iterable[str]) -> str:
    """Join phrases on one subject.

    Examples
    --------
    >>> sentence("tags.csv", ["3 rows", "1 names a file that is not here"])
    'tags.csv: 3 rows; 1 names a file that is not here.'
    """
    return f"{subject}: {'; '.join(phrases)}."
