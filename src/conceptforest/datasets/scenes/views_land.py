"""Scenes in the open country: forest, harvest, desert, ski slope, garden.

Each view paints one planned scene and returns the height of its horizon.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conceptforest.datasets.scenes import buildings, creatures, land, plants, things, vehicles
from conceptforest.datasets.scenes.backdrops import backdrop
from conceptforest.datasets.scenes.colours import mix
from conceptforest.datasets.scenes.placing import across
from conceptforest.datasets.scenes.sky import paint_sky

if TYPE_CHECKING:
    from conceptforest.datasets.scenes.canvas import Canvas
    from conceptforest.datasets.scenes.plan import Plan

__all__ = ["desert", "forest", "garden", "harvest", "ski_slope"]

_SANDS = ("#e0b070", "#d89a5a", "#ecc890", "#c9855a", "#e6c07f")
_LAWNS = {
    "spring": ("#9ac45f", "#7fb04f"),
    "summer": ("#7aa84a", "#5f9a4a", "#8fae55"),
    "autumn": ("#a89a4a", "#8f8f45", "#b58f4a"),
    "winter": ("#7f9a6a",),
}


def _birds(canvas: Canvas) -> None:
    for _ in range(canvas.count(3, 8)):
        creatures.bird(
            canvas,
            across(canvas, 0.0),
            canvas.between(0.06, 0.4),
            canvas.between(0.015, 0.035),
            0.2,
        )


def forest(canvas: Canvas, plan: Plan) -> float:
    """Paint trunks in rows that fade into the distance."""
    horizon = canvas.between(0.5, 0.68)
    paint_sky(canvas, horizon)
    green = canvas.pick(canvas.mood.foliage)
    pointed = plan.has("pine")
    for k, depth in enumerate((0.85, 0.6)):
        dark = mix(green, "#24483f", 0.45)
        land.tree_line(
            canvas, horizon + 0.03 * k, canvas.between(0.25, 0.42), dark, depth, pointed=pointed
        )
    floor = canvas.pick(_LAWNS[canvas.mood.season])
    land.ground(canvas, horizon + 0.03, mix(floor, "#4a4a2a", 0.3), mix(floor, "#2f4a3a", 0.3))
    canvas.grain(horizon + 0.03, 1, "#33452f", 0.5)
    if canvas.chance(0.6):
        land.road(
            canvas, horizon + 0.04, across(canvas, 0.4), canvas.between(0.12, 0.25), "#b09a70"
        )
    if plan.has("bridge"):
        x, y = across(canvas, 0.4) - 0.2, horizon + 0.16
        canvas.ellipse(x + 0.2, y, 0.3, 0.03, mix("#5f9ab0", canvas.mood.sky[1], 0.4))
        land.footbridge(canvas, x, y)
    _trees(canvas, plan, horizon, rows=canvas.count(1, 3))
    _forest_life(canvas, plan, horizon)
    return horizon


def _trees(canvas: Canvas, plan: Plan, horizon: float, rows: int) -> None:
    kinds = [plants.leafy_tree]
    if plan.has("pine"):
        kinds += [plants.pine] * 3
    if plan.has("birch"):
        kinds += [plants.birch] * 2
    for row in range(rows):
        near = (row + canvas.between(0.2, 0.8)) / rows
        y = horizon + 0.05 + near * (0.92 - horizon)
        for _ in range(canvas.count(2, 5)):
            draw = kinds[canvas.count(0, len(kinds) - 1)]
            draw(
                canvas,
                across(canvas, -0.1),
                y,
                0.35 + 0.5 * near * canvas.between(0.8, 1.2),
                0.5 * (1 - near),
            )


def _forest_life(canvas: Canvas, plan: Plan, horizon: float) -> None:
    if plan.has("cabin"):
        buildings.cabin(canvas, across(canvas, 0.3), horizon + 0.16, 0.22, 0.1)
    if plan.has("tent"):
        buildings.tent(canvas, across(canvas, 0.3), canvas.between(0.85, 0.94), 0.18)
    if plan.has("deer"):
        for _ in range(canvas.count(1, 2)):
            creatures.deer(
                canvas, across(canvas, 0.25), canvas.between(0.8, 0.95), canvas.between(0.2, 0.32)
            )
    if plan.has("mushroom"):
        for _ in range(canvas.count(3, 7)):
            plants.mushroom(
                canvas, across(canvas, 0.05), canvas.between(0.86, 0.99), canvas.between(0.05, 0.1)
            )
    if plan.has("bird"):
        _birds(canvas)


def harvest(canvas: Canvas, plan: Plan) -> float:
    """Paint golden fields under a wide sky."""
    horizon = canvas.between(0.36, 0.6)
    paint_sky(canvas, horizon)
    corn = canvas.pick(("#e0b24a", "#d8a040", "#e8c46a", "#a8ac55", "#c98f45"))
    green = canvas.pick(_LAWNS[canvas.mood.season])
    backdrop(canvas, horizon, "hills hills mountains trees houses open sea")
    if plan.has("church"):
        buildings.church(canvas, across(canvas), horizon + 0.01, 0.22, 0.4)
    land.ground(canvas, horizon, corn, mix(corn, green, 0.35))
    if canvas.chance(0.5):
        land.furrows(canvas, horizon, mix(corn, "#7a5426", 0.45), canvas.count(9, 16))
    else:
        land.hills(canvas, horizon + 0.12, 0.04, mix(corn, green, 0.6), 0.3)
        land.hills(canvas, horizon + 0.25, 0.05, corn, 0.1)
    canvas.grain(horizon + 0.05, 1, "#7a5a20", 0.35, 64)
    if plan.has("windmill"):
        buildings.windmill(canvas, across(canvas), horizon + 0.05, canvas.between(0.28, 0.4), 0.2)
    if plan.has("barn"):
        buildings.barn(canvas, across(canvas, 0.25), horizon + 0.08, canvas.between(0.2, 0.3), 0.15)
    if plan.has("hay bale"):
        for _ in range(canvas.count(3, 7)):
            near = canvas.between(0, 1)
            y = horizon + 0.1 + near * (0.86 - horizon)
            things.hay_bale(canvas, across(canvas, 0.05), y, 0.06 + 0.12 * near, 0.25 * (1 - near))
    if plan.has("tractor"):
        vehicles.tractor(
            canvas,
            across(canvas, 0.25),
            canvas.between(horizon + 0.2, 0.93),
            canvas.between(0.18, 0.28),
        )
    _above_fields(canvas, plan)
    return horizon


def _above_fields(canvas: Canvas, plan: Plan) -> None:
    if plan.has("balloon"):
        for _ in range(canvas.count(1, 3)):
            vehicles.balloon(
                canvas,
                across(canvas),
                canvas.between(0.12, 0.28),
                canvas.between(0.12, 0.24),
                0.15,
            )
    if plan.has("kite"):
        things.kite(canvas, across(canvas, 0.25), canvas.between(0.12, 0.25), 0.13)
    if plan.has("bird"):
        _birds(canvas)


def desert(canvas: Canvas, plan: Plan) -> float:
    """Paint dunes and the few who live there."""
    horizon = canvas.between(0.4, 0.62)
    sand = canvas.pick(_SANDS)
    paint_sky(canvas, horizon)
    backdrop(canvas, horizon, "open open mountains sea houses")
    land.ground(canvas, horizon, sand, mix(sand, "#f0d8b0", 0.3))
    for k in range(4):
        y = horizon + 0.06 + 0.11 * k
        land.dunes(
            canvas,
            y,
            canvas.between(0.06, 0.14),
            mix(sand, "#fff0d0", 0.12 * (k % 2)),
            0.7 - 0.2 * k,
        )
    near = 0.84
    land.hills(canvas, near, 0.025, mix(sand, "#a06a3a", 0.15))
    canvas.grain(near, 1, "#9a6a3a", 0.3)
    if plan.has("palm"):
        canvas.ellipse(canvas.aspect * 0.6, near + 0.03, 0.3, 0.03, canvas.mood.sky[1], lit=True)
        for _ in range(canvas.count(2, 4)):
            plants.palm(
                canvas,
                across(canvas, 0.25),
                near + canvas.between(0.0, 0.08),
                canvas.between(0.35, 0.6),
            )
    if plan.has("cactus"):
        for _ in range(canvas.count(1, 4)):
            plants.cactus(
                canvas, across(canvas, 0.1), canvas.between(0.75, 0.97), canvas.between(0.16, 0.36)
            )
    if plan.has("tent"):
        buildings.tent(canvas, across(canvas, 0.25), canvas.between(0.8, 0.95), 0.2)
    _caravan(canvas, plan)
    return horizon


def _caravan(canvas: Canvas, plan: Plan) -> None:
    y = canvas.between(0.72, 0.92)
    if plan.has("camel"):
        size, start = canvas.between(0.16, 0.28), canvas.between(0.15, 0.5)
        for k in range(canvas.count(1, 3)):
            creatures.camel(canvas, start + k * size * 1.5, y, size)
    if plan.has("people"):
        for _ in range(canvas.count(1, 3)):
            creatures.person(canvas, across(canvas), y + 0.03, 0.16)
    if plan.has("balloon"):
        vehicles.balloon(
            canvas, across(canvas), canvas.between(0.14, 0.3), canvas.between(0.14, 0.24), 0.15
        )


def ski_slope(canvas: Canvas, plan: Plan) -> float:
    """Paint a white slope below peaks."""
    horizon = canvas.between(0.4, 0.6)
    paint_sky(canvas, horizon)
    land.ground(canvas, horizon, "#ffffff", "#ffffff")
    tall = canvas.between(0.32, 0.45)
    land.mountains(canvas, horizon + 0.08, tall, "#8a94ac", 0.6, snow=0.6)
    backdrop(canvas, horizon + 0.03, "trees houses open")
    drop = canvas.between(-0.2, 0.2)
    snow = canvas.mood.tone("#eef3f9", 0.25), canvas.mood.tone("#fbfcfe")
    canvas.polygon(
        [(0, horizon + drop), (canvas.aspect, horizon - drop), (canvas.aspect, 1), (0, 1)],
        snow[0],
        lit=True,
    )
    canvas.polygon(
        [
            (0, horizon + drop + 0.2),
            (canvas.aspect, horizon - drop + 0.12),
            (canvas.aspect, 1),
            (0, 1),
        ],
        snow[1],
        lit=True,
    )
    canvas.grain(0.62, 1, "#9fb6d6", 0.4, 20)
    if plan.has("cable car"):
        vehicles.cable_car(canvas, across(canvas, 0.3), canvas.between(0.15, 0.3), 0.16, 0.1)
    if plan.has("cabin"):
        buildings.cabin(
            canvas, across(canvas, 0.25), horizon + canvas.between(0.12, 0.25), 0.18, 0.1
        )
    if plan.has("pine"):
        for _ in range(canvas.count(4, 9)):
            near = canvas.between(0, 1)
            plants.pine(
                canvas,
                across(canvas, -0.05),
                horizon + 0.16 + near * 0.35,
                0.18 + 0.3 * near,
                0.3 * (1 - near),
            )
    _slope_life(canvas, plan)
    return horizon


def _slope_life(canvas: Canvas, plan: Plan) -> None:
    if plan.has("flag"):
        for k in range(3):
            things.flag(canvas, canvas.aspect * (0.25 + 0.25 * k), 0.66 + 0.1 * k, 0.14)
    if plan.has("skier"):
        for _ in range(canvas.count(1, 4)):
            x, y = across(canvas), canvas.between(0.68, 0.95)
            canvas.line([(x, y), (x - 0.15, y - 0.12), (x - 0.05, y - 0.2)], 0.005, "#c3d2e6")
            creatures.skier(canvas, x, y, canvas.between(0.12, 0.22))
    if plan.has("people"):
        for _ in range(canvas.count(2, 3)):
            creatures.person(canvas, across(canvas), canvas.between(0.75, 0.95), 0.15)
    if plan.has("snowman"):
        things.snowman(canvas, across(canvas, 0.2), canvas.between(0.85, 0.95), 0.25)


def garden(canvas: Canvas, plan: Plan) -> float:
    """Paint lawns, hedges and flowerbeds."""
    horizon = canvas.between(0.36, 0.56)
    paint_sky(canvas, horizon)
    lawn = canvas.pick(_LAWNS[canvas.mood.season])
    backdrop(canvas, horizon + 0.01, "trees trees houses towers hills")
    land.ground(canvas, horizon, lawn, mix(lawn, "#4f7a4a", 0.3))
    canvas.grain(horizon, 1, "#3f6a35", 0.35)
    if canvas.chance(0.6):
        land.road(canvas, horizon, across(canvas, 0.4), canvas.between(0.12, 0.22), "#dcc8a0")
    for _ in range(canvas.count(1, 3)):
        plants.leafy_tree(
            canvas,
            across(canvas, 0.0),
            horizon + canvas.between(0.04, 0.2),
            canvas.between(0.35, 0.55),
            0.2,
        )
    for _ in range(canvas.count(2, 5)):
        plants.bush(
            canvas,
            across(canvas, 0.0),
            horizon + canvas.between(0.1, 0.3),
            canvas.between(0.1, 0.18),
            canvas.pick(canvas.mood.foliage),
            0.1,
        )
    if plan.has("fountain"):
        things.fountain(canvas, across(canvas, 0.3), horizon + 0.22, canvas.between(0.22, 0.32))
    _garden_life(canvas, plan, horizon)
    return horizon


def _garden_life(canvas: Canvas, plan: Plan, horizon: float) -> None:
    if plan.has("bench"):
        things.bench(canvas, across(canvas, 0.25), horizon + canvas.between(0.2, 0.35), 0.15)
    if plan.has("umbrella"):
        things.umbrella(canvas, across(canvas, 0.25), horizon + 0.3, 0.34)
    if plan.has("bicycle"):
        vehicles.bicycle(canvas, across(canvas, 0.25), horizon + 0.34, 0.22)
    if plan.has("flower"):
        for _ in range(canvas.count(16, 34)):
            near = canvas.between(0, 1)
            y = horizon + 0.22 + near * (0.78 - horizon)
            plants.flower(canvas, across(canvas, 0.0), y, 0.05 + 0.09 * near)
    if plan.has("cat"):
        creatures.cat(canvas, across(canvas, 0.25), canvas.between(0.82, 0.96), 0.2)
    if plan.has("butterfly"):
        for _ in range(canvas.count(2, 5)):
            creatures.butterfly(
                canvas, across(canvas), canvas.between(0.3, 0.8), canvas.between(0.05, 0.08)
            )
    if plan.has("bird"):
        _birds(canvas)
