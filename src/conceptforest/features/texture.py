"""Gradient and texture statistics of the lightness of a small picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["gradient_histograms", "texture_histograms"]

_DIRECTIONS = 8  # of edges; an edge has no sign
_BLANK = (
    1.0  # added to the sum of all strengths, so that faint noise on a plain picture stays small
)
_STEP = 0.01  # difference of lightness, of 1, that counts as one
_STRONG, _FLAT = 0.1, 0.004  # strengths of an edge that is clear, and of none
_AROUND = ((-1, -1), (-1, 0), (-1, 1), (0, 1), (1, 1), (1, 0), (1, -1), (0, -1))  # in a circle


def gradient_histograms(
    light: NDArray[np.float32], n_cells: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Count the directions of edges in each cell of a grid, by the root of their strength.

    Parameters
    ----------
    light : ndarray of shape (side, side)
        Lightness from 0 to 1; `n_cells` divides the side.
    n_cells : int
        Cells in a row and in a column.

    Returns
    -------
    directions : ndarray of shape (8 * n_cells ** 2,)
        Square roots of shares; 8 directions of each cell.
    summary : ndarray of shape (2,)
        How much of the picture is clear edge (twice the share), and how much is flat.
    """
    side = len(light)
    across, down = np.zeros_like(light), np.zeros_like(light)
    across[:, 1:-1] = light[:, 2:] - light[:, :-2]
    down[1:-1] = light[2:] - light[:-2]
    strength = np.sqrt(across * across + down * down)
    turn = np.arctan2(down, across) * np.float32(_DIRECTIONS / np.pi) % np.float32(_DIRECTIONS)
    low = np.floor(turn)
    share = (turn - low).ravel()
    lower = low.astype(np.int64).ravel() % _DIRECTIONS
    cell = np.arange(side) * n_cells // side
    first = (cell[:, None] * n_cells + cell).ravel() * _DIRECTIONS
    weight = np.sqrt(strength).ravel().astype(np.float64)
    n_bins = n_cells * n_cells * _DIRECTIONS
    counts = np.bincount(first + lower, weight * (1.0 - share), n_bins)
    counts += np.bincount(first + (lower + 1) % _DIRECTIONS, weight * share, n_bins)
    summary = [2.0 * float((strength > _STRONG).mean()), float((strength < _FLAT).mean())]
    return np.sqrt(counts / (counts.sum() + _BLANK)), np.array(summary)


def texture_histograms(light: NDArray[np.float32], radius: int) -> NDArray[np.float64]:
    """Count local patterns: which of the 8 pixels around each are lighter than it.

    Patterns in which the lighter ones lie side by side count by their number, whatever the
    direction; all others count together.

    Parameters
    ----------
    light : ndarray of shape (side, side)
    radius : int
        Pixels between the middle and the others, along each axis.

    Returns
    -------
    ndarray of shape (50,)
        Square roots of the shares of the 10 patterns in the whole, and half of those in each
        quarter.
    """
    side = len(light)
    inner = slice(radius, side - radius)
    level = light[inner, inner] + np.float32(_STEP)
    lighter = [
        light[
            radius + radius * dy : side - radius + radius * dy,
            radius + radius * dx : side - radius + radius * dx,
        ]
        > level
        for dy, dx in _AROUND
    ]
    n_lighter = np.zeros(level.shape, dtype=np.int64)
    n_changes = np.zeros(level.shape, dtype=np.int64)
    for now, before in zip(lighter, lighter[-1:] + lighter[:-1], strict=True):
        n_lighter += now
        n_changes += now != before
    pattern = np.where(n_changes <= 2, n_lighter, 9)
    half = np.arange(radius, side - radius) * 2 // side
    quarter = half[:, None] * 2 + half
    counts = np.bincount((quarter * 10 + pattern).ravel(), minlength=40).reshape(4, 10)
    whole = np.sqrt(counts.sum(axis=0) / counts.sum())
    parts = np.sqrt(counts / counts.sum(axis=1, keepdims=True))
    return np.concatenate([whole, 0.5 * parts.ravel()])
