"""Small pictures for reports, made from bare pixels so that nothing else of a file gets into them.

WebP where this Pillow can write it, else JPEG.
"""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import numpy as np

from conceptforest.checks import whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["make_thumbnail"]

_QUALITY = 70


def make_thumbnail(image: NDArray[np.uint8], size: int = 192) -> tuple[bytes, int, int]:
    """Make a small picture file that fits into a square.

    It carries no metadata at all: no Exif, no place, no colour profile.

    Parameters
    ----------
    image : ndarray of shape (height, width, 3), uint8
    size : int, default=192
        Side of the square. Smaller pictures are not enlarged.

    Returns
    -------
    data : bytes
        A WebP file, or a JPEG file where Pillow lacks WebP.
    width, height : int

    Examples
    --------
    >>> data, width, height = make_thumbnail(np.zeros((300, 400, 3), np.uint8))
    >>> width, height
    (192, 144)
    """
    from PIL import Image, features

    whole("size", size, 1)
    image = np.asarray(image)
    if image.dtype != np.uint8 or image.ndim != 3 or image.shape[2] != 3 or not image.size:
        raise ValueError(
            f"image is {image.dtype} of shape {image.shape}; give uint8 of shape"
            " (height, width, 3)."
        )
    picture = Image.fromarray(image)
    scale = min(1.0, size / max(picture.size))
    width, height = (max(1, round(side * scale)) for side in picture.size)
    if (width, height) != picture.size:
        picture = picture.resize((width, height), Image.Resampling.LANCZOS)
    file = io.BytesIO()
    if features.check("webp"):
        picture.save(file, "WEBP", quality=_QUALITY, method=4)
    else:
        picture.save(file, "JPEG", quality=_QUALITY, optimize=True)
    return file.getvalue(), width, height
