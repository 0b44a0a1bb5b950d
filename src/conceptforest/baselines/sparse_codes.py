"""Lasso problems by the thousand, each over a few hundred atoms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

__all__ = ["sparse_codes"]


def sparse_codes(
    linear: NDArray[Any],
    diagonal: NDArray[Any],
    gram_rows: Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[Any]],
    penalty: NDArray[Any],
    *,
    positive: bool = False,
    tolerance: float = 1e-2,
    max_iter: int = 1000,
) -> NDArray[Any]:
    """Solve a block of Lasso problems, each given by its products of atoms.

    Each problem minimises ``a.G.a / 2 - linear.a + penalty.|a|``. At every step each problem
    sets the one coefficient to its best value that gains most by it. What becomes of a problem
    does not depend on the others of its block.

    Parameters
    ----------
    linear : ndarray of shape (n_problems, n_atoms)
        Products of atoms with the target.
    diagonal : ndarray of shape (n_problems, n_atoms) or (n_atoms,)
        Of G; not negative. An atom with 0 is never used.
    gram_rows : function of problems and atoms
        Gives row `atoms[i]` of the G of problem `problems[i]`, shape (len(problems), n_atoms).
    penalty : ndarray that can be broadcast to (n_problems, n_atoms)
        Infinite for atoms that a problem must not use.
    positive : bool, default=False
        Allow no negative coefficients.
    tolerance : float, default=1e-2
        Largest slope left, relative to the least penalty of the problem.
    max_iter : int, default=1000
        Steps at most, which only problems of nearly parallel atoms take.

    Returns
    -------
    ndarray of shape (n_problems, n_atoms)
        Of the type of `linear`.

    Examples
    --------
    >>> gram = np.array([[1.0, 0.5], [0.5, 1.0]])
    >>> target, no_more = np.array([[1.0, 0.5]]), np.array([[0.1]])
    >>> sparse_codes(target, np.ones(2), lambda _, atoms: gram[atoms], no_more).tolist()
    [[0.9, 0.0]]
    """
    codes = np.zeros_like(linear)
    limits = np.broadcast_to(penalty, linear.shape).astype(linear.dtype)
    curves = np.broadcast_to(diagonal, linear.shape).astype(linear.dtype)
    limits[curves == 0] = np.inf
    curves[curves == 0] = 1.0
    slack = (tolerance * limits.min(axis=1)).astype(linear.dtype)
    open_ = np.flatnonzero(np.isfinite(slack))  # problems
    now = _Problems(linear[open_], codes[open_], limits[open_], curves[open_])
    for _ in range(max_iter):
        if not len(open_):
            break
        atoms, moves, slopes = now.best_moves(positive=positive)
        moving = slopes > slack[open_]
        if 2 * np.count_nonzero(moving) <= len(open_):  # else copying costs more than it saves
            codes[open_[~moving]] = now.codes[~moving]
            open_, atoms, moves = open_[moving], atoms[moving], moves[moving]
            now = _Problems(*(part[moving] for part in now.parts))
        else:
            moves[~moving] = 0
        now.move(atoms, moves, gram_rows(open_, atoms))
    codes[open_] = now.codes
    return codes


class _Problems:
    """Those that still move, in arrays of shape (n_open, n_atoms)."""

    def __init__(
        self,
        slopes: NDArray[Any],
        codes: NDArray[Any],
        limits: NDArray[Any],
        curves: NDArray[Any],
    ) -> None:
        self.parts = slopes, codes, limits, curves
        self.slopes = slopes  # linear - G.codes
        self.codes = codes
        self._limits = limits
        self._curves = curves
        self._index = np.arange(len(codes))

    def best_moves(self, *, positive: bool) -> tuple[NDArray[np.int64], NDArray[Any], NDArray[Any]]:
        """Give each problem's atom to change, by how much, and how steep that goes down."""
        wanted = self._curves * self.codes
        wanted += self.slopes
        if positive:
            best = np.maximum(wanted - self._limits, 0)
        else:
            best = wanted - np.clip(wanted, -self._limits, self._limits)
        best /= self._curves
        best -= self.codes
        atoms = np.argmax(best * best * self._curves, axis=1)
        moves = best[self._index, atoms]
        return atoms, moves, np.abs(moves) * self._curves[self._index, atoms]

    def move(self, atoms: NDArray[np.int64], moves: NDArray[Any], rows: NDArray[Any]) -> None:
        """Change one coefficient of each problem."""
        self.codes[self._index, atoms] += moves
        self.slopes -= moves[:, None] * rows
