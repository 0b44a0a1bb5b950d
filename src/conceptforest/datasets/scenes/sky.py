"""Skies: their colours, sun, moon, stars and clouds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conceptforest.datasets.scenes.colours import RGB, WHITE, mix

if TYPE_CHECKING:
    from conceptforest.datasets.scenes.canvas import Canvas

__all__ = ["paint_sky"]

_SUN = {"day": "#fff6d5", "golden hour": "#ffe9a8", "dusk": "#ffb38a"}
_MOON = "#f3efd8"
_CLOUDS = {"clear": (0, 3), "cloudy": (5, 8), "rain": (6, 9), "fog": (0, 2), "snow": (3, 6)}


def paint_sky(canvas: Canvas, horizon: float) -> None:
    """Fill the picture down to the horizon with sky."""
    mood = canvas.mood
    canvas.fade(0, min(1.0, horizon + 0.02), mood.sky, lit=True)
    if mood.clear:
        if mood.light == "night":
            _stars(canvas, horizon)
            _moon(canvas, horizon)
        else:
            _sun(canvas, horizon)
    low, high = _CLOUDS[mood.weather]
    for _ in range(canvas.count(low, high)):
        size = canvas.between(0.06, 0.16)
        y = canvas.between(0.03, max(0.08, horizon * 0.75))
        _cloud(canvas, canvas.between(-0.1, canvas.aspect + 0.1), y, size)


def _sun(canvas: Canvas, horizon: float) -> None:
    light = canvas.mood.light
    x = canvas.between(0.1, canvas.aspect - 0.1)
    high = {"day": (0.08, 0.5), "golden hour": (0.55, 0.9), "dusk": (0.85, 1.0)}[light]
    y = horizon * canvas.between(*high)
    r = canvas.between(0.03, 0.055) * (1.0 if light == "day" else 1.5)
    colour = _SUN[light]
    canvas.glow(x, y, r * 7, colour, 0.55)
    canvas.ellipse(x, y, r, r, colour, lit=True)


def _moon(canvas: Canvas, horizon: float) -> None:
    x, y = canvas.between(0.1, canvas.aspect - 0.1), horizon * canvas.between(0.12, 0.55)
    r = canvas.between(0.03, 0.06)
    canvas.glow(x, y, r * 6, "#9fb4e8", 0.5)
    canvas.ellipse(x, y, r, r, _MOON, lit=True)
    if canvas.chance(0.5):  # a crescent: the sky covers a part again
        canvas.ellipse(
            x + r * 0.45, y - r * 0.15, r * 0.85, r * 0.85, _sky_at(canvas, 0.3), lit=True
        )
    else:
        for dx, dy, part in ((-0.3, -0.2, 0.22), (0.25, 0.3, 0.16), (0.3, -0.35, 0.12)):
            canvas.ellipse(x + dx * r, y + dy * r, r * part, r * part, "#dcd6bb", lit=True)


def _sky_at(canvas: Canvas, share: float) -> RGB:
    top, middle, _ = canvas.mood.sky
    return mix(top, middle, share * 2)


def _stars(canvas: Canvas, horizon: float) -> None:
    for _ in range(canvas.count(25, 70)):
        x, y = canvas.between(0, canvas.aspect), canvas.between(0, horizon)
        r = canvas.between(0.0015, 0.0042)
        canvas.ellipse(x, y, r, r, WHITE, alpha=canvas.between(0.4, 1.0), lit=True)


def _cloud(canvas: Canvas, x: float, y: float, size: float) -> None:
    """Draw puffs over a flat base, the lower half in shade."""
    mood = canvas.mood
    bright = mix(mood.sky[2], WHITE, 0.55 if mood.light == "day" else 0.15)
    shade = mix(mood.sky[1], bright, 0.35)
    alpha = 0.9 if mood.weather != "fog" else 0.4
    puffs = [(canvas.between(-1, 1), canvas.between(0.35, 0.75)) for _ in range(canvas.count(4, 7))]
    for colour, drop in ((shade, 0.16), (bright, 0.0)):
        for dx, part in puffs:
            r = size * part * (1 - 0.4 * abs(dx))
            lift = -0.35 * r + drop * size
            canvas.ellipse(
                x + dx * size * 1.3, y + lift, r, r * 0.72, colour, alpha=alpha, lit=True
            )
