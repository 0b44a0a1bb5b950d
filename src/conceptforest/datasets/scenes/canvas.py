"""A picture in the making: shapes in units of its height, drawn large and reduced at the end.

`x` runs from 0 to `aspect` and `y` from 0 at the top to 1, so that a scene looks the same in any
size. Colours pass through the picture's mood, unless they shine by themselves.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageChops, ImageDraw

from conceptforest.datasets.scenes.colours import Colour, rgb

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from conceptforest.datasets.scenes.mood import Mood

__all__ = ["Canvas", "Point"]

Point = tuple[float, float]

SUPERSAMPLING = 3
_GLOW_REDUCTION = 6  # the layer of glows is soft, so it can be this much coarser
_SPRITE = 64  # side of the picture of one glow
_SHADOW_STEPS = 3


@lru_cache(maxsize=1)
def _sprite() -> Image.Image:
    """Light that fades with the distance from the middle."""
    axis = np.linspace(-1, 1, _SPRITE)
    distance = np.hypot(axis, axis[:, None]).clip(0, 1)
    return Image.fromarray((255 * (1 - distance) ** 2.2).astype(np.uint8))


class Canvas:
    """What scenes are drawn on.

    Parameters
    ----------
    size : (int, int)
        Width and height of the finished picture, in pixels.
    mood : Mood
    rng : Generator
        Of this picture alone.
    """

    def __init__(self, size: tuple[int, int], mood: Mood, rng: np.random.Generator) -> None:
        width, height = size
        self.size = size
        self.mood = mood
        self.rng = rng
        self.aspect = width / height
        self.unit = height * SUPERSAMPLING
        self.image = Image.new("RGB", (width * SUPERSAMPLING, self.unit))
        self._pen = ImageDraw.Draw(self.image, "RGBA")
        self._glows: list[tuple[float, float, float, tuple[int, int, int]]] = []

    # --- Chance ----------------------------------------------------------------------------------

    def between(self, low: float, high: float) -> float:
        """Draw a number."""
        return float(self.rng.uniform(low, high))

    def count(self, low: int, high: int) -> int:
        """Draw a whole number, both ends included."""
        return int(self.rng.integers(low, high + 1))

    def chance(self, probability: float) -> bool:
        """Toss a coin."""
        return bool(self.rng.random() < probability)

    def pick(self, choices: Sequence[str]) -> str:
        """Choose one."""
        return choices[int(self.rng.integers(len(choices)))]

    # --- Shapes ----------------------------------------------------------------------------------

    def _ink(
        self, colour: Colour, depth: float, alpha: float, lit: bool
    ) -> tuple[int, int, int, int]:
        if lit:
            red, green, blue = (min(255, int(part)) for part in rgb(colour))
        else:
            red, green, blue = self.mood.tone(colour, depth)
        return red, green, blue, int(255 * alpha)

    def polygon(
        self,
        points: Iterable[Point],
        colour: Colour,
        depth: float = 0.0,
        *,
        alpha: float = 1.0,
        lit: bool = False,
    ) -> None:
        """Fill a polygon."""
        unit = self.unit
        corners = [(x * unit, y * unit) for x, y in points]
        self._pen.polygon(corners, fill=self._ink(colour, depth, alpha, lit))

    def box(  # noqa: PLR0917 - a shape is its numbers, in their order
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        colour: Colour,
        depth: float = 0.0,
        *,
        alpha: float = 1.0,
        lit: bool = False,
        round_by: float = 0.0,
    ) -> None:
        """Fill a rectangle, given by its left upper corner; its corners may be round."""
        unit = self.unit
        place = (x * unit, y * unit, (x + width) * unit, (y + height) * unit)
        ink = self._ink(colour, depth, alpha, lit)
        if round_by:
            self._pen.rounded_rectangle(place, round_by * unit, fill=ink)
        else:
            self._pen.rectangle(place, fill=ink)

    def ellipse(  # noqa: PLR0917 - a shape is its numbers, in their order
        self,
        x: float,
        y: float,
        rx: float,
        ry: float,
        colour: Colour,
        depth: float = 0.0,
        *,
        alpha: float = 1.0,
        lit: bool = False,
    ) -> None:
        """Fill an ellipse, given by its middle."""
        unit = self.unit
        place = ((x - rx) * unit, (y - ry) * unit, (x + rx) * unit, (y + ry) * unit)
        self._pen.ellipse(place, fill=self._ink(colour, depth, alpha, lit))

    def slice(  # noqa: PLR0917 - a shape is its numbers, in their order
        self,
        x: float,
        y: float,
        rx: float,
        ry: float,
        start: float,
        end: float,
        colour: Colour,
        depth: float = 0.0,
        *,
        lit: bool = False,
    ) -> None:
        """Fill what an arc cuts off an ellipse, in degrees clockwise from the right."""
        unit = self.unit
        place = ((x - rx) * unit, (y - ry) * unit, (x + rx) * unit, (y + ry) * unit)
        self._pen.chord(place, start, end, fill=self._ink(colour, depth, 1.0, lit))

    def line(
        self,
        points: Iterable[Point],
        width: float,
        colour: Colour,
        depth: float = 0.0,
        *,
        alpha: float = 1.0,
        lit: bool = False,
    ) -> None:
        """Draw a line through points."""
        unit = self.unit
        corners = [(x * unit, y * unit) for x, y in points]
        thick = max(1, round(width * unit))
        self._pen.line(corners, self._ink(colour, depth, alpha, lit), thick, joint="curve")

    def ring(  # noqa: PLR0917 - a shape is its numbers, in their order
        self, x: float, y: float, r: float, width: float, colour: Colour, depth: float = 0.0
    ) -> None:
        """Draw a circle's outline."""
        unit = self.unit
        place = ((x - r) * unit, (y - r) * unit, (x + r) * unit, (y + r) * unit)
        ink = self._ink(colour, depth, 1.0, lit=False)
        self._pen.ellipse(place, outline=ink, width=max(1, round(width * unit)))

    # --- Surfaces --------------------------------------------------------------------------------

    def fade(
        self, y0: float, y1: float, stops: Sequence[Colour], depth: float = 0.0, lit: bool = False
    ) -> None:
        """Fill the whole width between two heights with a smooth change of colours."""
        first, last = max(0, int(y0 * self.unit)), min(self.unit, math.ceil(y1 * self.unit))
        if last <= first:
            return
        colours = np.array([self._ink(stop, depth, 1.0, lit)[:3] for stop in stops], dtype=float)
        at = np.linspace(0, len(stops) - 1, last - first)
        column = np.stack(
            [np.interp(at, np.arange(len(stops)), colours[:, part]) for part in range(3)], axis=1
        )
        strip = Image.fromarray(column.round().astype(np.uint8)[:, None])
        wide = strip.resize((self.image.width, last - first), Image.Resampling.NEAREST)
        self.image.paste(wide, (0, first))

    def veil(self, y0: float, y1: float, colour: Colour, top: float, bottom: float) -> None:
        """Cover the whole width between two heights, as strongly as said at either end."""
        first, last = max(0, int(y0 * self.unit)), min(self.unit, math.ceil(y1 * self.unit))
        if last <= first:
            return
        strength = np.linspace(top, bottom, last - first).clip(0, 1) * 255
        mask = Image.fromarray(strength.astype(np.uint8)[:, None])
        mask = mask.resize((self.image.width, last - first), Image.Resampling.NEAREST)
        red, green, blue = (int(part) for part in rgb(colour))
        self.image.paste((red, green, blue), (0, first), mask)

    def grain(self, y0: float, y1: float, colour: Colour, strength: float, cells: int = 48) -> None:
        """Lay a soft, spotty texture over the whole width between two heights."""
        first, last = max(0, int(y0 * self.unit)), min(self.unit, math.ceil(y1 * self.unit))
        if last - first < 2:
            return
        rows = max(2, int(cells * (y1 - y0) * 2))
        spots = (self.rng.random((rows, cells)) ** 2 * strength * 255).astype(np.uint8)
        mask = Image.fromarray(spots)
        mask = mask.resize((self.image.width, last - first), Image.Resampling.BILINEAR)
        self.image.paste(self.mood.tone(colour), (0, first), mask)

    def mirror(self, y: float, depth: float, share: float, sway: float) -> None:
        """Let the water below a height reflect what is above it, `depth` of a height far."""
        unit = self.unit
        line, reach = int(y * unit), min(int(depth * unit), int(y * unit), unit - int(y * unit))
        if reach < 2:
            return
        width = self.image.width
        above = self.image.crop((0, line - reach, width, line))
        upside_down = above.transpose(Image.Transpose.FLIP_TOP_BOTTOM)
        rippled = _ripple(upside_down, sway * unit, self.rng)
        below = self.image.crop((0, line, width, line + reach))
        fading = Image.fromarray(
            (255 * share * np.linspace(1, 0.25, reach)).astype(np.uint8)[:, None]
        ).resize((width, reach), Image.Resampling.NEAREST)
        self.image.paste(Image.composite(rippled, below, fading), (0, line))

    # --- Light and shadow ------------------------------------------------------------------------

    def shadow(self, x: float, y: float, rx: float, ry: float, strength: float = 0.28) -> None:
        """Lay a soft shadow on the ground."""
        part = strength / _SHADOW_STEPS
        for step in range(_SHADOW_STEPS):
            wide = 1.15 - 0.2 * step
            self.ellipse(x, y, rx * wide, ry * wide, (18.0, 20.0, 45.0), alpha=part, lit=True)

    def glow(self, x: float, y: float, r: float, colour: Colour, strength: float = 1.0) -> None:
        """Let light spread from a point; glows are added when everything is drawn."""
        red, green, blue = (int(min(255, part * strength)) for part in rgb(colour))
        self._glows.append((x, y, r, (red, green, blue)))

    def shine(self) -> None:
        """Add all glows to the picture."""
        if not self._glows:
            return
        small = (self.image.width // _GLOW_REDUCTION, self.image.height // _GLOW_REDUCTION)
        layer = Image.new("RGB", small)
        unit = self.unit / _GLOW_REDUCTION
        for x, y, r, colour in self._glows:
            side = max(2, round(2 * r * unit))
            mask = _sprite().resize((side, side), Image.Resampling.BILINEAR)
            spot = Image.new("RGB", (side, side))
            spot.paste(colour, (0, 0), mask)
            place = (round(x * unit) - side // 2, round(y * unit) - side // 2)
            _screen(layer, spot, place)
        wide = layer.resize(self.image.size, Image.Resampling.BILINEAR)
        self.image.paste(ImageChops.screen(self.image, wide))
        self._glows.clear()


def _screen(layer: Image.Image, spot: Image.Image, place: tuple[int, int]) -> None:
    """Add a spot of light to a layer, where it lies within."""
    left, top = max(0, place[0]), max(0, place[1])
    right = min(layer.width, place[0] + spot.width)
    bottom = min(layer.height, place[1] + spot.height)
    if right <= left or bottom <= top:
        return
    region = layer.crop((left, top, right, bottom))
    part = spot.crop((left - place[0], top - place[1], right - place[0], bottom - place[1]))
    layer.paste(ImageChops.screen(region, part), (left, top))


def _ripple(image: Image.Image, sway: float, rng: np.random.Generator) -> Image.Image:
    """Shift bands of rows sideways, farther and in taller bands towards the bottom."""
    result = image.copy()
    top, step = 0, 2.0
    while top < image.height:
        tall = max(2, int(step))
        shift = int(rng.normal(0, sway * (0.3 + top / image.height)))
        band = image.crop((0, top, image.width, min(image.height, top + tall)))
        result.paste(band, (shift, top))
        top += tall
        step *= 1.07
    return result
