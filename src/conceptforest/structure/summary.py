"""What clusters are about: their characteristic tags, central items, cohesion and names."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from conceptforest.structure.graph import degrees

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conceptforest.tags import TagMatrix

__all__ = ["ClusterTags", "central_items", "characteristic_tags", "cluster_names", "cohesion"]

_MOST = 0.6  # share of a cluster's tagged items that its name should speak of
_TYPICAL = 0.5  # share from which on a further tag belongs to the name in any case
_WORTH_IT = 0.15  # share that any other tag must add to be part of it
_WORDS = 3  # tags in a name, at most; two if both are typical
_FEW = 1 / 3  # a name that speaks of fewer items than this is called mixed
_TAGGED = 0.2  # share of a cluster that must have tags for them to name it


@dataclass(frozen=True, eq=False)
class ClusterTags:
    """The tags that set a cluster apart, the most characteristic first.

    Attributes
    ----------
    columns : ndarray of shape (k,), int64
    names : list of str, length k
    lift : ndarray of shape (k,)
        How many times more frequent the tag is in the cluster than in the collection.
    share : ndarray of shape (k,)
        Share of the cluster's tagged items that carry it.
    """

    columns: NDArray[np.int64]
    names: list[str]
    lift: NDArray[np.float64]
    share: NDArray[np.float64]


def characteristic_tags(
    tags: TagMatrix, labels: NDArray[np.int64], n_clusters: int, *, top: int = 5
) -> list[ClusterTags]:
    """Find for each cluster the tags with a high lift that many of its items carry.

    A tag's score is its share of the cluster times the logarithm of its lift, which is its part
    in the divergence of the cluster's tags from the collection's: a rare tag on one item has a
    huge lift and yet says little. Only tagged items count. Tags that a single item of the cluster
    carries are passed over, unless it has just one tagged item.

    Parameters
    ----------
    tags : TagMatrix
    labels : ndarray of shape (n_items,), int64
    n_clusters : int
    top : int, default=5

    Returns
    -------
    list of ClusterTags, length n_clusters
        Each with at most `top` tags, all of a lift above 1.
    """
    count = _by_cluster(tags.matrix, labels, n_clusters)
    tagged = np.bincount(labels[~tags.untagged], minlength=n_clusters)
    everywhere = tags.counts / max(1, tagged.sum())
    found = []
    for own, size in zip(count, tagged, strict=True):
        share = own / max(1, size)
        lift = np.divide(share, everywhere, out=np.zeros_like(share), where=everywhere > 0)
        score = share * np.log(np.maximum(lift, 1))
        score[own < min(2, size)] = 0
        best = np.argsort(-score, kind="stable")[:top]
        best = best[score[best] > 0]
        names = [tags.vocabulary[j] for j in best]
        found.append(ClusterTags(best, names, lift[best], share[best]))
    return found


def cluster_names(
    tags: TagMatrix, labels: NDArray[np.int64], found: list[ClusterTags]
) -> list[str]:
    """Name each cluster by its most characteristic tags, no two alike.

    The first tag is followed by a second that at least half of the cluster's tagged items carry
    too, or by others, three in all at most, while the name speaks of fewer than 60 % of them and
    the next tag adds 15 %. Names that two clusters share get a further tag, or a number. A cluster
    of which less than a fifth has tags is called mostly untagged; one of whose tagged items the
    chosen tags describe less than a third is called mixed.

    Parameters
    ----------
    tags : TagMatrix
    labels : ndarray of shape (n_items,), int64
    found : list of ClusterTags, length n_clusters

    Returns
    -------
    list of str, length n_clusters
    """
    columns = tags.matrix.tocsc()
    names: list[str] = []
    for cluster, own in enumerate(found):
        items = labels == cluster
        tagged = items & ~tags.untagged
        words = _words(columns, own, tagged)
        if tagged.sum() < _TAGGED * items.sum():
            words = ["mostly untagged" if tagged.any() else "untagged"]
        elif not words:
            words = ["mixed"]  # every tag is as frequent elsewhere
        else:
            spare = [name for name in own.names if name not in words]
            while ", ".join(words) in names and spare:
                words.append(spare.pop(0))
        names.append(_numbered(", ".join(words), names))
    return names


def _words(columns: Any, own: ClusterTags, items: NDArray[np.bool_]) -> list[str]:
    """Choose the tags of a name; `items` are the cluster's tagged ones."""
    words: list[str] = []
    spoken = np.zeros(len(items), dtype=bool)
    n = max(1, int(items.sum()))
    for column, name, share in zip(own.columns, own.names, own.share, strict=True):
        carriers = np.zeros(len(items), dtype=bool)
        carriers[columns.indices[columns.indptr[column] : columns.indptr[column + 1]]] = True
        new = int((carriers & items & ~spoken).sum())
        said = spoken.sum() >= _MOST * n
        typical = len(words) < _WORDS - 1 and share >= _TYPICAL
        if not words or typical or (not said and new >= _WORTH_IT * n):
            words.append(name)
            spoken |= carriers & items
        if len(words) == _WORDS:
            break
    if words and spoken.sum() < _FEW * n:
        words[0] = f"mixed: {words[0]}"
    return words


def _numbered(name: str, taken: list[str]) -> str:
    """Add a number to a name that is taken."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name} {number}"
    return free


def central_items(
    graph: Any, labels: NDArray[np.int64], n_clusters: int, *, top: int = 5
) -> list[NDArray[np.int64]]:
    """Find the items of each cluster with the most affinity to it, the most central first."""
    own = _to_own_cluster(graph, labels)
    # Sums of the same numbers in another order may differ in the last bits; those are no order.
    order = np.lexsort((np.arange(len(labels)), -np.round(own, 9), labels))
    ends = np.cumsum(np.bincount(labels, minlength=n_clusters))
    return [part[:top] for part in np.split(order, ends[:-1])]


def cohesion(graph: Any, labels: NDArray[np.int64], n_clusters: int) -> NDArray[np.float64]:
    """Give the share of each cluster's affinity that stays inside it, shape (n_clusters,)."""
    inside = np.bincount(labels, weights=_to_own_cluster(graph, labels), minlength=n_clusters)
    volume = np.bincount(labels, weights=degrees(graph), minlength=n_clusters)
    return np.divide(inside, volume, out=np.zeros(n_clusters), where=volume > 0)


def _to_own_cluster(graph: Any, labels: NDArray[np.int64]) -> NDArray[np.float64]:
    """Sum up each item's affinities to its own cluster, shape (n_items,)."""
    rows = np.repeat(np.arange(len(labels)), np.diff(graph.indptr))
    same = labels[rows] == labels[graph.indices]
    inside = np.bincount(rows[same], weights=graph.data[same], minlength=len(labels))
    return inside.astype(np.float64)  # without edges the counts would be whole numbers


def _by_cluster(matrix: Any, labels: NDArray[np.int64], n_clusters: int) -> NDArray[Any]:
    """Sum up the rows of each cluster, shape (n_clusters, n_columns)."""
    n = len(labels)
    member: Any = sparse.csr_array((np.ones(n), (labels, np.arange(n))), shape=(n_clusters, n))
    return np.asarray((member @ matrix).toarray())
