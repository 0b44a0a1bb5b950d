"""Cars, trains, balloons and whatever else moves people. Each stands on the point it is given."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from conceptforest.datasets.scenes.buildings import window
from conceptforest.datasets.scenes.colours import WHITE, mix

if TYPE_CHECKING:
    from conceptforest.datasets.scenes.canvas import Canvas

__all__ = [
    "balloon",
    "bicycle",
    "cable_car",
    "car",
    "tractor",
    "train",
    "tram",
]

_PAINT = ("#d1493f", "#e8b23f", "#3f7fb0", "#4f9a7a", "#f0ece4", "#7a5a9a", "#30425a")
_TYRE = "#2a2c34"


def _wheel(canvas: Canvas, x: float, y: float, r: float, depth: float) -> None:
    canvas.ellipse(x, y, r, r, _TYRE, depth)
    canvas.ellipse(x, y, r * 0.45, r * 0.45, "#b8bcc4", depth)


def car(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a small car; in the dark its lamps are lit."""
    paint = canvas.pick(_PAINT)
    side = 1 if canvas.chance(0.5) else -1
    canvas.shadow(x, y, size * 1.05, size * 0.12)
    canvas.polygon(
        [
            (x - size * 0.55, y - size * 0.5),
            (x - size * 0.33, y - size * 0.95),
            (x + size * 0.33, y - size * 0.95),
            (x + size * 0.58, y - size * 0.5),
        ],
        paint,
        depth,
    )
    for k in (-1, 1):
        canvas.polygon(
            [
                (x + k * size * 0.05, y - size * 0.52),
                (x + k * size * 0.05, y - size * 0.86),
                (x + k * size * 0.29, y - size * 0.86),
                (x + k * size * 0.46, y - size * 0.52),
            ],
            "#a8c8d8",
            depth,
        )
    canvas.box(
        x - size * 0.95, y - size * 0.55, size * 1.9, size * 0.4, paint, depth, round_by=size * 0.14
    )
    canvas.box(
        x - size * 0.95,
        y - size * 0.25,
        size * 1.9,
        size * 0.1,
        mix(paint, "#101828", 0.4),
        depth,
        round_by=size * 0.05,
    )
    for at in (-0.55, 0.55):
        _wheel(canvas, x + at * size, y - size * 0.16, size * 0.2, depth)
    lamp = x + side * size * 0.9
    canvas.ellipse(
        lamp, y - size * 0.4, size * 0.07, size * 0.07, "#fff2b8", depth, lit=canvas.mood.dark
    )
    if canvas.mood.dark:
        canvas.glow(lamp + side * size * 0.3, y - size * 0.35, size * 1.1, "#ffe9a8", 0.8)
        canvas.glow(x - side * size * 0.95, y - size * 0.4, size * 0.4, "#ff5a4a", 0.8)


def tram(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a tram under its wire."""
    paint = canvas.pick(("#d1493f", "#e8b23f", "#3f7f6a", "#3f6fa8"))
    wide = size * 1.9
    canvas.line([(0, y - size * 1.32), (canvas.aspect, y - size * 1.32)], 0.003, "#30343f", depth)
    canvas.line(
        [(x, y - size * 1.02), (x + size * 0.18, y - size * 1.17), (x, y - size * 1.32)],
        size * 0.03,
        "#30343f",
        depth,
    )
    canvas.shadow(x, y, wide * 0.52, size * 0.07)
    _carriage(canvas, x - wide / 2, y, wide, size, paint, depth)


def train(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a train whose front is at a point and which leaves the picture on one side."""
    paint = canvas.pick(("#c8443c", "#2f6f9a", "#3f7a5a", "#d8a03a", "#54607a"))
    side = 1 if x < canvas.aspect / 2 else -1
    wide = size * 2.2
    for k in range(4):
        left = x + side * k * wide * 1.03
        _carriage(canvas, left if side > 0 else left - wide, y, wide, size, paint, depth)
    nose = [
        (x, y - size),
        (x - side * size * 0.22, y - size * 0.75),
        (x - side * size * 0.3, y - size * 0.16),
        (x, y - size * 0.16),
    ]
    canvas.polygon(nose, paint, depth)
    canvas.polygon(
        [
            (x, y - size * 0.86),
            (x - side * size * 0.17, y - size * 0.72),
            (x - side * size * 0.21, y - size * 0.5),
            (x, y - size * 0.5),
        ],
        "#31404f",
        depth,
    )
    canvas.ellipse(
        x - side * size * 0.22, y - size * 0.3, size * 0.05, size * 0.05, "#fff3c4", depth, lit=True
    )
    if canvas.mood.dark:
        canvas.glow(x - side * size * 0.3, y - size * 0.3, size * 0.8, "#ffeeb8", 0.9)


def _carriage(  # noqa: PLR0917 - a shape is its numbers, in their order
    canvas: Canvas, left: float, y: float, wide: float, size: float, paint: str, depth: float
) -> None:
    for at in (0.2, 0.32, 0.68, 0.8):
        canvas.ellipse(left + wide * at, y - size * 0.07, size * 0.08, size * 0.08, _TYRE, depth)
    canvas.box(left, y - size, wide, size * 0.86, paint, depth, round_by=size * 0.1)
    canvas.box(left, y - size * 0.42, wide, size * 0.09, "#f4eee0", depth)
    canvas.box(
        left, y - size, wide, size * 0.12, mix(paint, "#e8e8ee", 0.55), depth, round_by=size * 0.06
    )
    for k in range(5):
        window(
            canvas,
            left + wide * (0.06 + 0.185 * k),
            y - size * 0.8,
            wide * 0.13,
            size * 0.3,
            depth,
            0.9,
        )


def tractor(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a tractor."""
    paint = canvas.pick(("#c8402f", "#3f8a4a", "#2f6fb0", "#e0a02f"))
    canvas.shadow(x, y, size * 0.8, size * 0.08)
    canvas.box(
        x - size * 0.1, y - size * 0.55, size * 0.75, size * 0.3, paint, depth, round_by=size * 0.06
    )
    canvas.box(x + size * 0.4, y - size * 0.8, size * 0.05, size * 0.3, "#40444e", depth)
    canvas.box(
        x - size * 0.48,
        y - size * 0.95,
        size * 0.45,
        size * 0.6,
        paint,
        depth,
        round_by=size * 0.04,
    )
    window(canvas, x - size * 0.42, y - size * 0.88, size * 0.33, size * 0.32, depth, 0.3)
    canvas.box(
        x - size * 0.54, y - size, size * 0.57, size * 0.08, mix(paint, "#ffffff", 0.6), depth
    )
    _wheel(canvas, x - size * 0.3, y - size * 0.29, size * 0.29, depth)
    _wheel(canvas, x + size * 0.48, y - size * 0.18, size * 0.18, depth)


def bicycle(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a bicycle."""
    paint = canvas.pick(("#d1493f", "#3f7fb0", "#3f8f6a", "#e0a83f"))
    r = size * 0.32
    back, front = (x - size * 0.45, y - r), (x + size * 0.45, y - r)
    for cx, cy in (back, front):
        canvas.ring(cx, cy, r, size * 0.05, "#30323c", depth)
    pedal, seat, bar = (
        (x - size * 0.05, y - r * 0.9),
        (x - size * 0.2, y - size * 0.78),
        (x + size * 0.3, y - size * 0.82),
    )
    for path in ([back, pedal, bar, front], [back, seat, pedal], [seat, bar]):
        canvas.line(path, size * 0.05, paint, depth)
    canvas.line(
        [
            (seat[0] - size * 0.1, seat[1] - size * 0.06),
            (seat[0] + size * 0.1, seat[1] - size * 0.06),
        ],
        size * 0.07,
        "#3a2a26",
        depth,
    )
    canvas.line(
        [
            bar,
            (bar[0] + size * 0.02, bar[1] - size * 0.12),
            (bar[0] - size * 0.12, bar[1] - size * 0.14),
        ],
        size * 0.045,
        "#3a3a44",
        depth,
    )


def balloon(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a hot-air balloon around a point."""
    first, second = canvas.pick(_PAINT), canvas.pick(("#f8efdc", "#f2c04f", "#f0e0e8"))
    r = size * 0.42
    low = y + r * 1.5
    canvas.polygon(
        [
            (x - r * 0.85, y + r * 0.5),
            (x + r * 0.85, y + r * 0.5),
            (x + r * 0.2, low),
            (x - r * 0.2, low),
        ],
        mix(first, "#202038", 0.15),
        depth,
    )
    canvas.ellipse(x, y, r, r, first, depth)
    for part, colour in ((0.68, second), (0.34, first)):
        canvas.ellipse(x, y, r * part, r, colour, depth)
        canvas.polygon(
            [
                (x - r * part * 0.85, y + r * 0.5),
                (x + r * part * 0.85, y + r * 0.5),
                (x + r * part * 0.2, low),
                (x - r * part * 0.2, low),
            ],
            colour,
            depth,
        )
    canvas.ellipse(x - r * 0.35, y - r * 0.4, r * 0.22, r * 0.3, WHITE, depth, alpha=0.25)
    for side in (-1, 1):
        canvas.line(
            [(x + side * r * 0.18, low), (x + side * r * 0.14, low + r * 0.3)],
            size * 0.008,
            "#4a3a34",
            depth,
        )
    canvas.box(
        x - r * 0.16, low + r * 0.28, r * 0.32, r * 0.25, "#8a5f3c", depth, round_by=r * 0.05
    )
    if canvas.mood.dark:
        canvas.glow(x, low - r * 0.5, size * 0.8, "#ffb45a", 0.7)


def cable_car(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw cabins that hang from a cable across the picture, one of them at a point."""
    lean = canvas.between(-0.3, 0.3)
    canvas.line(
        [(0, y - lean * x), (canvas.aspect, y + lean * (canvas.aspect - x))],
        0.004,
        "#3a4250",
        depth,
    )
    paint = canvas.pick(_PAINT)
    for dx in (-0.55, 0.0, 0.55):
        at, top = x + dx, y + lean * dx
        canvas.line([(at, top), (at, top + size * 0.35)], size * 0.05, "#3a4250", depth)
        canvas.box(
            at - size * 0.3,
            top + size * 0.33,
            size * 0.6,
            size * 0.55,
            paint,
            depth,
            round_by=size * 0.12,
        )
        window(canvas, at - size * 0.23, top + size * 0.42, size * 0.46, size * 0.2, depth, 1.0)
    if canvas.chance(0.7):
        post = x + 0.28
        canvas.line(
            [(post, y + lean * 0.28), (post + math.copysign(0.02, lean), 1.0)],
            size * 0.09,
            "#4a5260",
            depth,
        )
