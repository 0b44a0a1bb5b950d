"""Items that fit nowhere, and items whose tags fit nowhere near them, each with the reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse

from conceptforest.checks import whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conceptforest.tags import TagMatrix

__all__ = ["Outlier", "outliers"]

_NEAREST = 20  # neighbours that an item is judged by
_FAR = 3.0  # standard deviations that make an outlier
_LESS = 0.75  # of the affinity around: a small difference is none, however even the collection
_LEAST_SPREAD = 0.1  # of log affinities, where most items are alike
_NOTHING = 0.001  # of the median affinity: less is as good as none, and has a logarithm
_CARRIERS = 10  # items of a tag from which on there is something usual about it
_TELLING = 1.5  # times more often than by chance: neighbours share the tag
_TAGGED = 5  # neighbours with tags from which on they say something
_TO_DEVIATION = 1.4826  # from the median absolute deviation, for a normal distribution


@dataclass(frozen=True)
class Outlier:
    """An item to look at.

    Attributes
    ----------
    item : int
    score : float
        How far it is from what is usual, in standard deviations; at least 3.
    reason : str
        A sentence without capital and full stop.
    """

    item: int
    score: float
    reason: str


def outliers(
    graph: Any, labels: Any, tags: TagMatrix, *, top: int = 50, visual: bool = False
) -> list[Outlier]:
    """Find the items that fit nowhere, and those whose tags do not fit their neighbours.

    An item's affinity is the mean to its 20 nearest; fewer count as 0. It fits nowhere if that is
    much less than the affinity of its nearest to their own nearest: less than 0.75 of it, with a
    logarithm of the ratio more than 3 robust standard deviations below the collection's median.
    So a loose group of pictures raises no alarm, but a picture at the edge of a tight one does.

    A tag is telling if at least 10 items carry it and neighbours share it: the median item of the
    tag has it on 1.5 times more of its nearest than chance would put there. The tags of an item do
    not fit if none of the telling ones is on any of its 20 nearest, of which at least 5 have tags;
    if none is more frequent in its cluster than in the collection; and if for one of them that is
    unusual: where E of the nearest would carry it, were the item like the median item of the tag,
    sqrt(2 E), the deviance of seeing none, is more than 3. So tags such as ``sunny`` neither raise
    an alarm nor excuse one.

    Parameters
    ----------
    graph : csr_array of shape (n_items, n_items)
        Affinities of neighbours, symmetric, as in ``ConceptClustering.graph_``.
    labels : array-like of shape (n_items,), int
        Clusters, as in ``ConceptClustering.labels_``.
    tags : TagMatrix
        Of n_items items.
    top : int, default=50
        Most outliers to give.
    visual : bool, default=False
        The graph holds similarities of features and not shares of trees, which is for the words
        of the reasons alone.

    Returns
    -------
    list of Outlier
        Each item once, the highest score first; equal ones by number.

    Raises
    ------
    TypeError, ValueError
        If the graph, the labels and the tags are not of the same items.

    Notes
    -----
    A forest that was grown with the tags puts an item beside the items that carry its tags, right
    or wrong, so few outliers stand out in its affinities. More do in a graph of visually nearest
    items, such as ``neighbour_graph`` of the cosines that ``nearest_items`` finds.

    Examples
    --------
    >>> from conceptforest.tags import parse_tags
    >>> near = np.kron(np.eye(2), np.full((12, 12), 0.3)) * (1 - np.eye(24))
    >>> names = [{"harbour"}] * 12 + [{"forest"}] * 11 + [{"harbour"}]
    >>> found = outliers(sparse.csr_array(near), [0] * 12 + [1] * 12, parse_tags(names))
    >>> found[0].item, found[0].reason
    (23, "tagged 'harbour', which none of its 11 nearest pictures carries (typical: 100 %)")
    """
    whole("top", top, 0)
    graph = sparse.csr_array(graph, dtype=np.float64)
    label = _check_items(graph, labels, tags)
    nearest = _nearest(graph)
    found: dict[int, Outlier] = {}
    for outlier in (*_far_from_all(nearest, visual=visual), *_with_odd_tags(nearest, label, tags)):
        known = found.get(outlier.item)
        found[outlier.item] = outlier if known is None else _both(known, outlier)
    return sorted(found.values(), key=lambda outlier: (-outlier.score, outlier.item))[:top]


def _check_items(graph: Any, labels: Any, tags: TagMatrix) -> NDArray[np.int64]:
    label = np.asarray(labels)
    n = graph.shape[0]
    if graph.shape != (n, n) or label.shape != (n,) or tags.n_items != n:
        raise ValueError(
            f"graph is of shape {graph.shape}, labels of shape {label.shape}, and {tags.n_items}"
            " items have rows of tags. Give all three for the same items."
        )
    if label.dtype.kind not in "iu" and n > 0:
        raise TypeError(
            f"labels are of type {label.dtype}; give the number of each item's cluster."
        )
    if not np.isfinite(graph.data).all():
        raise ValueError("graph holds infinite numbers or NaN; give affinities from 0.")
    return np.unique(label, return_inverse=True)[1].reshape(-1).astype(np.int64)


class _Nearest(NamedTuple):
    """The nearest items of every item."""

    affinity: NDArray[np.float64]  # (n_items,) mean, with 0 for those that are missing
    joined: Any  # (n_items, n_items) 1 for each of the nearest
    number: NDArray[np.int64]  # (n_items,) how many


def _nearest(graph: Any) -> _Nearest:
    """Keep the largest affinities of each row; of equal ones the first."""
    n = graph.shape[0]
    rows = np.repeat(np.arange(n), np.diff(graph.indptr))
    real = (graph.data > 0) & (graph.indices != rows)
    rows, columns, data = rows[real], graph.indices[real], graph.data[real]
    order = np.lexsort((columns, -data, rows))
    begin = np.searchsorted(rows, np.arange(n))  # rows ascend, and stay in their places
    kept = order[np.arange(len(order)) - begin[rows] < _NEAREST]
    rows, columns, data = rows[kept], columns[kept], data[kept]
    joined = sparse.csr_array((np.ones(len(rows)), (rows, columns)), shape=(n, n))
    affinity = np.bincount(rows, weights=data, minlength=n) / max(1, min(_NEAREST, n - 1))
    return _Nearest(affinity, joined, np.bincount(rows, minlength=n))


def _far_from_all(nearest: _Nearest, *, visual: bool) -> list[Outlier]:
    median = float(np.median(nearest.affinity)) if len(nearest.affinity) else 0.0
    if median == 0:
        return []  # most items have no neighbours: there is nothing usual
    around = nearest.joined @ nearest.affinity
    around = np.where(nearest.number > 0, around / np.maximum(nearest.number, 1), median)
    around = np.maximum(around, _NOTHING * median)
    ratio = np.maximum(nearest.affinity, _NOTHING * median) / around
    log = np.log(ratio)
    score = (np.median(log) - log) / max(_deviation(log), _LEAST_SPREAD)
    return [
        Outlier(
            int(i),
            float(score[i]),
            _far_reason(
                nearest.affinity[i], around[i], alone=nearest.number[i] == 0, visual=visual
            ),
        )
        for i in np.flatnonzero((score > _FAR) & (ratio < _LESS))
    ]


def _far_reason(affinity: float, around: float, *, alone: bool, visual: bool) -> str:
    if alone:
        shared = "resembles no" if visual else "shares no tree's leaf with any"
        return f"{shared} other picture"
    own, typical = _percent(affinity), _percent(around)
    if visual:
        return f"it resembles its nearest pictures by {own} (typical: {typical})"
    return f"its nearest pictures share {own} of trees with it (typical: {typical})"


def _with_odd_tags(nearest: _Nearest, labels: NDArray[np.int64], tags: TagMatrix) -> list[Outlier]:
    counts = tags.counts
    common = np.flatnonzero(counts >= _CARRIERS)
    if len(common) == 0:
        return []
    own, share, tagged = _seen_shares(nearest, tags, common)
    usual = _usual_shares(own, share)
    telling = usual >= _TELLING * counts[common] / (~tags.untagged).sum()
    if not telling.all():
        common = common[telling]
        own, share, tagged = _seen_shares(nearest, tags, common)
        usual = usual[telling]
    rows = np.repeat(np.arange(tags.n_items), np.diff(own.indptr))
    usual = usual[own.indices]
    score = np.sqrt(2 * tagged * usual)
    at_home = (share > 0) | (tagged < _TAGGED) | _at_home(own, rows, labels, tags)
    foreign = np.bincount(rows, weights=at_home, minlength=tags.n_items) == 0
    found = []
    for i in np.unique(rows[foreign[rows] & (score > _FAR)]):
        entries = np.arange(own.indptr[i], own.indptr[i + 1])
        worst = int(entries[np.argmax(score[entries])])
        name = tags.vocabulary[common[own.indices[worst]]]
        reason = (
            f"tagged {_quoted(name)}, which none of its {nearest.number[i]} nearest pictures"
            f" carries (typical: {_percent(usual[worst])})"
        )
        found.append(Outlier(int(i), float(score[worst]), reason))
    return found


def _seen_shares(
    nearest: _Nearest, tags: TagMatrix, columns: NDArray[np.int64]
) -> tuple[Any, NDArray[np.float64], NDArray[np.float64]]:
    """Give the tags of `columns`, and for each of an item two numbers about its neighbours.

    They are the share of the tagged neighbours that carry the tag, and how many are tagged.
    """
    own = tags.matrix[:, columns].astype(np.float64)
    own.sort_indices()
    rows = np.repeat(np.arange(tags.n_items), np.diff(own.indptr))
    tagged = (nearest.joined @ (~tags.untagged).astype(np.float64))[rows]
    shared = _shared(nearest.joined, own, rows)
    return own, np.divide(shared, tagged, out=np.zeros(len(rows)), where=tagged > 0), tagged


def _shared(joined: Any, own: Any, rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """Count for each tag of each item the neighbours that carry it, shape (nnz,)."""
    among = sparse.coo_array(joined @ own)  # at most 20 items' tags a row
    seen = among.row.astype(np.int64) * own.shape[1] + among.col
    asked = rows * own.shape[1] + own.indices  # ascending
    there = np.isin(seen, asked)
    found = np.zeros(len(rows))
    found[np.searchsorted(asked, seen[there])] = among.data[there]
    return found


def _usual_shares(own: Any, share: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the median share of each tag's items, shape (n_tags,)."""
    by_tag = np.argsort(own.indices, kind="stable")
    ends = np.cumsum(np.bincount(own.indices, minlength=own.shape[1]))
    return np.array([np.median(part) for part in np.split(share[by_tag], ends[:-1])])


def _at_home(
    own: Any, rows: NDArray[np.int64], labels: NDArray[np.int64], tags: TagMatrix
) -> NDArray[np.bool_]:
    """Mark the tags of items that are more frequent in the item's cluster than elsewhere."""
    n, n_clusters = len(labels), int(labels.max(initial=0)) + 1
    member = sparse.csr_array((np.ones(n), (labels, np.arange(n))), shape=(n_clusters, n))
    count = (member @ own).toarray()
    tagged = member @ (~tags.untagged).astype(np.float64)
    # Without the item itself: its own tag is no evidence that it belongs.
    inside = count[labels[rows], own.indices] - 1
    expected = (count.sum(axis=0)[own.indices] - 1) * (tagged[labels[rows]] - 1)
    return np.asarray(inside * max(1.0, tagged.sum() - 1) > expected)


def _deviation(values: NDArray[np.float64]) -> float:
    return float(_TO_DEVIATION * np.median(np.abs(values - np.median(values))))


def _both(one: Outlier, other: Outlier) -> Outlier:
    return Outlier(one.item, max(one.score, other.score), f"{one.reason}; {other.reason}")


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %" if share == 0 or share >= 0.01 else "less than 1 %"


def _quoted(name: str) -> str:
    return f"'{name}'" if name.isprintable() else ascii(name)
