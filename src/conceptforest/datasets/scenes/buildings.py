"""Houses, churches, towers and other buildings. Each stands on the point it is given."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from conceptforest.datasets.scenes.colours import Colour, mix

if TYPE_CHECKING:
    from conceptforest.datasets.scenes.canvas import Canvas

__all__ = [
    "barn",
    "cabin",
    "church",
    "house",
    "lighthouse",
    "skyscraper",
    "stall",
    "tent",
    "windmill",
    "window",
]

_WALLS = ("#f0dcc0", "#e8b48a", "#d98f7a", "#c9d3c0", "#e6cf8f", "#b9c7d6", "#f3ece0", "#d6a6a0")
_ROOFS = ("#a8483a", "#8a4a3f", "#6d5a60", "#b5663f", "#5f6f80")
_TOWERS = ("#5a6a8a", "#6f7f96", "#7a6f8a", "#4f6478", "#8a8f9c", "#6a5f70")
_LIT = ("#ffd87a", "#ffe7a8", "#ffc46a", "#fff1c9")
_AWNINGS = ("#d1493f", "#e08f2f", "#3f8f7a", "#4a6fb0", "#b0508a")
_SNOW = "#f3f7fb"


def window(  # noqa: PLR0917 - a shape is its numbers, in their order
    canvas: Canvas, x: float, y: float, wide: float, tall: float, depth: float, lit: float = 0.6
) -> None:
    """Draw a window, which may be lit in the dark."""
    if canvas.mood.dark and canvas.chance(lit):
        colour = canvas.pick(_LIT)
        canvas.box(x, y, wide, tall, mix(colour, canvas.mood.haze, depth * 0.5), lit=True)
        if wide > 0.012:
            canvas.glow(x + wide / 2, y + tall / 2, wide * 2.2, colour, 0.3)
    else:
        canvas.box(x, y, wide, tall, "#5d7388", depth)


def house(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a gabled house whose front is `size` tall and as wide as chance will have it."""
    wall, roof = canvas.pick(_WALLS), canvas.pick(_ROOFS)
    wide = size * canvas.between(0.6, 0.8)
    left, eaves = x - wide / 2, y - size * 0.62
    canvas.box(left, eaves, wide, size * 0.62, wall, depth)
    canvas.box(x + wide * 0.3, eaves, wide * 0.2, size * 0.62, mix(wall, "#2a2440", 0.14), depth)
    gable = [(left - wide * 0.07, eaves), (x, y - size), (left + wide * 1.07, eaves)]
    canvas.box(
        x + wide * 0.2, y - size * 0.97, wide * 0.1, size * 0.22, mix(roof, "#202030", 0.3), depth
    )
    canvas.polygon(gable, _SNOW if canvas.mood.snowy else roof, depth)
    canvas.polygon(
        [gable[1], gable[2], (x + wide * 0.15, eaves)], mix(roof, "#20203a", 0.25), depth, alpha=0.5
    )
    for row in range(2):
        for column in range(3):
            if row == 1 and column == 1:
                continue
            window(
                canvas,
                left + wide * (0.14 + 0.29 * column),
                eaves + size * (0.08 + 0.28 * row),
                wide * 0.15,
                size * 0.14,
                depth,
            )
    canvas.box(
        x - wide * 0.09,
        y - size * 0.26,
        wide * 0.18,
        size * 0.26,
        "#6a4232",
        depth,
        round_by=wide * 0.03,
    )


def church(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a church with a pointed tower and a clock."""
    wall, roof = "#efe6d6", canvas.pick(_ROOFS)
    canvas.box(x, y - size * 0.34, size * 0.5, size * 0.34, mix(wall, "#303048", 0.08), depth)
    canvas.polygon(
        [
            (x, y - size * 0.34),
            (x + size * 0.08, y - size * 0.52),
            (x + size * 0.46, y - size * 0.52),
            (x + size * 0.53, y - size * 0.34),
        ],
        _SNOW if canvas.mood.snowy else roof,
        depth,
    )
    for k in range(3):
        window(
            canvas, x + size * (0.16 + 0.11 * k), y - size * 0.26, size * 0.045, size * 0.15, depth
        )
    canvas.box(x - size * 0.11, y - size * 0.6, size * 0.22, size * 0.6, wall, depth)
    canvas.box(
        x + size * 0.04, y - size * 0.6, size * 0.07, size * 0.6, mix(wall, "#303048", 0.15), depth
    )
    canvas.polygon(
        [(x - size * 0.13, y - size * 0.6), (x, y - size), (x + size * 0.13, y - size * 0.6)],
        roof,
        depth,
    )
    canvas.ellipse(x, y - size * 0.5, size * 0.05, size * 0.05, "#fbf7ea", depth)
    canvas.line(
        [(x, y - size * 0.535), (x, y - size * 0.5), (x + size * 0.025, y - size * 0.49)],
        size * 0.01,
        "#303040",
        depth,
    )
    canvas.box(
        x - size * 0.04,
        y - size * 0.15,
        size * 0.08,
        size * 0.15,
        "#5a3a2f",
        depth,
        round_by=size * 0.03,
    )


def cabin(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a log cabin with smoke over its chimney."""
    wide, wall = size * 1.2, "#8a5a3c"
    canvas.shadow(x, y, wide * 0.65, size * 0.07)
    canvas.box(x - wide / 2, y - size * 0.5, wide, size * 0.5, wall, depth)
    for k in range(4):
        canvas.box(x - wide / 2, y - size * (0.1 + 0.12 * k), wide, size * 0.018, "#6a4230", depth)
    canvas.box(x + wide * 0.22, y - size * 1.02, size * 0.13, size * 0.35, "#7d7470", depth)
    canvas.polygon(
        [
            (x - wide * 0.62, y - size * 0.46),
            (x - wide * 0.1, y - size),
            (x + wide * 0.1, y - size),
            (x + wide * 0.62, y - size * 0.46),
        ],
        _SNOW if canvas.mood.snowy else "#5b4450",
        depth,
    )
    for k in range(3):
        r = size * (0.06 + 0.035 * k)
        canvas.ellipse(
            x + wide * 0.28 + size * 0.07 * k,
            y - size * (1.12 + 0.13 * k),
            r,
            r,
            "#e8eaee",
            depth,
            alpha=0.4 - 0.1 * k,
        )
    window(canvas, x - wide * 0.36, y - size * 0.36, size * 0.2, size * 0.18, depth, 1.0)
    window(canvas, x + wide * 0.2, y - size * 0.36, size * 0.2, size * 0.18, depth, 1.0)
    canvas.box(x - size * 0.09, y - size * 0.34, size * 0.19, size * 0.34, "#4d3327", depth)


def barn(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a red barn and its silo."""
    red = "#a63d33"
    canvas.box(x + size * 0.52, y - size * 0.95, size * 0.24, size * 0.95, "#c5c3bd", depth)
    canvas.slice(
        x + size * 0.64, y - size * 0.95, size * 0.12, size * 0.12, 180, 360, "#8f9296", depth
    )
    canvas.polygon(
        [
            (x - size * 0.5, y),
            (x - size * 0.5, y - size * 0.5),
            (x - size * 0.33, y - size * 0.78),
            (x, y - size * 0.92),
            (x + size * 0.33, y - size * 0.78),
            (x + size * 0.5, y - size * 0.5),
            (x + size * 0.5, y),
        ],
        red,
        depth,
    )
    roof = [
        (x - size * 0.56, y - size * 0.46),
        (x - size * 0.35, y - size * 0.8),
        (x, y - size * 0.96),
        (x + size * 0.35, y - size * 0.8),
        (x + size * 0.56, y - size * 0.46),
    ]
    canvas.line(roof, size * 0.06, _SNOW if canvas.mood.snowy else "#6b5552", depth)
    canvas.box(x - size * 0.19, y - size * 0.4, size * 0.38, size * 0.4, "#f0e7da", depth)
    canvas.box(x - size * 0.16, y - size * 0.37, size * 0.32, size * 0.37, "#8a2f2a", depth)
    canvas.line(
        [(x - size * 0.16, y), (x + size * 0.16, y - size * 0.37)], size * 0.025, "#f0e7da", depth
    )
    canvas.line(
        [(x + size * 0.16, y), (x - size * 0.16, y - size * 0.37)], size * 0.025, "#f0e7da", depth
    )
    window(canvas, x - size * 0.07, y - size * 0.67, size * 0.14, size * 0.12, depth)


def windmill(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a windmill with four sails."""
    canvas.polygon(
        [
            (x - size * 0.2, y),
            (x - size * 0.11, y - size * 0.7),
            (x + size * 0.11, y - size * 0.7),
            (x + size * 0.2, y),
        ],
        "#e5d9c3",
        depth,
    )
    canvas.polygon(
        [
            (x + size * 0.03, y - size * 0.7),
            (x + size * 0.11, y - size * 0.7),
            (x + size * 0.2, y),
            (x + size * 0.06, y),
        ],
        "#c3b59f",
        depth,
    )
    canvas.slice(x, y - size * 0.68, size * 0.14, size * 0.17, 180, 360, "#8a4a3f", depth)
    turn = canvas.between(0, math.pi / 2)
    hub = (x, y - size * 0.72)
    for k in range(4):
        a = turn + k * math.pi / 2
        ux, uy = math.cos(a), math.sin(a)
        tip = (hub[0] + ux * size * 0.42, hub[1] + uy * size * 0.42)
        canvas.line([hub, tip], size * 0.02, "#5a4538", depth)
        side = (-uy * size * 0.085, ux * size * 0.085)
        low = (hub[0] + ux * size * 0.1, hub[1] + uy * size * 0.1)
        canvas.polygon(
            [low, tip, (tip[0] + side[0], tip[1] + side[1]), (low[0] + side[0], low[1] + side[1])],
            "#f6efe0",
            depth,
        )
    window(canvas, x - size * 0.03, y - size * 0.45, size * 0.06, size * 0.08, depth)


def lighthouse(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a striped lighthouse on a rock."""
    canvas.ellipse(x, y + size * 0.02, size * 0.34, size * 0.09, "#6f6a70", depth)
    low, high, top = size * 0.14, size * 0.09, y - size * 0.78
    for k in range(5):
        a, b = k / 5, (k + 1) / 5
        wide_a, wide_b = low + (high - low) * a, low + (high - low) * b
        y_a, y_b = y - size * 0.78 * a, y - size * 0.78 * b
        band = "#d4483f" if k % 2 == 0 else "#f7f2ea"
        canvas.polygon(
            [(x - wide_a, y_a), (x - wide_b, y_b), (x + wide_b, y_b), (x + wide_a, y_a)],
            band,
            depth,
        )
    canvas.box(x - high * 1.25, top - size * 0.02, high * 2.5, size * 0.03, "#3d4250", depth)
    canvas.box(
        x - high * 0.75,
        top - size * 0.12,
        high * 1.5,
        size * 0.1,
        "#ffe9a3",
        depth,
        lit=canvas.mood.dark,
    )
    canvas.slice(x, top - size * 0.12, high, size * 0.09, 180, 360, "#d4483f", depth)
    if canvas.mood.dark:
        canvas.glow(x, top - size * 0.07, size * 0.6, "#ffe9a3", 0.8)


def skyscraper(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a tower with a grid of windows and a lit side."""
    wall: Colour = canvas.pick(_TOWERS)
    wide = size * canvas.between(0.22, 0.4)
    left, top = x - wide / 2, y - size
    canvas.box(left, top, wide, size, wall, depth)
    canvas.box(left + wide * 0.8, top, wide * 0.2, size, mix(wall, "#101830", 0.3), depth)
    crown = canvas.count(0, 3)
    if crown == 0:
        canvas.line([(x, top), (x, top - size * 0.15)], 0.004, wall, depth)
    elif crown == 1:
        canvas.polygon(
            [(left, top), (left + wide, top - size * 0.1), (left + wide, top)], wall, depth
        )
    elif crown == 2:
        canvas.box(left + wide * 0.2, top - size * 0.07, wide * 0.6, size * 0.08, wall, depth)
    columns = max(2, int(wide / 0.03))
    rows = max(3, int(size / 0.042))
    share = canvas.between(0.35, 0.75)
    dark = canvas.mood.dark
    pane = mix(wall, "#bcd4e6", 0.45)
    for row in range(rows):
        for column in range(columns):
            lit = dark and canvas.chance(share)
            colour = mix(canvas.pick(_LIT), canvas.mood.haze, depth * 0.55) if lit else pane
            if not lit and dark:
                continue
            at_x = left + wide * (0.08 + 0.7 * column / columns)
            at_y = top + size * (0.04 + 0.94 * row / rows)
            canvas.box(at_x, at_y, wide * 0.42 / columns, size * 0.5 / rows, colour, depth, lit=lit)


def stall(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a market stall with a striped awning over boxes."""
    wide, stripe = size * 1.15, canvas.pick(_AWNINGS)
    left, roof = x - wide / 2, y - size * 0.72
    canvas.shadow(x, y, wide * 0.6, size * 0.06)
    for post in (left + wide * 0.04, left + wide * 0.93):
        canvas.box(post, roof, wide * 0.03, size * 0.72, "#7d5a40", depth)
    canvas.box(left + wide * 0.03, roof, wide * 0.94, size * 0.4, "#4a3540", depth, alpha=0.55)
    canvas.box(left, y - size * 0.36, wide, size * 0.36, "#a87850", depth)
    canvas.box(left, y - size * 0.36, wide, size * 0.035, "#c99a6a", depth)
    if canvas.mood.dark:
        canvas.glow(x, roof + size * 0.15, size * 0.7, "#ffc66a", 0.7)
        canvas.ellipse(x, roof + size * 0.1, size * 0.035, size * 0.035, "#fff0c0", lit=True)
    count = 8
    for k in range(count):
        colour = stripe if k % 2 else "#f8f1e4"
        a, b = (
            left - wide * 0.05 + wide * 1.1 * k / count,
            left - wide * 0.05 + wide * 1.1 * (k + 1) / count,
        )
        top_a, top_b = (
            left + wide * 0.06 + wide * 0.88 * k / count,
            left + wide * 0.06 + wide * 0.88 * (k + 1) / count,
        )
        canvas.polygon(
            [(top_a, roof - size * 0.26), (top_b, roof - size * 0.26), (b, roof), (a, roof)],
            colour,
            depth,
        )
        canvas.slice((a + b) / 2, roof, (b - a) / 2, size * 0.06, 0, 180, colour, depth)


def tent(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a tent, which glows in the dark."""
    colour = canvas.pick(("#e08a3c", "#d9534a", "#4f8fa8", "#e8c04f", "#e9dcc4"))
    canvas.shadow(x, y, size * 0.95, size * 0.09)
    canvas.polygon(
        [
            (x - size * 0.8, y),
            (x - size * 0.1, y - size),
            (x + size * 0.75, y - size * 0.08),
            (x + size * 0.6, y),
        ],
        mix(colour, "#20203a", 0.3),
        depth,
    )
    lit = canvas.mood.dark
    front = mix(colour, "#ffd98a", 0.5) if lit else colour
    canvas.polygon(
        [(x - size * 0.8, y), (x - size * 0.1, y - size), (x + size * 0.3, y)],
        front,
        depth,
        lit=lit,
    )
    canvas.polygon(
        [(x - size * 0.32, y), (x - size * 0.1, y - size * 0.75), (x + size * 0.02, y)],
        "#4a3030",
        depth,
    )
    if lit:
        canvas.glow(x - size * 0.2, y - size * 0.4, size * 1.4, "#ffb45a", 0.6)
