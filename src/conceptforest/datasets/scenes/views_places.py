"""Places that people built for a purpose: station, stadium, the table at home.

Each view paints one planned scene and returns the height of its horizon.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conceptforest.datasets.scenes import (
    creatures,
    land,
    plants,
    tableware,
    things,
    vehicles,
)
from conceptforest.datasets.scenes.backdrops import backdrop
from conceptforest.datasets.scenes.colours import WHITE, mix
from conceptforest.datasets.scenes.finish import paint_weather
from conceptforest.datasets.scenes.placing import across, facades, heap, lamps, people, wet_ground
from conceptforest.datasets.scenes.sky import paint_sky

if TYPE_CHECKING:
    from conceptforest.datasets.scenes.canvas import Canvas
    from conceptforest.datasets.scenes.plan import Plan

__all__ = ["stadium", "station", "still_life"]

_WIDE_WINDOWS = 0.4  # how often a table stands before a wall of glass


def station(canvas: Canvas, plan: Plan) -> float:
    """Paint a platform under its roof."""
    horizon = canvas.between(0.4, 0.56)
    paint_sky(canvas, horizon)
    if canvas.chance(0.3):
        facades(canvas, horizon, canvas.between(0.2, 0.35), 0.35)
    else:
        backdrop(canvas, horizon, "towers houses trees hills mountains")
    gravel = canvas.pick(("#7d746c", "#8f8880", "#7f8a5f"))
    land.ground(canvas, horizon, gravel, mix(gravel, "#a0a098", 0.3))
    track = horizon + canvas.between(0.14, 0.2)
    for y in (track - 0.015, track + 0.015):
        canvas.line([(0, y), (canvas.aspect, y)], 0.006, "#c8ccd2", 0.1)
    edge = track + 0.07
    if plan.has("train"):
        size = canvas.between(0.22, 0.32)
        vehicles.train(canvas, canvas.between(0.15, 0.45), track + 0.015, size, 0.05)
    if plan.has("tram"):
        place = track + 0.015 if not plan.has("train") else edge - 0.005
        vehicles.tram(canvas, across(canvas, 0.4), place, 0.22)
    canvas.fade(edge, 1, [canvas.mood.tone("#b8b0a4", 0.2), canvas.mood.tone("#9a9288")], lit=True)
    canvas.box(0, edge, canvas.aspect, 0.012, "#f2e6b8")
    wet_ground(canvas, edge)
    if canvas.chance(0.4):
        _station_roof(canvas, edge)
    _platform_life(canvas, plan, edge)
    return horizon


def _station_roof(canvas: Canvas, y: float) -> None:
    steel = canvas.pick(("#4a5564", "#5f4a42", "#3f5a5a"))
    eaves = canvas.between(0.12, 0.2)
    for k in range(4):
        x = canvas.aspect * (k + 0.5) / 4
        canvas.box(x - 0.01, eaves, 0.02, y - eaves + 0.02, steel)
        for side in (-1, 1):
            canvas.line([(x, eaves + 0.12), (x + side * 0.1, eaves)], 0.01, steel)
    canvas.polygon(
        [(0, 0), (canvas.aspect, 0), (canvas.aspect, eaves - 0.03), (0, eaves - 0.03)],
        mix(steel, "#a8b8c4", 0.35),
    )
    canvas.box(0, eaves - 0.035, canvas.aspect, 0.04, steel)
    for k in range(9):
        canvas.box(canvas.aspect * k / 9, 0, 0.008, eaves - 0.03, steel)


def _platform_life(canvas: Canvas, plan: Plan, edge: float) -> None:
    if plan.has("lamp"):
        lamps(canvas, edge + 0.06, 0.4, canvas.count(2, 4))
    if plan.has("clock"):
        things.clock(canvas, across(canvas, 0.25), edge + 0.1, 0.5)
    if plan.has("bench"):
        things.bench(canvas, across(canvas, 0.3), edge + 0.16, 0.13)
    if plan.has("people"):
        people(canvas, edge + 0.08, 0.98, canvas.count(3, 7))
    if plan.has("suitcase"):
        for _ in range(canvas.count(1, 2)):
            things.suitcase(canvas, across(canvas, 0.2), canvas.between(edge + 0.12, 0.97), 0.11)


def stadium(canvas: Canvas, plan: Plan) -> float:
    """Paint a pitch before its stands."""
    horizon = canvas.between(0.42, 0.58)
    paint_sky(canvas, horizon)
    top = horizon - canvas.between(0.1, 0.28)
    backdrop(canvas, top + 0.03, "open towers trees hills houses")
    low_stand = canvas.chance(0.35)
    if low_stand:  # a village ground: the pitch, a rope and whoever came
        backdrop(canvas, horizon, "trees houses hills")
    if plan.has("floodlight"):
        for x in (0.12, 0.4, 0.6, 0.88):
            things.floodlight(
                canvas, canvas.aspect * x, top + 0.05, canvas.between(0.24, 0.32), 0.2
            )
    if not low_stand:
        _stand(canvas, top, horizon)
    if plan.has("people"):
        rows = 1 if low_stand else int((horizon - top - 0.03) / 0.032)
        creatures.crowd(canvas, horizon - 0.05 if low_stand else top + 0.06, rows, 0.05, 0.3)
    if plan.has("flag"):
        for k in range(5):
            things.flag(canvas, canvas.aspect * (k + 0.5) / 5, top + 0.02, 0.14, 0.1)
    _pitch(canvas, horizon)
    _game(canvas, plan, horizon)
    if plan.has("balloon"):
        vehicles.balloon(canvas, across(canvas), 0.13, 0.16, 0.2)
    return horizon


def _stand(canvas: Canvas, top: float, horizon: float) -> None:
    colour = canvas.pick(("#5a6a8a", "#8a5a5a", "#5f7a70", "#6f6f7a"))
    wide, low = canvas.aspect, top + 0.02
    rim = [(0, top - 0.05), (wide * 0.25, low), (wide * 0.75, low), (wide, top - 0.05)]
    canvas.polygon([*rim, (wide, horizon), (0, horizon)], colour, 0.3)


def _game(canvas: Canvas, plan: Plan, horizon: float) -> None:
    if plan.has("goal"):
        things.goal(canvas, across(canvas, 0.35), horizon + 0.12, 0.14)
    if plan.has("player"):
        for y in sorted(canvas.between(horizon + 0.12, 0.97) for _ in range(canvas.count(3, 7))):
            creatures.person(canvas, across(canvas), y, 0.1 + 0.2 * (y - horizon))
        canvas.ellipse(across(canvas), 0.9, 0.018, 0.018, "#fafafa")


def _pitch(canvas: Canvas, horizon: float) -> None:
    canvas.box(
        0, horizon - 0.03, canvas.aspect, 0.035, canvas.pick(("#e8e4da", "#3f5a8a", "#b8453c")), 0.1
    )
    land.ground(canvas, horizon, "#5aa04a", "#6fae5a")
    bottom = canvas.aspect / 2
    for k in range(-4, 5, 2):
        a, b = bottom + k * 0.14, bottom + (k + 1) * 0.14
        canvas.polygon(
            [
                (a, horizon),
                (b, horizon),
                (bottom + (b - bottom) * 3, 1),
                (bottom + (a - bottom) * 3, 1),
            ],
            "#74b85f",
            0.1,
            alpha=0.6,
        )
    canvas.line([(0, horizon + 0.05), (canvas.aspect, horizon + 0.05)], 0.006, WHITE, 0.2)
    if canvas.chance(0.5):
        canvas.line([(bottom, horizon + 0.05), (bottom, 1)], 0.008, WHITE, 0.1)


def still_life(canvas: Canvas, plan: Plan) -> float:
    """Paint a table by a window."""
    edge = canvas.between(0.56, 0.7)
    wall = canvas.pick(("#d8c4a8", "#a8b8b0", "#c89a84", "#8fa0b4", "#e0d4c0", "#6f6a7a"))
    # Inside a lamp is on, so that night is not as dark as outside.
    glow = mix(canvas.mood.tone(wall), wall, 0.35)
    canvas.fade(0, edge, [mix(glow, "#202030", 0.15), glow], lit=True)
    if canvas.chance(_WIDE_WINDOWS):
        _wide_window(canvas, edge)
    elif canvas.chance(0.75):
        _view_outside(canvas)
    table = canvas.pick(("#9a6a45", "#b8875a", "#7a5240", "#e8e2d6", "#6a7f8a"))
    near = mix(canvas.mood.tone(table), table, 0.35)
    canvas.fade(edge, 1, [mix(near, "#201820", 0.15), near], lit=True)
    canvas.grain(edge, 1, mix(table, "#20140c", 0.5), 0.4, 24)
    if canvas.chance(0.5):
        canvas.box(
            0.15, edge + 0.08, canvas.aspect - 0.3, 0.3, canvas.pick(plants.BLOOMS), alpha=0.5
        )
    if plan.has("flower"):
        _vase(canvas, across(canvas, 0.3), edge + 0.14)
    if plan.has("bottle"):
        tableware.bottle(
            canvas,
            across(canvas, 0.2),
            edge + canvas.between(0.1, 0.18),
            canvas.between(0.38, 0.5),
        )
    if plan.has("candle"):
        tableware.candle(canvas, across(canvas, 0.2), edge + canvas.between(0.1, 0.2), 0.3)
    _on_table(canvas, plan, edge)
    return edge


def _wide_window(canvas: Canvas, edge: float) -> None:
    """Let the world outside fill the wall."""
    ground = edge - canvas.between(0.05, 0.2)
    paint_sky(canvas, ground)
    backdrop(canvas, ground, "sea mountains trees houses towers hills")
    land.ground(canvas, ground, canvas.pick(("#7aa84a", "#e0c48a", "#8f8a88")), "#8fa078")
    paint_weather(canvas, ground)
    for k in range(canvas.count(2, 4)):
        canvas.box(canvas.aspect * (k + 0.2) / 3, 0, 0.025, edge, "#efe8dc")
    canvas.box(0, edge - 0.03, canvas.aspect, 0.035, "#efe8dc")


def _view_outside(canvas: Canvas) -> None:
    left, top = canvas.between(0.1, canvas.aspect - 0.65), canvas.between(0.06, 0.12)
    wide, tall = canvas.between(0.4, 0.55), canvas.between(0.3, 0.42)
    frame = "#f4efe6"
    canvas.box(left - 0.02, top - 0.02, wide + 0.04, tall + 0.04, frame)
    for k in range(10):
        share = k / 9
        middle = canvas.mood.sky[1]
        canvas.box(
            left,
            top + tall * k / 10,
            wide,
            tall / 10 + 0.004,
            mix(middle, canvas.mood.sky[2], share),
            lit=True,
        )
    canvas.ellipse(
        left + wide * 0.7,
        top + tall,
        wide * 0.28,
        tall * 0.3,
        canvas.pick(canvas.mood.foliage),
        0.4,
    )
    canvas.box(
        left - 0.03, top + tall, wide + 0.06, 0.3 * tall, canvas.mood.tone("#c8b8a0"), lit=True
    )
    canvas.box(left - 0.05, top + tall, wide + 0.1, 0.03, frame)
    canvas.box(left + wide / 2 - 0.008, top, 0.016, tall, frame)
    canvas.box(left, top + tall * 0.45, wide, 0.014, frame)


def _vase(canvas: Canvas, x: float, y: float) -> None:
    for _ in range(7):
        plants.flower(canvas, x + canvas.between(-0.1, 0.1), y - canvas.between(0.12, 0.2), 0.2)
    canvas.shadow(x, y, 0.09, 0.015)
    colour = canvas.pick(("#4f7fa8", "#e0d8c8", "#7a9a8a", "#b8604a"))
    canvas.polygon(
        [
            (x - 0.05, y - 0.2),
            (x + 0.05, y - 0.2),
            (x + 0.07, y - 0.08),
            (x + 0.045, y),
            (x - 0.045, y),
            (x - 0.07, y - 0.08),
        ],
        colour,
    )
    canvas.ellipse(x - 0.03, y - 0.1, 0.012, 0.04, WHITE, alpha=0.35)


def _on_table(canvas: Canvas, plan: Plan, edge: float) -> None:
    if plan.has("cat"):
        creatures.cat(canvas, across(canvas, 0.25), edge + 0.12, 0.34)
    if plan.has("bread"):
        tableware.bread(canvas, across(canvas, 0.35), edge + canvas.between(0.14, 0.25), 0.26)
    if plan.has("mug"):
        tableware.mug(canvas, across(canvas, 0.2), edge + canvas.between(0.16, 0.28), 0.18)
    if plan.has("fruit"):
        x, y = across(canvas, 0.35), edge + canvas.between(0.2, 0.28)
        heap(canvas, x, y - 0.07, 0.36, 0.11)
        canvas.shadow(x, y, 0.22, 0.02)
        canvas.slice(x, y - 0.09, 0.25, 0.1, 0, 180, canvas.pick(("#f0ece2", "#5f8aa0", "#c8785a")))
        for _ in range(canvas.count(1, 3)):
            tableware.fruit(canvas, across(canvas, 0.1), canvas.between(edge + 0.16, 0.98), 0.12)
