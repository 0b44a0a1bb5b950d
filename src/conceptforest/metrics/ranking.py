"""Rank for every item the tags that it lacks.

Among equal scores the tag that more items carry comes first, then the one with the lower column
number: one rule for every method, and one that needs no random numbers. A score that is not stored
is 0, so the ranking is, in this order: the stored positive scores, the tags without a score from
frequent to rare, the stored negative scores. The work follows the stored scores, and no array of
items x tags is ever made.
"""

from __future__ import annotations

import numbers
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

import numpy as np
from scipy import sparse

from conceptforest.checks import whole
from conceptforest.tags import TagMatrix, parse_tags
from conceptforest.tags.names import did_you_mean, short

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Stored: TypeAlias = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]

__all__ = [
    "check_candidates",
    "check_counts",
    "check_scores",
    "in_sorted",
    "rank",
    "ranked_tags",
]

BLOCK = 1 << 19  # stored scores sorted at a time: some 50 MB of scratch


@overload
def ranked_tags(
    scores: Any,
    observed: Any,
    max_n: int = ...,
    candidates: Any = ...,
    *,
    return_scores: Literal[False] = ...,
) -> NDArray[np.int32]: ...


@overload
def ranked_tags(
    scores: Any,
    observed: Any,
    max_n: int = ...,
    candidates: Any = ...,
    *,
    return_scores: Literal[True],
) -> tuple[NDArray[np.int32], NDArray[np.float64]]: ...


def ranked_tags(
    scores: Any,
    observed: Any,
    max_n: int = 5,
    candidates: Any = None,
    *,
    counts: Any = None,
    return_scores: bool = False,
) -> NDArray[np.int32] | tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Rank for every item the tags that it lacks.

    The tag with the higher score comes first; among equals the more frequent one, then the one
    with the lower column number.

    Parameters
    ----------
    scores : sparse matrix or array of shape (n_items, n_tags)
        Higher means more likely; entries that are not stored are 0. Any finite numbers.
    observed : matrix, sets, table or TagMatrix
        Tags that the items have and that are not to be suggested.
    max_n : int, default=5
        How many tags to give for each item.
    candidates : collection of str or int, default=None
        Names or column numbers of the tags that may be suggested; by default all.
    counts : array-like of shape (n_tags,), default=None
        How frequent each tag is, for the order of equals; by default how many items carry it in
        ``observed``. For unseen items give the counts of the collection that was learned from.
    return_scores : bool, default=False
        Whether to give the scores too.

    Returns
    -------
    tags : ndarray of shape (n_items, max_n), int32
        Column numbers, the best first, and -1 where an item has no further candidate.
    scores : ndarray of shape (n_items, max_n), float64
        Their scores, NaN where there is no tag. Only if ``return_scores``.

    Raises
    ------
    TypeError
        If scores, candidates or ``max_n`` are of the wrong kind.
    ValueError
        If shapes do not agree, a candidate is unknown or scores are not finite.

    Examples
    --------
    The first item has no score but for tag 3, so tags 1 and 2 follow in order of frequency:

    >>> observed = [[1, 0, 0, 0], [0, 0, 1, 0]]
    >>> scores = sparse.csr_array([[0, 0, 0, 0.5], [0.1, -0.2, 0, 0.1]])
    >>> ranked_tags(scores, observed, 4)
    array([[ 3,  2,  1, -1],
           [ 0,  3,  1, -1]], dtype=int32)
    """
    whole("max_n", max_n, 1)
    seen = parse_tags(observed)
    matrix = check_scores(scores, seen)
    allowed = check_candidates(candidates, seen)
    often = check_counts(counts, seen)
    tags, values = rank(matrix, seen, allowed, np.arange(seen.n_items), max_n, counts=often)
    return (tags, values) if return_scores else tags


def check_counts(counts: Any, seen: TagMatrix) -> NDArray[Any]:
    """Give how frequent each tag is, as given or as observed."""
    if counts is None:
        return seen.counts
    often = np.asarray(counts)
    if often.shape != (seen.n_tags,) or often.dtype.kind not in "fiu":
        raise ValueError(
            f"counts must hold one number for each of the {seen.n_tags} tags; got an array of shape"
            f" {often.shape} and dtype {often.dtype}."
        )
    if not np.isfinite(often).all():
        raise ValueError("counts holds NaN or infinite values; all must be finite.")
    return often.astype(np.float64)


def rank(
    scores: Any,
    seen: TagMatrix,
    allowed: NDArray[np.bool_],
    items: NDArray[np.int64],
    max_n: int,
    *,
    counts: NDArray[Any],
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Rank the tags of some items, block by block."""
    # Candidates are known by their place in the order of equals, from here to the result.
    order = np.lexsort((np.arange(seen.n_tags), -counts))
    order = order[allowed[order]]
    place = np.full(seen.n_tags, -1, dtype=np.int64)
    place[order] = np.arange(order.size)
    places = np.full((items.size, max_n), -1, dtype=np.int64)
    values = np.full((items.size, max_n), np.nan)
    if _is_sparse(scores):
        lengths = np.diff(scores.indptr)[items]
    else:
        lengths = np.full(items.size, seen.n_tags)
    for block in _blocks(lengths + np.diff(seen.matrix.indptr)[items] + max_n):
        found = _stored(scores, items[block], place)
        owned = _stored(seen.matrix, items[block], place)
        _rank_block(found, owned, order.size, places[block], values[block])
    tags = np.append(order, -1)[places].astype(np.int32)
    return tags, values


def _blocks(lengths: NDArray[Any]) -> Iterator[slice]:
    """Cut the rows into slices of at most BLOCK entries, or of one row."""
    ends = np.cumsum(lengths, dtype=np.int64)
    start = 0
    while start < len(lengths):
        before = ends[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(ends, before + BLOCK, side="right")))
        yield slice(start, stop)
        start = stop


def _stored(matrix: Any, items: NDArray[np.int64], place: NDArray[np.int64]) -> Stored:
    """List the entries of some rows that are not 0 and are of candidates: row, place, value."""
    part = matrix[items]
    if _is_sparse(part):
        rows = np.repeat(np.arange(items.size), np.diff(part.indptr))
        columns, values = part.indices, part.data
    else:
        rows, columns = np.nonzero(part)
        values = part[rows, columns]
    keep = (place[columns] >= 0) & (values != 0)
    return rows[keep], place[columns[keep]], values[keep].astype(np.float64)


def _rank_block(
    found: Stored,
    owned: Stored,
    n_candidates: int,
    places: NDArray[np.int64],
    values: NDArray[np.float64],
) -> None:
    """Fill in the ranking of a block of items, given as views of shape (items, max_n)."""
    n, max_n = places.shape
    row, spot, score = found
    taken = np.sort(owned[0] * n_candidates + owned[1])
    free = ~in_sorted(row * n_candidates + spot, taken)
    row, spot, score = row[free], spot[free], score[free]
    n_positive = np.bincount(row[score > 0], minlength=n)
    n_zero = n_candidates - np.bincount(row, minlength=n) - np.bincount(owned[0], minlength=n)
    able = _contenders(row, score, n_positive, max_n)
    row, spot, score = row[able], spot[able], score[able]
    by_rank = np.lexsort((spot, -score, row))
    row, spot, score = row[by_rank], spot[by_rank], score[by_rank]
    n_stored = np.bincount(row, minlength=n)
    # Negative scores come after all tags without a score.
    rank = np.arange(row.size) - (np.cumsum(n_stored) - n_stored)[row]
    rank += np.where(score < 0, n_zero[row], 0)
    first = rank < max_n
    places[row[first], rank[first]] = spot[first]
    values[row[first], rank[first]] = score[first]

    short_of = np.flatnonzero(n_positive < max_n)
    excluded = np.concatenate([taken, row * n_candidates + spot])
    zeros = _first_left(excluded, short_of, n, n_candidates, max_n)
    which, k = np.nonzero(np.arange(max_n) < n_zero[short_of, None])
    rank = n_positive[short_of][which] + k
    first = rank < max_n
    which, k, rank = which[first], k[first], rank[first]
    places[short_of[which], rank] = zeros[which, k]
    values[short_of[which], rank] = 0.0


def _contenders(
    row: NDArray[np.int64],
    score: NDArray[np.float64],
    n_positive: NDArray[np.int64],
    max_n: int,
) -> NDArray[np.bool_]:
    """Tell which stored scores may be among the first, to sort the fewer.

    Cut a row's positive scores into ``max_n`` parts: as many scores are at least the lowest of
    the highest of each part. Sorting the rest takes most of the time. Rows
    with fewer positive scores keep all.
    """
    able: NDArray[np.bool_] = (score > 0) & (n_positive >= max_n)[row]
    sizes = n_positive[n_positive >= max_n]
    if sizes.size:
        starts = (np.cumsum(sizes) - sizes)[:, None] + sizes[:, None] * np.arange(max_n) // max_n
        highest = np.maximum.reduceat(score[able], starts.ravel()).reshape(starts.shape)
        able[able] = score[able] >= np.repeat(highest.min(axis=1), sizes)
    return able | (n_positive < max_n)[row]


def _first_left(
    excluded: NDArray[np.int64], rows: NDArray[np.int64], n: int, n_candidates: int, max_n: int
) -> NDArray[np.int64]:
    """Give the first places of some rows that are not excluded, shape (rows, max_n).

    ``excluded`` holds ``row * n_candidates + place`` of all n rows, each once. In a row's sorted
    list, the t-th excluded place e (from 0) has e - t places before it that are left, so the k-th
    place left is k plus the number of excluded ones with e - t <= k.
    """
    new = np.full(n, -1, dtype=np.int64)
    new[rows] = np.arange(rows.size)
    row, place = np.divmod(excluded, max(1, n_candidates))
    keep = new[row] >= 0
    key = np.sort(new[row[keep]] * n_candidates + place[keep])
    row, place = np.divmod(key, max(1, n_candidates))
    counts = np.bincount(row, minlength=rows.size)
    before = place - (np.arange(key.size) - (np.cumsum(counts) - counts)[row])
    early = before < max_n
    cells = row[early] * max_n + before[early]
    jumped = np.bincount(cells, minlength=rows.size * max_n).reshape(rows.size, max_n)
    left: NDArray[np.int64] = np.arange(max_n) + np.cumsum(jumped, axis=1)
    return left


def in_sorted(keys: NDArray[Any], ascending: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell which keys occur in an ascending list."""
    if ascending.size == 0:
        return np.zeros(keys.shape, dtype=np.bool_)
    at = np.minimum(np.searchsorted(ascending, keys), ascending.size - 1)
    return np.asarray(ascending[at] == keys)


def check_scores(scores: Any, seen: TagMatrix) -> Any:
    """Give the scores as a CSR or NumPy array of finite numbers, of the shape of the tags."""
    matrix: Any
    if _is_sparse(scores):
        matrix = sparse.csr_array(scores)
        if not matrix.has_canonical_format:
            matrix = matrix.copy()
            matrix.sum_duplicates()
        values = matrix.data
    else:
        matrix = values = np.asarray(scores)
    if values.dtype.kind not in "buif":
        raise TypeError(
            f"scores are of dtype {values.dtype}. Give a sparse or dense matrix of numbers, items "
            "x tags."
        )
    if matrix.shape != seen.matrix.shape:
        raise ValueError(
            f"scores have shape {matrix.shape} but the observed tags are {seen.n_items} items x "
            f"{seen.n_tags} tags. Give one score for each item and tag."
        )
    if values.dtype.kind == "f":
        _check_finite(matrix)
    return matrix


def _check_finite(matrix: Any) -> None:
    """Refuse NaN and infinity, looking at a bounded part at a time."""
    flat = matrix.data if _is_sparse(matrix) else matrix
    step = max(1, BLOCK // max(1, flat[:1].size))
    for start in range(0, len(flat), step):
        bad = np.argwhere(~np.isfinite(flat[start : start + step]))
        if not bad.size:
            continue
        at = tuple(bad[0] + np.array([start, 0][: bad.shape[1]]))
        item, tag = at if len(at) == 2 else _position(matrix, at[0])
        raise ValueError(
            f"The score of item {item} for tag {tag} is {flat[at]}. Scores are finite numbers; "
            "give a low one where a tag is out of the question."
        )


def _position(matrix: Any, k: int) -> tuple[int, int]:
    """Give the row and column of the k-th stored entry."""
    return int(np.searchsorted(matrix.indptr, k, side="right")) - 1, int(matrix.indices[k])


def _is_sparse(matrix: Any) -> bool:
    return bool(sparse.issparse(matrix))


def check_candidates(candidates: Any, seen: TagMatrix) -> NDArray[np.bool_]:
    """Say for each column whether it is a candidate."""
    if candidates is None:
        return np.ones(seen.n_tags, dtype=np.bool_)
    if isinstance(candidates, (str, bytes, Mapping)) or not isinstance(candidates, Iterable):
        raise TypeError(
            f"candidates is {short(candidates)}. Give a list of tag names or column numbers, or "
            "None for all tags."
        )
    columns = {name: j for j, name in enumerate(seen.vocabulary)}
    allowed = np.zeros(seen.n_tags, dtype=np.bool_)
    for tag in candidates:
        allowed[_column(tag, columns)] = True
    if not allowed.any():
        raise ValueError("candidates is empty. Give at least one tag, or None for all tags.")
    return allowed


def _column(tag: Any, columns: Mapping[str, int]) -> int:
    if isinstance(tag, str):
        if tag not in columns:
            raise ValueError(
                f"The candidate {str(tag)!r} is not among the {len(columns)} tags."
                f"{did_you_mean(tag, columns)} Use a name of the vocabulary or a column number."
            )
        return columns[tag]
    if isinstance(tag, (bool, np.bool_)) or not isinstance(tag, numbers.Integral):
        raise TypeError(
            f"The candidate {short(tag)} is of type {type(tag).__name__}; candidates are tag names "
            "(str) or column numbers (int)."
        )
    if not 0 <= int(tag) < len(columns):
        raise ValueError(
            f"The candidate {int(tag)} is no column number; there are {len(columns)} tags, "
            "numbered from 0."
        )
    return int(tag)
