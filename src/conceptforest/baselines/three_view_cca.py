"""Spectral clustering in the space that features, tags and abstract tags share."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.utils.extmath import randomized_svd
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from conceptforest.baselines.canonical import canonical_correlations
from conceptforest.baselines.cca import MAX_COMPONENTS
from conceptforest.baselines.contract import ClusteringBaseline, check_threads
from conceptforest.baselines.numbers import number_between, positive_number
from conceptforest.baselines.shared_space import cut_shared_space, tags_in_use
from conceptforest.checks import whole
from conceptforest.forest.inputs import check_layers
from conceptforest.progress import working
from conceptforest.tags import TagHierarchy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conceptforest.tags import TagMatrix

__all__ = ["ThreeViewCCA"]

_MOST_TAGS = 500  # more are brought down to so many singular vectors


class ThreeViewCCA(ClusteringBaseline):
    """Canonical correlation analysis of three views, then spectral clustering.

    The third view beside features and tags says what the tags are about: the tags of the most
    abstract layer. Items are joined to the nearest ones by the cosine of the means of their
    projections from features and from tags, each direction scaled by a power of its eigenvalue.
    Where the views share nothing, all items are one cluster.

    Parameters
    ----------
    n_clusters : int, default=8
    mode : {"balanced"}, default="balanced"
        Both features and tags, each in its own right.
    layers : int, TagHierarchy or sequence of layers, default=2
        The tag layers, of which the first makes the third view, as in `HMLForest`. A number of
        layers is estimated with `n_clusters` topics.
    n_components : int or None, default=None
        Directions at most; None means 128. Those on which no two views agree are left out.
    power : float, default=4.0
        Of the eigenvalues that scale the directions.
    regularisation : float, default=1e-4
        What is added to all variances of a view, of their mean.
    n_neighbors : int, default=20
        Nearest items that each is joined to.
    n_init : int, default=20
        Restarts of k-means.
    random_state : int, RandomState instance or None, default=None
        Of the layers, of the choice among equal distances and of the starts of k-means.
    n_jobs : int or None, default=None
        Threads, as in scikit-learn. The labels do not depend on it.
    verbose : int, default=0
        1 shows progress.

    Attributes
    ----------
    labels_ : ndarray of shape (n_items,), int64
        From 0, the largest cluster first.
    layers_ : tuple of ndarray, int32
        Columns of the tags of each layer.
    eigenvalues_ : ndarray of shape (n_components,)
        From 3, where all views agree, to 1, where none do; the largest first.

    Examples
    --------
    >>> X = [[0.0, 1.0], [0.1, 1.1], [0.2, 0.9], [5.0, 1.1], [5.1, 1.0]]
    >>> tags = [{"sea", "boat"}, {"sea"}, {"sea"}, {"snow"}, {"snow", "boat"}]
    >>> layers = [["sea", "snow"], ["boat"]]
    >>> method = ThreeViewCCA(2, layers=layers, n_neighbors=1, random_state=0)
    >>> method.fit(X, tags).labels_.tolist()
    [0, 0, 0, 1, 1]
    """

    title = "3VCCA+SpClust"
    source = "Gong, Ke, Isard and Lazebnik 2014"
    grade = "exact"
    modes: ClassVar[tuple[str, ...]] = ("balanced",)
    layers_: tuple[NDArray[np.int32], ...]
    eigenvalues_: NDArray[np.float64]

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        mode: str = "balanced",
        layers: Any = 2,
        n_components: int | None = None,
        power: float = 4.0,
        regularisation: float = 1e-4,
        n_neighbors: int = 20,
        n_init: int = 20,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.mode = mode
        self.layers = layers
        self.n_components = n_components
        self.power = power
        self.regularisation = regularisation
        self.n_neighbors = n_neighbors
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        if self.n_components is not None:
            whole("n_components", self.n_components, 1, " or None")
        number_between("power", self.power, 0)
        positive_number("regularisation", self.regularisation)
        whole("n_neighbors", self.n_neighbors, 1)
        whole("n_init", self.n_init, 1)

    def _cluster(self, X: NDArray[Any], tags: TagMatrix, seed: int) -> NDArray[np.int64]:
        n_threads = check_threads(self.n_jobs)
        with working("tag layers", show=self._show):
            self.layers_ = check_layers(self._given_layers(), tags, "drop", seed)
            views = [X, _compact(tags_in_use(tags), seed), _abstract_tags(self.layers_, tags)]
        with working("canonical correlations", show=self._show):
            values, projections = canonical_correlations(
                views,
                regularisation=self.regularisation,
                n_components=self.n_components or MAX_COMPONENTS,
                n_threads=n_threads,
            )
        self.eigenvalues_ = values
        with working("clusters in the shared space", show=self._show):
            return cut_shared_space(
                (projections[0] + projections[1]) / 2 * values**self.power,
                X,
                self.n_clusters,
                n_neighbors=self.n_neighbors,
                n_init=self.n_init,
                seed=seed,
                n_threads=n_threads,
            )

    def _given_layers(self) -> Any:
        """Give the layers, or how to estimate them: with a topic for each cluster."""
        number = isinstance(self.layers, numbers.Integral) and not isinstance(self.layers, bool)
        if number and self.layers > 1:
            return TagHierarchy(int(self.layers), n_topics=int(self.n_clusters))
        return self.layers


def _abstract_tags(layers: tuple[NDArray[np.int32], ...], tags: TagMatrix) -> Any:
    """Give the columns of the first layer with a tag that some item has, of those tags alone."""
    used = tags.counts > 0
    columns = next(layer[used[layer]] for layer in layers if used[layer].any())
    return tags.matrix[:, columns]


def _compact(matrix: Any, seed: int) -> Any:
    """Give many tags as their leading singular vectors, each as long as its singular value."""
    if min(matrix.shape) <= _MOST_TAGS:
        return matrix
    wide = matrix.astype(np.float64)
    with threadpool_limits(1):
        _, _, directions = randomized_svd(wide, _MOST_TAGS, random_state=seed)
        return np.asarray(wide @ directions.T)
