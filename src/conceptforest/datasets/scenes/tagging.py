"""What is true of a picture, and the little of it that somebody writes down.

People leave out what they find obvious. Some name the broad idea, some the scene, some each thing
in it; favourite words come easily, others seldom; of two words with one meaning a person uses one;
now and then a word is wrong; and many pictures are never tagged at all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from conceptforest.datasets.scenes.words import (
    LAYERS,
    PARENTS,
    POPULARITY,
    SYNONYMS,
    plain_words,
)

if TYPE_CHECKING:
    from conceptforest.datasets.scenes.plan import Plan

__all__ = ["observed_tags", "true_tags"]

_LAYER = {word: depth for depth, words in enumerate(LAYERS) for word in words}
# How readily each sort of person uses broad words, words for scenes, and words for things.
_PEOPLE = ((1.8, 1.0, 0.6), (0.5, 1.8, 1.0), (0.2, 0.9, 2.0))
_PEOPLE_SHARES = (0.3, 0.3, 0.4)


def true_tags(plan: Plan, rng: np.random.Generator) -> frozenset[str]:
    """Give all words that are true of a planned picture."""
    words = plain_words(plan)
    for choices in (plan.kind.abstract, plan.kind.words):
        chosen = {word for word, share in choices.items() if rng.random() < share}
        words |= chosen or {next(iter(choices))}
    words |= {SYNONYMS[word] for word in words & SYNONYMS.keys()}
    return frozenset(words)


def observed_tags(
    truth: frozenset[str],
    removed: float,
    untagged: float,
    wrong: float,
    rng: np.random.Generator,
) -> tuple[frozenset[str], frozenset[str]]:
    """Draw what a person writes down.

    Parameters
    ----------
    truth : frozenset of str
    removed : float
        Share of the true tags that is left out of a tagged picture, on average.
    untagged : float
        How often a picture is left without any tag.
    wrong : float
        How often a tag is followed by a wrong one.
    rng : Generator
        Of this picture alone.

    Returns
    -------
    tags : frozenset of str
    mistakes : frozenset of str
        Those of the tags that are not true.
    """
    silent = rng.random() < untagged
    style = _PEOPLE[int(rng.choice(len(_PEOPLE), p=_PEOPLE_SHARES))]
    words = sorted(truth)
    weights = np.array([POPULARITY[word] * style[_LAYER[word]] for word in words])
    # The largest of log weight plus Gumbel noise are a weighted draw without replacement.
    order = np.argsort(-(np.log(weights) + rng.gumbel(size=len(words))))
    wanted = max(1, int(rng.binomial(len(words), 1 - removed)))
    chosen: set[str] = set()
    twins = SYNONYMS | {synonym: word for word, synonym in SYNONYMS.items()}
    for place in order:
        if len(chosen) == wanted:
            break
        if twins.get(words[place]) not in chosen:
            chosen.add(words[place])
    slips = sum(rng.random() < wrong for _ in range(len(chosen)))
    mistakes = _mistakes(truth, slips, rng)
    if silent:
        return frozenset(), frozenset()
    return frozenset(chosen) | mistakes, mistakes


def _mistakes(truth: frozenset[str], count: int, rng: np.random.Generator) -> frozenset[str]:
    others = [word for word in PARENTS if word not in truth]
    weights = np.array([POPULARITY[word] for word in others])
    chosen = rng.choice(len(others), size=count, replace=False, p=weights / weights.sum())
    return frozenset(others[place] for place in chosen)
