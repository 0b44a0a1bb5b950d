"""Visual words: a codebook of typical descriptors, and how often each occurs in a video."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from conceptforest.checks import whole
from conceptforest.whole_file import whole_file

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray

__all__ = [
    "Reservoir",
    "assign",
    "histogram",
    "learn_codebook",
    "load_codebook",
    "save_codebook",
]

_BLOCK = 2048  # descriptors assigned at a time
_BATCH = 4096  # descriptors of a step of k-means
_MAX_PASSES = 20  # through all descriptors; it ends sooner when nothing gets better
# Words whose squared distances differ by less are equally near: it is a thousand times what
# rounding can do to descriptors of this size, and far below any real difference.
_TIE = 1e-9


class Reservoir:
    """A fair sample of rows that come in pieces, in bounded memory.

    Each row draws a number, and those with the lowest numbers stay.

    Parameters
    ----------
    size : int
        Rows that are kept at most.
    n_features : int
        Length of a row.
    seed : int or sequence of int
        Decides which rows stay.

    Examples
    --------
    >>> reservoir = Reservoir(3, 1, seed=0)
    >>> for begin in (0, 50):
    ...     reservoir.add(np.arange(begin, begin + 50, dtype=np.float32)[:, None])
    >>> reservoir.rows().shape
    (3, 1)
    """

    def __init__(self, size: int, n_features: int, seed: Any) -> None:
        whole("size", size, 1)
        self._size = size
        self._random = np.random.default_rng(seed)
        self._limit = 1.0  # rows with higher numbers cannot stay
        self._numbers = [np.empty(0)]
        self._pieces = [np.empty((0, n_features), np.float32)]
        self._n_held = 0

    def add(self, rows: NDArray[np.float32]) -> None:
        """Let rows of shape (n, n_features) take part."""
        numbers = self._random.random(len(rows))
        low = numbers < self._limit
        self._numbers.append(numbers[low])
        self._pieces.append(rows[low])
        self._n_held += len(self._numbers[-1])
        # Thinning out copies all that is held, so it waits until it is worth it.
        if self._n_held > self._size + self._size // 4 + _BLOCK:
            self._thin_out()

    def rows(self) -> NDArray[np.float32]:
        """Give the sample, of shape (at most size, n_features), in the order in which it came."""
        self._thin_out()
        return self._pieces[0]

    def _thin_out(self) -> None:
        numbers = np.concatenate(self._numbers)
        if len(numbers) > self._size:
            keep = np.sort(np.argpartition(numbers, self._size - 1)[: self._size])
            numbers = numbers[keep]
            self._limit = float(numbers.max())
            self._pieces = [np.concatenate(self._pieces)[keep]]
        else:
            self._pieces = [np.concatenate(self._pieces)]
        self._numbers = [numbers]
        self._n_held = len(numbers)


def learn_codebook(
    descriptors: Any, n_words: int = 1000, random_state: int = 0
) -> NDArray[np.float32]:
    """Find typical descriptors by k-means on small batches.

    Parameters
    ----------
    descriptors : array-like of shape (n, n_features)
        Finite. Single precision is not copied.
    n_words : int, default=1000
    random_state : int, default=0
        The same number gives the same words, for any number of threads.

    Returns
    -------
    ndarray of shape (n_words, n_features), float32
        If there are not more different descriptors than `n_words`, these, sorted.

    Examples
    --------
    >>> descriptors = np.array([[0.0], [0.1], [5.0], [5.1]] * 20)
    >>> sorted(learn_codebook(descriptors, 2).round().ravel().tolist())
    [0.0, 5.0]
    """
    whole("n_words", n_words, 1)
    whole("random_state", random_state, 0)
    points = _checked(descriptors)
    if not len(points):
        raise ValueError("There are no descriptors to learn words from.")
    if len(points) <= 4 * max(_BATCH, n_words):
        distinct: NDArray[np.float32] = np.unique(points, axis=0)
        if len(distinct) <= n_words:
            return distinct
    from sklearn.cluster import MiniBatchKMeans

    # A tolerance of 0 spares a copy of all points, and batches without progress end the search.
    search = MiniBatchKMeans(
        n_words,
        batch_size=_BATCH,
        n_init=1,
        max_iter=_MAX_PASSES,
        random_state=random_state,
        tol=0.0,
        compute_labels=False,
    )
    with threadpool_limits(1):
        search.fit(points)
    return np.ascontiguousarray(search.cluster_centers_, dtype=np.float32)


def assign(descriptors: Any, codebook: Any) -> NDArray[np.int64]:
    """Find the nearest word of each descriptor; of equally near ones, the first.

    Parameters
    ----------
    descriptors : array-like of shape (n, n_features)
    codebook : array-like of shape (n_words, n_features)

    Returns
    -------
    ndarray of shape (n,), int64

    Examples
    --------
    >>> assign([[0.4], [0.5], [0.6]], [[0.0], [1.0]]).tolist()
    [0, 0, 1]
    """
    points, words = _checked(descriptors), _checked(codebook)
    if points.shape[1] != words.shape[1] or not len(words):
        raise ValueError(
            f"Descriptors of shape {points.shape} do not go with a codebook of shape {words.shape}."
        )
    centres = words.astype(np.float64)
    squares = (centres**2).sum(axis=1)
    centres *= -2.0
    nearest = np.empty(len(points), np.int64)
    for begin in range(0, len(points), _BLOCK):
        block = points[begin : begin + _BLOCK].astype(np.float64)
        scores = block @ centres.T
        scores += squares
        least = scores.min(axis=1, keepdims=True)
        nearest[begin : begin + _BLOCK] = (scores <= least + _TIE).argmax(axis=1)
    return nearest


def histogram(words: Any, n_words: int) -> NDArray[np.float64]:
    """Count words; the counts add up to 1, or are all 0 where there are no words.

    Parameters
    ----------
    words : array-like of shape (n,), int
    n_words : int

    Returns
    -------
    ndarray of shape (n_words,)

    Examples
    --------
    >>> histogram([2, 0, 2, 2], 3).tolist()
    [0.25, 0.0, 0.75]
    """
    counts = np.bincount(np.asarray(words, np.int64), minlength=n_words)
    return counts / max(1, int(counts.sum()))


def save_codebook(path: str | os.PathLike[str], codebook: Any) -> None:
    """Write a codebook to a plain NumPy array file.

    Parameters
    ----------
    path : str or path-like
        Usually ends in ``.npy``.
    codebook : array-like of shape (n_words, n_features)

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_codebook(Path(folder) / "words.npy", [[1.0, 2.0]])
    ...     load_codebook(Path(folder) / "words.npy")
    array([[1., 2.]], dtype=float32)
    """
    words = _checked(codebook)
    with whole_file(path) as file:
        np.lib.format.write_array(file, words, version=(1, 0), allow_pickle=False)


def load_codebook(path: str | os.PathLike[str]) -> NDArray[np.float32]:
    """Read a codebook that :func:`save_codebook` wrote; nothing is ever unpickled.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    ndarray of shape (n_words, n_features), float32

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it is no codebook.
    """
    try:
        # Mapped: a file that claims more than it holds is refused before any memory is taken.
        mapped = np.lib.format.open_memmap(path, mode="r")
        words = np.array(_checked(mapped))
    except (ValueError, TypeError, EOFError) as error:
        raise ValueError(f"{str(path)!r} is no codebook: {error}") from error
    if mapped.dtype != np.float32:
        raise ValueError(f"{str(path)!r} is no codebook: it holds {mapped.dtype}, not float32")
    return words


def _checked(values: Any) -> NDArray[np.float32]:
    points: NDArray[np.float32] = np.ascontiguousarray(values, dtype=np.float32)
    with np.errstate(invalid="ignore"):
        finite = np.isfinite(points.sum(dtype=np.float64))  # needs no memory, and cannot overflow
    if points.ndim != 2 or not finite:
        raise ValueError(
            "Descriptors and words must be finite numbers in the shape (n, n_features); got the"
            f" shape {points.shape}."
        )
    return points
