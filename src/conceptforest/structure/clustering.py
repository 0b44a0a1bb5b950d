"""The estimator of clusters: find who is near whom, join them, embed the graph, cut it up."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self, cast

import numpy as np
from scipy import sparse
from sklearn.utils.validation import check_is_fitted

from conceptforest.checks import whole
from conceptforest.forest import parameters
from conceptforest.forest.given import grown_forest
from conceptforest.forest.hml_forest import HMLForest
from conceptforest.forest.inputs import check_features, check_tags
from conceptforest.progress import progress_bar, working
from conceptforest.structure.affinities import Affinities, ForestAffinities, JointAffinities
from conceptforest.structure.cluster_count import ClusterCount, count_clusters
from conceptforest.structure.k_means import k_means
from conceptforest.structure.settling import settle
from conceptforest.structure.spectral import Embedding, embed, unit_rows
from conceptforest.structure.summary import (
    central_items,
    characteristic_tags,
    cluster_names,
    cohesion,
)
from conceptforest.structure.visual_neighbours import nearest_items
from conceptforest.tagged_estimator import TaggedEstimator
from conceptforest.tags import parse_tags
from conceptforest.tags.names import did_you_mean

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pandas import DataFrame

    from conceptforest.tags import TagMatrix

__all__ = ["ConceptClustering", "place_by_votes", "seed_from"]

_HALVES = 8  # random halves of the forest that vote on the number of clusters
_METHODS = ("joint", "forest")
_VECTORS = 2  # for each cluster, in the joint embedding
_POWER = 4.0  # of the eigenvalues that weight them


class ConceptClustering(TaggedEstimator):
    """Clusters of items that share a concept.

    Each item is joined to its nearest, the graph is embedded by the leading eigenvectors of its
    normalised affinities, and k-means finds the clusters.

    Parameters
    ----------
    n_clusters : int or None, default=None
        Number of clusters; None chooses it where the eigenvalues of the forest's graph drop most.
    method : {"joint", "forest"}, default="joint"
        What makes items near.

        - "forest": the paper's. A Hierarchical-Multi-Label Random Forest gives the affinity (Eq.
          10), and the embedding is that of Ng, Jordan and Weiss.
        - "joint": the project's own. The forest has a third of the say; the rest have profiles of
          tags, in which the tags that an item has and those that it should have, by a regression
          on its features and its other tags, count. The embedding has twice as many eigenvectors
          as there are clusters, each weighted by the fourth power of its eigenvalue, and in the
          end items move between clusters as long as the graph's modularity grows.
    forest : HMLForest or None, default=None
        The forest. One that is not grown is copied and grown by `fit`; if its `layers` is a
        number, the tag layers are estimated with `n_clusters` topics. One that was grown on the
        items given to `fit` is used as it is. None is ``HMLForest()``.
    n_neighbors : int, default=20
        Nearest items that an item is joined to, by either kind of affinity.
    n_init : int, default=20
        Restarts of k-means.
    random_state : int, RandomState instance or None, default=None
        Seed of k-means, and of the forest where that has none.
    n_jobs : int or None, default=None
        Threads, as in scikit-learn. The result does not depend on it.
    verbose : int, default=0
        1 shows progress.

    Attributes
    ----------
    labels_ : ndarray of shape (n_items,), int64
        Cluster of each item; cluster 0 is the largest.
    n_clusters_ : int
    cluster_names_ : list of str, length n_clusters_
        Names made of the most characteristic tags, no two alike.
    cluster_count_ : ClusterCount or None
        How the number was chosen and how sure that is; None where it was given.
    graph_ : csr_array of shape (n_items, n_items)
        Affinities of neighbours, symmetric.
    embedding_ : ndarray of shape (n_items, n_vectors)
        Rows of length 1, or 0 for an item that is near to no other. As many vectors as clusters,
        or twice as many if `method` is "joint".
    eigenvalues_ : ndarray of shape (n_vectors,)
    n_pieces_ : int
        Parts of the graph that no affinity joins.
    forest_ : HMLForest
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,), when X had names

    Notes
    -----
    Items that are near to no other get the cluster of the item whose features are nearest.

    Examples
    --------
    >>> import conceptforest as cf
    >>> from conceptforest.datasets import make_tagged
    >>> made = make_tagged(300, 4, random_state=0)
    >>> forest = cf.HMLForest(100, layers=made.layers)
    >>> clusters = cf.ConceptClustering(4, forest=forest, random_state=0).fit(made.X, made.tags)
    >>> clusters.cluster_names_
    ['seaside, beach', 'city, urban', 'woodland, forest', 'mountain, alpine']
    >>> clusters.predict(made.X[:3]).tolist() == clusters.labels_[:3].tolist()
    True
    """

    labels_: NDArray[np.int64]
    n_clusters_: int
    cluster_count_: ClusterCount | None
    graph_: Any
    forest_: HMLForest
    _tags: TagMatrix
    _affinities: Affinities

    def __init__(
        self,
        n_clusters: int | None = None,
        *,
        method: str = "joint",
        forest: HMLForest | None = None,
        n_neighbors: int = 20,
        n_init: int = 20,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.method = method
        self.forest = forest
        self.n_neighbors = n_neighbors
        self.n_init = n_init
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @classmethod
    def paper(cls, n_clusters: int | None = None, **changes: Any) -> Self:
        """Give the settings of the paper, which stay when the defaults move.

        Parameters
        ----------
        n_clusters : int or None, default=None
            The paper sets it to the number of classes.
        **changes
            Other parameters of the estimator. For the paper's variants, give another forest:
            ``forest=HMLForest.paper(layers=1)``.

        Examples
        --------
        >>> ConceptClustering.paper(15).forest.n_estimators
        1000
        """
        settings: dict[str, Any] = {
            "method": "forest",
            "forest": HMLForest.paper(),
            "n_neighbors": 20,
            "n_init": 20,
        }
        return cls(n_clusters, **(settings | changes))

    def fit_predict(self, X: Any, tags: Any) -> NDArray[np.int64]:
        """Find the clusters and give the labels, (n_items,)."""
        return self.fit(X, tags).labels_

    def _fit(self, X: Any, tags: Any) -> None:
        if self.method not in _METHODS:
            raise ValueError(
                f'method must be "joint" or "forest"; got {self.method!r}.'
                f"{did_you_mean(self.method, _METHODS)}"
            )
        for name in ("n_neighbors", "n_init"):
            whole(name, getattr(self, name), 1)
        parameters.check_running(self)
        X = check_features(self, X, reset=True)
        self._tags = check_tags(self, tags, X.shape[0])
        self._check_n_clusters(X.shape[0])
        seed = seed_from(self.random_state)
        self.forest_ = grown_forest(
            HMLForest() if self.forest is None else self.forest,
            X,
            self._tags,
            n_topics=self.n_clusters,
            seed=seed,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )
        self._affinities = self._find_affinities(X, seed)
        self.graph_ = self._affinities.graph()
        if self.graph_.nnz == 0:
            raise ValueError(
                "No two items share a leaf in any tree, so there is no graph to cluster. Grow the"
                " forest with a larger min_samples_leaf."
            )
        self.cluster_count_ = self._count(seed) if self.n_clusters is None else None
        chosen = self.n_clusters if self.cluster_count_ is None else self.cluster_count_.n_clusters
        self.n_clusters_ = int(cast("int", chosen))
        with working(f"embedding {X.shape[0]:,} items", show=self.verbose > 0):
            embedding = self._embed()
        self._report_pieces(embedding)
        self.embedding_, self.eigenvalues_ = embedding.rows, embedding.eigenvalues
        self.n_pieces_ = embedding.n_pieces
        self.labels_ = self._cut(embedding, X, seed)
        found = characteristic_tags(self._tags, self.labels_, self.n_clusters_)
        self.cluster_names_ = cluster_names(self._tags, self.labels_, found)

    def _check_n_clusters(self, n_items: int) -> None:
        if self.n_clusters is None:
            return
        whole("n_clusters", self.n_clusters, 1)
        if self.n_clusters > n_items:
            raise ValueError(
                f"n_clusters={self.n_clusters} is more than the {n_items} items. Ask for fewer."
            )

    def _find_affinities(self, X: NDArray[Any], seed: int) -> Affinities:
        common: dict[str, Any] = {
            "n_neighbors": self.n_neighbors,
            "n_threads": parameters.n_threads(self.n_jobs),
            "verbose": self.verbose > 0,
        }
        if self.method == "forest":
            return ForestAffinities(self.forest_, **common)
        return JointAffinities(self.forest_, X, self._tags, seed=seed, **common)

    def _count(self, seed: int) -> ClusterCount:
        """Choose the number of clusters by the forest's graph; random halves of its trees vote."""
        rng = np.random.RandomState(seed)
        leaves = self._affinities.leaves
        graph = self.graph_ if self.method == "forest" else leaves.graph()
        if graph.nnz == 0:
            return count_clusters(self.graph_, ())
        with progress_bar("counting clusters", _HALVES + 1, show=self.verbose > 0) as update:

            def graphs() -> Any:
                for done, half in enumerate(leaves.halves(_HALVES, rng), start=1):
                    if update is not None:
                        update(done)
                    yield half

            counted = count_clusters(graph, graphs())
            if update is not None:
                update(_HALVES + 1)
            return counted

    def _embed(self) -> Embedding:
        if self.method == "forest":
            return embed(self.graph_, self.n_clusters_)
        n_near = int((np.diff(self.graph_.indptr) > 0).sum())
        n_vectors = max(self.n_clusters_, min(_VECTORS * self.n_clusters_, n_near))
        found = embed(self.graph_, n_vectors)
        weights = np.clip(found.eigenvalues, 0, 1) ** _POWER
        return replace(found, rows=unit_rows(found.rows * weights))

    def _report_pieces(self, embedding: Embedding) -> None:
        if embedding.n_pieces > self.n_clusters_ > 1:
            warnings.warn(
                f"The graph falls into {embedding.n_pieces} pieces, more than the"
                f" {self.n_clusters_} clusters asked for; which of them are joined is then nearly"
                " arbitrary. Use a larger n_neighbors, more trees or more clusters.",
                stacklevel=4,
            )

    def _cut(self, embedding: Embedding, X: NDArray[Any], seed: int) -> NDArray[np.int64]:
        """Cluster the embedded items; those left out follow the visually nearest of them."""
        inside = np.flatnonzero(~embedding.left_out)
        with progress_bar("k-means restarts", self.n_init, show=self.verbose > 0) as update:
            found = k_means(
                embedding.rows[inside],
                self.n_clusters_,
                n_init=self.n_init,
                seed=seed,
                n_threads=parameters.n_threads(self.n_jobs),
                progress=update,
            )
        labels = np.empty(len(X), dtype=np.int64)
        labels[inside] = found.labels
        alone = np.flatnonzero(embedding.left_out)
        if len(alone):
            nearest, _ = nearest_items(X[alone], X[inside], 1, seed=seed)
            labels[alone] = found.labels[nearest[:, 0]]
        if self.method == "joint":
            labels = settle(self.graph_, labels, self.n_clusters_, seed=seed)
        by_size = np.argsort(-np.bincount(labels, minlength=self.n_clusters_), kind="stable")
        return np.argsort(by_size)[labels]

    def predict(self, X: Any, tags: Any = None) -> NDArray[np.int64]:
        """Place items, seen or unseen, by their nearest training items.

        Each of the `n_neighbors` training items with the highest affinity votes for its cluster
        with that affinity; of equal clusters the larger wins. If `method` is "joint", the nearest
        by leaves have a third of the votes, and the nearest by profiles of tags two thirds.

        Parameters
        ----------
        X : array-like of shape (n_items, n_features)
        tags : tag matrix or None, default=None
            Tags that the items have, in any form that `fit` takes. Names must be known; a matrix
            has the columns of the one that was fitted. If `method` is "forest" they change nothing.

        Returns
        -------
        ndarray of shape (n_items,), int64
        """
        check_is_fitted(self)
        X = check_features(self, X, reset=False)
        if tags is None:
            own: Any = sparse.csr_array((X.shape[0], self._tags.n_tags), dtype=np.uint8)
        else:
            own = parse_tags(tags, vocabulary=self._tags.vocabulary, n_items=X.shape[0]).matrix
        return place_by_votes(self._affinities.near(X, own), self.labels_)

    def cluster_summary(self, top: int = 5) -> DataFrame:
        """Describe every cluster.

        Parameters
        ----------
        top : int, default=5
            Characteristic tags and central items to give.

        Returns
        -------
        DataFrame with a row for each cluster, the largest first
            `cluster`, `name`, `size`; `tagged`, the share of its items that have tags; `tags`, the
            most characteristic ones, and their `lift`, how many times more frequent each is here
            than in the collection; `central`, the items with the most affinity to the cluster;
            `cohesion`, the share of its affinity that stays inside.
        """
        import pandas as pd

        check_is_fitted(self)
        whole("top", top, 1)
        sizes = np.bincount(self.labels_, minlength=self.n_clusters_)
        tagged = np.bincount(self.labels_[~self._tags.untagged], minlength=self.n_clusters_)
        found = characteristic_tags(self._tags, self.labels_, self.n_clusters_, top=top)
        central = central_items(self.graph_, self.labels_, self.n_clusters_, top=top)
        return pd.DataFrame(
            {
                "cluster": np.arange(self.n_clusters_),
                "name": self.cluster_names_,
                "size": sizes,
                "tagged": tagged / np.maximum(sizes, 1),
                "tags": [own.names for own in found],
                "lift": [[round(float(x), 2) for x in own.lift] for own in found],
                "central": [items.tolist() for items in central],
                "cohesion": cohesion(self.graph_, self.labels_, self.n_clusters_),
            }
        )


def seed_from(random_state: Any) -> int:
    """Give the seed that a clustering with this `random_state` works with."""
    return int(parameters.random_numbers(random_state).randint(2**31 - 1))


def place_by_votes(nearest: Any, labels: NDArray[np.int64]) -> NDArray[np.int64]:
    """Give each item the cluster for which its neighbours vote with the most affinity.

    Parameters
    ----------
    nearest : csr_array of shape (n_items, n_training), float64
        Affinities to the training items that vote.
    labels : ndarray of shape (n_training,), int64
        Their clusters, numbered by size.

    Returns
    -------
    ndarray of shape (n_items,), int64
        Of equal clusters the larger one.
    """
    n = len(labels)
    member: Any = sparse.csr_array(
        (np.ones(n), labels, np.arange(n + 1)), shape=(n, int(labels.max()) + 1)
    )
    votes = (nearest @ member).toarray()
    # Equal sums may differ in their last bits by the order of their terms.
    return np.asarray(np.round(votes, 9).argmax(axis=1), dtype=np.int64)
