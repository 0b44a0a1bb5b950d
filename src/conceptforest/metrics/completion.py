"""How many hidden tags a completion finds among its first suggestions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np

from conceptforest.checks import whole
from conceptforest.metrics.ranking import (
    check_candidates,
    check_counts,
    check_scores,
    in_sorted,
    rank,
)
from conceptforest.tags import TagMatrix, parse_tags

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["CompletionReport", "completion_report"]


class CompletionReport(TypedDict):
    """What :func:`completion_report` gives."""

    ap: NDArray[np.float64]
    ar: NDArray[np.float64]
    coverage: NDArray[np.float64]
    n_items: int
    tie_rate: float


def completion_report(
    scores: Any,
    observed: Any,
    truth: Any,
    candidates: Any = None,
    max_n: int = 5,
    *,
    counts: Any = None,
) -> CompletionReport:
    """Score suggested tags against the tags that were hidden.

    For an item, the hidden tags are those of ``truth`` that are candidates and not observed, and
    the suggestions are the candidates that are not observed, ranked by :func:`ranked_tags`. Items
    without a hidden tag are left out. For the first N suggestions, of which h are hidden tags:

    - precision at N is h / N, also if fewer than N tags are hidden;
    - recall at N is h over the number of hidden tags of the item;
    - an item is covered if h is at least 1.

    All three are averaged over the items. "Average precision" (``ap``) is this average of the
    precision at N, not the area under a precision-recall curve; the average recall (``ar``) gives
    every item the same weight, however many tags it hides.

    Parameters
    ----------
    scores : sparse matrix or array of shape (n_items, n_tags)
        Higher means more likely; entries that are not stored are 0. Any finite numbers.
    observed : matrix, sets, table or TagMatrix
        The tags that the completion saw, in any form that
        :func:`~conceptforest.tags.parse_tags` takes. Its columns are those of ``scores``.
    truth : matrix, sets, table or TagMatrix
        All tags of the items. Where both this and ``observed`` have names, tags are matched by
        name and ``truth`` may not use others; else column by column.
    candidates : collection of str or int, default=None
        Names or column numbers of the tags that may be suggested; by default all.
    max_n : int, default=5
        Largest number of suggestions.
    counts : array-like of shape (n_tags,), default=None
        How frequent each tag is, which orders equal scores; by default how many items carry it in
        ``observed``. For unseen items give the counts of the collection that was learned from.

    Returns
    -------
    dict
        ``ap``, ``ar`` and ``coverage``, arrays of shape (max_n,) for N = 1 to ``max_n``;
        ``n_items``, how many items have a hidden tag; ``tie_rate``, for which share of these the
        rule for equal scores decided which tags are among the first ``max_n``.

    Raises
    ------
    TypeError
        If scores, candidates or ``max_n`` are of the wrong kind.
    ValueError
        If shapes or names do not agree, scores are not finite, or no tag is hidden.

    Examples
    --------
    >>> observed = [[1, 0, 0, 0], [0, 1, 0, 0], [1, 1, 0, 0]]
    >>> truth = [[1, 0, 1, 1], [0, 1, 1, 0], [1, 1, 0, 0]]
    >>> scores = np.array([[0.9, 0.1, 0.5, 0.3], [0.8, 0.9, 0.7, 0.2], [0, 0, 0.4, 0.1]])
    >>> report = completion_report(scores, observed, truth, max_n=2)
    >>> report["ap"], report["ar"], report["coverage"], report["n_items"]
    (array([0.5 , 0.75]), array([0.25, 1.  ]), array([0.5, 1. ]), 2)
    """
    whole("max_n", max_n, 1)
    seen, everything = _parse_both(observed, truth)
    matrix = check_scores(scores, seen)
    allowed = check_candidates(candidates, seen)
    rows, columns = _pairs(everything)
    keys = rows * seen.n_tags + columns
    seen_rows, seen_columns = _pairs(seen)
    hidden = allowed[columns] & ~in_sorted(keys, seen_rows * seen.n_tags + seen_columns)
    sizes = np.bincount(rows[hidden], minlength=seen.n_items)
    items = np.flatnonzero(sizes)
    if items.size == 0:
        raise ValueError(
            f"None of the {seen.n_items} items has a hidden tag: every candidate tag in truth is "
            "also observed. Give truth more tags than observed, as hide_tags does."
        )
    often = check_counts(counts, seen)
    tags, values = rank(matrix, seen, allowed, items, max_n + 1, counts=often)
    hit = (tags >= 0) & in_sorted(items[:, None] * seen.n_tags + tags, keys[hidden])
    found = np.cumsum(hit[:, :max_n], axis=1)
    return {
        "ap": found.sum(axis=0) / (items.size * np.arange(1, max_n + 1)),
        "ar": (found / sizes[items, None]).mean(axis=0),
        "coverage": (found > 0).sum(axis=0) / items.size,
        "n_items": int(items.size),
        "tie_rate": float((values[:, max_n - 1] == values[:, max_n]).mean()),
    }


def _pairs(tags: TagMatrix) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """List the entries, by item and then by column."""
    rows = np.repeat(np.arange(tags.n_items), np.diff(tags.matrix.indptr))
    return rows, tags.matrix.indices.astype(np.int64)


def _parse_both(observed: Any, truth: Any) -> tuple[TagMatrix, TagMatrix]:
    """Parse both and bring the columns of truth into the order of observed."""
    seen, everything = parse_tags(observed), parse_tags(truth)
    if everything.n_items != seen.n_items:
        raise ValueError(
            f"observed has {seen.n_items} items but truth has {everything.n_items}. Give both for "
            "the same items, in the same order."
        )
    if seen.vocabulary == everything.vocabulary:
        return seen, everything
    if _numbered(seen) or _numbered(everything):
        if seen.n_tags != everything.n_tags:
            raise ValueError(
                f"observed has {seen.n_tags} tags but truth has {everything.n_tags}, and without "
                "names they are matched by column. Give both the same columns, or names to both: "
                "parse_tags(..., vocabulary=[...])."
            )
        names = everything.vocabulary if _numbered(seen) else seen.vocabulary
        return TagMatrix(seen.matrix, names), TagMatrix(everything.matrix, names)
    try:
        return seen, parse_tags(everything, vocabulary=seen.vocabulary)
    except ValueError as error:
        raise ValueError(
            f"truth does not agree with the vocabulary of observed: {error} To score tags that no "
            "item was observed with, give observed a vocabulary that has them: "
            "parse_tags(observed, vocabulary=[...])."
        ) from error


def _numbered(tags: TagMatrix) -> bool:
    """Tell whether the tags have no names but column numbers."""
    return tags.vocabulary == tuple(map(str, range(tags.n_tags)))
