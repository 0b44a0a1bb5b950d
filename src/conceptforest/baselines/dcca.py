"""Deep canonical correlations of features and tags, then spectral clustering."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from conceptforest.baselines.canonical import canonical_correlations
from conceptforest.baselines.contract import ClusteringBaseline, check_threads
from conceptforest.baselines.deep_cca import DeepSettings, import_torch, train_networks
from conceptforest.baselines.shared_space import cut_shared_space, tags_in_use
from conceptforest.checks import whole
from conceptforest.progress import working

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from conceptforest.tags import TagMatrix

__all__ = ["DCCA"]


class DCCA(ClusteringBaseline):
    """Deep canonical correlation analysis of features and tags, then spectral clustering.

    Two networks are trained so that what they make of features and of tags correlates. Linear
    canonical correlations of their outputs follow, and items are joined to the nearest ones by the
    cosine of the means of their two projections. Where nothing correlates, all items are one
    cluster.

    Parameters
    ----------
    n_clusters : int, default=8
    mode : {"balanced"}, default="balanced"
        Both features and tags, each in its own right.
    hidden : sequence of int, default=(1024, 1024, 1024)
        Units of the hidden layers; never more than items. Without any, the networks are linear.
    n_outputs : int or None, default=None
        Outputs of each network; None means as many as clusters.
    n_epochs : int, default=60
        Rounds over the collection at most. From 500 items on, a tenth of them is held out, and
        training ends when their correlation has not grown for 10 epochs.
    n_neighbors : int, default=20
        Nearest items that each is joined to.
    n_init : int, default=20
        Restarts of k-means.
    random_state : int, RandomState instance or None, default=None
        Of networks, batches, items held out, the choice among equal distances and k-means.
    n_jobs : int or None, default=None
        Threads, as in scikit-learn. Sums of PyTorch depend on it, and so may the labels.
    verbose : int, default=0
        1 shows progress.

    Attributes
    ----------
    labels_ : ndarray of shape (n_items,), int64
        From 0, the largest cluster first.
    correlations_ : ndarray of shape (n_correlated,)
        Of the outputs of the two networks, the largest first.

    Examples
    --------
    >>> X = [[0.0, 1.0], [0.1, 1.1], [0.2, 0.9], [5.0, 1.1], [5.1, 1.0]]
    >>> tags = [{"sea"}, {"sea"}, {"sea"}, {"snow"}, {"snow"}]
    >>> DCCA(2, n_epochs=5, n_neighbors=1, random_state=0).fit(X, tags).labels_.tolist()
    [0, 0, 0, 1, 1]
    """

    title = "DCCA"
    source = "Andrew, Arora, Bilmes and Livescu 2013"
    grade = "exact"
    extra = "deep"
    modes: ClassVar[tuple[str, ...]] = ("balanced",)
    correlations_: NDArray[np.float64]

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        mode: str = "balanced",
        hidden: Any = (1024, 1024, 1024),
        n_outputs: int | None = None,
        n_epochs: int = 60,
        n_neighbors: int = 20,
        n_init: int = 20,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.mode = mode
        self.hidden = hidden
        self.n_outputs = n_outputs
        self.n_epochs = n_epochs
        self.n_neighbors = n_neighbors
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        if not isinstance(self.hidden, list | tuple):
            raise TypeError(
                "hidden must be a list or tuple of the units of each hidden layer, such as"
                f" (1024, 1024, 1024); got {self.hidden!r}."
            )
        for units in self.hidden:
            whole("each of hidden", units, 1)
        if self.n_outputs is not None:
            whole("n_outputs", self.n_outputs, 1, " or None")
        whole("n_epochs", self.n_epochs, 1)
        whole("n_neighbors", self.n_neighbors, 1)
        whole("n_init", self.n_init, 1)

    def _cluster(self, X: NDArray[Any], tags: TagMatrix, seed: int) -> NDArray[np.int64]:
        n_threads = check_threads(self.n_jobs)
        outputs = train_networks(
            import_torch(self.title),
            [X, tags_in_use(tags)],
            self._settings_for(len(X)),
            seed=seed,
            n_threads=n_threads,
            verbose=self._show,
        )
        with working("clusters in the shared space", show=self._show):
            values, projections = canonical_correlations(outputs, n_threads=n_threads)
            self.correlations_ = values - 1
            return cut_shared_space(
                (projections[0] + projections[1]) / 2,
                X,
                self.n_clusters,
                n_neighbors=self.n_neighbors,
                n_init=self.n_init,
                seed=seed,
                n_threads=n_threads,
            )

    def _settings_for(self, n_items: int) -> DeepSettings:
        return DeepSettings(
            n_outputs=int(self.n_clusters if self.n_outputs is None else self.n_outputs),
            hidden=tuple(min(int(units), n_items) for units in self.hidden),
            n_epochs=int(self.n_epochs),
        )
