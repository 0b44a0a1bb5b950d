"""Tags in XMP, the notes that photo programs keep beside a picture or within it."""

from __future__ import annotations

import codecs
import io

from conceptforest.datasets.rdf_tags import RdfReader, WrittenTags
from conceptforest.datasets.xml_safely import XmlError, read_xml

__all__ = ["MAX_BYTES", "read_xmp"]

MAX_BYTES = 2**22
_PADDING = "\ufeff\0 \t\r\n"


def read_xmp(data: bytes) -> WrittenTags:
    """Read the tags of an XMP packet.

    Parameters
    ----------
    data : bytes
        The packet, with or without its wrapper: what a sidecar file holds. UTF-8, or UTF-16 in
        either order of bytes.

    Returns
    -------
    WrittenTags
        ``dc:subject`` as tags, ``lr:hierarchicalSubject`` and ``digiKam:TagsList`` as paths.

    Raises
    ------
    ValueError
        If it is no XMP or not safe to read. The message goes on from "This file cannot be read: ".

    Examples
    --------
    >>> read_xmp(b'''<r:RDF xmlns:r="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
    ...     xmlns:lr="http://ns.adobe.com/lightroom/1.0/"><r:Description>
    ...     <lr:hierarchicalSubject><r:Bag><r:li>Places|Europe|Paris</r:li></r:Bag>
    ...     </lr:hierarchicalSubject></r:Description></r:RDF>''').paths
    (('Places', 'Europe', 'Paris'),)
    """
    reader = RdfReader()
    read_xml(io.BytesIO(_strip(data)), reader, max_bytes=MAX_BYTES)
    return reader.found()


def _strip(data: bytes) -> bytes:
    """Leave out what cameras pad the packet with, some of them with zeros."""
    order = _utf16_order(data)
    if not order:
        return data.strip(b"\0 \t\r\n")
    try:
        text = data[: len(data) // 2 * 2].decode(f"utf-16-{order}")
    except UnicodeDecodeError as error:
        raise XmlError(f"its text cannot be decoded ({error})") from error
    return f"\ufeff{text.strip(_PADDING)}".encode(f"utf-16-{order}")


def _utf16_order(data: bytes) -> str:
    """Tell the order of bytes of UTF-16 text, with its mark or without; nothing for other text."""
    if data.startswith(codecs.BOM_UTF16_LE) or (data[:2] == b"<\0" and data[3:4] == b"\0"):
        return "le"
    if data.startswith(codecs.BOM_UTF16_BE) or (data[:2] == b"\0<" and data[2:3] == b"\0"):
        return "be"
    return ""
