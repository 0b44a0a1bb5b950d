"""What a clustering method works on, by its mode: features, tags, scores of tags, or several.

The names in the paper are ViFeat ("vision"), BiTag ("tags"), DetScore ("scores"), and ViFeat&BiTag
as one vector ("concatenated", -cmb) or each in its own right ("balanced", -bln).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from conceptforest.baselines.contract import check_option, check_threads
from conceptforest.baselines.detection_scores import detection_scores

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conceptforest.baselines.contract import ClusteringBaseline
    from conceptforest.tags import TagMatrix

__all__ = ["ONE_VECTOR", "check_scale", "joined", "rows_of_mode", "side_by_side"]

ONE_VECTOR = ("vision", "tags", "scores", "scores_held_out", "concatenated")
_SCALES = ("none", "zscore", "block_trace")


def rows_of_mode(
    method: ClusteringBaseline, X: NDArray[Any], tags: TagMatrix, seed: int
) -> tuple[Any, ...]:
    """Give the vectors of items in a mode that has one vector an item.

    Parameters
    ----------
    method : ClusteringBaseline
        With `mode`, and as it needs them `cmb_scale`, `n_jobs` and `verbose`.
    X : ndarray of shape (n_items, n_features)
    tags : TagMatrix of shape (n_items, n_tags)
    seed : int
        Of the folds of held-out scores.

    Returns
    -------
    tuple of ndarray or csr_array, each of n_items rows
        Parts of the vectors side by side.
    """
    if method.mode == "vision":
        return (X,)
    if method.mode == "tags":
        return (tags.matrix,)
    if method.mode == "concatenated":
        return side_by_side(X, tags, getattr(method, "cmb_scale", "none"))
    return detection_scores(
        X,
        tags,
        held_out=method.mode == "scores_held_out",
        seed=seed,
        n_threads=check_threads(getattr(method, "n_jobs", None)),
        verbose=bool(getattr(method, "verbose", 0)),
    )


def joined(parts: tuple[Any, ...], dtype: Any = np.float32) -> NDArray[Any]:
    """Write out vectors that come in parts, for methods that need them whole.

    Parameters
    ----------
    parts : tuple of ndarray or csr_array
    dtype : dtype, default=float32

    Returns
    -------
    ndarray of shape (n_items, sum of widths)
    """
    rows = np.empty((parts[0].shape[0], sum(part.shape[1] for part in parts)), dtype=dtype)
    start = 0
    for part in parts:
        end = start + part.shape[1]
        rows[:, start:end] = part if isinstance(part, np.ndarray) else part.toarray()
        start = end
    return rows


def side_by_side(X: NDArray[Any], tags: TagMatrix, scale: str) -> tuple[NDArray[Any], Any]:
    """Give the two parts of the concatenated vectors of features and tags.

    Parameters
    ----------
    X : ndarray of shape (n_items, n_features)
    tags : TagMatrix of shape (n_items, n_tags)
    scale : {"none", "zscore", "block_trace"}
        Leave them as they are; divide each column by its standard deviation (methods of
        distances need no centring, which would make the tags dense); or divide each part by the
        root of its mean squared length.

    Returns
    -------
    features : ndarray of shape (n_items, n_features)
    tags : csr_array of shape (n_items, n_tags), float64
    """
    matrix: Any = tags.matrix.astype(np.float64)
    if scale == "none":
        return X, matrix
    share = tags.counts / tags.n_items
    if scale == "zscore":
        weights = (X.std(axis=0, dtype=np.float64), np.sqrt(share * (1 - share)))
    else:
        squares = np.einsum("ij,ij->", X, X, dtype=np.float64) / len(X)
        weights = (np.full(X.shape[1], np.sqrt(squares)), np.full(tags.n_tags, share.sum() ** 0.5))
    left, right = (np.divide(1.0, w, out=np.zeros_like(w), where=w > 0) for w in weights)
    dtype = np.result_type(X.dtype, np.float32)
    return X * left.astype(dtype), sparse.csr_array(matrix * right)


def check_scale(value: Any) -> None:
    """Check how features and tags are scaled when they are concatenated."""
    check_option("cmb_scale", value, _SCALES)
