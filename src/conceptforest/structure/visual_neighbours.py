"""Exact nearest items, in blocks of bounded memory.

Fast products of low precision only choose candidates: an error bound makes sure that no true
neighbour is left out. The distances of the candidates are then computed anew, one pair at a time,
so that neither the size of a block nor the number of threads can change the answer.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse

from conceptforest.checks import whole

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import DTypeLike, NDArray

__all__ = ["nearest_items"]

_BLOCK = 2**23  # distances held at a time: 64 MB
_PAIRS = 2**22  # numbers compared at a time when distances are computed anew: 32 MB
_CROWD = 8  # candidates per neighbour from which a second, finer product is worth its time
_METRICS = ("euclidean", "cosine")


def nearest_items(
    queries: Any,
    items: Any,
    k: int,
    *,
    metric: str = "euclidean",
    exclude_self: bool = False,
    seed: int | None = 0,
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Give the k nearest items of every query.

    Parameters
    ----------
    queries, items : array or sparse array of shapes (n_queries, d) and (n_items, d), or tuples
        Finite numbers. Tuples of arrays hold parts of the rows side by side, which are never
        joined: ``(features, tags)`` stands for their concatenation.
    k : int
        Neighbours of each query.
    metric : {"euclidean", "cosine"}, default="euclidean"
        The cosine distance is one minus the cosine; a row of zeros is at distance 1 from all. It
        is not available for tuples.
    exclude_self : bool, default=False
        The queries are the items, and each leaves itself out.
    seed : int or None, default=0
        Chooses among items at equal distance; None takes the first ones. With `exclude_self` the
        choice is made anew for each query; otherwise a query does not depend on its company.

    Returns
    -------
    indices : ndarray of shape (n_queries, k), int64
        Nearest first.
    distances : ndarray of shape (n_queries, k), float64
        To rounding; in sparse rows of fractions, to rounding of the rows' lengths.

    Raises
    ------
    TypeError, ValueError
        If rows are not tables of finite numbers of the same width, or there are fewer than k
        items to choose from.

    Examples
    --------
    >>> import numpy as np
    >>> points = np.array([[0.0, 0.0], [3.0, 4.0], [0.0, 1.0]])
    >>> indices, distances = nearest_items(points, points, 1, exclude_self=True)
    >>> indices.ravel().tolist(), distances.ravel().round(2).tolist()
    ([2, 2, 0], [1.0, 4.24, 1.0])
    """
    whole("k", k, 1)
    left, right = _open_rows(queries, "queries"), _open_rows(items, "items")
    _check_shapes(left, right, exclude_self=exclude_self)
    n_queries, n_items = left[0].shape[0], right[0].shape[0]
    _check_choice(k, metric, n_items - bool(exclude_self), n_parts=len(left))
    scale = _scale((*left, *right))
    parts = [
        (_SparsePart if sparse.issparse(a) else _DensePart)(a, b, scale, metric)
        for a, b in zip(left, right, strict=True)
    ]
    indices = np.empty((n_queries, k), dtype=np.int64)
    distances = np.empty((n_queries, k), dtype=np.float64)
    for rows in _slices(n_queries, _BLOCK // n_items):
        found = _candidates(parts, rows, n_items, k, exclude_self=exclude_self)
        chosen = _choose(found, k, seed, by_query=exclude_self)
        indices[rows] = found.item[chosen].reshape(-1, k)
        distances[rows] = found.square[chosen].reshape(-1, k)
    return indices, distances / 2 if metric == "cosine" else np.sqrt(distances) / scale


class _Candidates(NamedTuple):
    """Pairs that may be neighbours, by ascending query."""

    query: NDArray[np.int64]
    item: NDArray[np.int64]
    square: NDArray[np.float64]  # squared distance, or twice the cosine distance


def _candidates(
    parts: list[Any], rows: slice, n_items: int, k: int, *, exclude_self: bool
) -> _Candidates:
    """Find, for each query in `rows`, all items that may be among its k nearest."""
    settled = np.zeros((rows.stop - rows.start, n_items))
    open_parts = [part for part in parts if isinstance(part, _DensePart)]
    for part in parts:
        if isinstance(part, _SparsePart):
            settled += part.squares(rows)
    for fine in (False, True):
        near = _near(settled, open_parts, rows, k, fine=fine, exclude_self=exclude_self)
        if not open_parts or np.count_nonzero(near) <= _CROWD * k * len(near):
            break
    query, item = np.nonzero(near)
    square = settled[query, item]
    query += rows.start
    for part in open_parts:
        square += part.exact(query, item)
    return _Candidates(query, item, square)


def _near(
    settled: NDArray[np.float64],
    open_parts: list[_DensePart],
    rows: slice,
    k: int,
    *,
    fine: bool,
    exclude_self: bool,
) -> NDArray[np.bool_]:
    """Mark the items whose least possible distance is within the k-th greatest possible one."""
    squares = settled.copy()
    own, other = np.zeros((len(squares), 1)), np.zeros(squares.shape[1])
    for part in open_parts:
        squares += part.rough(rows, fine=fine)
        errors = part.errors(rows, fine=fine)
        own += errors[0]
        other += errors[1]
    if exclude_self:
        squares[np.arange(len(squares)), np.arange(rows.start, rows.stop)] = np.inf
    within = np.partition(squares + other, k - 1, axis=1)[:, k - 1 : k]  # argpartition: 3 x slower
    squares -= other
    return np.asarray(squares <= within + 2 * own)


def _choose(found: _Candidates, k: int, seed: int | None, *, by_query: bool) -> NDArray[np.int64]:
    """Give the places of the k nearest candidates of each query, equal ones by lot."""
    lot = found.item
    if seed is not None:
        query = found.query if by_query else np.zeros_like(found.query)
        lot = _lots(seed, query, found.item).view(np.int64)
    order = np.lexsort((lot, found.square, found.query))
    begins = np.flatnonzero(np.diff(found.query, prepend=-1))
    return np.asarray(order[(begins[:, None] + np.arange(k)).ravel()])


def _lots(seed: int, query: NDArray[np.int64], item: NDArray[np.int64]) -> NDArray[np.uint64]:
    """Draw a number for each pair that depends on nothing else (SplitMix64)."""
    state = np.full(len(query), seed % 2**64, dtype=np.uint64)
    for value in (query, item):
        state += (value.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
        state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        state ^= state >> np.uint64(31)
    return state


class _SparsePart:
    """Distances of sparse rows, by one product: exact for whole numbers such as tags."""

    def __init__(self, left: Any, right: Any, scale: float, metric: str) -> None:
        self._left = left * scale
        self._right = (right * scale).T.tocsr()
        self._lengths = _squared_lengths(self._left), _squared_lengths(right * scale)
        self._cosine = metric == "cosine"

    def squares(self, rows: slice) -> NDArray[np.float64]:
        """Give squared distances, or twice the cosine ones, shape (rows, n_items)."""
        products: NDArray[np.float64] = (self._left[rows] @ self._right).toarray()
        own, other = self._lengths[0][rows, None], self._lengths[1]
        if self._cosine:
            lengths = np.sqrt(own * other)
            np.divide(products, lengths, out=products, where=lengths > 0)
            own, other = np.ones((1, 1)), np.ones(1)
        products *= -2
        products += own
        products += other
        return np.maximum(products, 0, out=products)


class _DensePart:
    """Distances of dense rows: rough ones by matrix product, exact ones pair by pair."""

    def __init__(self, left: Any, right: Any, scale: float, metric: str) -> None:
        self._rows = left, right
        self._scales: tuple[Any, Any] = (
            np.full((len(left), 1), scale),
            np.full((len(right), 1), scale),
        )
        if metric == "cosine":
            self._centre = np.zeros(right.shape[1])
            self._scales = _inverse_lengths(left), _inverse_lengths(right)
            self._lengths = np.ones(len(left)), np.ones(len(right))
        else:  # around their mean rows are shorter, and products of short rows lose less
            self._centre = _mean(right, scale)
            self._lengths = self._centred_lengths(0), self._centred_lengths(1)
        self._zero = tuple(scales.ravel() == 0 for scales in self._scales)

    def _slices(self, n: int) -> Iterator[slice]:
        return _slices(n, _PAIRS // max(1, self._rows[0].shape[1]))

    def _read(self, side: int, which: Any) -> NDArray[np.float64]:
        rows, scales = self._rows[side][which], self._scales[side][which]
        return np.asarray(np.multiply(rows, scales, dtype=np.float64))

    def _read_centred(self, side: int, which: Any, dtype: DTypeLike) -> NDArray[Any]:
        return np.asarray((self._read(side, which) - self._centre).astype(dtype, copy=False))

    def _centred_lengths(self, side: int) -> NDArray[np.float64]:
        found = np.empty(len(self._rows[side]))
        for part in self._slices(len(found)):
            found[part] = np.square(self._read_centred(side, part, np.float64)).sum(axis=1)
        return found

    def errors(self, rows: slice, *, fine: bool) -> tuple[NDArray[Any], NDArray[Any]]:
        """Bound the error of `rough` by a number for the query plus one for the item.

        A product of rows a and b of d numbers errs by at most d + 3 roundings of |a||b|, which is
        at most (aa + bb) / 2, and it is taken twice. Centring errs by a rounding of 1, the largest
        number; numbers below the least normal one may be lost.
        """
        info = np.finfo(np.float64 if fine else np.float32)
        d = self._rows[0].shape[1]
        relative, least = (d + 8) * float(info.eps), 8 * (d + 8) * float(info.tiny)
        moved = float(np.finfo(np.float64).eps) * math.sqrt(d)
        own, other = (
            relative * lengths + 4 * moved * np.sqrt(lengths) + 2 * moved**2 + least
            for lengths in (self._lengths[0][rows], self._lengths[1])
        )
        return own[:, None], other

    def rough(self, rows: slice, *, fine: bool) -> NDArray[np.float64]:
        """Give squared distances, or twice the cosine ones, shape (rows, n_items)."""
        dtype = np.float64 if fine else np.float32
        left = self._read_centred(0, rows, dtype)
        own, other = self._lengths
        found = np.empty((len(left), len(other)))
        for part in self._slices(len(other)):
            found[:, part] = left @ self._read_centred(1, part, dtype).T
        found *= -2
        found += own[rows, None]
        found += other
        return found

    def exact(self, query: NDArray[np.int64], item: NDArray[np.int64]) -> NDArray[np.float64]:
        """Give the same for single pairs, from the differences of their rows."""
        found = np.empty(len(query))
        for part in self._slices(len(query)):
            apart = self._read(0, query[part])
            apart -= self._read(1, item[part])
            found[part] = np.square(apart, out=apart).sum(axis=1)
        # Only cosines have scales of 0: those of rows of zeros, which are like no other.
        found[self._zero[0][query] | self._zero[1][item]] = 2.0
        return found


def _open_rows(rows: Any, name: str) -> tuple[Any, ...]:
    """Give the parts of rows as dense arrays of numbers or CSR arrays of floats."""
    parts = rows if isinstance(rows, tuple) else (rows,)
    if not parts:
        raise ValueError(f"{name} is an empty tuple. Give at least one array.")
    return tuple(_open_part(part, name) for part in parts)


def _open_part(part: Any, name: str) -> Any:
    opened: Any = part if sparse.issparse(part) else np.asarray(part)
    if opened.ndim != 2 or opened.dtype.kind not in "fiub":
        raise TypeError(
            f"{name} must be a table of numbers, one row per item; got {opened.ndim} dimension(s)"
            f" of {opened.dtype}."
        )
    if sparse.issparse(part):
        opened = sparse.csr_array(opened, dtype=np.float64, copy=True)
        opened.sum_duplicates()
        finite = np.isfinite(opened.data).all()
    else:
        finite = all(np.isfinite(opened[s]).all() for s in _slices(len(opened), 4096))
    if not finite:
        raise ValueError(f"{name} contains NaN or infinity; give finite numbers only.")
    return opened


def _check_shapes(left: tuple[Any, ...], right: tuple[Any, ...], *, exclude_self: bool) -> None:
    """Check that queries and items are rows of the same kind."""
    kinds = [
        [f"{'sparse' if sparse.issparse(part) else 'dense'}, {part.shape[1]} wide" for part in side]
        for side in (left, right)
    ]
    if kinds[0] != kinds[1]:
        raise ValueError(
            f"queries and items must be rows of the same kind; queries are {'; '.join(kinds[0])}"
            f" and items are {'; '.join(kinds[1])}."
        )
    for name, side in (("queries", left), ("items", right)):
        sizes = {part.shape[0] for part in side}
        if len(sizes) > 1:
            raise ValueError(f"The parts of {name} have {sorted(sizes)} rows; give one row each.")
    if exclude_self and left[0].shape[0] != right[0].shape[0]:
        raise ValueError(
            f"exclude_self needs the items as queries, but there are {left[0].shape[0]} queries"
            f" and {right[0].shape[0]} items."
        )


def _check_choice(k: int, metric: str, available: int, *, n_parts: int) -> None:
    """Check the number of neighbours and the metric."""
    if metric not in _METRICS:
        raise ValueError(f"metric must be one of {', '.join(_METRICS)}; got {metric!r}.")
    if metric == "cosine" and n_parts > 1:
        raise ValueError("The cosine of rows in several parts is not available; join the parts.")
    if k > available:
        raise ValueError(
            f"k={k} neighbours are asked for, but there are {max(available, 0)} items to choose"
            " from. Ask for fewer, or give more items."
        )


def _scale(parts: tuple[Any, ...]) -> float:
    """Give the power of two that brings all numbers into [-1, 1]; it rounds nothing."""
    largest = 0.0
    for part in parts:
        numbers = part if isinstance(part, np.ndarray) else part.data
        largest = max(largest, float(numbers.max(initial=0)), -float(numbers.min(initial=0)))
    return math.ldexp(1.0, -max(math.frexp(largest)[1], -1000))


def _mean(rows: Any, scale: float) -> NDArray[np.float64]:
    total = np.zeros(rows.shape[1])
    for part in _slices(len(rows), 1024):
        total += np.multiply(rows[part], scale, dtype=np.float64).sum(axis=0)
    return np.asarray(total / max(1, len(rows)))


def _squared_lengths(rows: Any) -> NDArray[np.float64]:
    """Sum squares in the order in which a sparse product adds them up."""
    numbers = np.repeat(np.arange(rows.shape[0]), np.diff(rows.indptr))
    return np.bincount(numbers, weights=rows.data**2, minlength=rows.shape[0]).astype(np.float64)


def _inverse_lengths(rows: Any) -> NDArray[np.float64]:
    """Give one over the length of each row, and 0 for rows of zeros, shape (n, 1)."""
    found = np.zeros((len(rows), 1))
    for part in _slices(len(rows), 1024):
        block = rows[part].astype(np.float64)
        largest = np.abs(block).max(axis=1, initial=0.0)
        power = np.frexp(largest)[1]
        lengths = np.sqrt(np.square(np.ldexp(block, -power[:, None])).sum(axis=1))
        inverse = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=largest > 0)
        found[part, 0] = np.ldexp(inverse, -power)
    return found


def _slices(n: int, step: int) -> Iterator[slice]:
    """Cut range(n) into slices of at least one and at most `step`."""
    step = max(1, step)
    return (slice(start, min(start + step, n)) for start in range(0, n, step))
