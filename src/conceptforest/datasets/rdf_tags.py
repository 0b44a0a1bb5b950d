"""Tags in RDF, the form in which XMP and SVG files hold them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from conceptforest.datasets.xml_safely import EndReading, XmlError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from conceptforest.datasets.xml_safely import Name

__all__ = ["RdfReader", "WrittenTags"]

RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
SUBJECT = ("http://purl.org/dc/elements/1.1/", "subject")
PATHS = {
    ("http://ns.adobe.com/lightroom/1.0/", "hierarchicalSubject"): "|",
    ("http://www.digikam.org/ns/1.0/", "TagsList"): "/",
}
INTERNAL = "_Digikam_Internal_Tags_"  # where digiKam keeps its colour and pick labels
MAX_ENTRIES = 10_000
MAX_LENGTH = 10_000  # characters of one entry; a path has several tags


@dataclass(frozen=True)
class WrittenTags:
    """Tags as one file holds them.

    Attributes
    ----------
    tags : tuple of str
        In their order, neither cleaned nor made unique.
    paths : tuple of tuples of str
        Tags with those above them, the most abstract first.
    """

    tags: tuple[str, ...] = ()
    paths: tuple[tuple[str, ...], ...] = ()

    def __add__(self, other: WrittenTags) -> WrittenTags:
        return WrittenTags(self.tags + other.tags, self.paths + other.paths)


class RdfReader:
    """Gathers subjects and tag paths from a stream of XML.

    Parameters
    ----------
    last : str, default=""
        Local name of the element at whose end reading may stop.

    Examples
    --------
    >>> import io
    >>> from conceptforest.datasets.xml_safely import read_xml
    >>> reader = RdfReader()
    >>> read_xml(io.BytesIO(b'''<Description xmlns:dc="http://purl.org/dc/elements/1.1/"
    ...     dc:subject="harbour; boat"/>'''), reader)
    >>> reader.found().tags
    ('harbour', 'boat')
    """

    def __init__(self, last: str = "") -> None:
        self._last = last
        self._entries: list[tuple[Name, str]] = []
        self._property: Name | None = None  # the one being read
        self._depth = 0  # of elements within it
        self._pieces: list[str] = []
        self._length = 0
        self._has_list = False

    def start(self, name: Name, attributes: Mapping[Name, str]) -> None:
        """Note that an element begins."""
        if self._property is not None:
            self._depth += 1
            if name == (RDF, "li"):
                self._has_list = True
                self._clear()
            return
        for key, value in attributes.items():
            if _is_wanted(key):
                self._add_plain(key, value)
        if _is_wanted(name):
            self._property, self._depth, self._has_list = name, 0, False
            self._clear()

    def text(self, data: str) -> None:
        """Note a piece of text."""
        if self._property is None:
            return
        self._length += len(data)
        if self._length > MAX_LENGTH:
            raise XmlError(f"one of its tags has more than {MAX_LENGTH:,} characters")
        self._pieces.append(data)

    def end(self, name: Name) -> None:
        """Note that an element ends."""
        if self._property is None:
            if name[1] == self._last:
                raise EndReading
            return
        if self._depth:
            self._depth -= 1
            if name == (RDF, "li"):
                self._add(self._property, "".join(self._pieces))
            return
        if not self._has_list:
            self._add_plain(self._property, "".join(self._pieces))
        self._property = None

    def found(self) -> WrittenTags:
        """Give what was gathered."""
        tags = tuple(text for key, text in self._entries if key == SUBJECT)
        paths = (tuple(text.split(PATHS[key])) for key, text in self._entries if key in PATHS)
        return WrittenTags(tags, tuple(path for path in paths if path[0].strip() != INTERNAL))

    def _add_plain(self, key: Name, text: str) -> None:
        """Add a value that is no list, in which some programs write several subjects."""
        parts = text.replace(";", ",").split(",") if key == SUBJECT else [text]
        for part in parts:
            self._add(key, part)

    def _add(self, key: Name, text: str) -> None:
        if not text.strip():
            return
        if len(self._entries) >= MAX_ENTRIES:
            raise XmlError(f"it has more than {MAX_ENTRIES:,} tags")
        self._entries.append((key, text.strip()))

    def _clear(self) -> None:
        self._pieces, self._length = [], 0


def _is_wanted(name: Name) -> bool:
    return name == SUBJECT or name in PATHS
