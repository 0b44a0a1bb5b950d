"""Growing trees from features and evidence, and dropping items through them.

The core works on ranks and says which two items a cut separates; here cuts become thresholds, so
that a finished tree needs nothing but feature values. Leaf tables are as the core likes them:
(n_trees, n_items), C order.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest import _core
from conceptforest.forest.ranks import as_core_floats, rank_features
from conceptforest.forest.trees import LEAF, Trees
from conceptforest.progress import progress_bar

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from conceptforest.forest.evidence import LayerEvidence, Sources

__all__ = ["grow_trees", "route", "tree_keys"]

_ROUTE_CELLS = 2**24  # values converted at a time when X is not in the core's format
_THRESHOLD_NODES = 2**20  # nodes whose thresholds are computed at a time
_MAX_LEAF = 2**31 - 1  # above any number of items


def tree_keys(seed: int, first: int, end: int) -> NDArray[np.uint64]:
    """Derive the seeds of the trees from `first` to before `end`.

    A tree's seed does not depend on how many trees there are.

    Examples
    --------
    >>> (tree_keys(7, 0, 5)[3:] == tree_keys(7, 3, 5)).all()
    np.True_
    """
    keys = np.empty(end - first, dtype=np.uint64)
    for place, tree in enumerate(range(first, end)):
        sequence = np.random.SeedSequence(seed, spawn_key=(tree,))
        keys[place] = sequence.generate_state(1, np.uint64)[0]
    return keys


def grow_trees(
    X: NDArray[Any],
    evidence: list[LayerEvidence],
    keys: NDArray[np.uint64],
    *,
    n_try: int,
    min_leaf: int,
    evidence_weights: bool,
    bootstrap: bool,
    n_threads: int,
    verbose: bool,
    sources: Sources | None = None,
) -> tuple[Trees, NDArray[np.int32]]:
    """Grow one tree for each key.

    Parameters
    ----------
    X : ndarray of shape (n_items, n_features)
        Finite numbers; may be a read-only memory map.
    evidence : list of LayerEvidence
        From abstract to specific.
    keys : ndarray of shape (n_trees,), uint64
        Seed of each tree.
    n_try : int
        Features tried at a node.
    min_leaf : int
        Fewest items in a leaf.
    evidence_weights : bool
        Weigh children by their evidence, not by their items.
    bootstrap : bool
        Grow each tree on as many items drawn with replacement.
    n_threads : int
    verbose : bool
        Show a progress bar.
    sources : Sources or None, default=None
        Join the gains of several sources; None takes that of the target layer (Eq. 5).

    Returns
    -------
    trees : Trees
    leaves : ndarray of shape (n_trees, n_items), int32
        The node in which each item ends, whether it was drawn or not.
    """
    leaves = np.empty((len(keys), X.shape[0]), dtype=np.int32)
    with progress_bar("ranking features", X.shape[1], show=verbose) as update:
        ranks = rank_features(X, n_threads, update)
    with progress_bar("growing trees", len(keys), show=verbose) as update:
        grown = _core.grow(
            ranks,
            evidence,
            keys,
            leaves,
            n_try=n_try,
            min_leaf=min(min_leaf, _MAX_LEAF),
            evidence_weights=evidence_weights,
            bootstrap=bootstrap,
            n_threads=n_threads,
            progress=update,
            sources=sources,
        )
    del ranks  # up to the size of X, and no longer needed
    trees = _with_thresholds(grown, X)
    if bootstrap:  # items that were not drawn have leaves too
        leaves = route(X, trees, n_threads=n_threads, verbose=verbose)
    return trees, leaves


def _with_thresholds(grown: dict[str, NDArray[Any]], X: NDArray[Any]) -> Trees:
    """Put each cut midway between the values of the two items that it separates."""
    cut_items = grown.pop("cut_items")
    feature = grown["feature"]
    threshold = cut_items.view(np.float64).ravel()  # the same 8 bytes a node, step by step
    for begin in range(0, len(feature), _THRESHOLD_NODES):
        part = slice(begin, begin + _THRESHOLD_NODES)
        inner = np.flatnonzero(feature[part] != LEAF) + begin
        below = X[cut_items[inner, 0], feature[inner]].astype(np.float64)
        above = X[cut_items[inner, 1], feature[inner]].astype(np.float64)
        middle = below / 2 + above / 2
        threshold[part] = 0.0
        threshold[inner] = np.where((below < middle) & (middle <= above), middle, above)
    return Trees(threshold=threshold, **grown)


def route(X: NDArray[Any], trees: Trees, *, n_threads: int, verbose: bool) -> NDArray[np.int32]:
    """Find the leaf of every item in every tree.

    Parameters
    ----------
    X : ndarray of shape (n_items, n_features)
        Numbers of any type; converted in blocks where the core cannot read them as they are.
    trees : Trees
    n_threads : int
    verbose : bool
        Show a progress bar.

    Returns
    -------
    ndarray of shape (n_trees, n_items), int32
    """
    n, d = X.shape
    ready = X.dtype in (np.float32, np.float64) and X.flags.c_contiguous
    step = n if ready else max(1, _ROUTE_CELLS // d)
    parts = []
    with progress_bar("finding leaves", n, show=verbose) as update:
        for begin in range(0, n, step):
            block = as_core_floats(X[begin : begin + step])
            leaves = np.empty((trees.n_trees, len(block)), dtype=np.int32)
            _core.route(
                trees.offsets,
                trees.feature,
                trees.threshold,
                trees.left,
                block,
                leaves,
                n_threads,
                _shifted(update, begin),
            )
            parts.append(leaves)
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)


def _shifted(update: Callable[[int], None] | None, begin: int) -> Callable[[int], None] | None:
    """Report what is done of a part as what is done of the whole."""
    return None if update is None else lambda done: update(begin + done)
