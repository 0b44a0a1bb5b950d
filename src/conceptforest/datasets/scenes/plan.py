"""What a picture will show, decided before anything is drawn or tagged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from conceptforest.datasets.scenes.kinds import KINDS, Kind

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Plan", "make_plan"]

_SNOWFALL_IN_WINTER = 0.45
_FEWEST_OBJECTS = 2
_LOOKALIKES = 0.22  # share of pictures that look like another kind


@dataclass(frozen=True)
class Plan:
    """The content of one picture.

    Attributes
    ----------
    kind : Kind
        What sort of scene it is.
    view : Kind
        What it looks like; mostly the same.
    light, weather, season : str
    objects : frozenset of str
        What stands, moves or lies in it.
    """

    kind: Kind
    view: Kind
    light: str
    weather: str
    season: str
    objects: frozenset[str]

    def has(self, name: str) -> bool:
        """Whether an object is in the picture."""
        return name in self.objects


def make_plan(label: int, rng: np.random.Generator) -> Plan:
    """Decide what a picture of a kind shows.

    Parameters
    ----------
    label : int
        Index of the kind.
    rng : Generator
        Of this picture alone.

    Examples
    --------
    >>> import numpy as np
    >>> make_plan(0, np.random.default_rng(1)).kind.name
    'beach'
    """
    kind = KINDS[label]
    light = _choose(kind.lights, rng)
    weather = _choose(kind.weathers, rng)
    season = _choose(kind.seasons, rng)
    if weather == "snow" or (season == "winter" and rng.random() < _SNOWFALL_IN_WINTER):
        season, weather = "winter", "snow"
    view = kind
    if rng.random() < _LOOKALIKES and kind.lookalikes:
        name = kind.lookalikes[int(rng.integers(len(kind.lookalikes)))]
        view = next(other for other in KINDS if other.name == name)
    return Plan(kind, view, light, weather, season, _objects(kind, view, rng))


def _objects(kind: Kind, view: Kind, rng: np.random.Generator) -> frozenset[str]:
    """Choose what is in the picture, among what the view can show."""
    shares = {name: share for name, share in kind.objects.items() if name in view.objects}
    objects = {name for name, share in shares.items() if rng.random() < share}
    usual = [*_most_usual(shares), *_most_usual(view.objects)]
    for name in usual:  # they fill up an empty scene
        if len(objects) >= _FEWEST_OBJECTS:
            break
        objects.add(name)
    return frozenset(objects)


def _most_usual(shares: dict[str, float]) -> list[str]:
    return sorted(shares, key=lambda name: -shares[name])


def _choose(shares: dict[str, float], rng: np.random.Generator) -> str:
    at = rng.random() * sum(shares.values())
    for name, share in shares.items():
        at -= share
        if at < 0:
            return name
    return next(iter(shares))
