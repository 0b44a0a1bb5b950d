"""The estimator: check the input, prepare the evidence, call the core, answer questions."""

from __future__ import annotations

import hashlib
import warnings
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from conceptforest import _core
from conceptforest.checks import whole
from conceptforest.forest import parameters, saving
from conceptforest.forest.affinity import dense_affinity, nearest_affinity
from conceptforest.forest.evidence import gather_evidence
from conceptforest.forest.growth import grow_trees, route, tree_keys
from conceptforest.forest.inputs import (
    check_features,
    check_layers,
    check_tags,
    is_fitted_hierarchy,
)
from conceptforest.forest.model_file import ForestState, read_state, write_state
from conceptforest.forest.reading import Reading
from conceptforest.forest.trees import LEAF
from conceptforest.tagged_estimator import TaggedEstimator

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

    from conceptforest.forest.evidence import LayerEvidence
    from conceptforest.forest.trees import Trees
    from conceptforest.tags import TagMatrix

__all__ = ["HMLForest", "load"]


class HMLForest(TaggedEstimator):
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
    layers : int, TagHierarchy or sequence of layers, default=2
        Tag layers from abstract to specific. A number asks for as many layers, estimated from the
        tags by :class:`TagHierarchy`; there are fewer where the tags do not suffice, and 1 puts
        all tags into one layer (the FlatTags variant). A hierarchy that is not fitted is fitted to
        the tags, with the forest's seed unless it has its own; a fitted one gives its layers by tag
        name, and its tags that the collection lacks are ignored. Explicit layers are each a
        collection of tag names or column numbers.
    unlayered : {"error", "drop"}, default="error"
        What becomes of a tag that is in no layer of a fitted hierarchy or of explicit layers.
    correlation : bool, default=True
        Soften missing tags by the tags of lower layers. False is the NoCorr variant.
    tag_weights : None, "idf" or array-like of shape (n_tags,), default=None
        Weight of each tag's gain: all equal, inverse document frequency ``ln(n / df)``, or given.
        Weights are kept to 2^-20 of the largest in their layer (coarser in layers whose squared tag
        counts sum to more than 2^41).
    bootstrap : bool, default=False
        Grow each tree on as many items drawn with replacement.
    reading : Reading or None, default=None
        How to read what the paper leaves open; None is ``Reading()``.
    warm_start : bool, default=False
        Keep the trees of the last fit and add what is missing to `n_estimators`. As in
        scikit-learn, the caller must pass the same collection again: only the number of items and
        of features, the tag names, the layers and `bootstrap` are compared.
    n_jobs : int or None, default=None
        Threads, as in scikit-learn. The trees do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Seed of the trees, of estimated layers and of the order of equal affinities.
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
    >>> forest = cf.HMLForest(50, min_samples_leaf=2, max_features=None, random_state=0)
    >>> forest.fit(X, tags).affinity(n_neighbors=1).indices.tolist()
    [1, 0, 3, 2]
    """

    trees_: Trees
    vocabulary_: tuple[str, ...]
    layers_: tuple[NDArray[np.int32], ...]
    missing_: list[dict[str, float]]
    seed_: int
    n_features_in_: int
    _leaf_table: NDArray[np.int32]  # leaves_ as the core reads it, (n_estimators, n_items)
    _tree_keys: NDArray[np.uint64]
    _bootstrapped: bool
    _grown_on: bytes | None  # digest of the tags, where they are known

    def __init__(
        self,
        n_estimators: int = 1000,
        *,
        min_samples_leaf: int = 3,
        max_features: str | float | None = "sqrt",
        layers: Any = 2,
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

    @classmethod
    def paper(cls, **changes: Any) -> Self:
        """Make a forest with the settings of the paper, whatever the defaults are.

        Parameters
        ----------
        **changes
            Parameters that are to differ, and those that the paper does not speak of, such as
            `random_state`.

        Returns
        -------
        HMLForest
            Not fitted.

        Examples
        --------
        The variant without hierarchy and correlations:

        >>> HMLForest.paper(layers=1, correlation=False).min_samples_leaf
        3
        """
        settings: dict[str, Any] = {
            "n_estimators": 1000,
            "min_samples_leaf": 3,
            "max_features": "sqrt",
            "layers": 2,
            "unlayered": "error",
            "correlation": True,
            "tag_weights": None,
            "bootstrap": False,
            "reading": Reading(child_weights="count", no_evidence="none", scale="layer"),
        }
        return cls(**settings | changes)

    def __sklearn_clone__(self) -> Self:
        """Keep a fitted hierarchy in a clone: it is a given, not something to learn again."""
        copy: Self = super().__sklearn_clone__()
        if is_fitted_hierarchy(self.layers):
            copy.layers = self.layers
        return copy

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "trees_")

    def _fit(self, X: Any, tags: Any) -> None:
        self._grow(X, tags)
        if np.all(self.trees_.feature == LEAF):
            warnings.warn(
                "No tree could split: every feature is constant, every tag is on all items or on"
                f" none, or min_samples_leaf={self.min_samples_leaf} is too large for"
                f" {self.leaves_.shape[0]} items. All items are in one leaf.",
                stacklevel=3,
            )

    def _grow(self, X: Any, tags: Any) -> None:
        parameters.check(self)
        warm = self.warm_start and hasattr(self, "trees_")
        X = check_features(self, X, reset=not warm)
        n_try = parameters.n_try(self.max_features, X.shape[1])
        parsed = check_tags(self, tags, X.shape[0])
        if not warm:
            state = check_random_state(self.random_state)
            self.seed_ = int(state.randint(0, 2**63 - 1, dtype=np.int64))
        layers = check_layers(self.layers, parsed, self.unlayered, self.seed_)
        first = self._first_new_tree(X, parsed, layers) if warm else 0
        reading = self.reading or Reading()
        evidence = gather_evidence(
            parsed,
            layers,
            correlation=self.correlation,
            reading=reading,
            weights=parameters.tag_weights(self.tag_weights, parsed),
        )
        keys = tree_keys(self.seed_, first, self.n_estimators)
        trees, leaves = grow_trees(
            X,
            evidence,
            keys,
            n_try=n_try,
            min_leaf=self.min_samples_leaf,
            evidence_weights=reading.child_weights == "evidence",
            bootstrap=bool(self.bootstrap),
            n_threads=parameters.n_threads(self.n_jobs),
            verbose=self.verbose > 0,
        )
        if warm:
            trees = self.trees_.followed_by(trees)
            leaves = np.concatenate([self._leaf_table, leaves])
            keys = np.concatenate([self._tree_keys, keys])
        self.trees_ = trees
        self._leaf_table = leaves
        self._tree_keys = keys
        self._bootstrapped = bool(self.bootstrap)
        self.vocabulary_ = parsed.vocabulary
        self._grown_on = digest(parsed)
        self.layers_ = layers
        self.missing_ = [_shares_of_missing(layer, parsed.n_items) for layer in evidence]

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
        return self._route(X).T

    def affinity(
        self, X: Any = None, *, n_neighbors: int = 20, dense: bool = False, trees: Any = None
    ) -> Any:
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
        trees : slice or array-like of int, or None, default=None
            Numbers of the trees that count; None means all.

        Returns
        -------
        csr_array of shape (n_items, n_training), float64
            Values are multiples of 1 / n_trees in (0, 1]. With `dense`, an ndarray.
        """
        check_is_fitted(self)
        training = self._leaf_table
        rows = training if X is None else self._route(X)
        offsets = self.trees_.offsets
        if trees is not None:
            chosen = parameters.tree_numbers(trees, len(training))
            rows, training = rows[chosen], training[chosen]
            offsets = np.concatenate([[0], np.cumsum(np.diff(offsets)[chosen])])
        n_threads = parameters.n_threads(self.n_jobs)
        if dense:
            return dense_affinity(rows, training, offsets, n_threads=n_threads)
        whole("n_neighbors", n_neighbors, 1)
        return nearest_affinity(
            rows,
            training,
            offsets,
            n_neighbors=n_neighbors,
            exclude_self=X is None,
            seed=self.seed_,
            n_threads=n_threads,
            verbose=self.verbose > 0,
        )

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
        whole("tree", tree, 0)
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
        return self.trees_.gain_shares(len(self.layers_), self.n_features_in_)

    @property
    def feature_importances_(self) -> NDArray[np.float64]:
        """Share of each feature in the gain of all splits, (n_features,)."""
        total: NDArray[np.float64] = self.feature_importances_by_layer_.sum(axis=0)
        return total

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the fitted forest to a file, which :func:`conceptforest.load` reads.

        The file is written beside its place and then moved there, so an older file stays whole
        until the new one is.

        Parameters
        ----------
        path : str or path-like
        """
        check_is_fitted(self)
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
            params={"given": saving.to_json(self), "missing": self.missing_},
            bootstrap=self._bootstrapped,
            library_version=version("conceptforest"),
        )
        write_state(state, path)

    def _first_new_tree(
        self, X: NDArray[Any], parsed: TagMatrix, layers: tuple[NDArray[np.int32], ...]
    ) -> int:
        """Check that a warm start fits the trees that are there; give the first new tree."""
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
                "warm_start=True adds trees to the last fit, but the number of items, the tag"
                " names, the layers or bootstrap are not those of that fit. Pass the same"
                " collection, or use warm_start=False to begin anew."
            )
        if self.n_estimators < have:
            raise ValueError(
                f"warm_start=True cannot remove trees: n_estimators={self.n_estimators}, and there"
                f" are {have} already. Use warm_start=False to begin anew."
            )
        if self.n_estimators == have:
            warnings.warn(
                f"warm_start=True with n_estimators={have} adds no trees: there are as many.",
                stacklevel=5,
            )
        return have

    def _route(self, X: Any) -> NDArray[np.int32]:
        """Give leaves as the core likes them: (n_estimators, n_items), C order."""
        X = check_features(self, X, reset=False)
        return route(
            X,
            self.trees_,
            n_threads=parameters.n_threads(self.n_jobs),
            verbose=self.verbose > 0,
        )


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
    known = HMLForest().get_params(deep=False)
    forest = HMLForest(**saving.from_json(path, state, known))
    forest.seed_ = state.seed
    forest.trees_ = state.trees
    forest._leaf_table = np.ascontiguousarray(state.leaves.T)  # noqa: SLF001
    forest._tree_keys = state.tree_seeds  # noqa: SLF001
    forest._bootstrapped = state.bootstrap  # noqa: SLF001
    forest._grown_on = None  # noqa: SLF001
    forest.vocabulary_ = state.vocabulary
    forest.layers_ = state.layers
    forest.missing_ = saving.missing_from_json(path, state)
    forest.n_features_in_ = state.n_features
    if state.feature_names is not None:
        forest.feature_names_in_ = np.array(state.feature_names, dtype=object)
    return forest


def digest(tags: TagMatrix) -> bytes:
    """Give a short proof of which item carries which tag."""
    proof = hashlib.sha256(np.asarray(tags.matrix.indptr, dtype=np.int64).tobytes())
    proof.update(np.asarray(tags.matrix.indices, dtype=np.int64).tobytes())
    return proof.digest()


def _shares_of_missing(layer: LayerEvidence, n_items: int) -> dict[str, float]:
    return {
        "missing": layer.n_missing / n_items,
        "supported": layer.n_supported / layer.n_missing if layer.n_missing else 0.0,
    }
