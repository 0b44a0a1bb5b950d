"""Small convex quadratic programmes with variables that are not negative."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.linalg import cho_factor, cho_solve

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["solve_quadratic"]

_MAX_STEPS = 100  # a dozen or two are usual
_NEARLY = 0.995  # of the way to the boundary
_RIDGE = 1e-13  # of the largest of the diagonal, so that factors exist


def solve_quadratic(
    Q: NDArray[np.float64],
    linear: NDArray[np.float64],
    E: NDArray[np.float64],
    sums: NDArray[np.float64],
    *,
    tolerance: float = 1e-9,
) -> NDArray[np.float64]:
    """Minimise ``x'Qx / 2 - linear'x`` over x >= 0 with ``E x = sums``, by interior points.

    The predictor and corrector of Mehrotra, from a start that need not fit the equations.

    Parameters
    ----------
    Q : ndarray of shape (k, k)
        Positive semi-definite.
    linear : ndarray of shape (k,)
    E : ndarray of shape (n_equations, k)
        Few equations, none of which follows from the others.
    sums : ndarray of shape (n_equations,)
    tolerance : float, default=1e-9
        Of the duality gap and the equations, relative.

    Returns
    -------
    ndarray of shape (k,)

    Examples
    --------
    >>> x = solve_quadratic(np.eye(2), np.array([1.0, 0.0]), np.ones((1, 2)), np.array([2.0]))
    >>> x.round(6).tolist()
    [1.5, 0.5]
    """
    x = np.full(len(linear), max(1.0, float(np.abs(sums).max())) / len(linear))
    z = np.full(len(linear), max(1.0, float(np.abs(linear).max())))
    y = np.zeros(len(sums))
    ridge = _RIDGE * max(1.0, float(np.diagonal(Q).max()))
    size = 1 + float(np.abs(sums).max())
    for _ in range(_MAX_STEPS):
        bent = Q @ x
        dual, primal = linear - bent + E.T @ y + z, sums - E @ x
        gap = float(x @ z)
        value = float(x @ bent / 2 - linear @ x)
        if (
            gap <= tolerance * (1 + abs(value))
            and np.abs(primal).max() <= tolerance * size
            and np.abs(dual).max() <= tolerance * (1 + np.abs(linear).max())
        ):
            break
        system = _System(Q, z / x, E, ridge)
        mean = gap / len(x)
        dx, _, dz = system.step(dual, primal, -z, x, z)  # as far as the boundary, to see
        reach = float((x + _reach(x, dx) * dx) @ (z + _reach(z, dz) * dz)) / len(x)
        centre = (reach / mean) ** 3 * mean
        dx, dy, dz = system.step(dual, primal, (centre - dx * dz) / x - z, x, z)
        far = _NEARLY * min(_reach(x, dx), _reach(z, dz))
        x, y, z = x + far * dx, y + far * dy, z + far * dz
    return x


class _System:
    """The linear equations of a step, factored."""

    def __init__(
        self, Q: NDArray[np.float64], weights: NDArray[np.float64], E: NDArray[np.float64], r: float
    ) -> None:
        matrix = Q.copy()
        matrix.flat[:: len(Q) + 1] += weights + r
        self.factor = cho_factor(matrix, check_finite=False)
        self.E = E
        self.spread = cho_solve(self.factor, E.T, check_finite=False)

    def step(
        self,
        dual: NDArray[np.float64],
        primal: NDArray[np.float64],
        target: NDArray[np.float64],
        x: NDArray[np.float64],
        z: NDArray[np.float64],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """Give the changes of x, y and z that undo the residuals and make z + x dz / x `target`."""
        right = dual + target
        free = cho_solve(self.factor, right, check_finite=False)
        dy = np.asarray(
            np.linalg.solve(self.E @ self.spread, primal - self.E @ free), dtype=np.float64
        )
        dx = free + self.spread @ dy
        return dx, dy, target - z / x * dx


def _reach(x: NDArray[np.float64], step: NDArray[np.float64]) -> float:
    """Give how much of a step keeps all of x positive; at most 1."""
    falling = step < 0
    return float(min(1.0, (-x[falling] / step[falling]).min(initial=1.0)))
