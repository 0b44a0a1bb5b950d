"""The kinds of scenes: what is usual in each, and the words that people have for it.

Kinds overlap on purpose. Sand lies on beaches and in deserts, boats swim in harbours and on lakes,
lamps shine in cities, stations and stadiums; most words and objects belong to several kinds.
"""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["KINDS", "Kind"]

_DAYLIGHT = {"day": 6, "golden hour": 2.5, "dusk": 0.8, "night": 0.4}
_ANY_LIGHT = {"day": 4, "golden hour": 1.5, "dusk": 1.5, "night": 1.5}
_EVENING = {"day": 0.7, "golden hour": 1.2, "dusk": 2.5, "night": 5}
_ANY_WEATHER = {"clear": 5, "cloudy": 2.5, "rain": 0.8, "fog": 0.7}
_FAIR = {"clear": 6, "cloudy": 2.5, "fog": 0.5, "rain": 0.4}
_ALL_YEAR = {"summer": 4, "spring": 1.5, "autumn": 2, "winter": 1.6}
_WARM = {"summer": 4, "spring": 1.5, "autumn": 0.8}
_INSIDE = {"clear": 3, "cloudy": 2, "rain": 1.5}


@dataclass(frozen=True)
class Kind:
    """One kind of scene.

    Attributes
    ----------
    name : str
        Of the class. It is not a tag.
    share : int
        How many items of a block are of this kind.
    lookalikes : tuple of str
        Kinds that some pictures of this kind look like: a fishing harbour on a beach, a station
        square that could be any street. They show what both kinds have.
    abstract : dict of str to float
        Broad words, and how often each is true of such a picture.
    words : dict of str to float
        Words for the scene itself, likewise.
    objects : dict of str to float
        What may be in it, and how often it is.
    lights, weathers, seasons : dict of str to float
        How usual each is, as weights.
    """

    name: str
    share: int
    lookalikes: tuple[str, ...]
    abstract: dict[str, float]
    words: dict[str, float]
    objects: dict[str, float]
    lights: dict[str, float]
    weathers: dict[str, float]
    seasons: dict[str, float]


KINDS: tuple[Kind, ...] = (
    Kind(
        "beach",
        3,
        ("harbour",),
        {"water": 0.6, "nature": 0.45, "travel": 0.45},
        {"seaside": 0.6, "coast": 0.55, "sand": 0.55, "shore": 0.4, "holiday": 0.5},
        {
            "palm": 0.5,
            "umbrella": 0.5,
            "boat": 0.45,
            "gull": 0.4,
            "kite": 0.25,
            "people": 0.3,
            "lighthouse": 0.2,
        },
        _DAYLIGHT,
        _FAIR,
        _WARM,
    ),
    Kind(
        "harbour",
        2,
        ("beach", "mountain lake"),
        {"water": 0.55, "urban": 0.4, "travel": 0.4},
        {"port": 0.6, "coast": 0.5, "quay": 0.5, "seaside": 0.3, "skyline": 0.3},
        {"boat": 0.85, "crane": 0.45, "gull": 0.45, "lighthouse": 0.3, "lamp": 0.3, "flag": 0.3},
        _ANY_LIGHT,
        _ANY_WEATHER,
        _ALL_YEAR,
    ),
    Kind(
        "mountain lake",
        2,
        ("forest",),
        {"nature": 0.6, "water": 0.55, "travel": 0.2},
        {"mountains": 0.6, "lakeside": 0.55, "shore": 0.5, "reflection": 0.5, "woodland": 0.3},
        {
            "pine": 0.6,
            "boat": 0.45,
            "cabin": 0.4,
            "deer": 0.2,
            "balloon": 0.15,
            "tent": 0.2,
            "bridge": 0.15,
        },
        _DAYLIGHT,
        _ANY_WEATHER,
        _ALL_YEAR,
    ),
    Kind(
        "forest",
        2,
        ("mountain lake", "garden"),
        {"nature": 0.7, "countryside": 0.3},
        {"woodland": 0.6, "wilderness": 0.5, "trail": 0.5, "shade": 0.4},
        {
            "pine": 0.6,
            "birch": 0.45,
            "deer": 0.35,
            "mushroom": 0.35,
            "cabin": 0.25,
            "tent": 0.2,
            "bird": 0.3,
            "bridge": 0.1,
        },
        _DAYLIGHT,
        _ANY_WEATHER,
        _ALL_YEAR,
    ),
    Kind(
        "harvest",
        2,
        ("garden", "village"),
        {"countryside": 0.7, "nature": 0.45},
        {"farm": 0.6, "field": 0.6, "meadow": 0.3, "hills": 0.4},
        {
            "hay bale": 0.55,
            "tractor": 0.45,
            "barn": 0.4,
            "windmill": 0.3,
            "bird": 0.35,
            "balloon": 0.2,
            "kite": 0.12,
            "church": 0.15,
        },
        _DAYLIGHT,
        _FAIR,
        {"summer": 3, "autumn": 3, "spring": 0.6},
    ),
    Kind(
        "desert",
        2,
        ("beach", "harvest"),
        {"nature": 0.6, "travel": 0.45},
        {"dunes": 0.6, "sand": 0.6, "wilderness": 0.5, "hills": 0.3},
        {"camel": 0.45, "cactus": 0.45, "palm": 0.35, "tent": 0.35, "balloon": 0.25, "people": 0.2},
        {"day": 4, "golden hour": 4, "dusk": 1.5, "night": 0.7},
        {"clear": 6, "cloudy": 1.2, "fog": 0.8},
        {"summer": 1},
    ),
    Kind(
        "ski slope",
        2,
        ("mountain lake", "village"),
        {"nature": 0.45, "sport": 0.55, "travel": 0.4},
        {"mountains": 0.6, "piste": 0.55, "slope": 0.5, "holiday": 0.5},
        {
            "skier": 0.75,
            "pine": 0.55,
            "cabin": 0.35,
            "cable car": 0.4,
            "snowman": 0.2,
            "flag": 0.25,
            "people": 0.2,
        },
        _DAYLIGHT,
        {"clear": 4, "cloudy": 2, "snow": 3, "fog": 1},
        {"winter": 1},
    ),
    Kind(
        "city",
        3,
        ("station", "village"),
        {"urban": 0.7, "travel": 0.2},
        {"downtown": 0.55, "skyline": 0.55, "street": 0.5, "lights": 0.55},
        {
            "skyscraper": 0.75,
            "car": 0.5,
            "lamp": 0.45,
            "tram": 0.35,
            "bridge": 0.25,
            "people": 0.25,
            "bird": 0.1,
        },
        _EVENING,
        _ANY_WEATHER,
        _ALL_YEAR,
    ),
    Kind(
        "station",
        2,
        ("city", "village"),
        {"urban": 0.45, "travel": 0.6},
        {"railway": 0.6, "platform": 0.5, "lights": 0.3, "downtown": 0.3},
        {
            "train": 0.8,
            "lamp": 0.5,
            "clock": 0.45,
            "people": 0.5,
            "suitcase": 0.3,
            "bench": 0.3,
            "tram": 0.12,
        },
        _ANY_LIGHT,
        _ANY_WEATHER,
        _ALL_YEAR,
    ),
    Kind(
        "market",
        2,
        ("village", "city"),
        {"urban": 0.45, "food": 0.55},
        {"bazaar": 0.55, "old town": 0.5, "street": 0.5, "shopping": 0.5, "lights": 0.3},
        {
            "stall": 0.95,
            "fruit": 0.6,
            "people": 0.6,
            "lamp": 0.3,
            "umbrella": 0.3,
            "flower": 0.3,
            "flag": 0.25,
            "church": 0.15,
        },
        _ANY_LIGHT,
        _ANY_WEATHER,
        _ALL_YEAR,
    ),
    Kind(
        "village",
        2,
        ("market", "harvest"),
        {"urban": 0.3, "countryside": 0.55},
        {"old town": 0.5, "street": 0.55, "hamlet": 0.5, "houses": 0.55},
        {
            "church": 0.45,
            "lamp": 0.4,
            "bicycle": 0.3,
            "car": 0.3,
            "cat": 0.25,
            "flower": 0.3,
            "clock": 0.15,
            "windmill": 0.12,
            "people": 0.2,
        },
        _ANY_LIGHT,
        _ANY_WEATHER,
        _ALL_YEAR,
    ),
    Kind(
        "garden",
        2,
        ("harvest", "village"),
        {"nature": 0.45, "countryside": 0.3},
        {"park": 0.55, "lawn": 0.5, "blossom": 0.5, "meadow": 0.35},
        {
            "flower": 0.75,
            "bench": 0.4,
            "fountain": 0.35,
            "butterfly": 0.35,
            "cat": 0.2,
            "umbrella": 0.2,
            "bicycle": 0.15,
            "bird": 0.25,
        },
        _DAYLIGHT,
        _FAIR,
        {"spring": 4, "summer": 3, "autumn": 1},
    ),
    Kind(
        "stadium",
        2,
        ("city",),
        {"sport": 0.7, "urban": 0.3},
        {"match": 0.6, "pitch": 0.5, "lawn": 0.3, "lights": 0.5, "tribune": 0.4},
        {
            "people": 0.7,
            "floodlight": 0.55,
            "player": 0.6,
            "goal": 0.5,
            "flag": 0.5,
            "balloon": 0.12,
        },
        _ANY_LIGHT,
        {"clear": 4, "cloudy": 2, "rain": 1.5, "fog": 0.5, "snow": 0.4},
        _WARM,
    ),
    Kind(
        "reef",
        2,
        (),
        {"water": 0.7, "nature": 0.55, "travel": 0.3},
        {"underwater": 0.6, "lagoon": 0.4, "holiday": 0.35, "wilderness": 0.3},
        {"fish": 0.8, "coral": 0.7, "turtle": 0.35, "diver": 0.35, "jellyfish": 0.35, "boat": 0.15},
        {"day": 6, "golden hour": 1, "dusk": 1, "night": 0.8},
        {"clear": 4, "cloudy": 2, "fog": 1},
        {"summer": 1},
    ),
    Kind(
        "still life",
        2,
        (),
        {"indoor": 0.7, "food": 0.55},
        {"table": 0.55, "kitchen": 0.55, "home": 0.5, "breakfast": 0.3},
        {
            "fruit": 0.7,
            "flower": 0.4,
            "bottle": 0.4,
            "mug": 0.4,
            "bread": 0.35,
            "candle": 0.25,
            "cat": 0.2,
        },
        _ANY_LIGHT,
        _INSIDE,
        _ALL_YEAR,
    ),
)
