"""Directions of gradients in a video, shared out to bins.

A gradient has the parts dx, dy (to the right, down) and dt (to later frames). Opposite gradients
share their bins, since a bright shape on a dark ground moves like a dark one on a bright ground.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["Bins", "PolarBins", "SolidBins"]

_GOLDEN = (1.0 + math.sqrt(5.0)) / 2.0


class Bins(Protocol):
    """A way to share out gradients."""

    @property
    def n_bins(self) -> int:
        """Number of bins."""
        ...

    def votes(self, gradients: NDArray[np.float32]) -> Iterator[NDArray[np.float32]]:
        """Share out gradients of shape (3, n, ...); gives the votes for each bin in turn.

        The votes of a gradient are not negative and add up to its length. An array that is given
        may be overwritten when the next one is asked for.
        """
        ...


class SolidBins:
    """Bins around the axes of a regular solid, with votes for all axes that are near enough.

    An axis gets the projection on it, less what the projection of a neighbouring axis would be.

    Parameters
    ----------
    solid : "icosahedron" or "dodecahedron"
        With 10 axes through the middles of its 20 faces, or 6 through its 12.

    Examples
    --------
    >>> bins = SolidBins("icosahedron")
    >>> gradients = np.array([[1.0], [1.0], [1.0]], np.float32)
    >>> [round(float(vote[0]), 3) for vote in bins.votes(gradients)][:4]
    [1.732, 0.0, 0.0, 0.0]
    """

    def __init__(self, solid: Literal["icosahedron", "dodecahedron"]) -> None:
        if solid == "icosahedron":
            axes, nearness = _icosahedron_axes(), 0.745356
        else:
            axes, nearness = _dodecahedron_axes(), 0.447214
        self.axes = axes.astype(np.float32)
        self._threshold = np.float32(nearness * float(np.linalg.norm(axes[0])))

    @property
    def n_bins(self) -> int:
        """Number of bins."""
        return len(self.axes)

    def votes(self, gradients: NDArray[np.float32]) -> Iterator[NDArray[np.float32]]:
        """Share out gradients of shape (3, n, ...); gives the votes for each bin in turn."""
        length = np.sqrt((gradients**2).sum(axis=0))
        threshold = self._threshold * length
        shares = self.axes @ gradients.reshape(3, -1)
        np.abs(shares, out=shares)
        shares -= threshold.reshape(-1)
        np.maximum(shares, 0.0, out=shares)
        total = shares.sum(axis=0)
        # A direction is always near enough to an axis: only gradients of 0 have no share.
        shares *= np.divide(length.reshape(-1), total, out=total, where=total > 0)
        for share in shares:
            yield share.reshape(length.shape)


class PolarBins:
    """Bins of the angle in the picture and the angle to the time axis, with bilinear votes.

    The first angle is taken from the x axis towards the y axis and covers half a turn; its bins
    are centred at 0, and the last is followed by the first with time reversed. The second covers
    half a turn from later to earlier frames; its outer bins take all up to the poles.

    Parameters
    ----------
    n_xy : int, default=5
    n_t : int, default=3

    Examples
    --------
    >>> bins = PolarBins(5, 3)
    >>> gradients = np.array([[2.0], [0.0], [0.0]], np.float32)
    >>> [round(float(vote[0]), 3) for vote in bins.votes(gradients)][:4]
    [0.0, 2.0, 0.0, 0.0]
    """

    def __init__(self, n_xy: int = 5, n_t: int = 3) -> None:
        self.n_xy = n_xy
        self.n_t = n_t

    @property
    def n_bins(self) -> int:
        """Number of bins."""
        return self.n_xy * self.n_t

    def votes(self, gradients: NDArray[np.float32]) -> Iterator[NDArray[np.float32]]:
        """Share out gradients of shape (3, n, ...); gives the votes for each bin in turn."""
        across, along, length = self._places(*gradients)
        rows = [_hat(along, place) for place in range(self.n_t)]
        vote = np.empty_like(length)
        for place in range(self.n_xy):
            share = length * _hat(across, place)
            if place:
                for row in rows:
                    yield np.multiply(share, row, out=vote)
                continue
            # Half a turn on, the first bin comes again for the opposite gradients.
            turned = length * _hat(across, self.n_xy)
            for row, opposite in zip(rows, reversed(rows), strict=True):
                np.multiply(share, row, out=vote)
                vote += turned * opposite
                yield vote

    def _places(
        self, dx: NDArray[np.float32], dy: NDArray[np.float32], dt: NDArray[np.float32]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.float32]]:
        """Give both angles, in bins, and the length."""
        # Of two opposite gradients the one that points down, else to the right, else to later.
        opposite = (dy < 0) | ((dy == 0) & ((dx < 0) | ((dx == 0) & (dt < 0))))
        sign = np.where(opposite, np.float32(-1), np.float32(1))
        # A negative zero would turn the angle by half a turn; adding 0 makes it positive.
        across = np.arctan2(np.abs(dy), dx * sign + np.float32(0))
        across *= np.float32(self.n_xy / math.pi)
        length = np.sqrt(dx * dx + dy * dy + dt * dt)
        along = np.divide(dt * sign, length, out=np.zeros_like(length), where=length > 0)
        np.arccos(np.clip(along, -1.0, 1.0, out=along), out=along)
        along *= np.float32(self.n_t / math.pi)
        along -= np.float32(0.5)
        np.clip(along, 0.0, self.n_t - 1, out=along)
        return across, along, length


def _hat(places: NDArray[np.float32], centre: int) -> NDArray[np.float32]:
    """Give 1 at the centre of a bin, and linearly less up to the centres of its neighbours."""
    weight = places - np.float32(centre)
    np.abs(weight, out=weight)
    np.subtract(np.float32(1), weight, out=weight)
    np.maximum(weight, 0.0, out=weight)
    return weight


def _icosahedron_axes() -> NDArray[np.float64]:
    big, small = _GOLDEN, 1.0 / _GOLDEN
    signs = (1.0, -1.0)
    return np.array(
        [(x, y, 1.0) for x in signs for y in signs]
        + [(0.0, sign * small, big) for sign in signs]
        + [(small, sign * big, 0.0) for sign in signs]
        + [(sign * big, 0.0, small) for sign in signs]
    )


def _dodecahedron_axes() -> NDArray[np.float64]:
    signs = (1.0, -1.0)
    return np.array(
        [(0.0, sign, _GOLDEN) for sign in signs]
        + [(sign, _GOLDEN, 0.0) for sign in signs]
        + [(_GOLDEN, 0.0, sign) for sign in signs]
    )
