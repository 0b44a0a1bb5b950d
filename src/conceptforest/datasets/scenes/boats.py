"""Boats. Each swims on the point it is given."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conceptforest.datasets.scenes.buildings import window
from conceptforest.datasets.scenes.colours import WHITE, mix

if TYPE_CHECKING:
    from conceptforest.datasets.scenes.canvas import Canvas

__all__ = ["fishing_boat", "rowing_boat", "sailing_boat"]

_PAINT = ("#d1493f", "#e8b23f", "#3f7fb0", "#4f9a7a", "#f0ece4", "#7a5a9a", "#30425a")


def sailing_boat(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a boat with two sails."""
    sail = canvas.pick(("#fbf6ea", "#f2d9b8", "#e8806a", "#f4f4f8"))
    hull = canvas.pick(_PAINT)
    canvas.box(x - size * 0.012, y - size, size * 0.024, size * 0.9, "#6a4b3a", depth)
    canvas.polygon(
        [
            (x + size * 0.03, y - size * 0.97),
            (x + size * 0.42, y - size * 0.22),
            (x + size * 0.03, y - size * 0.22),
        ],
        sail,
        depth,
    )
    canvas.polygon(
        [
            (x - size * 0.03, y - size * 0.85),
            (x - size * 0.32, y - size * 0.22),
            (x - size * 0.03, y - size * 0.22),
        ],
        mix(sail, "#5a6080", 0.18),
        depth,
    )
    canvas.polygon(
        [
            (x - size * 0.42, y - size * 0.17),
            (x + size * 0.48, y - size * 0.17),
            (x + size * 0.32, y),
            (x - size * 0.3, y),
        ],
        hull,
        depth,
    )
    canvas.box(x - size * 0.41, y - size * 0.17, size * 0.88, size * 0.03, WHITE, depth)


def fishing_boat(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a trawler with a cabin and a mast."""
    hull = canvas.pick(_PAINT)
    side = 1 if canvas.chance(0.5) else -1
    canvas.line(
        [(x - side * size * 0.1, y - size * 0.2), (x - side * size * 0.1, y - size)],
        size * 0.025,
        "#5a4a42",
        depth,
    )
    canvas.line(
        [(x - side * size * 0.1, y - size * 0.95), (x + side * size * 0.6, y - size * 0.3)],
        size * 0.01,
        "#5a4a42",
        depth,
    )
    left = x - side * size * 0.3 - size * 0.17
    canvas.box(left, y - size * 0.58, size * 0.36, size * 0.32, "#f4efe4", depth)
    canvas.box(left - size * 0.03, y - size * 0.61, size * 0.42, size * 0.05, hull, depth)
    for k in range(2):
        window(
            canvas,
            left + size * (0.05 + 0.16 * k),
            y - size * 0.52,
            size * 0.1,
            size * 0.1,
            depth,
            0.9,
        )
    canvas.polygon(
        [
            (x - size * 0.6, y - size * 0.28),
            (x + size * 0.6, y - size * 0.28),
            (x + side * size * 0.72, y - size * 0.36),
            (x + size * 0.46, y),
            (x - size * 0.48, y),
        ],
        hull,
        depth,
    )
    canvas.polygon(
        [
            (x - size * 0.51, y - size * 0.07),
            (x + size * 0.5, y - size * 0.07),
            (x + size * 0.46, y),
            (x - size * 0.48, y),
        ],
        mix(hull, "#101828", 0.5),
        depth,
    )


def rowing_boat(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a small wooden boat with oars."""
    wood = canvas.pick(("#9a5f3a", "#b8453c", "#3f7f8a"))
    canvas.polygon(
        [
            (x - size * 0.55, y - size * 0.25),
            (x + size * 0.55, y - size * 0.25),
            (x + size * 0.36, y),
            (x - size * 0.36, y),
        ],
        wood,
        depth,
    )
    canvas.ellipse(x, y - size * 0.25, size * 0.55, size * 0.06, mix(wood, "#201820", 0.45), depth)
    canvas.line(
        [(x - size * 0.2, y - size * 0.34), (x - size * 0.65, y + size * 0.06)],
        size * 0.035,
        "#d8b88a",
        depth,
    )
    canvas.line(
        [(x + size * 0.2, y - size * 0.34), (x + size * 0.65, y + size * 0.06)],
        size * 0.035,
        "#d8b88a",
        depth,
    )
