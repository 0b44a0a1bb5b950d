"""Checks of numbers that users give to competing methods."""

from __future__ import annotations

import math
import numbers
from typing import Any

__all__ = ["number_between", "positive_number"]


def positive_number(name: str, value: Any) -> None:
    """Check that a value is a finite number above 0.

    Parameters
    ----------
    name : str
        What the value is called.
    value : any

    Examples
    --------
    >>> positive_number("C", 0)
    Traceback (most recent call last):
    ValueError: C must be a finite number above 0; got 0.
    """
    _check_kind(name, value, "a finite number above 0")
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"{name} must be a finite number above 0; got {value!r}.")


def number_between(name: str, value: Any, least: float, most: float = math.inf) -> None:
    """Check that a value is a finite number in a range.

    Parameters
    ----------
    name : str
        What the value is called.
    value : any
    least, most : float
        The ends, which belong to the range.

    Examples
    --------
    >>> number_between("gamma", 1.5, 0, 1)
    Traceback (most recent call last):
    ValueError: gamma must be a number from 0 to 1; got 1.5.
    """
    allowed = (
        f"a number from {least:g} to {most:g}"
        if most < math.inf
        else (f"a finite number of at least {least:g}")
    )
    _check_kind(name, value, allowed)
    if not (math.isfinite(value) and least <= value <= most):
        raise ValueError(f"{name} must be {allowed}; got {value!r}.")


def _check_kind(name: str, value: Any, allowed: str) -> None:
    if isinstance(value, bool) or not isinstance(value, numbers.Real):
        raise TypeError(f"{name} must be {allowed}; got {value!r}.")
