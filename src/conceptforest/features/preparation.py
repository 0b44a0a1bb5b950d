"""A decoded picture to the input of a network: crop, resize, normalise."""

from __future__ import annotations

import math
import numbers
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["IMAGENET_MEAN", "IMAGENET_STD", "Preparation", "centre_crop"]

# Of the pixels of ImageNet, as shares of 255: what most networks were trained with.
IMAGENET_MEAN = (0.485, 0.456, 0.406)
IMAGENET_STD = (0.229, 0.224, 0.225)

_FILTERS = ("bicubic", "bilinear", "nearest")
_MAX_SIZE = 4096


def centre_crop(
    image: NDArray[np.uint8],
    height: int,
    width: int,
    share: float = 0.875,
    interpolation: str = "bicubic",
) -> NDArray[np.uint8]:
    """Cut the middle out of a picture and bring it to a size.

    Cutting and resizing are one step, with fractions of pixels and an antialiasing filter, which
    also sees pixels just outside of what is cut out.

    Parameters
    ----------
    image : ndarray of uint8, shape (any height, any width, 3)
    height, width : int
        Of the result; they also give the shape of what is cut out.
    share : float, default=0.875
        Share of the largest such middle part that is kept, in (0, 1].
    interpolation : {"bicubic", "bilinear", "nearest"}, default="bicubic"

    Returns
    -------
    ndarray of uint8, shape (height, width, 3)

    Examples
    --------
    >>> image = np.zeros((40, 60, 3), np.uint8)
    >>> image[:, 20:40] = 200
    >>> centre_crop(image, 2, 2, share=0.5, interpolation="nearest")[..., 0]
    array([[200, 200],
           [200, 200]], dtype=uint8)
    """
    from PIL import Image

    rows, columns = image.shape[:2]
    unit = min(rows / height, columns / width) * share
    top, left = (rows - unit * height) / 2, (columns - unit * width) / 2
    box = (left, top, left + unit * width, top + unit * height)
    resample = Image.Resampling[interpolation.upper()]
    picture = Image.fromarray(np.ascontiguousarray(image))
    return np.asarray(picture.resize((width, height), resample, box=_inside(box, columns, rows)))


def _inside(
    box: tuple[float, float, float, float], width: int, height: int
) -> tuple[float, float, float, float]:
    """Undo what rounding may have put a hair's breadth outside of the picture."""
    left, top, right, bottom = box
    return max(left, 0.0), max(top, 0.0), min(right, float(width)), min(bottom, float(height))


@dataclass(frozen=True)
class Preparation:
    """What is done to a picture before a network sees it.

    A pixel value x of a colour becomes (x * scale - mean) / std.

    Attributes
    ----------
    height, width : int
    crop : float
        Share of the largest middle part that is kept.
    mean, std : float or three floats
    scale : float
    channels : {"RGB", "BGR"}
    layout : {"NCHW", "NHWC"}
    dtype : str
        ``"uint8"`` leaves the pixels as they are.
    interpolation : {"bicubic", "bilinear", "nearest"}

    Examples
    --------
    >>> prepare = Preparation(2, 2, mean=127, std=128, scale=1)
    >>> prepare(np.full((8, 8, 3), 255, np.uint8))[0]
    array([[1., 1.],
           [1., 1.]], dtype=float32)
    """

    height: int
    width: int
    crop: float = 0.875
    mean: float | Sequence[float] = IMAGENET_MEAN
    std: float | Sequence[float] = IMAGENET_STD
    scale: float = 1 / 255
    channels: str = "RGB"
    layout: str = "NCHW"
    dtype: str = "float32"
    interpolation: str = "bicubic"
    _table: NDArray[Any] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        for side in (self.height, self.width):
            if not 1 <= side <= _MAX_SIZE:
                raise ValueError(f"size must be from 1 to {_MAX_SIZE} pixels; got {side}.")
        if not _is_number(self.crop) or not 0 < self.crop <= 1:
            raise ValueError(f"crop must be a number above 0 and at most 1; got {self.crop!r}.")
        _one_of("channels", self.channels, ("RGB", "BGR"))
        _one_of("layout", self.layout, ("NCHW", "NHWC"))
        _one_of("interpolation", self.interpolation, _FILTERS)
        object.__setattr__(self, "mean", _per_colour("mean", self.mean))
        object.__setattr__(self, "std", _per_colour("std", self.std))
        if not _is_number(self.scale) or self.scale == 0 or 0 in cast("tuple[float]", self.std):
            raise ValueError(
                f"scale and std must be numbers other than 0; got {self.scale!r}, {self.std!r}."
            )
        # There are only 256 values of a pixel: looking the result up is quick and exact.
        pixels = np.arange(256.0) * self.scale
        table = (pixels[:, None] - np.array(self.mean)) / np.array(self.std)
        object.__setattr__(self, "_table", table.astype(self.dtype))

    @property
    def shortest(self) -> int:
        """Pixels of the shorter side of a picture below which it would have to be enlarged."""
        return math.ceil(round(max(self.height, self.width) / self.crop, 6))

    @property
    def shape(self) -> tuple[int, int, int]:
        """Shape of a prepared picture."""
        if self.layout == "NCHW":
            return 3, self.height, self.width
        return self.height, self.width, 3

    def __call__(self, image: NDArray[np.uint8]) -> NDArray[Any]:
        """Prepare an RGB picture of shape (height, width, 3); the result has shape `shape`."""
        if image.ndim != 3 or image.shape[2] != 3 or image.dtype != np.uint8 or not image.size:
            raise ValueError(
                f"A picture is {image.dtype} of shape {image.shape}; it must be uint8 of shape"
                " (height, width, 3)."
            )
        small = centre_crop(image, self.height, self.width, self.crop, self.interpolation)
        if self.channels == "BGR":
            small = small[..., ::-1]
        values: NDArray[Any] = small
        if self.dtype != "uint8":
            values = self._table[small, np.arange(3)]
        if self.layout == "NCHW":
            values = values.transpose(2, 0, 1)
        return np.ascontiguousarray(values)

    def describe(self) -> str:
        """Write all that the result depends on as one line.

        Examples
        --------
        >>> Preparation(8, 8, mean=0, std=1, scale=1).describe()
        '8x8 crop=0.875 mean=0.0,0.0,0.0 std=1.0,1.0,1.0 scale=1.0 RGB NCHW float32 bicubic'
        """
        mean, std = (
            ",".join(map(repr, cast("tuple[float, ...]", values)))
            for values in (self.mean, self.std)
        )
        return (
            f"{self.height}x{self.width} crop={float(self.crop)!r} mean={mean} std={std}"
            f" scale={float(self.scale)!r} {self.channels} {self.layout} {self.dtype}"
            f" {self.interpolation}"
        )


def _is_number(value: Any) -> bool:
    real = isinstance(value, numbers.Real) and not isinstance(value, bool)
    return real and math.isfinite(value)


def _one_of(name: str, value: Any, allowed: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}; got {value!r}.")


def _per_colour(name: str, value: Any) -> tuple[float, float, float]:
    values = [value] * 3 if _is_number(value) else value
    listed = isinstance(values, (Sequence, np.ndarray)) and not isinstance(values, str)
    if not listed or len(values) != 3 or not all(map(_is_number, values)):
        raise ValueError(
            f"{name} must be a number or three, in the order of the channels; got {value!r}."
        )
    first, second, third = map(float, values)
    return first, second, third
