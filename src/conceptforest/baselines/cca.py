"""Spectral clustering in the space that features and tags share by canonical correlations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from conceptforest.baselines.canonical import canonical_correlations
from conceptforest.baselines.contract import ClusteringBaseline, check_threads
from conceptforest.baselines.numbers import positive_number
from conceptforest.baselines.shared_space import cut_shared_space, tags_in_use
from conceptforest.checks import whole
from conceptforest.progress import working

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from conceptforest.tags import TagMatrix

__all__ = ["CCA"]

MAX_COMPONENTS = 128


class CCA(ClusteringBaseline):
    """Canonical correlation analysis of features and tags, then spectral clustering.

    Features and tags are each projected to the directions in which they are most correlated, and
    items are joined to the nearest ones by the cosine of the sums of their two projections. Where
    features and tags share nothing, all items are one cluster.

    Parameters
    ----------
    n_clusters : int, default=8
    mode : {"balanced"}, default="balanced"
        Both features and tags, each in its own right.
    n_components : int or None, default=None
        Directions at most; None means 128, or the number of tags if that is less. Directions
        without correlation are left out.
    regularisation : float, default=1e-4
        What is added to all variances of a view, of their mean.
    n_neighbors : int, default=20
        Nearest items that each is joined to.
    n_init : int, default=20
        Restarts of k-means.
    random_state : int, RandomState instance or None, default=None
        Chooses among equal distances and starts k-means.
    n_jobs : int or None, default=None
        Threads, as in scikit-learn. The labels do not depend on it.
    verbose : int, default=0
        1 shows progress.

    Attributes
    ----------
    labels_ : ndarray of shape (n_items,), int64
        From 0, the largest cluster first.
    correlations_ : ndarray of shape (n_components,)
        The regularised canonical correlations, the largest first.

    Examples
    --------
    >>> X = [[0.0, 1.0], [0.1, 1.1], [0.2, 0.9], [5.0, 1.1], [5.1, 1.0]]
    >>> tags = [{"sea"}, {"sea"}, {"sea"}, {"snow"}, {"snow"}]
    >>> CCA(2, n_neighbors=1, random_state=0).fit(X, tags).labels_.tolist()
    [0, 0, 0, 1, 1]
    """

    title = "CCA+SpClust"
    source = "Hotelling 1936; regularised as by Hardoon, Szedmak and Shawe-Taylor 2004"
    grade = "exact"
    modes: ClassVar[tuple[str, ...]] = ("balanced",)
    correlations_: NDArray[np.float64]

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        mode: str = "balanced",
        n_components: int | None = None,
        regularisation: float = 1e-4,
        n_neighbors: int = 20,
        n_init: int = 20,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.mode = mode
        self.n_components = n_components
        self.regularisation = regularisation
        self.n_neighbors = n_neighbors
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        if self.n_components is not None:
            whole("n_components", self.n_components, 1, " or None")
        positive_number("regularisation", self.regularisation)
        whole("n_neighbors", self.n_neighbors, 1)
        whole("n_init", self.n_init, 1)

    def _cluster(self, X: NDArray[Any], tags: TagMatrix, seed: int) -> NDArray[np.int64]:
        n_threads = check_threads(self.n_jobs)
        with working("canonical correlations", show=self._show):
            values, projections = canonical_correlations(
                [X, tags_in_use(tags)],
                regularisation=self.regularisation,
                n_components=self.n_components or MAX_COMPONENTS,
                n_threads=n_threads,
            )
        self.correlations_ = values - 1
        with working("clusters in the shared space", show=self._show):
            return cut_shared_space(
                projections[0] + projections[1],
                X,
                self.n_clusters,
                n_neighbors=self.n_neighbors,
                n_init=self.n_init,
                seed=seed,
                n_threads=n_threads,
            )
