"""How much a TIFF file makes its decoder hold: its strips and tiles may be larger than it is."""

from __future__ import annotations

import struct
from typing import IO, TYPE_CHECKING, Any

from conceptforest.features.unreadable import UnreadableError

if TYPE_CHECKING:
    from PIL.ImageFile import ImageFile

__all__ = ["tiff_block_bytes"]

_WIDTH, _HEIGHT, _BITS, _CODING, _SAMPLES, _STRIP_ROWS = 256, 257, 258, 259, 277, 278
_TILE_WIDTH, _TILE_HEIGHT = 322, 323
_SIZES = {_WIDTH, _HEIGHT, _BITS, _CODING, _SAMPLES, _STRIP_ROWS, _TILE_WIDTH, _TILE_HEIGHT}
_JPEG = {6, 7}  # codings that are unpacked to four bytes a pixel, whatever the samples are
_MOST_ENTRIES = 10_000  # of a directory; no writer makes nearly as many


def tiff_block_bytes(file: IO[bytes], picture: ImageFile) -> int:
    """Give the bytes of the largest strip or tile, which the decoder holds besides the picture.

    Parameters
    ----------
    file : binary file
        Its place is kept.
    picture : PIL.TiffImagePlugin.TiffImageFile
        Made from that file.

    Raises
    ------
    UnreadableError
        If the file tells a size twice, or tells what is no size.
    """
    _check_told_once(file)
    tags = picture.tag_v2  # type: ignore[attr-defined]
    height = _size(tags, _HEIGHT, 0)
    strip = _size(tags, _WIDTH, 0) * min(height, _size(tags, _STRIP_ROWS, height))
    tile = _size(tags, _TILE_WIDTH, 0) * _size(tags, _TILE_HEIGHT, 0)
    bits = _size(tags, _BITS, 1) * _size(tags, _SAMPLES, 1)
    if _size(tags, _CODING, 1) in _JPEG:
        bits = max(bits, 32)
    return max(strip, tile) * max(bits, 8) // 8


def _size(tags: Any, number: int, default: int) -> int:
    """Give the value of a tag, the largest one if there are several."""
    value = tags.get(number, default)
    values = value if isinstance(value, tuple) else (value,)
    if not values or not all(isinstance(v, int) and 0 <= v < 2**32 for v in values):
        raise UnreadableError(f"it is damaged: its tag {number} is no size")
    return int(max(values))


def _check_told_once(file: IO[bytes]) -> None:
    """Refuse a directory with a size twice: libtiff takes the first value, Pillow the last."""
    place = file.tell()
    file.seek(0)
    head = file.read(16)
    order = "<" if head[:2] == b"II" else ">"
    big = head[2:4] in (b"+\0", b"\0+")
    start, entries, step = (8, "Q", 20) if big else (4, "H", 12)
    (offset,) = struct.unpack_from(order + ("Q" if big else "I"), head, start)
    if offset >= 2**63:
        raise UnreadableError("it is damaged: its directory is missing")
    file.seek(offset)
    (count,) = struct.unpack(order + entries, file.read(struct.calcsize(order + entries)))
    if count > _MOST_ENTRIES:
        raise UnreadableError("it is damaged: its directory is too long")
    data = file.read(count * step)
    file.seek(place)
    numbers = [struct.unpack_from(order + "H", data, p)[0] for p in range(0, len(data) - 1, step)]
    sizes = [number for number in numbers if number in _SIZES]
    if len(set(sizes)) != len(sizes):
        raise UnreadableError("it is damaged: it tells a size twice")
