"""Decoded pictures of any mode and size to small RGB ones, a strip of rows at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest.features.unreadable import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from numpy.typing import NDArray
    from PIL.Image import Image

__all__ = ["final_size", "is_wide", "on_white", "shrink", "shrinking_cost", "value_range"]

_STRIP_PIXELS = 2**21  # pixels that are brought to RGB at a time
_LONGEST = 8  # the longer side, in units of `shortest`, that a picture may keep
# Modes whose values have no fixed range: 16 bits may hold values of 8 or 12.
_WIDE = ("I", "F", "I;16", "I;16B", "I;16L", "I;16N")
_TOPS = {"F": (1.0, 255.0, 65535.0)}  # what such values usually end with
_WHOLE_TOPS = (255.0, 4095.0, 65535.0)  # of whole numbers
_WITH_ALPHA = ("LA", "La", "PA", "RGBA", "RGBa")


def final_size(size: tuple[int, int], shortest: int) -> tuple[int, int]:
    """Give the size to which a picture is reduced: its shorter side becomes `shortest`.

    Smaller pictures stay as they are. The longer side of elongated ones becomes eight times
    `shortest`, and the shorter one what it must.

    Examples
    --------
    >>> final_size((4000, 3000), 128), final_size((60, 90), 128), final_size((50000, 100), 128)
    ((171, 128), (60, 90), (1024, 2))
    """
    scale = min(1.0, shortest / min(size))
    if max(size) * scale > _LONGEST * shortest:
        scale = _LONGEST * shortest / max(size)
    width, height = (max(1, round(side * scale)) for side in size)
    return width, height


def shrink(
    size: tuple[int, int],
    target: tuple[int, int],
    strips: Callable[[int], Iterable[Image]],
    limits: tuple[float, float] = (0.0, 255.0),
) -> NDArray[np.uint8]:
    """Reduce a picture whose rows come in strips.

    Strips are averaged in whole boxes of pixels down to twice the target at least; a good filter
    does the rest. The result does not depend on how the rows are cut into strips.

    Parameters
    ----------
    size, target : (width, height)
        Before and after; no side may grow.
    strips : function of a number of rows
        Gives pictures of that many rows and of the full width, from the top, the last one with
        what is left.
    limits : (float, float)
        See :func:`value_range`.

    Returns
    -------
    ndarray of shape (height, width, 3), uint8
    """
    from PIL import Image

    width, height = size
    box, step = _box_and_step(size, target)
    small = Image.new("RGB", (-(-width // box), -(-height // box)))
    top = 0
    for strip in strips(step):
        rows = on_white(strip, limits)
        small.paste(rows.reduce(box) if box > 1 else rows, (0, top))
        top += -(-strip.height // box)
    if small.size != target:
        exact = (0.0, 0.0, width / box, height / box)  # the last boxes may be partly filled
        small = small.resize(target, Image.Resampling.BICUBIC, box=exact)
    return np.array(small)


def shrinking_cost(size: tuple[int, int], target: tuple[int, int], bytes_a_pixel: int = 20) -> int:
    """Give the bytes that :func:`shrink` takes besides the picture itself.

    Parameters
    ----------
    size, target : (width, height)
    bytes_a_pixel : int, default=20
        Of a strip, in all of its forms; more for modes without a fixed range.

    Examples
    --------
    >>> shrinking_cost((100, 100), (50, 50))
    240000
    """
    width, height = size
    box, step = _box_and_step(size, target)
    whole = -(-width // box) * -(-height // box)
    return width * min(step, height) * bytes_a_pixel + whole * 4


def _box_and_step(size: tuple[int, int], target: tuple[int, int]) -> tuple[int, int]:
    """Give the side of the boxes that are averaged, and the rows of a strip."""
    width, height = size
    box = max(1, min(width // (2 * target[0]), height // (2 * target[1])))
    return box, box * max(1, _STRIP_PIXELS // (width * box))


def value_range(picture: Image) -> tuple[float, float]:
    """Give the values that become black and white, for modes without a fixed range.

    Values from 0 to 1 (fractions), to 255, to 4,095 (whole numbers) or to 65,535 are taken for what
    they usually are; all others are stretched from the least to the largest.
    """
    if not is_wide(picture.mode):
        return 0.0, 255.0
    low, high = np.inf, -np.inf
    for begin in range(0, picture.height, step := max(1, _STRIP_PIXELS // picture.width)):
        end = min(begin + step, picture.height)
        values = np.asarray(picture.crop((0, begin, picture.width, end)))
        values = values[np.isfinite(values)]
        if values.size:
            low, high = min(low, float(values.min())), max(high, float(values.max()))
    if low > high:
        raise UnreadableError("it holds no finite values")
    if low >= 0.0:
        for top in _TOPS.get(picture.mode, _WHOLE_TOPS):
            if high <= top:
                return 0.0, top
    return low, max(high, np.nextafter(low, np.inf))


def is_wide(mode: str) -> bool:
    """Tell whether the values of one of Pillow's modes have no fixed range.

    Examples
    --------
    >>> is_wide("I;16"), is_wide("RGB")
    (True, False)
    """
    return mode in _WIDE


def on_white(picture: Image, limits: tuple[float, float] = (0.0, 255.0)) -> Image:
    """Bring a picture of any mode to RGB; what is transparent shows white.

    Examples
    --------
    >>> from PIL import Image
    >>> on_white(Image.new("RGBA", (1, 1), (255, 0, 0, 0))).getpixel((0, 0))
    (255, 255, 255)
    """
    from PIL import Image

    mode = picture.mode
    if is_wide(mode):
        return Image.fromarray(_stretched(np.asarray(picture), limits)).convert("RGB")
    if mode in _WITH_ALPHA or "transparency" in picture.info:
        clear = picture if mode == "RGBA" else picture.convert("RGBA")
        white = Image.new("RGB", picture.size, (255, 255, 255))
        white.paste(clear, mask=clear.getchannel("A"))
        return white
    return picture if mode == "RGB" else picture.convert("RGB")


def _stretched(values: NDArray[Any], limits: tuple[float, float]) -> NDArray[np.uint8]:
    low, high = limits
    share = (np.clip(values.astype(np.float64), low, high) - low) / (high - low)
    grey: NDArray[np.uint8] = np.rint(np.nan_to_num(share) * 255.0).astype(np.uint8)
    return grey
