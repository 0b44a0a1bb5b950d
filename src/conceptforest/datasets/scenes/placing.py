"""Where things go: places across a picture, and rows, groups and heaps of things."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conceptforest.datasets.scenes import buildings, creatures, tableware, things

if TYPE_CHECKING:
    from conceptforest.datasets.scenes.canvas import Canvas

__all__ = ["across", "facades", "heap", "lamps", "people", "scatter", "wet_ground"]


def across(canvas: Canvas, margin: float = 0.15) -> float:
    """Give a place across the picture, at least a margin away from its edges."""
    return canvas.between(margin, canvas.aspect - margin)


def lamps(canvas: Canvas, y: float, size: float, count: int) -> None:
    """Draw a row of street lamps."""
    for k in range(count):
        things.lamp(canvas, canvas.aspect * (k + canvas.between(0.3, 0.7)) / count, y, size)


def people(canvas: Canvas, high: float, low: float, count: int) -> None:
    """Draw people, the far ones first."""
    for y in sorted(canvas.between(high, low) for _ in range(count)):
        near = (y - high) / max(low - high, 0.01)
        creatures.person(canvas, across(canvas, 0.05), y, 0.15 + 0.12 * near)


def wet_ground(canvas: Canvas, y: float) -> None:
    """Let a street reflect the lights above it, the more when it is wet."""
    wet = canvas.mood.weather == "rain"
    if wet or canvas.mood.dark:
        canvas.shine()
        canvas.mirror(y, 1 - y, 0.4 if wet else 0.18, 0.004)


def facades(canvas: Canvas, y: float, size: float, depth: float) -> None:
    """Draw a row of houses that stand wall to wall on a height."""
    x = canvas.between(-0.1, 0.0)
    while x < canvas.aspect + 0.1:
        tall = size * canvas.between(0.75, 1.15)
        buildings.house(canvas, x + tall * 0.34, y, tall, depth)
        x += tall * canvas.between(0.62, 0.72)


def heap(canvas: Canvas, x: float, y: float, wide: float, size: float) -> None:
    """Draw two layers of fruit."""
    count = int(wide / size)
    wide = count * size
    for row in range(2):
        for k in range(count - row):
            at = x - wide / 2 + size * (k + 0.5 + row * 0.5)
            tableware.fruit(canvas, at, y - row * size * 0.6, size)


def scatter(canvas: Canvas, count: int) -> list[float]:
    """Give places across the picture that do not crowd each other."""
    room = canvas.aspect / count
    return [room * (k + canvas.between(0.2, 0.8)) for k in range(count)]
