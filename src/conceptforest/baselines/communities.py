"""Communities of a graph by the Leiden algorithm of Traag, Waltman and van Eck.

With w the weights of edges, K(C) the sum of the degrees in a community and 2m that of all, the
algorithm looks for the partition with the highest modularity at a resolution g,

    sum over communities C of  w(C, C) / 2m  -  g * (K(C) / 2m) ** 2

Moving an item of degree k from nowhere into C gains w(item, C) - g * k * K(C) / 2m, up to a factor
that is the same for all.
"""

from __future__ import annotations

import math
from collections import deque
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse

from conceptforest.structure.graph import degrees

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

__all__ = ["leiden"]

_RANDOMNESS = 0.01  # of the choice of a community in the refinement, as published
_TINY = 1e-10  # a gain, in units of the mean degree, that is nothing but rounding


def leiden(
    graph: Any, resolution: float = 1.0, *, n_iterations: int = 2, seed: int = 0
) -> NDArray[np.int64]:
    """Partition the items of a graph into well-connected communities.

    Parameters
    ----------
    graph : csr_array of shape (n_items, n_items)
        Symmetric, not negative, with an empty diagonal.
    resolution : float, default=1.0
        The higher, the more communities.
    n_iterations : int, default=2
        Runs of the algorithm, each beginning with the partition of the last; it ends sooner when
        nothing changes.
    seed : int, default=0

    Returns
    -------
    ndarray of shape (n_items,), int64
        Communities are numbered from 0. Each is connected, and no two would gain by being joined.

    Examples
    --------
    >>> triangles = sparse.csr_array(np.kron(np.eye(2), 1 - np.eye(3)))
    >>> leiden(triangles).tolist()
    [0, 0, 0, 1, 1, 1]
    """
    rng = np.random.default_rng(seed)
    labels: NDArray[np.int64] = np.arange(graph.shape[0])
    for _ in range(n_iterations):
        found = _iterate(graph, labels, resolution, rng)
        if np.array_equal(found, labels):
            break
        labels = found
    return labels


class _Level(NamedTuple):
    """A graph whose nodes are items or groups of them, in lists, which Python walks fastest."""

    neighbours: list[list[int]]
    weights: list[list[float]]
    degree: list[float]  # with what lies within a node
    scale: float  # resolution / 2m

    @classmethod
    def of(cls, graph: Any, degree: NDArray[np.float64], scale: float) -> _Level:
        cuts = graph.indptr[1:-1]
        return cls(
            [part.tolist() for part in np.split(graph.indices, cuts)],
            [part.tolist() for part in np.split(graph.data, cuts)],
            degree.tolist(),
            scale,
        )


def _iterate(
    graph: Any, labels: NDArray[np.int64], resolution: float, rng: np.random.Generator
) -> NDArray[np.int64]:
    """Move, refine and aggregate until every community is one node."""
    degree = degrees(graph)
    total = degree.sum()
    if not total:
        return labels
    scale, least = resolution / total, _TINY * total / len(degree)
    of_item: NDArray[np.int64] = np.arange(len(degree))  # node of each item
    while True:
        level = _Level.of(graph, degree, scale)
        labels = _numbered(_move(level, labels.tolist(), least, rng))
        if labels.max() + 1 == len(labels):
            return _numbered(labels[of_item])
        refined = _numbered(_refine(level, labels.tolist(), least, rng))
        of_item = refined[of_item]
        graph, degree = _aggregate(graph, degree, refined)
        together = np.empty(len(degree), dtype=np.int64)
        together[refined] = labels
        labels = together


def _move(level: _Level, labels: list[int], least: float, rng: np.random.Generator) -> list[int]:
    """Move nodes to the communities where they gain most, until none gains.

    After the first round, only nodes whose neighbours have moved are looked at again.
    """
    n = len(labels)
    mass = np.bincount(labels, weights=level.degree, minlength=n).tolist()
    size = np.bincount(labels, minlength=n).tolist()
    empty = [label for label in range(n) if not size[label]]
    queue, queued = deque(rng.permutation(n).tolist()), [True] * n
    while queue:
        node = queue.popleft()
        queued[node] = False
        own = labels[node]
        shared = {own: 0.0}
        for other, weight in zip(level.neighbours[node], level.weights[node], strict=True):
            label = labels[other]
            shared[label] = shared.get(label, 0.0) + weight
        cost = level.scale * level.degree[node]
        mass[own] -= level.degree[node]
        best, most = own, shared[own] - cost * mass[own] + least
        for label, weight in shared.items():
            gain = weight - cost * mass[label]
            if gain > most:
                best, most = label, gain
        if most < 0 and size[own] > 1:  # better alone
            best = empty.pop()
        mass[best] += level.degree[node]
        if best == own:
            continue
        labels[node] = best
        size[best] += 1
        size[own] -= 1
        if not size[own]:
            empty.append(own)
        for other in level.neighbours[node]:
            if not queued[other] and labels[other] != best:
                queued[other] = True
                queue.append(other)
    return labels


def _refine(level: _Level, labels: list[int], least: float, rng: np.random.Generator) -> list[int]:
    """Begin each community anew, one node at a time, so that no part of it hangs loose.

    A node alone joins a part of its community at random, the more likely the more is gained, among
    those to which it loses nothing. Node and part must both be well connected to the rest.
    """
    n = len(labels)
    whole = np.bincount(labels, weights=level.degree, minlength=n).tolist()
    parts = list(range(n))
    mass = level.degree.copy()
    inside = [  # of a part, the weight of edges to the rest of its community
        sum(w for other, w in zip(near, weights, strict=True) if labels[other] == label)
        for near, weights, label in zip(level.neighbours, level.weights, labels, strict=True)
    ]
    alone = [True] * n

    def loose(part: int, label: int) -> bool:
        expected = level.scale * mass[part] * (whole[label] - mass[part])
        return bool(inside[part] < expected - least)

    for node in rng.permutation(n).tolist():
        label = labels[node]
        if not alone[node] or loose(node, label):
            continue
        shared: dict[int, float] = {}
        for other, weight in zip(level.neighbours[node], level.weights[node], strict=True):
            if labels[other] == label:
                part = parts[other]
                shared[part] = shared.get(part, 0.0) + weight
        cost = level.scale * level.degree[node]
        gains = {
            part: weight - cost * mass[part]
            for part, weight in shared.items()
            if weight >= cost * mass[part] and not loose(part, label)
        }
        if not gains:
            continue
        chosen = _draw(gains, rng)
        parts[node] = chosen
        alone[node] = alone[chosen] = False
        inside[chosen] += inside[node] - 2 * shared[chosen]
        mass[chosen] += level.degree[node]
    return parts


def _draw(gains: dict[int, float], rng: np.random.Generator) -> int:
    """Choose a key with probability proportional to exp(gain / randomness)."""
    if len(gains) == 1:
        return next(iter(gains))
    most = max(gains.values())
    odds = [math.exp((gain - most) / _RANDOMNESS) for gain in gains.values()]
    left = rng.random() * sum(odds)
    for key, odd in zip(gains, odds, strict=True):
        left -= odd
        if left < 0:
            return key
    return max(gains, key=lambda key: gains[key])  # lost to rounding


def _aggregate(
    graph: Any, degree: NDArray[np.float64], labels: NDArray[np.int64]
) -> tuple[Any, NDArray[np.float64]]:
    """Make one node of the nodes with each label."""
    shape = (len(labels), int(labels.max()) + 1)
    members: Any = sparse.csr_array((np.ones(len(labels)), (np.arange(len(labels)), labels)), shape)
    joined = (members.T @ graph @ members).tocoo()
    apart = joined.row != joined.col
    places = joined.row[apart], joined.col[apart]
    smaller: Any = sparse.csr_array((joined.data[apart], places), shape=joined.shape)
    return smaller, np.bincount(labels, weights=degree).astype(np.float64)


def _numbered(labels: Iterable[int]) -> NDArray[np.int64]:
    """Give labels new numbers, from 0 in the order in which they come."""
    _, first, number = np.unique(np.asarray(labels), return_index=True, return_inverse=True)
    order = np.empty(len(first), dtype=np.int64)
    order[np.argsort(first)] = np.arange(len(first))
    return np.asarray(order[number])
