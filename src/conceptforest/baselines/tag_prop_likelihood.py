"""The leave-one-out likelihood of tags by weighted neighbours, and what maximises it.

An item's neighbours vote for their tags, with weights that fall off exponentially with a sum of
distances. Most tags are on none of an item's neighbours: such cells all have the same share of
the votes, so they are counted by tag and never written out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import expit

from conceptforest.completion.keep import contains

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Likelihood", "Neighbours", "Sigmoids", "tag_shares", "weigh"]

_EPSILON = 1e-5  # the chance that a neighbour's vote for or against a tag is wrong
_PENALTY = 1e-4  # of squares of sigmoids' slopes and shifts, against one tag of one item
_MAX_STEPS = 50  # of Newton's method for sigmoids
_MAX_DECAY_STEPS = 100


class Neighbours(NamedTuple):
    """The nearest of some tagged items.

    Attributes
    ----------
    indices : ndarray of shape (n, k), int64
        Among the tagged items.
    distances : ndarray of shape (n, k, n_metrics), float64
    """

    indices: NDArray[np.int64]
    distances: NDArray[np.float64]


class Sigmoids(NamedTuple):
    """For each tag, ``expit(slope * share + shift)``; arrays of shape (n_tags,)."""

    slope: NDArray[np.float64]
    shift: NDArray[np.float64]


def weigh(distances: NDArray[np.float64], decay: NDArray[np.float64]) -> NDArray[np.float64]:
    """Weigh neighbours by ``exp(-distance @ decay)``, summing up to 1 for each item.

    Parameters
    ----------
    distances : ndarray of shape (n, k, n_metrics)
    decay : ndarray of shape (n_metrics,)
        Not negative. Zeros weigh all neighbours alike.

    Returns
    -------
    ndarray of shape (n, k)

    Examples
    --------
    >>> weigh(np.array([[[0.0], [np.log(3)]]]), np.ones(1)).round(2).tolist()
    [[0.75, 0.25]]
    """
    far = np.einsum("ijd,d->ij", distances, decay)
    weights = np.exp(far.min(axis=1, keepdims=True) - far)
    weights /= weights.sum(axis=1, keepdims=True)
    return np.asarray(weights)


def tag_shares(neighbours: Neighbours, decay: NDArray[np.float64], matrix: Any) -> Any:
    """Give the share of its neighbours' weight by which each item gets each tag.

    Parameters
    ----------
    neighbours : Neighbours
        Of n items.
    decay : ndarray of shape (n_metrics,)
    matrix : csr_array of shape (n_tagged, n_tags)
        0/1.

    Returns
    -------
    ndarray of shape (n, n_tags), float64
        From 1e-5 to 1 - 1e-5: a neighbour may be wrong.
    """
    n, k = neighbours.indices.shape
    places = (neighbours.indices.ravel(), k * np.arange(n + 1))
    weights = weigh(neighbours.distances, decay).ravel()
    voters: Any = sparse.csr_array((weights, *places), shape=(n, matrix.shape[0]))
    return _EPSILON + (1 - 2 * _EPSILON) * (voters @ matrix.astype(np.float64)).toarray()


class Likelihood:
    """The logarithm of the likelihood of all tags of tagged items by their neighbours' votes.

    It is the mean over the tags that items have plus the mean over those that they lack, so that
    both count the same, less a small penalty of large sigmoids.

    Parameters
    ----------
    neighbours : Neighbours
        Of all tagged items, themselves left out.
    matrix : csr_array of shape (n_tagged, n_tags)
        0/1, canonical; each row and each column has a 1.
    """

    def __init__(self, neighbours: Neighbours, matrix: Any) -> None:
        n, n_tags = matrix.shape
        self.distances = neighbours.distances
        indices = neighbours.indices
        votes = matrix[indices.ravel()]  # a row for each neighbour of each item
        self._n_votes = np.diff(votes.indptr)
        self._first_vote = votes.indptr[:-1]
        item = np.repeat(np.arange(n, dtype=np.int64), self._n_votes.reshape(n, -1).sum(axis=1))
        # A cell is a tag that some neighbour of an item votes for.
        cells, self._cell = np.unique(item * n_tags + votes.indices, return_inverse=True)
        row, self._tag = np.divmod(cells, n_tags)
        self._has = contains(matrix, row, self._tag).astype(np.float64)
        n_has = matrix.nnz
        self._ratio = n_has / max(1, n * n_tags - n_has)  # weight of a tag that is lacked
        self._n_has = n_has
        self._weight = np.where(self._has > 0, 1.0, self._ratio)
        counts = np.bincount(matrix.indices, minlength=n_tags)
        self._rest_has = counts - np.bincount(self._tag, self._has, minlength=n_tags)
        in_cells = np.bincount(self._tag, minlength=n_tags)
        self._rest_lacks = (n - in_cells - self._rest_has) * self._ratio

    def shares(self, decay: NDArray[np.float64]) -> NDArray[np.float64]:
        """Give the share of each cell."""
        votes = np.repeat(weigh(self.distances, decay).ravel(), self._n_votes)
        heard = np.bincount(self._cell, votes, len(self._tag))
        return np.asarray(_EPSILON + (1 - 2 * _EPSILON) * heard, dtype=np.float64)

    def value(self, shares: NDArray[np.float64], sigmoids: Sigmoids | None) -> float:
        """Give the logarithm of the likelihood from the shares of the cells."""
        if sigmoids is None:
            cells = self._weight * np.log(np.where(self._has > 0, shares, 1 - shares))
            rest = self._rest_has * np.log(_EPSILON) + self._rest_lacks * np.log1p(-_EPSILON)
            return float((cells.sum() + rest.sum()) / self._n_has)
        return float(self._by_tag(shares, sigmoids).sum() / self._n_has)

    def _by_tag(self, shares: NDArray[np.float64], sigmoids: Sigmoids) -> NDArray[np.float64]:
        """Give each tag's part of the value, times the number of tags on items."""
        slope, shift = sigmoids
        logit = slope[self._tag] * shares + shift[self._tag]
        cells = self._weight * (self._has * logit - np.logaddexp(0, logit))
        rest = slope * _EPSILON + shift
        softplus = np.logaddexp(0, rest)
        found = np.bincount(self._tag, cells, len(slope)) - _PENALTY / 2 * (slope**2 + shift**2)
        found += self._rest_has * (rest - softplus) - self._rest_lacks * softplus
        return np.asarray(found, dtype=np.float64)

    def value_and_gradient(
        self, decay: NDArray[np.float64], sigmoids: Sigmoids | None
    ) -> tuple[float, NDArray[np.float64]]:
        """Give the value and how it changes with the decay, shape (n_metrics,)."""
        shares = self.shares(decay)
        if sigmoids is None:
            push = self._weight * np.where(self._has > 0, 1 / shares, -1 / (1 - shares))
        else:
            slope, shift = sigmoids.slope[self._tag], sigmoids.shift[self._tag]
            push = self._weight * slope * (self._has - expit(slope * shares + shift))
        push *= (1 - 2 * _EPSILON) / self._n_has
        weights = weigh(self.distances, decay)
        # Every neighbour has a tag, so no sum is empty.
        pull = np.add.reduceat(push[self._cell], self._first_vote).reshape(weights.shape)
        pull -= (weights * pull).sum(axis=1, keepdims=True)
        gradient = -np.einsum("ij,ijd->d", weights * pull, self.distances)
        return self.value(shares, sigmoids), gradient

    def best_decay(
        self, decay: NDArray[np.float64], sigmoids: Sigmoids | None
    ) -> NDArray[np.float64]:
        """Climb from a decay to one that is not worse, by L-BFGS with bounds at 0."""

        def fall(tried: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            value, gradient = self.value_and_gradient(tried, sigmoids)
            return -value, -gradient

        found = minimize(
            fall,
            decay,
            jac=True,
            method="L-BFGS-B",
            bounds=[(0.0, None)] * len(decay),
            options={"maxiter": _MAX_DECAY_STEPS},
        )
        better = -found.fun >= self.value(self.shares(decay), sigmoids)
        return np.asarray(found.x) if better else decay

    def best_sigmoids(self, shares: NDArray[np.float64], start: Sigmoids | None = None) -> Sigmoids:
        """Fit the sigmoids of all tags at once by Newton's method; none gets worse."""
        n_tags = len(self._rest_has)
        now = Sigmoids(np.zeros(n_tags), np.zeros(n_tags)) if start is None else start
        value = self._by_tag(shares, now)
        for _ in range(_MAX_STEPS):
            move = self._newton_step(shares, now)
            scale = np.ones(n_tags)
            for _ in range(30):
                tried = Sigmoids(now.slope + scale * move.slope, now.shift + scale * move.shift)
                new = self._by_tag(shares, tried)
                worse = new < value
                if not worse.any():
                    break
                scale[worse] /= 2
            scale[new < value] = 0.0
            now = Sigmoids(now.slope + scale * move.slope, now.shift + scale * move.shift)
            before, value = value, self._by_tag(shares, now)
            if (value - before <= 1e-8 * np.abs(value)).all():
                break
        return now

    def _newton_step(self, shares: NDArray[np.float64], now: Sigmoids) -> Sigmoids:
        """Solve the two by two system of each tag."""
        n_tags = len(now.slope)
        chance = expit(now.slope[self._tag] * shares + now.shift[self._tag])
        error = self._weight * (self._has - chance)
        bend = self._weight * chance * (1 - chance)
        rest = expit(now.slope * _EPSILON + now.shift)
        n_rest = self._rest_has + self._rest_lacks
        rest_error = self._rest_has - n_rest * rest
        rest_bend = n_rest * rest * (1 - rest)

        def summed(cells: NDArray[np.float64], others: NDArray[np.float64]) -> Any:
            return np.bincount(self._tag, cells, n_tags) + others

        up = summed(error * shares, rest_error * _EPSILON) - _PENALTY * now.slope
        side = summed(error, rest_error) - _PENALTY * now.shift
        a = summed(bend * shares**2, rest_bend * _EPSILON**2) + _PENALTY
        b = summed(bend * shares, rest_bend * _EPSILON)
        c = summed(bend, rest_bend) + _PENALTY
        whole = a * c - b * b  # positive, by the penalty
        return Sigmoids((c * up - b * side) / whole, (a * side - b * up) / whole)
