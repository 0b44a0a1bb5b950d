"""Tags in the metadata of SVG drawings."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from conceptforest.datasets.rdf_tags import RdfReader, WrittenTags
from conceptforest.datasets.regular_file import open_regular
from conceptforest.datasets.xml_safely import XmlError, read_xml

if TYPE_CHECKING:
    import os

__all__ = ["read_svg", "svg_tags"]


def svg_tags(path: str | os.PathLike[str]) -> tuple[str, ...]:
    """Read the tags of an SVG drawing: the ``dc:subject`` of its metadata.

    Reading stops at the end of the metadata, which mostly comes before the drawing.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    tuple of str
        In the order of the file, as they are written there; empty ones are left out.

    Raises
    ------
    OSError
        If there is no such file or it may not be read.
    ValueError
        If it is no XML, or not safe to read: see :mod:`conceptforest.datasets.xml_safely`.

    Examples
    --------
    >>> import tempfile
    >>> drawing = '''<svg xmlns:dc="http://purl.org/dc/elements/1.1/"
    ...     xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><metadata><dc:subject>
    ...     <rdf:Bag><rdf:li>bird</rdf:li><rdf:li/></rdf:Bag></dc:subject></metadata></svg>'''
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "owl.svg"
    ...     _ = path.write_text(drawing)
    ...     svg_tags(path)
    ('bird',)
    """
    try:
        return read_svg(Path(path)).tags
    except XmlError as error:
        raise ValueError(f"Cannot read {str(path)!r}: {error}.") from error


def read_svg(path: Path) -> WrittenTags:
    """Read what :func:`svg_tags` reads, with reasons that do not name the file."""
    reader = RdfReader(last="metadata")
    with open_regular(path) as file:
        read_xml(file, reader, doctype=True)
    return reader.found()
