"""Completion by clusters: the share of an item's cluster that carries a tag."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from conceptforest.completion.keep import blocks, row_numbers
from conceptforest.progress import progress_bar
from conceptforest.tags import parse_tags

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conceptforest.structure.clustering import ConceptClustering
    from conceptforest.tags import TagMatrix

__all__ = ["ClusterRule", "cluster_scores"]


def cluster_scores(
    labels: Any, tags: Any, n_scores: int | None = 100, *, verbose: bool = False
) -> Any:
    """Score tags by the share of the other items of a cluster that carry them.

    Works for any clustering. All items of a cluster rank the tags that they lack alike.

    Parameters
    ----------
    labels : array-like of shape (n_items,), int
        Cluster of each item; every number is a cluster.
    tags : tag matrix
        Observed tags, in any form that :func:`conceptforest.tags.parse_tags` takes.
    n_scores : int or None, default=100
        How many scores to keep for each item among the tags that it lacks, the highest; of equal
        ones that of the more frequent tag, then that of the lower column. None keeps all.
    verbose : bool, default=False
        Show a progress bar.

    Returns
    -------
    csr_array of shape (n_items, n_tags), float64
        Positive scores, in (0, 1]. Those of tags that an item has are all kept, and leave the item
        itself out. An item alone in its cluster has none.

    Examples
    --------
    >>> scores = cluster_scores([0, 0, 0, 1], [{"sea"}, {"sea", "sand"}, set(), {"snow"}])
    >>> scores.toarray()  # columns: sand, sea, snow
    array([[0.5, 0.5, 0. ],
           [0. , 0.5, 0. ],
           [0.5, 1. , 0. ],
           [0. , 0. , 0. ]])
    """
    parsed = parse_tags(tags)
    shares = _Shares(_check_labels(labels, parsed.n_items), parsed)
    pieces = [(np.zeros(0, np.int32), np.zeros(0, np.int32), np.zeros(0))]
    with progress_bar("scoring tags", shares.n_clusters, show=verbose) as update:
        for cluster in range(shares.n_clusters):
            pieces.extend(shares.of_members(cluster, n_scores))
            if update is not None:
                update(cluster + 1)
    rows, columns, scores = map(np.concatenate, zip(*pieces, strict=True))
    return sparse.csr_array((scores, (rows, columns)), shape=parsed.matrix.shape)


class ClusterRule:
    """The share of an item's cluster that carries a tag (HML-RF(GC)).

    Parameters
    ----------
    clustering : ConceptClustering
        Fitted on the items of `tags`.
    tags : TagMatrix
        Observed tags, (n_items, n_tags).
    verbose : bool
    """

    def __init__(self, clustering: ConceptClustering, tags: TagMatrix, *, verbose: bool) -> None:
        self.clustering = clustering
        self._tags = tags
        self._shares = _Shares(clustering.labels_, tags)
        self._verbose = verbose

    def seen(self, n_scores: int | None) -> Any:
        """Score the tags of the items themselves; each leaves itself out.

        Parameters
        ----------
        n_scores : int or None
            How many scores to keep among the tags that an item lacks.

        Returns
        -------
        csr_array of shape (n_items, n_tags), float64
        """
        return cluster_scores(self.clustering.labels_, self._tags, n_scores, verbose=self._verbose)

    def place(self, X: NDArray[Any]) -> NDArray[np.int64]:
        """Find the clusters of new items.

        Parameters
        ----------
        X : ndarray of shape (n_new, n_features)

        Returns
        -------
        ndarray of shape (n_new,), int64
        """
        labels: NDArray[np.int64] = self.clustering.predict(X)
        return labels

    def unseen(self, places: NDArray[np.int64], rows: slice) -> Any:
        """Score all tags of some of the new items, by the whole cluster of each.

        Parameters
        ----------
        places : see `place`
        rows : slice
            Which of the new items.

        Returns
        -------
        csr_array of shape (n_rows, n_tags), float64
        """
        return self._shares.of_clusters(places[rows])

    def full_vote(self, places: NDArray[Any], rows: slice) -> NDArray[np.float64]:  # noqa: ARG002
        """Give the score that a tag of all voters would have, (n_rows,): always 1."""
        return np.ones(rows.stop - rows.start)


class _Shares:
    """How many items of each cluster carry each tag, and the order of tags that follows."""

    def __init__(self, labels: NDArray[np.int64], tags: TagMatrix) -> None:
        self.names, self.member_of = np.unique(labels, return_inverse=True)
        self.n_clusters = len(self.names)
        self.sizes = np.bincount(self.member_of, minlength=self.n_clusters)
        self.by_cluster = np.argsort(self.member_of, kind="stable").astype(np.int32)
        self.first = np.concatenate([[0], np.cumsum(self.sizes)])
        joined: Any = sparse.csr_array(
            (np.ones(len(labels), np.int64), self.by_cluster, self.first),
            shape=(self.n_clusters, len(labels)),
        )
        self.carriers = joined @ tags.matrix.astype(np.int64)  # (n_clusters, n_tags)
        self.carriers.sort_indices()
        self.tags = tags
        self.frequency = tags.counts

    def of_clusters(self, labels: NDArray[np.int64]) -> Any:
        """Give the shares of whole clusters, one row for each label."""
        share = self.carriers.data / self.sizes[row_numbers(self.carriers)]
        all_shares: Any = sparse.csr_array(
            (share, self.carriers.indices, self.carriers.indptr), shape=self.carriers.shape
        )
        return all_shares[np.searchsorted(self.names, labels)]

    def of_members(self, cluster: int, n_scores: int | None) -> Any:
        """Yield rows, columns (int32) and scores of the items of a cluster, block by block."""
        others = int(self.sizes[cluster]) - 1
        if others == 0:
            return
        members = self.by_cluster[self.first[cluster] : self.first[cluster + 1]]
        columns, counts = self._ranked_tags(cluster)
        carriers = np.zeros(self.tags.n_tags, dtype=np.int64)
        carriers[columns] = counts
        most_tags = int(np.diff(self.tags.matrix.indptr)[members].max())
        head = len(columns) if n_scores is None else min(len(columns), n_scores + most_tags)
        place = np.full(self.tags.n_tags, -1)
        place[columns[:head]] = np.arange(head)
        for block in blocks(len(members), max(1, head)):
            rows = members[block]
            own: Any = self.tags.matrix[rows]
            own_row, own_place = row_numbers(own), place[own.indices]
            lacking = np.ones((len(rows), head), dtype=np.bool_)
            lacking[own_row[own_place >= 0], own_place[own_place >= 0]] = False
            if n_scores is not None:
                lacking &= np.cumsum(lacking, axis=1) <= n_scores
            at, which = np.nonzero(lacking)
            yield rows[at], columns[which], counts[which] / others
            shared = carriers[own.indices] > 1  # another item of the cluster has the tag too
            column = own.indices[shared].astype(np.int32)
            yield rows[own_row[shared]], column, (carriers[column] - 1) / others

    def _ranked_tags(self, cluster: int) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
        """Order a cluster's tags by carriers, then frequency, then column."""
        row = slice(self.carriers.indptr[cluster], self.carriers.indptr[cluster + 1])
        columns = self.carriers.indices[row].astype(np.int32)
        counts = self.carriers.data[row]
        order = np.lexsort((columns, -self.frequency[columns], -counts))
        return columns[order], counts[order]


def _check_labels(labels: Any, n_items: int) -> NDArray[np.int64]:
    given: NDArray[Any] = np.asarray(labels)
    if given.shape != (n_items,):
        raise ValueError(
            f"labels has shape {given.shape}, but there are {n_items} items with tags. Give one"
            " label per item."
        )
    if given.dtype.kind not in "iu":
        raise ValueError(f"labels holds {given.dtype}; cluster labels are whole numbers.")
    return given.astype(np.int64)
