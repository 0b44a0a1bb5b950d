"""What lies behind a scene. The same backdrops stand behind different kinds of scenes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conceptforest.datasets.scenes import buildings, land, plants
from conceptforest.datasets.scenes.colours import mix
from conceptforest.datasets.scenes.water import water

if TYPE_CHECKING:
    from collections.abc import Callable

    from conceptforest.datasets.scenes.canvas import Canvas

__all__ = ["backdrop"]

_FAR = 0.62  # depth of what stands on the horizon


def backdrop(canvas: Canvas, horizon: float, choices: str) -> None:
    """Paint one of some backdrops, named in one string, on the horizon."""
    _BACKDROPS[canvas.pick(choices.split())](canvas, horizon)


def _open(canvas: Canvas, horizon: float) -> None:
    """Leave the view to the sky."""


def _hills(canvas: Canvas, horizon: float) -> None:
    green = mix(canvas.pick(canvas.mood.foliage), "#6a8a6a", 0.5)
    land.hills(canvas, horizon - canvas.between(0.06, 0.14), 0.05, green, 0.85)
    land.hills(canvas, horizon - canvas.between(0.0, 0.05), 0.03, green, _FAR)


def _mountains(canvas: Canvas, horizon: float) -> None:
    rock = canvas.pick(("#7d87a0", "#8a7f8f", "#a0806f"))
    land.mountains(canvas, horizon + 0.01, canvas.between(0.15, 0.35), rock, _FAR + 0.1)


def _trees(canvas: Canvas, horizon: float) -> None:
    green = mix(canvas.pick(canvas.mood.foliage), "#3f6048", 0.35)
    tall = canvas.between(0.07, 0.2)
    land.tree_line(canvas, horizon + 0.01, tall, green, _FAR, pointed=canvas.chance(0.4))


def _houses(canvas: Canvas, horizon: float) -> None:
    x = canvas.between(-0.1, 0.0)
    while x < canvas.aspect + 0.1:
        size = canvas.between(0.1, 0.2)
        if canvas.chance(0.3):
            plants.leafy_tree(canvas, x + size * 0.3, horizon + 0.01, size, _FAR)
        else:
            buildings.house(canvas, x + size * 0.35, horizon + 0.01, size, _FAR - 0.1)
        x += size * canvas.between(0.7, 1.1)


def _towers(canvas: Canvas, horizon: float) -> None:
    x = canvas.between(-0.05, 0.1)
    while x < canvas.aspect + 0.05:
        size = canvas.between(0.12, 0.32)
        buildings.skyscraper(canvas, x, horizon + 0.01, size, _FAR + 0.12)
        x += size * canvas.between(0.35, 0.8)


def _sea(canvas: Canvas, horizon: float) -> None:
    water(canvas, horizon - canvas.between(0.06, 0.12), horizon + 0.01, "#2f7fa0", 0.3)


_BACKDROPS: dict[str, Callable[[Canvas, float], None]] = {
    "open": _open,
    "hills": _hills,
    "mountains": _mountains,
    "trees": _trees,
    "houses": _houses,
    "towers": _towers,
    "sea": _sea,
}
