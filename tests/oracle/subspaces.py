"""Methods of shared subspaces and of aggregated graphs by their definitions, with dense algebra."""

from itertools import pairwise

import numpy as np
from scipy.linalg import eigh


def dense(view):
    """Rows of a view as floats around their mean."""
    rows = np.asarray(view if isinstance(view, np.ndarray) else view.toarray(), dtype=np.float64)
    return rows - rows.mean(axis=0)


def canonical(views, regularisation):
    """Eigenvalues above 1 of the block problem, descending, and the projections of the views.

    [[C11 + r1, C12], [C21, C22 + r2]] w = lambda [[C11 + r1, 0], [0, C22 + r2]] w, for any number
    of views, none of which may be constant; r is the regularisation times the mean variance.
    """
    centred = [dense(view) for view in views]
    joint = np.hstack(centred)
    left = joint.T @ joint / len(joint)
    right = np.zeros_like(left)
    ends = np.cumsum([0, *(view.shape[1] for view in centred)])
    for start, end in pairwise(ends):
        own = slice(start, end)
        left[own, own] += (
            regularisation * np.trace(left[own, own]) / (end - start) * np.eye(end - start)
        )
        right[own, own] = left[own, own]
    values, directions = eigh(left, right)
    kept = np.flatnonzero(values > 1 + 1e-8)[::-1]
    parts = np.split(directions[:, kept], ends[1:-1])
    return values[kept], [view @ part for view, part in zip(centred, parts, strict=True)]


def smallest_eigenvectors(graph, n_vectors):
    """Smallest solutions of L f = lambda D f with f' D f = 1."""
    affinity = graph.toarray()
    degree = np.diag(affinity.sum(axis=1))
    return eigh(degree - affinity, degree, subset_by_index=[0, n_vectors - 1])[1]


def two_weights(volumes):
    """The two points that meet both constraints on two weights."""
    one, other = volumes
    roots = np.roots([one + other, -2 * other, other - 1])
    return [np.array([root, 1 - root]) for root in np.real(roots)]


def weights_of_three(volumes, steps=3000):
    """All points, finely, that meet both constraints on three weights, (steps, 3).

    The weights with the sum 1 are a plane, and the constraint cuts an ellipse out of it, around
    the point where ``volumes @ v**2`` is least.
    """
    centre = 1 / volumes / (1 / volumes).sum()
    angles = np.linspace(0, 2 * np.pi, steps, endpoint=False)
    along = np.cos(angles[:, None] - 2 * np.pi / 3 * np.arange(3))  # of the sum 0
    room = 1 - volumes @ centre**2
    return centre + np.sqrt(room / (along**2 @ volumes))[:, None] * along


def total_correlation(left, right, regularisation):
    """Sum of the canonical correlations of two sets of outputs, by eigenvalues."""
    left, right = dense(left), dense(right)
    n = len(left) - 1
    own = [H.T @ H / n + regularisation * np.eye(H.shape[1]) for H in (left, right)]
    across = left.T @ right / n
    squares = np.linalg.eigvals(np.linalg.solve(own[0], across) @ np.linalg.solve(own[1], across.T))
    return np.sqrt(np.maximum(np.real(squares), 0)).sum()
