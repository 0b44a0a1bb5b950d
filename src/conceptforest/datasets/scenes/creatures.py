"""People and animals. Each stands on, or floats around, the point it is given."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from conceptforest.datasets.scenes.colours import WHITE, mix

if TYPE_CHECKING:
    from conceptforest.datasets.scenes.canvas import Canvas

__all__ = [
    "bird",
    "butterfly",
    "camel",
    "cat",
    "crowd",
    "deer",
    "diver",
    "fish",
    "jellyfish",
    "person",
    "skier",
    "turtle",
]

_CLOTHES = ("#d1493f", "#3f6fa8", "#e0a83f", "#4f8a6a", "#8a4f8a", "#f0ece2", "#40485a", "#e07a5a")
_SKIN = ("#f0c8a0", "#c98f68", "#8a5a40", "#e3b088")
_HAIR = ("#3a2a20", "#6a4428", "#c09048", "#20202a")
_FISH = ("#f28f3b", "#f2d43b", "#e85d75", "#5fb4e8", "#f4f0e6", "#8a6fd8")


def _side(canvas: Canvas) -> int:
    return 1 if canvas.chance(0.5) else -1


def person(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a person who stands or walks."""
    top, legs = canvas.pick(_CLOTHES), canvas.pick(("#3a4258", "#5a4a40", "#2f3a3a", "#6a6f80"))
    canvas.shadow(x, y, size * 0.2, size * 0.04)
    step = size * canvas.between(0.02, 0.1)
    for side in (-1, 1):
        canvas.line([(x, y - size * 0.45), (x + side * step, y)], size * 0.085, legs, depth)
        canvas.line(
            [
                (x + side * size * 0.08, y - size * 0.76),
                (x + side * (size * 0.11 + step * 0.5), y - size * 0.45),
            ],
            size * 0.055,
            mix(top, "#202038", 0.2),
            depth,
        )
    canvas.box(
        x - size * 0.105, y - size * 0.8, size * 0.21, size * 0.4, top, depth, round_by=size * 0.07
    )
    canvas.ellipse(x, y - size * 0.89, size * 0.085, size * 0.095, canvas.pick(_SKIN), depth)
    canvas.slice(x, y - size * 0.91, size * 0.092, size * 0.09, 170, 370, canvas.pick(_HAIR), depth)


def crowd(canvas: Canvas, y: float, rows: int, size: float, depth: float = 0.0) -> None:
    """Draw rows of heads and shoulders across the picture, the last row nearest."""
    for row in range(rows):
        at = y + row * size * 0.62
        x = canvas.between(-size * 0.5, 0)
        while x < canvas.aspect + size:
            canvas.ellipse(
                x, at + size * 0.34, size * 0.27, size * 0.3, canvas.pick(_CLOTHES), depth
            )
            canvas.ellipse(x, at, size * 0.14, size * 0.16, canvas.pick(_SKIN), depth)
            x += size * canvas.between(0.48, 0.75)


def bird(  # noqa: PLR0917 - a shape is its numbers, in their order
    canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0, colour: str = "#2f3440"
) -> None:
    """Draw a flying bird: two bent wings."""
    lift = size * canvas.between(0.15, 0.4)
    for side in (-1, 1):
        canvas.polygon(
            [
                (x, y),
                (x + side * size * 0.5, y - lift),
                (x + side * size, y - lift * 0.35),
                (x + side * size * 0.48, y - lift * 0.62),
                (x, y + size * 0.14),
            ],
            colour,
            depth,
        )
    canvas.ellipse(x, y + size * 0.03, size * 0.2, size * 0.09, colour, depth)


def deer(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a deer with antlers."""
    coat, side = "#a86f42", _side(canvas)
    canvas.shadow(x, y, size * 0.4, size * 0.05)
    for at in (-0.26, -0.18, 0.17, 0.25):
        canvas.line(
            [(x + at * size * side, y - size * 0.4), (x + at * size * side, y)],
            size * 0.045,
            mix(coat, "#2a1a18", 0.25),
            depth,
        )
    canvas.ellipse(x, y - size * 0.46, size * 0.33, size * 0.15, coat, depth)
    canvas.ellipse(
        x - side * size * 0.3, y - size * 0.52, size * 0.06, size * 0.05, "#f4ead8", depth
    )
    neck = x + side * size * 0.26
    head = (x + side * size * 0.42, y - size * 0.8)
    canvas.polygon(
        [
            (neck - side * size * 0.1, y - size * 0.5),
            (head[0] - side * size * 0.07, head[1]),
            (head[0] + side * size * 0.05, head[1] + size * 0.03),
            (neck + side * size * 0.07, y - size * 0.42),
        ],
        coat,
        depth,
    )
    canvas.ellipse(head[0] + side * size * 0.05, head[1], size * 0.1, size * 0.06, coat, depth)
    for lean in (-0.05, 0.07):
        tip = (head[0] + side * size * lean * 2, head[1] - size * 0.25)
        canvas.line([(head[0], head[1] - size * 0.03), tip], size * 0.02, "#e6d3ae", depth)
        middle = ((head[0] + tip[0]) / 2, (head[1] + tip[1]) / 2)
        canvas.line(
            [middle, (middle[0] + side * size * 0.09, middle[1] - size * 0.08)],
            size * 0.018,
            "#e6d3ae",
            depth,
        )


def camel(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a camel with two humps."""
    coat, side = "#b98a55", _side(canvas)
    canvas.shadow(x, y, size * 0.5, size * 0.05)
    for at in (-0.3, -0.2, 0.18, 0.28):
        canvas.line(
            [(x + at * size * side, y - size * 0.4), (x + at * size * side, y)],
            size * 0.06,
            mix(coat, "#3a2018", 0.2),
            depth,
        )
    canvas.ellipse(x, y - size * 0.48, size * 0.38, size * 0.17, coat, depth)
    for at in (-0.16, 0.13):
        canvas.ellipse(x + at * size * side, y - size * 0.62, size * 0.12, size * 0.17, coat, depth)
    canvas.box(
        x - size * 0.11,
        y - size * 0.66,
        size * 0.2,
        size * 0.3,
        "#b5433c",
        depth,
        round_by=size * 0.03,
    )
    neck = [
        (x + side * size * 0.34, y - size * 0.48),
        (x + side * size * 0.5, y - size * 0.55),
        (x + side * size * 0.56, y - size * 0.88),
    ]
    canvas.line(neck, size * 0.1, coat, depth)
    canvas.ellipse(x + side * size * 0.62, y - size * 0.9, size * 0.12, size * 0.065, coat, depth)


def cat(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a sitting cat from behind or before: it makes no difference to the cat."""
    fur = canvas.pick(("#2f2f3a", "#d98a45", "#8a8690", "#f0e8dc"))
    side = _side(canvas)
    canvas.shadow(x, y, size * 0.4, size * 0.06)
    canvas.line(
        [
            (x + side * size * 0.2, y - size * 0.06),
            (x + side * size * 0.48, y - size * 0.1),
            (x + side * size * 0.52, y - size * 0.4),
        ],
        size * 0.08,
        fur,
        depth,
    )
    canvas.ellipse(x, y - size * 0.3, size * 0.25, size * 0.31, fur, depth)
    canvas.ellipse(x, y - size * 0.68, size * 0.19, size * 0.17, fur, depth)
    for ear in (-1, 1):
        canvas.polygon(
            [
                (x + ear * size * 0.18, y - size * 0.7),
                (x + ear * size * 0.17, y - size * 0.98),
                (x + ear * size * 0.03, y - size * 0.8),
            ],
            fur,
            depth,
        )
        canvas.ellipse(
            x + ear * size * 0.07, y - size * 0.69, size * 0.026, size * 0.03, "#e8d86a", depth
        )


def butterfly(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a butterfly."""
    colour = canvas.pick(("#f2a03d", "#5f8fe0", "#f2e06a", "#e0679a"))
    for side in (-1, 1):
        canvas.ellipse(
            x + side * size * 0.3, y - size * 0.18, size * 0.28, size * 0.24, colour, depth
        )
        canvas.ellipse(
            x + side * size * 0.24,
            y + size * 0.18,
            size * 0.2,
            size * 0.18,
            mix(colour, WHITE, 0.25),
            depth,
        )
    canvas.ellipse(x, y, size * 0.05, size * 0.32, "#332a30", depth)


def skier(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a skier who leans into the slope."""
    coat, side = canvas.pick(("#e0483f", "#2f6fc0", "#f2b134", "#3fa06a", "#b0489a")), _side(canvas)
    canvas.shadow(x, y + size * 0.03, size * 0.5, size * 0.05)
    for drop in (0.0, 0.06):
        canvas.line(
            [
                (x - side * size * 0.5, y - size * (0.12 - drop)),
                (x + side * size * 0.55, y + size * (0.06 + drop)),
            ],
            size * 0.04,
            "#30384a",
            depth,
        )
    hip, shoulder = (
        (x - side * size * 0.08, y - size * 0.42),
        (x + side * size * 0.12, y - size * 0.74),
    )
    canvas.line(
        [(x, y), (x + side * size * 0.1, y - size * 0.22), hip], size * 0.13, "#3a4258", depth
    )
    canvas.line([hip, shoulder], size * 0.21, coat, depth)
    hand = (x + side * size * 0.38, y - size * 0.5)
    canvas.line([shoulder, hand], size * 0.08, mix(coat, "#202038", 0.25), depth)
    canvas.line([hand, (x + side * size * 0.1, y - size * 0.02)], size * 0.02, "#50586a", depth)
    canvas.ellipse(
        x + side * size * 0.18, y - size * 0.87, size * 0.11, size * 0.11, "#f0c8a0", depth
    )
    canvas.slice(
        x + side * size * 0.18, y - size * 0.89, size * 0.12, size * 0.12, 175, 365, coat, depth
    )


def fish(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a striped fish."""
    colour, side = canvas.pick(_FISH), _side(canvas)
    tail = x - side * size * 0.42
    canvas.polygon(
        [
            (tail, y),
            (tail - side * size * 0.28, y - size * 0.2),
            (tail - side * size * 0.2, y),
            (tail - side * size * 0.28, y + size * 0.2),
        ],
        mix(colour, "#402030", 0.15),
        depth,
    )
    canvas.ellipse(x, y, size * 0.48, size * 0.27, colour, depth)
    canvas.polygon(
        [
            (x - size * 0.15, y - size * 0.22),
            (x, y - size * 0.42),
            (x + size * 0.2, y - size * 0.2),
        ],
        mix(colour, "#402030", 0.2),
        depth,
    )
    for at in (-0.12, 0.12):
        canvas.box(
            x + at * size - size * 0.04,
            y - size * 0.22,
            size * 0.07,
            size * 0.44,
            mix(colour, WHITE, 0.6),
            depth,
            round_by=size * 0.03,
        )
    canvas.ellipse(
        x + side * size * 0.3, y - size * 0.06, size * 0.065, size * 0.065, "#fdfdfd", depth
    )
    canvas.ellipse(
        x + side * size * 0.32, y - size * 0.06, size * 0.035, size * 0.035, "#151520", depth
    )


def turtle(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a swimming turtle."""
    side, skin = _side(canvas), "#7fae62"
    for dx, dy, rx, ry in (
        (0.3, 0.2, 0.28, 0.08),
        (-0.35, 0.16, 0.18, 0.07),
        (0.22, -0.22, 0.2, 0.07),
    ):
        canvas.ellipse(x + side * dx * size, y + dy * size, rx * size, ry * size, skin, depth)
    canvas.ellipse(x + side * size * 0.56, y - size * 0.03, size * 0.14, size * 0.1, skin, depth)
    canvas.ellipse(x, y, size * 0.46, size * 0.28, "#5a6f3f", depth)
    canvas.ellipse(x, y - size * 0.03, size * 0.4, size * 0.22, "#7f8f4f", depth)
    for dx in (-0.22, 0.0, 0.22):
        canvas.ellipse(x + dx * size, y - size * 0.04, size * 0.09, size * 0.13, "#63743f", depth)
    canvas.ellipse(
        x + side * size * 0.61, y - size * 0.05, size * 0.02, size * 0.02, "#151515", depth
    )


def jellyfish(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a glowing jellyfish."""
    colour = canvas.pick(("#f0a8d0", "#b8a8f0", "#a8e0f0", "#f4d0a8"))
    for k in range(5):
        at = x + (k - 2) * size * 0.16
        path = [(at + math.sin(s * 2.2 + k) * size * 0.06, y + s * size * 0.3) for s in range(4)]
        canvas.line(path, size * 0.035, colour, depth, alpha=0.7)
    canvas.slice(x, y, size * 0.46, size * 0.5, 180, 360, colour, depth)
    canvas.slice(
        x - size * 0.06,
        y - size * 0.04,
        size * 0.3,
        size * 0.36,
        180,
        360,
        mix(colour, WHITE, 0.4),
        depth,
    )
    canvas.glow(x, y - size * 0.1, size * 1.1, colour, 0.35)


def diver(canvas: Canvas, x: float, y: float, size: float, depth: float = 0.0) -> None:
    """Draw a diver with fins, a tank and bubbles."""
    side, suit = _side(canvas), "#2f3a50"
    canvas.line(
        [(x - side * size * 0.1, y), (x - side * size * 0.55, y + size * 0.1)],
        size * 0.12,
        suit,
        depth,
    )
    canvas.polygon(
        [
            (x - side * size * 0.5, y + size * 0.04),
            (x - side * size * 0.85, y + size * 0.04),
            (x - side * size * 0.8, y + size * 0.22),
        ],
        "#f2c43b",
        depth,
    )
    canvas.line(
        [(x - side * size * 0.12, y), (x + side * size * 0.25, y - size * 0.06)],
        size * 0.2,
        suit,
        depth,
    )
    canvas.line(
        [(x - side * size * 0.1, y - size * 0.14), (x + side * size * 0.18, y - size * 0.19)],
        size * 0.12,
        "#e0683f",
        depth,
    )
    canvas.line(
        [(x + side * size * 0.2, y), (x + side * size * 0.45, y + size * 0.16)],
        size * 0.08,
        suit,
        depth,
    )
    canvas.ellipse(
        x + side * size * 0.4, y - size * 0.1, size * 0.12, size * 0.12, "#e8b890", depth
    )
    canvas.box(
        x + side * size * 0.45 - size * 0.06,
        y - size * 0.16,
        size * 0.12,
        size * 0.1,
        "#a8e0f0",
        depth,
        round_by=size * 0.03,
    )
    for k in range(4):
        canvas.ellipse(
            x + side * size * (0.5 + 0.05 * (k % 2)),
            y - size * (0.3 + 0.16 * k),
            size * 0.035,
            size * 0.035,
            "#e6f6ff",
            depth,
            alpha=0.6,
        )
