"""A forest that tells items from synthetic ones, and clusters by the leaves that items share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from scipy import sparse

from conceptforest.baselines.contract import ClusteringBaseline, check_option, check_threads
from conceptforest.baselines.modes import ONE_VECTOR, check_scale, rows_of_mode
from conceptforest.baselines.two_class_forest import (
    SYNTHESIS,
    ForestSettings,
    add_synthetic,
    cut_forest,
)
from conceptforest.checks import whole
from conceptforest.forest.evidence import hard_layer

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conceptforest.tags import TagMatrix

__all__ = ["ClustRF"]


class ClustRF(ClusteringBaseline):
    """Clustering random forest: Breiman's forest without classes, then spectral clustering.

    A forest learns to tell the items from as many synthetic ones. Items are joined to those that
    share most leaves with them, and the graph is cut as by :class:`SpClust`.

    Parameters
    ----------
    n_clusters : int, default=8
    mode : {"vision", "tags", "scores", "scores_held_out", "concatenated"}, default="vision"
        Trees split on features, on 0/1 tags, on scores of tag classifiers, on such scores of items
        that the classifiers have not seen, or on features and tags.
    cmb_scale : {"none", "zscore", "block_trace"}, default="none"
        As for other methods. Trees do not depend on the scale of a column.
    n_estimators : int, default=1000
        Trees, each grown on as many rows as there are, drawn with replacement from the items and
        the synthetic ones.
    min_samples_leaf : int, default=3
        Fewest rows in a leaf, synthetic ones among them.
    synthesis : {"marginals", "box"}, default="marginals"
        Draw each value of a synthetic item from the values of its column (Breiman's first way,
        Addcl1), or evenly between the smallest and the largest of them (Addcl2).
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

    Examples
    --------
    Features that go together are structure; without it no tree could tell an item from the rest.

    >>> X = np.repeat([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]], [12, 8], axis=0)
    >>> tags = [{"sea"}] * 12 + [{"snow"}] * 8
    >>> labels = ClustRF(2, n_estimators=50, random_state=0).fit_predict(X, tags)
    >>> labels.tolist() == [0] * 12 + [1] * 8
    True
    """

    title = "ClustRF"
    source = "Breiman 2001; Shi and Horvath 2006"
    grade = "exact"
    modes: ClassVar[tuple[str, ...]] = ONE_VECTOR

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        mode: str = "vision",
        cmb_scale: str = "none",
        n_estimators: int = 1000,
        min_samples_leaf: int = 3,
        synthesis: str = "marginals",
        n_neighbors: int = 20,
        n_init: int = 20,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.mode = mode
        self.cmb_scale = cmb_scale
        self.n_estimators = n_estimators
        self.min_samples_leaf = min_samples_leaf
        self.synthesis = synthesis
        self.n_neighbors = n_neighbors
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        check_scale(self.cmb_scale)
        check_option("synthesis", self.synthesis, SYNTHESIS)
        for name in ("n_estimators", "min_samples_leaf", "n_neighbors", "n_init"):
            whole(name, getattr(self, name), 1)

    def _cluster(self, X: NDArray[Any], tags: TagMatrix, seed: int) -> NDArray[np.int64]:
        parts = rows_of_mode(self, X, tags, seed)
        rows = add_synthetic(parts, self.synthesis, seed)
        is_real: Any = sparse.csr_array((np.arange(len(rows)) < len(X))[:, None])
        settings = ForestSettings(
            n_estimators=self.n_estimators,
            min_samples_leaf=self.min_samples_leaf,
            bootstrap=True,
            n_clusters=self.n_clusters,
            n_neighbors=self.n_neighbors,
            n_init=self.n_init,
            seed=seed,
            n_threads=check_threads(self.n_jobs),
            verbose=self._show,
        )
        return cut_forest(rows, hard_layer(is_real), None, X, settings)
