"""Deep canonically correlated autoencoders of features and tags, then spectral clustering."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from conceptforest.baselines.dcca import DCCA
from conceptforest.baselines.numbers import number_between

if TYPE_CHECKING:
    from conceptforest.baselines.deep_cca import DeepSettings

__all__ = ["DCCAE"]


class DCCAE(DCCA):
    """Deep canonically correlated autoencoders of features and tags, then spectral clustering.

    As `DCCA`, but the outputs must also tell the features and the tags that they came from: two
    more networks, mirrors of the first, are trained to give them back.

    Parameters
    ----------
    n_clusters : int, default=8
    mode : {"balanced"}, default="balanced"
        Both features and tags, each in its own right.
    reconstruction : float, default=0.01
        Weight of the squared error of what the mirrors give back, of inputs with the mean squared
        length 1. With 0 this is `DCCA`.
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
    >>> DCCAE(2, n_epochs=5, n_neighbors=1, random_state=0).fit(X, tags).labels_.tolist()
    [0, 0, 0, 1, 1]
    """

    title = "DCCAE"
    source = "Wang, Arora, Livescu and Bilmes 2015"
    grade = "faithful"

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        mode: str = "balanced",
        reconstruction: float = 0.01,
        hidden: Any = (1024, 1024, 1024),
        n_outputs: int | None = None,
        n_epochs: int = 60,
        n_neighbors: int = 20,
        n_init: int = 20,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        super().__init__(
            n_clusters,
            mode=mode,
            hidden=hidden,
            n_outputs=n_outputs,
            n_epochs=n_epochs,
            n_neighbors=n_neighbors,
            n_init=n_init,
            random_state=random_state,
            n_jobs=n_jobs,
            verbose=verbose,
        )
        self.reconstruction = reconstruction

    def _check_parameters(self) -> None:
        super()._check_parameters()
        number_between("reconstruction", self.reconstruction, 0)

    def _settings_for(self, n_items: int) -> DeepSettings:
        return replace(super()._settings_for(n_items), reconstruction=float(self.reconstruction))
