"""Checks of single values that users give, with the same words everywhere."""

from __future__ import annotations

import numbers
from typing import Any

import numpy as np

__all__ = ["whole"]


def whole(name: str, value: Any, least: int, other: str = "") -> None:
    """Check that a value is a whole number of at least `least`.

    Parameters
    ----------
    name : str
        What the value is called.
    value : any
    least : int
    other : str, default=""
        What else is allowed, as the end of the phrase, such as ``" or None"``.

    Examples
    --------
    >>> whole("n_clusters", 0, 1, " or None")
    Traceback (most recent call last):
    ValueError: n_clusters must be at least 1 or None; got 0.
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name} must be a whole number of at least {least}{other}; got {value!r}.")
    if value < least:
        raise ValueError(f"{name} must be at least {least}{other}; got {value}.")
