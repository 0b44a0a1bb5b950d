"""How many clusters a graph has, and how sure that is.

The eigenvalues of the normalised graph stay near 1 for as many clusters as it has, and then drop:
the number is taken where they drop most (the largest eigengap). To see whether chance had a say,
the forest is asked again: random halves of its trees give graphs that differ by chance alone, and
the share of them that arrive at nearly the same number is the confidence.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest.structure.spectral import embed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

__all__ = ["ClusterCount", "count_clusters", "most_clusters"]

_MOST = 100  # clusters that are looked for
_ITEMS_EACH = 10  # fewest items a cluster, on average
_NEAR = 0.1  # relative difference up to which two numbers of clusters agree


@dataclass(frozen=True, eq=False)
class ClusterCount:
    """The chosen number of clusters.

    Attributes
    ----------
    n_clusters : int
        Number of eigenvalues before the largest gap.
    confidence : float
        Share of the votes that differ from it by at most a tenth; 1 if there are none.
    votes : tuple of int
        The number that each half of the forest chooses.
    gaps : ndarray of shape (n_tried,)
        ``gaps[k]`` is by how much the eigenvalues drop after ``k + 2`` of them.
    """

    n_clusters: int
    confidence: float
    votes: tuple[int, ...]
    gaps: NDArray[np.float64]

    @property
    def runners_up(self) -> tuple[int, ...]:
        """Up to four other numbers, the best first."""
        return tuple(int(k) + 2 for k in np.argsort(-self.gaps, kind="stable")[1:5])

    def __str__(self) -> str:
        others = ", ".join(map(str, self.runners_up))
        next_best = f"; next best: {others}" if others else ""
        return f"{self.n_clusters} clusters (confidence {self.confidence:.0%}{next_best})"


def most_clusters(n_items: int) -> int:
    """Give the largest number of clusters that is considered.

    Examples
    --------
    >>> most_clusters(30), most_clusters(600), most_clusters(5000)
    (3, 60, 100)
    """
    return int(np.clip(n_items // _ITEMS_EACH, 2, _MOST))


def count_clusters(graph: Any, again: Iterable[Any]) -> ClusterCount:
    """Choose the number of clusters of a graph by its largest eigengap.

    Parameters
    ----------
    graph : csr_array of shape (n_items, n_items)
    again : iterable of csr_array of shape (n_items, n_items)
        Graphs of the same items that differ from it by chance.

    Returns
    -------
    ClusterCount

    Examples
    --------
    >>> from scipy import sparse
    >>> block = np.ones((15, 15)) - np.eye(15)
    >>> graph = sparse.csr_array(np.kron(np.eye(4), block) + 0.01 * (1 - np.eye(60)))
    >>> print(count_clusters(graph, again=[graph, graph]))
    4 clusters (confidence 100%; next best: ...)
    """
    gaps = _gaps(graph)
    chosen = int(gaps.argmax()) + 2
    votes = tuple(int(_gaps(other).argmax()) + 2 for other in again if other.nnz)
    near = [abs(vote - chosen) <= _NEAR * chosen for vote in votes]
    return ClusterCount(chosen, float(np.mean(near)) if near else 1.0, votes, gaps)


def _gaps(graph: Any) -> NDArray[np.float64]:
    """Give the drop of the eigenvalues after two of them, after three, and so on."""
    joined = int((np.diff(graph.indptr) > 0).sum())
    most = most_clusters(graph.shape[0])
    values = embed(graph, min(most + 1, joined)).eigenvalues
    # After all eigenvalues of a tiny graph there is nothing left to drop to.
    gaps = np.zeros(most - 1)
    gaps[: len(values) - 2] = values[1:-1] - values[2:]
    return gaps
