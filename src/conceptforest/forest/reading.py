"""The choices that the published description of the model leaves open."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal, get_args

__all__ = ["Reading"]

ChildWeights = Literal["count", "evidence"]
NoEvidence = Literal["none", "negative", "base"]
Scale = Literal["layer", "tag", "sample", "joint", "mean"]

_ALLOWED = {
    "child_weights": get_args(ChildWeights),
    "no_evidence": get_args(NoEvidence),
    "scale": get_args(Scale),
}


@dataclass(frozen=True)
class Reading:
    """How the forest reads what the paper leaves open; the defaults are the decided readings.

    All three matter only where tags are missing and correlations soften them, that is with two
    layers or more and ``correlation=True``.

    Parameters
    ----------
    child_weights : {"count", "evidence"}, default="count"
        What weighs a child's impurity in the gain (Eq. 3): its share of the node's items, or its
        share of the tag's evidence.
    no_evidence : {"none", "negative", "base"}, default="none"
        What an item brings to a layer when it has no tag there and none below that tells
        anything: no mass at all, the mass of an item without these tags, or the base rates.
    scale : {"layer", "tag", "sample", "joint", "mean"}, default="layer"
        What the soft scores (Eq. 7 and 9) are divided by to fit the unit range: the largest of
        the layer, of each tag, of each item, of both kinds of score together, or the item's
        number of subordinate tags.

    Examples
    --------
    >>> Reading(child_weights="evidence")
    Reading(child_weights='evidence', no_evidence='none', scale='layer')
    """

    child_weights: ChildWeights = "count"
    no_evidence: NoEvidence = "none"
    scale: Scale = "layer"

    def __post_init__(self) -> None:
        for field in fields(self):
            value, allowed = getattr(self, field.name), _ALLOWED[field.name]
            if value not in allowed:
                choices = ", ".join(map(repr, allowed))
                raise ValueError(f"Reading.{field.name} must be one of {choices}; got {value!r}.")
