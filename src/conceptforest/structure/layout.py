"""A map of the collection in the plane, on which items of high affinity lie side by side.

Every connected piece of the graph is laid out by itself, by attraction along its edges and
repulsion between random items; then the pieces are set in rows, each with room for its items.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import connected_components
from scipy.spatial import cKDTree

from conceptforest import _core
from conceptforest.checks import whole
from conceptforest.progress import progress_bar
from conceptforest.structure.graph import neighbour_graph

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["lay_out"]

_FEW = 10_000  # items of a piece, up to which there is time for the longer schedule
_EPOCHS = (300, 150)
_MOST_EPOCHS = 100_000
_HOLD = 5.0  # sum of the weights of an item's edges in its own view
_HIGHEST_POWER = 64  # of affinities, in the search for it
_REPELLED = 15  # random items that push a pulled one away
_SPAN = 10.0  # the first positions lie between minus and plus this
_JITTER = 0.01  # of the span, so that items of equal vectors can part
_SAME = 1e-9  # entries of a vector that differ by less are the same but for rounding
_GAP = 1.0  # around a piece, in sides of one item's room
_WIDER = 1.2  # rows of pieces, than the side of a square of the same area
_LEAST = 0.35  # distance of two items, in sides of the room that each would have in the square
_ROUNDS = 30  # of moving items apart that are closer


def lay_out(
    graph: Any,
    *,
    embedding: Any = None,
    n_epochs: int | None = None,
    random_state: int = 0,
    verbose: int = 0,
) -> NDArray[np.float32]:
    """Give every item a place on a map.

    Parameters
    ----------
    graph : sparse array of shape (n_items, n_items)
        Affinities of neighbours, not negative, as in ``ConceptClustering.graph_``. Of two
        affinities of a pair the larger counts; the diagonal does not.
    embedding : array-like of shape (n_items, n_vectors) or None, default=None
        Leading spectral vectors, as in ``ConceptClustering.embedding_``; the second and the third
        are the first positions, which keeps the large shapes. None begins with random ones.
    n_epochs : int or None, default=None
        Rounds of pulling and pushing; None is 300, or 150 for a piece of more than 10,000 items.
    random_state : int, default=0
        Seed, not negative.
    verbose : int, default=0
        1 shows progress.

    Returns
    -------
    ndarray of shape (n_items, 2), float32
        In the unit square, reaching from 0 to 1 in the longer direction; all finite, no two equal.

    Raises
    ------
    TypeError, ValueError
        If the graph, the embedding or a parameter is not as described.

    Examples
    --------
    >>> ring = sparse.diags_array([1.0, 1.0, 1.0], offsets=[1, -1, 7], shape=(8, 8))
    >>> places = lay_out(ring)
    >>> places.shape, float(places.min()), float(places.max())
    ((8, 2), 0.0, 1.0)
    """
    graph = _check_graph(graph)
    whole("random_state", random_state, 0)
    if n_epochs is not None:
        whole("n_epochs", n_epochs, 0, " or None")
        if n_epochs > _MOST_EPOCHS:
            raise ValueError(f"n_epochs must be at most {_MOST_EPOCHS}; got {n_epochs}.")
    n = graph.shape[0]
    vectors = _check_embedding(embedding, n)
    rng = np.random.RandomState(np.random.SeedSequence(random_state).generate_state(4))
    places = rng.uniform(-1.0, 1.0, size=(n, 2))
    weights = _pull_weights(graph)
    pieces = _pieces(graph)
    epochs = [_n_epochs(len(piece), n_epochs) for piece in pieces]
    total = sum(len(piece) * rounds for piece, rounds in zip(pieces, epochs, strict=True))
    done = 0
    with progress_bar("drawing the map", total, show=verbose > 0) as update:
        for number, (piece, rounds) in enumerate(zip(pieces, epochs, strict=True)):
            part = weights if len(piece) == n else sparse.csr_array(weights[piece][:, piece])
            places[piece] = _settle(
                part,
                _first_places(vectors[piece], places[piece]),
                rounds,
                _seed(random_state, number),
                _shifted(update, done, len(piece)),
            )
            done += len(piece) * rounds
    return _move_apart(_pack(places, pieces), rng)


def _check_graph(graph: Any) -> Any:
    numbers = sparse.issparse(graph) and graph.dtype.kind in "fiub"  # type: ignore[attr-defined]
    if not numbers or graph.ndim != 2:
        raise TypeError(
            f"graph must be a sparse array of affinities; got {type(graph).__name__}. Give"
            " ConceptClustering(...).fit(X, tags).graph_ or scipy.sparse.csr_array(affinities)."
        )
    if graph.shape[0] != graph.shape[1]:
        raise ValueError(
            f"graph has the shape {graph.shape}; it needs a row and a column per item."
        )
    opened = sparse.coo_array(graph)
    if not (np.isfinite(opened.data).all() and (opened.data >= 0).all()):
        raise ValueError("graph holds negative or infinite numbers or NaN; give affinities from 0.")
    return neighbour_graph(opened)


def _check_embedding(embedding: Any, n: int) -> NDArray[np.float64]:
    """Give the second and the third vector as far as they are there, shape (n, 0 to 2)."""
    if embedding is None:
        return np.zeros((n, 0))
    vectors = np.asarray(embedding)
    if vectors.ndim != 2 or len(vectors) != n or vectors.dtype.kind not in "fiu":
        raise ValueError(
            f"embedding is of shape {vectors.shape} and type {vectors.dtype}; it needs a row of"
            f" numbers for each of the {n} items of the graph."
        )
    if not np.isfinite(vectors).all():
        raise ValueError("embedding contains NaN or infinity; give finite numbers only.")
    return np.asarray(vectors[:, 1:3], dtype=np.float64)


def _pull_weights(graph: Any) -> Any:
    """Weigh every edge by how near its items are in the view of each.

    In an item's view an affinity counts as its ratio to the item's largest, to the first whole
    power at which the row's ratios sum up to `_HOLD` at most: items in thin and in dense parts of
    the collection, and items that many others chose, so hold on to about as many. Of the views p
    and q of a pair, p + q - p q is kept: near for either is near.
    """
    n = graph.shape[0]
    rows = np.repeat(np.arange(n), np.diff(graph.indptr))
    largest = np.zeros(n)
    np.maximum.at(largest, rows, graph.data)
    ratio = graph.data / largest[rows]
    view = ratio.copy()
    for _ in range(_HIGHEST_POWER - 1):  # products alone: powers differ between machines
        full = np.bincount(rows, weights=view, minlength=n) > _HOLD
        if not full.any():
            break
        view = np.where(full[rows], view * ratio, view)
    one_way = sparse.csr_array((view, graph.indices, graph.indptr), graph.shape)
    other = sparse.csr_array(one_way.T)
    other.sort_indices()
    data = np.minimum(view + other.data - view * other.data, 1.0).astype(np.float32)
    return sparse.csr_array((data, graph.indices, graph.indptr), graph.shape)


def _pieces(graph: Any) -> list[NDArray[np.int64]]:
    """Give the items of each connected piece, ascending; the largest piece first."""
    n_pieces, piece = connected_components(graph, directed=False)
    sizes = np.bincount(piece, minlength=n_pieces)
    order = np.argsort(piece, kind="stable")
    parts = np.split(order, np.cumsum(sizes)[:-1])
    return [parts[k] for k in np.argsort(-sizes, kind="stable")] if len(piece) else []


def _n_epochs(size: int, given: int | None) -> int:
    if size == 1:
        return 0
    return _EPOCHS[size > _FEW] if given is None else int(given)


def _first_places(vectors: NDArray[np.float64], spread: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give a piece's vectors with some jitter; where they say nothing, the random spread."""
    places = spread.copy()
    for k in range(vectors.shape[1]):
        vector = vectors[:, k] - vectors[:, k].mean()
        largest = np.abs(vector).max()
        if largest > _SAME:
            places[:, k] = vector / largest + _JITTER * spread[:, k]
    return np.asarray(_SPAN * places)


def _seed(random_state: int, number: int) -> int:
    """Draw the seed of a piece."""
    keys = np.random.SeedSequence((int(random_state), number))
    return int(keys.generate_state(1, np.uint64)[0])


def _shifted(
    update: Callable[[int], None] | None, done: int, size: int
) -> Callable[[int], None] | None:
    """Turn epochs of one piece into the progress of all."""
    return None if update is None else lambda epochs: update(done + size * epochs)


def _settle(
    weights: Any,
    places: NDArray[np.float64],
    n_epochs: int,
    seed: int,
    progress: Callable[[int], None] | None,
) -> NDArray[np.float64]:
    """Pull and push the items of one piece."""
    if n_epochs == 0:
        return places
    position = np.ascontiguousarray(places, dtype=np.float32)
    _core.lay_out(
        weights.indptr.astype(np.int64),
        weights.indices.astype(np.int32),
        weights.data,
        position,
        n_epochs=n_epochs,
        n_repelled=_REPELLED,
        seed=seed,
        progress=progress,
    )
    return position.astype(np.float64)


def _pack(places: NDArray[np.float64], pieces: list[NDArray[np.int64]]) -> NDArray[np.float64]:
    """Set the pieces in rows from the top, the largest first; an item's room has side 1."""
    sizes = np.full((len(pieces), 2), _GAP)
    for k, piece in enumerate(pieces):
        inside = places[piece] - places[piece].min(axis=0)
        sides = inside.max(axis=0)
        if sides.max() > 0:  # a piece gets the area of its items, however far they pushed
            inside *= np.sqrt(len(piece)) / max(np.sqrt(sides[0] * sides[1]), sides.max() / 10)
        places[piece] = inside
        sizes[k] += inside.max(axis=0)
    if len(pieces) < 2:
        return places
    width = max(sizes[:, 0].max(), _WIDER * np.sqrt((sizes[:, 0] * sizes[:, 1]).sum()))
    x = y = height = 0.0
    for k in np.argsort(-sizes[:, 1], kind="stable"):
        if x > 0 and x + sizes[k, 0] > width:
            x, y, height = 0.0, y + height, 0.0
        places[pieces[k]] += (x, y)
        x += sizes[k, 0]
        height = max(height, sizes[k, 1])
    return places


def _move_apart(places: NDArray[np.float64], rng: np.random.RandomState) -> NDArray[np.float32]:
    """Fit the places into the unit square, none on top of another."""
    n = len(places)
    least = _LEAST / np.sqrt(max(n, 1))
    places = _fit(places) + 0.01 * least * rng.uniform(-1.0, 1.0, size=places.shape)
    for _ in range(_ROUNDS):
        pairs = cKDTree(places).query_pairs(least, output_type="ndarray")
        if len(pairs) == 0:
            break
        pairs = pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))]  # sums in one order on every machine
        apart = places[pairs[:, 0]] - places[pairs[:, 1]]
        distance = np.maximum(np.sqrt((apart**2).sum(axis=1)), 1e-12)
        move = apart * ((least - distance) / distance / 2)[:, None]
        for k in range(2):
            places[:, k] += np.bincount(pairs[:, 0], weights=move[:, k], minlength=n)
            places[:, k] -= np.bincount(pairs[:, 1], weights=move[:, k], minlength=n)
    return _fit(places).astype(np.float32)


def _fit(places: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scale to the unit square, the shorter direction in its middle."""
    if len(places) == 0:
        return places
    low = places.min(axis=0)
    sides = places.max(axis=0) - low
    longest = sides.max()
    if longest == 0:
        return np.full_like(places, 0.5)
    return np.asarray(np.clip((places - low) / longest + (1 - sides / longest) / 2, 0.0, 1.0))
