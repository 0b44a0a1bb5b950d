"""Features from any ONNX file of an image network."""

from __future__ import annotations

import hashlib
import numbers
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conceptforest.features.image_network import ImageNetwork
from conceptforest.features.onnx_file import ImageInput, cut_at, find_input, read_onnx
from conceptforest.features.preparation import IMAGENET_MEAN, IMAGENET_STD, Preparation

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

__all__ = ["OnnxNetwork"]

_VERSION = 1  # raise when the vectors change
_DEFAULT_SIZE = 224


class OnnxNetwork(ImageNetwork):
    """Features from one layer of a network in an ONNX file.

    A pixel value x of a colour becomes (x * scale - mean) / std. Feature maps and tokens are
    averaged over their places.

    Parameters
    ----------
    path : str or path-like
        The ``.onnx`` file. Weights in files beside it are read from its own folder only.
    output : str, default=None
        The layer whose output is wanted, by its name in the graph: any, not only the last. The
        last output of the model for None.
    size : int or (int, int), default=None
        Pixels of the input, or its height and width. For None, what the model says, else 224.
    crop : float, default=0.875
        Share of the largest middle part of a picture that is kept.
    mean, std : float or three floats
        In the order of `channels`. The default is that of most networks trained on ImageNet.
    scale : float, default=1/255
    channels : {"RGB", "BGR"}, default="RGB"
    layout : {"NCHW", "NHWC"}, default=None
        Colours before or after the places; for None it is found from the model.
    pool : bool, default=True
        False flattens feature maps and tokens instead of averaging them.
    n_jobs : int, default=None
        Pictures at a time, as in scikit-learn: 1 for None, all cores for -1.
    batch_size : int, default=8
    interpolation : {"bicubic", "bilinear", "nearest"}, default="bicubic"

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ImportError
        If the extra ``vision`` is not installed.
    ValueError
        If the file is no network for pictures, or the settings do not fit it.

    Examples
    --------
    >>> OnnxNetwork("model.onnx")
    Traceback (most recent call last):
    FileNotFoundError: There is no file 'model.onnx'. Give the name of a .onnx file.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        output: str | None = None,
        size: int | tuple[int, int] | None = None,
        crop: float = 0.875,
        mean: float | Sequence[float] = IMAGENET_MEAN,
        std: float | Sequence[float] = IMAGENET_STD,
        scale: float = 1 / 255,
        channels: str = "RGB",
        layout: str | None = None,
        pool: bool = True,
        n_jobs: int | None = None,
        batch_size: int = 8,
        interpolation: str = "bicubic",
    ) -> None:
        model, digest = read_onnx(path)
        taken = find_input(model)
        height, width = _size(size, taken)
        preparation = Preparation(
            height,
            width,
            crop=crop,
            mean=mean,
            std=std,
            scale=scale,
            channels=channels,
            layout=_layout(layout, taken),
            dtype=taken.dtype,
            interpolation=interpolation,
        )
        chosen = cut_at(model, output)
        # The name of a layer may hold anything, so it goes into the key as a digest.
        layer = hashlib.sha256(chosen.encode("utf-8", "surrogatepass")).hexdigest()[:16]
        data = model.SerializeToString()
        del model  # it may be as large as the memory allows once
        super().__init__(
            data,
            preparation,
            name=f"onnx:{Path(path).name}",
            key=f"onnx version={_VERSION} model={digest} layer={layer} pool={bool(pool)}"
            f" {preparation.describe()}",
            pool=pool,
            n_jobs=n_jobs,
            batch_size=batch_size,
        )


def _size(size: Any, taken: ImageInput) -> tuple[int, int]:
    """Find height and width from what is asked for and what the model allows."""
    if size is None:
        # A model that fixes one side only is given a square of it.
        known = taken.height or taken.width or _DEFAULT_SIZE
        return taken.height or known, taken.width or known
    sides = [size, size] if isinstance(size, numbers.Integral) else size
    listed = isinstance(sides, (list, tuple)) and len(sides) == 2
    if not listed or not all(map(_is_whole, sides)):
        raise TypeError(f"size must be a number of pixels, or height and width; got {size!r}.")
    height, width = map(int, sides)
    if taken.height not in {None, height} or taken.width not in {None, width}:
        raise ValueError(
            f"size is {height} x {width}, but the network takes pictures of"
            f" {taken.height or 'any'} x {taken.width or 'any'} pixels. Leave size out."
        )
    return height, width


def _is_whole(value: Any) -> bool:
    return isinstance(value, numbers.Integral) and not isinstance(value, bool)


def _layout(layout: str | None, taken: ImageInput) -> str:
    if layout is None:
        return taken.layout or "NCHW"
    if taken.layout not in {None, layout}:
        raise ValueError(
            f"layout is {layout!r}, but the input of the network is {taken.layout}. Leave it out."
        )
    return layout
