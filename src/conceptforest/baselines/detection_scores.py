"""Scores of tags by classifiers on the features: the input mode that the paper calls DetScore."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from scipy.special import expit

from conceptforest.baselines.linear_svm import fit_linear_svms, with_ones

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conceptforest.tags import TagMatrix

__all__ = ["detection_scores", "fit_sigmoids"]

_FEWEST = 5  # positives from which a tag gets a classifier
_FOLDS = 5
_STEPS = 30  # of Newton's method for a sigmoid


def detection_scores(
    X: NDArray[Any],
    tags: TagMatrix,
    *,
    held_out: bool = False,
    C: float = 1.0,
    seed: int = 0,
    n_threads: int = 1,
    verbose: bool = False,
) -> tuple[Any, ...]:
    """Score every tag for every item by linear SVMs on the features.

    Parameters
    ----------
    X : ndarray of shape (n_items, n_features)
        Rows are scaled to length 1.
    tags : TagMatrix of shape (n_items, n_tags)
        Items with a tag are its positives, all others its negatives, of the same total weight.
    held_out : bool, default=False
        Score each item by classifiers that did not learn from it (five folds). Otherwise they
        learned from all items, so that the scores are the tags smoothed, not foretold.
    C : float, default=1.0
    seed : int, default=0
        Of the folds.
    n_threads : int, default=1
        The scores do not depend on it.
    verbose : bool, default=False

    Returns
    -------
    tuple of ndarray and csr_array, each of n_items rows
        Scores from 0 to 1 by a sigmoid for each tag (Platt), float32, a column for each tag of 5
        items or more. Rarer tags have no classifier: in the second part, which only scores that
        are not held out have, they stand as they are.

    Examples
    --------
    >>> from conceptforest.tags import parse_tags
    >>> X = np.repeat(np.eye(2), 10, axis=0)
    >>> tags = parse_tags([{"sea"}] * 9 + [None] * 11)
    >>> scores, rare = detection_scores(X, tags)
    >>> [round(float(score), 1) for score in scores[[0, 9, 19], 0]], rare.shape
    ([0.8, 0.8, 0.1], (20, 0))
    """
    matrix: Any = tags.matrix
    frequent = tags.counts >= _FEWEST
    rare = () if held_out else (sparse.csr_array(matrix[:, np.flatnonzero(~frequent)]),)
    if not frequent.any():
        return (np.zeros((len(X), 1), dtype=np.float32), *rare)
    rows = with_ones(X)
    labels: Any = sparse.csr_array(matrix[:, np.flatnonzero(frequent)])
    solver: dict[str, Any] = {"C": C, "n_threads": n_threads, "verbose": verbose}
    if held_out:
        decisions = _held_out(rows, labels, np.random.default_rng(seed), solver)
    else:
        decisions = rows @ fit_linear_svms(rows, labels, **solver)
    return (_probabilities(decisions, labels), *rare)


def _held_out(
    rows: NDArray[np.float32], labels: Any, rng: np.random.Generator, solver: dict[str, Any]
) -> NDArray[np.float32]:
    """Give decision values of items that the classifiers have not seen."""
    n_folds = min(_FOLDS, len(rows))
    fold = rng.permutation(len(rows)) % n_folds
    decisions = np.zeros(labels.shape, dtype=np.float32)
    for number in range(n_folds):
        seen, unseen = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
        there = np.flatnonzero(np.bincount(labels[seen].indices, minlength=labels.shape[1]))
        learned = sparse.csr_array(labels[seen][:, there])
        name = f"tag classifiers, fold {number + 1} of {n_folds}"
        weights = fit_linear_svms(rows[seen], learned, label=name, **solver)
        decisions[np.ix_(unseen, there)] = rows[unseen] @ weights
    return decisions


def _probabilities(decisions: NDArray[np.float32], labels: Any) -> NDArray[np.float32]:
    """Turn decision values into probabilities by a sigmoid for each tag."""
    found = np.empty_like(decisions)
    step = max(1, 2**22 // len(decisions))
    columns = labels.tocsc()
    for start in range(0, decisions.shape[1], step):
        chosen = slice(start, start + step)
        values = decisions[:, chosen].astype(np.float64)
        found[:, chosen] = _platt(values, columns[:, chosen].toarray().astype(bool))
    return found


def _platt(values: NDArray[np.float64], positive: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Fit a sigmoid to each column and give its values."""
    slope, shift = fit_sigmoids(values, positive)
    return np.asarray(expit(slope * values + shift))


def fit_sigmoids(
    values: NDArray[np.float64], positive: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Fit sigmoids with Platt's smoothed targets by Newton's method, for all columns at once.

    Parameters
    ----------
    values : ndarray of shape (n_items, n_tags), float64
        Decision values.
    positive : ndarray of shape (n_items, n_tags), bool

    Returns
    -------
    slope, shift : ndarray of shape (n_tags,), float64
        Probabilities are ``expit(slope * values + shift)``.

    Examples
    --------
    >>> values = np.linspace(-2, 2, 100)[:, None]
    >>> slope, shift = fit_sigmoids(values, values > 0.5)
    >>> bool(slope[0] > 1), round(float(-shift[0] / slope[0]), 1)
    (True, 0.5)
    """
    n_positive = positive.sum(axis=0)
    n_negative = len(values) - n_positive
    target = np.where(positive, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))
    slope = np.zeros(values.shape[1])
    shift = np.log((n_positive + 1) / (n_negative + 1))

    def loss(slope: NDArray[np.float64], shift: NDArray[np.float64]) -> NDArray[np.float64]:
        logit = slope * values + shift
        return np.asarray((np.logaddexp(0, logit) - target * logit).sum(axis=0))

    now = loss(slope, shift)
    for _ in range(_STEPS):
        share = expit(slope * values + shift)
        error, weight = share - target, share * (1 - share)
        gradient = (error * values).sum(axis=0), error.sum(axis=0)
        a = (weight * values**2).sum(axis=0) + 1e-10
        b = (weight * values).sum(axis=0)
        c = weight.sum(axis=0) + 1e-10
        whole = np.maximum(a * c - b * b, 1e-300)
        moves = (
            (c * gradient[0] - b * gradient[1]) / whole,
            (a * gradient[1] - b * gradient[0]) / whole,
        )
        size = np.ones_like(slope)
        for _ in range(20):
            new = loss(slope - size * moves[0], shift - size * moves[1])
            worse = new > now
            if not worse.any():
                break
            size[worse] /= 2
        size[new > now] = 0.0
        slope, shift = slope - size * moves[0], shift - size * moves[1]
        before, now = now, loss(slope, shift)
        if (before - now <= 1e-9 * np.abs(now)).all():
            break
    return slope, shift
