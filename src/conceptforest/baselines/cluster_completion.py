"""Tags by the vote of an item's cluster, for every clustering method: ``X(GC)`` in the paper.

:func:`by_clusters` makes a completion method of a clustering method; the list of methods calls it
for each that is registered.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, cast

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from conceptforest.baselines.contract import CompletionBaseline, check_option, check_threads
from conceptforest.checks import whole
from conceptforest.structure.visual_neighbours import nearest_items

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conceptforest.baselines.contract import ClusteringBaseline
    from conceptforest.tags import TagMatrix

__all__ = ["ByClusters", "by_clusters"]

_PREFERRED = ("balanced", "concatenated", "tags", "scores", "vision")  # of the modes, for tags


class ByClusters(CompletionBaseline):
    """Score a tag by the share of the other items of an item's cluster that carry it.

    The items are clustered by their features and their observed tags. All items of a cluster rank
    the tags that they lack alike; an item alone in its cluster has no scores. A tag that an item
    has took part in the clustering, so there is no score of it as if the item lacked it. A new
    item joins the cluster of the one whose features are nearest; tags that it comes with do not
    count.

    Parameters
    ----------
    n_clusters : int, default=8
    mode : str or None, default=None
        What the clustering works on, one of its `modes`. None is "balanced" (features and tags,
        each in its own right) where the method has it, else "concatenated", else what comes
        nearest to it.
    params : dict or None, default=None
        Further parameters of the clustering method.
    n_scores : int or None, default=100
        Scores to keep of each item among tags that it lacks; None keeps all.
    random_state : int, RandomState instance or None, default=None
    n_jobs : int or None, default=None
        Threads, as in scikit-learn, if the clustering method has such a parameter.
    verbose : int, default=0
        1 shows progress, if the clustering method can.

    Attributes
    ----------
    scores_ : csr_array of shape (n_items, n_tags), float64
        The highest scores of tags that an item lacks.
    clustering_ : ClusteringBaseline
        The fitted clustering method.

    Examples
    --------
    >>> from conceptforest.baselines import COMPLETION
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1]]
    >>> tags = [{"sea"}, {"sea"}, None, {"snow"}, {"snow"}]
    >>> method = COMPLETION["KMeans(GC)"](2, mode="vision", random_state=0).fit(X, tags)
    >>> method.vocabulary_, method.scores_.toarray()[2].tolist()
    (('sea', 'snow'), [1.0, 0.0])
    """

    scores_own = False
    clustering: ClassVar[type[ClusteringBaseline]]
    clustering_: ClusteringBaseline

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        mode: str | None = None,
        params: dict[str, Any] | None = None,
        n_scores: int | None = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.mode = mode
        self.params = params
        self.n_scores = n_scores
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        whole("n_clusters", self.n_clusters, 1)
        if self.mode is not None:
            check_option("mode", self.mode, self.clustering.modes, type(self).__name__)
        if not isinstance(self.params, dict | None):
            raise TypeError(f"params must be a dict or None; got {self.params!r}.")
        known = sorted(set(self.clustering().get_params()) - set(self.get_params()))
        for name in self.params or ():
            check_option(f"a key of params of {type(self).__name__}", name, tuple(known))

    def _learn(self, X: NDArray[Any], tags: TagMatrix, seed: int) -> None:
        method = self.clustering(**self._of_clustering(seed)).fit(X, tags.matrix)
        n_clusters = int(method.labels_.max()) + 1
        members: Any = sparse.csr_array(
            (np.ones(len(X)), (method.labels_, np.arange(len(X)))), shape=(n_clusters, len(X))
        )
        self.clustering_, self._X, self._seed = method, X, seed
        self._sizes = np.bincount(method.labels_)
        self._carriers = sparse.csr_array(members @ tags.matrix.astype(np.float64))

    def _of_clustering(self, seed: int) -> dict[str, Any]:
        """Give the parameters of the clustering method."""
        modes = self.clustering.modes
        best = next((mode for mode in _PREFERRED if mode in modes), modes[0])
        common = {
            "n_clusters": self.n_clusters,
            "mode": best if self.mode is None else self.mode,
            "random_state": seed,
            "n_jobs": self.n_jobs,
            "verbose": self.verbose,
        }
        known = self.clustering().get_params()
        return {key: common[key] for key in common if key in known} | (self.params or {})

    def _score_fitted(self, rows: slice) -> NDArray[np.float64]:
        labels = self.clustering_.labels_[rows]
        # Of a tag that the item lacks no carrier is the item itself, and no others count here.
        return self._shares(labels, self._sizes[labels] - 1)

    def _score_new(self, X: NDArray[Any], known: Any) -> NDArray[np.float64]:
        del known
        with threadpool_limits(check_threads(self.n_jobs)):
            nearest, _ = nearest_items(X, self._X, 1, seed=self._seed)
        labels = self.clustering_.labels_[nearest[:, 0]]
        return self._shares(labels, self._sizes[labels])

    def _shares(self, labels: NDArray[np.int64], voters: NDArray[np.int64]) -> NDArray[np.float64]:
        """Divide the carriers of each tag in each item's cluster by its number of voters."""
        carriers: NDArray[np.float64] = self._carriers[labels].toarray()
        carriers[voters == 0] = 0.0
        carriers /= np.maximum(voters, 1)[:, None]
        return carriers


def by_clusters(name: str, clustering: type[ClusteringBaseline]) -> type[ByClusters]:
    """Make a completion method of a clustering method.

    Parameters
    ----------
    name : str
        Under which the clustering method is registered.
    clustering : type[ClusteringBaseline]

    Returns
    -------
    type[ByClusters]
        Called `name` and "(GC)".

    Examples
    --------
    >>> from conceptforest.baselines import CLUSTERING
    >>> made = by_clusters("Mine", CLUSTERING["KMeans"])
    >>> made.__name__, made.title, made.grade
    ('Mine(GC)', 'K-means(GC)', 'exact')
    """
    facts = {
        "__module__": __name__,
        "__doc__": ByClusters.__doc__,
        "title": f"{clustering.title}(GC)",
        "source": f"{clustering.source}; votes by Wang, Zhu and Gong 2017",
        "grade": clustering.grade,
        "extra": clustering.extra,
        "clustering": clustering,
    }
    made = cast("type[ByClusters]", type(f"{name}(GC)", (ByClusters,), facts))
    globals()[made.__name__] = made  # where pickle looks for it
    return made
