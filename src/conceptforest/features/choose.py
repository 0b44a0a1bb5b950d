"""Image features by name, as they are written on a command line."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from conceptforest.features.vision_extra import has_vision
from conceptforest.tags.names import did_you_mean, short

if TYPE_CHECKING:
    from collections.abc import Callable

    from conceptforest.features.extractor import Extractor

__all__ = ["available", "make_extractor"]

_PLAIN = ("auto", "classic", "efficientnet-lite0")
_WITH_PATH = ("onnx", "vgg16")
_FORMS = "auto, classic, efficientnet-lite0, onnx:FILE or vgg16:FILE"


def available() -> list[str]:
    """List the names that can be used here without a file of one's own.

    Returns
    -------
    list of str

    Examples
    --------
    >>> "classic" in available()
    True
    """
    return [*_PLAIN[:2], *(["efficientnet-lite0"] if has_vision() else [])]


def make_extractor(name: str, n_jobs: int | None = None) -> Extractor:
    """Make an extractor from its name.

    Parameters
    ----------
    name : str
        One of

        - ``"auto"``: EfficientNet-Lite0 if the extra ``vision`` is installed, else classic;
        - ``"classic"``: the descriptor that needs no weights;
        - ``"efficientnet-lite0"``;
        - ``"onnx:FILE"`` with the settings of
          :class:`~conceptforest.features.onnx_network.OnnxNetwork`, if any, after commas:
          ``"onnx:model.onnx,output=pool5,size=224,mean=0.5,std=0.2/0.2/0.3,pool=no"``;
        - ``"vgg16:FILE"`` with, if wanted, ``relu=no`` and ``output=NAME``.
    n_jobs : int, default=None
        Pictures at a time, as in scikit-learn: 1 for None, all cores for -1.

    Returns
    -------
    Extractor

    Raises
    ------
    ImportError
        If a package is missing; the message says how to install it.
    ValueError
        If there is no such name or setting, or the file cannot be used.

    Examples
    --------
    >>> make_extractor("clasic")
    Traceback (most recent call last):
    ValueError: There are no image features 'clasic'. Did you mean 'classic'? Use auto, classic,
    efficientnet-lite0, onnx:FILE or vgg16:FILE.
    """
    if not isinstance(name, str):
        raise TypeError(f"The name of image features is a string; got {name!r}. Use {_FORMS}.")
    kind, colon, rest = name.partition(":")
    if name == "auto":
        name = "efficientnet-lite0" if has_vision() else "classic"
    if name == "classic":
        from conceptforest.features.classic import ClassicDescriptor

        return ClassicDescriptor()
    if name == "efficientnet-lite0":
        from conceptforest.features.efficientnet_lite0 import EfficientNetLite0

        return EfficientNetLite0(n_jobs=n_jobs)
    if kind in _WITH_PATH and colon and rest:
        return _from_file(kind, rest, n_jobs)
    if kind in _WITH_PATH:
        raise ValueError(f"{kind} needs a file. Write {kind}:FILE.")
    hint = did_you_mean(kind, (*_PLAIN, *_WITH_PATH))
    raise ValueError(f"There are no image features {short(name)}.{hint} Use {_FORMS}.")


def _from_file(kind: str, rest: str, n_jobs: int | None) -> Extractor:
    known = _ONNX_SETTINGS if kind == "onnx" else _VGG_SETTINGS
    path, settings = _split(rest, known)
    if kind == "onnx":
        from conceptforest.features.onnx_network import OnnxNetwork

        return OnnxNetwork(path, n_jobs=n_jobs, **settings)
    from conceptforest.features.vgg16 import Vgg16

    return Vgg16(path, n_jobs=n_jobs, **settings)


def _split(text: str, known: dict[str, Callable[[str, str], Any]]) -> tuple[str, dict[str, Any]]:
    """Split ``FILE,key=value,...``; the name of a file may itself have commas."""
    pieces = text.split(",")
    names = [",".join(pieces[:count]) for count in range(len(pieces), 0, -1)]
    # os.path answers no, where pathlib raises, to a name that is too long to be one.
    path = next((name for name in names if os.path.isfile(name)), pieces[0])  # noqa: PTH113
    parts = pieces[path.count(",") + 1 :]
    settings: dict[str, Any] = {}
    for part in parts:
        key, equals, value = part.partition("=")
        if key not in known or not equals or not value:
            raise ValueError(
                f"{short(part)} is no setting.{did_you_mean(key, known)} Settings are"
                f" {', '.join(known)}, each written as key=value."
            )
        if key in settings:
            raise ValueError(f"{key} is set twice. Give it once.")
        settings[key] = known[key](key, value)
    return path, settings


def _text(_key: str, value: str) -> str:
    return value


def _yes_or_no(key: str, value: str) -> bool:
    if value.lower() not in {"yes", "no", "true", "false", "1", "0"}:
        raise ValueError(f"{key} must be yes or no; got {short(value)}.")
    return value.lower() in {"yes", "true", "1"}


def _size(key: str, value: str) -> int | tuple[int, int]:
    try:
        sides = [int(side) for side in value.lower().split("x")]
    except ValueError:
        sides = []
    if len(sides) not in {1, 2}:
        raise ValueError(f"{key} must be like 224, or HEIGHTxWIDTH; got {short(value)}.")
    return sides[0] if len(sides) == 1 else (sides[0], sides[1])


def _number(key: str, value: str) -> float:
    top, slash, bottom = value.partition("/")
    try:
        return float(top) / float(bottom) if slash else float(top)
    except (ValueError, ZeroDivisionError):
        raise ValueError(
            f"{key} must be a number, like 0.5 or 1/255; got {short(value)}."
        ) from None


def _colours(key: str, value: str) -> float | list[float]:
    try:
        values = [float(number) for number in value.split("/")]
    except ValueError:
        values = []
    if len(values) not in {1, 3}:
        raise ValueError(f"{key} must be a number or three, like 0.4/0.5/0.5; got {short(value)}.")
    return values[0] if len(values) == 1 else values


_ONNX_SETTINGS: dict[str, Callable[[str, str], Any]] = {
    "output": _text,
    "size": _size,
    "crop": _number,
    "mean": _colours,
    "std": _colours,
    "scale": _number,
    "channels": _text,
    "layout": _text,
    "interpolation": _text,
    "pool": _yes_or_no,
}
_VGG_SETTINGS: dict[str, Callable[[str, str], Any]] = {"output": _text, "relu": _yes_or_no}
