"""Items that are there twice: files of the same content, and pictures that look the same."""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from conceptforest.forest.parameters import n_threads
from conceptforest.progress import progress_bar
from conceptforest.structure.visual_neighbours import nearest_items

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["DuplicateGroup", "near_duplicates"]

_LEAST_SIMILARITY = 0.9  # of two items that look the same
_OF_TYPICAL = 0.15  # their distance, at most, in distances that are usual in the collection
_USUAL = 5  # the neighbour whose distance is usual: the first few may be copies themselves
_PARTNERS = 10  # nearest items that an item is compared with
_LARGEST = 200  # different items in a group of look-alikes: checking all pairs stays quick
_ROWS = 1024  # whose neighbours are looked for at a time


@dataclass(frozen=True)
class DuplicateGroup:
    """Items that show the same.

    Attributes
    ----------
    items : tuple of int
        At least two, ascending.
    similarity : float
        The least cosine similarity of two of them; 1.0 where all have the same content.
    """

    items: tuple[int, ...]
    similarity: float


def near_duplicates(
    X: Any,
    *,
    digests: Any = None,
    threshold: float | None = None,
    n_jobs: int | None = None,
    verbose: int = 0,
) -> list[DuplicateGroup]:
    """Find the items that are the same, or look the same.

    Features are standardised, so that each counts alike, and compared by their cosine. Without a
    threshold, two items look the same if their cosine distance is at most 0.1, and at most 0.15 of
    what is usual in the collection: the median distance of an item to its fifth nearest. All items
    of a group look the same, each as each other: a chain of similar items, as in a video, is cut
    into several groups.

    Parameters
    ----------
    X : array-like of shape (n_items, n_features)
        Finite visual features; an item whose features are all 0 looks like no other.
    digests : sequence of str, bytes or None, length n_items, or None, default=None
        Digest of each item's content; equal ones are the same item, whatever their features.
        None is an unknown one.
    threshold : float or None, default=None
        Least cosine similarity of two items of a group, above 0 and at most 1.
    n_jobs : int or None, default=None
        Threads, as in scikit-learn. The result does not depend on it.
    verbose : int, default=0
        1 shows progress.

    Returns
    -------
    list of DuplicateGroup
        No item is in two of them. The most similar first; equal ones by their first item.

    Raises
    ------
    TypeError, ValueError
        If the features, the digests or the threshold are not as described.

    Notes
    -----
    Each item is compared with its 10 nearest, and at most 200 different items make up a group. The
    search is exact and takes memory for one copy of the features in single precision.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(50, 16))
    >>> X[7] = X[3] + 0.001
    >>> found = near_duplicates(X, digests=["a", "b", "a"] + [None] * 47)
    >>> [(group.items, round(group.similarity, 4)) for group in found]
    [((0, 2), 1.0), ((3, 7), 1.0)]
    """
    rows = _standardise(_check_features(X))
    if threshold is not None:
        _check_threshold(threshold)
    same = _same_content(rows, _check_digests(digests, len(rows)))
    rows = rows[[items[0] for items in same]]
    groups = [[k] for k in range(len(same))]
    similarity = np.ones(len(same))
    if len(rows) > 1:
        with threadpool_limits(n_threads(n_jobs)):
            nearest, distance = _nearest(rows, verbose=verbose)
        most = _largest_distance(distance) if threshold is None else 1 - float(threshold)
        groups, similarity = _group(rows, *_pairs(nearest, distance, most), most)
    found = []
    for group, least in zip(groups, similarity, strict=True):
        items = sorted(item for k in group for item in same[k])
        if len(items) > 1:
            found.append(DuplicateGroup(tuple(items), float(least)))
    return sorted(found, key=lambda group: (-group.similarity, group.items))


def _check_features(X: Any) -> NDArray[Any]:
    rows = np.asarray(X)
    if rows.ndim != 2 or rows.dtype.kind not in "fiub":
        raise TypeError(
            f"X must be a table of numbers, one row per item; got {rows.ndim} dimension(s) of"
            f" {rows.dtype}."
        )
    if not np.isfinite(rows).all():
        raise ValueError("X contains NaN or infinity; give finite numbers only.")
    return rows


def _check_threshold(threshold: Any) -> None:
    if isinstance(threshold, bool) or not isinstance(threshold, numbers.Real):
        raise TypeError(
            f"threshold must be a number above 0, at most 1, or None; got {threshold!r}."
        )
    if not 0 < float(threshold) <= 1:
        raise ValueError(f"threshold must be above 0 and at most 1, or None; got {threshold}.")


def _check_digests(digests: Any, n: int) -> list[str | bytes | None]:
    if digests is None:
        return [None] * n
    if isinstance(digests, (str, bytes, Mapping)) or not isinstance(digests, Iterable):
        raise TypeError(
            f"digests is of type {type(digests).__name__}; give a list with a string, bytes or None"
            " for each item."
        )
    opened = list(digests)
    if len(opened) != n:
        raise ValueError(
            f"X has {n} items but there are {len(opened)} digests. Give one for each item, None"
            " where it is not known."
        )
    for number, digest in enumerate(opened):
        if digest is not None and not isinstance(digest, (str, bytes)):
            raise TypeError(
                f"The digest of item {number} is of type {type(digest).__name__}; give a string,"
                " bytes or None."
            )
    return opened


def _standardise(rows: NDArray[Any]) -> NDArray[np.float32]:
    """Bring each column to mean 0 and deviation 1; columns of one value, and rows of 0, to 0."""
    scaled = np.zeros(rows.shape, dtype=np.float32)
    for k in range(rows.shape[1] if len(rows) else 0):
        column = rows[:, k].astype(np.float64)
        largest = np.abs(column).max()
        if largest > 0:  # squares of huge or tiny numbers would not be numbers
            column = column / largest
            column -= column.mean()
            deviation = np.sqrt(np.square(column).mean())
            if deviation > 1e-12:  # else a rounding of the mean
                scaled[:, k] = column / deviation
    scaled[~np.any(rows, axis=1)] = 0
    return scaled


def _same_content(rows: NDArray[np.float32], digests: list[str | bytes | None]) -> list[list[int]]:
    """Gather the items of one digest, and those with the same features; by their first item.

    Rows of zeros say nothing and are like no other.
    """
    home: dict[Any, int] = {}
    groups: list[list[int]] = []
    silent: NDArray[np.bool_] = np.asarray(~np.any(rows, axis=1))
    for item, digest in enumerate(digests):
        keys: list[Any] = [] if digest is None else [digest]
        if not silent[item]:
            # A tuple can never equal a digest. Adding 0 makes one of the two zeros of the other.
            keys.append((blake2b((rows[item] + np.float32(0)).tobytes(), digest_size=16).digest(),))
        known = next((home[key] for key in keys if key in home), len(groups))
        if known == len(groups):
            groups.append([])
        groups[known].append(item)
        for key in keys:
            home.setdefault(key, known)
    return groups


def _nearest(
    rows: NDArray[np.float32], *, verbose: int
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Find the nearest other rows of each, block by block."""
    n = len(rows)
    k = min(_PARTNERS, n - 1)
    nearest = np.empty((n, k), dtype=np.int64)
    distance = np.empty((n, k))
    with progress_bar("looking for copies", n, show=verbose > 0) as update:
        for begin in range(0, n, _ROWS):
            block = slice(begin, min(begin + _ROWS, n))
            found, far = nearest_items(rows[block], rows, k + 1, metric="cosine", seed=None)
            own = found == np.arange(block.start, block.stop)[:, None]
            own[~own.any(axis=1), k] = True  # others are as near as the item itself
            nearest[block], distance[block] = found[~own].reshape(-1, k), far[~own].reshape(-1, k)
            if update is not None:
                update(block.stop)
    return nearest, distance


def _largest_distance(distance: NDArray[np.float64]) -> float:
    """Give the distance up to which two items of this collection look the same."""
    usual = float(np.median(distance[:, min(_USUAL, distance.shape[1]) - 1]))
    return min(1 - _LEAST_SIMILARITY, _OF_TYPICAL * usual)


def _pairs(
    nearest: NDArray[np.int64], distance: NDArray[np.float64], most: float
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Give the pairs that are near enough, the nearest first, each once."""
    row, place = np.nonzero(distance <= most)
    other = nearest[row, place]
    low, high = np.minimum(row, other), np.maximum(row, other)
    order = np.lexsort((high, low, distance[row, place]))
    _, first = np.unique(low[order] * len(nearest) + high[order], return_index=True)
    kept = order[np.sort(first)]
    return low[kept], high[kept]


def _group(
    rows: NDArray[np.float32], low: NDArray[np.int64], high: NDArray[np.int64], most: float
) -> tuple[list[list[int]], NDArray[np.float64]]:
    """Join groups, nearest pair first, whose items are all near enough (complete linkage)."""
    groups: dict[int, list[int]] = {k: [k] for k in range(len(rows))}
    home = list(groups)
    widest: dict[int, float] = dict.fromkeys(groups, 0.0)
    for one, other in zip(low.tolist(), high.tolist(), strict=True):
        a, b = home[one], home[other]
        if a == b or len(groups[a]) + len(groups[b]) > _LARGEST:
            continue
        apart = _farthest(rows[groups[a]], rows[groups[b]])
        # The candidates' distances are of another rounding: the pair itself must not fail by it.
        if apart > most + 1e-9:
            continue
        groups[a] += groups.pop(b)
        widest[a] = max(widest[a], widest.pop(b), apart)
        for k in groups[a]:
            home[k] = a
    return list(groups.values()), 1 - np.array([widest[k] for k in groups])


def _farthest(left: NDArray[np.float32], right: NDArray[np.float32]) -> float:
    """Give the largest cosine distance of a row on the left to a row on the right."""
    far = 0.0
    others = _unit(right)
    for row in _unit(left):  # half the squared distance of unit rows: exact for near ones
        far = max(far, float(np.square(others - row).sum(axis=1).max()) / 2)
    return far


def _unit(rows: NDArray[np.float32]) -> NDArray[np.float64]:
    wide = rows.astype(np.float64)
    lengths = np.sqrt(np.square(wide).sum(axis=1, keepdims=True))
    return np.asarray(np.divide(wide, lengths, out=np.zeros_like(wide), where=lengths > 0))
