"""Which item of a collection a name in a table means."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conceptforest.datasets.media import MediaItem

__all__ = ["NONE", "SEVERAL", "ItemNames"]

NONE, SEVERAL = -1, -2  # places of no item


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
    """

    def __init__(self, items: Sequence[MediaItem]) -> None:
        self._exact = {item.name: k for k, item in enumerate(items)}
        self._full: dict[str, int] = {}
        self._bases: dict[str, int] = {}
        self._stems: dict[str, int] = {}
        for k, item in enumerate(items):
            full = unicodedata.normalize("NFC", item.name)
            base = full.rpartition("/")[2]
            for table, key in ((self._full, full), (self._bases, base), (self._stems, _stem(base))):
                table[key] = SEVERAL if key in table else k

    def find(self, name: str, within: str = "") -> int:
        """Give the place of the item that a name means, or ``NONE`` or ``SEVERAL``.

        It is the item of exactly that name; else the one of that name with "/" for each backslash,
        and letters with accents in either of their two forms; else the only item in any folder
        with the same file name; else the only one with the same file name up to its ending.

        Parameters
        ----------
        name : str
        within : str, default=""
            Folder that the name is relative to, ending in "/"; if there is no such item, the name
            is looked for in the whole collection.
        """
        place = self._exact.get(within + name, self._exact.get(name))
        if place is not None:
            return place
        turned = name.strip().replace("\\", "/")
        turned = unicodedata.normalize("NFC", turned).removeprefix("./")
        base = turned.rpartition("/")[2]
        place = self._full.get(within + turned, self._full.get(turned))
        for table, key in ((self._bases, base), (self._stems, base), (self._stems, _stem(base))):
            if place is not None:
                break
            place = table.get(key)
        return NONE if place is None else place


def _stem(base: str) -> str:
    stem, _, ending = base.rpartition(".")
    return stem if stem and ending else base
