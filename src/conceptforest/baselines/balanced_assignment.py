"""The cheapest way to give every item a cluster, where clusters may be neither small nor large.

This is a transportation problem, and as such it has a best solution in whole items. Every item
first gets its cheapest cluster. Then one item at a time is shifted out of a cluster that is too
large or into one that is too small, each time along the cheapest chain of moves: since there are
far fewer clusters than items, a chain is a shortest path among a few dozen nodes. Costs are whole
numbers, so that sums are exact and no chain can run in a circle.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["balanced_assignment"]

_LARGEST = 2**40  # of the whole numbers that stand for costs
_NEVER = 2**60  # cost of a move that cannot be made; two of them still fit in 64 bits


def balanced_assignment(costs: NDArray[Any], least: int, most: int) -> NDArray[np.int64]:
    """Give every item a cluster at the lowest total cost, with bounds on the sizes of clusters.

    Parameters
    ----------
    costs : ndarray of shape (n_items, n_clusters)
        Finite. They are rounded to a 2^-40 of the largest difference within a row; for these
        costs the answer is exact. Where clusters cost an item the same, items prefer different
        ones.
    least, most : int
        Items of a cluster.

    Returns
    -------
    ndarray of shape (n_items,), int64

    Examples
    --------
    >>> balanced_assignment(np.array([[0.0, 5.0], [0.0, 1.0], [0.0, 3.0], [0.0, 4.0]]), 1, 3)
    array([0, 1, 0, 0])
    """
    n, p = costs.shape
    if not 0 <= least * p <= n <= most * p:
        raise ValueError(
            f"{n} items cannot be parted into {p} clusters of {least} to {most} items: these hold"
            f" {least * p} to {most * p}. Allow other sizes."
        )
    if not np.isfinite(costs).all():
        raise ValueError("costs must be finite numbers")
    return _Moves(_whole(costs), least, most).solve()


def _whole(costs: NDArray[Any]) -> NDArray[np.int64]:
    """Round costs above the least of each row to whole numbers."""
    above = costs - costs.min(axis=1, keepdims=True).astype(np.float64)
    largest = above.max(initial=0.0)
    whole = np.rint(above * (_LARGEST / largest if largest > 0 else 0.0))
    return np.asarray(whole, dtype=np.int64)


class _Moves:
    """The state of the shifting.

    Nodes are the clusters and, as the last, the outlet, which takes what all clusters hold. An
    arc from a cluster to another is the cheapest move of an item; arcs between a cluster and the
    outlet cost nothing, and stand for holding one item more or one less within the bounds.
    """

    def __init__(self, costs: NDArray[np.int64], least: int, most: int) -> None:
        n, p = costs.shape
        self.costs, self.least, self.most = costs, least, most
        turned = (np.arange(p) + np.arange(n)[:, None]) % p  # so that equal costs spread out
        cheapest = np.take_along_axis(costs, turned, axis=1).argmin(axis=1)
        self.labels: NDArray[np.int64] = turned[np.arange(n), cheapest]
        sizes = np.bincount(self.labels, minlength=p)
        self.held = np.clip(sizes, least, most)
        self.excess = np.append(sizes - self.held, self.held.sum() - n)
        self.arcs = np.full((p + 1, p + 1), _NEVER, dtype=np.int64)
        self.mover = np.full((p, p), -1, dtype=np.int64)  # the item of an arc
        for cluster in range(p):
            self._renew(cluster, np.arange(p))
            self._renew_outlet(cluster)

    def solve(self) -> NDArray[np.int64]:
        """Shift items until every cluster holds what it may."""
        while (self.excess > 0).any():
            self._shift(self._cheapest_chain())
        return self.labels

    def _cheapest_chain(self) -> list[int]:
        """Give the nodes of the shortest path from any excess to any lack (Bellman and Ford)."""
        distance = np.where(self.excess > 0, 0, _NEVER)
        before = np.full(len(distance), -1)
        while True:
            through = distance[:, None] + self.arcs
            last = through.argmin(axis=0)
            shortest = through[last, np.arange(len(last))]
            better = shortest < distance
            if not better.any():
                break
            distance[better], before[better] = shortest[better], last[better]
        chain = [int(np.where(self.excess < 0, distance, 2 * _NEVER).argmin())]
        while before[chain[-1]] >= 0:
            chain.append(int(before[chain[-1]]))
        return chain[::-1]

    def _shift(self, chain: list[int]) -> None:
        """Make the moves of a chain, and renew the arcs that they touch."""
        outlet = len(self.held)
        self.excess[chain[0]] -= 1
        self.excess[chain[-1]] += 1
        moves = []
        for start, end in pairwise(chain):
            if outlet in (start, end):
                cluster = min(start, end)
                self.held[cluster] += 1 if end == outlet else -1
                self._renew_outlet(cluster)
            else:
                moves.append((int(self.mover[start, end]), start, end))
        for item, _, end in moves:
            self.labels[item] = end
        for item, start, end in moves:
            self._renew(start, np.flatnonzero(self.mover[start] == item))
            self._offer(item, end)

    def _renew(self, cluster: int, ends: NDArray[np.int64]) -> None:
        """Find the cheapest moves from a cluster to some others."""
        members = np.flatnonzero(self.labels == cluster)
        ends = ends[ends != cluster]
        if not len(members):
            self.arcs[cluster, ends], self.mover[cluster, ends] = _NEVER, -1
            return
        rise = self.costs[members[:, None], ends] - self.costs[members, cluster][:, None]
        first = rise.argmin(axis=0)
        self.arcs[cluster, ends] = rise[first, np.arange(len(ends))]
        self.mover[cluster, ends] = members[first]

    def _offer(self, item: int, cluster: int) -> None:
        """Let an item that came into a cluster replace the movers that are dearer."""
        rise = self.costs[item] - self.costs[item, cluster]
        rise[cluster] = 2 * _NEVER
        better = np.flatnonzero(rise < self.arcs[cluster, :-1])
        self.arcs[cluster, better], self.mover[cluster, better] = rise[better], item

    def _renew_outlet(self, cluster: int) -> None:
        """Say whether a cluster may hold more, or less, than it does."""
        held = self.held[cluster]
        self.arcs[cluster, -1] = 0 if held < self.most else _NEVER
        self.arcs[-1, cluster] = 0 if held > self.least else _NEVER
