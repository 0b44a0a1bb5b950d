"""Lamps, benches, kites and other things. Each stands on the point it is given."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from conceptforest.datasets.scenes.colours import WHITE, mix

if TYPE_CHECKING:
    from conceptforest.datasets.scenes.canvas import Canvas

__all__ = [
    "bench",
    "bunting",
    "clock",
    "crane",
    "flag",
    "floodlight",
    "fountain",
    "goal",
    "hay_bale",
    "kite",
    "lamp",
    "snowman",
    "suitcase",
    "umbrella",
]

_BRIGHT = ("#d1493f", "#e8b23f", "#3f7fb0", "#4f9a7a", "#8a4f9a", "#e87a5a")


def lamp(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a street lamp, which is lit in the dark."""
    post = "#333a46"
    canvas.box(x - size * 0.018, y - size * 0.9, size * 0.036, size * 0.9, post, depth)
    canvas.box(x - size * 0.05, y - size * 0.06, size * 0.1, size * 0.06, post, depth)
    head = [
        (x - size * 0.055, y - size * 0.9),
        (x - size * 0.08, y - size * 1.06),
        (x + size * 0.08, y - size * 1.06),
        (x + size * 0.055, y - size * 0.9),
    ]
    dark = canvas.mood.dark
    canvas.polygon(head, "#fff0bd" if dark else "#dfe4df", depth, lit=dark)
    canvas.polygon(
        [
            (x - size * 0.1, y - size * 1.06),
            (x, y - size * 1.14),
            (x + size * 0.1, y - size * 1.06),
        ],
        post,
        depth,
    )
    if dark:
        canvas.glow(x, y - size * 0.98, size * 0.75, "#ffd88a", 0.85)
        canvas.ellipse(x, y, size * 0.35, size * 0.05, "#ffd88a", alpha=0.18, lit=True)


def umbrella(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a striped sunshade."""
    colour = canvas.pick(_BRIGHT)
    canvas.shadow(x + size * 0.1, y, size * 0.5, size * 0.06)
    canvas.line([(x, y), (x + size * 0.06, y - size * 0.85)], size * 0.03, "#e8e0d4", depth)
    cx, cy, r = x + size * 0.06, y - size * 0.6, size * 0.55
    canvas.slice(cx, cy, r, r * 0.75, 180, 360, colour, depth)
    for part, tint in ((0.66, "#fbf5e8"), (0.3, colour)):
        canvas.slice(cx, cy, r * part, r * 0.75, 180, 360, tint, depth)
    canvas.ellipse(cx, cy - r * 0.76, size * 0.025, size * 0.025, "#f2ead8", depth)


def kite(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a kite around a point, with its tail and string."""
    colour = canvas.pick(_BRIGHT)
    lean = canvas.between(-0.3, 0.3)
    top, low = (x + lean * size * 0.5, y - size * 0.6), (x - lean * size, y + size * 0.7)
    left, right = (x - size * 0.42, y - size * 0.1), (x + size * 0.42, y)
    canvas.line([(x, y), (x - lean * 0.6 - 0.05, y + 0.5)], 0.002, "#f4f4f4", depth, alpha=0.6)
    canvas.polygon([top, right, low, left], colour, depth)
    canvas.polygon([top, right, (x, y)], mix(colour, WHITE, 0.5), depth)
    canvas.polygon([low, left, (x, y)], mix(colour, WHITE, 0.5), depth)
    for k in range(1, 4):
        canvas.ellipse(
            low[0] + math.sin(k * 2) * size * 0.12,
            low[1] + k * size * 0.24,
            size * 0.09,
            size * 0.05,
            canvas.pick(_BRIGHT),
            depth,
        )


def flag(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a flag on its pole."""
    canvas.line([(x, y), (x, y - size)], size * 0.03, "#c8ccd2", depth)
    top = y - size
    for k in range(3):
        low, high = top + size * 0.11 * (k + 1), top + size * 0.11 * k
        bend = size * 0.03
        canvas.polygon(
            [
                (x, high),
                (x + size * 0.25, high + bend),
                (x + size * 0.52, high - bend),
                (x + size * 0.52, low - bend),
                (x + size * 0.25, low + bend),
                (x, low),
            ],
            canvas.pick((*_BRIGHT, "#f6f2e8")),
            depth,
        )


def bunting(canvas: Canvas, y: float, sag: float, depth: float = 0.0) -> None:
    """Hang a line of small pennants across the picture."""
    count = 14
    for k in range(count):
        at = (k + 0.5) / count
        x, hang = at * canvas.aspect, y + sag * 4 * at * (1 - at)
        canvas.polygon(
            [(x - 0.03, hang), (x + 0.03, hang), (x, hang + 0.055)], canvas.pick(_BRIGHT), depth
        )
    path = [(s * canvas.aspect / 20, y + sag * 4 * (s / 20) * (1 - s / 20)) for s in range(21)]
    canvas.line(path, 0.003, "#f4efe6", depth)


def bench(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a bench."""
    canvas.shadow(x, y, size * 0.9, size * 0.08)
    for at in (-0.6, 0.6):
        canvas.box(
            x + at * size - size * 0.04, y - size * 0.45, size * 0.08, size * 0.45, "#3a3f48", depth
        )
        canvas.box(x + at * size - size * 0.03, y - size, size * 0.06, size * 0.6, "#3a3f48", depth)
    for up in (0.48, 0.72, 0.92):
        canvas.box(
            x - size * 0.8,
            y - size * up,
            size * 1.6,
            size * 0.12,
            "#a06a42",
            depth,
            round_by=size * 0.03,
        )


def clock(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a station clock on a post."""
    canvas.box(x - size * 0.03, y - size * 0.7, size * 0.06, size * 0.7, "#3a4250", depth)
    r, cy = size * 0.2, y - size * 0.8
    canvas.ellipse(x, cy, r, r, "#3a4250", depth)
    canvas.ellipse(x, cy, r * 0.85, r * 0.85, "#fbf8ee", depth, lit=canvas.mood.dark)
    for turn, reach in ((canvas.between(0, 6.3), 0.7), (canvas.between(0, 6.3), 0.45)):
        canvas.line(
            [(x, cy), (x + math.cos(turn) * r * reach, cy + math.sin(turn) * r * reach)],
            size * 0.025,
            "#252a35",
            depth,
        )
    if canvas.mood.dark:
        canvas.glow(x, cy, size * 0.5, "#fff4d0", 0.5)


def crane(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a harbour crane with its load."""
    colour = canvas.pick(("#d8672f", "#e0a82f", "#b8453c", "#4f7a9a"))
    side = 1 if canvas.chance(0.5) else -1
    for at in (-0.1, 0.1):
        canvas.line(
            [(x + at * size, y), (x + at * size * 0.5, y - size * 0.7)], size * 0.03, colour, depth
        )
    for k in range(4):
        low = y - size * 0.16 * k
        canvas.line(
            [(x - size * 0.09, low), (x + size * 0.08, low - size * 0.16)],
            size * 0.012,
            colour,
            depth,
        )
    canvas.box(
        x - size * 0.08,
        y - size * 0.74,
        size * 0.16,
        size * 0.1,
        mix(colour, "#202838", 0.4),
        depth,
    )
    tip = (x + side * size * 0.7, y - size * 1.0)
    canvas.line(
        [(x - side * size * 0.28, y - size * 0.68), (x, y - size * 0.74), tip],
        size * 0.03,
        colour,
        depth,
    )
    canvas.line([(x, y - size * 0.98), tip], size * 0.01, colour, depth)
    canvas.line([(x, y - size * 0.7), (x, y - size * 1.0)], size * 0.025, colour, depth)
    canvas.line([tip, (tip[0], y - size * 0.5)], size * 0.008, "#2f3440", depth)
    canvas.box(
        tip[0] - size * 0.09, y - size * 0.52, size * 0.18, size * 0.11, canvas.pick(_BRIGHT), depth
    )


def hay_bale(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a round bale."""
    straw = "#d8ac4f"
    canvas.shadow(x + size * 0.1, y, size * 0.75, size * 0.08)
    canvas.box(
        x - size * 0.1,
        y - size,
        size * 0.7,
        size,
        mix(straw, "#5a3a20", 0.18),
        depth,
        round_by=size * 0.2,
    )
    canvas.ellipse(x - size * 0.1, y - size * 0.5, size * 0.45, size * 0.5, straw, depth)
    for part in (0.75, 0.5, 0.25):
        tint = mix(straw, "#7a5426", 0.35 if part != 0.5 else 0.1)
        canvas.ellipse(
            x - size * 0.1, y - size * 0.5, size * 0.45 * part, size * 0.5 * part, tint, depth
        )


def fountain(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a fountain with jets of water."""
    stone = "#bdb6ac"
    canvas.shadow(x, y, size * 0.75, size * 0.08)
    for k in range(-3, 4):
        path = [
            (
                x + k * size * 0.14 * s,
                y
                - size * 0.62
                - size * 0.45 * math.sin(math.pi * min(1, s * 0.62 + 0.3)) * (1 - abs(k) * 0.08)
                + size * 0.5 * s**2,
            )
            for s in (0, 0.25, 0.5, 0.75, 1.0)
        ]
        canvas.line(path, size * 0.025, "#e4f4fa", depth, alpha=0.75)
    canvas.box(x - size * 0.06, y - size * 0.6, size * 0.12, size * 0.5, stone, depth)
    canvas.ellipse(x, y - size * 0.58, size * 0.3, size * 0.07, mix(stone, "#404858", 0.2), depth)
    canvas.box(
        x - size * 0.65, y - size * 0.2, size * 1.3, size * 0.2, stone, depth, round_by=size * 0.08
    )
    canvas.ellipse(x, y - size * 0.2, size * 0.6, size * 0.07, "#79b4cc", depth)


def floodlight(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a mast with a rack of bright lamps."""
    canvas.polygon(
        [
            (x - size * 0.03, y),
            (x - size * 0.012, y - size * 0.85),
            (x + size * 0.012, y - size * 0.85),
            (x + size * 0.03, y),
        ],
        "#5a6270",
        depth,
    )
    canvas.box(x - size * 0.17, y - size, size * 0.34, size * 0.2, "#454c5a", depth)
    dark = canvas.mood.dark
    for row in range(2):
        for column in range(4):
            canvas.ellipse(
                x + size * (-0.12 + 0.08 * column),
                y - size * (0.95 - 0.09 * row),
                size * 0.032,
                size * 0.035,
                "#fdfdf0" if dark else "#cfd8de",
                depth,
                lit=dark,
            )
    if dark:
        canvas.glow(x, y - size * 0.9, size * 0.9, "#eaf2ff", 0.95)


def goal(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a goal with its net."""
    wide = size * 2.4
    for k in range(13):
        at = x - wide / 2 + wide * k / 12
        canvas.line([(at, y - size), (at, y)], 0.0015, WHITE, depth, alpha=0.45)
    for k in range(6):
        canvas.line(
            [(x - wide / 2, y - size * k / 6), (x + wide / 2, y - size * k / 6)],
            0.0015,
            WHITE,
            depth,
            alpha=0.45,
        )
    canvas.line(
        [(x - wide / 2, y), (x - wide / 2, y - size), (x + wide / 2, y - size), (x + wide / 2, y)],
        size * 0.07,
        "#fafafa",
        depth,
    )


def snowman(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a snowman with hat and carrot."""
    canvas.shadow(x, y, size * 0.35, size * 0.06)
    for up, r in ((0.22, 0.25), (0.55, 0.19), (0.82, 0.14)):
        canvas.ellipse(x, y - size * up, size * r, size * r, "#eef4fa", depth)
        canvas.ellipse(
            x + size * r * 0.3,
            y - size * up + size * r * 0.25,
            size * r * 0.6,
            size * r * 0.6,
            "#b9cbe0",
            depth,
            alpha=0.8,
        )
    canvas.polygon(
        [(x, y - size * 0.84), (x + size * 0.2, y - size * 0.8), (x, y - size * 0.79)],
        "#ee8a33",
        depth,
    )
    canvas.box(x - size * 0.13, y - size * 0.96, size * 0.26, size * 0.035, "#2c2c38", depth)
    canvas.box(x - size * 0.085, y - size * 1.12, size * 0.17, size * 0.17, "#2c2c38", depth)
    canvas.box(
        x - size * 0.14,
        y - size * 0.72,
        size * 0.28,
        size * 0.06,
        "#c8403c",
        depth,
        round_by=size * 0.03,
    )


def suitcase(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a suitcase."""
    colour = canvas.pick(("#9a5f3a", "#3f6f8a", "#b8483f", "#d8a83f"))
    canvas.shadow(x, y, size * 0.65, size * 0.08)
    canvas.box(
        x - size * 0.16, y - size, size * 0.32, size * 0.25, "#3a2c28", depth, round_by=size * 0.06
    )
    canvas.box(
        x - size * 0.6, y - size * 0.85, size * 1.2, size * 0.85, colour, depth, round_by=size * 0.1
    )
    for at in (-0.35, 0.25):
        canvas.box(
            x + at * size,
            y - size * 0.85,
            size * 0.1,
            size * 0.85,
            mix(colour, "#20141a", 0.4),
            depth,
        )
