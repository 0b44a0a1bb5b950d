"""Topics among items, and the tags that speak for them: how one layer of tags is found.

Items with the same tags are one row with a weight, so a popular combination costs nothing more.
The topics themselves come from a function that the caller gives; :func:`k_means_topics` is the one
in use.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.cluster import KMeans
from sklearn.exceptions import ConvergenceWarning
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Topic", "TopicRows", "estimate_layers", "k_means_topics"]

# Weights are summed as whole multiples of this, so sums do not depend on the order of the items
# and equal scores are equal. 2^33 items fit.
UNIT = 2.0**-30


@dataclass(frozen=True, eq=False)
class TopicRows:
    """Distinct sets of tags, and how many items have each.

    Attributes
    ----------
    tfidf : csr_array of shape (n_rows, n_columns), float64
        Weights of the tags, each row of length 1; a row whose tags are on all items is 0.
    columns : ndarray of shape (n_columns,), int64
        Column of the collection for each column of `tfidf`.
    weights : ndarray of shape (n_rows,), int64
        Items with this set of tags.
    """

    tfidf: Any
    columns: NDArray[np.int64]
    weights: NDArray[np.int64]


class Topic(NamedTuple):
    """A group of items and the tags picked for it.

    Attributes
    ----------
    tags : tuple of int
        Columns, best score first.
    scores : tuple of float
        Their scores.
    size : int
        Items in the topic.
    """

    tags: tuple[int, ...]
    scores: tuple[float, ...]
    size: int


# Layer number from 1, rows, number of topics -> a topic number for each row.
Cluster: TypeAlias = Callable[[int, TopicRows, int], "NDArray[Any]"]


def estimate_layers(
    matrix: Any, *, n_layers: int, n_topics: int, top: int, cluster: Cluster
) -> tuple[tuple[NDArray[np.int32], ...], tuple[tuple[Topic, ...], ...]]:
    """Peel layers of tags off a collection, the most abstract first.

    Parameters
    ----------
    matrix : csr_array of shape (n_items, n_tags)
        Canonical 0/1 matrix, as in :class:`~conceptforest.tags.TagMatrix`.
    n_layers : int
        Most layers to make; there are fewer where the tags run out.
    n_topics : int
        Most topics in a layer; there are never more than distinct rows.
    top : int
        Tags picked for each topic of layer 1; twice as many in layer 2, and so on.
    cluster : callable
        Gives the topic of each row, from the layer's number, the rows and the number of topics.

    Returns
    -------
    layers : tuple of ndarray, int32
        Columns of each layer, ascending, none empty unless there are no tags.
    topics : tuple of tuple of Topic
        The topics of each layer but the rest, largest first.
    """
    counts = np.bincount(matrix.indices, minlength=matrix.shape[1])
    rest = np.arange(matrix.shape[1])
    weights = np.ones(matrix.shape[0], dtype=np.int64)
    layers: list[NDArray[np.int32]] = []
    found: list[tuple[Topic, ...]] = []
    for number in range(1, n_layers):
        matrix, weights = _distinct_rows(matrix, weights, rest)
        if not matrix.shape[0]:
            break
        rows = _weigh(matrix, weights)
        labels = cluster(number, rows, min(n_topics, matrix.shape[0]))
        topics = _pick_tags(rows, labels, counts, top * number)
        if not topics:  # every tag left is on every item left
            break
        picked = np.unique([j for topic in topics for j in topic.tags])
        layers.append(picked.astype(np.int32))
        found.append(topics)
        rest = np.setdiff1d(rest, picked)
        if not rest.size:
            break
    if rest.size:
        layers.append(rest.astype(np.int32))
    return tuple(layers), tuple(found)


def k_means_topics(rows: TopicRows, n_topics: int, *, n_init: int, seed: int) -> NDArray[Any]:
    """Group rows by k-means with k-means++ starts, on one thread.

    Weighing distinct rows has the same objective as repeating them.

    Parameters
    ----------
    rows : TopicRows
    n_topics : int
        From 1 to the number of rows.
    n_init : int
        Starts, of which the best counts.
    seed : int

    Returns
    -------
    ndarray of shape (n_rows,), int
        Topic of each row, from 0.
    """
    n_rows = rows.tfidf.shape[0]
    if n_topics == 1:
        return np.zeros(n_rows, dtype=np.int32)
    if n_topics == n_rows:
        return np.arange(n_rows, dtype=np.int32)
    model = KMeans(n_topics, init="k-means++", n_init=n_init, random_state=seed)
    with threadpool_limits(1), warnings.catch_warnings():
        # Rows are distinct, so only rounding could empty a topic; one topic less does no harm.
        warnings.simplefilter("ignore", ConvergenceWarning)
        labels: NDArray[Any] = model.fit(rows.tfidf, sample_weight=rows.weights).labels_
    return labels


def _distinct_rows(
    matrix: Any, weights: NDArray[np.int64], columns: NDArray[np.int64]
) -> tuple[Any, NDArray[np.int64]]:
    """Merge rows that agree in these columns, in order of appearance, and drop empty ones."""
    keep = np.zeros(matrix.shape[1], dtype=np.bool_)
    keep[columns] = True
    kept = keep[matrix.indices]
    ends = np.concatenate([[0], np.cumsum(kept)])[matrix.indptr].astype(matrix.indptr.dtype)
    indices = matrix.indices[kept].astype(np.int32)
    content, bounds = indices.tobytes(), (4 * ends.astype(np.int64)).tolist()
    place: dict[bytes, int] = {}
    into = np.empty(matrix.shape[0], dtype=np.int64)
    first: list[int] = []
    for i in range(matrix.shape[0]):
        into[i] = place.setdefault(content[bounds[i] : bounds[i + 1]], len(place))
        if into[i] == len(first):
            first.append(i)
    merged = np.zeros(len(first), dtype=np.int64)
    np.add.at(merged, into, weights)
    pattern = sparse.csr_array(
        (np.ones(len(indices), dtype=np.int8), indices, ends), shape=matrix.shape
    )[first]
    tagged = np.flatnonzero(np.diff(pattern.indptr))
    return pattern[tagged], merged[tagged]


def _weigh(matrix: Any, weights: NDArray[np.int64]) -> TopicRows:
    """Weigh each tag by ``ln(n / df)`` and bring every row to length 1."""
    by_tag = matrix.tocsc()
    content = by_tag.indices.astype(">i4").tobytes()
    bounds = (4 * by_tag.indptr.astype(np.int64)).tolist()
    used = np.flatnonzero(np.diff(by_tag.indptr))
    # Tags in the order of what they are on: neither their names nor their places in the collection
    # can change a sum by a rounding and with it the topics.
    columns = np.array(sorted(used, key=lambda j: content[bounds[j] : bounds[j + 1]]), np.int64)
    tfidf = by_tag[:, columns].tocsr().astype(np.float64)
    tfidf.sort_indices()
    df = tfidf.T @ weights
    values = np.log(weights.sum() / df)[tfidf.indices]
    row = np.repeat(np.arange(tfidf.shape[0]), np.diff(tfidf.indptr))
    norms = np.sqrt(np.bincount(row, values**2, minlength=tfidf.shape[0]))
    norms[norms == 0] = 1.0
    tfidf.data = values / norms[row]
    return TopicRows(tfidf, columns, weights)


def _pick_tags(
    rows: TopicRows, labels: NDArray[Any], counts: NDArray[np.int64], n_best: int
) -> tuple[Topic, ...]:
    """Give each topic its best tags: by summed weight, then by items, then by column."""
    tfidf = rows.tfidf
    row = np.repeat(np.arange(tfidf.shape[0]), np.diff(tfidf.indptr))
    whole = np.rint(tfidf.data / UNIT).astype(np.int64) * rows.weights[row]
    n_topics = int(labels.max()) + 1
    where: Any = (labels[row], tfidf.indices)
    sums: Any = sparse.csr_array((whole, where), shape=(n_topics, tfidf.shape[1]))
    sums.sum_duplicates()
    sizes = np.bincount(labels, rows.weights, minlength=n_topics).astype(np.int64)
    topics = []
    for e in np.argsort(-sizes, kind="stable"):
        span = slice(sums.indptr[e], sums.indptr[e + 1])
        tags, scores = rows.columns[sums.indices[span]], sums.data[span]
        order = np.lexsort((tags, -counts[tags], -scores))
        order = order[scores[order] > 0][:n_best]
        if order.size:
            found = (tags[order].tolist(), (scores[order] * UNIT).tolist())
            topics.append(Topic(tuple(found[0]), tuple(found[1]), int(sizes[e])))
    return tuple(topics)
