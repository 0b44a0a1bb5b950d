"""Colour statistics of a small picture: where its colours lie in Lab, and where in the picture."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["cell_moments", "colour_histogram", "colour_summary", "to_lab"]

# From sRGB to light (by table) and to the three responses, relative to white, of CIE Lab.
_LEVELS = np.arange(256) / 255.0
_LIGHT = np.where(_LEVELS <= 0.04045, _LEVELS / 12.92, ((_LEVELS + 0.055) / 1.055) ** 2.4).astype(
    np.float32
)
_RESPONSES = (
    np.array(
        [
            [0.4124564, 0.3575761, 0.1804375],
            [0.2126729, 0.7151522, 0.0721750],
            [0.0193339, 0.1191920, 0.9503041],
        ]
    )
    / np.array([[0.95047], [1.0], [1.08883]])
).astype(np.float32)
_KNEE = np.float32((6 / 29) ** 3)  # below it Lab is linear in light

_BINS = (4, 5, 5)  # of L, a and b
_RANGES = ((0.0, 100.0), (-60.0, 60.0), (-60.0, 60.0))  # strong colours beyond count as the edge
_UNITS = (50.0, 40.0, 40.0)  # what makes moments of L, a and b alike in size
_COARSE = 3  # bits that colours keep for counting how many there are


def to_lab(image: NDArray[np.uint8]) -> NDArray[np.float32]:
    """Bring sRGB to CIE Lab.

    Parameters
    ----------
    image : ndarray of shape (height, width, 3), uint8

    Returns
    -------
    ndarray of shape (3, height, width), float32
        L from 0 to 100, a (green to red), b (blue to yellow).

    Examples
    --------
    >>> to_lab(np.full((1, 1, 3), 255, np.uint8)).round(1).ravel().tolist()
    [100.0, 0.0, 0.0]
    """
    light = _LIGHT[image]
    red, green, blue = light[..., 0], light[..., 1], light[..., 2]
    bent = []
    for of_red, of_green, of_blue in _RESPONSES:  # sums by hand: no BLAS, so always the same bits
        response = of_red * red + of_green * green + of_blue * blue
        linear = response * np.float32(841 / 108) + np.float32(4 / 29)
        bent.append(np.where(response > _KNEE, np.cbrt(response), linear))
    x, y, z = bent
    lab = np.stack([116 * y - 16, 500 * (x - y), 200 * (y - z)])
    # Rounding must not give grey a colour.
    return np.where(np.abs(lab) < 1e-3, np.float32(0.0), lab.astype(np.float32))


def colour_histogram(lab: NDArray[np.float32]) -> NDArray[np.float64]:
    """Count the colours in a coarse grid of Lab, each pixel shared among its 8 nearest points.

    Returns
    -------
    ndarray of shape (100,)
        Square roots of shares, so that Euclidean distances are Hellinger distances.
    """
    n_light, n_a, n_b = _BINS
    places, shares = [], []
    for plane, n_bins, (low, high) in zip(lab, _BINS, _RANGES, strict=True):
        scaled = np.clip((plane.ravel() - low) / (high - low), 0.0, 1.0) * (n_bins - 1)
        place = np.minimum(scaled.astype(np.int64), n_bins - 2)
        places.append(place)
        shares.append(scaled - place)
    first = (places[0] * n_a + places[1]) * n_b + places[2]
    counts = np.zeros(n_light * n_a * n_b)
    for corner in np.ndindex(2, 2, 2):
        weight = np.ones(len(first))
        for share, above in zip(shares, corner, strict=True):
            weight *= share if above else 1.0 - share
        bins = first + (corner[0] * n_a + corner[1]) * n_b + corner[2]
        counts += np.bincount(bins, weight, minlength=len(counts))
    return np.sqrt(counts / len(first))


def cell_moments(lab: NDArray[np.float32], n_cells: int) -> NDArray[np.float64]:
    """Give mean and spread of L, a and b in each cell of a grid.

    Parameters
    ----------
    lab : ndarray of shape (3, side, side)
        `n_cells` divides the side.
    n_cells : int
        Cells in a row and in a column.

    Returns
    -------
    ndarray of shape (6 * n_cells ** 2,)
        The cells' means of L, then their spreads of L, and so on for a and b.
    """
    side = lab.shape[1] // n_cells
    cells = lab.astype(np.float64).reshape(3, n_cells, side, n_cells, side)
    mean = cells.mean(axis=(2, 4))
    spread = cells.std(axis=(2, 4))
    unit = np.array(_UNITS)[:, None, None]
    return np.stack([mean / unit, spread / unit], axis=1).ravel()


def colour_summary(image: NDArray[np.uint8], lab: NDArray[np.float32]) -> NDArray[np.float64]:
    """Tell drawings from photographs, and few colours from many.

    Returns
    -------
    ndarray of shape (9,)
        Share of white; entropy of the coarse colours; how many of them cover a percent; shares of
        the largest and of the three largest; mean colourfulness; shares of grey and of black;
        mean lightness. About 0 to 1 each.
    """
    chroma = np.sqrt(lab[1] * lab[1] + lab[2] * lab[2])
    coarse = (image >> (8 - _COARSE)).astype(np.int64)
    codes = (coarse[..., 0] << 2 * _COARSE) | (coarse[..., 1] << _COARSE) | coarse[..., 2]
    shares = np.sort(np.bincount(codes.ravel(), minlength=1 << 3 * _COARSE))[::-1] / codes.size
    present = shares[shares > 0.0]
    entropy = -float((present * np.log2(present)).sum()) / (3 * _COARSE)
    return np.array(
        [
            float((image.min(axis=2) >= 250).mean()),
            entropy,
            float((shares > 0.01).sum()) / 30.0,
            shares[0],
            shares[:3].sum(),
            float(chroma.mean()) / 60.0,
            float((chroma < 4.0).mean()),
            float((lab[0] < 15.0).mean()),
            float(lab[0].mean()) / 100.0,
        ]
    )
