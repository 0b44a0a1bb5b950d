"""Scenes by and in the water: beach, harbour, mountain lake, reef.

Each view paints one planned scene and returns the height of its horizon.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conceptforest.datasets.scenes import (
    boats,
    buildings,
    creatures,
    land,
    plants,
    things,
    vehicles,
)
from conceptforest.datasets.scenes.backdrops import backdrop
from conceptforest.datasets.scenes.colours import mix
from conceptforest.datasets.scenes.placing import scatter
from conceptforest.datasets.scenes.sky import paint_sky
from conceptforest.datasets.scenes.water import depths, foam, glitter, water

if TYPE_CHECKING:
    from conceptforest.datasets.scenes.canvas import Canvas
    from conceptforest.datasets.scenes.plan import Plan

__all__ = ["beach", "harbour", "mountain_lake", "reef"]

_SEAS = ("#2f8fb0", "#2a7fa8", "#3fa7a8", "#3a6f9a", "#4f8f9f")
_SANDS = ("#ecd3a0", "#e2c08a", "#f2e2bc", "#d8b888")
_HALF_ABOVE = 0.35  # how often a reef is seen together with the world above it
_ROCKS = ("#7d87a0", "#8a7f8f", "#6f7f8f", "#94877f")


def beach(canvas: Canvas, plan: Plan) -> float:
    """Paint sea, sand and what people bring there."""
    horizon = canvas.between(0.3, 0.55)
    shore = horizon + canvas.between(0.08, 0.25)
    sand = canvas.pick(_SANDS)
    paint_sky(canvas, horizon)
    backdrop(canvas, horizon, "open open hills mountains houses towers")
    if plan.has("lighthouse"):
        buildings.lighthouse(
            canvas, canvas.between(0.1, canvas.aspect - 0.1), horizon + 0.02, 0.32, 0.35
        )
    water(canvas, horizon, shore + 0.03, canvas.pick(_SEAS), 0.35)
    if plan.has("boat"):
        for x in scatter(canvas, canvas.count(1, 3)):
            boats.sailing_boat(
                canvas, x, horizon + canvas.between(0.02, 0.07), canvas.between(0.1, 0.2), 0.3
            )
    tone = canvas.mood.tone
    slope = canvas.between(-0.06, 0.06)
    canvas.polygon(
        [(0, shore + slope), (canvas.aspect, shore - slope), (canvas.aspect, 1), (0, 1)],
        mix(sand, "#a08050", 0.3),
    )
    foam(canvas, shore + 0.005)
    canvas.fade(
        shore + 0.03,
        1,
        [tone(mix(sand, "#a08868", 0.25)), tone(sand), tone(mix(sand, "#fff0d0", 0.2))],
        lit=True,
    )
    canvas.grain(shore + 0.03, 1, "#a07f50", 0.35)
    _beach_life(canvas, plan, shore)
    return horizon


def _beach_life(canvas: Canvas, plan: Plan, shore: float) -> None:
    if plan.has("people"):
        for x in scatter(canvas, canvas.count(2, 4)):
            creatures.person(
                canvas, x, shore + canvas.between(0.05, 0.2), canvas.between(0.1, 0.15)
            )
    if plan.has("umbrella"):
        for x in scatter(canvas, canvas.count(1, 3)):
            y = canvas.between(shore + 0.12, 0.93)
            canvas.polygon(
                [(x + 0.02, y), (x + 0.2, y), (x + 0.23, y + 0.05), (x + 0.05, y + 0.05)],
                canvas.pick(plants.BLOOMS),
            )
            things.umbrella(canvas, x, y + 0.02, canvas.between(0.2, 0.32))
    if plan.has("palm"):
        for x in scatter(canvas, canvas.count(1, 3)):
            plants.palm(canvas, x, canvas.between(shore + 0.1, 0.98), canvas.between(0.45, 0.75))
    if plan.has("kite"):
        things.kite(
            canvas, canvas.between(0.2, canvas.aspect - 0.2), canvas.between(0.12, 0.28), 0.13
        )
    if plan.has("gull"):
        _gulls(canvas, 0.1, 0.4)


def _gulls(canvas: Canvas, high: float, low: float) -> None:
    for _ in range(canvas.count(2, 6)):
        creatures.bird(
            canvas,
            canvas.between(0, canvas.aspect),
            canvas.between(high, low),
            canvas.between(0.025, 0.06),
            0.1,
            "#f6f7f8",
        )


def harbour(canvas: Canvas, plan: Plan) -> float:
    """Paint a basin with boats before quays and sheds."""
    horizon = canvas.between(0.36, 0.56)
    paint_sky(canvas, horizon)
    backdrop(canvas, horizon, "open hills mountains towers")
    if canvas.chance(0.75):
        _waterfront(canvas, horizon)
    _on_quay(canvas, plan, horizon)
    canvas.shine()  # so that the water reflects the lights
    water(canvas, horizon + 0.012, 1, canvas.pick(_SEAS), 0.6)
    if plan.has("boat"):
        _moored(canvas, horizon)
    if canvas.chance(0.4):
        _pier(canvas)
    if plan.has("gull"):
        _gulls(canvas, 0.08, 0.6)
    return horizon


def _on_quay(canvas: Canvas, plan: Plan, horizon: float) -> None:
    if plan.has("crane"):
        for x in scatter(canvas, canvas.count(1, 3)):
            things.crane(canvas, x, horizon, canvas.between(0.28, 0.42), 0.25)
    if plan.has("lighthouse"):
        buildings.lighthouse(
            canvas, canvas.between(0.1, canvas.aspect - 0.1), horizon + 0.01, 0.36, 0.2
        )
    if plan.has("flag"):
        for x in scatter(canvas, 2):
            things.flag(canvas, x, horizon, 0.2, 0.15)
    if plan.has("lamp"):
        for x in scatter(canvas, 4):
            things.lamp(canvas, x, horizon, 0.15, 0.15)


def _waterfront(canvas: Canvas, y: float) -> None:
    x = -0.05
    while x < canvas.aspect + 0.05:
        size = canvas.between(0.1, 0.22)
        if canvas.chance(0.25):
            canvas.box(
                x,
                y - size * 0.6,
                size * 1.4,
                size * 0.6,
                canvas.pick(("#8f9aa4", "#a0705a", "#7a8a80")),
                0.3,
            )
            x += size * 1.45
        else:
            buildings.house(canvas, x + size * 0.35, y, size, 0.25)
            x += size * 0.72
    canvas.box(0, y - 0.004, canvas.aspect, 0.022, "#7d746c", 0.1)


def _moored(canvas: Canvas, horizon: float) -> None:
    for k, x in enumerate(scatter(canvas, canvas.count(2, 5))):
        near = canvas.between(0.08, 0.85)
        y = horizon + 0.03 + near * (0.93 - horizon)
        size = 0.12 + 0.26 * near
        draw = boats.fishing_boat if k % 2 else boats.sailing_boat
        canvas.ellipse(x, y + size * 0.02, size * 0.5, size * 0.05, "#12263a", alpha=0.35)
        draw(canvas, x, y, size, 0.2 * (1 - near))


def _pier(canvas: Canvas) -> None:
    left = canvas.between(-0.1, 0.5)
    canvas.polygon(
        [(left, 1), (left + 0.35, 0.78), (left + 0.47, 0.78), (left + 0.4, 1)], "#8a6a50"
    )
    for k in range(6):
        y = 0.79 + k * 0.038
        canvas.line([(left + 0.35 - k * 0.06, y), (left + 0.465 - k * 0.012, y)], 0.004, "#5f4636")


def mountain_lake(canvas: Canvas, plan: Plan) -> float:
    """Paint a still lake that mirrors its mountains."""
    horizon = canvas.between(0.42, 0.62)
    paint_sky(canvas, horizon)
    rock = canvas.pick(_ROCKS)
    land.mountains(canvas, horizon, canvas.between(0.3, 0.46), rock, 0.65)
    land.mountains(
        canvas,
        horizon,
        canvas.between(0.16, 0.26),
        mix(rock, "#3a5048", 0.35),
        0.4,
        snow=0.5 if canvas.mood.snowy else 0.0,
    )
    if plan.has("balloon"):
        vehicles.balloon(canvas, canvas.between(0.2, canvas.aspect - 0.2), 0.18, 0.17, 0.25)
    green = canvas.pick(canvas.mood.foliage)
    if canvas.chance(0.25):
        backdrop(canvas, horizon, "houses")
    else:
        dark = mix(green, "#2f5048", 0.5)
        tall = canvas.between(0.05, 0.1)
        land.tree_line(canvas, horizon, tall, dark, 0.35, pointed=canvas.chance(0.7))
    if plan.has("cabin"):
        buildings.cabin(
            canvas, canvas.between(0.2, canvas.aspect - 0.2), horizon + 0.005, 0.14, 0.1
        )
    if plan.has("bridge"):
        land.footbridge(canvas, canvas.between(0.1, canvas.aspect - 0.5), horizon, 0.15)
    canvas.shine()
    water(canvas, horizon, 1, canvas.pick(_SEAS), 0.72)
    if plan.has("boat"):
        x, y = canvas.between(0.25, canvas.aspect - 0.25), canvas.between(horizon + 0.12, 0.85)
        canvas.ellipse(x, y, 0.14, 0.015, "#12263a", alpha=0.35)
        draw = boats.rowing_boat if canvas.chance(0.6) else boats.sailing_boat
        draw(canvas, x, y, canvas.between(0.2, 0.3))
    _near_shore(canvas, plan)
    return horizon


def _near_shore(canvas: Canvas, plan: Plan) -> None:
    bank = canvas.between(0.86, 0.95)
    land.hills(canvas, bank, 0.03, canvas.pick(("#5f7f4f", "#7a8a5a", "#8a8070")))
    if plan.has("pine"):
        for x in scatter(canvas, canvas.count(2, 5)):
            plants.pine(canvas, x, canvas.between(bank, 1.0), canvas.between(0.3, 0.6))
    if plan.has("tent"):
        buildings.tent(canvas, canvas.between(0.25, canvas.aspect - 0.25), bank + 0.05, 0.14)
    if plan.has("deer"):
        creatures.deer(canvas, canvas.between(0.25, canvas.aspect - 0.25), bank + 0.04, 0.2)


def reef(canvas: Canvas, plan: Plan) -> float:
    """Paint the world below the surface."""
    sea = canvas.pick(("#1f7fa8", "#2a9aa8", "#2f6fa0", "#2f8a8a"))
    surface = canvas.between(0.2, 0.42) if canvas.chance(_HALF_ABOVE) else 0.0
    if surface:
        paint_sky(canvas, surface)
        backdrop(canvas, surface, "open hills mountains sea houses")
        if canvas.chance(0.5):
            plants.palm(canvas, canvas.between(0.2, canvas.aspect - 0.2), surface + 0.01, 0.2, 0.3)
        canvas.shine()
    depths(canvas, surface, sea)
    if plan.has("boat"):
        x = canvas.between(0.3, canvas.aspect - 0.3)
        if surface:
            boats.sailing_boat(canvas, x, surface + 0.02, 0.26)
        else:
            hull = [(x - 0.22, 0), (x + 0.22, 0), (x + 0.1, 0.07), (x - 0.1, 0.07)]
            canvas.polygon(hull, "#5a4a42", 0.1)
    land.hills(canvas, canvas.between(0.68, 0.8), 0.05, "#3f7f90", 0.6)
    floor = canvas.between(0.8, 0.9)
    land.hills(canvas, floor, 0.03, canvas.pick(("#d8c088", "#b8a880", "#8a9a8a")), 0.15)
    glitter(canvas, surface, surface + 0.12)
    if plan.has("coral"):
        for _ in range(canvas.count(5, 10)):
            plants.coral(
                canvas,
                canvas.between(0, canvas.aspect),
                canvas.between(floor, 0.99),
                canvas.between(0.08, 0.2),
            )
    else:
        for _ in range(canvas.count(4, 8)):
            x, y = canvas.between(0, canvas.aspect), canvas.between(floor, 1.0)
            path = [(x + 0.02 * (-1) ** s, y - 0.07 * s) for s in range(5)]
            canvas.line(path, 0.016, "#3f8a5a")
    _sea_life(canvas, plan, surface)
    for _ in range(canvas.count(6, 16)):
        r = canvas.between(0.004, 0.012)
        x, y = canvas.between(0, canvas.aspect), canvas.between(surface + 0.05, 0.9)
        canvas.ellipse(x, y, r, r, "#e6f6ff", alpha=0.45)
    return surface or 0.5


def _sea_life(canvas: Canvas, plan: Plan, surface: float) -> None:
    if plan.has("fish"):
        for _ in range(canvas.count(4, 9)):
            depth = canvas.between(0, 0.5)
            creatures.fish(
                canvas,
                canvas.between(0.05, canvas.aspect),
                canvas.between(surface + 0.12, 0.82),
                canvas.between(0.06, 0.15) * (1.2 - depth),
                depth,
            )
    if plan.has("jellyfish"):
        for x in scatter(canvas, canvas.count(1, 3)):
            creatures.jellyfish(
                canvas, x, canvas.between(surface + 0.2, 0.7), canvas.between(0.12, 0.2)
            )
    if plan.has("turtle"):
        creatures.turtle(
            canvas,
            canvas.between(0.3, canvas.aspect - 0.3),
            canvas.between(surface + 0.22, 0.75),
            canvas.between(0.2, 0.3),
        )
    if plan.has("diver"):
        creatures.diver(
            canvas,
            canvas.between(0.35, canvas.aspect - 0.35),
            canvas.between(surface + 0.22, 0.72),
            canvas.between(0.25, 0.35),
        )
