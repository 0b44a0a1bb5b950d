"""Arrays that were expensive to make, kept in a file beside the results."""

from __future__ import annotations

import zipfile
import zlib
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest.whole_file import whole_file

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

__all__ = ["keep_arrays", "kept_arrays"]


def keep_arrays(path: Path, arrays: Mapping[str, Any], *, compressed: bool = False) -> None:
    """Write arrays to a file; its folder is made where missing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole_file(path) as file:
        (np.savez_compressed if compressed else np.savez)(file, **arrays)


def kept_arrays(path: Path) -> dict[str, Any] | None:
    """Give the arrays of a file, or None if it is missing or damaged.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "kept.npz"
    ...     keep_arrays(path, {"one": np.array([1])})
    ...     kept_arrays(path), kept_arrays(path.with_name("lost.npz"))
    ({'one': array([1])}, None)
    """
    try:
        # Opened here, as np.load leaves a file open that turns out to be damaged.
        with path.open("rb") as file, np.load(file, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, zlib.error):
        return None
