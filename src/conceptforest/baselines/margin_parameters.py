"""The parameters that all maximum margin clusterings share, and their checks."""

from __future__ import annotations

import math
import numbers
from typing import Any

__all__ = ["check_balance", "check_cost", "size_bounds"]


def check_cost(value: Any) -> None:
    """Check the cost of a violated margin.

    Examples
    --------
    >>> check_cost(0)
    Traceback (most recent call last):
    ValueError: C must be a number above 0; got 0.
    """
    number = isinstance(value, numbers.Real) and not isinstance(value, bool)
    if not (number and 0 < float(value) < math.inf):
        raise ValueError(f"C must be a number above 0; got {value!r}.")


def check_balance(value: Any) -> tuple[float, float]:
    """Check the factors of a mean cluster's size that bound the sizes of all clusters.

    Parameters
    ----------
    value : pair of float
        The first from 0 to 1, the second at least 1, so that equal sizes are always allowed.

    Examples
    --------
    >>> check_balance((0.9, 1.1))
    (0.9, 1.1)
    """
    try:
        least, most = (float(factor) for factor in value)
    except (TypeError, ValueError):
        least, most = math.nan, math.nan
    if not (0 <= least <= 1 <= most < math.inf):
        raise ValueError(
            "balance must be two factors of a mean cluster's size, the least from 0 to 1 and the"
            f" most at least 1, such as (0.9, 1.1); got {value!r}. Other sizes cannot hold all"
            " items."
        )
    return least, most


def size_bounds(n_items: int, n_clusters: int, balance: tuple[float, float]) -> tuple[int, int]:
    """Give the least and the most items of a cluster.

    Examples
    --------
    >>> size_bounds(100, 8, (0.9, 1.1))
    (11, 14)
    """
    mean = n_items / n_clusters
    # A hair, since 1.1 * 10 is a little more than 11.
    least, most = balance[0] * mean * (1 + 1e-12), balance[1] * mean * (1 - 1e-12)
    return math.floor(least), min(math.ceil(most), n_items)
