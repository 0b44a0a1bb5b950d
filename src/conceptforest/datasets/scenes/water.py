"""Water: sea, lakes, waves, reflections, and what lies under the surface."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conceptforest.datasets.scenes.colours import WHITE, Colour, mix

if TYPE_CHECKING:
    from conceptforest.datasets.scenes.canvas import Canvas

__all__ = ["depths", "foam", "glitter", "water"]


def water(canvas: Canvas, y: float, bottom: float, colour: Colour, mirror: float) -> None:
    """Fill the water between two heights; it reflects a share of what is above."""
    mood = canvas.mood
    far = mix(mood.tone(colour, 0.35), mood.sky[2], 0.4)
    near = mix(mood.tone(colour), mood.sky[0], 0.25)
    canvas.fade(y, bottom, [far, near], lit=True)
    canvas.mirror(y, bottom - y, mirror, 0.006)
    glitter(canvas, y, bottom)


def glitter(canvas: Canvas, y: float, bottom: float) -> None:
    """Draw short bright lines, longer and rarer towards the viewer."""
    mood = canvas.mood
    bright = mix(mood.sky[2], WHITE, 0.1 if mood.dark else 0.4)
    for _ in range(canvas.count(25, 55)):
        near = canvas.between(0, 1) ** 1.5
        at = y + 0.01 + near * (bottom - y - 0.01)
        x, wide = canvas.between(0, canvas.aspect), (0.01 + 0.05 * near) * canvas.between(0.5, 1.4)
        thin = 0.0012 + 0.0025 * near
        canvas.ellipse(x, at, wide, thin, bright, alpha=canvas.between(0.15, 0.5), lit=True)


def foam(canvas: Canvas, y: float) -> None:
    """Draw the white edge of a wave that runs up a beach."""
    x = -0.05
    while x < canvas.aspect + 0.1:
        wide = canvas.between(0.06, 0.16)
        canvas.ellipse(x, y + canvas.between(-0.004, 0.008), wide, 0.014, "#f6fbfb", alpha=0.85)
        x += wide


def depths(canvas: Canvas, y: float, colour: Colour) -> None:
    """Fill all below a height with water seen from within, with rays from above."""
    mood = canvas.mood
    top = mix(mood.tone(mix(colour, WHITE, 0.45)), mood.sky[2], 0.15)
    canvas.fade(y, 1, [top, mood.tone(colour), mood.tone(mix(colour, "#06203f", 0.65))], lit=True)
    for _ in range(canvas.count(3, 6)):
        x, lean = canvas.between(0, canvas.aspect), canvas.between(-0.25, 0.25)
        wide, reach = canvas.between(0.03, 0.09), y + (1 - y) * canvas.between(0.5, 0.9)
        canvas.polygon(
            [(x, y), (x + wide, y), (x + lean + wide * 2.4, reach), (x + lean - wide, reach)],
            mix(top, WHITE, 0.5),
            alpha=0.13,
            lit=True,
        )
