"""One way in for files that bring their features with them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from conceptforest.datasets.feature_file import read_feature_file
from conceptforest.datasets.feature_table import read_feature_table

if TYPE_CHECKING:
    from conceptforest.datasets.collection import Collection

__all__ = ["load"]


def load(path: str | os.PathLike[str], table: str | os.PathLike[str] | None = None) -> Collection:
    r"""Read a collection that has features already.

    Parameters
    ----------
    path : str or path-like
        A ``.npz`` archive (see :func:`read_feature_file`), a ``.npy`` array with a table of tags,
        or a ``.parquet`` file (see :func:`read_feature_table` for both).
    table : str or path-like or None, default=None
        The table of a ``.npy`` file; None looks for one of the same name.

    Returns
    -------
    Collection

    Examples
    --------
    >>> import tempfile
    >>> import numpy as np
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     np.save(Path(folder, "pets.npy"), np.eye(2, dtype="float32"))
    ...     _ = Path(folder, "pets.csv").write_text("tags\ncat;tame\ndog\n")
    ...     load(Path(folder, "pets.npy")).tags.vocabulary
    ('cat', 'dog', 'tame')
    """
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"path is of type {type(path).__name__}; give the name of a file.")
    if Path(path).suffix.lower() in {".npy", ".parquet"}:
        return read_feature_table(path, table)
    if table is not None:
        raise ValueError(
            f"A table of tags belongs to a .npy array, and {Path(path).name!r} is none: it brings"
            " its own tags. Leave the table out."
        )
    return read_feature_file(path)
