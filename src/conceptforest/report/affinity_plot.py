"""An affinity matrix as a picture, its items ordered by cluster.

Good clusters show as dark blocks along the diagonal; what is dark beside it is affinity that the
clusters cut.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from conceptforest.report.figure_file import figure_for

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

__all__ = ["draw_affinity", "order_by_cluster", "plot_affinity"]

_SIZE = 7.2, 6.6  # inches
_CELLS = 300  # more items than this on a side share a cell, which then shows their mean
_DARKEST = 0.97  # quantile of the affinities inside clusters that gets the darkest colour
_COLORMAP = "BuPu"  # light to dark all the way, so it reads in grey and with any colour vision
_FONT = 9.0  # points, and the smallest that a crowded axis may shrink to
_SMALLEST_FONT = 5.0


def order_by_cluster(affinity: Any, labels: Any) -> NDArray[np.intp]:
    """Order items by cluster, and within a cluster by their mean affinity to it.

    Parameters
    ----------
    affinity : ndarray or SciPy sparse array of shape (n_items, n_items)
        What a sparse array does not hold is 0. An item's affinity to itself is left out.
    labels : array-like of shape (n_items,), int
        Cluster of each item.

    Returns
    -------
    ndarray of shape (n_items,), intp
        Item numbers: clusters by ascending label, in each the most typical item first, equals in
        their old order.

    Examples
    --------
    >>> affinity = np.array([[1, 0, .5, 0], [0, 1, 0, 0], [.5, 0, 1, .8], [0, 0, .8, 1]])
    >>> order_by_cluster(affinity, [1, 0, 1, 1]).tolist()
    [1, 2, 3, 0]
    """
    affinity, labels = _check(affinity, labels)
    clusters, member_of = np.unique(labels, return_inverse=True)
    membership = np.zeros((len(labels), len(clusters)))
    membership[np.arange(len(labels)), member_of] = 1
    to_clusters = affinity @ membership
    own = to_clusters[np.arange(len(labels)), member_of] - affinity.diagonal()
    # Every item of a cluster has as many fellows, so sums are in the order of means. Sums of the
    # same numbers in another order may differ in the last bits; those do not make an order.
    return np.lexsort((-np.round(own, 9), member_of))


def plot_affinity(
    affinity: Any,
    labels: Any,
    path: str | os.PathLike[str],
    *,
    names: Sequence[str] | None = None,
    title: str = "Affinity of items, by cluster",
    dpi: int = 160,
) -> None:
    """Draw an affinity matrix ordered by cluster and write it to a file.

    The file is written beside its place and then moved there.

    Parameters
    ----------
    affinity : ndarray or SciPy sparse array of shape (n_items, n_items)
        What a sparse array does not hold is drawn as 0.
    labels : array-like of shape (n_items,), int
        Cluster of each item.
    path : str or path-like
        Where to write; the suffix chooses the format, such as ``.png``, ``.svg`` or ``.pdf``.
    names : sequence of str, length n_clusters, or None, default=None
        Name of each cluster, by ascending label. None writes the labels.
    title : str
        Text above the picture; may be empty.
    dpi : int, default=160
        Pixels to the inch; the picture is 7.2 by 6.6 inches.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    ValueError
        If shapes do not fit together or the suffix is not a picture format.
    """
    affinity, labels = _check(affinity, labels)
    clusters, sizes = np.unique(labels, return_counts=True)
    shown = [str(c) for c in clusters] if names is None else [str(name) for name in names]
    if len(shown) != len(clusters):
        raise ValueError(
            f"There are {len(shown)} names but {len(clusters)} clusters. Give one name per cluster,"
            " by ascending label."
        )
    with figure_for(path, figsize=_SIZE, dpi=dpi, layout="compressed") as figure:
        axes = figure.add_subplot()
        picture = draw_affinity(axes, affinity, labels)
        edges = np.concatenate([[0], np.cumsum(sizes)])
        _mark_clusters(axes, edges, shown)
        axes.set_title(title, fontsize=_FONT + 3, pad=10, loc="left")
        bar = figure.colorbar(
            picture, ax=axes, fraction=0.04, aspect=32, pad=0.02, extend="max", extendfrac=0.025
        )
        shared = ", mean of each cell" if len(labels) > _CELLS else ""
        bar.set_label(f"affinity: share of trees that join two items{shared}", fontsize=_FONT)
        bar.ax.tick_params(labelsize=_FONT - 1, width=0.6)


def draw_affinity(axes: Axes, affinity: Any, labels: Any) -> Any:
    """Draw an affinity matrix ordered by cluster, and nothing else.

    Parameters
    ----------
    axes : Axes
    affinity : ndarray or SciPy sparse array of shape (n_items, n_items)
    labels : array-like of shape (n_items,), int

    Returns
    -------
    AxesImage
        Of at most 300 cells on a side, each the mean of its affinities.
    """
    affinity, labels = _check(affinity, labels)
    order = order_by_cluster(affinity, labels)
    cells = _cells(affinity, order)
    return axes.imshow(
        cells,
        cmap=_COLORMAP,
        vmin=0,
        vmax=_darkest(cells, labels[order]),
        extent=(0, len(labels), len(labels), 0),
        interpolation="nearest",
    )


def _check(given: Any, labels: Any) -> tuple[Any, NDArray[Any]]:
    """Give affinities as an ndarray or CSR, and labels as an array, that fit together."""
    is_sparse = sparse.issparse(given)
    affinity: Any = given.tocsr() if is_sparse else np.asarray(given)
    labels = np.asarray(labels)
    if affinity.ndim != 2 or affinity.shape[0] != affinity.shape[1]:
        raise ValueError(
            f"affinity has shape {affinity.shape}; it must be square, (n_items, n_items)."
        )
    if affinity.dtype.kind not in "fiub":
        raise ValueError(f"affinity holds {affinity.dtype}; it must hold numbers.")
    if not np.isfinite(affinity.data if is_sparse else affinity).all():
        raise ValueError("affinity holds NaN or infinite values; all must be finite.")
    if labels.shape != affinity.shape[:1]:
        raise ValueError(
            f"labels has shape {labels.shape}, but affinity is of {affinity.shape[0]} items. Give"
            " one label per item."
        )
    if labels.dtype.kind not in "iu":
        raise ValueError(f"labels holds {labels.dtype}; cluster labels are whole numbers.")
    if len(labels) == 0:
        raise ValueError("There are no items to draw.")
    return affinity, labels


def _cells(affinity: Any, order: NDArray[np.intp]) -> NDArray[np.float64]:
    """Reorder the matrix, and shrink it to cells of mean affinity where it is too large to see."""
    n = len(order)
    side = min(n, _CELLS)
    cell_of = np.empty(n, dtype=np.intp)
    cell_of[order] = np.arange(n) * side // n
    gather: Any = sparse.csr_array((np.ones(n), (cell_of, np.arange(n))), shape=(side, n))
    summed: Any = gather @ affinity @ gather.T
    items = np.bincount(cell_of, minlength=side)
    dense = summed if isinstance(summed, np.ndarray) else summed.toarray()
    return np.asarray(dense / np.outer(items, items), dtype=np.float64)


def _darkest(cells: NDArray[np.float64], labels: NDArray[Any]) -> float:
    """Find an affinity that few pairs of fellows exceed, so that the blocks use all colours.

    `labels` are those of the ordered items.
    """
    of_cell = labels[np.arange(len(cells)) * len(labels) // len(cells)]
    fellows = (of_cell[:, None] == of_cell) & (cells > 0)
    np.fill_diagonal(fellows, val=False)
    return float(np.quantile(cells[fellows], _DARKEST)) if fellows.any() else 1.0


def _mark_clusters(axes: Axes, edges: NDArray[np.intp], names: list[str]) -> None:
    """Draw lines between clusters, and write each name in the middle of its stretch."""
    middles = (edges[:-1] + edges[1:]) / 2
    for draw_line in (axes.axhline, axes.axvline):
        for edge in edges[1:-1]:
            draw_line(edge, color="0.35", linewidth=0.5)
    points = 72 * 5.2 / edges[-1]  # of the picture's height, for each item
    font = float(np.clip(points * np.median(np.diff(edges)), _SMALLEST_FONT, _FONT))
    kept = _far_enough(middles, 1.1 * font / points)
    shown = [names[j] for j in kept]
    axes.set_xticks(middles[kept], shown, rotation=45, ha="right", rotation_mode="anchor")
    axes.set_yticks(middles[kept], shown)
    axes.tick_params(labelsize=font, length=2.5, width=0.6)
    for spine in axes.spines.values():
        spine.set_linewidth(0.6)


def _far_enough(places: NDArray[np.float64], gap: float) -> list[int]:
    """Choose places from the first on so that no two names are written over each other."""
    kept: list[int] = []
    for j, place in enumerate(places):
        if not kept or place - places[kept[-1]] >= gap:
            kept.append(j)
    return kept
