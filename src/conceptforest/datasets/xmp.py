"""Tags in XMP, the notes that photo programs keep beside a picture or within it."""

from __future__ import annotations

import io

from conceptforest.datasets.rdf_tags import RdfReader, WrittenTags
from conceptforest.datasets.xml_safely import read_xml

__all__ = ["MAX_BYTES", "read_xmp"]

MAX_BYTES = 2**22


def read_xmp(data: bytes) -> WrittenTags:
    """Read the tags of an XMP packet.

    Parameters
    ----------
    data : bytes
        The packet, with or without its wrapper: what a sidecar file holds.

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
    # Cameras pad the packet, some of them with zeros.
    read_xml(io.BytesIO(data.strip(b"\0 \t\r\n")), reader, max_bytes=MAX_BYTES)
    return reader.found()
