"""Tags by the votes of neighbours whose weights are learned."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.special import expit
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from conceptforest.baselines.contract import CompletionBaseline, check_option, check_threads
from conceptforest.baselines.tag_prop_likelihood import (
    Likelihood,
    Neighbours,
    Sigmoids,
    tag_shares,
)
from conceptforest.checks import whole
from conceptforest.progress import progress_bar
from conceptforest.structure.visual_neighbours import nearest_items

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from conceptforest.tags import TagMatrix

__all__ = ["TagProp"]

_METRICS = ("cosine", "euclidean")
_TRIED = (200, 50, 20)  # neighbours
_PAIRS = 2**22  # numbers compared at a time: 16 MB in single precision
_ENOUGH = 1e-6  # by which a round must raise the likelihood for another one


class TagProp(CompletionBaseline):
    """Score a tag by neighbours' votes, weighted by distances as foretells known tags best.

    The weight of a neighbour falls off exponentially with a sum of its distances. How fast, for
    each distance, maximises the likelihood of all tags of the tagged items, each foretold by its
    neighbours without itself; tags that items have and those that they lack count the same in
    total. A sigmoid for each tag lifts rare ones. Items without tags neither vote nor count in
    the likelihood: they are completed as new items are. Tags that a new item comes with do not
    count, and as all tags together decide the weights, none is scored as if its item lacked it.

    Parameters
    ----------
    n_neighbors : int, default=200
        Tagged items that vote: the nearest by any of the distances, as many of each.
    metrics : sequence of {"cosine", "euclidean"}, default=("cosine", "euclidean")
        Distances of features that are combined.
    sigmoids : bool, default=True
        Pass the votes for each tag through a sigmoid of its own.
    max_iter : int, default=5
        Rounds of learning sigmoids and weights in turn.
    tune : bool, default=False
        Choose by hidden observed tags whether to use `sigmoids`, and `n_neighbors` from the given
        number and two others of 200, 50 and 20.
    n_scores : int or None, default=100
        Scores to keep of each item among tags that it lacks; None keeps all.
    random_state : int, RandomState instance or None, default=None
        Chooses among equal distances.
    n_jobs : int or None, default=None
        Threads that look for neighbours, as in scikit-learn. The scores do not depend on it.
    verbose : int, default=0
        1 shows progress.

    Attributes
    ----------
    scores_ : csr_array of shape (n_items, n_tags), float64
        The highest scores of tags that an item lacks.
    decay_ : ndarray of shape (n_metrics,), float64
        How fast weights fall off with each distance, in units of its mean among neighbours.
    likelihoods_ : list of float
        The logarithm of the likelihood after each step, sigmoids and weights in turn.

    Examples
    --------
    >>> X = [[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.1, 0.9], [0.2, 0.8]]
    >>> tags = [{"sea"}, {"sea"}, {"snow"}, {"snow"}, None]
    >>> method = TagProp().fit(X, tags)
    >>> sea, snow = method.scores_.toarray()[4]
    >>> bool(snow > 0.8 > 0.2 > sea)
    True
    """

    title = "TagProp"
    source = "Guillaumin, Mensink, Verbeek and Schmid 2009"
    grade = "faithful"
    scores_own = False
    decay_: NDArray[np.float64]
    likelihoods_: list[float]

    def __init__(
        self,
        n_neighbors: int = 200,
        *,
        metrics: Sequence[str] = _METRICS,
        sigmoids: bool = True,
        max_iter: int = 5,
        tune: bool = False,
        n_scores: int | None = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.metrics = metrics
        self.sigmoids = sigmoids
        self.max_iter = max_iter
        self.tune = tune
        self.n_scores = n_scores
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        whole("n_neighbors", self.n_neighbors, 1)
        whole("max_iter", self.max_iter, 1)
        if isinstance(self.metrics, str) or not len(self.metrics):
            raise ValueError(
                f"metrics must list some of {', '.join(map(repr, _METRICS))}; got"
                f" {self.metrics!r}. For one alone give ({self.metrics or _METRICS[0]!r},)."
            )
        for metric in self.metrics:
            check_option("metrics", metric, _METRICS)

    def _candidates(self) -> list[dict[str, Any]]:
        others = [k for k in _TRIED if k != self.n_neighbors]
        return [
            {"n_neighbors": k, "sigmoids": sigmoids}
            for k in (self.n_neighbors, *others[:2])
            for sigmoids in (self.sigmoids, not self.sigmoids)
        ]

    def _learn(self, X: NDArray[Any], tags: TagMatrix, seed: int) -> None:
        tagged, untagged = np.flatnonzero(~tags.untagged), np.flatnonzero(tags.untagged)
        self._n_tags, self._columns = tags.n_tags, np.flatnonzero(tags.counts)
        self._matrix: Any = tags.matrix[tagged][:, self._columns]
        self._forms = [_form(X[tagged], metric) for metric in self.metrics]
        self._seed = seed
        self._scale = np.ones(len(self.metrics))
        seen = self._find(X[tagged], exclude_self=len(tagged) > 1)  # one alone has only itself
        mean = seen.distances.mean(axis=(0, 1))
        self._scale = np.where(mean > 0, mean, 1.0)
        seen = Neighbours(seen.indices, seen.distances / self._scale)
        self._climb(Likelihood(seen, self._matrix))
        self._neighbours = seen
        if len(untagged):
            others = self._find(X[untagged], exclude_self=False, k=seen.indices.shape[1])
            order = np.argsort(np.concatenate([tagged, untagged]), kind="stable")
            self._neighbours = Neighbours(
                np.concatenate([seen.indices, others.indices])[order],
                np.concatenate([seen.distances, others.distances])[order],
            )

    def _climb(self, likelihood: Likelihood) -> None:
        """Learn decays without sigmoids, then both in turn, each step from where the last one led.

        Sigmoids of equal weights would be a bad start where nearly all items are neighbours: an
        item with a tag leaves itself out, so it hears of the tag a little less than others do.
        """
        decay, self._sigmoids = np.zeros(len(self.metrics)), None
        decay = likelihood.best_decay(decay, None)
        self.likelihoods_ = []

        def note(sigmoids: Sigmoids | None) -> None:
            self.likelihoods_.append(likelihood.value(likelihood.shares(decay), sigmoids))

        with progress_bar("learning weights", self.max_iter, show=self._show) as update:
            for done in range(1, self.max_iter + 1):
                if self._setting("sigmoids"):
                    shares = likelihood.shares(decay)
                    self._sigmoids = likelihood.best_sigmoids(shares, self._sigmoids)
                note(self._sigmoids)
                if update:
                    update(done)
                if not self._setting("sigmoids") or done == self.max_iter:
                    break
                decay = likelihood.best_decay(decay, self._sigmoids)
                note(self._sigmoids)
                if self.likelihoods_[-1] - self.likelihoods_[-2] < _ENOUGH:
                    break
        self.decay_ = decay

    def _score_fitted(self, rows: slice) -> NDArray[np.float64]:
        indices, distances = self._neighbours
        return self._score(Neighbours(indices[rows], distances[rows]))

    def _score_new(self, X: NDArray[Any], known: Any) -> NDArray[np.float64]:
        del known
        return self._score(self._find(X, exclude_self=False))

    def _score(self, neighbours: Neighbours) -> NDArray[np.float64]:
        found = tag_shares(neighbours, self.decay_, self._matrix)
        if self._sigmoids is not None:
            found = expit(self._sigmoids.slope * found + self._sigmoids.shift)
        scores = np.zeros((len(found), self._n_tags))
        scores[:, self._columns] = found
        return scores

    def _find(self, X: NDArray[Any], *, exclude_self: bool, k: int | None = None) -> Neighbours:
        """Find the nearest tagged items by all metrics, and the distances by each of them."""
        k = min(k or self._setting("n_neighbors"), self._matrix.shape[0] - exclude_self)
        forms = [_form(X, metric) for metric in self.metrics]
        nearest = []
        with threadpool_limits(check_threads(self.n_jobs)):
            for form, items in zip(forms, self._forms, strict=True):
                indices, _ = nearest_items(
                    form, items, k, exclude_self=exclude_self, seed=self._seed
                )
                nearest.append(indices)
        chosen = nearest[0] if len(nearest) == 1 else _first_of_each(nearest)
        distances = [
            _distances(form, items, chosen, metric)
            for form, items, metric in zip(forms, self._forms, self.metrics, strict=True)
        ]
        return Neighbours(chosen, np.stack(distances, axis=2) / self._scale)


def _form(X: NDArray[Any], metric: str) -> NDArray[Any]:
    """Bring features into the form whose Euclidean distances order items as the metric does."""
    X = X.astype(np.result_type(X.dtype, np.float32), copy=False)
    if metric == "euclidean":
        return X
    lengths = np.sqrt(np.einsum("ij,ij->i", X, X, dtype=np.float64))
    lengths[lengths == 0] = 1.0
    return np.asarray(X / lengths[:, None].astype(X.dtype))


def _first_of_each(nearest: list[NDArray[np.int64]]) -> NDArray[np.int64]:
    """Merge lists of nearest items, taking from each in turn what is not taken yet."""
    n, k = nearest[0].shape
    merged = np.stack(nearest, axis=2).reshape(n, -1)  # the first of each list, the second, ...
    order = np.argsort(merged, axis=1, kind="stable")
    ordered = np.take_along_axis(merged, order, axis=1)
    again = np.zeros(merged.shape, dtype=bool)
    again[:, 1:] = ordered[:, 1:] == ordered[:, :-1]
    double = np.zeros_like(again)
    np.put_along_axis(double, order, again, axis=1)
    first = np.argsort(double, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(merged, first, axis=1)


def _distances(
    queries: NDArray[Any], items: NDArray[Any], indices: NDArray[np.int64], metric: str
) -> NDArray[np.float64]:
    """Give the distances of queries to some items each, in forms that `_form` gives."""
    found = np.empty(indices.shape)
    step = max(1, _PAIRS // (indices.shape[1] * items.shape[1]))
    for start in range(0, len(queries), step):
        rows = slice(start, start + step)
        apart = items[indices[rows]] - queries[rows, None]
        found[rows] = np.einsum("ijd,ijd->ij", apart, apart)
    return found / 2 if metric == "cosine" else np.sqrt(found)
