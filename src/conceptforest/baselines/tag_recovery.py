"""Recovery of how likely each tag is for each item, from the tags that were observed.

The chances of all tags for an item sum up to 1 and are at least a floor. Those of all items, Q,
minimise

    - sum of log Q over observed tags + smoothness / 2 * tr(Q' L Q) + rank_penalty * |Q|

with L the Laplacian of a graph of items and |Q| the sum of singular values. Each step goes down
the slope of the first two terms, then shrinks the singular values, then brings each row back to
its range; the last two in turn only come near what both at once would give. A step that does not
lower the whole is never taken.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from conceptforest.baselines.simplex import project_rows
from conceptforest.completion.keep import row_numbers
from conceptforest.in_threads import in_threads
from conceptforest.progress import progress_bar

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["Recovery"]

_ROWS = 1024  # worked on together; what becomes of them does not depend on the number of threads
_GROWTH = 1.2  # of the step length, before each step
_HALVINGS = 60
_SHORTENING = 4  # of a step that raised the whole
_MAX_SHORTENED = 5


class _Point(NamedTuple):
    """Chances, the Laplacian times them, and the first two terms."""

    chances: NDArray[np.float64]
    bent: NDArray[np.float64]
    value: float


class Recovery:
    """The problem, and the steps to its solution.

    Parameters
    ----------
    tags : csr_array of shape (n_items, n_tags)
        0/1, canonical. Each column has a 1.
    laplacian : csr_array of shape (n_items, n_items), float64
    smoothness : float
    rank_penalty : float
        Per unit of a singular value.
    floor : float
        Least chance; below 1 / n_tags.
    n_threads : int, default=1
        The result does not depend on it.

    Attributes
    ----------
    values : list of float
        The objective before the first step and after each that was taken.
    """

    def __init__(
        self,
        tags: Any,
        laplacian: Any,
        *,
        smoothness: float,
        rank_penalty: float,
        floor: float,
        n_threads: int = 1,
    ) -> None:
        self.smoothness, self.rank_penalty, self.floor = smoothness, rank_penalty, floor
        self._n_threads = n_threads
        self._tags = tags
        self._at = row_numbers(tags), tags.indices
        n = tags.shape[0]
        self._blocks = [slice(start, min(start + _ROWS, n)) for start in range(0, n, _ROWS)]
        self._laplacian = [laplacian[rows] for rows in self._blocks]
        self.values: list[float] = []

    def start(self) -> NDArray[np.float64]:
        """Share out each item's chances among its tags and, as one tag more, all by frequency."""
        frequency = np.bincount(self._tags.indices, minlength=self._tags.shape[1])
        chances: NDArray[np.float64] = self._tags.toarray() + frequency / self._tags.nnz
        chances /= chances.sum(axis=1, keepdims=True)
        return project_rows(chances, self.floor)

    def solve(
        self, max_iter: int, tolerance: float = 1e-5, *, show: bool = False
    ) -> NDArray[np.float64]:
        """Go down until a step gains less than a share of the objective, or `max_iter` steps.

        Returns
        -------
        ndarray of shape (n_items, n_tags), float64
        """
        with (
            threadpool_limits(1),
            progress_bar("recovering tags", max_iter, show=show) as update,
        ):
            now = before = self._point(self.start())
            self.values = [self._whole(now)]
            length, momentum, shortened = 1 / max(self.smoothness, 1.0), 1.0, 0
            for step in range(1, max_iter + 1):
                next_momentum = (1 + np.sqrt(1 + 4 * momentum**2)) / 2
                ahead = self._ahead(now, before, (momentum - 1) / next_momentum)
                found, length = self._step(ahead, length * _GROWTH)
                value = self._whole(found)
                if update:
                    update(step)
                if value > self.values[-1]:
                    if ahead is now:  # a step too long for its two parts to work together
                        length /= _SHORTENING
                        shortened += 1
                        if shortened > _MAX_SHORTENED:
                            break
                    before, momentum = now, 1.0  # from here without momentum
                    continue
                before, now, momentum = now, found, float(next_momentum)
                self.values.append(value)
                if self.values[-2] - value <= tolerance * abs(value):
                    break
        return now.chances

    def _ahead(self, now: _Point, before: _Point, share: float) -> _Point:
        """Go on by a share of the last step, unless that leaves where logarithms are safe."""
        if share == 0 or before is now:
            return now
        chances = now.chances + share * (now.chances - before.chances)
        if (chances[self._at] <= self.floor).any():
            return now
        bent = now.bent + share * (now.bent - before.bent)
        return _Point(chances, bent, self._first_terms(chances, bent))

    def _step(self, start: _Point, length: float) -> tuple[_Point, float]:
        """Take a step that falls as the slope promises; give where it ends and its length."""
        slope = self.smoothness * start.bent
        slope[self._at] -= 1 / start.chances[self._at]
        for _ in range(_HALVINGS):
            found = self._point(self._come_back(start.chances - length * slope, length))
            allowed = start.value + self._promise(found, start, slope, length)
            if found.value <= allowed + 1e-12 * abs(start.value):
                break
            length /= 2
        return found, length

    def _promise(
        self, end: _Point, start: _Point, slope: NDArray[np.float64], length: float
    ) -> float:
        """Give the change that the slope and a bend of one over the length promise for a move."""

        def of(rows: slice) -> float:
            move = end.chances[rows] - start.chances[rows]
            return float(np.vdot(slope[rows], move) + np.vdot(move, move) / (2 * length))

        return float(sum(self._by_rows(of)))

    def _come_back(self, moved: NDArray[np.float64], length: float) -> NDArray[np.float64]:
        """Shrink singular values, and bring each row to its range."""
        by_columns = moved.shape[1] <= moved.shape[0]
        shrink: Any = None
        if self.rank_penalty:
            squares, vectors = np.linalg.eigh(self._gram(moved))
            values = np.sqrt(np.maximum(squares, 0))
            limit = length * self.rank_penalty
            kept = values > limit
            vectors = vectors[:, kept]
            shrink = (vectors * (1 - limit / values[kept])) @ vectors.T
            if not by_columns:
                moved = shrink @ moved
        found = np.empty_like(moved)

        def finish(rows: slice) -> None:
            part = moved[rows]
            if shrink is not None and by_columns:
                part = part @ shrink
            found[rows] = project_rows(part, self.floor)

        self._by_rows(finish)
        return found

    def _gram(self, matrix: NDArray[np.float64]) -> Any:
        """Multiply the matrix with itself, to the smaller of both sizes."""
        if matrix.shape[1] > matrix.shape[0]:
            return matrix @ matrix.T
        return sum(self._by_rows(lambda rows: matrix[rows].T @ matrix[rows]))

    def _point(self, chances: NDArray[np.float64]) -> _Point:
        bent = np.empty_like(chances)

        def bend(number: int) -> None:
            bent[self._blocks[number]] = self._laplacian[number] @ chances

        self._by_number(bend)
        return _Point(chances, bent, self._first_terms(chances, bent))

    def _first_terms(self, chances: NDArray[np.float64], bent: NDArray[np.float64]) -> float:
        parts = self._by_rows(lambda rows: np.vdot(chances[rows], bent[rows]))
        smooth = self.smoothness / 2 * sum(parts)
        return float(smooth - np.log(chances[self._at]).sum())

    def _whole(self, point: _Point) -> float:
        if not self.rank_penalty:
            return point.value
        squares = np.linalg.eigvalsh(self._gram(point.chances))
        return float(point.value + self.rank_penalty * np.sqrt(np.maximum(squares, 0)).sum())

    def _by_rows(self, function: Callable[[slice], Any]) -> list[Any]:
        """Call a function with each block of rows, in threads; give its results in order."""
        return self._by_number(lambda number: function(self._blocks[number]))

    def _by_number(self, function: Callable[[int], Any]) -> list[Any]:
        """Call a function with the number of each block."""
        numbers = range(len(self._blocks))
        if self._n_threads == 1 or len(numbers) == 1:
            return [function(number) for number in numbers]
        with in_threads(function, numbers, self._n_threads) as results:
            found = dict(results)
        return [found[number] for number in numbers]
