"""Food, drink and light for a table. Each stands on the point it is given."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from conceptforest.datasets.scenes.colours import WHITE, mix

if TYPE_CHECKING:
    from conceptforest.datasets.scenes.canvas import Canvas

__all__ = ["bottle", "bread", "candle", "fruit", "mug"]

_FRUIT = ("#d8413a", "#f2a02f", "#e8cf3f", "#7fb04a", "#8a3f6a", "#f26f4a")


def bottle(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a bottle with a label."""
    glass = canvas.pick(("#3f6a4a", "#6a2f3a", "#4a6a8a", "#8a6a2f"))
    canvas.shadow(x, y, size * 0.2, size * 0.03)
    canvas.box(
        x - size * 0.13,
        y - size * 0.66,
        size * 0.26,
        size * 0.66,
        glass,
        depth,
        round_by=size * 0.05,
    )
    canvas.polygon(
        [
            (x - size * 0.13, y - size * 0.62),
            (x - size * 0.045, y - size * 0.78),
            (x + size * 0.045, y - size * 0.78),
            (x + size * 0.13, y - size * 0.62),
        ],
        glass,
        depth,
    )
    canvas.box(x - size * 0.045, y - size, size * 0.09, size * 0.25, glass, depth)
    canvas.box(x - size * 0.052, y - size, size * 0.104, size * 0.07, "#c8a05a", depth)
    canvas.box(x - size * 0.13, y - size * 0.46, size * 0.26, size * 0.26, "#f2e8d2", depth)
    canvas.box(x - size * 0.1, y - size * 0.62, size * 0.03, size * 0.55, WHITE, depth, alpha=0.25)


def bread(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a loaf on a board."""
    crust = "#c8843f"
    canvas.box(
        x - size * 0.85,
        y - size * 0.1,
        size * 1.7,
        size * 0.1,
        "#a0744a",
        depth,
        round_by=size * 0.03,
    )
    canvas.box(
        x - size * 0.65, y - size * 0.6, size * 1.3, size * 0.52, crust, depth, round_by=size * 0.24
    )
    canvas.box(
        x - size * 0.6,
        y - size * 0.58,
        size * 1.15,
        size * 0.28,
        mix(crust, "#f2d09a", 0.35),
        depth,
        round_by=size * 0.14,
    )
    for at in (-0.35, -0.05, 0.25):
        canvas.line(
            [(x + at * size, y - size * 0.36), (x + (at + 0.14) * size, y - size * 0.54)],
            size * 0.05,
            "#f0d6a4",
            depth,
        )


def candle(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a burning candle."""
    canvas.ellipse(x, y - size * 0.03, size * 0.24, size * 0.05, "#b8944a", depth)
    canvas.box(
        x - size * 0.07,
        y - size * 0.72,
        size * 0.14,
        size * 0.7,
        "#f4ead2",
        depth,
        round_by=size * 0.03,
    )
    canvas.ellipse(x, y - size * 0.84, size * 0.045, size * 0.11, "#ffb347", lit=True)
    canvas.ellipse(x, y - size * 0.81, size * 0.022, size * 0.06, "#fff3c8", lit=True)
    canvas.glow(x, y - size * 0.84, size * (1.5 if canvas.mood.dark else 0.7), "#ffbf69", 0.75)


def fruit(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw one round fruit with a shine and a leaf."""
    colour = canvas.pick(_FRUIT)
    r = size * 0.5
    canvas.ellipse(x, y - r, r, r * 0.96, mix(colour, "#401828", 0.25), depth)
    canvas.ellipse(x - r * 0.08, y - r * 1.08, r * 0.86, r * 0.84, colour, depth)
    canvas.ellipse(x - r * 0.35, y - r * 1.4, r * 0.2, r * 0.16, WHITE, depth, alpha=0.55)
    canvas.line([(x, y - r * 1.85), (x + r * 0.1, y - r * 2.2)], r * 0.12, "#5a3f2a", depth)
    canvas.ellipse(x + r * 0.35, y - r * 2.1, r * 0.26, r * 0.12, "#5f9a4a", depth)


def mug(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a mug with steam."""
    colour = canvas.pick(("#e8e0d2", "#4f8aa0", "#d8694a", "#e0b84f", "#6a8f6a"))
    canvas.shadow(x, y, size * 0.5, size * 0.07)
    canvas.ring(x + size * 0.42, y - size * 0.38, size * 0.22, size * 0.09, colour, depth)
    canvas.box(
        x - size * 0.42,
        y - size * 0.75,
        size * 0.84,
        size * 0.75,
        colour,
        depth,
        round_by=size * 0.12,
    )
    canvas.ellipse(x, y - size * 0.72, size * 0.42, size * 0.1, mix(colour, "#ffffff", 0.3), depth)
    canvas.ellipse(x, y - size * 0.71, size * 0.35, size * 0.07, "#4a2f22", depth)
    for k in (-1, 1):
        path = [
            (x + k * size * 0.13 + math.sin(s * 1.7) * size * 0.06, y - size * (0.85 + 0.13 * s))
            for s in range(5)
        ]
        canvas.line(path, size * 0.04, WHITE, depth, alpha=0.35)
