"""From tags to evidence: what each item says for and against each tag of each layer."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest import _core
from conceptforest.tags import correlate, scores

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from conceptforest.forest.reading import Reading
    from conceptforest.tags import TagMatrix

__all__ = ["ONE", "LayerEvidence", "Sources", "gather_evidence", "hard_layer"]

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


@dataclass(frozen=True)
class Sources:
    """Several sources whose gains are joined in a weighted sum, in place of one target layer's.

    There is one layer, hard and without weights. Its tags are each a source, over the items that
    have any of them; but one tag may tell real items from synthetic ones, and that source is over
    all items.

    Attributes
    ----------
    two_class : int
        The tag of real items, or -1 where all are real.
    alpha : float
        Weight of the two classes, from 0 to 1; the tags that vary in a tree's bag share the rest.
        As large a part of that rest as that of the real items without tags goes to all sources
        evenly.
    normalise : bool
        Divide the gain of a source by its best over the cuts that the root of the tree tries.
    """

    two_class: int
    alpha: float
    normalise: bool


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
    counts = tags.counts
    result = []
    for k, layer in enumerate(layers):
        below = np.concatenate([np.empty(0, np.int32), *layers[k + 1 :]])
        own = tags.matrix[:, layer].tocsr()
        own.sort_indices()
        missing = np.flatnonzero(np.diff(own.indptr) == 0)
        weight, unit = None, 1.0
        if weights is not None:
            weight, unit = _whole_weights(weights[layer], counts[layer])
        if correlation and len(below) and len(missing):
            soft = _soften(tags, layer, below, missing, reading)
            result.append(_merge(own, missing, soft, weight, unit))
        else:
            result.append(_all_hard(own, len(missing), weight, unit))
    return result


def hard_layer(tags: Any) -> LayerEvidence:
    """Take a 0/1 matrix as the tags of one layer, and every item at its word.

    Parameters
    ----------
    tags : csr_array of shape (n_items, n_tags)

    Returns
    -------
    LayerEvidence

    Examples
    --------
    >>> from scipy import sparse
    >>> hard_layer(sparse.csr_array([[1, 0], [1, 1], [0, 0]])).start
    array([0, 1, 3, 3])
    """
    own = tags.tocsr()
    own.sort_indices()
    return _all_hard(own, int(np.sum(np.diff(own.indptr) == 0)), None, 1.0)


def _whole_weights(
    weights: NDArray[np.float64], counts: NDArray[np.int64]
) -> tuple[NDArray[np.uint32], float]:
    """Turn a layer's weights into whole numbers, as fine as 64-bit sums of squared counts allow.

    Gains are compared within a layer alone, so each layer has a unit of its own.
    """
    largest = float(weights.max())
    if largest == 0:
        return np.zeros(len(weights), dtype=np.uint32), 1.0
    squares = float(np.sum(counts.astype(np.float64) ** 2))
    bits = min(_WEIGHT_BITS, int(61 - np.log2(max(squares, 1.0))))
    unit = largest / 2.0**bits
    whole = np.where(weights > 0, np.maximum(np.rint(weights / unit), 1), 0)
    return whole.astype(np.uint32), unit


@dataclass(frozen=True, eq=False)
class _Entries:
    """Evidence of the missing items: entries by row of ``missing``, and each row's base."""

    row: NDArray[np.int64]
    tag: NDArray[np.int64]
    positive: NDArray[np.float64]
    negative: NDArray[np.float64]
    base: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Soft:
    """What becomes of the missing items: hard ones have no tag at all, others their entries."""

    entries: _Entries
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
    entries = _Entries(
        row=row,
        tag=found.positive.indices.astype(np.int64),
        positive=found.positive.data,
        negative=found.n_subordinate[row] - found.lifted.data,
        base=np.where(supported, found.n_subordinate, 0).astype(np.float64),
    )
    if reading.scale == "tag":
        entries = _scale_by_tag(entries, occurs)
    else:
        entries = _scale_by_item(entries, occurs, reading.scale)
    if reading.no_evidence != "none":
        entries = replace(entries, base=np.where(supported, entries.base, 1.0))
    if reading.no_evidence == "base":
        entries = _add_base_rates(entries, supported, correlations.target_counts / tags.n_items)
    hard = ~supported if reading.no_evidence == "negative" else np.zeros(len(missing), dtype=bool)
    return _Soft(entries, hard, int(supported.sum()))


def _scale_by_item(entries: _Entries, occurs: NDArray[np.bool_], scale: str) -> _Entries:
    """Divide the scores of each item by one number for and one against."""
    for_positive, for_negative = _divisors(entries, occurs, scale)
    return replace(
        entries,
        positive=entries.positive / for_positive[entries.row],
        negative=entries.negative / for_negative[entries.row],
        # Above 1 only where the item has an entry for every tag that occurs, and the base then
        # says nothing.
        base=np.minimum(entries.base / for_negative, 1.0),
    )


def _divisors(
    entries: _Entries, occurs: NDArray[np.bool_], scale: str
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Find what each item's scores are divided by; 1 where they are all 0."""
    row, base = entries.row, entries.base
    n = len(base)
    if scale == "mean":
        both = np.where(base > 0, base, 1.0)
        return both, both
    top_positive, top_negative = np.zeros(n), np.zeros(n)
    np.maximum.at(top_positive, row, entries.positive)
    np.maximum.at(top_negative, row, entries.negative)
    # A tag that occurs but never beside one of the item's tags has the item's full base against it.
    elsewhere = np.bincount(row, minlength=n) < np.count_nonzero(occurs)
    top_negative = np.where(elsewhere, base, top_negative)
    if scale != "sample":
        top_positive = np.full(n, top_positive.max(initial=0.0))
        top_negative = np.full(n, top_negative.max(initial=0.0))
    if scale == "joint":
        top_positive = top_negative = np.maximum(top_positive, top_negative)
    return _or_one(top_positive), _or_one(top_negative)


def _scale_by_tag(entries: _Entries, occurs: NDArray[np.bool_]) -> _Entries:
    """Divide by the largest score of each tag; the negative scores are then all different."""
    shape = (len(entries.base), len(occurs))
    if shape[0] * shape[1] > _MAX_DENSE:
        raise ValueError(
            f'Reading(scale="tag") needs a full table of {shape[0]} items x {shape[1]} tags, which'
            f" is above {_MAX_DENSE} cells. Use another scale, or more and smaller layers."
        )
    positive, negative = np.zeros(shape), np.outer(entries.base, occurs)
    positive[entries.row, entries.tag] = entries.positive
    negative[entries.row, entries.tag] = entries.negative
    positive /= _or_one(positive.max(axis=0, initial=0.0))
    negative /= _or_one(negative.max(axis=0, initial=0.0))
    row, tag = np.nonzero((entries.base > 0)[:, None] & occurs)
    # Tags that never occur have no impurity anywhere: what their base says does not matter.
    base = np.zeros(shape[0])
    return _Entries(row, tag, positive[row, tag], negative[row, tag], base)


def _or_one(largest: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give a divisor that leaves scores alone where the largest of them is 0."""
    return np.where(largest > 0, largest, 1.0)


def _add_base_rates(
    entries: _Entries, supported: NDArray[np.bool_], rates: NDArray[np.float64]
) -> _Entries:
    """Judge the items of which nothing is known by how frequent each tag is."""
    empty, known = np.flatnonzero(~supported), np.flatnonzero(rates > 0)
    n, rate = len(empty), rates[known]
    if n * len(known) > _MAX_DENSE:
        raise ValueError(
            f'Reading(no_evidence="base") needs a full table of {n} items without evidence x'
            f" {len(known)} tags, which is above {_MAX_DENSE} cells. Use another no_evidence, or"
            " more and smaller layers."
        )
    return _Entries(
        row=np.concatenate([entries.row, np.repeat(empty, len(known))]),
        tag=np.concatenate([entries.tag, np.tile(known, n)]),
        positive=np.concatenate([entries.positive, np.tile(rate, n)]),
        negative=np.concatenate([entries.negative, np.tile(1.0 - rate, n)]),
        base=entries.base,
    )


def _all_hard(
    own: Any, n_missing: int, weight: NDArray[np.uint32] | None, weight_unit: float
) -> LayerEvidence:
    """Take every item at its word: it has its tags and no other."""
    return LayerEvidence(
        n_tags=own.shape[1],
        start=own.indptr.astype(np.int64),
        tag=own.indices.astype(np.int32),
        positive=None,
        negative=None,
        base=None,
        soft=None,
        weight=weight,
        weight_unit=weight_unit,
        n_missing=n_missing,
        n_supported=0,
    )


def _merge(
    own: Any,
    missing: NDArray[np.int64],
    soft: _Soft,
    weight: NDArray[np.uint32] | None,
    weight_unit: float,
) -> LayerEvidence:
    """Put the entries of hard and soft items into one table."""
    n_items, n_tags = own.shape
    added = soft.entries
    item = np.concatenate([np.repeat(np.arange(n_items), np.diff(own.indptr)), missing[added.row]])
    tag = np.concatenate([own.indices.astype(np.int64), added.tag])
    positive = np.concatenate([np.full(own.nnz, ONE), np.rint(added.positive * ONE)])
    negative = np.concatenate([np.zeros(own.nnz), np.rint(added.negative * ONE)])
    order = np.lexsort((tag, item))
    base = np.full(n_items, ONE, dtype=np.int32)
    base[missing] = np.rint(added.base * ONE)
    is_soft = np.zeros(n_items, dtype=np.uint8)
    is_soft[missing] = ~soft.hard
    start = np.zeros(n_items + 1, dtype=np.int64)
    np.cumsum(np.bincount(item, minlength=n_items), out=start[1:])
    return LayerEvidence(
        n_tags=n_tags,
        start=start,
        tag=tag[order].astype(np.int32),
        positive=positive[order].astype(np.int32),
        negative=negative[order].astype(np.int32),
        base=base,
        soft=is_soft,
        weight=weight,
        weight_unit=weight_unit,
        n_missing=len(missing),
        n_supported=soft.n_supported,
    )
