"""Scenes in streets and squares: city, market, village.

Each view paints one planned scene and returns the height of its horizon.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conceptforest.datasets.scenes import buildings, creatures, land, plants, things, vehicles
from conceptforest.datasets.scenes.backdrops import backdrop
from conceptforest.datasets.scenes.colours import mix
from conceptforest.datasets.scenes.placing import across, facades, heap, lamps, people, wet_ground
from conceptforest.datasets.scenes.sky import paint_sky
from conceptforest.datasets.scenes.water import water

if TYPE_CHECKING:
    from conceptforest.datasets.scenes.canvas import Canvas
    from conceptforest.datasets.scenes.plan import Plan

__all__ = ["city", "market", "village"]

_PAVING = ("#8f8a88", "#a39a90", "#7a7a84", "#b3a58f")


def city(canvas: Canvas, plan: Plan) -> float:
    """Paint towers behind a street or a river."""
    horizon = canvas.between(0.6, 0.76)
    paint_sky(canvas, horizon)
    old = not plan.has("skyscraper") or canvas.chance(0.2)
    if old:  # a street of houses; towers, if any, are far behind
        backdrop(canvas, horizon - 0.2, "towers" if plan.has("skyscraper") else "open hills")
        facades(canvas, horizon, canvas.between(0.35, 0.5), 0.25)
    for depth, tall in () if old else ((0.8, 0.42), (0.45, 0.5)):
        x = canvas.between(-0.1, 0.0)
        while x < canvas.aspect + 0.1:
            size = tall * canvas.between(0.5, 1.1)
            buildings.skyscraper(canvas, x, horizon, size, depth)
            x += size * canvas.between(0.3, 0.5)
    if not old:
        for _ in range(canvas.count(2, 4)):
            buildings.skyscraper(
                canvas, across(canvas, 0.0), horizon, canvas.between(0.4, 0.68), 0.12
            )
    if plan.has("bridge"):
        canvas.shine()
        water(canvas, horizon, 1, "#2f5f80", 0.65)
        _bridge(canvas, horizon)
    else:
        land.ground(canvas, horizon, canvas.pick(_PAVING), "#6a6a74")
        _lane(canvas, horizon)
        wet_ground(canvas, horizon)
    _street_life(canvas, plan, horizon)
    return horizon


def _bridge(canvas: Canvas, horizon: float) -> None:
    deck = horizon + 0.08
    steel = canvas.pick(("#b5504a", "#6f7f96", "#8a7a6a"))
    for x in (canvas.aspect * 0.25, canvas.aspect * 0.75):
        canvas.box(x - 0.015, deck - 0.35, 0.03, 0.45, steel, 0.1)
    cable = [
        (canvas.aspect * (0.25 + 0.5 * s / 12), deck - 0.33 + 0.3 * (1 - (s / 6 - 1) ** 2))
        for s in range(13)
    ]
    canvas.line(cable, 0.008, steel, 0.1)
    for x, y in cable:
        canvas.line([(x, y), (x, deck)], 0.003, steel, 0.1)
    canvas.line([(0, deck - 0.05), (canvas.aspect * 0.25, deck - 0.33)], 0.008, steel, 0.1)
    canvas.line(
        [(canvas.aspect * 0.75, deck - 0.33), (canvas.aspect, deck - 0.05)], 0.008, steel, 0.1
    )
    canvas.box(0, deck, canvas.aspect, 0.035, mix(steel, "#202838", 0.3), 0.05)


def _lane(canvas: Canvas, y: float) -> None:
    canvas.box(0, y, canvas.aspect, 0.025, "#9a958f", 0.2)
    middle = (y + 1) / 2 + 0.03
    for k in range(8):
        canvas.box(canvas.aspect * k / 8, middle, canvas.aspect * 0.07, 0.008, "#e8e4d8", alpha=0.7)


def _street_life(canvas: Canvas, plan: Plan, horizon: float) -> None:
    road = horizon + 0.1
    if plan.has("lamp"):
        lamps(canvas, horizon + 0.03, canvas.between(0.24, 0.34), canvas.count(3, 5))
    if plan.has("tram"):
        vehicles.tram(canvas, across(canvas, 0.3), road, canvas.between(0.16, 0.22))
    if plan.has("car"):
        for _ in range(canvas.count(2, 4)):
            vehicles.car(
                canvas,
                across(canvas),
                canvas.between(road + 0.02, 0.96),
                canvas.between(0.1, 0.15),
            )
    if plan.has("people"):
        people(canvas, horizon + 0.06, 0.97, canvas.count(3, 6))
    if plan.has("bird"):
        for _ in range(4):
            creatures.bird(canvas, across(canvas), canvas.between(0.1, 0.3), 0.025)


def market(canvas: Canvas, plan: Plan) -> float:
    """Paint stalls on a square before old houses."""
    horizon = canvas.between(0.48, 0.62)
    paint_sky(canvas, horizon)
    if plan.has("church"):
        buildings.church(canvas, across(canvas, 0.3), horizon, 0.5, 0.45)
    if canvas.chance(0.6):
        facades(canvas, horizon, canvas.between(0.28, 0.4), 0.35)
    else:
        backdrop(canvas, horizon, "towers trees sea houses hills")
    land.ground(canvas, horizon, canvas.pick(_PAVING), "#a39a90")
    canvas.grain(horizon, 1, "#5a5248", 0.3)
    wet_ground(canvas, horizon)
    _on_square(canvas, plan, horizon)
    return horizon


def _on_square(canvas: Canvas, plan: Plan, horizon: float) -> None:
    if plan.has("flag"):
        things.bunting(canvas, canvas.between(0.1, 0.2), canvas.between(0.08, 0.16), 0.05)
    if plan.has("lamp"):
        lamps(canvas, horizon + 0.06, 0.36, 3)
    if plan.has("stall"):
        _stalls(canvas, plan, horizon)
    if plan.has("umbrella"):
        for _ in range(2):
            things.umbrella(canvas, across(canvas), canvas.between(0.82, 0.95), 0.36)
    if plan.has("people"):
        people(canvas, horizon + 0.2, 0.99, canvas.count(4, 8))
    if plan.has("flower"):
        for _ in range(canvas.count(8, 14)):
            plants.flower(canvas, across(canvas, 0.05), canvas.between(0.88, 1.0), 0.11)
    if plan.has("fruit") and not plan.has("stall"):
        heap(canvas, across(canvas, 0.3), 0.95, 0.5, 0.08)


def _stalls(canvas: Canvas, plan: Plan, horizon: float) -> None:
    count = canvas.count(2, 4)
    size = canvas.between(0.32, 0.42)
    for k in range(count):
        x = canvas.aspect * (k + canvas.between(0.35, 0.65)) / count
        y = horizon + canvas.between(0.16, 0.3)
        buildings.stall(canvas, x, y, size)
        if plan.has("fruit"):
            heap(canvas, x, y - size * 0.33, size * 0.9, size * 0.13)


def village(canvas: Canvas, plan: Plan) -> float:
    """Paint a street of old houses, with hills behind."""
    horizon = canvas.between(0.5, 0.66)
    paint_sky(canvas, horizon)
    backdrop(canvas, horizon - canvas.between(0.05, 0.15), "hills hills mountains trees towers")
    if plan.has("windmill"):
        buildings.windmill(canvas, across(canvas), horizon - 0.08, 0.32, 0.5)
    if plan.has("church"):
        buildings.church(canvas, across(canvas, 0.3), horizon, canvas.between(0.5, 0.62), 0.3)
    facades(canvas, horizon + 0.04, canvas.between(0.28, 0.44), 0.15)
    paving = canvas.pick((*_PAVING, "#7f9a5a"))
    land.ground(canvas, horizon + 0.04, paving, mix(paving, "#b0a694", 0.5))
    canvas.grain(horizon + 0.04, 1, "#6a6054", 0.35)
    wet_ground(canvas, horizon + 0.04)
    for _ in range(canvas.count(0, 2)):
        plants.leafy_tree(
            canvas,
            across(canvas, 0.0),
            horizon + canvas.between(0.06, 0.14),
            canvas.between(0.35, 0.5),
        )
    _village_life(canvas, plan, horizon)
    return horizon


def _village_life(canvas: Canvas, plan: Plan, horizon: float) -> None:
    if plan.has("lamp"):
        lamps(canvas, horizon + 0.1, canvas.between(0.32, 0.42), canvas.count(2, 3))
    if plan.has("clock"):
        things.clock(canvas, across(canvas, 0.25), horizon + 0.14, 0.4)
    if plan.has("car"):
        vehicles.car(canvas, across(canvas, 0.25), canvas.between(horizon + 0.16, 0.92), 0.14)
    if plan.has("bicycle"):
        vehicles.bicycle(canvas, across(canvas, 0.25), canvas.between(horizon + 0.16, 0.95), 0.2)
    if plan.has("people"):
        people(canvas, horizon + 0.12, 0.96, canvas.count(2, 4))
    if plan.has("flower"):
        for _ in range(canvas.count(10, 18)):
            plants.flower(canvas, across(canvas, 0.0), canvas.between(0.9, 1.0), 0.1)
    if plan.has("cat"):
        creatures.cat(canvas, across(canvas, 0.2), canvas.between(0.85, 0.97), 0.18)
