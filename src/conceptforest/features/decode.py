"""Picture files to small RGB arrays, whatever is in them: never too much memory, one error."""

from __future__ import annotations

import os
import threading
import warnings
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import numpy as np

from conceptforest.checks import whole
from conceptforest.datasets.regular_file import open_regular
from conceptforest.features.big_png import BigPng, open_big_png
from conceptforest.features.jpeg_scans import count_scans
from conceptforest.features.shrink import (
    final_size,
    is_wide,
    shrink,
    shrinking_cost,
    value_range,
)
from conceptforest.features.tiff_blocks import tiff_block_bytes
from conceptforest.features.unreadable import UnreadableError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from numpy.typing import NDArray
    from PIL.Image import Image
    from PIL.ImageFile import ImageFile

    Gate = Callable[[int], AbstractContextManager[object]]

__all__ = [
    "BYTES_A_PIXEL",
    "DECODER_VERSION",
    "MAX_BYTES",
    "MAX_PIXELS",
    "MAX_SIDE",
    "UnreadableError",
    "decode_image",
]

DECODER_VERSION = 2  # raise it when decoded pictures change, or more files can be decoded
MAX_PIXELS = 100_000_000  # decoded at once, unless the caller says otherwise
BYTES_A_PIXEL = 10  # of memory that a picture may take for each pixel that is allowed
MAX_PIXELS_IN_PARTS = 2**30  # where only a part or a reduced form is in memory: this bounds time
MAX_SIDE = 2**16
MAX_BYTES = 2**30  # of the file; some formats are read as a whole
_STRIPS_FROM = 2**22  # pixels from which a PNG is read in strips, to save memory
_MAX_SCANNED = 2 * 10**9  # pixels that all scans of a JPEG go through; again for time
_ORIENTATION = 0x0112  # tag of Exif
_SHORT = 90  # characters of another library's message that are passed on

# What a file begins with says what it is; its name does not matter.
_BEGINNINGS = {
    b"\xff\xd8\xff": "JPEG",
    b"\x89PNG\r\n\x1a\n": "PNG",
    b"GIF87a": "GIF",
    b"GIF89a": "GIF",
    b"BM": "BMP",
    b"II*\0": "TIFF",
    b"MM\0*": "TIFF",
    b"II+\0": "TIFF",
    b"MM\0+": "TIFF",
}


def decode_image(
    path: str | os.PathLike[str],
    *,
    shortest: int,
    max_pixels: int = MAX_PIXELS,
    gate: Gate | None = None,
) -> NDArray[np.uint8]:
    """Decode a picture, upright, on white, in reduced size.

    JPEG, PNG, WebP, TIFF, GIF and BMP files are known by their content, whatever their name. Of
    animations the first frame is taken. The size that a file claims is looked at before anything
    is decoded. May be called from several threads at once.

    Parameters
    ----------
    path : str or path-like
    shortest : int
        Pixels of the shorter side of the result; smaller pictures are left as they are. The
        longer side is at most eight times as long.
    max_pixels : int, default=100,000,000
        Pictures are refused if more pixels than that would have to be in memory at once, or if
        decoding takes more than ten times as many bytes (for WebP, which takes 16 bytes a pixel,
        that is from 62,500,000 pixels on). JPEG files count by the size in which they are decoded,
        which may be an eighth of each side, and PNG files of 8 bits a channel are read in strips;
        both may have up to 2**30 pixels.
    gate : function of a number of bytes that gives a context manager, or None
        Entered while that much memory is taken, as far as it can be foreseen; for callers that
        want to bound the sum over threads.

    Returns
    -------
    ndarray of shape (height, width, 3), uint8

    Raises
    ------
    UnreadableError
        For every file that gives no picture; the text says why.

    Examples
    --------
    >>> import tempfile
    >>> from PIL import Image
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "sea.png"
    ...     Image.new("RGB", (400, 300), "navy").save(path)
    ...     decode_image(path, shortest=60).shape
    (60, 80, 3)
    """
    whole("shortest", shortest, 1)
    whole("max_pixels", max_pixels, 1)
    with _opened(path) as file:
        return _decode(file, int(shortest), int(max_pixels), gate or nullcontext)


@contextmanager
def _opened(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a regular file of bearable size; whatever goes wrong inside becomes UnreadableError."""
    try:
        with quiet_pillow(), _opened_regular(Path(path)) as file:
            _check_length(os.fstat(file.fileno()).st_size)
            yield file
    except UnreadableError:
        raise
    except MemoryError:
        raise UnreadableError("there is not enough memory to decode it", lasting=False) from None
    except Exception as error:  # noqa: BLE001 - decoders raise anything on hostile files
        if isinstance(error, OSError) and error.errno is not None:  # the system's, not a decoder's
            reason = f"it cannot be read: {error.strerror or error}"
            raise UnreadableError(reason, lasting=False) from None
        raise UnreadableError(_reason(error)) from None


def _opened_regular(path: Path) -> IO[bytes]:
    try:
        return open_regular(path)
    except OSError as error:
        if error.errno is not None:
            raise
        raise UnreadableError("it is not a regular file", lasting=False) from None


def _check_length(n_bytes: int) -> None:
    if not n_bytes:
        raise UnreadableError("it is empty")
    if n_bytes > MAX_BYTES:
        raise UnreadableError(f"it has {n_bytes:,} bytes, more than {MAX_BYTES:,}")


def _reason(error: Exception) -> str:
    text = " ".join(str(error).split())  # on one line
    text = "".join(c for c in text if c.isprintable())
    if not text:
        return f"it is damaged ({type(error).__name__})"
    return f"it is damaged: {text if len(text) <= _SHORT else text[: _SHORT - 1] + '…'}"


def _format_of(file: IO[bytes]) -> str:
    head = file.read(16)
    file.seek(0)
    for beginning, name in _BEGINNINGS.items():
        if head.startswith(beginning):
            return name
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "WEBP"
    raise UnreadableError("it is not a JPEG, PNG, WebP, TIFF, GIF or BMP file")


def _pillow_file(file: IO[bytes], kind: str) -> ImageFile:
    """Open with Pillow's reader of that format; the pixels are not decoded yet.

    The readers are called themselves, since `Image.open` has a limit of its own, which is lower
    than what can be decoded in reduced size, and can only be changed for the whole process.
    """
    from PIL import (
        BmpImagePlugin,
        GifImagePlugin,
        JpegImagePlugin,
        PngImagePlugin,
        TiffImagePlugin,
        WebPImagePlugin,
    )

    readers: dict[str, type[ImageFile]] = {
        "BMP": BmpImagePlugin.BmpImageFile,
        "GIF": GifImagePlugin.GifImageFile,
        "JPEG": JpegImagePlugin.JpegImageFile,
        "PNG": PngImagePlugin.PngImageFile,
        "TIFF": TiffImagePlugin.TiffImageFile,
        "WEBP": WebPImagePlugin.WebPImageFile,
    }
    picture = readers[kind](file)
    if min(picture.size) < 1:
        raise UnreadableError("it has no pixels")
    if max(picture.size) > MAX_SIDE:
        width, height = picture.size
        raise UnreadableError(f"it has {width:,} x {height:,} pixels; a side may have {MAX_SIDE:,}")
    return picture


def _decode(file: IO[bytes], shortest: int, max_pixels: int, gate: Gate) -> NDArray[np.uint8]:
    kind = _format_of(file)
    picture = _pillow_file(file, kind)
    size = picture.size
    target = final_size(size, shortest)
    n_pixels = size[0] * size[1]
    if kind == "PNG" and n_pixels > _STRIPS_FROM:
        file.seek(0)
        big = open_big_png(file)
        if big is not None and big.size == size:
            return _decode_in_strips(big, target, gate)
        file.seek(0)
        picture = _pillow_file(file, kind)  # the first has lost its place
    held = _held_besides(file, picture, kind)
    if kind == "JPEG":
        picture.draft(None, target)
        _check_pixels(n_pixels, MAX_PIXELS_IN_PARTS)
        if _in_one_scan(file, n_pixels):
            n_pixels, held = picture.width * picture.height, 0
    _check_pixels(n_pixels, max_pixels)
    memory = held + _picture_bytes(picture, kind)
    _check_memory(memory, BYTES_A_PIXEL * max_pixels)
    with gate(memory + shrinking_cost(picture.size, target, 44 if is_wide(picture.mode) else 20)):
        picture.load()
        if kind == "TIFF" and picture.size != size:  # its reader turns pictures upright
            target = target[::-1]
        image = shrink(picture.size, target, lambda step: _cut(picture, step), value_range(picture))
        return _upright(image, _orientation(picture.getexif))


def _held_besides(file: IO[bytes], picture: ImageFile, kind: str) -> int:
    """Give the bytes that a decoder holds besides the picture, as measured (see the docs)."""
    if kind == "TIFF":
        return tiff_block_bytes(file, picture)
    n_pixels = picture.width * picture.height
    if kind == "JPEG":  # the coefficients of the whole picture; only for several scans
        return 2 * len(picture.getbands()) * n_pixels
    if kind == "WEBP":  # two canvasses and a copy; the file, twice
        return 12 * n_pixels + 2 * os.fstat(file.fileno()).st_size
    return n_pixels if kind == "GIF" else 0


def _picture_bytes(picture: ImageFile, kind: str) -> int:
    few = {"1": 1, "L": 1, "P": 1} | dict.fromkeys(("I;16", "I;16B", "I;16L", "I;16N"), 2)
    each = 4 if kind == "WEBP" else few.get(picture.mode, 4)
    return each * picture.width * picture.height


def _decode_in_strips(big: BigPng, target: tuple[int, int], gate: Gate) -> NDArray[np.uint8]:
    from PIL import Image

    def exif() -> Image.Exif:
        tags = Image.Exif()
        tags.load(big.exif)
        return tags

    _check_pixels(big.size[0] * big.size[1], MAX_PIXELS_IN_PARTS)
    with gate(shrinking_cost(big.size, target, 20 + big.bytes_a_pixel)):
        return _upright(shrink(big.size, target, big.strips), _orientation(exif))


def _cut(picture: Image, step: int) -> Iterator[Image]:
    for top in range(0, picture.height, step):
        yield picture.crop((0, top, picture.width, min(top + step, picture.height)))


def _check_pixels(n_pixels: int, most: int) -> None:
    if n_pixels > most:
        raise UnreadableError(f"it has {n_pixels:,} pixels, more than {most:,}")


def _check_memory(n_bytes: int, most: int) -> None:
    if n_bytes > most:
        raise UnreadableError(
            f"decoding it takes {n_bytes / 1e6:,.0f} MB of memory, more than {most / 1e6:,.0f}"
        )


def _in_one_scan(file: IO[bytes], n_pixels: int) -> bool:
    """Tell whether a JPEG file goes over its picture once; refuse it if it does so without end.

    For several scans the decoder keeps the whole picture in full size, however small the result.
    """
    place = file.tell()
    file.seek(0)
    n_scans = count_scans(file)
    file.seek(place)
    if n_scans * max(n_pixels, 10**5) > _MAX_SCANNED and n_scans > 1:
        raise UnreadableError(f"it goes over its {n_pixels:,} pixels {n_scans:,} times")
    return n_scans <= 1


# --- Upright -------------------------------------------------------------------------------------


def _orientation(exif: Any) -> int:
    """Give the orientation that Exif tells, 1 to 8; what is wrong there costs no picture."""
    try:
        value = exif().get(_ORIENTATION, 1)
    except Exception:  # noqa: BLE001 - as above
        return 1
    return value if isinstance(value, int) and 1 <= value <= 8 else 1


def _upright(image: NDArray[np.uint8], orientation: int) -> NDArray[np.uint8]:
    """Turn and mirror a picture so that it stands as it was meant."""
    if orientation >= 5:
        image = image.swapaxes(0, 1)
    if orientation in (2, 3, 6, 7):
        image = image[:, ::-1]
    if orientation in (3, 4, 7, 8):
        image = image[::-1]
    return np.ascontiguousarray(image)


# --- Warnings ------------------------------------------------------------------------------------

_lock = threading.Lock()
_quiet: dict[str, Any] = {"inside": 0, "filters": None}


@contextmanager
def quiet_pillow() -> Iterator[None]:
    """Keep Pillow from warning about odd files, in all threads, while any is inside.

    Python's warning filters belong to the process. With one `catch_warnings` a thread, the last
    one out could restore what another had set; so the first one in sets, the last one out restores.

    Examples
    --------
    >>> with quiet_pillow():
    ...     decode_image("missing.png", shortest=10)
    Traceback (most recent call last):
    conceptforest...UnreadableError: it cannot be read: No such file or directory
    """
    with _lock:
        _quiet["inside"] += 1
        if _quiet["inside"] == 1:
            _quiet["filters"] = warnings.catch_warnings()
            _quiet["filters"].__enter__()
            warnings.filterwarnings("ignore", module=r"PIL\.")
    try:
        yield
    finally:
        with _lock:
            _quiet["inside"] -= 1
            if not _quiet["inside"]:
                _quiet["filters"].__exit__(None, None, None)
