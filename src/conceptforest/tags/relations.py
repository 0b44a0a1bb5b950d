"""Pairs of tags that come together, or stay apart, more than chance would have it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.special import xlogy

from conceptforest.checks import whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from conceptforest.tags.matrix import TagMatrix

__all__ = ["Relation", "related_tags"]

_EVIDENCE = 6.63  # the evidence that one pair in a hundred reaches by chance
_EXPECTED = 5.0  # items that would carry both by chance, from which on their absence says something
_APART = 0.5  # lift up to which two tags stay apart
_TOGETHER = 1.5  # lift from which on they come together
_PAIRS = 2**22  # held at a time
_FREQUENT = 2000  # tags whose absent pairs are looked at, at most


@dataclass(frozen=True)
class Relation:
    """Two tags that are not independent.

    Attributes
    ----------
    first, second : str
        The tags, the more frequent one first.
    lift : float
        How many times more frequent the pair is than if the tags were independent.
    n_both : int
        Items that carry both.
    kind : {"together", "apart"}
    """

    first: str
    second: str
    lift: float
    n_both: int
    kind: str


def related_tags(tags: TagMatrix, *, top: int = 40, min_count: int = 5) -> list[Relation]:
    """Find the pairs of tags that come together or exclude each other.

    Pairs are ordered by evidence, the log-likelihood ratio G2 of the pair's four counts against
    independence, which weighs how far from chance a pair is by how many items say so: a rare pair
    that always comes together stands behind a frequent one that mostly does. Reported are pairs
    with a lift of at least 1.5 ("together"), or of at most 0.5 where at least 5 items would carry
    both by chance ("apart"), whose G2 is at least 6.63 + 2 ln(number of pairs that could be of the
    kind): where all tags are independent, one collection in a hundred has such a pair by chance.
    Items without tags do not count.

    Parameters
    ----------
    tags : TagMatrix
    top : int, default=40
        Most pairs to give: half of each kind, more where there are fewer of the other.
    min_count : int, default=5
        Items that a tag must have.

    Returns
    -------
    list of Relation
        First those together, then those apart, each with the most evidence first.

    Notes
    -----
    Memory is bounded: pairs that share items are looked at in blocks, and pairs that share none
    among the 2,000 most frequent tags only.

    Examples
    --------
    >>> from conceptforest.tags import parse_tags
    >>> tags = parse_tags([{"sea", "boat"}] * 30 + [{"snow", "ski"}] * 20 + [{"people"}] * 10)
    >>> for relation in related_tags(tags, top=3):
    ...     print(relation.first, relation.second, relation.lift, relation.kind)
    boat sea 2.0 together
    ski snow 3.0 together
    boat ski 0.0 apart
    """
    whole("top", top, 0)
    whole("min_count", min_count, 1)
    known = np.flatnonzero(tags.counts >= min_count)
    order = known[np.argsort(-tags.counts[known], kind="stable")]
    matrix = tags.matrix[:, order].astype(np.float64)
    n_items = int((~tags.untagged).sum())
    together = _Best(top, len(order) * (len(order) - 1) // 2)
    apart = _Best(top, _n_expected(tags.counts[order], n_items))
    for pairs in _shared_pairs(matrix, n_items):
        together.add(pairs, pairs.lift >= _TOGETHER)
    for pairs in _frequent_pairs(matrix, n_items):
        apart.add(pairs, (pairs.lift <= _APART) & (pairs.expected >= _EXPECTED))
    n_apart = min(len(apart.pairs.both), max(top // 2, top - len(together.pairs.both)))
    names = [tags.vocabulary[j] for j in order]
    return [
        *_relations(together.pairs, top - n_apart, names, "together"),
        *_relations(apart.pairs, n_apart, names, "apart"),
    ]


class _Pairs(NamedTuple):
    """Pairs of tags, by their ranks in frequency; arrays of one length."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    both: NDArray[np.float64]
    expected: NDArray[np.float64]
    evidence: NDArray[np.float64]

    @property
    def lift(self) -> NDArray[np.float64]:
        return self.both / self.expected

    def take(self, which: NDArray[Any]) -> _Pairs:
        return _Pairs(*(field[which] for field in self))


class _Best:
    """The pairs with the most evidence of those seen so far."""

    def __init__(self, top: int, n_pairs: int) -> None:
        self._top = top
        self._least = _EVIDENCE + 2 * np.log(max(1, n_pairs))  # of many pairs, some are odd
        whole_numbers, numbers = np.zeros(0, dtype=np.int64), np.zeros(0)
        self.pairs = _Pairs(whole_numbers, whole_numbers, numbers, numbers, numbers)

    def add(self, pairs: _Pairs, fit: NDArray[np.bool_]) -> None:
        fresh = pairs.take(fit & (pairs.evidence >= self._least))
        joined = _Pairs(*(np.concatenate(two) for two in zip(self.pairs, fresh, strict=True)))
        # Equal counts give equal evidence but for rounding, which is no order.
        order = np.lexsort((joined.second, joined.first, -np.round(joined.evidence, 6)))
        self.pairs = joined.take(order[: self._top])


def _n_expected(counts: NDArray[np.int64], n_items: int) -> int:
    """Count the pairs that enough items would carry by chance; `counts` descend."""
    needed = np.ceil(_EXPECTED * n_items / np.maximum(counts, 1)).astype(np.int64)
    reached = np.searchsorted(-counts, -needed, "right")  # tags that are frequent enough for it
    return int(np.maximum(reached - np.arange(len(counts)) - 1, 0).sum())


def _relations(pairs: _Pairs, top: int, names: list[str], kind: str) -> Iterator[Relation]:
    for k in range(min(top, len(pairs.both))):
        yield Relation(
            names[pairs.first[k]],
            names[pairs.second[k]],
            float(pairs.lift[k]),
            int(pairs.both[k]),
            kind,
        )


def _shared_pairs(matrix: Any, n_items: int) -> Iterator[_Pairs]:
    """Give all pairs that share an item, in blocks of the first tag."""
    by_tag = matrix.T.tocsr()
    counts = np.diff(by_tag.indptr)
    # No row of the product has more entries than its items have tags.
    cost = by_tag @ np.diff(matrix.indptr).astype(np.float64)
    begin = 0
    while begin < len(counts):
        end = begin + max(1, int(np.searchsorted(np.cumsum(cost[begin:]), _PAIRS, "right")))
        block = sparse.coo_array(by_tag[begin:end] @ matrix)
        first, second = block.row.astype(np.int64) + begin, block.col.astype(np.int64)
        upper = first < second
        yield _measure(first[upper], second[upper], block.data[upper], counts, n_items)
        begin = end


def _frequent_pairs(matrix: Any, n_items: int) -> Iterator[_Pairs]:
    """Give all pairs of frequent tags, those that share no item too."""
    counts = np.bincount(matrix.indices, minlength=matrix.shape[1])
    most = counts.max(initial=0)
    n = min(_FREQUENT, int((counts * most >= _EXPECTED * n_items).sum()))  # counts descend
    part = sparse.csr_array(matrix[:, :n])
    by_tag = part.T.tocsr()
    step = max(1, _PAIRS // max(1, n))
    for begin in range(0, n, step):
        block = np.asarray((by_tag[begin : begin + step] @ part).toarray())
        first, second = np.nonzero(np.arange(begin, begin + len(block))[:, None] < np.arange(n))
        yield _measure(first + begin, second, block[first, second], counts, n_items)


def _measure(
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    both: NDArray[np.float64],
    counts: NDArray[np.int64],
    n_items: int,
) -> _Pairs:
    """Compare the four counts of each pair with what independence expects."""
    a, b, n = counts[first].astype(np.float64), counts[second].astype(np.float64), float(n_items)
    evidence = np.zeros(len(both))
    for seen, expected in (
        (both, a * b / n),
        (a - both, a * (n - b) / n),
        (b - both, (n - a) * b / n),
        (n - a - b + both, (n - a) * (n - b) / n),
    ):
        # Where nothing is expected nothing is seen, and the term is 0.
        ratio = np.divide(seen, expected, out=np.ones_like(seen), where=expected > 0)
        evidence += 2 * xlogy(seen, ratio)
    return _Pairs(first, second, both, a * b / n, evidence)
