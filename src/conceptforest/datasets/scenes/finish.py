"""What comes between the scene and the finished picture: weather, camera and film."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageChops, ImageFilter

from conceptforest.datasets.scenes.colours import WHITE, mix

if TYPE_CHECKING:
    from conceptforest.datasets.scenes.canvas import Canvas

__all__ = ["develop", "paint_weather"]

_MOST_TILT = 3.5  # degrees
_TILTED = 0.25
_MOST_ZOOM = 0.5
_BLURRED = 0.06
_NOISY = 0.12
_SHADED_EDGES = 0.5
_GREY_PRINTS = 0.03
_SEPIA_PRINTS = 0.02
_LUMA = np.array([0.299, 0.587, 0.114])
_SEPIA = np.array([1.12, 0.98, 0.76])


def paint_weather(canvas: Canvas, horizon: float) -> None:
    """Let fog, rain or snow come between the scene and the viewer."""
    weather = canvas.mood.weather
    if weather == "fog":
        thick = canvas.between(0.35, 0.72)
        canvas.veil(0, horizon, canvas.mood.haze, thick * 0.5, thick)
        canvas.veil(horizon, 1, canvas.mood.haze, thick, thick * 0.2)
    elif weather == "rain":
        canvas.veil(0, 1, canvas.mood.haze, 0.28, 0.12)
        _rain(canvas)
    elif weather == "snow":
        canvas.veil(0, 1, canvas.mood.haze, 0.22, 0.08)
        _snow(canvas)


def _rain(canvas: Canvas) -> None:
    lean = canvas.between(-0.03, 0.03)
    for _ in range(canvas.count(70, 130)):
        x, y = canvas.between(-0.05, canvas.aspect), canvas.between(-0.1, 1)
        long = canvas.between(0.03, 0.08)
        path = [(x, y), (x + lean * long * 20, y + long)]
        canvas.line(path, 0.0025, mix(canvas.mood.haze, WHITE, 0.5), alpha=0.38, lit=True)


def _snow(canvas: Canvas) -> None:
    for _ in range(canvas.count(90, 170)):
        r = canvas.between(0.002, 0.008)
        x, y = canvas.between(0, canvas.aspect), canvas.between(0, 1)
        white = WHITE if not canvas.mood.dark else (205.0, 215.0, 235.0)
        canvas.ellipse(x, y, r, r, white, alpha=canvas.between(0.45, 0.95), lit=True)


def develop(canvas: Canvas) -> Image.Image:
    """Turn the large drawing into the finished picture: tilt, crop, reduce, grade, soften."""
    image = _frame(canvas)
    rng = canvas.rng
    image = image.convert("RGB", _grade(rng))
    if rng.random() < _BLURRED:
        image = image.filter(ImageFilter.GaussianBlur(rng.uniform(0.5, 1.5) * image.height / 192))
    if rng.random() < _SHADED_EDGES:
        image = ImageChops.multiply(image, _edges(image.size, round(rng.uniform(0.15, 0.45), 1)))
    if rng.random() < _NOISY:
        image = _noise(image, rng)
    return image


def _frame(canvas: Canvas) -> Image.Image:
    """Choose what part of the drawing is seen; mirroring and tilting it at times."""
    rng, image = canvas.rng, canvas.image
    zoom = 1 + _MOST_ZOOM * rng.random() ** 2
    if rng.random() < 0.5:
        image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
    if rng.random() < _TILTED:
        angle = rng.uniform(-_MOST_TILT, _MOST_TILT)
        image = image.rotate(angle, Image.Resampling.BILINEAR)
        # The corners that turned in from outside must not be seen.
        turn = np.deg2rad(abs(angle))
        zoom = max(zoom, float(np.cos(turn) + canvas.aspect * np.sin(turn))) * 1.01
        x, y = 0.5, 0.5
    else:
        x, y = rng.random(), rng.random()
    width, height = image.width / zoom, image.height / zoom
    left, top = (image.width - width) * x, (image.height - height) * y
    box = (left, top, left + width, top + height)
    return image.resize(canvas.size, Image.Resampling.HAMMING, box=box)


def _grade(rng: np.random.Generator) -> tuple[float, ...]:
    """Choose saturation, warmth and brightness, or a grey or brown print, as a colour matrix."""
    style = rng.random()
    if style < _GREY_PRINTS + _SEPIA_PRINTS:
        saturation, warmth = 0.0, _SEPIA if style < _SEPIA_PRINTS else np.ones(3)
    else:
        saturation = rng.uniform(0.75, 1.2)
        shift = rng.normal(0, 0.05)
        warmth = np.array([1 + shift, 1 + rng.normal(0, 0.02), 1 - shift])
    gain = rng.uniform(0.9, 1.1)
    matrix = saturation * np.eye(3) + (1 - saturation) * np.tile(_LUMA, (3, 1))
    matrix *= (warmth * gain)[:, None]
    rows = np.hstack([matrix, np.full((3, 1), rng.uniform(-8, 8))])
    return tuple(float(value) for value in rows.ravel())


@lru_cache(maxsize=8)
def _edges(size: tuple[int, int], strength: float) -> Image.Image:
    """Make the darker corners of an old lens."""
    width, height = size
    x, y = np.linspace(-1, 1, width), np.linspace(-1, 1, height)[:, None]
    light = 1 - strength * ((x**2 + y**2) / 2) ** 1.4
    return Image.fromarray((255 * light).astype(np.uint8)).convert("RGB")


def _noise(image: Image.Image, rng: np.random.Generator) -> Image.Image:
    """Add film grain, the same in all three colours."""
    width, height = image.size
    spread = int(rng.integers(2, 6))
    grain = rng.integers(-spread, spread + 1, (height, width, 1), dtype=np.int16)
    pixels = np.asarray(image, dtype=np.int16) + grain
    return Image.fromarray(pixels.clip(0, 255).astype(np.uint8))
