"""Tags that a picture file carries in itself: XMP in JPEG, PNG and WebP, IPTC in JPEG.

Only the parts that hold tags are read, and the pixels are passed over.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO

from conceptforest.datasets import xmp
from conceptforest.datasets.iptc import read_iptc
from conceptforest.datasets.rdf_tags import WrittenTags
from conceptforest.datasets.regular_file import open_regular

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["read_embedded"]

MAX_PARTS = 10_000  # segments or chunks looked at in one file
XMP_IN_JPEG = b"http://ns.adobe.com/xap/1.0/\0"
PHOTOSHOP = b"Photoshop 3.0\0"
XMP_IN_PNG = b"XML:com.adobe.xmp\0"
APP1, APP13 = 0xE1, 0xED
LONELY = frozenset({0x01, *range(0xD0, 0xD8)})  # JPEG markers without a length
ENDS = frozenset({0xD9, 0xDA})  # the picture itself, or the end, follows


@dataclass
class _Blocks:
    """What was found in one file, undecoded."""

    xmp: list[bytes] = field(default_factory=list)
    photoshop: list[bytes] = field(default_factory=list)
    problem: str | None = None


def read_embedded(path: Path) -> tuple[WrittenTags, str | None]:
    r"""Read the tags within a picture file.

    Parameters
    ----------
    path : Path
        Any file; what it is shows in its first bytes.

    Returns
    -------
    tags : WrittenTags
        Empty if there are none, or the file is of another kind.
    problem : str or None
        What is wrong with the parts that could not be used, for people.

    Raises
    ------
    OSError
        If the file cannot be opened or read.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     _ = file.write(b"\xff\xd8\xff\xe1\xff\xff cut off")
    ...     file.flush()
    ...     read_embedded(Path(file.name))
    (WrittenTags(tags=(), paths=()), 'it ends within its header')
    """
    blocks = _Blocks()
    with open_regular(path) as file:
        head = file.read(12)
        if head.startswith(b"\xff\xd8"):
            file.seek(2)
            _read_jpeg(file, blocks)
        elif head.startswith(b"\x89PNG\r\n\x1a\n"):
            file.seek(8)
            _read_png(file, blocks)
        elif head.startswith(b"RIFF") and head.endswith(b"WEBP"):
            _read_webp(file, blocks)
    found, problem = WrittenTags(), blocks.problem
    readers: list[tuple[bytes, Callable[[bytes], WrittenTags]]] = [
        (block, xmp.read_xmp) for block in blocks.xmp
    ]
    if blocks.photoshop:
        readers.append((b"".join(blocks.photoshop), lambda data: WrittenTags(read_iptc(data))))
    for block, read in readers:
        try:
            found += read(block)
        except ValueError as error:
            problem = str(error)
    return found, problem


def _read_jpeg(file: BinaryIO, blocks: _Blocks) -> None:
    """Read the segments before the picture."""
    total = 0
    for _ in range(MAX_PARTS):
        mark = file.read(2)
        while mark == b"\xff\xff":  # fill bytes
            mark = mark[1:] + file.read(1)
        if mark[:1] == b"\xff" and mark[1:] and mark[1] in ENDS:
            return
        if mark[:1] == b"\xff" and mark[1:] and mark[1] in LONELY:
            continue
        size = int.from_bytes(file.read(2), "big") - 2
        if mark[:1] != b"\xff" or size < 0:
            blocks.problem = "its header is torn"
            return
        if mark[1] not in {APP1, APP13}:
            file.seek(size, 1)
            continue
        data = _read_whole(file, size, blocks)
        total += size
        if data is None or total > xmp.MAX_BYTES:
            blocks.problem = blocks.problem or "its header is too long"
            return
        _keep_segment(mark[1], data, blocks)


def _keep_segment(mark: int, data: bytes, blocks: _Blocks) -> None:
    if mark == APP1 and data.startswith(XMP_IN_JPEG):
        blocks.xmp.append(data.removeprefix(XMP_IN_JPEG))
    elif mark == APP13 and data.startswith(PHOTOSHOP):
        blocks.photoshop.append(data.removeprefix(PHOTOSHOP))


def _read_png(file: BinaryIO, blocks: _Blocks) -> None:
    """Read the chunks before the picture."""
    for _ in range(MAX_PARTS):
        head = file.read(8)
        if len(head) < 8:
            blocks.problem = "it ends within its header"
            return
        size, kind = int.from_bytes(head[:4], "big"), head[4:]
        if kind in {b"IDAT", b"IEND"}:
            return
        if kind != b"iTXt":
            file.seek(size + 4, 1)
            continue
        key = file.read(min(size, len(XMP_IN_PNG)))
        if key != XMP_IN_PNG:
            file.seek(size - len(key) + 4, 1)
            continue
        rest = _read_whole(file, size - len(key), blocks)
        if rest is None:
            return
        # Two bytes on compression, then a language and a translation, each ended by a zero.
        parts = rest[2:].split(b"\0", 2)
        text = parts[2] if len(parts) == 3 else b""
        unpacked = _unpack(text, blocks) if rest[:1] == b"\1" else text
        if unpacked is not None:
            blocks.xmp.append(unpacked)
        return


def _read_webp(file: BinaryIO, blocks: _Blocks) -> None:
    """Look for the chunk of XMP, which follows the picture."""
    for _ in range(MAX_PARTS):
        head = file.read(8)
        if len(head) < 8:
            return
        size = int.from_bytes(head[4:], "little")
        if head[:4] != b"XMP ":
            file.seek(size + size % 2, 1)
            continue
        data = _read_whole(file, size, blocks)
        if data is not None:
            blocks.xmp.append(data)
        return


def _read_whole(file: BinaryIO, size: int, blocks: _Blocks) -> bytes | None:
    if size > xmp.MAX_BYTES:
        blocks.problem = f"its XMP is larger than {xmp.MAX_BYTES:,} bytes"
        return None
    data = file.read(size)
    if len(data) < size:
        blocks.problem = "it ends within its header"
        return None
    return data


def _unpack(data: bytes, blocks: _Blocks) -> bytes | None:
    unpacker = zlib.decompressobj()
    try:
        text = unpacker.decompress(data, xmp.MAX_BYTES)
    except zlib.error as error:
        blocks.problem = f"its XMP cannot be unpacked ({error})"
        return None
    if unpacker.unconsumed_tail:
        blocks.problem = f"its XMP unpacks to more than {xmp.MAX_BYTES:,} bytes"
        return None
    return text
