"""Which item of a collection a name in a table means."""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from conceptforest.datasets.media import MediaItem

__all__ = ["NONE", "SEVERAL", "ItemNames", "Match"]

NONE, SEVERAL = -1, -2  # places of no item


class Match(NamedTuple):
    """The item that a name means.

    Attributes
    ----------
    place : int
        Of the item, or ``NONE`` or ``SEVERAL``.
    how : str
        Empty if the item has exactly that name, else what the two have in common.
    outer : str
        Folders of the name above all those of the item.
    """

    place: int
    how: str = ""
    outer: str = ""


class ItemNames:
    """The names by which items can be called.

    Parameters
    ----------
    items : sequence of MediaItem

    Examples
    --------
    >>> from pathlib import Path
    >>> from conceptforest.datasets.media import MediaItem
    >>> items = [MediaItem(name, Path(name), "image") for name in ("a/1.jpg", "a/2.jpg", "b/2.jpg")]
    >>> names = ItemNames(items)
    >>> names.find("b/2.jpg"), names.find("1.jpg"), names.find("1"), names.find("2")
    (2, 0, 0, -2)
    >>> names.find("c/1.jpg"), names.find("/home/me/b/2.jpg")
    (-1, 2)
    """

    def __init__(self, items: Sequence[MediaItem]) -> None:
        self._exact = {item.name: k for k, item in enumerate(items)}
        self._names = [item.name for item in items]
        # What follows is made when the first name comes that is not exact.
        self._sorted: list[tuple[str, int]] | None = None
        self._known: dict[str, tuple[_Paths, _Paths]] = {}

    def find(self, name: str, within: str = "") -> int:
        """Give the place of the item that a name means, or ``NONE`` or ``SEVERAL``."""
        return self.match(name, within).place

    def match(self, name: str, within: str = "", *, anywhere: bool = True) -> Match:
        """Find the item that a name means.

        It is the item of exactly that name; else the one of that name with "/" for each backslash,
        and letters with accents in either of their two forms; else the only item with the same
        file name; else the only one with the same file name up to its ending. Folders in the name
        must not contradict those of the item: either path must be the end of the other.

        Parameters
        ----------
        name : str
        within : str, default=""
            Folder that the name is relative to, ending in "/". If it holds no such item, an item
            of exactly that name is looked for from the folder of the collection; and if there is
            no item at all below it, as where tables have a folder of their own, in the whole
            collection.
        anywhere : bool, default=True
            Whether to look outside `within` at all.
        """
        place = self._exact.get(within + name)
        if place is None and anywhere:
            place = self._exact.get(name)
        if place is not None:
            return Match(place)
        turned = unicodedata.normalize("NFC", name.strip().replace("\\", "/"))
        parts = [part for part in turned.split("/") if part not in {"", "."}]
        if not parts:
            return Match(NONE)
        within = unicodedata.normalize("NFC", within)
        below = self._below(within)
        if anywhere and not below[0].whole:
            within, below = "", self._below("")
        return self._search(parts, within, below, anywhere=anywhere)

    def _search(
        self, parts: list[str], within: str, below: tuple[_Paths, _Paths], *, anywhere: bool
    ) -> Match:
        above = self._below("") if anywhere else below
        whole = "/".join(parts)
        for paths in (below, above) if within else (above,):
            place = paths[0].whole.get((within if paths is below else "") + whole)
            if place is not None:
                return Match(place)
        how = "by the end of the path" if parts[1:] else "by file name alone"
        stem = _stem(parts[-1])
        ways = ((0, parts), (1, parts), (1, [*parts[:-1], stem]))
        for kind, wanted in ways:
            # A relative name lies below its folder; an absolute one may end in any item's name.
            places = {below[kind].ends.get("/".join(wanted)), *above[kind].tails_of(wanted)}
            found = [place for place in places if place is not None]
            if found:
                if len(found) > 1 or found[0] < 0:
                    return Match(SEVERAL)
                return Match(found[0], how, self._outer(parts, found[0]))
        return Match(NONE)

    def _outer(self, parts: list[str], place: int) -> str:
        return "/".join(parts[: -self._names[place].count("/") - 1])

    def _below(self, within: str) -> tuple[_Paths, _Paths]:
        """Give the items below a folder by their paths, and by their paths up to the ending."""
        if self._sorted is None:
            composed = ((unicodedata.normalize("NFC", name), k) for name, k in self._exact.items())
            self._sorted = sorted(composed)
        if within not in self._known:
            if len(self._known) > 1:  # of all folders but the whole, the last one is kept
                self._known = {"": self._known[""]} if "" in self._known else {}
            names = self._sorted
            if within:
                after = within[:-1] + chr(ord("/") + 1)
                names = names[bisect_left(names, (within,)) : bisect_left(names, (after,))]
            self._known[within] = (
                _Paths(names),
                _Paths((_without_ending(name), k) for name, k in names),
            )
        return self._known[within]


class _Paths:
    """Places of paths, by the whole path and by each end of it; ``SEVERAL`` where they share it."""

    def __init__(self, paths: Iterable[tuple[str, int]]) -> None:
        self.whole: dict[str, int] = {}
        self.ends: dict[str, int] = {}
        self.depth = 0
        for path, place in paths:
            self.whole[path] = SEVERAL if path in self.whole else place
            end, slash, depth = path, "/", 0
            while slash:
                self.ends[end] = SEVERAL if end in self.ends else place
                _, slash, end = end.partition("/")
                depth += 1
            self.depth = max(self.depth, depth)

    def tails_of(self, parts: list[str]) -> set[int | None]:
        """Give the places of whole paths that a longer path ends in."""
        first = max(1, len(parts) - self.depth)
        return {self.whole.get("/".join(parts[k:])) for k in range(first, len(parts))}


def _without_ending(name: str) -> str:
    folder, slash, base = name.rpartition("/")
    return folder + slash + _stem(base)


def _stem(base: str) -> str:
    stem, _, ending = base.rpartition(".")
    return stem if stem and ending else base
