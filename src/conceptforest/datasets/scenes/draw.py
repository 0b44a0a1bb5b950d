"""From the plan of a picture to the picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conceptforest.datasets.scenes import views_land, views_places, views_shore, views_town
from conceptforest.datasets.scenes.canvas import Canvas
from conceptforest.datasets.scenes.finish import develop, paint_weather
from conceptforest.datasets.scenes.mood import make_mood

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    from PIL.Image import Image

    from conceptforest.datasets.scenes.plan import Plan

__all__ = ["draw"]

_VIEWS: dict[str, Callable[[Canvas, Plan], float]] = {
    "beach": views_shore.beach,
    "harbour": views_shore.harbour,
    "mountain lake": views_shore.mountain_lake,
    "forest": views_land.forest,
    "harvest": views_land.harvest,
    "desert": views_land.desert,
    "ski slope": views_land.ski_slope,
    "city": views_town.city,
    "station": views_places.station,
    "market": views_town.market,
    "village": views_town.village,
    "garden": views_land.garden,
    "stadium": views_places.stadium,
    "reef": views_shore.reef,
    "still life": views_places.still_life,
}
_INSIDE = frozenset({"still life"})


def draw(plan: Plan, size: tuple[int, int], rng: np.random.Generator) -> Image:
    """Draw a planned picture.

    Parameters
    ----------
    plan : Plan
    size : (int, int)
        Width and height in pixels.
    rng : Generator
        Of this picture alone.

    Returns
    -------
    Image
        In RGB.
    """
    canvas = Canvas(size, make_mood(plan, rng), rng)
    horizon = _VIEWS[plan.view.name](canvas, plan)
    if plan.view.name not in _INSIDE:
        paint_weather(canvas, horizon)
    canvas.shine()
    return develop(canvas)
