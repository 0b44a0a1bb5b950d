"""From tags to evidence: what each item says for and against each tag of each layer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest import _core
from conceptforest.tags import correlate, scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from conceptforest.forest.reading import Reading
    from conceptforest.tags import TagMatrix

__all__ = ["ONE", "LayerEvidence", "gather_evidence"]

ONE: int = _core.ONE  # what stands for 1 in the fixed point of the core
_WEIGHT_BITS = 20
_MAX_DENSE = 2**28


@dataclass(frozen=True, eq=False)
class LayerEvidence:
    """The evidence of all items for one layer, in the core's fixed point (``ONE`` is 1).

    Entry ``e`` of item ``x`` (``start[x] <= e < start[x + 1]``) gives the positive and negative
    mass of tag ``tag[e]``; for any other tag the item has positive mass 0 and negative mass
    ``base[x]``. A hard item has base 1 and entries (1, 0). Where every item is hard, ``soft`` and
    the masses are None.

    Attributes
    ----------
    n_tags : int
        Tags of the layer.
    start : ndarray of shape (n_items + 1,), int64
    tag : ndarray of shape (n_entries,), int32
        Position of the tag within the layer.
    positive, negative : ndarray of shape (n_entries,), int32, or None
    base : ndarray of shape (n_items,), int32, or None
    soft : ndarray of shape (n_items,), uint8, or None
        1 where the item is not hard.
    weight : ndarray of shape (n_tags,), uint32, or None
        Weight of each tag's gain, in units of ``weight_unit``; None: all 1.
    weight_unit : float
    n_missing : int
        Items without a tag in this layer.
    n_supported : int
        Those of them for which subordinate tags tell something.
    """

    n_tags: int
    start: NDArray[np.int64]
    tag: NDArray[np.int32]
    positive: NDArray[np.int32] | None
    negative: NDArray[np.int32] | None
    base: NDArray[np.int32] | None
    soft: NDArray[np.uint8] | None
    weight: NDArray[np.uint32] | None
    weight_unit: float
    n_missing: int
    n_supported: int


def gather_evidence(
    tags: TagMatrix,
    layers: Sequence[NDArray[np.int32]],
    *,
    correlation: bool,
    reading: Reading,
    weights: NDArray[np.float64] | None,
) -> list[LayerEvidence]:
    """Compute the evidence of every layer, once for a whole fit.

    Parameters
    ----------
    tags : TagMatrix of n_items items and n_tags tags
    layers : sequence of ndarray, int32
        Tags of each layer, from abstract to specific, disjoint.
    correlation : bool
        Soften missing tags by the tags of lower layers (Eq. 6 to 9).
    reading : Reading
    weights : ndarray of shape (n_tags,), float64, or None
        Weight of each tag's gain.

    Returns
    -------
    list of LayerEvidence
    """
    whole, unit = _whole_weights(tags, weights)
    result = []
    for k, layer in enumerate(layers):
        below = np.concatenate([np.empty(0, np.int32), *layers[k + 1 :]])
        own = tags.matrix[:, layer].tocsr()
        own.sort_indices()
        counts = np.diff(own.indptr).astype(np.int64)
        missing = np.flatnonzero(counts == 0)
        common = {
            "n_tags": len(layer),
            "weight": None if whole is None else whole[layer],
            "weight_unit": unit,
            "n_missing": len(missing),
        }
        if correlation and len(below) and len(missing):
            soft = _soften(tags, layer, below, missing, reading)
            result.append(_merge(own, missing, soft, common))
        else:
            result.append(
                LayerEvidence(
                    start=own.indptr.astype(np.int64),
                    tag=own.indices.astype(np.int32),
                    positive=None,
                    negative=None,
                    base=None,
                    soft=None,
                    n_supported=0,
                    **common,
                )
            )
    return result


def _whole_weights(
    tags: TagMatrix, weights: NDArray[np.float64] | None
) -> tuple[NDArray[np.uint32] | None, float]:
    """Turn weights into whole numbers, as fine as 64-bit sums of squared counts allow."""
    if weights is None:
        return None, 1.0
    largest = weights.max()
    squares = float(np.sum(tags.counts.astype(np.float64) ** 2))
    bits = min(_WEIGHT_BITS, int(61 - np.log2(max(squares, 1.0))))
    unit = float(largest) / 2.0**bits
    whole = np.where(weights > 0, np.maximum(np.rint(weights / unit), 1), 0)
    return whole.astype(np.uint32), unit


@dataclass(frozen=True, eq=False)
class _Soft:
    """Soft evidence of the missing items: entries by row of ``missing``, and their base."""

    row: NDArray[np.int64]
    tag: NDArray[np.int64]
    positive: NDArray[np.float64]
    negative: NDArray[np.float64]
    base: NDArray[np.float64]
    hard: NDArray[np.bool_]
    n_supported: int


def _soften(
    tags: TagMatrix,
    layer: NDArray[np.int32],
    below: NDArray[np.int32],
    missing: NDArray[np.int64],
    reading: Reading,
) -> _Soft:
    correlations = correlate(tags.matrix, layer, below)
    found = scores(correlations, tags.matrix, missing, below)
    occurs = correlations.target_counts > 0
    supported = (found.n_subordinate > 0) & bool(occurs.any())
    row = np.repeat(np.arange(len(missing)), np.diff(found.positive.indptr))
    tag = found.positive.indices.astype(np.int64)
    positive = found.positive.data
    negative = found.n_subordinate[row] - found.lifted.data
    base = np.where(supported, found.n_subordinate, 0).astype(np.float64)
    if reading.scale == "tag":
        row, tag, positive, negative, base = _scale_by_tag(
            row, tag, positive, negative, base, occurs
        )
    else:
        for_positive, for_negative = _divisors(row, positive, negative, base, occurs, reading.scale)
        positive = positive / for_positive[row]
        negative = negative / for_negative[row]
        # Above 1 only where the item has an entry for every tag that occurs: base then says nothing.
        base = np.minimum(base / for_negative, 1.0)

    hard = np.zeros(len(missing), dtype=bool)
    if reading.no_evidence == "negative":
        hard = ~supported
        base = np.where(supported, base, 1.0)
    elif reading.no_evidence == "base":
        empty, known = np.flatnonzero(~supported), np.flatnonzero(occurs)
        rate = correlations.target_counts[known] / tags.n_items
        row = np.concatenate([row, np.repeat(empty, len(known))])
        tag = np.concatenate([tag, np.tile(known, len(empty))])
        positive = np.concatenate([positive, np.tile(rate, len(empty))])
        negative = np.concatenate([negative, np.tile(1.0 - rate, len(empty))])
        base = np.where(supported, base, 1.0)
    return _Soft(row, tag, positive, negative, base, hard, int(supported.sum()))


def _divisors(
    row: NDArray[np.int64],
    positive: NDArray[np.float64],
    negative: NDArray[np.float64],
    base: NDArray[np.float64],
    occurs: NDArray[np.bool_],
    scale: str,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Find what each item's scores are divided by; 1 where they are all 0."""
    n = len(base)
    if scale == "mean":
        both = np.where(base > 0, base, 1.0)
        return both, both
    top_positive, top_negative = np.zeros(n), np.zeros(n)
    np.maximum.at(top_positive, row, positive)
    np.maximum.at(top_negative, row, negative)
    # A tag that occurs but never beside one of the item's tags has the item's full base against it.
    elsewhere = np.bincount(row, minlength=n) < np.count_nonzero(occurs)
    top_negative = np.where(elsewhere, base, top_negative)
    if scale != "sample":
        top_positive = np.full(n, top_positive.max(initial=0.0))
        top_negative = np.full(n, top_negative.max(initial=0.0))
    if scale == "joint":
        top_positive = top_negative = np.maximum(top_positive, top_negative)
    return np.where(top_positive > 0, top_positive, 1.0), np.where(
        top_negative > 0, top_negative, 1.0
    )


def _scale_by_tag(
    row: NDArray[np.int64],
    tag: NDArray[np.int64],
    positive: NDArray[np.float64],
    negative: NDArray[np.float64],
    base: NDArray[np.float64],
    occurs: NDArray[np.bool_],
) -> tuple[Any, ...]:
    """Divide by the largest score of each tag; the negative scores are then all different."""
    shape = (len(base), len(occurs))
    if shape[0] * shape[1] > _MAX_DENSE:
        raise ValueError(
            f'Reading(scale="tag") needs a full table of {shape[0]} items x {shape[1]} tags, which'
            f" is above {_MAX_DENSE} cells. Use another scale, or more and smaller layers."
        )
    full_positive, full_negative = np.zeros(shape), np.outer(base, occurs)
    full_positive[row, tag] = positive
    full_negative[row, tag] = negative
    for full in (full_positive, full_negative):
        top = full.max(axis=0, initial=0.0)
        full /= np.where(top > 0, top, 1.0)
    row, tag = np.nonzero((base > 0)[:, None] & occurs)
    # Tags that never occur have no impurity anywhere: what their base says does not matter.
    return row, tag, full_positive[row, tag], full_negative[row, tag], np.zeros(len(base))


def _merge(own: Any, missing: NDArray[np.int64], soft: _Soft, common: Any) -> LayerEvidence:
    """Put the entries of hard and soft items into one table."""
    n_items = own.shape[0]
    item = np.concatenate([np.repeat(np.arange(n_items), np.diff(own.indptr)), missing[soft.row]])
    tag = np.concatenate([own.indices.astype(np.int64), soft.tag])
    positive = np.concatenate([np.full(own.nnz, ONE), np.rint(soft.positive * ONE)])
    negative = np.concatenate([np.zeros(own.nnz), np.rint(soft.negative * ONE)])
    order = np.lexsort((tag, item))
    base = np.full(n_items, ONE, dtype=np.int32)
    base[missing] = np.rint(soft.base * ONE)
    is_soft = np.zeros(n_items, dtype=np.uint8)
    is_soft[missing] = ~soft.hard
    start = np.zeros(n_items + 1, dtype=np.int64)
    np.cumsum(np.bincount(item, minlength=n_items), out=start[1:])
    return LayerEvidence(
        start=start,
        tag=tag[order].astype(np.int32),
        positive=positive[order].astype(np.int32),
        negative=negative[order].astype(np.int32),
        base=base,
        soft=is_soft,
        n_supported=soft.n_supported,
        **common,
    )
