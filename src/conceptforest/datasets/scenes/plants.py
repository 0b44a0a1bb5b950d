"""Trees, flowers, cacti, mushrooms and corals. Each stands on the point it is given."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from conceptforest.datasets.scenes.colours import WHITE, Colour, mix

if TYPE_CHECKING:
    from conceptforest.datasets.scenes.canvas import Canvas

__all__ = [
    "BLOOMS",
    "birch",
    "bush",
    "cactus",
    "coral",
    "flower",
    "leafy_tree",
    "mushroom",
    "palm",
    "pine",
]

BLOOMS = ("#e8536a", "#f2b134", "#f7f3e8", "#9a62c7", "#ef7fa8", "#5b7fd6")
_CORALS = ("#ef6f6c", "#f2a65a", "#d96fb0", "#8f6fd0", "#f2cf63", "#5fc0a8")
_PINES = ("#2f5f4c", "#274f47", "#3b6b48", "#31584f")


def pine(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a pine of four tiers, with snow in winter."""
    colour = canvas.pick(_PINES)
    canvas.box(x - size * 0.025, y - size * 0.16, size * 0.05, size * 0.16, "#5d4336", depth)
    for tier in range(4):
        low, top = y - size * (0.1 + tier * 0.2), y - size * (0.42 + tier * 0.195)
        wide = size * (0.27 - tier * 0.052)
        canvas.polygon([(x - wide, low), (x, top), (x + wide, low)], colour, depth)
        canvas.polygon(
            [(x, top), (x + wide, low), (x + wide * 0.1, low)], mix(colour, "#0d1f2b", 0.3), depth
        )
        if canvas.mood.snowy:
            part = 0.55
            edge = top + (low - top) * part
            canvas.polygon(
                [
                    (x - wide * part, edge),
                    (x, top),
                    (x + wide * part, edge),
                    (x + wide * 0.15, edge - size * 0.02),
                    (x - wide * 0.2, edge + size * 0.015),
                ],
                "#e3edf6",
                depth,
            )


def leafy_tree(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a tree with a round crown in the season's colours."""
    colour = canvas.pick(canvas.mood.foliage)
    canvas.shadow(x, y, size * 0.25, size * 0.035)
    canvas.polygon(
        [
            (x - size * 0.04, y),
            (x - size * 0.02, y - size * 0.5),
            (x + size * 0.02, y - size * 0.5),
            (x + size * 0.045, y),
        ],
        "#6a4b3a",
        depth,
    )
    puffs = [
        (math.cos(k * 1.26) * 0.17, -0.62 + math.sin(k * 1.26) * 0.14, canvas.between(0.17, 0.22))
        for k in range(5)
    ]
    _crown(canvas, x, y, size, [*puffs, (0.0, -0.68, 0.24)], colour, depth)


def _crown(  # noqa: PLR0917 - a shape is its numbers, in their order
    canvas: Canvas,
    x: float,
    y: float,
    size: float,
    puffs: list[tuple[float, float, float]],
    colour: Colour,
    depth: float,
) -> None:
    """Draw the puffs of a crown in shade, then again smaller in light from the upper left."""
    for dx, dy, r in puffs:
        canvas.ellipse(
            x + dx * size, y + dy * size, r * size, r * size, mix(colour, "#122236", 0.28), depth
        )
    for dx, dy, r in puffs:
        at_x, at_y = x + (dx - 0.03) * size, y + (dy - 0.04) * size
        canvas.ellipse(at_x, at_y, r * size * 0.82, r * size * 0.8, colour, depth)
    dx, dy, r = puffs[-1]
    light = mix(colour, WHITE, 0.18)
    canvas.ellipse(
        x + (dx - 0.09) * size, y + (dy - 0.1) * size, r * size * 0.4, r * size * 0.36, light, depth
    )


def birch(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a slender white trunk with dark marks and a light crown."""
    lean = canvas.between(-0.04, 0.04) * size
    top = y - size
    wide = size * 0.028
    canvas.polygon(
        [(x - wide, y), (x + lean - wide * 0.5, top), (x + lean + wide * 0.5, top), (x + wide, y)],
        "#ece8e0",
        depth,
    )
    for _ in range(9):
        up = canvas.between(0.03, 0.75)
        at = x + lean * up
        canvas.box(
            at - wide * canvas.between(0.2, 0.9),
            y - size * up,
            wide * 0.8,
            size * 0.008,
            "#453f42",
            depth,
        )
    colour = canvas.pick(canvas.mood.foliage)
    puffs = [
        (canvas.between(-0.15, 0.15), -canvas.between(0.55, 0.95), canvas.between(0.08, 0.14))
        for _ in range(6)
    ]
    _crown(canvas, x + lean * 0.8, y, size, puffs, colour, depth)


def bush(  # noqa: PLR0917 - a shape is its numbers, in their order
    canvas: Canvas, x: float, y: float, size: float, colour: Colour, depth: float = 0.0
) -> None:
    """Draw a low round bush."""
    puffs = [(dx, -0.25 - 0.12 * (1 - abs(dx)), 0.32) for dx in (-0.4, 0.4, 0.0)]
    _crown(canvas, x, y, size, puffs, colour, depth)


def palm(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a leaning palm."""
    lean = size * canvas.between(0.1, 0.3) * (1 if canvas.chance(0.5) else -1)
    canvas.shadow(x, y, size * 0.2, size * 0.03)
    trunk = [(x + lean * s**2, y - size * 0.8 * s) for s in (0, 0.25, 0.5, 0.75, 1.0)]
    canvas.line(trunk, size * 0.05, "#8a6245", depth)
    for at_x, at_y in trunk[1:]:
        canvas.line(
            [(at_x - size * 0.025, at_y), (at_x + size * 0.025, at_y)],
            size * 0.008,
            "#6d4a35",
            depth,
        )
    cx, cy = trunk[-1]
    for k, angle in enumerate((200, 235, 275, 315, 345, 160, 20)):
        a = math.radians(angle + canvas.between(-8, 8))
        reach = size * canvas.between(0.3, 0.4)
        end = (cx + math.cos(a) * reach, cy + math.sin(a) * reach * 0.75 + size * 0.09)
        bend = (cx + math.cos(a) * reach * 0.55, cy + math.sin(a) * reach * 0.75 - size * 0.06)
        green = "#3f8a4a" if k % 2 else "#2d6f45"
        canvas.polygon([(cx, cy), bend, end, (bend[0], bend[1] + size * 0.075)], green, depth)
    for dx in (-0.03, 0.03):
        canvas.ellipse(
            cx + dx * size, cy + size * 0.03, size * 0.028, size * 0.028, "#6b4128", depth
        )


def cactus(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a cactus with two arms."""
    green, wide = "#4f8a55", size * 0.13
    canvas.shadow(x + size * 0.1, y, size * 0.25, size * 0.03)
    for side, low, high in ((-1, 0.35, 0.68), (1, 0.48, 0.82)):
        arm = x + side * size * 0.23
        canvas.box(
            min(x, arm),
            y - size * (low + 0.1),
            abs(arm - x),
            wide * 0.7,
            green,
            depth,
            round_by=wide * 0.3,
        )
        canvas.box(
            arm - wide * 0.36,
            y - size * high,
            wide * 0.72,
            size * (high - low),
            green,
            depth,
            round_by=wide * 0.36,
        )
    canvas.box(x - wide / 2, y - size, wide, size, green, depth, round_by=wide / 2)
    canvas.box(
        x + wide * 0.1,
        y - size * 0.95,
        wide * 0.25,
        size * 0.93,
        "#3a6d48",
        depth,
        round_by=wide * 0.12,
    )


def mushroom(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a toadstool."""
    canvas.shadow(x, y, size * 0.4, size * 0.07)
    canvas.box(
        x - size * 0.12,
        y - size * 0.55,
        size * 0.24,
        size * 0.55,
        "#f0e6d2",
        depth,
        round_by=size * 0.1,
    )
    canvas.slice(x, y - size * 0.45, size * 0.5, size * 0.5, 180, 360, "#d1403a", depth)
    for dx, dy, r in ((-0.22, -0.6, 0.08), (0.05, -0.78, 0.09), (0.27, -0.58, 0.06)):
        canvas.ellipse(x + dx * size, y + dy * size, r * size, r * size, "#fbf4ec", depth)


def flower(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a flower of six petals."""
    petal = canvas.pick(BLOOMS)
    cy = y - size * 0.78
    canvas.line([(x, y), (x + size * 0.03, cy)], size * 0.06, "#4c8a48", depth)
    canvas.ellipse(x + size * 0.12, y - size * 0.3, size * 0.12, size * 0.05, "#4c8a48", depth)
    for k in range(6):
        a = k * math.pi / 3
        canvas.ellipse(
            x + math.cos(a) * size * 0.17,
            cy + math.sin(a) * size * 0.17,
            size * 0.13,
            size * 0.13,
            petal,
            depth,
        )
    canvas.ellipse(
        x, cy, size * 0.1, size * 0.1, "#f6c945" if petal != "#f2b134" else "#7a4a2a", depth
    )


def coral(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a coral: a fan of branches, a brain or a bundle of tubes."""
    colour = canvas.pick(_CORALS)
    form = canvas.count(0, 2)
    if form == 0:
        for k in range(7):
            a = math.radians(-90 + (k - 3) * 22)
            tip = (x + math.cos(a) * size * 0.7, y + math.sin(a) * size)
            canvas.line([(x, y), tip], size * 0.08, colour, depth)
            canvas.ellipse(*tip, size * 0.075, size * 0.075, mix(colour, WHITE, 0.25), depth)
    elif form == 1:
        canvas.slice(x, y, size * 0.6, size * 0.6, 180, 360, colour, depth)
        for k in range(4):
            r = size * (0.5 - k * 0.12)
            canvas.slice(x, y, r, r, 180, 360, mix(colour, WHITE, 0.12 * (k % 2)), depth)
    else:
        for k in range(5):
            tall = size * canvas.between(0.45, 1.0)
            at = x + (k - 2) * size * 0.2
            canvas.box(
                at - size * 0.08, y - tall, size * 0.16, tall, colour, depth, round_by=size * 0.07
            )
            canvas.ellipse(
                at,
                y - tall + size * 0.03,
                size * 0.06,
                size * 0.03,
                mix(colour, "#301030", 0.5),
                depth,
            )
