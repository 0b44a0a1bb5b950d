"""Large PNG pictures in strips of rows, so that the whole is never in memory.

The compressed rows are unpacked as a stream. Each strip of them is wrapped as a small PNG file of
its own, beginning with the last row of the strip before it, and Pillow undoes the row filters.
"""

from __future__ import annotations

import io
import struct
import zlib
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, NoReturn

from conceptforest.features.unreadable import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PIL.Image import Image

__all__ = ["BigPng", "open_big_png"]

_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}  # by PNG's colour type
_KEPT = {b"PLTE": 768, b"tRNS": 256, b"eXIf": 65536}  # chunks that matter, and their most bytes
_PIECE = 2**16  # bytes read at a time
_MAX_CHUNKS = 100_000  # ahead of the rows; no writer makes nearly as many


@dataclass
class BigPng:
    """A PNG file that is open at its first row.

    Attributes
    ----------
    size : (width, height)
    exif : bytes
        Raw Exif data, or none.
    """

    file: IO[bytes]
    size: tuple[int, int]
    colour: int
    kept: dict[bytes, bytes]
    first: int  # bytes of the first chunk of rows
    _unpacker: zlib._Decompress = field(default_factory=zlib.decompressobj)

    @property
    def exif(self) -> bytes:
        """Raw Exif data, or none."""
        return self.kept.get(b"eXIf", b"")

    @property
    def bytes_a_pixel(self) -> int:
        """What a strip takes for each of its pixels while it is unpacked, in all its copies."""
        return 8 * _CHANNELS[self.colour]

    @property
    def _row_bytes(self) -> int:
        return 1 + self.size[0] * _CHANNELS[self.colour]

    def strips(self, step: int) -> Iterator[Image]:
        """Give pictures of `step` rows from the top; the last one may have fewer. Works once."""
        from PIL import PngImagePlugin

        rows = self._rows(step)
        before = b""  # the row above the strip, which its filters look at
        for top in range(0, self.size[1], step):
            n_rows = min(step, self.size[1] - top)
            packed = next(rows)
            extra = 1 if before else 0
            data = self._as_file(before + packed, n_rows + extra)
            with PngImagePlugin.PngImageFile(io.BytesIO(data)) as strip:
                strip.load()
                part = strip.crop((0, extra, self.size[0], n_rows + extra))
                last = strip.crop((0, strip.height - 1, *strip.size))
                before = b"\0" + last.tobytes()  # a row without a filter
            yield part
        next(rows, None)

    def _as_file(self, rows: bytes, n_rows: int) -> bytes:
        head = struct.pack(">IIBBBBB", self.size[0], n_rows, 8, self.colour, 0, 0, 0)
        parts = [_SIGNATURE, _chunk(b"IHDR", head)]
        parts += [_chunk(k, self.kept[k]) for k in (b"PLTE", b"tRNS") if k in self.kept]
        parts += [_chunk(b"IDAT", zlib.compress(rows, 0)), _chunk(b"IEND", b"")]
        return b"".join(parts)

    def _rows(self, step: int) -> Iterator[bytes]:
        """Unpack `step` rows at a time, with their filter bytes."""
        left = self.size[1]
        compressed = self._compressed()
        waiting = b""
        while left:
            wanted = min(step, left) * self._row_bytes
            strip = bytearray()
            while len(strip) < wanted:
                piece = self._unpacker.decompress(waiting, wanted - len(strip))
                waiting = self._unpacker.unconsumed_tail
                strip += piece
                if piece or len(strip) == wanted:
                    continue
                if self._unpacker.eof or not (waiting := waiting + next(compressed, b"")):
                    _refuse("its rows end too early")
            left -= min(step, left)
            yield bytes(strip)
        for _ in compressed:  # what is left has checksums too
            pass

    def _compressed(self) -> Iterator[bytes]:
        """Give the compressed rows in pieces; their checksums must be right."""
        length, kind = self.first, b"IDAT"
        while kind == b"IDAT":
            checksum = zlib.crc32(kind)
            while length:
                piece = _read(self.file, min(length, _PIECE))
                length -= len(piece)
                checksum = zlib.crc32(piece, checksum)
                yield piece
            if struct.unpack(">I", _read(self.file, 4))[0] != checksum:
                _refuse("a checksum is wrong")
            length, kind = struct.unpack(">I4s", _read(self.file, 8))


def open_big_png(file: IO[bytes]) -> BigPng | None:
    """Read all that comes before the rows of a PNG file.

    Parameters
    ----------
    file : binary file
        At its beginning.

    Returns
    -------
    BigPng or None
        None for files that cannot be read in strips: those that are interlaced or do not have
        8 bits a channel.
    """
    if _read(file, 8) != _SIGNATURE:
        _refuse("it is no PNG file")
    head = b""
    kept: dict[bytes, bytes] = {}
    for _ in range(_MAX_CHUNKS):
        length, kind = struct.unpack(">I4s", _read(file, 8))
        if kind == b"IDAT":
            break
        if kind == b"IHDR" and length == 13:
            head = _read(file, length)
        elif kind in _KEPT and length <= _KEPT[kind]:
            kept[kind] = _read(file, length)
        else:
            file.seek(length, io.SEEK_CUR)
        file.seek(4, io.SEEK_CUR)  # the checksum
    else:
        _refuse("it has too many parts")
    if not head:
        _refuse("its header is missing")
    width, height, depth, colour, _, _, interlaced = struct.unpack(">IIBBBBB", head)
    if depth != 8 or interlaced or colour not in _CHANNELS:
        return None
    return BigPng(file, (width, height), colour, kept, length)


def _chunk(kind: bytes, data: bytes) -> bytes:
    checksum = zlib.crc32(data, zlib.crc32(kind))
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)


def _read(file: IO[bytes], n_bytes: int) -> bytes:
    data = file.read(n_bytes)
    if len(data) < n_bytes:
        _refuse("the file ends too early")
    return data


def _refuse(why: str) -> NoReturn:
    raise UnreadableError(f"it is damaged: {why}")
