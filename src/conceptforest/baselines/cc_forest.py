"""A forest whose gain joins features and tags, each tag a source of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy import sparse

from conceptforest.baselines.contract import ClusteringBaseline, check_option, check_threads
from conceptforest.baselines.two_class_forest import (
    SYNTHESIS,
    ForestSettings,
    add_synthetic,
    cut_forest,
)
from conceptforest.checks import whole
from conceptforest.forest.evidence import Sources, hard_layer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conceptforest.tags import TagMatrix

__all__ = ["CCForest"]


class CCForest(ClusteringBaseline):
    """Constrained clustering forest: splits that divide items from synthetic ones, and tags too.

    Trees split on features. The gain of a split is a weighted sum over sources: how well it tells
    the items from synthetic ones, as in :class:`ClustRF`, and how well it divides the items with
    each tag from those without. Items are joined to those that share most leaves with them, and
    the graph is cut as by :class:`SpClust`.

    Parameters
    ----------
    n_clusters : int, default=8
    mode : {"balanced"}, default="balanced"
    alpha_vision : float, default=0.5
        Weight of the features, that is of items against synthetic ones, from 0 to 1. The tags that
        vary in a tree's bag share the rest evenly. 1 leaves the trees of ClustRF; with 0 there are
        no synthetic items.
    normalise : bool, default=True
        Divide the gain of each source by its best over the cuts that the root of the tree tries,
        so that all have the same scale.
    n_estimators : int, default=1000
    min_samples_leaf : int, default=3
        Fewest rows in a leaf, synthetic ones among them.
    bootstrap : bool, default=True
        Grow each tree on as many rows drawn with replacement.
    synthesis : {"marginals", "box"}, default="marginals"
        Draw each value of a synthetic item from the values of its column, or evenly between the
        smallest and the largest of them.
    n_neighbors : int, default=20
        Nearest items that each is joined to.
    n_init : int, default=20
        Restarts of k-means.
    random_state : int, RandomState instance or None, default=None
    n_jobs : int or None, default=None
        Threads, as in scikit-learn. The labels do not depend on it.
    verbose : int, default=0
        1 shows progress.

    Attributes
    ----------
    labels_ : ndarray of shape (n_items,), int64
        From 0, the largest cluster first.

    Notes
    -----
    An item without tags is missing from all tags: it counts for the features alone. As large a
    part of the tags' weight as that of such items in a tree's bag is shared out again, evenly over
    all sources.

    Examples
    --------
    >>> X = np.repeat([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]], [12, 8], axis=0)
    >>> tags = [{"sea"}] * 12 + [{"snow"}] * 7 + [None]
    >>> labels = CCForest(2, n_estimators=50, random_state=0).fit_predict(X, tags)
    >>> labels.tolist() == [0] * 12 + [1] * 8
    True
    """

    title = "CC-Forest"
    source = "Zhu, Loy and Gong 2013, 2016"
    grade = "faithful"
    modes: ClassVar[tuple[str, ...]] = ("balanced",)

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        mode: str = "balanced",
        alpha_vision: float = 0.5,
        normalise: bool = True,
        n_estimators: int = 1000,
        min_samples_leaf: int = 3,
        bootstrap: bool = True,
        synthesis: str = "marginals",
        n_neighbors: int = 20,
        n_init: int = 20,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.mode = mode
        self.alpha_vision = alpha_vision
        self.normalise = normalise
        self.n_estimators = n_estimators
        self.min_samples_leaf = min_samples_leaf
        self.bootstrap = bootstrap
        self.synthesis = synthesis
        self.n_neighbors = n_neighbors
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        check_option("synthesis", self.synthesis, SYNTHESIS)
        for name in ("n_estimators", "min_samples_leaf", "n_neighbors", "n_init"):
            whole(name, getattr(self, name), 1)
        for name in ("normalise", "bootstrap"):
            if not isinstance(getattr(self, name), bool | np.bool_):
                raise TypeError(f"{name} must be True or False; got {getattr(self, name)!r}.")
        alpha = self.alpha_vision
        number = isinstance(alpha, int | float | np.number) and not isinstance(alpha, bool)
        if not number or not 0 <= alpha <= 1:
            raise ValueError(f"alpha_vision must be a number from 0 to 1; got {alpha!r}.")

    def _cluster(self, X: NDArray[Any], tags: TagMatrix, seed: int) -> NDArray[np.int64]:
        alpha = float(self.alpha_vision)
        rows, matrix = X, tags.matrix
        if alpha > 0:
            rows = add_synthetic((X,), self.synthesis, seed)
            matrix = _with_classes(matrix)
        sources = Sources(
            two_class=tags.n_tags if alpha > 0 else -1, alpha=alpha, normalise=bool(self.normalise)
        )
        settings = ForestSettings(
            n_estimators=self.n_estimators,
            min_samples_leaf=self.min_samples_leaf,
            bootstrap=bool(self.bootstrap),
            n_clusters=self.n_clusters,
            n_neighbors=self.n_neighbors,
            n_init=self.n_init,
            seed=seed,
            n_threads=check_threads(self.n_jobs),
            verbose=self._show,
        )
        return cut_forest(rows, hard_layer(matrix), sources, X, settings)


def _with_classes(tags: Any) -> Any:
    """Put a tag of its own on every item, and rows without tags below, for synthetic ones."""
    n, m = tags.shape
    ones = sparse.csr_array(np.ones((n, 1), dtype=np.uint8))
    real = sparse.hstack([tags, ones], format="csr")
    return sparse.vstack([real, sparse.csr_array((n, m + 1), dtype=np.uint8)], format="csr")
