"""Histograms to vectors whose scalar products are nearly their intersections.

The map is that of Vedaldi and Zisserman, *Efficient additive kernels via explicit feature maps*
(2012), with their period for the intersection kernel.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from conceptforest.checks import whole

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MapWeights", "intersection_map", "map_weights"]

_WINDOWS = ("rectangular", "uniform")
_SMALLEST = 2.0**-20  # what is less counts as nothing: its logarithm would turn without end
_N_POINTS = 2049  # of the numerical convolution
_BLOCK = 2**20  # values mapped at a time


class MapWeights(NamedTuple):
    """What the map is made of.

    Attributes
    ----------
    frequency : float
        The step L between frequencies.
    multiples : ndarray of shape (order + 1,), int64
        The frequencies that are used, in steps: 0, and the first ones with a weight above 0.
    spectrum : ndarray of shape (order + 1,)
        Their weights.
    """

    frequency: float
    multiples: NDArray[np.int64]
    spectrum: NDArray[np.float64]


def intersection_map(
    H: Any, order: int = 1, window: Literal["rectangular", "uniform"] = "rectangular"
) -> NDArray[np.float32]:
    """Map histograms so that scalar products come close to sums of minima.

    Parameters
    ----------
    H : array-like of shape (n, d)
        Histograms, finite. Values under 2**-20 map to 0; of negative values the map of their
        amount is taken, with the sign.
    order : int, default=1
        Frequencies besides 0. More come closer: for histograms of a thousand words the error is
        a seventh of the mean intersection with 1, and a sixteenth with 3.
    window : "rectangular" or "uniform", default="rectangular"
        How the spectrum is cut into single frequencies.

    Returns
    -------
    ndarray of shape (n, d * (2 * order + 1)), float32
        The numbers of a bin stand side by side.

    Examples
    --------
    >>> H = np.array([[0.5, 0.5, 0.0], [0.2, 0.3, 0.5]])
    >>> mapped = intersection_map(H, order=3)
    >>> mapped.shape
    (2, 21)
    >>> print(f"{mapped[0] @ mapped[1]:.2f} instead of {np.minimum(H[0], H[1]).sum():.2f}")
    0.51 instead of 0.50
    """
    values = np.asarray(H)
    if values.ndim != 2 or values.dtype.kind not in "fiub":
        raise ValueError(
            f"H must hold numbers in the shape (n, d); got {values.dtype} of shape {values.shape}."
        )
    weights = map_weights(order, window)
    n, d = values.shape
    mapped = np.zeros((n, d, 2 * order + 1), np.float32)
    step = max(1, _BLOCK // max(d, 1))
    for begin in range(0, n, step):
        block = values[begin : begin + step].astype(np.float64)
        if not np.isfinite(block).all():
            raise ValueError("H holds values that are not finite. Leave such histograms out.")
        _map_block(block, weights, mapped[begin : begin + step])
    return mapped.reshape(n, d * (2 * order + 1))


def _map_block(
    block: NDArray[np.float64], weights: MapWeights, mapped: NDArray[np.float32]
) -> None:
    amount = np.abs(block)
    used = amount >= _SMALLEST
    amount = amount[used]
    root = np.sign(block[used]) * np.sqrt(amount * weights.frequency)
    turn = weights.frequency * np.log(amount)
    mapped[used, 0] = root * math.sqrt(weights.spectrum[0])
    pairs = zip(weights.multiples[1:], weights.spectrum[1:], strict=True)
    for place, (multiple, weight) in enumerate(pairs):
        length = root * math.sqrt(2.0 * weight)
        mapped[used, 2 * place + 1] = length * np.cos(multiple * turn)
        mapped[used, 2 * place + 2] = length * np.sin(multiple * turn)


def map_weights(
    order: int = 1, window: Literal["rectangular", "uniform"] = "rectangular"
) -> MapWeights:
    """Compute the frequencies and weights of the map.

    Parameters
    ----------
    order : int, default=1
    window : "rectangular" or "uniform", default="rectangular"

    Returns
    -------
    MapWeights

    Examples
    --------
    >>> weights = map_weights(1)
    >>> print(f"{weights.frequency:.3f}", weights.spectrum.round(3).tolist())
    1.283 [0.449, 0.109]
    """
    whole("order", order, 1)
    if window not in _WINDOWS:
        raise ValueError(f"window must be one of {', '.join(_WINDOWS)}; got {window!r}.")
    if window == "uniform":
        period = 2.38 * math.log(order + 0.8) + 5.6
    else:
        period = 2.00 * math.log(order + 0.99) + 3.52
    frequency = 2.0 * math.pi / period
    multiples = np.arange(3 * order + 1)
    frequencies = frequency * multiples.astype(np.float64)
    if window == "uniform":
        spectrum = _spectrum(frequencies)
    else:
        spectrum = _smoothed_spectrum(frequencies, period)
    # A frequency that the convolution leaves without weight is passed over for the next one.
    used = np.concatenate([[0], 1 + np.flatnonzero(spectrum[1:] > 0)[:order]])
    return MapWeights(frequency, multiples[used], spectrum[used])


def _spectrum(frequencies: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give the Fourier transform of exp(-|t| / 2), the signature of the intersection."""
    return (2.0 / math.pi) / (1.0 + 4.0 * frequencies**2)


def _smoothed_spectrum(frequencies: NDArray[np.float64], period: float) -> NDArray[np.float64]:
    """Convolve the spectrum with the transform of a window of one period."""
    reach = 2.0 / (0.01 * period)
    points = np.linspace(-reach, reach, _N_POINTS)
    window = period / (2.0 * math.pi) * np.sinc(period * points / (2.0 * math.pi))
    values = _spectrum(frequencies[:, None] + points) @ window * (points[1] - points[0])
    positive: NDArray[np.float64] = np.maximum(values, 0.0)
    return positive
