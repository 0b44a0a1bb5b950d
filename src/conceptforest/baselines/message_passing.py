"""Affinity propagation: messages between items about who stands for whom."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from conceptforest import _core

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["Messages", "Run", "assign"]

_TASK = 256  # rows of a sum; fixed, so that threads cannot change its rounding
_CHUNK = 2**17  # numbers that are summed in the precision of the similarities, likewise


class Run(NamedTuple):
    """Where the messages ended.

    Attributes
    ----------
    exemplars : ndarray of shape (n_exemplars,), int64
        Items that stand for themselves; may be none.
    n_iter : int
    converged : bool
        Whether the exemplars stayed the same for long enough.
    """

    exemplars: NDArray[np.int64]
    n_iter: int
    converged: bool


class Messages:
    """The messages of affinity propagation, kept from run to run.

    With s the similarities, r the responsibilities and a the availabilities, each iteration is

        r(i,k) <- s(i,k) - max over k' != k of a(i,k') + s(i,k')
        a(i,k) <- min(0, r(k,k) + sum over i' not in {i,k} of max(0, r(i',k)))    for i != k
        a(k,k) <- sum over i' != k of max(0, r(i',k))

    damped, in the precision of the similarities. The time goes to moving three large arrays
    through memory, so that both updates of a row are one pass: the availabilities that the sums of
    the last pass give, then the responsibilities that follow from them.

    Parameters
    ----------
    similarity : ndarray of shape (n_items, n_items), float32 or float64
        Its diagonal is written over by the preference of each run.
    damping : float, default=0.9
        Share of the old messages in the new ones.
    n_threads : int, default=1
        The messages do not depend on it.

    Examples
    --------
    >>> line = np.array([0.0, 1.0, 2.5, 10.0, 11.5, 12.0])
    >>> messages = Messages(-((line[:, None] - line) ** 2))
    >>> messages.run(-10.0, max_iter=200, patience=15).exemplars.tolist()
    [1, 4]
    """

    def __init__(
        self, similarity: NDArray[Any], *, damping: float = 0.9, n_threads: int = 1
    ) -> None:
        self.similarity = similarity
        self._damping = similarity.dtype.type(damping)
        self._n_threads = n_threads
        self._responsibility = np.zeros_like(similarity)
        self._availability = np.zeros_like(similarity)
        self._support = np.zeros(len(similarity))  # sum over i of max(0, r(i,k)), and of r(k,k)

    def run(self, preference: float, *, max_iter: int, patience: int) -> Run:
        """Pass messages until the exemplars stay the same, beginning where the last run ended.

        Parameters
        ----------
        preference : float
            Of every item to be an exemplar.
        max_iter : int
        patience : int
            Iterations over which no item may become or cease to be an exemplar.

        Returns
        -------
        Run
        """
        n = len(self.similarity)
        np.fill_diagonal(self.similarity, preference)
        starts = range(0, n, _TASK)
        recent = np.zeros((patience, n), dtype=bool)
        now = np.zeros(n, dtype=bool)
        with ThreadPoolExecutor(min(self._n_threads, len(starts))) as threads:
            spread = threads.map if len(starts) > 1 else map
            for done in range(max_iter):
                # In order of rows, whichever thread is first.
                self._support = sum(spread(self._pass, starts), np.zeros(n))
                recent[done % patience] = now = self._are_exemplars()
                if done >= patience and now.any() and (recent == now).all():
                    return Run(np.flatnonzero(now), done + 1, converged=True)
        return Run(np.flatnonzero(now), max_iter, converged=False)

    def _are_exemplars(self) -> NDArray[np.bool_]:
        """Mark the items with r(k,k) + a(k,k) > 0, with the availability that comes next."""
        own = self._responsibility.diagonal().astype(np.float64)
        old = self._damping * self._availability.diagonal().astype(np.float64)
        return np.asarray(own + old + (1 - self._damping) * (self._support - own) > 0)

    def _pass(self, start: int) -> NDArray[np.float64]:
        """Pass on the messages of some rows; gives their part of the next sums."""
        n = len(self.similarity)
        found = np.zeros(n)
        _core.pass_messages(
            self.similarity,
            self._responsibility,
            self._availability,
            self._support.astype(self.similarity.dtype),
            found,
            begin=start,
            end=min(start + _TASK, n),
            step=max(1, _CHUNK // n),
            damping=float(self._damping),
        )
        return found


def assign(
    similarity: NDArray[Any], exemplars: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Give each item the most similar exemplar, after each cluster has chosen its best one.

    Parameters
    ----------
    similarity : ndarray of shape (n_items, n_items)
    exemplars : ndarray of shape (n_clusters,), int64

    Returns
    -------
    labels : ndarray of shape (n_items,), int64
    exemplars : ndarray of shape (n_clusters,), int64
        Of each cluster the item to which its items are the most similar in sum.

    Examples
    --------
    >>> line = np.array([0.0, 1.0, 2.0, 10.0])
    >>> labels, exemplars = assign(-((line[:, None] - line) ** 2), np.array([0, 3]))
    >>> labels.tolist(), exemplars.tolist()
    ([0, 0, 0, 1], [1, 3])
    """
    labels = _nearest(similarity, exemplars)
    better = exemplars.copy()
    for cluster in range(len(exemplars)):
        members = np.flatnonzero(labels == cluster)
        sums = sum(
            similarity[np.ix_(members[rows], members)].sum(axis=0, dtype=np.float64)
            for rows in _slices(0, len(members), 1024)
        )
        better[cluster] = members[np.argmax(sums)]
    return _nearest(similarity, better), better


def _nearest(similarity: NDArray[Any], exemplars: NDArray[np.int64]) -> NDArray[np.int64]:
    labels = similarity[:, exemplars].argmax(axis=1)
    labels[exemplars] = np.arange(len(exemplars))
    return np.asarray(labels)


def _slices(start: int, stop: int, step: int) -> Iterator[slice]:
    return (slice(at, min(at + step, stop)) for at in range(start, stop, step))
