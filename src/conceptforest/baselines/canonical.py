"""Canonical correlations of two or more views of the same items, with regularisation.

With C the covariance of all views side by side, and B its diagonal blocks with r times the mean
variance of the view added to each diagonal, the directions w are the leading ones of

    (B + what C has outside of these blocks) w = lambda B w,    w' B w = 1

For two views lambda - 1 is their correlation (Hardoon et al. 2004); for more, this is the form of
Bach and Jordan that Gong et al. (2014) use. Once the views are whitened, B is the identity. A view
wider than all others together then counts only by what the others can see of it, so that 4,096
features and 1,000 tags make an eigenproblem of 2,000 rows, not of 5,096.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from scipy.linalg import LinAlgError, cholesky, eigh, qr, solve_triangular
from scipy.linalg.lapack import dpstrf
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from conceptforest.in_threads import in_threads

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

__all__ = ["Canonical", "canonical_correlations", "column_means"]

_Pairs: TypeAlias = dict[tuple[int, int], Any]

_BLOCK = 2**21  # numbers that are centred at a time: 16 MB
_TILE = 512  # columns of a covariance that a thread works on
_NOTHING = 1e-8  # agreement up to this is rounding


class Canonical(NamedTuple):
    """What the views share.

    Attributes
    ----------
    values : ndarray of shape (n_components,)
        The eigenvalues above 1, the largest first.
    projections : list of ndarray of shape (n_items, n_components), one for each view
        The centred views times their parts of the directions.
    """

    values: NDArray[np.float64]
    projections: list[NDArray[np.float64]]


# One thread a product gives the same sums in the same order, whatever `n_threads`.
@threadpool_limits.wrap(limits=1)  # type: ignore[untyped-decorator]
def canonical_correlations(
    views: Sequence[Any],
    *,
    regularisation: float = 1e-4,
    n_components: int = 128,
    n_threads: int = 1,
) -> Canonical:
    """Find the directions in which views of the same items agree.

    Parameters
    ----------
    views : sequence of array or sparse array, each of n_items rows
        Two or more, finite.
    regularisation : float, default=1e-4
        Above 0: of the mean variance of a view, what is added to each of its variances.
    n_components : int, default=128
        Directions at most. Those without any agreement are left out, so there may be none.
    n_threads : int, default=1
        The result does not depend on it.

    Returns
    -------
    Canonical

    Examples
    --------
    >>> x = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> found = canonical_correlations([x, 5 - 3 * x], regularisation=1e-9)
    >>> (found.values - 1).round(6).tolist()
    [1.0]
    >>> bool(np.allclose(*found.projections))
    True
    """
    parts = [_View(view) for view in views]
    joint = _covariance(parts, n_threads)
    ends = np.cumsum([0, *(part.width for part in parts)])
    own = [slice(start, end) for start, end in pairwise(ends)]
    roots = [
        _root(joint[at, at], part.n_columns, regularisation)
        for part, at in zip(parts, own, strict=True)
    ]
    between = {
        (i, j): _whitened(joint[own[i], own[j]], roots[i], roots[j])
        for i in range(len(parts))
        for j in range(i + 1, len(parts))
    }
    values, directions = _agreements(between, [part.width for part in parts], n_components)
    weights = [
        solve_triangular(root, direction) for root, direction in zip(roots, directions, strict=True)
    ]
    return Canonical(
        values, [part.project(weight) for part, weight in zip(parts, weights, strict=True)]
    )


class _View:
    """Rows of a view; where there are fewer items than columns, coordinates in their span."""

    def __init__(self, rows: Any) -> None:
        self.n_items, self.n_columns = rows.shape
        self._rows = rows
        self._mean = column_means(rows)
        if self.n_columns > self.n_items:
            self._rows = _coordinates(rows, self._mean)
            self._mean = column_means(self._rows)
        self.width = int(self._rows.shape[1])

    def centred(self, part: slice) -> NDArray[np.float64]:
        """Give some rows around the mean of all."""
        rows = self._rows[part]
        rows = rows if isinstance(rows, np.ndarray) else rows.toarray()
        return np.subtract(rows, self._mean, dtype=np.float64)

    def project(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the centred rows times weights, shape (n_items, n_components)."""
        found = np.empty((self.n_items, weights.shape[1]))
        for part in _slices(self.n_items, self.width):
            found[part] = self.centred(part) @ weights
        return found


def _slices(n_items: int, width: int) -> Iterator[slice]:
    """Cut the items into slices whose rows make a block."""
    step = max(1, _BLOCK // max(1, width))
    return (slice(start, min(start + step, n_items)) for start in range(0, n_items, step))


def column_means(rows: Any) -> NDArray[np.float64]:
    """Give the mean of each column, of one that never changes without any rounding.

    Examples
    --------
    >>> column_means(np.full((3, 1), 0.1)).tolist()
    [0.1]
    """
    means: NDArray[np.float64] = np.asarray(rows.sum(axis=0, dtype=np.float64)).ravel()
    means /= rows.shape[0]
    if isinstance(rows, np.ndarray):  # of 0/1 the sums are exact
        constant = np.ones(rows.shape[1], dtype=np.bool_)
        for part in _slices(*rows.shape):
            constant &= (rows[part] == rows[0]).all(axis=0)
        means[constant] = rows[0, constant]
    return means


def _coordinates(rows: Any, mean: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give rows with the same inner products around the mean, and no more columns than rows."""
    if isinstance(rows, np.ndarray):
        centred = np.subtract(rows, mean, dtype=np.float64)
        products = centred @ centred.T
    else:
        wide = rows.astype(np.float64)
        towards = wide @ mean
        products = (wide @ wide.T).toarray() - towards[:, None] - towards + mean @ mean
    root, order, rank, _ = dpstrf(products, lower=1)  # a Cholesky root that stops at the rank
    found = np.zeros((len(products), max(1, rank)))
    found[order - 1, :rank] = np.tril(root)[:, :rank]
    return found


def _covariance(parts: Sequence[_View], n_threads: int) -> NDArray[np.float64]:
    """Give the upper triangle of the covariance of all views side by side."""
    n_items, width = parts[0].n_items, sum(part.width for part in parts)
    total = np.zeros((width, width))
    starts = [slice(start, start + _TILE) for start in range(0, width, _TILE)]
    tiles = [(a, b) for place, a in enumerate(starts) for b in starts[place:]]
    for rows in _slices(n_items, width):
        block = np.concatenate([part.centred(rows) for part in parts], axis=1)

        def add(tile: tuple[slice, slice], block: NDArray[np.float64] = block) -> None:
            total[tile] += block[:, tile[0]].T @ block[:, tile[1]]

        with in_threads(add, tiles, n_threads) as results:
            for _ in results:
                pass
    total /= n_items
    return total


def _root(
    covariance: NDArray[np.float64], n_columns: int, regularisation: float
) -> NDArray[np.float64]:
    """Give the upper Cholesky root of a view's regularised covariance."""
    variance = float(np.trace(covariance)) / n_columns
    if variance == 0:
        return np.eye(len(covariance))  # a view that never changes agrees with none
    regularised = covariance + regularisation * variance * np.eye(len(covariance))
    try:
        root = np.asarray(cholesky(regularised, overwrite_a=True), dtype=np.float64)
    except LinAlgError as error:
        raise ValueError(
            f"regularisation={regularisation} is too little: some features or tags follow from"
            " others. Give a larger one, such as 1e-4."
        ) from error
    return root


def _whitened(
    covariance: NDArray[np.float64], left: NDArray[np.float64], right: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Give the covariance of two views that are whitened by the roots of their own."""
    half = solve_triangular(left, covariance, trans="T")
    return np.asarray(solve_triangular(right, half.T, trans="T").T)


def _agreements(
    between: _Pairs, widths: list[int], n_components: int
) -> tuple[NDArray[np.float64], list[NDArray[np.float64]]]:
    """Give the eigenvalues of whitened views, and their eigenvectors view by view.

    Parameters
    ----------
    between : dict of ndarray
        For each pair of views i < j their covariance, shape (widths[i], widths[j]).
    widths : list of int
    n_components : int
        Eigenvalues at most.
    """
    widest = int(np.argmax(widths))
    rest = sum(widths) - widths[widest]
    basis = None
    if widths[widest] > rest:
        between, basis = _narrowed(between, widest)
        widths = [rest if place == widest else width for place, width in enumerate(widths)]
    starts = np.cumsum([0, *widths])
    size = int(starts[-1])
    matrix = np.zeros((size, size))
    for (i, j), block in between.items():
        matrix[starts[i] : starts[i + 1], starts[j] : starts[j + 1]] = block
    wanted = [size - min(n_components, size), size - 1]
    values, vectors = eigh(matrix, lower=False, subset_by_index=wanted)
    kept = np.flatnonzero(values > _NOTHING)[::-1]
    directions = np.split(vectors[:, kept], starts[1:-1])
    if basis is not None:
        directions[widest] = basis @ directions[widest]
    return 1 + values[kept], directions


def _narrowed(between: _Pairs, widest: int) -> tuple[_Pairs, NDArray[np.float64]]:
    """Bring the widest view down to the span of what others see of it; give a basis of that.

    Whatever of the view is outside has the eigenvalue 1.
    """
    pairs = [pair for pair in between if widest in pair]
    seen = [between[pair] if pair[0] == widest else between[pair].T for pair in pairs]
    basis, small = qr(np.hstack(seen), mode="economic")
    ends = np.cumsum([part.shape[1] for part in seen])[:-1]
    narrow = dict(between)
    for pair, part in zip(pairs, np.split(small, ends, axis=1), strict=True):
        narrow[pair] = part if pair[0] == widest else part.T
    return narrow, basis
