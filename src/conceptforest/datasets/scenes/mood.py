"""The mood of a picture: how light, weather and season colour all that is in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from conceptforest.datasets.scenes.colours import RGB, WHITE, Colour, mix, rgb, times

if TYPE_CHECKING:
    import numpy as np

    from conceptforest.datasets.scenes.plan import Plan

__all__ = ["FOLIAGE", "Mood", "make_mood"]

# Skies from the zenith to the horizon; one is chosen for each picture.
_SKIES: dict[str, tuple[tuple[str, str, str], ...]] = {
    "day": (
        ("#3f8fd8", "#86c3ee", "#d9eff8"),
        ("#5aa9e0", "#a8d8f0", "#f3f3e4"),
        ("#2f7fb8", "#7cc4d8", "#e4f2e8"),
        ("#6f9fd8", "#b4cdee", "#fbe9df"),
    ),
    "golden hour": (
        ("#6f7fc0", "#f2a978", "#ffdf9e"),
        ("#d9735a", "#f5a65b", "#ffe3a0"),
        ("#8a6fb0", "#f08a8a", "#ffd2a1"),
        ("#4f86b8", "#f0c48a", "#fff0c2"),
    ),
    "dusk": (
        ("#2c2f63", "#7a4f8e", "#f0937d"),
        ("#27345e", "#56659e", "#e7a9a0"),
        ("#3b2a58", "#a8507e", "#f7b07a"),
        ("#1f3a5a", "#3f7a94", "#c8c8a8"),
    ),
    "night": (
        ("#070d26", "#142349", "#33457a"),
        ("#0a0f1f", "#1f2340", "#4a3f6a"),
        ("#04141f", "#0d2f45", "#24607a"),
        ("#0d0b22", "#28204d", "#6a4a78"),
    ),
}
_AMBIENT: dict[str, tuple[float, float, float]] = {
    "day": (1.0, 1.0, 1.0),
    "golden hour": (1.06, 0.88, 0.70),
    "dusk": (0.62, 0.52, 0.66),
    "night": (0.33, 0.38, 0.58),
}
# Where lamps light a scene after sunset, how much their light is of all, and its colour.
_LAMPLIGHT = {"still life": 0.6, "stadium": 0.4, "market": 0.25, "station": 0.2, "city": 0.12}
_LAMPS = (1.0, 0.9, 0.74)
_GREYS = {"cloudy": "#b9c3cb", "rain": "#8795a3", "fog": "#d5dadb", "snow": "#ccd6e0"}
_GREY_SHARE = {"clear": 0.0, "cloudy": 0.5, "rain": 0.72, "fog": 0.72, "snow": 0.62}
_HAZE = {"clear": 0.55, "cloudy": 0.62, "rain": 0.75, "fog": 0.97, "snow": 0.8}
_DIM = {"clear": 1.0, "cloudy": 0.93, "rain": 0.8, "fog": 0.96, "snow": 0.97}
_BRIGHTNESS = {"day": 1.0, "golden hour": 0.95, "dusk": 0.55, "night": 0.24}

FOLIAGE: dict[str, tuple[str, ...]] = {
    "spring": ("#8fc254", "#a9cf62", "#6fae4f", "#e8a8bf"),
    "summer": ("#4f8f45", "#3f7d48", "#66a24c", "#2f6f4a"),
    "autumn": ("#d98a32", "#c65f2e", "#e0b13f", "#a8442f"),
    "winter": ("#c9d6de", "#dfe8ee", "#a9b9c4", "#b9c8d2"),
}
_SNOW = "#f1f5fa"
_SNOW_COVER = 0.88


@dataclass(frozen=True)
class Mood:
    """What light, weather and season do to colours.

    Attributes
    ----------
    light, weather, season : str
    sky : three colours
        From the zenith to the horizon.
    ambient : three floats
        Factors of every colour that does not shine by itself.
    haze : colour
        What far things fade into.
    haze_strength : float
        How much of a thing at depth 1 has faded, 0 to 1.
    """

    light: str
    weather: str
    season: str
    sky: tuple[RGB, RGB, RGB]
    ambient: tuple[float, float, float]
    haze: RGB
    haze_strength: float

    @property
    def dark(self) -> bool:
        """Whether lamps and windows are lit."""
        return self.light in {"dusk", "night"}

    @property
    def clear(self) -> bool:
        """Whether sun, moon and stars can be seen."""
        return self.weather == "clear"

    @property
    def snowy(self) -> bool:
        """Whether snow lies."""
        return self.season == "winter"

    @property
    def foliage(self) -> tuple[str, ...]:
        """Colours of leaves."""
        return FOLIAGE[self.season]

    def ground(self, colour: Colour) -> RGB:
        """Give a ground's colour, under snow in winter."""
        return mix(colour, _SNOW, _SNOW_COVER) if self.snowy else rgb(colour)

    def tone(self, colour: Colour, depth: float = 0.0) -> tuple[int, int, int]:
        """Give a colour as it looks in this light at a depth from 0, near, to 1, far."""
        seen = mix(times(colour, self.ambient), self.haze, depth * self.haze_strength)
        return (
            min(255, max(0, int(seen[0]))),
            min(255, max(0, int(seen[1]))),
            min(255, max(0, int(seen[2]))),
        )


def _lamplit(ambient: tuple[float, float, float], plan: Plan) -> tuple[float, float, float]:
    """Add the light of lamps to a dark scene that has them."""
    share = _LAMPLIGHT.get(plan.view.name, 0.0) if plan.light in {"dusk", "night"} else 0.0
    red, green, blue = (
        (1 - share) * sky + share * lamp for sky, lamp in zip(ambient, _LAMPS, strict=True)
    )
    return red, green, blue


def make_mood(plan: Plan, rng: np.random.Generator) -> Mood:
    """Choose the colours of a planned picture."""
    skies = _SKIES[plan.light]
    sky = skies[int(rng.integers(len(skies)))]
    bright = _BRIGHTNESS[plan.light]
    if plan.weather != "clear":
        grey = times(_GREYS[plan.weather], (bright, bright, min(1.0, bright * 1.08)))
        share = _GREY_SHARE[plan.weather]
        top, middle, low = (mix(colour, grey, share) for colour in sky)
    else:
        top, middle, low = (rgb(colour) for colour in sky)
    dim = _DIM[plan.weather]
    red, green, blue = _AMBIENT[plan.light]
    warm = float(rng.normal(0.0, 0.035))
    ambient = _lamplit((red * dim * (1 + warm), green * dim, blue * dim * (1 - warm)), plan)
    haze = mix(low, WHITE, 0.08) if plan.weather == "fog" else mix(low, middle, 0.25)
    return Mood(
        plan.light,
        plan.weather,
        plan.season,
        (top, middle, low),
        ambient,
        haze,
        _HAZE[plan.weather],
    )
