"""Spectral embedding after Ng, Jordan and Weiss: the leading eigenvectors of the normalised graph.

Items without any affinity are left out. A graph in pieces has the eigenvalue 1 once for each
piece, and a Lanczos solver finds such copies slowly or not at all; but their eigenvectors are known
without a solver, so they are taken out of the matrix and only the others are searched for.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.linalg import eigh
from scipy.sparse.csgraph import connected_components
from scipy.sparse.linalg import ArpackError, LinearOperator, eigsh, lobpcg
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from conceptforest.structure.graph import degrees, normalise

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Embedding", "embed", "leading_vectors", "unit_rows"]

_DENSE = 300  # up to so many items a dense solver is quicker
_TOLERANCE = 1e-9  # of an eigenvalue
_LEAST_BASIS = 60  # with fewer Lanczos vectors, one of several nearly equal eigenvalues gets lost
_RESTARTS = 300  # of the Lanczos solver; it mostly needs fewer than 20
_COUPLING = 1e-6  # affinity that joins all items of a graph in too many pieces, in mean degrees
_CRUMB = 0.2  # of the mean cluster: smaller pieces would each take a vector from the others
_MAX_PIECES = 2000  # whose eigenvectors are computed at most; smaller pieces are left out


@dataclass(frozen=True, eq=False)
class Embedding:
    """Items as points on a sphere.

    Attributes
    ----------
    rows : ndarray of shape (n_items, n_vectors)
        Each of length 1, or 0 where the item is left out.
    eigenvalues : ndarray of shape (n_vectors,)
        The largest first.
    left_out : ndarray of shape (n_items,), bool
        Items without affinities, and those of pieces much smaller than a cluster.
    n_pieces : int
        Parts of the graph with no affinity between them; items left out do not count.
    """

    rows: NDArray[np.float64]
    eigenvalues: NDArray[np.float64]
    left_out: NDArray[np.bool_]
    n_pieces: int


def embed(graph: Any, n_vectors: int, *, random_state: int = 0) -> Embedding:
    """Embed the items of a graph by its leading eigenvectors.

    Parameters
    ----------
    graph : csr_array of shape (n_items, n_items)
        Symmetric, not negative, nothing on the diagonal.
    n_vectors : int
        At most the number of items that have affinities.
    random_state : int, default=0
        Seed of the solver's first vector.

    Returns
    -------
    Embedding

    Notes
    -----
    A piece with less than a fifth of the items that a cluster has on average is left out, like
    items without affinities, as long as half of the others stay: else every crumb would be a
    cluster of its own.

    If there are still more pieces than vectors are asked for, the eigenvectors are not unique. Then
    all items are joined by an affinity of 1e-6 of the mean degree over n_items, which decides
    between them.

    Examples
    --------
    >>> pairs = sparse.csr_array([[0, 1, 0, 0], [1, 0, 0, 0], [0, 0, 0, 1.0], [0, 0, 1.0, 0]])
    >>> rows = embed(pairs, 2).rows
    >>> bool(np.allclose(rows @ rows.T, [[1, 1, 0, 0], [1, 1, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1]]))
    True
    """
    piece = _pieces(graph, n_vectors)
    n_pieces = int(piece.max(initial=-1)) + 1
    inside = np.flatnonzero(piece >= 0)
    if n_vectors > len(inside):
        raise ValueError(
            f"{n_vectors} clusters are asked for, but only {len(inside)} items have an affinity to"
            " another item. Ask for fewer clusters."
        )
    part = graph if len(inside) == len(piece) else sparse.csr_array(graph[inside][:, inside])
    if n_pieces > n_vectors:
        values, vectors = _vectors_of_pieces(degrees(part), piece[inside], n_vectors)
    else:
        # One piece has one such vector, which the solver finds first of all.
        known = _known_vectors(degrees(part), piece[inside]) if n_pieces > 1 else None
        values, vectors = leading_vectors(
            normalise(part), n_vectors, known=known, random_state=random_state
        )
    rows = np.zeros((len(piece), n_vectors))
    rows[inside] = unit_rows(vectors)
    return Embedding(rows=rows, eigenvalues=values, left_out=piece < 0, n_pieces=n_pieces)


def unit_rows(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scale each row to length 1; rows of zeros stay.

    Examples
    --------
    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: NDArray[np.float64] = np.zeros_like(vectors)
    np.divide(vectors, lengths, out=scaled, where=lengths > 0)
    return scaled


# One thread gives the same sums in the same order on every machine.
@threadpool_limits.wrap(limits=1)  # type: ignore[untyped-decorator]
def leading_vectors(
    matrix: Any,
    n_vectors: int,
    *,
    known: NDArray[np.float64] | None = None,
    random_state: int = 0,
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Find the eigenvectors of the largest eigenvalues of a symmetric sparse matrix.

    Parameters
    ----------
    matrix : csr_array of shape (n, n)
        Its eigenvalues lie in [-1, 1].
    n_vectors : int
        At most n.
    known : ndarray of shape (n, n_known) or None, default=None
        Orthonormal eigenvectors of the eigenvalue 1, all that there are or some; at most
        `n_vectors`. The solver is spared them.
    random_state : int, default=0
        Seed of the solver's first vector.

    Returns
    -------
    values : ndarray of shape (n_vectors,)
        The largest first.
    vectors : ndarray of shape (n, n_vectors)
        Orthonormal; the entry of largest size in each is positive.

    Examples
    --------
    >>> values, _ = leading_vectors(sparse.diags_array([0.1, 0.9, 0.5]).tocsr(), 2)
    >>> values.tolist()
    [0.9, 0.5]
    """
    n = matrix.shape[0]
    known = np.zeros((n, 0)) if known is None else known
    wanted = n_vectors - known.shape[1]
    if wanted == 0:
        values, vectors = np.zeros(0), np.zeros((n, 0))
    elif n <= max(_DENSE, 2 * n_vectors):
        dense = matrix.toarray() - 3 * known @ known.T  # from 1 to -2, below all others
        values, vectors = eigh(dense, subset_by_index=[n - wanted, n - 1])
    else:
        values, vectors = _solve(matrix, wanted, known, np.random.RandomState(random_state))
    order = np.argsort(-values, kind="stable")
    values = np.concatenate([np.ones(known.shape[1]), values[order]])
    vectors = np.concatenate([known, vectors[:, order]], axis=1)
    largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(n_vectors)]
    return values, vectors * np.where(largest < 0, -1.0, 1.0)


def _solve(
    matrix: Any, wanted: int, known: NDArray[np.float64], rng: np.random.RandomState
) -> tuple[Any, Any]:
    """Run the Lanczos solver, or LOBPCG where it does not arrive.

    It works on the cube of the matrix, which has the same eigenvectors in the same order with wider
    gaps: half as many steps arrive, and keeping their vectors orthogonal is what takes the time.
    In single precision one of several nearly equal eigenvalues would get lost.
    """
    n = matrix.shape[0]
    start = rng.uniform(-1, 1, size=n)
    start -= known @ (known.T @ start)

    def cube(x: NDArray[Any]) -> NDArray[Any]:
        product: NDArray[Any] = matrix @ (matrix @ (matrix @ x))
        if known.shape[1]:
            product -= 3 * (known @ (known.T @ x))  # from 1 to -2, below all others
        return product

    try:
        values, vectors = eigsh(
            LinearOperator(matrix.shape, matvec=cube, dtype=np.float64),
            k=wanted,
            which="LA",
            v0=start,
            ncv=min(n, max(2 * wanted + 1, _LEAST_BASIS)),
            tol=_TOLERANCE,
            maxiter=_RESTARTS,
        )
        return np.cbrt(values), vectors
    except ArpackError:
        guess = rng.normal(size=(n, wanted))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # about accuracy: it is hard to reach
            found = lobpcg(matrix, guess, Y=known if known.shape[1] else None, maxiter=500)
        return found[0], found[1]


def _pieces(graph: Any, n_vectors: int) -> NDArray[np.int64]:
    """Give the number of each item's piece, the largest 0; -1 for items that are left out."""
    n_pieces, piece = connected_components(graph, directed=False)
    sizes = np.bincount(piece, minlength=n_pieces)
    least = max(2.0, _CRUMB * len(piece) / n_vectors)
    if 2 * sizes[sizes >= least].sum() < sizes[sizes > 1].sum():
        least = 2.0
    order = np.argsort(-sizes, kind="stable")
    kept = order[: max(_MAX_PIECES, n_vectors)]
    number = np.full(n_pieces, -1, dtype=np.int64)
    number[kept] = np.arange(len(kept))
    number[sizes < least] = -1  # the smallest ones, so the other numbers have no gaps
    return np.asarray(number[piece])


def _known_vectors(degree: NDArray[np.float64], piece: NDArray[np.int64]) -> NDArray[np.float64]:
    """Give the eigenvector of each piece: the roots of its items' degrees."""
    volume = np.bincount(piece, weights=degree)
    vectors = np.zeros((len(piece), len(volume)))
    vectors[np.arange(len(piece)), piece] = np.sqrt(degree / volume[piece])
    return vectors


@threadpool_limits.wrap(limits=1)  # type: ignore[untyped-decorator]
def _vectors_of_pieces(
    degree: NDArray[np.float64], piece: NDArray[np.int64], n_vectors: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give the leading eigenvectors of a graph whose pieces are joined by a weak affinity.

    To first order in that affinity they are constant on each piece but for the roots of the
    degrees, so it is enough to solve for the graph of the pieces.
    """
    n = len(degree)
    weak = _COUPLING * degree.mean() / n
    size, volume = np.bincount(piece), np.bincount(piece, weights=degree)
    total = volume + weak * n * size
    joined = (np.diag(volume) + weak * np.outer(size, size)) / np.sqrt(np.outer(total, total))
    values, small = eigh(joined, subset_by_index=[len(size) - n_vectors, len(size) - 1])
    vectors = small[piece, ::-1] * np.sqrt((degree + weak * n) / total[piece])[:, None]
    return values[::-1], vectors
