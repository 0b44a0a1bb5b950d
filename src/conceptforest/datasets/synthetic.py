"""A made-up photo collection whose true concepts and tags are known.

Each item shows one concept. The concept owns a few abstract tags, which no other concept uses,
and draws specific tags from a mixture of its own over specifics that concepts share: both a beach
and a harbour have boats, and everything has people. Then tags get lost, as they do when people
tag their own pictures: some items keep all, some keep none. Features see the concept too, but
faintly, and in few of their dimensions.
"""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from conceptforest.checks import whole
from conceptforest.datasets.drawing import draw_features, draw_labels

if TYPE_CHECKING:
    from numpy.random import RandomState
    from numpy.typing import NDArray

__all__ = ["TaggedSet", "make_tagged"]


class _Concept(NamedTuple):
    """What a concept is called, its own abstract tags, and its specifics, the most usual first."""

    name: str
    abstract: tuple[str, ...]
    specific: tuple[str, ...]


def _concept(name: str, abstract: str, specific: str) -> _Concept:
    return _Concept(name, tuple(abstract.split()), tuple(specific.split()))


_CONCEPTS = (
    _concept("beach", "beach seaside", "sand palm wave boat umbrella swimmer"),
    _concept("city", "city urban", "tram skyscraper crowd taxi bridge lamp"),
    _concept("forest", "forest woodland", "tree moss trail deer fern mushroom"),
    _concept("mountain", "mountain alpine", "snow rock trail cabin cliff tree"),
    _concept("market", "market shopping", "stall fruit crowd vegetable umbrella basket"),
    _concept("harbour", "harbour seafaring", "ship boat gull bridge crane wave"),
    _concept("farm", "farm agriculture", "tractor cow barn grass vegetable fence"),
    _concept("concert", "concert music", "stage guitar crowd microphone lamp flag"),
    _concept("stadium", "stadium sport", "player ball flag grass crowd scoreboard"),
    _concept("kitchen", "kitchen cooking", "pan fruit knife vegetable table steam"),
    _concept("railway", "railway travelling", "train platform bridge steam suitcase tram"),
    _concept("garden", "garden gardening", "flower grass bench tree butterfly fence"),
    _concept("desert", "desert wilderness", "sand cactus camel rock tent cliff"),
    _concept("museum", "museum art", "painting statue bench staircase lamp crowd"),
    _concept("playground", "playground childhood", "swing slide ball bench fence tree"),
    _concept("airport", "airport aviation", "plane runway suitcase taxi flag crowd"),
)
_GENERIC = ("people", "sky", "sunny", "outdoor", "weekend")

_OWN_SHARE = 0.6  # of specific draws: the concept's own specifics
_GENERIC_SHARE = 0.3  # generic ones; what is left goes to any specific at all
_DECAY = 0.8  # each next specific of a concept is drawn this much less often
_ABSTRACT_GIVEN = 0.75  # how often a concept's abstract tag is true of an item
_EXTRA_SPECIFICS = 1.5  # mean number of specific draws beyond the first
_CARE = 1.5  # concentration of the items' removal rates; small: people tag fully or not at all
_RELEVANT = 8  # one feature in so many tells something about the concept
_STRENGTH = 0.7  # spread of the concepts' means in units of the noise: k-means on X reaches NMI 0.2


@dataclass(frozen=True, eq=False)
class TaggedSet:
    """A collection with its tags as people gave them, and what is really true.

    Attributes
    ----------
    X : ndarray of shape (n_items, n_features), float32
        Visual features.
    tags : list of frozenset of str, length n_items
        Observed tags; an item may have none.
    truth : list of frozenset of str, length n_items
        All tags that are true of the item, the observed ones among them.
    labels : ndarray of shape (n_items,), int64
        The item's concept, an index of `concept_names`.
    layers : tuple of two lists of str
        The tags that occur in `tags`, abstract and specific, each in alphabetical order.
    concept_names : tuple of str, length n_concepts
    """

    X: NDArray[np.float32]
    tags: list[frozenset[str]]
    truth: list[frozenset[str]]
    labels: NDArray[np.int64]
    layers: tuple[list[str], list[str]]
    concept_names: tuple[str, ...]


def make_tagged(
    n_items: int = 600,
    n_concepts: int = 8,
    *,
    n_features: int = 64,
    removed: float = 0.3,
    random_state: Any = None,
) -> TaggedSet:
    """Make a collection of tagged items from a seed.

    Neither side tells the whole story: the features are weak, the tags incomplete. Together they
    give the concepts back well.

    Parameters
    ----------
    n_items : int, default=600
        Number of items, at least one for each concept.
    n_concepts : int, default=8
        Number of concepts, 2 to 16. Their sizes differ, up to twofold on average.
    n_features : int, default=64
        Number of features, at least 2. One in eight, and never fewer than two, depend on the
        concept; the others are noise.
    removed : float, default=0.3
        Share of the true tags that is lost, from 0 up to but not including 1. Every entry is
        removed on its own, at a rate that varies from item to item around this mean.
    random_state : int, RandomState instance or None, default=None
        Seed. The true tags, labels and features of a seed do not depend on `removed`.

    Returns
    -------
    TaggedSet
        Features (n_items, n_features), observed tags, all true tags, labels and tag layers.

    Examples
    --------
    >>> made = make_tagged(200, 4, random_state=0)
    >>> made.X.shape, made.labels.shape, made.concept_names
    ((200, 64), (200,), ('beach', 'city', 'forest', 'mountain'))
    >>> made.layers[0]
    ['alpine', 'beach', 'city', 'forest', 'mountain', 'seaside', 'urban', 'woodland']
    >>> all(seen <= true for seen, true in zip(made.tags, made.truth))
    True
    """
    whole("n_items", n_items, 2)
    whole("n_concepts", n_concepts, 2)
    whole("n_features", n_features, 2)
    removed = _share("removed", removed)
    if n_concepts > len(_CONCEPTS):
        raise ValueError(f"n_concepts is {n_concepts}; there are {len(_CONCEPTS)} concepts to use.")
    if n_items < n_concepts:
        raise ValueError(
            f"n_items is {n_items}, fewer than n_concepts={n_concepts}. Every concept needs an"
            " item: ask for more items or fewer concepts."
        )
    rng = check_random_state(random_state)
    concepts = _CONCEPTS[:n_concepts]
    labels = draw_labels(n_items, n_concepts, rng)
    X = draw_features(labels, n_concepts, n_features, rng, one_in=_RELEVANT, strength=_STRENGTH)
    truth = _draw_tags(labels, concepts, rng)
    tags = _remove(truth, removed, rng)
    return TaggedSet(
        X=X,
        tags=tags,
        truth=truth,
        labels=labels,
        layers=_layers(tags, concepts, removed),
        concept_names=tuple(concept.name for concept in concepts),
    )


def _share(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} is {value!r}; it must be a number.")
    share = float(value)
    if not 0 <= share < 1:
        raise ValueError(f"{name} is {value}; it must be at least 0 and less than 1.")
    return share


def _draw_tags(
    labels: NDArray[np.int64], concepts: tuple[_Concept, ...], rng: RandomState
) -> list[frozenset[str]]:
    """Draw all true tags: some of the concept's abstract ones, and specifics from its mixture."""
    specifics = sorted({tag for concept in concepts for tag in concept.specific} | set(_GENERIC))
    mixtures = [_mixture(concept, specifics) for concept in concepts]
    truth = []
    for label in labels:
        own = concepts[label].abstract
        abstract = [tag for tag in own if rng.uniform() < _ABSTRACT_GIVEN]
        draws = 1 + rng.poisson(_EXTRA_SPECIFICS)
        specific = rng.choice(len(specifics), size=draws, p=mixtures[label])
        truth.append(frozenset(abstract) | {specifics[j] for j in specific})
    return truth


def _mixture(concept: _Concept, specifics: list[str]) -> NDArray[np.float64]:
    """How often the concept draws each specific tag: its own, generic ones, and any at all."""
    column = {tag: j for j, tag in enumerate(specifics)}
    mixture: NDArray[np.float64] = np.full(
        len(specifics), (1 - _OWN_SHARE - _GENERIC_SHARE) / len(specifics)
    )
    for tags, share in ((concept.specific, _OWN_SHARE), (_GENERIC, _GENERIC_SHARE)):
        weight = _DECAY ** np.arange(len(tags))
        mixture[[column[tag] for tag in tags]] += share * weight / weight.sum()
    mixture /= mixture.sum()  # one to the last bit, as the sampler wants it
    return mixture


def _remove(truth: list[frozenset[str]], removed: float, rng: RandomState) -> list[frozenset[str]]:
    """Lose tags, each item at a rate of its own whose mean is `removed`."""
    if removed == 0:
        return list(truth)
    rates = rng.beta(_CARE * removed, _CARE * (1 - removed), size=len(truth))
    return [
        frozenset(tag for tag in sorted(tags) if rng.uniform() >= rate)
        for tags, rate in zip(truth, rates, strict=True)
    ]


def _layers(
    tags: list[frozenset[str]], concepts: tuple[_Concept, ...], removed: float
) -> tuple[list[str], list[str]]:
    """Part the observed tags into abstract and specific ones."""
    used = frozenset[str]().union(*tags)
    owned = frozenset(tag for concept in concepts for tag in concept.abstract)
    layers = sorted(used & owned), sorted(used - owned)
    for layer, kind in zip(layers, ("abstract", "specific"), strict=True):
        if not layer:
            raise ValueError(
                f"With removed={removed}, no {kind} tag is left on any of the {len(tags)} items."
                " Ask for more items or remove less."
            )
    return layers
