"""Colours as three numbers from 0 to 255, and the little arithmetic that painting needs."""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

__all__ = ["RGB", "WHITE", "Colour", "mix", "rgb", "times"]

RGB: TypeAlias = tuple[float, float, float]
Colour: TypeAlias = str | RGB

WHITE: RGB = (255.0, 255.0, 255.0)


@lru_cache(maxsize=1024)
def _parse(text: str) -> RGB:
    return int(text[1:3], 16), int(text[3:5], 16), int(text[5:7], 16)


def rgb(colour: Colour) -> RGB:
    """Give the three parts of a colour.

    Examples
    --------
    >>> rgb("#ff8000")
    (255, 128, 0)
    """
    return _parse(colour) if isinstance(colour, str) else colour


def mix(first: Colour, second: Colour, share: float) -> RGB:
    """Mix two colours; `share` is how much of the second there is, from 0 to 1.

    Examples
    --------
    >>> mix("#000000", "#ff0000", 0.2)
    (51.0, 0.0, 0.0)
    """
    a, b = rgb(first), rgb(second)
    keep = 1 - share
    return (
        a[0] * keep + b[0] * share,
        a[1] * keep + b[1] * share,
        a[2] * keep + b[2] * share,
    )


def times(colour: Colour, factors: tuple[float, float, float]) -> RGB:
    """Multiply each part of a colour by its factor, as tinted light does.

    Examples
    --------
    >>> times("#646464", (1.0, 0.5, 0.1))
    (100.0, 50.0, 10.0)
    """
    red, green, blue = rgb(colour)
    return red * factors[0], green * factors[1], blue * factors[2]
