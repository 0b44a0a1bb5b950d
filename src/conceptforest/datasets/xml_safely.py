"""XML from strangers, read as a stream within fixed bounds.

Nothing outside the file is ever fetched, and no file can cost more time or memory than its size
allows: the parser of the standard library checks that the XML is well formed, this module what it
may ask for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO, NoReturn, Protocol, TypeAlias
from xml.parsers import expat

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["MAX_BYTES", "EndReading", "Name", "XmlError", "XmlReader", "read_xml"]

Name: TypeAlias = tuple[str, str]  # namespace and local name

MAX_BYTES = 2**26  # the largest file
MAX_DEPTH = 256  # elements within elements
MAX_ELEMENTS = 1_000_000
MAX_TOKEN = 2**23  # bytes of one tag or comment: pictures may be embedded in an attribute
MAX_PROLOG = 2**16  # bytes up to and with the first tag
MAX_PROLOG_PIECES = 4096
MAX_DECLARATIONS = 512  # entities and attributes declared
# With entities of this length, tags of MAX_TOKEN_WITH_ENTITIES bytes grow to a few megabytes.
MAX_ENTITY = 200
MAX_TOKEN_WITH_ENTITIES = 2**16
MAX_GROWTH = 2**23  # characters handed out beyond twice the bytes read

_FIRST_CHUNK, _CHUNK = 2**14, 2**20


class XmlError(ValueError):
    """What is wrong with a file, as the end of a sentence that begins with its name."""


class EndReading(Exception):  # noqa: N818 - not an error
    """Raised by a reader that has seen what it wants."""


class XmlReader(Protocol):
    """What is told about the elements of a file, in their order."""

    def start(self, name: Name, attributes: Mapping[Name, str]) -> None:
        """Note that an element begins. Attributes without a namespace have an empty one."""

    def text(self, data: str) -> None:
        """Note a piece of text; one text may come in several."""

    def end(self, name: Name) -> None:
        """Note that an element ends."""


def read_xml(
    file: BinaryIO, reader: XmlReader, *, doctype: bool = False, max_bytes: int = MAX_BYTES
) -> None:
    """Read XML and tell a reader what is in it.

    Parameters
    ----------
    file : binary file
        Read from where it stands, no further than needed.
    reader : XmlReader
        It may raise :class:`EndReading` to stop.
    doctype : bool, default=False
        Whether a DOCTYPE is allowed. It may declare a few short entities of plain text; those that
        stand for other entities, or for files, are refused.
    max_bytes : int, default=2**26
        The longest file that is read.

    Raises
    ------
    XmlError
        If it is not well formed, is too large or too deep, or declares what is not allowed. The
        message goes on from "This file cannot be read: ".

    Examples
    --------
    >>> import io
    >>> class Show:
    ...     def start(self, name, attributes):
    ...         print(name, attributes)
    ...     def text(self, data):
    ...         print(data)
    ...     def end(self, name):
    ...         pass
    >>> read_xml(io.BytesIO(b'<d:a xmlns:d="urn:d" d:n="1">text</d:a>'), Show())
    ('urn:d', 'a') {('urn:d', 'n'): '1'}
    text
    """
    walk = _Walk(reader, doctype=doctype)
    try:
        walk.read(file, max_bytes)
    except EndReading:
        return
    except XmlError:
        raise
    except expat.ExpatError as error:
        raise XmlError(f"it is not well-formed XML ({error})") from error
    except (ValueError, LookupError) as error:  # an encoding that is unknown or no encoding
        raise XmlError(f"its text cannot be decoded ({error})") from error


class _Walk:
    """One pass over one file."""

    def __init__(self, reader: XmlReader, *, doctype: bool) -> None:
        self.reader = reader
        self.doctype = doctype
        self.open: list[tuple[Name, tuple[str, ...]]] = []  # and the prefixes each one declares
        # The last entry of each list counts. Names are resolved here and not by expat, which would
        # write a long namespace out again for every attribute.
        self.namespaces: dict[str, list[str]] = {}
        self.elements = self.declarations = self.entities = self.fed = self.given = 0
        self.parser = parser = expat.ParserCreate()
        parser.buffer_text = True
        parser.specified_attributes = True  # defaults of the DOCTYPE are not asked for
        parser.StartDoctypeDeclHandler = self.on_doctype
        parser.EntityDeclHandler = self.on_entity
        parser.AttlistDeclHandler = self.on_default
        parser.StartElementHandler = self.on_start
        parser.EndElementHandler = self.on_end
        parser.CharacterDataHandler = self.on_text

    def read(self, file: BinaryIO, max_bytes: int) -> None:
        rest = self.read_prolog(file)
        size = _FIRST_CHUNK
        while rest:
            self.feed(rest)
            if self.fed > max_bytes:
                _refuse(f"it is larger than {max_bytes:,} bytes")
            rest = file.read(size)
            size = MAX_TOKEN_WITH_ENTITIES if self.entities else _CHUNK
        self.parser.Parse(b"", True)

    def read_prolog(self, file: BinaryIO) -> bytes:
        """Read up to the first tag, and give the bytes after it that are already read.

        When a declaration is refused, expat goes through the rest of what it was given all the
        same, entities and all. So it is given one declaration at a time.
        """
        pieces = 0
        rest = b""
        while not self.elements:
            if b">" not in rest:
                more = file.read(_FIRST_CHUNK)
                if not more:
                    break
                rest += more
            cut = rest.find(b">") + 1 or len(rest)
            self.feed(rest[:cut])
            rest = rest[cut:]
            pieces += 1
            if pieces > MAX_PROLOG_PIECES or (not self.elements and self.fed > MAX_PROLOG):
                _refuse(f"there is no element in its first {MAX_PROLOG:,} bytes")
        return rest

    def feed(self, data: bytes) -> None:
        self.parser.Parse(data, False)
        self.fed += len(data)
        limit = MAX_TOKEN_WITH_ENTITIES if self.entities else MAX_TOKEN
        if self.fed - self.parser.CurrentByteIndex > limit:
            _refuse(f"a tag or comment in it is longer than {limit:,} bytes")

    def on_doctype(self, *_: Any) -> None:
        if not self.doctype:
            _refuse("it has a DOCTYPE, which has no place in such a file")

    def on_entity(self, name: str, parameter: bool, value: str | None, *_: Any) -> None:
        self.entities += 1
        self.on_default()
        if parameter or value is None:
            _refuse(f"its entity {name[:40]!r} does not stand for plain text")
        if len(value) > MAX_ENTITY or "&" in value or "<" in value:
            _refuse(f"its entity {name[:40]!r} is more than a short plain text")

    def on_default(self, *_: Any) -> None:
        self.declarations += 1
        if self.declarations > MAX_DECLARATIONS:
            _refuse(f"its DOCTYPE declares more than {MAX_DECLARATIONS} names")

    def on_start(self, name: str, attributes: dict[str, str]) -> None:
        self.elements += 1
        if self.elements > MAX_ELEMENTS:
            _refuse(f"it has more than {MAX_ELEMENTS:,} elements")
        if len(self.open) >= MAX_DEPTH:
            _refuse(f"its elements are nested more than {MAX_DEPTH} deep")
        self.count(sum(map(len, attributes.values())))
        declared = [key for key in attributes if key == "xmlns" or key.startswith("xmlns:")]
        for key in declared:
            self.namespaces.setdefault(key[6:], []).append(attributes.pop(key))
        full = self.resolve(name, self.namespace(""))
        self.open.append((full, tuple(key[6:] for key in declared)))
        self.reader.start(full, {self.resolve(key, ""): attributes[key] for key in attributes})

    def on_end(self, _: str) -> None:
        name, declared = self.open.pop()
        for prefix in declared:
            self.namespaces[prefix].pop()
        self.reader.end(name)

    def on_text(self, data: str) -> None:
        self.count(len(data))
        self.reader.text(data)

    def count(self, characters: int) -> None:
        self.given += characters
        if self.given > 2 * (self.fed + _CHUNK) + MAX_GROWTH:
            _refuse("its entities grow to far more text than the file holds")

    def namespace(self, prefix: str) -> str:
        known = self.namespaces.get(prefix)
        return known[-1] if known else ""

    def resolve(self, name: str, default: str) -> Name:
        prefix, colon, local = name.partition(":")
        return (self.namespace(prefix), local) if colon else (default, name)


def _refuse(why: str) -> NoReturn:
    raise XmlError(why)
