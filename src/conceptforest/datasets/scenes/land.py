"""The lie of the land: ridges, hills, dunes, fields, roads."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from conceptforest.datasets.scenes.colours import WHITE, Colour, mix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conceptforest.datasets.scenes.canvas import Canvas, Point

__all__ = ["dunes", "footbridge", "furrows", "ground", "hills", "mountains", "road", "tree_line"]

_STEPS = 48  # corners of a curved line across the picture
_PEAK_STEPS = 7


def _wave(canvas: Canvas, height: float, waves: float) -> NDArray[np.float64]:
    """Give the heights of a gentle line across the picture, from three random waves."""
    at = np.linspace(0, 1, _STEPS + 1)
    line = np.zeros_like(at)
    for octave, share in enumerate((0.6, 0.28, 0.12), start=1):
        phase = canvas.between(0, 2 * np.pi)
        line += share * np.sin(2 * np.pi * waves * octave * at * canvas.between(0.7, 1.3) + phase)
    return line * height


def _below(canvas: Canvas, y: float, line: NDArray[np.float64], bottom: float) -> list[Point]:
    xs = np.linspace(0, canvas.aspect, len(line))
    points = [(float(x), float(y + dy)) for x, dy in zip(xs, line, strict=True)]
    return [*points, (canvas.aspect, bottom), (0.0, bottom)]


def hills(canvas: Canvas, y: float, height: float, colour: Colour, depth: float = 0.0) -> None:
    """Fill all below a gentle line around a height."""
    line = _wave(canvas, height, canvas.between(0.6, 1.6))
    canvas.polygon(_below(canvas, y, line, 1.0), canvas.mood.ground(colour), depth)


def dunes(canvas: Canvas, y: float, height: float, colour: Colour, depth: float = 0.0) -> None:
    """Fill a dune with a lit and a shaded side."""
    peak = canvas.between(0.15, canvas.aspect - 0.15)
    top = y - height
    left, right = peak - canvas.between(0.5, 1.0), peak + canvas.between(0.5, 1.0)
    canvas.polygon(
        _curve([(left, y), (peak - 0.15, top + height * 0.35), (peak, top)])
        + _curve([(peak, top), (peak + 0.2, top + height * 0.5), (right, y)])
        + [(right, 1.0), (left, 1.0)],
        colour,
        depth,
    )
    fold = peak + canvas.between(-0.12, 0.12)
    canvas.polygon(
        _curve([(peak, top), (peak + 0.2, top + height * 0.5), (right, y)])
        + _curve([(right, y + 0.02), (fold + 0.1, y - height * 0.1), (peak, top)]),
        mix(colour, "#5a3a4a", 0.3),
        depth,
    )


def _curve(points: list[Point]) -> list[Point]:
    """Bend a path of three points smoothly."""
    (x0, y0), (x1, y1), (x2, y2) = points
    path = []
    for t in np.linspace(0, 1, 12):
        a, b, c = (1 - t) ** 2, 2 * t * (1 - t), t**2
        path.append((float(a * x0 + b * x1 + c * x2), float(a * y0 + b * y1 + c * y2)))
    return path


def mountains(
    canvas: Canvas,
    y: float,
    height: float,
    colour: Colour,
    depth: float,
    *,
    snow: float = 0.35,
) -> None:
    """Draw a range of peaks that stands on a height, with snow on the upper part."""
    for _ in range(canvas.count(3, 6)):
        x = canvas.between(-0.05, canvas.aspect + 0.05)
        tall = height * canvas.between(0.55, 1.0)
        _peak(canvas, x, y, tall, tall * canvas.between(0.75, 1.25), colour, depth, snow)


def _peak(  # noqa: PLR0917 - a shape is its numbers, in their order
    canvas: Canvas,
    x: float,
    y: float,
    tall: float,
    wide: float,
    colour: Colour,
    depth: float,
    snow: float,
) -> None:
    jagged = canvas.rng.normal(0, 0.05 * tall, (2, _PEAK_STEPS))
    share = np.linspace(0, 1, _PEAK_STEPS + 1)[:-1]
    left = [(x - wide * (1 - s), y - tall * s + j) for s, j in zip(share, jagged[0], strict=True)]
    right = [
        (x + wide * (1 - s), y - tall * s + j) for s, j in zip(share[::-1], jagged[1], strict=True)
    ]
    top = (x, y - tall)
    canvas.polygon([*left, top, *right], colour, depth)
    fold = (x + wide * canvas.between(-0.15, 0.2), y)
    dark = mix(colour, "#1d2440", 0.28)
    canvas.polygon([top, *right, fold], dark, depth)
    if snow <= 0:
        return
    line = y - tall * (1 - snow)
    half = wide * snow
    zigzag = [
        (x + half * s, line + tall * 0.055 * (-1) ** k)
        for k, s in enumerate(np.linspace(0.8, -0.8, 7))
    ]
    canvas.polygon([top, *zigzag], "#f4f8fc", depth)
    canvas.polygon([top, *zigzag[:3], (x + half * 0.05, line)], "#c3d2e6", depth)


def tree_line(
    canvas: Canvas, y: float, height: float, colour: Colour, depth: float, *, pointed: bool
) -> None:
    """Draw a distant edge of trees that stands on a height."""
    x = -0.02
    while x < canvas.aspect + 0.02:
        tall = height * canvas.between(0.6, 1.15)
        wide = tall * (0.32 if pointed else 0.5)
        if pointed:
            canvas.polygon([(x - wide, y), (x, y - tall), (x + wide, y)], colour, depth)
        else:
            canvas.ellipse(x, y - tall * 0.5, wide, tall * 0.55, colour, depth)
        x += wide * canvas.between(0.7, 1.3)
    canvas.box(0, y - height * 0.22, canvas.aspect, height * 0.3, colour, depth)


def ground(canvas: Canvas, y: float, near: Colour, far: Colour) -> None:
    """Fill all below a height with ground that fades into the distance."""
    mood = canvas.mood
    lawn = [mood.tone(mood.ground(far), 0.55), mood.tone(mood.ground(near), 0.0)]
    canvas.fade(y, 1.0, lawn, lit=True)


def road(canvas: Canvas, y: float, x: float, wide: float, colour: Colour) -> None:
    """Draw a road from the lower edge to a point on a height."""
    middle = canvas.aspect / 2 + (canvas.aspect / 2 - x) * 0.4
    canvas.polygon(
        [(x - 0.012, y), (x + 0.012, y), (middle + wide, 1.0), (middle - wide, 1.0)],
        mix(colour, WHITE, 0.6) if canvas.mood.snowy else colour,
        0.1,
    )


def furrows(canvas: Canvas, y: float, colour: Colour, count: int) -> None:
    """Draw the rows of a field, which meet at a point on the horizon."""
    vanish = canvas.between(0.2, canvas.aspect - 0.2)
    for k in range(count):
        x = (k + 0.5) / count * canvas.aspect * 3 - canvas.aspect
        wide = canvas.aspect * 0.32 / count * 3
        canvas.polygon(
            [(vanish, y - 0.01), (x + wide, 1.02), (x - wide, 1.02)],
            canvas.mood.ground(colour),
            0.1,
            alpha=0.5,
        )
    canvas.veil(y, y + 0.12, canvas.mood.tone(canvas.mood.ground(colour), 0.6), 0.75, 0.0)


def footbridge(canvas: Canvas, x: float, y: float, depth: float = 0.0) -> None:
    """Draw a small wooden bridge that rises from a point and comes down to the right of it."""
    arch = [(x + 0.4 * s / 10, y - 0.08 * (1 - (s / 5 - 1) ** 2)) for s in range(11)]
    canvas.line(arch, 0.018, "#8a6f5f", depth)
    canvas.line([(px, py - 0.035) for px, py in arch], 0.006, "#8a6f5f", depth)
    for px, py in arch[1:-1]:
        canvas.line([(px, py), (px, py - 0.035)], 0.005, "#8a6f5f", depth)
