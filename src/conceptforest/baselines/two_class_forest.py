"""Forests that cluster by telling the items from synthetic ones, and the clusters that they give.

Breiman's way to grow a forest without classes: the items are one class, rows without the items'
structure the other. What the trees find on the way from one to the other is that structure.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from conceptforest.baselines.modes import joined
from conceptforest.baselines.spectral_cut import cut_graphs
from conceptforest.forest.affinity import nearest_affinity
from conceptforest.forest.growth import grow_trees, tree_keys
from conceptforest.forest.parameters import n_try
from conceptforest.structure.graph import neighbour_graph

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conceptforest.forest.evidence import LayerEvidence, Sources

__all__ = ["SYNTHESIS", "ForestSettings", "add_synthetic", "cut_forest"]

SYNTHESIS = ("marginals", "box")
_CELLS = 2**22  # synthetic values drawn at a time


def add_synthetic(parts: tuple[Any, ...], synthesis: str, seed: int) -> NDArray[Any]:
    """Write out the vectors of the items, and below them as many synthetic ones.

    Parameters
    ----------
    parts : tuple of ndarray or csr_array, each of n_items rows
        Vectors of the items, side by side. Columns of sparse parts without entries are left out:
        no tree could use them.
    synthesis : {"marginals", "box"}
        Draw each value from those of its column, on its own (Addcl1), or evenly between the
        smallest and the largest (Addcl2).
    seed : int

    Returns
    -------
    ndarray of shape (2 n_items, n_columns), float32 or float64

    Examples
    --------
    >>> rows = add_synthetic((np.array([[1.0, 5.0], [2.0, 6.0]]),), "marginals", 0)
    >>> rows.shape, set(rows[2:, 0].tolist()) <= {1.0, 2.0}
    ((4, 2), True)
    """
    kept = tuple(part if isinstance(part, np.ndarray) else _used_columns(part) for part in parts)
    dtype = np.result_type(np.float32, *(part.dtype for part in kept))
    real = joined(kept, dtype)
    n, d = real.shape
    rows = np.empty((2 * n, d), dtype=dtype)
    rows[:n] = real
    rng = np.random.default_rng(seed)
    low, high = real.min(axis=0), real.max(axis=0)
    step = max(1, _CELLS // d)
    for begin in range(n, 2 * n, step):
        block = rows[begin : begin + step]
        if synthesis == "marginals":
            block[:] = np.take_along_axis(real, rng.integers(n, size=block.shape), axis=0)
        else:
            share = rng.random(block.shape)
            block[:] = low * (1 - share) + high * share
    return rows


def _used_columns(part: Any) -> Any:
    return part[:, np.flatnonzero(np.bincount(part.indices, minlength=part.shape[1]))]


class ForestSettings(NamedTuple):
    """How to grow a forest, and how to cluster by it."""

    n_estimators: int
    min_samples_leaf: int
    bootstrap: bool
    n_clusters: int
    n_neighbors: int
    n_init: int
    seed: int
    n_threads: int
    verbose: bool


def cut_forest(
    rows: NDArray[Any],
    layer: LayerEvidence,
    sources: Sources | None,
    X: NDArray[Any],
    settings: ForestSettings,
) -> NDArray[np.int64]:
    """Grow a forest, join items by the leaves that they share (Eq. 10), and cut the graph.

    Parameters
    ----------
    rows : ndarray of shape (n_rows, n_columns)
        The items, and below them synthetic ones, if any.
    layer : LayerEvidence
        Of all rows.
    sources : Sources or None
    X : ndarray of shape (n_items, n_features)
        Decides on items that share a leaf with none.
    settings : ForestSettings

    Returns
    -------
    ndarray of shape (n_items,), int64
    """
    trees, all_leaves = grow_trees(
        rows,
        [layer],
        tree_keys(settings.seed, 0, settings.n_estimators),
        n_try=n_try("sqrt", rows.shape[1]),
        min_leaf=settings.min_samples_leaf,
        evidence_weights=False,
        bootstrap=settings.bootstrap,
        n_threads=settings.n_threads,
        verbose=settings.verbose,
        sources=sources,
    )
    leaves = np.ascontiguousarray(all_leaves[:, : len(X)])
    del all_leaves
    nearest = nearest_affinity(
        leaves,
        leaves,
        trees.offsets,
        n_neighbors=settings.n_neighbors,
        exclude_self=True,
        seed=settings.seed,
        n_threads=settings.n_threads,
        verbose=settings.verbose,
    )
    return cut_graphs(
        [neighbour_graph(nearest)],
        X,
        settings.n_clusters,
        n_init=settings.n_init,
        seed=settings.seed,
        n_threads=settings.n_threads,
    )
