"""Scores of tag classifiers, computed once for all methods that are given them.

At a thousand tags they take longer than most of the methods that work on them. Each run is still
charged for the time that they took, so that the times in tables are those of whole runs.
"""

from __future__ import annotations

import hashlib
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from conceptforest.baselines import modes
from conceptforest.experiments.code_version import code_version
from conceptforest.experiments.kept_arrays import keep_arrays, kept_arrays

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from conceptforest.tags import TagMatrix

__all__ = ["shared_scores"]

# Methods ask for scores by this module's name of the function, so it is there that they are lent.
_ASKED: Any = modes
_CODE = _ASKED.detection_scores.__module__


@contextmanager
def shared_scores(folder: Path | None) -> Iterator[Callable[[], float]]:
    """Let methods take the scores of tag classifiers from a folder, and leave them there.

    Parameters
    ----------
    folder : Path or None
        Made where missing. With None each method computes its own.

    Yields
    ------
    function
        Gives the seconds that the scores took which were found in the folder so far.

    Examples
    --------
    >>> with shared_scores(None) as lent:
    ...     lent()
    0.0
    """
    if folder is None:
        yield lambda: 0.0
        return
    own = _ASKED.detection_scores
    shelf = _Shelf(folder, own)
    _ASKED.detection_scores = shelf.scores
    try:
        yield lambda: shelf.lent
    finally:
        _ASKED.detection_scores = own


class _Shelf:
    """Scores in files, named by all that they depend on."""

    def __init__(self, folder: Path, compute: Callable[..., tuple[Any, ...]]) -> None:
        self.folder, self._compute = folder, compute
        self.lent = 0.0

    def scores(
        self,
        X: NDArray[Any],
        tags: TagMatrix,
        *,
        held_out: bool = False,
        seed: int = 0,
        n_threads: int = 1,
        verbose: bool = False,
    ) -> tuple[Any, ...]:
        """Do as :func:`~conceptforest.baselines.detection_scores.detection_scores` does."""
        path = self.folder / f"{_name(X, tags, held_out=held_out, seed=seed)}.npz"
        kept = kept_arrays(path)
        if kept is not None:
            self.lent += float(kept["seconds"])
            return _parts(kept)
        begun = time.perf_counter()
        parts = self._compute(
            X, tags, held_out=held_out, seed=seed, n_threads=n_threads, verbose=verbose
        )
        seconds = np.array(time.perf_counter() - begun)
        keep_arrays(path, {**_arrays(parts), "seconds": seconds})
        return parts


def _name(X: NDArray[Any], tags: TagMatrix, *, held_out: bool, seed: int) -> str:
    """Tell scores apart by features, tags, code and, where there are folds, the seed."""
    digest = hashlib.blake2b(code_version(_CODE).encode(), digest_size=16)
    matrix = tags.matrix
    about = (held_out, seed if held_out else 0, X.dtype.str, X.shape, matrix.shape)
    digest.update(repr(about).encode())
    for array in (X, matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64)):
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()


def _arrays(parts: tuple[Any, ...]) -> dict[str, Any]:
    scores, *rare = parts
    arrays = {"scores": scores}
    for part in rare:  # one or none
        arrays |= {"data": part.data, "indices": part.indices, "indptr": part.indptr}
        arrays["shape"] = np.array(part.shape)
    return arrays


def _parts(arrays: dict[str, Any]) -> tuple[Any, ...]:
    if "shape" not in arrays:
        return (arrays["scores"],)
    csr = (arrays["data"], arrays["indices"], arrays["indptr"])
    return arrays["scores"], sparse.csr_array(csr, shape=tuple(arrays["shape"]))
