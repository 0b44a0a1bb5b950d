"""The estimator: check the input, prepare the evidence, call the core, answer questions."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from joblib import effective_n_jobs
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from conceptforest import _core
from conceptforest.forest import parameters
from conceptforest.forest.evidence import gather_evidence
from conceptforest.forest.model_file import ForestState, read_state, write_state
from conceptforest.forest.ranks import as_core_floats, rank_features
from conceptforest.forest.reading import Reading
from conceptforest.forest.trees import LEAF, Trees
from conceptforest.progress import progress_bar
from conceptforest.tags import parse_tags, resolve_layers

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

__all__ = ["HMLForest", "load"]

_ROUTE_CELLS = 2**24  # values converted at a time when X is not in the core's format
_MAX_DENSE = 10_000  # items on either side of a dense affinity matrix: 800 MB


class HMLForest(BaseEstimator):  # type: ignore[misc]
    """Hierarchical-Multi-Label Random Forest.

    Trees split on visual features; the tags decide which split is good. At every node the gain
    comes from the most abstract layer of tags that is still mixed there (Eq. 5), and an item
    without a tag in that layer is judged by its more specific tags, through co-occurrence and
    mutual exclusion (Eq. 6 to 9).

    Parameters
    ----------
    n_estimators : int, default=1000
        Number of trees.
    min_samples_leaf : int, default=3
        Fewest items in a leaf.
    max_features : {"sqrt", "log2"}, int, float or None, default="sqrt"
        Features tried at a node; features that are constant there do not count. A float is a
        share of all features; None tries all.
    layers : int or sequence of layers, default=1
        Tag layers from abstract to specific, each a collection of tag names or column numbers.
        1 puts all tags into one layer (the FlatTags variant).
    unlayered : {"error", "drop"}, default="error"
        What becomes of a tag that is in no layer.
    correlation : bool, default=True
        Soften missing tags by the tags of lower layers. False is the NoCorr variant.
    tag_weights : None, "idf" or array-like of shape (n_tags,), default=None
        Weight of each tag's gain: all equal, inverse document frequency ``ln(n / df)``, or given.
    bootstrap : bool, default=False
        Grow each tree on as many items drawn with replacement.
    reading : Reading or None, default=None
        How to read what the paper leaves open; None is ``Reading()``.
    warm_start : bool, default=False
        Keep the trees of the last fit and add what is missing to `n_estimators`.
    n_jobs : int or None, default=None
        Threads, as in scikit-learn. The trees do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the trees and of the order of equal affinities.
    verbose : int, default=0
        1 shows a progress bar.

    Attributes
    ----------
    trees_ : Trees
        The nodes of all trees: feature, threshold, children, target layer, gain, count.
    leaves_ : ndarray of shape (n_items, n_estimators), int32
        The node in which each training item ends, tree by tree.
    vocabulary_ : tuple of str
        Tag names, by column.
    layers_ : tuple of ndarray, int32
        Columns of the tags of each layer.
    missing_ : list of dict
        For each layer, the share of items without a tag in it (`missing`), and the share of those
        for which lower layers tell something (`supported`).
    feature_importances_ : ndarray of shape (n_features,)
        Share of each feature in the gain of all splits.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,), when X had names

    Examples
    --------
    >>> import conceptforest as cf
    >>> X = [[0.1, 5.0], [0.2, 4.0], [0.9, 5.5], [0.8, 4.5]]
    >>> tags = [{"sea"}, {"sea", "boat"}, {"snow"}, set()]
    >>> forest = cf.HMLForest(n_estimators=50, min_samples_leaf=2, random_state=0).fit(X, tags)
    >>> forest.affinity(n_neighbors=1).indices.tolist()
    [1, 0, 3, 2]
    """

    def __init__(
        self,
        n_estimators: int = 1000,
        *,
        min_samples_leaf: int = 3,
        max_features: str | float | None = "sqrt",
        layers: Any = 1,
        unlayered: str = "error",
        correlation: bool = True,
        tag_weights: Any = None,
        bootstrap: bool = False,
        reading: Reading | None = None,
        warm_start: bool = False,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ) -> None:
        self.n_estimators = n_estimators
        self.min_samples_leaf = min_samples_leaf
        self.max_features = max_features
        self.layers = layers
        self.unlayered = unlayered
        self.correlation = correlation
        self.tag_weights = tag_weights
        self.bootstrap = bootstrap
        self.reading = reading
        self.warm_start = warm_start
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.target_tags.single_output = False
        tags.target_tags.multi_output = True
        return tags

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "trees_")

    def fit(self, X: Any, tags: Any) -> Self:
        """Grow the trees.

        Parameters
        ----------
        X : array-like of shape (n_items, n_features)
            Visual features, finite. A NumPy memory map is read piece by piece, never copied whole.
        tags : tag matrix
            What each item is tagged with: a SciPy sparse or NumPy 0/1 matrix of shape
            (n_items, n_tags), a list of sets of strings, or a pandas or polars table, long
            (`item`, `tag`) or wide.

        Returns
        -------
        HMLForest
            The forest itself.
        """
        before = dict(vars(self))
        try:
            self._fit(X, tags)
        except BaseException:  # Ctrl-C too: a fit that fails leaves the forest as it was
            vars(self).clear()
            vars(self).update(before)
            raise
        if np.all(self.trees_.feature == LEAF):
            warnings.warn(
                "No tree could split: every feature is constant, every tag is on all items or on"
                f" none, or min_samples_leaf={self.min_samples_leaf} is too large for"
                f" {self.leaves_.shape[0]} items. All items are in one leaf.",
                stacklevel=2,
            )
        return self

    def _fit(self, X: Any, tags: Any) -> None:
        parameters.check(self)
        n_threads = effective_n_jobs(self.n_jobs)
        warm = self.warm_start and hasattr(self, "trees_")
        X = self._check_features(X, reset=not warm)
        n_try = parameters.n_try(self.max_features, X.shape[1])
        parsed = self._check_tags(X, tags)
        layers = resolve_layers(self.layers, parsed.vocabulary, unlayered=self.unlayered)
        if not any(parsed.counts[layer].any() for layer in layers):
            raise ValueError(
                "No item carries a tag of any layer, so there is nothing to grow trees from. Check"
                " that tags and layers belong to this collection, and that tags are 0/1 with 1"
                " for a tag that is present."
            )
        if not warm:
            state = check_random_state(self.random_state)
            self.seed_ = int(state.randint(0, 2**63 - 1, dtype=np.int64))
        first = self._first_new_tree(X, parsed, layers) if warm else 0
        reading = self.reading or Reading()
        evidence = gather_evidence(
            parsed,
            layers,
            correlation=self.correlation,
            reading=reading,
            weights=parameters.tag_weights(self.tag_weights, parsed),
        )
        new = np.arange(first, self.n_estimators)
        keys = np.array([_tree_key(self.seed_, t) for t in new], dtype=np.uint64)
        leaves = np.empty((len(new), X.shape[0]), dtype=np.int32)
        ranks = rank_features(X, n_threads)
        with progress_bar("growing trees", len(new), show=self.verbose > 0) as update:
            grown = _core.grow(
                ranks,
                evidence,
                keys,
                leaves,
                n_try=n_try,
                min_leaf=min(self.min_samples_leaf, 2**31 - 1),
                evidence_weights=reading.child_weights == "evidence",
                bootstrap=bool(self.bootstrap),
                n_threads=n_threads,
                progress=update,
            )
        del ranks
        trees = _with_thresholds(grown, X)
        if self.bootstrap:  # items that were not drawn have leaves too
            leaves = self._route(X, trees)
        if warm:
            trees = self.trees_.followed_by(trees)
            leaves = np.concatenate([self._leaf_table, leaves])
            keys = np.concatenate([self._tree_keys, keys])
        self.trees_ = trees
        self._leaf_table = leaves
        self._tree_keys = keys
        self.vocabulary_ = parsed.vocabulary
        self.layers_ = layers
        self._bootstrapped = bool(self.bootstrap)
        self.missing_ = [
            {
                "missing": e.n_missing / X.shape[0],
                "supported": e.n_supported / e.n_missing if e.n_missing else 0.0,
            }
            for e in evidence
        ]

    def apply(self, X: Any) -> NDArray[np.int32]:
        """Find the leaf of every item in every tree.

        Parameters
        ----------
        X : array-like of shape (n_items, n_features)

        Returns
        -------
        ndarray of shape (n_items, n_estimators), int32
            Node numbers within each tree.
        """
        check_is_fitted(self)
        return self._route(self._check_features(X, reset=False), self.trees_).T

    def affinity(self, X: Any = None, *, n_neighbors: int = 20, dense: bool = False) -> Any:
        """Give the affinity of items to training items: the share of trees that join them (Eq. 10).

        Parameters
        ----------
        X : array-like of shape (n_items, n_features) or None, default=None
            Items; None means the training items, each of which then leaves itself out.
        n_neighbors : int, default=20
            How many of the highest affinities to keep in each row. Equal ones are chosen among at
            random, by the forest's seed. An affinity of 0 is never kept.
        dense : bool, default=False
            Give all affinities instead, self included, as a dense array.

        Returns
        -------
        csr_array of shape (n_items, n_training), float64
            Values are multiples of 1 / n_estimators in (0, 1]. With `dense`, an ndarray.
        """
        check_is_fitted(self)
        training = self._leaf_table
        rows = training if X is None else self._route(self._check_features(X, reset=False), self.trees_)
        shape = (rows.shape[1], training.shape[1])
        n_trees = self.trees_.n_trees
        n_threads = effective_n_jobs(self.n_jobs)
        if dense:
            if max(shape) > _MAX_DENSE:
                raise ValueError(
                    f"A dense affinity of {shape[0]} x {shape[1]} items would take"
                    f" {shape[0] * shape[1] * 8 / 1e9:.1f} GB; dense=True is for at most"
                    f" {_MAX_DENSE} items. Leave dense out to get the nearest"
                    " n_neighbors of each item, or ask for fewer items."
                )
            counts = np.empty(shape, dtype=np.int32)
            _core.all_counts(rows, training, self.trees_.offsets, counts, n_threads, None)
            return counts / n_trees
        parameters.whole("n_neighbors", n_neighbors, 1)
        with progress_bar("finding neighbours", shape[0], show=self.verbose > 0) as update:
            start, item, count = _core.nearest(
                rows,
                training,
                self.trees_.offsets,
                k=min(n_neighbors, shape[1]),
                exclude_self=X is None,
                seed=self.seed_,
                n_threads=n_threads,
                progress=update,
            )
        return sparse.csr_array((count / n_trees, item, start), shape=shape)

    def in_bag(self, tree: int) -> NDArray[np.uint32]:
        """Count how often each training item was drawn for a tree; 0 means out of bag.

        Parameters
        ----------
        tree : int

        Returns
        -------
        ndarray of shape (n_items,), uint32
            All 1 when the forest was grown without bootstrapping.
        """
        check_is_fitted(self)
        parameters.whole("tree", tree, 0)
        n_trees, n = self._leaf_table.shape
        if tree >= n_trees:
            raise ValueError(f"tree must be below the {n_trees} of this forest; got {tree}.")
        if not self._bootstrapped:
            return np.ones(n, dtype=np.uint32)
        return _core.draw_bag(int(self._tree_keys[tree]), n)

    @property
    def leaves_(self) -> NDArray[np.int32]:
        """The node in which each training item ends, (n_items, n_estimators)."""
        check_is_fitted(self)
        return self._leaf_table.T

    @property
    def feature_importances_by_layer_(self) -> NDArray[np.float64]:
        """Share of each feature in the gain of all splits, by target layer: (n_layers, n_features).

        A split's gain counts by the share of the tree's items that it divides.
        """
        check_is_fitted(self)
        trees = self.trees_
        inner = np.flatnonzero(trees.feature != LEAF)
        n_layers, n_features = len(self.layers_), self.n_features_in_
        place = trees.layer[inner].astype(np.int64) * n_features + trees.feature[inner]
        gain = trees.gain[inner] * trees.count[inner]
        total = np.bincount(place, weights=gain, minlength=n_layers * n_features)
        return (total / max(total.sum(), np.finfo(float).tiny)).reshape(n_layers, n_features)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each feature in the gain of all splits, (n_features,)."""
        return self.feature_importances_by_layer_.sum(axis=0)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted forest to a file, which :func:`conceptforest.load` reads.

        The file is written beside its place and then moved there, so an older file stays whole
        until the new one is.

        Parameters
        ----------
        path : str or path-like
        """
        check_is_fitted(self)
        from conceptforest import __version__

        names = getattr(self, "feature_names_in_", None)
        state = ForestState(
            trees=self.trees_,
            leaves=self.leaves_,
            tree_seeds=self._tree_keys,
            seed=self.seed_,
            n_features=self.n_features_in_,
            vocabulary=self.vocabulary_,
            layers=self.layers_,
            feature_names=None if names is None else tuple(map(str, names)),
            params={"given": parameters.to_json(self), "missing": self.missing_},
            bootstrap=self._bootstrapped,
            library_version=__version__,
        )
        write_state(state, path)

    def _check_features(self, X: Any, *, reset: bool) -> NDArray[Any]:
        """Check that X is a finite table of numbers, without copying one that already is."""
        X = validate_data(
            self,
            X,
            reset=reset,
            dtype=None if _is_number_table(X) else "numeric",
            ensure_min_samples=2 if reset else 1,
            estimator=self,
        )
        if X.dtype.kind not in "fiub":
            X = X.astype(np.float64)
        return X  # type: ignore[no-any-return]

    def _check_tags(self, X: NDArray[Any], tags: Any) -> Any:
        if tags is None:
            raise ValueError(
                "requires y to be passed, but the target y is None: HMLForest.fit(X, tags) grows"
                " trees from tags. For a forest without tags, use another estimator."
            )
        return parse_tags(tags, n_items=X.shape[0])

    def _first_new_tree(
        self, X: NDArray[Any], parsed: Any, layers: tuple[NDArray[Any], ...]
    ) -> int:
        """Check that a warm start goes on with the same collection; give the first new tree."""
        have = self.trees_.n_trees
        same = (
            self._leaf_table.shape[1] == X.shape[0]
            and self.vocabulary_ == parsed.vocabulary
            and len(layers) == len(self.layers_)
            and all(map(np.array_equal, layers, self.layers_))
            and self._bootstrapped == bool(self.bootstrap)
        )
        if not same:
            raise ValueError(
                "warm_start=True adds trees to the last fit, but X, tags, layers or bootstrap are"
                " not those of that fit. Use warm_start=False to begin anew."
            )
        if self.n_estimators < have:
            raise ValueError(
                f"warm_start=True cannot remove trees: n_estimators={self.n_estimators}, and there"
                f" are {have} already. Use warm_start=False to begin anew."
            )
        if self.n_estimators == have:
            warnings.warn(
                f"warm_start=True with n_estimators={have} adds no trees: there are as many.",
                stacklevel=4,
            )
        return have

    def _route(self, X: NDArray[Any], trees: Trees) -> NDArray[np.int32]:
        """Give leaves as the core likes them: (n_estimators, n_items), C order."""
        n, d = X.shape
        ready = X.dtype in (np.float32, np.float64) and X.flags.c_contiguous
        step = n if ready else max(1, _ROUTE_CELLS // d)
        parts = []
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
                effective_n_jobs(self.n_jobs),
                None,
            )
            parts.append(leaves)
        return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)


def load(path: str | os.PathLike[str]) -> HMLForest:
    """Read a forest from a file that :meth:`HMLForest.save` wrote.

    The file is checked before anything is used, and holds nothing that could be executed.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    HMLForest
        With the same answers from `apply` and `affinity`, bit for bit.
    """
    state = read_state(path)
    forest = HMLForest(**parameters.from_json(path, state))
    forest.seed_ = state.seed
    forest.trees_ = state.trees
    forest._leaf_table = np.ascontiguousarray(state.leaves.T)  # noqa: SLF001
    forest._tree_keys = state.tree_seeds  # noqa: SLF001
    forest._bootstrapped = state.bootstrap  # noqa: SLF001
    forest.vocabulary_ = state.vocabulary
    forest.layers_ = state.layers
    forest.missing_ = parameters.missing_from_json(path, state)
    forest.n_features_in_ = state.n_features
    if state.feature_names is not None:
        forest.feature_names_in_ = np.array(state.feature_names, dtype=object)
    return forest


def _is_number_table(X: Any) -> bool:
    return isinstance(X, np.ndarray) and X.ndim == 2 and X.dtype.kind in "fiub"


def _tree_key(seed: int, tree: int) -> int:
    """Derive the seed of one tree; it does not depend on how many trees there are."""
    state = np.random.SeedSequence(seed, spawn_key=(tree,)).generate_state(1, np.uint64)
    return int(state[0])


def _with_thresholds(grown: dict[str, NDArray[Any]], X: NDArray[Any]) -> Trees:
    """Put each cut midway between the values of the two items that it separates."""
    cut_items = grown.pop("cut_items")
    feature = grown["feature"]
    threshold = cut_items.view(np.float64).ravel()  # the same 8 bytes a node, step by step
    step = 2**20
    for begin in range(0, len(feature), step):
        part = slice(begin, begin + step)
        inner = np.flatnonzero(feature[part] != LEAF) + begin
        below = X[cut_items[inner, 0], feature[inner]].astype(np.float64)
        above = X[cut_items[inner, 1], feature[inner]].astype(np.float64)
        middle = below / 2 + above / 2
        threshold[part] = 0.0
        threshold[inner] = np.where((below < middle) & (middle <= above), middle, above)
    return Trees(threshold=threshold, **grown)


