"""K-means after the dimension of features, of tags or of both is reduced."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.text import TfidfTransformer
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from conceptforest.baselines.contract import ClusteringBaseline, check_threads
from conceptforest.checks import whole
from conceptforest.progress import progress_bar, working
from conceptforest.structure.k_means import k_means

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conceptforest.tags import TagMatrix

__all__ = ["PcaKMeans"]

_SHORTEST = 1e-6  # row that is scaled to length 1


class PcaKMeans(ClusteringBaseline):
    """K-means on principal components of features, on latent ones of tags, or on both.

    Tags become tf-idf weights, of which a truncated singular value decomposition keeps the leading
    components, and rows are scaled to length 1 again: latent semantic analysis, as scikit-learn's
    guide has it.

    Parameters
    ----------
    n_clusters : int, default=8
    mode : {"vision", "tags", "balanced"}, default="vision"
        Principal components of features; latent components of tags; or both side by side, each
        scaled to the same mean squared length.
    n_components : int, default=64
        Components of each; fewer where there are not so many items, features or tags.
    n_init : int, default=20
        Restarts of k-means.
    random_state : int, RandomState instance or None, default=None
    n_jobs : int or None, default=None
        Threads of k-means, as in scikit-learn. The labels do not depend on it.
    verbose : int, default=0
        1 shows progress.

    Attributes
    ----------
    labels_ : ndarray of shape (n_items,), int64
        From 0, the largest cluster first.
    inertia_ : float
        Sum of squared distances to the centres.

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1]]
    >>> tags = [{"sea"}, {"sea"}, None, {"snow"}, {"snow"}]
    >>> PcaKMeans(2, random_state=0).fit(X, tags).labels_.tolist()
    [0, 0, 0, 1, 1]
    """

    title = "PCA/SVD + k-means"
    source = "Pearson 1901, Deerwester et al. 1990, Lloyd 1982"
    grade = "exact"
    modes: ClassVar[tuple[str, ...]] = ("vision", "tags", "balanced")
    inertia_: float

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        mode: str = "vision",
        n_components: int = 64,
        n_init: int = 20,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.mode = mode
        self.n_components = n_components
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        whole("n_components", self.n_components, 1)
        whole("n_init", self.n_init, 1)

    def _cluster(self, X: NDArray[Any], tags: TagMatrix, seed: int) -> NDArray[np.int64]:
        blocks = []
        with threadpool_limits(1), working("components", show=self._show):
            if self.mode != "tags":
                blocks.append(principal_components(X, self.n_components, seed))
            if self.mode != "vision":
                blocks.append(latent_components(tags, self.n_components, seed))
        if self.mode == "balanced":
            blocks = [_to_unit_mean_square(block) for block in blocks]
        with progress_bar("k-means", self.n_init, show=self._show) as update:
            found = k_means(
                np.hstack(blocks),
                self.n_clusters,
                n_init=self.n_init,
                seed=seed,
                n_threads=check_threads(self.n_jobs),
                progress=update,
            )
        self.inertia_ = found.inertia
        return found.labels


def principal_components(X: NDArray[Any], n_components: int, seed: int = 0) -> NDArray[np.float64]:
    """Project features to their leading principal components.

    Parameters
    ----------
    X : ndarray of shape (n_items, n_features)
    n_components : int
        Fewer are given where there are not so many items or features.
    seed : int, default=0
        Of the randomised solver, which the library takes for large tables.

    Returns
    -------
    ndarray of shape (n_items, n_components), float64

    Examples
    --------
    >>> np.abs(principal_components(np.array([[1.0, 1.0], [4.0, 5.0]]), 1)).ravel()
    array([2.5, 2.5])
    """
    count = min(n_components, *X.shape)
    rows = X.astype(np.float64)
    rows -= rows[0].copy()  # leaves nothing, not even rounding, of features that never change
    if not rows.any():
        return np.zeros((len(X), count))
    return np.asarray(PCA(count, random_state=seed).fit_transform(rows))


def latent_components(tags: TagMatrix, n_components: int, seed: int = 0) -> NDArray[np.float64]:
    """Project tf-idf weights of tags to their leading singular vectors, and scale rows to length 1.

    Parameters
    ----------
    tags : TagMatrix of shape (n_items, n_tags)
    n_components : int
        If there are no more tags or items than that, nothing is left out.
    seed : int, default=0
        Of the vector that the solver begins with.

    Returns
    -------
    ndarray of shape (n_items, n_components or fewer), float64
        Rows of items without tags, or with none that the components tell of, are 0.

    Examples
    --------
    >>> from conceptforest.tags import parse_tags
    >>> latent_components(parse_tags([{"sea"}, {"snow"}, None]), 64).tolist()
    [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]]
    """
    weights = TfidfTransformer().fit_transform(tags.matrix.astype(np.float64))
    if min(weights.shape) <= n_components:  # all components are but a turn of the weights
        return np.asarray(weights.toarray())
    svd = TruncatedSVD(n_components, algorithm="arpack", random_state=seed)
    rows = svd.fit_transform(weights)
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    # What rounding leaves of items that have nothing in the components has no direction.
    return np.asarray(rows / np.where(length > _SHORTEST, length, np.inf))


def _to_unit_mean_square(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    """Scale rows to a mean squared length of 1, unless they are all 0."""
    size = np.sqrt(np.einsum("ij,ij->", rows, rows) / len(rows))
    return rows / (size or 1.0)
