"""Linear support vector machines of many tags at once.

The objective is that of ``sklearn.svm.LinearSVC`` in the primal: with a feature of ones appended,

    |w|^2 / 2 + sum_i c_i max(0, 1 - y_i w.x_i)^2

for each tag. All tags share the features, so a step of Newton's method for dozens of them is a few
products of matrices, and thousands of tags take minutes where one after the other takes hours.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from conceptforest.in_threads import in_threads
from conceptforest.progress import progress_bar

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["fit_linear_svms", "with_ones"]

_BLOCK = 64  # tags solved together; what they share does not depend on the number of threads
_MAX_STEPS = 50  # of Newton's method; a dozen are usual
_MAX_INNER = 100  # conjugate gradients in a step
_INNER_TOLERANCE = 0.1  # of the residual of a step
_HALVINGS = 20  # of a step until the objective falls enough
_ENOUGH = 0.01  # of the fall that the slope promises


def with_ones(X: NDArray[Any]) -> NDArray[np.float32]:
    """Scale rows to length 1 and append a feature of ones.

    Parameters
    ----------
    X : ndarray of shape (n_items, n_features)

    Returns
    -------
    ndarray of shape (n_items, n_features + 1), float32
        Rows of zeros stay, but for the one.

    Examples
    --------
    >>> with_ones(np.array([[3.0, 4.0], [0.0, 0.0]])).round(1).tolist()
    [[0.6000000238418579, 0.800000011920929, 1.0], [0.0, 0.0, 1.0]]
    """
    rows = np.ones((X.shape[0], X.shape[1] + 1), dtype=np.float32)
    lengths = np.sqrt(np.einsum("ij,ij->i", X, X, dtype=np.float64))
    lengths[lengths == 0] = 1.0
    np.divide(X, lengths[:, None], out=rows[:, :-1], casting="unsafe")
    return rows


def fit_linear_svms(
    rows: NDArray[np.float32],
    positive: Any,
    *,
    C: float = 1.0,
    balanced: bool = True,
    tolerance: float = 1e-4,
    n_threads: int = 1,
    label: str = "tag classifiers",
    verbose: bool = False,
) -> NDArray[np.float32]:
    """Fit a linear SVM with squared hinge loss for each column of 0/1 labels.

    Parameters
    ----------
    rows : ndarray of shape (n_items, d), float32
        The last feature should be 1, for the threshold (:func:`with_ones`).
    positive : csr_array of shape (n_items, n_tags)
        0/1. Each column has a 1.
    C : float, default=1.0
        Cost of a violated margin.
    balanced : bool, default=True
        Weigh positives and negatives so that both sides of a tag have the same total weight, as
        ``class_weight="balanced"`` does.
    tolerance : float, default=1e-4
        Of the gradient's length, relative to that at the start.
    n_threads : int, default=1
        The result does not depend on it.
    label : str
        Of the progress bar.
    verbose : bool, default=False

    Returns
    -------
    ndarray of shape (d, n_tags), float32
        Decision values are ``rows @ weights``.

    Examples
    --------
    >>> from scipy import sparse
    >>> rows = with_ones(np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]]))
    >>> weights = fit_linear_svms(rows, sparse.csr_array([[1], [1], [0]]))
    >>> (rows @ weights > 0).ravel().tolist()
    [True, True, False]
    """
    n_tags = positive.shape[1]
    columns: Any = positive.tocsc()
    weights = np.zeros((rows.shape[1], n_tags), dtype=np.float32)

    def solve(start: int) -> None:
        chosen = slice(start, min(start + _BLOCK, n_tags))
        labels = columns[:, chosen].toarray().astype(bool)
        weights[:, chosen] = _Tags(rows, labels, C, balanced=balanced).solve(tolerance)

    starts = range(0, n_tags, _BLOCK)
    with (
        threadpool_limits(1),
        progress_bar(label, len(starts), show=verbose) as update,
        in_threads(solve, starts, n_threads) as results,
    ):
        for done, _ in enumerate(results, start=1):
            if update:
                update(done)
    return weights


class _Tags:
    """The tags that are solved together, and the arrays of what they need."""

    def __init__(
        self, rows: NDArray[np.float32], labels: NDArray[np.bool_], C: float, *, balanced: bool
    ) -> None:
        n, n_positive = len(labels), labels.sum(axis=0)
        sides = (n_positive, np.maximum(n - n_positive, 1)) if balanced else (n / 2, n / 2)
        up, down = (np.float32(C * n / 2) / np.float32(side) for side in sides)
        self.rows = rows
        self.sign = np.where(labels, np.float32(1), np.float32(-1))
        self.cost = np.where(labels, up, down)
        self.weights = np.zeros((rows.shape[1], labels.shape[1]), dtype=np.float32)
        self.values = np.zeros(labels.shape, dtype=np.float32)  # rows @ weights

    def solve(self, tolerance: float) -> NDArray[np.float32]:
        """Minimise the objectives by Newton's method."""
        live = np.arange(self.weights.shape[1])  # tags that are not solved yet
        least = np.zeros(len(live))
        for step in range(_MAX_STEPS):
            violated = np.maximum(1 - self.sign[:, live] * self.values[:, live], 0)
            pull = self.cost[:, live] * self.sign[:, live] * violated
            gradient = self.weights[:, live] - 2 * (self.rows.T @ pull)
            length = np.linalg.norm(gradient, axis=0)
            if not step:
                least = tolerance * length
            wanted = length > least[live]
            if not wanted.any():
                break
            live, gradient, violated = live[wanted], gradient[:, wanted], violated[:, wanted]
            move = _descend(self.rows, 2 * self.cost[:, live] * (violated > 0), gradient)
            change = self.rows @ move
            scale = self._step_length(live, gradient, move, change)
            if not scale.any():
                break  # as far as single precision goes
            self.weights[:, live] += scale * move
            self.values[:, live] += scale * change
        return self.weights

    def _step_length(
        self,
        live: NDArray[np.int64],
        gradient: NDArray[np.float32],
        move: NDArray[np.float32],
        change: NDArray[np.float32],
    ) -> NDArray[np.float32]:
        """Halve the step of each tag until its objective falls enough; 0 where it never does."""
        inner = _inner(self.weights[:, live], move)
        square, slope = _inner(move, move), _inner(gradient, move)
        sign, cost, values = self.sign[:, live], self.cost[:, live], self.values[:, live]
        before = np.maximum(1 - sign * values, 0)
        scale = np.ones(len(live))
        for _ in range(_HALVINGS):
            after = np.maximum(1 - sign * (values + scale.astype(np.float32) * change), 0)
            loss = _inner(cost * (after - before), after + before)
            poor = loss + scale * inner + scale**2 / 2 * square > _ENOUGH * scale * slope
            if not poor.any():
                break
            scale[poor] /= 2
        else:
            scale[poor] = 0.0
        return scale.astype(np.float32)


def _inner(one: NDArray[Any], other: NDArray[Any]) -> NDArray[np.float64]:
    """Give the inner products of the columns of two arrays, (n_columns,)."""
    return np.asarray(np.einsum("ij,ij->j", one, other, dtype=np.float64))


def _descend(
    rows: NDArray[np.float32], curvature: NDArray[np.float32], gradient: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Solve (I + rows' D rows) move = -gradient for each tag, roughly, by conjugate gradients."""
    move = np.zeros_like(gradient)
    rest = -gradient
    direction = rest.copy()
    size = _inner(rest, rest)
    least = _INNER_TOLERANCE**2 * size
    live = np.arange(gradient.shape[1])
    for _ in range(_MAX_INNER):
        along = direction[:, live]
        bent = along + rows.T @ (curvature[:, live] * (rows @ along))
        scale = (size[live] / _inner(along, bent)).astype(np.float32)
        move[:, live] += scale * along
        rest[:, live] -= scale * bent
        new = _inner(rest[:, live], rest[:, live])
        direction[:, live] = rest[:, live] + (new / size[live]).astype(np.float32) * along
        size[live] = new
        live = live[new > least[live]]
        if not len(live):
            break
    return move
