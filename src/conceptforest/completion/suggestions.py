"""The table of suggested tags, and the items that speak for each."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest import _core
from conceptforest.completion.keep import contains, row_numbers
from conceptforest.progress import progress_bar

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conceptforest.forest.hml_forest import HMLForest
    from conceptforest.tags import TagMatrix

__all__ = [
    "Affinity",
    "best_missing",
    "check_items",
    "closest_carriers",
    "neighbours_that_carry",
    "to_frame",
]

_VOTERS = 5  # most items to name
_COUNTS = 2**24  # shared leaves counted at a time

Voters = list[tuple[int, "Affinity"]]


class Affinity(float):
    """An affinity that is written with two decimals, so that a list of them can be read.

    Examples
    --------
    >>> [(7, Affinity(1 / 3))]
    [(7, 0.33)]
    """

    __slots__ = ()

    def __repr__(self) -> str:
        return f"{float(self):.2f}"

    __str__ = __repr__


def check_items(items: Any, n_items: int) -> NDArray[np.int64]:
    """Give the items asked for, ascending and each once."""
    if items is None:
        return np.arange(n_items, dtype=np.int64)
    asked = np.asarray(items)
    if asked.ndim != 1 or (asked.size and asked.dtype.kind not in "iu"):
        raise TypeError(
            "items must be a list of item numbers; got an array of shape"
            f" {asked.shape} and dtype {asked.dtype}."
        )
    wrong = asked[(asked < 0) | (asked >= n_items)]
    if len(wrong):
        raise ValueError(
            f"items holds {wrong[0]}; items are numbered from 0 to {n_items - 1}, in the order in"
            " which they were given to fit."
        )
    return np.unique(asked.astype(np.int64))


def best_missing(
    scores: Any, tags: TagMatrix, items: NDArray[np.int64], *, n: int, min_score: float
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """Find the tags that items lack with the highest scores.

    Parameters
    ----------
    scores : csr_array of shape (n_items, n_tags), float64
    tags : TagMatrix
        Tags that the items have.
    items : ndarray of shape (n_asked,), int64
        Ascending.
    n : int
        Most tags for an item.
    min_score : float
        Lowest score; a score of 0 is never good enough.

    Returns
    -------
    items, columns, scores : ndarray of shape (n_found,)
        By item, then the highest score, the most frequent tag and the lowest column first.
    """
    part = scores[items]
    rows, columns, values = row_numbers(part), part.indices.astype(np.int64), part.data
    good = (values > 0) & (values >= min_score)
    good &= ~contains(tags.matrix[items], rows, columns)
    rows, columns, values = rows[good], columns[good], values[good]
    order = np.lexsort((columns, -tags.counts[columns], -values, rows))
    first = np.searchsorted(rows, np.arange(len(items)))
    order = order[np.arange(len(rows)) - first[rows] < n]
    return items[rows[order]], columns[order], values[order]


def neighbours_that_carry(
    neighbours: Any, tags: TagMatrix, items: NDArray[np.int64], columns: NDArray[np.int64]
) -> list[Voters]:
    """Name the neighbours of each item that carry a tag, nearest first.

    Parameters
    ----------
    neighbours : csr_array of shape (n_items, n_items), float64
        Affinities of the neighbours.
    tags : TagMatrix
    items, columns : ndarray of shape (n_pairs,), int64
        Items and the tags suggested for them.

    Returns
    -------
    list of n_pairs lists of (item, affinity)
    """
    near = neighbours[items]
    pair, other = row_numbers(near), near.indices
    carries = contains(tags.matrix, other.astype(np.int64), columns[pair])
    pair, other, affinity = pair[carries], other[carries], near.data[carries]
    order = np.lexsort((other, -affinity, pair))
    start = np.searchsorted(pair, np.arange(len(items) + 1))
    voters = []
    for first, end in pairwise(start.tolist()):
        chosen = order[first : min(end, first + _VOTERS)]
        voters.append(_voters(other[chosen], affinity[chosen]))
    return voters


def closest_carriers(
    forest: HMLForest,
    tags: TagMatrix,
    items: NDArray[np.int64],
    columns: NDArray[np.int64],
    *,
    clusters: NDArray[np.int64] | None,
    n_threads: int,
    verbose: bool,
) -> list[Voters]:
    """Name the training items that carry a tag and share most leaves with an item.

    Parameters
    ----------
    forest : HMLForest
    tags : TagMatrix
    items, columns : ndarray of shape (n_pairs,), int64
        Items, in runs of equal ones, and the tags suggested for them.
    clusters : ndarray of shape (n_items,), int64, or None
        Only items of the same cluster are named, even if they share no leaf.
    n_threads : int
    verbose : bool
        Show a progress bar.

    Returns
    -------
    list of n_pairs lists of (item, affinity)
    """
    voters: list[Voters] = [[] for _ in items]
    cluster_of = np.zeros(tags.n_items, np.int64) if clusters is None else clusters
    n_done = 0
    with progress_bar("finding who carries them", len(items), show=verbose) as update:
        for cluster in np.unique(cluster_of[items]):
            pool = np.flatnonzero(cluster_of == cluster)
            pairs = np.flatnonzero(cluster_of[items] == cluster)
            carriers: Any = tags.matrix[pool].tocsc()
            carriers.sort_indices()
            for asked, row, counts in _shared_leaves(forest, items[pairs], pool, n_threads):
                for pair, i in zip(pairs[asked], row, strict=True):
                    j, shared = columns[pair], counts[i]
                    those = carriers.indices[carriers.indptr[j] : carriers.indptr[j + 1]]
                    if clusters is None:
                        those = those[shared[those] > 0]
                    chosen = _most(shared[those], those)
                    voters[pair] = _voters(pool[chosen], shared[chosen] / forest.trees_.n_trees)
                n_done += len(asked)
                if update is not None:
                    update(n_done)
    return voters


def _shared_leaves(
    forest: HMLForest, items: NDArray[np.int64], pool: NDArray[np.int64], n_threads: int
) -> Any:
    """Count the leaves that items share with a pool of others, block by block.

    Yields places in `items`, the row of the counts that belongs to each, and the counts.
    """
    table = forest._leaf_table  # noqa: SLF001
    training = np.ascontiguousarray(table[:, pool])
    asked, row_of = np.unique(items, return_inverse=True)
    step = max(1, _COUNTS // len(pool))
    for first in range(0, len(asked), step):
        some = asked[first : first + step]
        counts = np.zeros((len(some), len(pool)), dtype=np.int32)
        rows = np.ascontiguousarray(table[:, some])
        _core.all_counts(rows, training, forest.trees_.offsets, counts, n_threads, None)
        places = np.flatnonzero((row_of >= first) & (row_of < first + step))
        yield places, row_of[places] - first, counts


def _most(counts: NDArray[np.int32], items: NDArray[Any]) -> NDArray[Any]:
    """Choose the items with the highest counts, of equal ones the first; `items` ascend."""
    if len(items) > 4 * _VOTERS:
        bound = np.partition(counts, len(counts) - _VOTERS)[len(counts) - _VOTERS]
        near = counts >= bound
        counts, items = counts[near], items[near]
    return items[np.argsort(-counts, kind="stable")[:_VOTERS]]


def _voters(items: NDArray[Any], affinity: NDArray[np.float64]) -> Voters:
    pairs = zip(items.tolist(), affinity.tolist(), strict=True)
    return [(item, Affinity(value)) for item, value in pairs]


def to_frame(
    items: NDArray[np.int64],
    columns: NDArray[np.int64],
    scores: NDArray[np.float64],
    why: list[Voters],
    vocabulary: tuple[str, ...],
) -> Any:
    """Write suggestions as a table with the columns item, tag, score and why."""
    import pandas as pd

    return pd.DataFrame(
        {
            "item": items,
            "tag": pd.Series([vocabulary[j] for j in columns], dtype=str),
            "score": scores,
            "why": pd.Series(why, dtype=object),
        }
    )
