"""Take tags away at random, to see what a method makes of the rest.

Both ways are nested: with one seed, the more is taken away, the more is taken away of the same.
What goes depends on the seed and on which item carries which tag, not on the form in which the
tags are given nor on the order of named columns.
"""

from __future__ import annotations

import numbers
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_random_state

from conceptforest.tags.matrix import TagMatrix, parse_tags
from conceptforest.tags.readers import from_pairs

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["hide_tags", "remove_tags"]


def remove_tags(tags: Any, share: float, *, random_state: Any = None) -> TagMatrix:
    """Take away a share of all tags, whoever carries them.

    Every set of that many entries is equally likely, so some items may lose all their tags.

    Parameters
    ----------
    tags : matrix, sets, table or TagMatrix
        Any form that :func:`~conceptforest.tags.parse_tags` takes.
    share : float in [0, 1]
        Share of the entries to take away. Their number is rounded to the nearest whole one, and
        halves are rounded up (of 5 entries, a share of 0.5 takes 3).
    random_state : int, RandomState or None, default=None
        Seed of the choice. For one seed, what a share takes away contains what any smaller share
        takes away.

    Returns
    -------
    TagMatrix
        Of the same items and the same vocabulary.

    Raises
    ------
    TypeError
        If the share is no number.
    ValueError
        If it is not between 0 and 1.

    Examples
    --------
    >>> kept = remove_tags([{"cat", "indoor"}, {"cat"}, {"dog"}], 0.5, random_state=0)
    >>> kept.vocabulary, kept.matrix.nnz
    (('cat', 'dog', 'indoor'), 2)
    """
    _check_share("share", share)
    parsed = parse_tags(tags)
    rows, columns = _entries(parsed)
    order = check_random_state(random_state).permutation(len(rows))
    return _pick(parsed, rows, columns, order[_rounded(share, len(rows)) :])


def hide_tags(tags: Any, observed: float = 0.6, *, random_state: Any = None) -> TagMatrix:
    """Hide a share of the tags of every item and give those that stay in sight.

    Each item's tags are shuffled and the first ones kept. The hidden tags are those of ``tags``
    that the result lacks, which is how
    :func:`~conceptforest.metrics.completion_report` finds them.

    Parameters
    ----------
    tags : matrix, sets, table or TagMatrix
        Any form that :func:`~conceptforest.tags.parse_tags` takes.
    observed : float in [0, 1], default=0.6
        Share of its tags that an item keeps. Their number is rounded to the nearest whole one,
        halves are rounded up (of 3 tags, a share of 0.5 keeps 2), and an item that has a tag
        keeps at least one.
    random_state : int, RandomState or None, default=None
        Seed of the choice. For one seed, the tags kept with a share contain those kept with any
        smaller share.

    Returns
    -------
    TagMatrix
        Of the same items and the same vocabulary.

    Raises
    ------
    TypeError
        If the share is no number.
    ValueError
        If it is not between 0 and 1.

    Examples
    --------
    >>> tags = [{"cat", "indoor", "sofa"}, {"dog"}, set()]
    >>> hide_tags(tags, 0.6, random_state=0).matrix.sum(axis=1)
    array([2, 1, 0], dtype=uint64)
    """
    _check_share("observed", observed)
    parsed = parse_tags(tags)
    rows, columns = _entries(parsed)
    # A shuffle of all entries shuffles each item's among themselves.
    shuffle = check_random_state(random_state).permutation(len(rows))
    shuffled = shuffle[np.argsort(rows[shuffle], kind="stable")]
    sizes = np.diff(parsed.matrix.indptr)
    distinct, which = np.unique(sizes, return_inverse=True)
    kept = np.array([max(min(1, k), _rounded(observed, k)) for k in distinct.tolist()], dtype=int)
    place = np.arange(len(rows)) - parsed.matrix.indptr[rows]  # in its item's shuffle
    return _pick(parsed, rows, columns, shuffled[place < kept[which][rows]])


def _entries(parsed: TagMatrix) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """List the entries by item and then by tag: by name, or by number where there are no names."""
    rows = np.repeat(np.arange(parsed.n_items), np.diff(parsed.matrix.indptr))
    columns = parsed.matrix.indices.astype(np.int64)
    names = parsed.vocabulary
    by_name = sorted(range(len(names)), key=names.__getitem__)
    if names != tuple(map(str, range(len(names)))) and by_name != list(range(len(names))):
        place = np.empty(len(names), dtype=np.int64)
        place[by_name] = np.arange(len(names))
        columns = columns[np.lexsort((place[columns], rows))]
    return rows, columns


def _pick(
    parsed: TagMatrix, rows: NDArray[Any], columns: NDArray[Any], chosen: NDArray[Any]
) -> TagMatrix:
    matrix = from_pairs(rows[chosen], columns[chosen], parsed.matrix.shape)
    return TagMatrix(matrix, parsed.vocabulary)


def _rounded(share: float, count: int) -> int:
    """Round ``share * count``, halves up, taking the share for the decimal that it is written as.

    In binary, 0.7 * 45 is a little less than 31.5.
    """
    return int(Fraction(repr(float(share))) * count + Fraction(1, 2))


def _check_share(name: str, share: Any) -> None:
    if isinstance(share, (bool, np.bool_)) or not isinstance(share, numbers.Real):
        raise TypeError(
            f"{name} is {share!r} of type {type(share).__name__}. Give a number from 0 to 1."
        )
    if not 0 <= float(share) <= 1:
        raise ValueError(f"{name} is {share}. Give a share from 0 to 1, such as 0.6 for 60 %.")
