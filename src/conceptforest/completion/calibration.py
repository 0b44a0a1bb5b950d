"""From scores to probabilities: an increasing map, learned on tags that were hidden."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.isotonic import isotonic_regression

from conceptforest.completion.keep import contains, row_numbers

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Calibration", "HiddenTags", "ScoreMap", "calibrate"]

_TOP = 1.001  # above every score
_HITS = 30  # hidden tags in a bin of scores, at least
_MOST_BINS = 200
_REPORTED_BINS = 15
_FLAT = 1e-3  # rise of the map where the data know none; it keeps different scores different
_TILT = 0.25  # share of the step to the next level by which a level rises itself


@dataclass(frozen=True, eq=False)
class ScoreMap:
    """A strictly increasing map from scores to probabilities, linear between knots.

    Attributes
    ----------
    scores, probabilities : ndarray of shape (n_knots,), float64
        Both strictly increasing; the first score is 0.

    Examples
    --------
    >>> ScoreMap(np.array([0.0, 0.5, 1.0]), np.array([0.0, 0.1, 0.8]))([0.25, 0.75])
    array([0.05, 0.45])
    """

    scores: NDArray[np.float64]
    probabilities: NDArray[np.float64]

    def __call__(self, scores: Any) -> NDArray[np.float64]:
        """Give the probability of each score."""
        found: NDArray[np.float64] = np.interp(scores, self.scores, self.probabilities)
        return found


@dataclass(frozen=True, eq=False)
class Calibration:
    """What scores mean, and how far that holds for items that it was not learned from.

    The collection is cut into two halves of items; a map learned on each is judged on the other.
    Only tags with a score above 0 are judged.

    Attributes
    ----------
    map : ScoreMap
        Learned from all items.
    predicted : ndarray of shape (n_bins,), float64
        Mean probability promised in each bin. Bins are cut by probability so that each promises
        as many hidden tags.
    observed : ndarray of shape (n_bins,), float64
        Share that were hidden tags indeed.
    count : ndarray of shape (n_bins,), int64
        Pairs of item and tag.
    error : float
        Expected calibration error: the mean over pairs of the distance of promise and truth in
        their bin.
    """

    map: ScoreMap
    predicted: NDArray[np.float64]
    observed: NDArray[np.float64]
    count: NDArray[np.int64]
    error: float

    @property
    def bins(self) -> Any:
        """The bins as a table with the columns predicted, observed and count."""
        import pandas as pd

        columns = {"predicted": self.predicted, "observed": self.observed, "count": self.count}
        return pd.DataFrame(columns)

    def to_dict(self) -> dict[str, Any]:
        """Give all of it as numbers and lists, which JSON can hold without loss."""
        arrays = {
            "scores": self.map.scores,
            "probabilities": self.map.probabilities,
            "predicted": self.predicted,
            "observed": self.observed,
            "count": self.count,
        }
        return {name: array.tolist() for name, array in arrays.items()} | {"error": self.error}

    @classmethod
    def from_dict(cls, given: Any) -> Calibration:
        """Build it again from what :meth:`to_dict` gave; what is not sound is refused.

        Examples
        --------
        >>> knots = {"scores": [0.0, 1.0], "probabilities": [0.0, 0.5]}
        >>> bins = {"predicted": [0.2], "observed": [0.3], "count": [10], "error": 0.1}
        >>> Calibration.from_dict(knots | bins).map([0.5])
        array([0.25])
        """
        names = ("scores", "probabilities", "predicted", "observed", "count")
        try:
            scores, probabilities, predicted, observed, count = (
                np.array(given[name], dtype=np.float64) for name in names
            )
            error = float(given["error"])
        except (KeyError, TypeError, ValueError) as problem:
            raise ValueError(f"This is no calibration: {problem!r}. Calibrate again.") from problem
        knots, bins = (scores, probabilities), (predicted, observed, count)
        sound = (
            all(a.ndim == 1 and np.isfinite(a).all() for a in (*knots, *bins))
            and len({len(a) for a in knots}) == len({len(a) for a in bins}) == 1
            and len(scores) > 1
            and all((np.diff(a) > 0).all() for a in knots)
            and all(a.min(initial=0.0) >= 0 and a.max(initial=0.0) <= 1 for a in knots[1:])
            and np.isfinite(error)
        )
        if not sound:
            raise ValueError("This is no sound calibration: numbers are missing or out of range.")
        return cls(
            ScoreMap(scores, probabilities), predicted, observed, count.astype(np.int64), error
        )

    def __repr__(self) -> str:
        return (
            f"Calibration({len(self.count)} bins of {self.count.sum()} tags,"
            f" expected calibration error {self.error:.4f})"
        )


@dataclass(frozen=True, eq=False)
class HiddenTags:
    """Scores of tags that items lack, and which of these had only been hidden.

    Attributes
    ----------
    item : ndarray of shape (n_pairs,), int64
    score : ndarray of shape (n_pairs,), float64
        Above 0.
    hit : ndarray of shape (n_pairs,), bool
        The tag had been hidden.
    zeros : ndarray of shape (n_items, 2), int64
        How many tags without a score each item lacks, and how many of them had been hidden.
    """

    item: NDArray[np.int64]
    score: NDArray[np.float64]
    hit: NDArray[np.bool_]
    zeros: NDArray[np.int64]

    @classmethod
    def compare(cls, scores: Any, shown: Any, truth: Any) -> HiddenTags:
        """Look up which scores are of hidden tags.

        Parameters
        ----------
        scores, shown, truth : csr_array of shape (n_items, n_tags)
            Scores learned from the tags that were shown; those tags; all tags. Canonical.
        """
        rows = row_numbers(scores)
        lacking = ~contains(shown, rows, scores.indices) & (scores.data > 0)
        item, column = rows[lacking], scores.indices[lacking]
        hit = contains(truth, item, column)
        n_items, n_tags = truth.shape
        per_item = np.bincount(item, minlength=n_items)
        hits_per_item = np.bincount(item[hit], minlength=n_items)
        n_shown = np.diff(shown.indptr)
        unscored = np.column_stack(
            [n_tags - n_shown - per_item, np.diff(truth.indptr) - n_shown - hits_per_item]
        )
        return cls(item, scores.data[lacking], hit, unscored.astype(np.int64))

    def of(self, chosen: NDArray[np.bool_]) -> HiddenTags:
        """Give the part that belongs to the chosen items; `chosen` is of shape (n_items,)."""
        part = chosen[self.item]
        return HiddenTags(self.item[part], self.score[part], self.hit[part], self.zeros[chosen])


def calibrate(pairs: HiddenTags, rng: np.random.RandomState) -> Calibration:
    """Learn what scores mean.

    Parameters
    ----------
    pairs : HiddenTags
    rng : RandomState
        Cuts the items into halves.
    """
    n_items = len(pairs.zeros)
    half = np.zeros(n_items, dtype=np.bool_)
    half[rng.permutation(n_items)[: n_items // 2]] = True
    predicted = np.empty(len(pairs.score))
    for learned in (half, ~half):
        judged = ~learned[pairs.item]
        predicted[judged] = learn_map(pairs.of(learned))(pairs.score[judged])
    return _judge(learn_map(pairs), predicted, pairs.hit)


def learn_map(pairs: HiddenTags) -> ScoreMap:
    """Find the increasing map from scores to the share of hidden tags that fits best.

    Scores are put into bins with as many hidden tags each, the score 0 into one of its own;
    isotonic regression makes their shares increase. Each level of the regression has a knot at
    its lowest and one at its highest score, a little apart so that the map increases between
    them too.
    """
    count, hits, low, high = _bins_by_score(pairs)
    share = (hits + 0.5) / (count + 1)  # never 0 or 1
    level = isotonic_regression(share, sample_weight=np.maximum(count, 1))
    # Equal levels may differ in their last bits, and a map between those could not increase.
    first = np.flatnonzero(np.concatenate([[True], np.diff(level) > 1e-9]))
    last = np.append(first[1:] - 1, len(level) - 1)
    values, low, high = level[first], low[first], high[last]
    low[0] = 0.0
    step = np.diff(values, prepend=values[0] * (1 - _FLAT), append=0)
    step[-1] = _FLAT * (1 - values[-1])
    knots = np.column_stack([low, high]).ravel()
    heights = np.column_stack([values - _TILT * step[:-1], values + _TILT * step[1:]]).ravel()
    wide = np.repeat(low < high, 2)
    wide[::2] = True  # a level of one score has one knot
    heights[::2] = np.where(low < high, heights[::2], values)
    end = values[-1] + step[-1]
    return ScoreMap(np.append(knots[wide], _TOP), np.append(heights[wide], end))


def _bins_by_score(pairs: HiddenTags) -> Any:
    """Give count, hits, lowest and highest score of the bins, lowest scores first."""
    zero_count, zero_hits = pairs.zeros.sum(axis=0)
    at_zero = [np.array([float(of)]) for of in (zero_count, zero_hits, 0, 0)]
    if len(pairs.score) == 0:
        return at_zero
    scores, at = np.unique(pairs.score, return_inverse=True)
    count = np.bincount(at, minlength=len(scores))
    hits = np.bincount(at[pairs.hit], minlength=len(scores))
    n_bins = int(np.clip(hits.sum() // _HITS, 1, _MOST_BINS))
    above = hits.sum() - np.cumsum(hits)  # hits among the higher scores
    bin_of = above * n_bins // max(1, hits.sum())
    first = np.flatnonzero(np.diff(bin_of, prepend=-1))
    last = np.append(first[1:], len(scores)) - 1
    bins = [
        np.add.reduceat(count, first),
        np.add.reduceat(hits, first),
        scores[first],
        scores[last],
    ]
    if zero_count == 0:  # every tag has a score: nothing to say about 0
        return bins
    return [np.concatenate(pair) for pair in zip(at_zero, bins, strict=True)]


def _judge(
    learned: ScoreMap, predicted: NDArray[np.float64], hit: NDArray[np.bool_]
) -> Calibration:
    """Compare promise and truth in bins that promise as many hidden tags each."""
    order = np.argsort(-predicted, kind="stable")
    promised = np.cumsum(predicted[order])
    bin_of = np.empty(len(order), dtype=np.int64)
    total = promised[-1] if len(promised) else 1.0
    n_bins = int(np.clip(hit.sum() // _HITS, 1, _REPORTED_BINS))
    bin_of[order] = np.minimum(promised / total * n_bins, n_bins - 1)
    _, bin_of = np.unique(-bin_of, return_inverse=True)
    count = np.bincount(bin_of)
    mean = np.bincount(bin_of, weights=predicted) / np.maximum(count, 1)
    observed = np.bincount(bin_of, weights=hit) / np.maximum(count, 1)
    error = float(np.sum(count * np.abs(mean - observed)) / max(1, count.sum()))
    return Calibration(learned, mean, observed, count, error)
