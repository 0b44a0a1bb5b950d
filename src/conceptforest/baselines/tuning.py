"""One rule by which every competing method chooses its settings, from observed tags alone.

A fifth of the observed tags is hidden, whoever carries them, every candidate learns from the rest,
and the one that finds the hidden tags best is taken. Classes and tags that are really missing are
never seen. (A fifth of each item's own tags would be none where items have two or three.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest.metrics import completion_report
from conceptforest.progress import progress_bar
from conceptforest.tags import remove_tags
from conceptforest.tags.matrix import TagMatrix

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

__all__ = ["MAX_CANDIDATES", "choose_settings"]

MAX_CANDIDATES = 6  # the budget of every method
_MAX_ITEMS = 4000  # drawn from larger collections
_HIDDEN = 0.2  # of the observed tags


def choose_settings(
    candidates: Sequence[dict[str, Any]],
    scores_of: Callable[[dict[str, Any], NDArray[Any], TagMatrix, int], Any],
    X: NDArray[Any],
    tags: TagMatrix,
    *,
    seed: int = 0,
    verbose: bool = False,
) -> tuple[dict[str, Any], list[float]]:
    """Choose the settings that find hidden observed tags best.

    Parameters
    ----------
    candidates : sequence of dict
        At most 6 settings, the default first.
    scores_of : function of settings, features, tags and a seed
        Gives scores, csr_array of shape (n_items, n_tags).
    X : ndarray of shape (n_items, n_features)
    tags : TagMatrix of shape (n_items, n_tags)
    seed : int, default=0
        Of what is hidden, and of the items drawn where there are more than 4,000.
    verbose : bool, default=False

    Returns
    -------
    settings : dict
        Of equal ones the first; the first of all where there are too few tags to hide any.
    found : list of float
        Of each candidate the mean of AP@1, AR@5 and Coverage@5 of the hidden tags; empty where
        nothing could be hidden.

    Examples
    --------
    >>> from conceptforest.tags import parse_tags
    >>> tags = parse_tags([{"sea", "sand", "sun"}] * 3 + [{"ice", "ski", "hut"}] * 3)
    >>> def scores_of(settings, X, seen, seed):
    ...     together = (seen.matrix.T @ seen.matrix).toarray() * settings["sign"]
    ...     return seen.matrix @ together
    >>> X = np.zeros((6, 1))
    >>> choose_settings([{"sign": -1.0}, {"sign": 1.0}], scores_of, X, tags)[0]
    {'sign': 1.0}
    """
    if len(candidates) > MAX_CANDIDATES:
        raise ValueError(f"{len(candidates)} candidates are more than the {MAX_CANDIDATES} allowed")
    if len(candidates) == 1:
        return candidates[0], []
    if tags.n_items > _MAX_ITEMS:
        drawn = np.random.default_rng(seed).choice(tags.n_items, _MAX_ITEMS, replace=False)
        drawn.sort()
        X, tags = X[drawn], TagMatrix(tags.matrix[drawn], tags.vocabulary)
    seen = remove_tags(tags, _HIDDEN, random_state=seed)
    if seen.matrix.nnz == tags.matrix.nnz:
        return candidates[0], []
    found = []
    with progress_bar("choosing settings", len(candidates), show=verbose) as update:
        for done, settings in enumerate(candidates, start=1):
            report = completion_report(scores_of(settings, X, seen, seed), seen, tags)
            found.append(float(report["ap"][0] + report["ar"][4] + report["coverage"][4]) / 3)
            if update:
                update(done)
    return candidates[int(np.argmax(found))], found
