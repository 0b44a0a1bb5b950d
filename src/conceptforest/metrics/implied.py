"""What some scores of a row of results imply about the others."""

from __future__ import annotations

import math
import numbers
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from conceptforest.tags.names import short

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

__all__ = [
    "Interval",
    "ari_range",
    "check_number",
    "check_options",
    "check_series",
    "check_share",
    "half_unit",
    "implied_ari",
    "implied_hidden",
]

Interval: TypeAlias = tuple[float, float]
Point: TypeAlias = tuple[float, float]

WIDEN = 1e-12  # what floating point may do to a share of pairs
STEPS, ZOOMS = 33, 3  # of the search over the share of same-class pairs


def implied_ari(
    ri: float,
    f1: float,
    same_class: float | Interval | None = None,
    *,
    decimals: int | None = None,
) -> Interval | None:
    """Give the adjusted Rand indices that go with a Rand index and a pairwise F1.

    With p the share of same-class pairs and e = 1 - RI, the pairs that share class and cluster
    are the share F1 e / (2 (1 - F1)), which fixes all other pairs and gives::

        ARI = 1 - 1 / ((1 - 2 p) / (1 - F1) + 2 p^2 / e)

    Parameters
    ----------
    ri, f1 : float in [0, 1]
        Rand index and pairwise F1.
    same_class : float or (low, high), default=None
        Share of same-class pairs, or an interval that it lies in; by default any.
    decimals : int, default=None
        To how many decimals the two scores are rounded; by default they are exact.

    Returns
    -------
    (low, high) : tuple of float, or None
        The possible range, to within some 1e-6; None if no clustering has these scores. Shares of
        0 and 1 say nothing about an RI of 1, and leave the range wide.

    Examples
    --------
    >>> low, high = implied_ari(0.98, 0.88, (0.067, 0.085), decimals=2)
    >>> round(low, 3), round(high, 3)
    (0.862, 0.877)
    >>> implied_ari(0.5, 0.9, 0.1) is None
    True
    """
    check_options(decimals, 0.0)
    for name, value in (("ri", ri), ("f1", f1)):
        if not 0 <= check_number(value, name) <= 1:
            raise ValueError(f"{name} is {value}; it lies between 0 and 1.")
    half = half_unit(decimals)
    return ari_range(
        (1 - ri - half, 1 - ri + half), (f1 - half, f1 + half), check_share(same_class)
    )


def implied_hidden(ap: Any, ar: Any, *, decimals: int | None = None) -> NDArray[np.float64]:
    """Give the mean number of hidden tags that AP and AR imply if recall were pooled.

    A recall that is pooled over items (all hits over all hidden tags) makes N x AP / AR the mean
    number of hidden tags, whatever N. Recall that is averaged over items makes it rise with N, as
    a rule. So where the intervals of two N do not meet, recall is not pooled; where they all do,
    it may be.

    Parameters
    ----------
    ap, ar : array-like of shape (max_n,)
        AP@N and AR@N for N = 1 to ``max_n``.
    decimals : int, default=None
        To how many decimals they are rounded; by default they are exact.

    Returns
    -------
    ndarray of shape (max_n, 2), float64
        Lower and upper end for each N; infinite or NaN where AR may be 0.

    Examples
    --------
    >>> found = implied_hidden([0.34, 0.24, 0.20], [0.18, 0.24, 0.28], decimals=2)
    >>> found.round(2).tolist()
    [[1.81, 1.97], [1.92, 2.09], [2.05, 2.24]]
    """
    check_options(decimals, 0.0)
    precision, recall = check_series(ap, "ap"), check_series(ar, "ar")
    if len(precision) != len(recall):
        raise ValueError(
            f"ap has {len(precision)} values but ar has {len(recall)}. Give both for the same N."
        )
    half, n = half_unit(decimals), np.arange(1, len(precision) + 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        low = n * np.maximum(0, precision - half) / (recall + half)
        high = n * (precision + half) / np.maximum(0, recall - half)
    return np.stack([low, high], axis=1)


def ari_range(wrong: Interval, f1: Interval, share: Interval) -> Interval | None:
    """Find the range of ARI = 1 - e / (s (1 - 2p) + 2 p^2) over all that is possible.

    The unknowns are e, the share of pairs on which class and cluster disagree; s, the share of
    same-class pairs plus that of same-cluster pairs; and p, that of same-class pairs. F1 is
    1 - e / s. All that is known of them is linear, and for a given p the ARI takes its extremes
    at corners of what is possible for (e, s): a polygon. Only p has to be searched.
    """
    e = (max(0.0, wrong[0] - WIDEN), min(1.0, wrong[1] + WIDEN))
    f = (max(0.0, f1[0] - WIDEN), min(1.0, f1[1] + WIDEN))
    polygon = [(e[0], 0.0), (e[1], 0.0), (e[1], 2.0), (e[0], 2.0)]
    # F1 from f[0] to f[1], and no fewer than 0 pairs that share neither.
    for plane in ((-1.0, 1 - f[0], 0.0), (1.0, f[1] - 1, 0.0), (-1.0, -1.0, 2.0)):
        polygon = _clip(polygon, plane)
    if not polygon:
        return None
    low = max(share[0], min((s - e) / 2 for e, s in polygon))
    high = min(share[1], max((s + e) / 2 for e, s in polygon))
    if low > high + WIDEN:
        return None
    if low >= high:
        low = high = min(max(low, share[0]), share[1])

    def ends(p: float) -> Interval:
        return _ari_ends(polygon, p)

    least = _search(lambda p: -ends(p)[0], low, high)
    most = _search(lambda p: ends(p)[1], low, high)
    return (-least, most) if math.isfinite(least) else None


def _search(value: Callable[[float], float], low: float, high: float) -> float:
    """Find the highest value in an interval, on a grid that closes in on it."""
    top = -math.inf
    for _ in range(ZOOMS if low < high else 1):
        grid = np.linspace(low, high, STEPS if low < high else 1).tolist()
        found = [value(p) for p in grid]
        best = int(np.argmax(found))
        top = max(top, found[best])
        low, high = grid[max(0, best - 1)], grid[min(len(grid) - 1, best + 1)]
    return top


def _ari_ends(polygon: Sequence[Point], p: float) -> Interval:
    """Give the lowest and highest ARI for a share of same-class pairs."""
    # No fewer than 0 pairs that share the class only, or the cluster only.
    corners = _clip(_clip(polygon, (1.0, 1.0, -2 * p)), (1.0, -1.0, 2 * p))
    values = []
    for e, s in corners:
        by_chance = s * (1 - 2 * p) + 2 * p * p
        values.append(1.0 if e <= 0 or by_chance <= 0 else 1 - e / by_chance)
    return (min(values), max(values)) if values else (math.inf, -math.inf)


def _clip(polygon: Sequence[Point], plane: tuple[float, float, float]) -> list[Point]:
    """Cut off the part of a convex polygon where a x + b y + c < 0."""
    a, b, c = plane
    heights = [a * x + b * y + c for x, y in polygon]
    kept: list[Point] = []
    for k, (x, y) in enumerate(polygon):
        (before_x, before_y), before, here = polygon[k - 1], heights[k - 1], heights[k]
        if (before >= -WIDEN) != (here >= -WIDEN):
            t = before / (before - here)
            kept.append((before_x + t * (x - before_x), before_y + t * (y - before_y)))
        if here >= -WIDEN:
            kept.append((x, y))
    return kept


def half_unit(decimals: int | None) -> float:
    """Say how far a rounded number may be from the exact one."""
    return 0.0 if decimals is None else 0.5 * 10.0**-decimals


def check_number(value: Any, what: str) -> float:
    """Check that a value is a finite number."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, numbers.Real):
        raise TypeError(f"{what} is {short(value)} of type {type(value).__name__}; give a number.")
    if not math.isfinite(value):
        raise ValueError(f"{what} is {value}. Give a finite number, or None if there is none.")
    return float(value)


def check_series(values: Any, what: str) -> NDArray[np.float64]:
    """Check that values are a list of finite numbers."""
    try:
        series = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        series = np.empty(0)
    if series.ndim != 1 or not series.size or not np.isfinite(series).all():
        raise ValueError(
            f"{what} is {short(values)}. Give a list of finite numbers for N = 1, 2, ..."
        )
    return series


def check_share(same_class: Any) -> Interval:
    """Give the share of same-class pairs as an interval."""
    if same_class is None:
        return 0.0, 1.0
    pair = isinstance(same_class, (tuple, list, np.ndarray)) and len(same_class) == 2
    ends = list(same_class) if pair else [same_class, same_class]
    low, high = (check_number(end, "same_class") for end in ends)
    if not 0 <= low <= high <= 1:
        raise ValueError(
            f"same_class is {short(same_class)}. Give the share of pairs of items with the same "
            "class, from 0 to 1, or an interval (low, high) of it."
        )
    return low, high


def check_options(decimals: Any, tolerance: Any) -> None:
    """Check what is said about the precision of the numbers."""
    whole = isinstance(decimals, numbers.Integral) and not isinstance(decimals, bool)
    if decimals is not None and not (whole and decimals >= 0):
        raise ValueError(
            f"decimals is {decimals!r}. Give a whole number such as 2, or None for exact numbers."
        )
    if check_number(tolerance, "tolerance") < 0:
        raise ValueError(f"tolerance is {tolerance}. Give 0, or a small number such as 0.01.")
