"""The words for what pictures show: which there are, which is broader, which mean the same."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from conceptforest.datasets.scenes.plan import Plan

__all__ = ["LAYERS", "PARENTS", "POPULARITY", "SYNONYMS", "plain_words"]

# A broad word, the words for a whole scene below it, and the things below each of those.
_TREE: dict[str, dict[str, str]] = {
    "nature": {
        "woodland": "pine birch deer mushroom cabin tent",
        "mountains": "balloon",
        "wilderness": "bird",
        "dunes": "camel cactus",
        "sand": "palm",
        "blossom": "flower butterfly",
        "park": "bench fountain",
        "trail": "",
        "shade": "",
        "lawn": "",
        "autumn": "",
        "spring": "",
    },
    "water": {
        "coast": "gull lighthouse",
        "port": "boat crane",
        "underwater": "fish coral turtle diver jellyfish",
        "seaside": "umbrella kite",
        "shore": "",
        "quay": "",
        "lakeside": "",
        "reflection": "",
        "lagoon": "",
    },
    "urban": {
        "downtown": "skyscraper tram",
        "street": "car lamp bicycle people",
        "old town": "church clock",
        "skyline": "bridge",
        "lights": "",
        "houses": "",
        "shopping": "",
    },
    "countryside": {
        "farm": "tractor barn windmill",
        "field": "hay_bale",
        "hills": "",
        "meadow": "",
        "hamlet": "",
    },
    "travel": {"railway": "train suitcase", "holiday": "", "platform": ""},
    "sport": {
        "match": "player goal flag",
        "tribune": "floodlight",
        "piste": "skier cable_car",
        "pitch": "",
        "slope": "",
    },
    "food": {"bazaar": "stall fruit", "breakfast": "bread mug"},
    "indoor": {"table": "bottle candle", "home": "cat", "kitchen": ""},
    "winter": {"snow": "snowman"},
    "evening": {"sunset": "", "dusk": "", "night": ""},
    "sky": {"sunny": "", "clouds": "", "rain": "", "fog": ""},
}

# Words that mean the same: who uses one does not use the other. Both are true.
SYNONYMS: dict[str, str] = {
    "boat": "vessel",
    "fog": "mist",
    "lamp": "street light",
    "woodland": "woods",
}


def _parents() -> dict[str, str | None]:
    """Turn the tree into each word's next broader word; a synonym stands beside its word."""
    parents: dict[str, str | None] = {}
    for broad, scenes in _TREE.items():
        parents[broad] = None
        for scene, things in scenes.items():
            parents[scene] = broad
            parents |= {thing.replace("_", " "): scene for thing in things.split()}
    parents |= {synonym: parents[word] for word, synonym in SYNONYMS.items()}
    return dict(sorted(parents.items()))


def _depth(word: str) -> int:
    parent = PARENTS[word]
    return 0 if parent is None else 1 + _depth(parent)


PARENTS: dict[str, str | None] = _parents()
LAYERS: tuple[tuple[str, ...], ...] = tuple(
    tuple(word for word in PARENTS if _depth(word) == depth) for depth in range(3)
)

_EASE: dict[float, str] = {
    1.5: "nature travel water people snow flower boat mountains street holiday train sport",
    0.5: "quay lagoon tribune hamlet shade wilderness reflection slope woods vessel mist",
    0.3: "evening sky sunny clouds sunset dusk rain fog autumn spring",
}
# How readily people think of a word; 1 for those that are not named.
POPULARITY: dict[str, float] = dict.fromkeys(PARENTS, 1.0) | {
    word: ease for ease, words in _EASE.items() for word in words.split()
}

_OF_LIGHT = {
    "day": (),
    "golden hour": ("sunset", "evening"),
    "dusk": ("dusk", "evening"),
    "night": ("night",),
}
_OF_WEATHER = {
    "clear": (),
    "cloudy": ("clouds", "sky"),
    "rain": ("rain",),
    "fog": ("fog",),
    "snow": ("snow",),
}
_OF_SEASON = {
    "summer": (),
    "spring": ("spring",),
    "autumn": ("autumn",),
    "winter": ("winter", "snow"),
}


def plain_words(plan: Plan) -> set[str]:
    """Give the words that follow from light, weather, season and objects, without synonyms."""
    words = {*_OF_LIGHT[plan.light], *_OF_WEATHER[plan.weather], *_OF_SEASON[plan.season]}
    if plan.light == "day" and plan.weather == "clear":
        words.add("sunny")
    if "indoor" in plan.kind.abstract:
        words -= {"sunny", "clouds", "rain", "sky", "autumn", "spring", "winter", "snow"}
    return words | plan.objects
