"""Affinity propagation, with the preference that gives the number of clusters asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from conceptforest.baselines.contract import ClusteringBaseline, check_option, check_threads
from conceptforest.baselines.dense_distances import squared_distances
from conceptforest.baselines.gaussian_graph import _scales
from conceptforest.baselines.message_passing import Messages, assign
from conceptforest.baselines.modes import ONE_VECTOR, check_scale, rows_of_mode
from conceptforest.checks import whole
from conceptforest.progress import progress_bar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from conceptforest.baselines.message_passing import Run
    from conceptforest.tags import TagMatrix

__all__ = ["AffinityPropagation", "Probe"]

_SIMILARITIES = ("distance", "gaussian")
_NOISE = 1e-6  # of the mean similarity; breaks ties, of which tags have many
_PAIRS_TRIED = 1000  # items up to which the best two exemplars are sought among all pairs
_SECONDS = 3e-6  # of a search, per squared item and on one thread, as measured
_BLOCK = 1024  # rows that something is computed for at a time


class Probe(NamedTuple):
    """One run of the search for a preference."""

    preference: float
    n_clusters: int
    n_iter: int
    converged: bool


class AffinityPropagation(ClusteringBaseline):
    """Exemplars by messages between items, with their number set by bisection of the preference.

    A run of affinity propagation finds the number of clusters itself, the larger the more an item
    prefers to stand for itself. Up to `max_probes` preferences are tried, each run beginning with
    the messages that the last one left, and the run whose number is nearest to `n_clusters` is
    kept: of two equally near ones that with more clusters. If it has too many, the two clusters
    with the most similar exemplars are joined, under the exemplar of the larger, until there are
    `n_clusters`; if it has too few, it stays as it is.

    Parameters
    ----------
    n_clusters : int, default=8
    mode : {"vision", "tags", "scores", "scores_held_out", "concatenated"}, default="vision"
        Distances of features, of 0/1 tag rows, of scores of tag classifiers, of such scores of
        items that the classifiers have not seen, or of features and tags as one vector.
    cmb_scale : {"none", "zscore", "block_trace"}, default="none"
        Scales of features and tags in mode "concatenated": as they are, columns over their
        standard deviations, or each part over the root of its mean squared length.
    similarity : {"distance", "gaussian"}, default="distance"
        Minus the squared distance; or its Gaussian with a scale for each item, the affinity of
        :class:`SpClust` between all pairs.
    damping : float, default=0.9
        Share of the old messages in the new ones, at least 0.5 and less than 1.
    max_iter : int, default=500
        Iterations of a run; it ends sooner when the exemplars are the same for `patience` ones.
    patience : int, default=50
    max_probes : int, default=12
    max_items : int, default=10_000
        More items are refused: three numbers are held for each pair of them.
    random_state : int, RandomState instance or None, default=None
        Of the noise, a millionth of the mean similarity, that breaks ties.
    n_jobs : int or None, default=None
        Threads, as in scikit-learn. The labels do not depend on it.
    verbose : int, default=0
        1 shows progress.

    Attributes
    ----------
    labels_ : ndarray of shape (n_items,), int64
        From 0, the largest cluster first.
    n_clusters_ : int
        Exemplars that the kept run found; more than `n_clusters` were joined.
    preference_ : float
        Of the kept run.
    probes_ : list of Probe
        Preference, number of clusters and of iterations of every run, and whether it converged.
        Preferences are in multiples of the mean squared distance, or plain for "gaussian".

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [5.0], [5.1]]
    >>> tags = [{"sea"}, {"sea"}, None, {"snow"}, {"snow"}]
    >>> AffinityPropagation(2, random_state=0).fit(X, tags).labels_.tolist()
    [0, 0, 0, 1, 1]
    """

    title = "AffProp"
    source = "Frey and Dueck 2007"
    grade = "exact"
    modes: ClassVar[tuple[str, ...]] = ONE_VECTOR
    n_clusters_: int
    preference_: float
    probes_: list[Probe]

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        mode: str = "vision",
        cmb_scale: str = "none",
        similarity: str = "distance",
        damping: float = 0.9,
        max_iter: int = 500,
        patience: int = 50,
        max_probes: int = 12,
        max_items: int = 10_000,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.mode = mode
        self.cmb_scale = cmb_scale
        self.similarity = similarity
        self.damping = damping
        self.max_iter = max_iter
        self.patience = patience
        self.max_probes = max_probes
        self.max_items = max_items
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        check_scale(self.cmb_scale)
        check_option("similarity", self.similarity, _SIMILARITIES)
        for name in ("max_iter", "patience", "max_probes", "max_items"):
            whole(name, getattr(self, name), 1)
        if not 0.5 <= self.damping < 1:
            raise ValueError(
                f"damping must be at least 0.5 and less than 1; got {self.damping!r}. Less than"
                " 0.5 lets messages swing to and fro."
            )

    def _cluster(self, X: NDArray[Any], tags: TagMatrix, seed: int) -> NDArray[np.int64]:
        n = len(X)
        self._check_size(n)
        parts = rows_of_mode(self, X, tags, seed)
        n_threads = check_threads(self.n_jobs)
        similarity, _ = squared_distances(parts, n_threads=n_threads, verbose=self._show)
        if self.n_clusters == 1 or not similarity.any():  # or all items are alike
            self.n_clusters_, self.preference_, self.probes_ = 1, -np.inf, []
            return np.zeros(n, dtype=np.int64)
        if self.similarity == "gaussian":
            _to_gaussian(similarity)
        else:
            np.negative(similarity, out=similarity)
        _add_noise(similarity, seed)
        labels, exemplars = assign(similarity, self._search(similarity, n_threads))
        return _join(similarity, labels, exemplars, self.n_clusters)

    def _check_size(self, n: int) -> None:
        """Refuse what would take very long, and more memory than many machines have."""
        if n > self.max_items:
            raise ValueError(
                f"{n} items are more than max_items={self.max_items}. Affinity propagation holds"
                f" three numbers for each pair of items: {12e-9 * n * n:.1f} GB for these, and its"
                f" search would take about {_SECONDS * n * n / 60:.0f} minutes on one thread. Take"
                " fewer items, or raise max_items if that is what you want."
            )

    def _search(self, similarity: NDArray[np.float32], n_threads: int) -> NDArray[np.int64]:
        """Give the exemplars of the preference with the best number of them."""
        low, high = _limits(similarity)
        messages = Messages(similarity, damping=self.damping, n_threads=n_threads)
        search = _Search(self.n_clusters, low, high)
        with progress_bar("affinity propagation", self.max_probes, show=self._show) as update:
            for done in range(1, self.max_probes + 1):
                preference = search.preference()
                run = messages.run(preference, max_iter=self.max_iter, patience=self.patience)
                search.tell(preference, run)
                if update:
                    update(self.max_probes if search.found else done)
                if search.found:
                    break
        self.probes_ = search.probes
        if search.best is None:  # nobody ever stood for anyone
            raise RuntimeError(
                f"None of {len(self.probes_)} runs of affinity propagation found an exemplar within"
                f" max_iter={self.max_iter} iterations. Allow more of them."
            )
        self.preference_, exemplars = search.best
        self.n_clusters_ = len(exemplars)
        return exemplars


class _Search:
    """The bisection of preferences for a number of clusters."""

    def __init__(self, wanted: int, low: float, high: float) -> None:
        self.wanted = wanted
        self.probes: list[Probe] = []
        self.best: tuple[float, NDArray[np.int64]] | None = None
        self.found = False
        self._limits = low, high
        self._few, self._many = low, high  # preferences of at most and of more than `wanted`
        self._power: int | None = -4  # while the lower limit, which is far too low, is improved

    def preference(self) -> float:
        """Give what to try next."""
        if self._power is None:
            return (self._few + self._many) / 2
        low, high = self._limits
        return high - 10.0**self._power * (high - low)

    def tell(self, preference: float, run: Run) -> None:
        """Take note of what a preference gave."""
        count = len(run.exemplars)
        self.probes.append(Probe(preference, count, run.n_iter, run.converged))
        if count and (self.best is None or self._rank(count) < self._rank(len(self.best[1]))):
            self.best = preference, run.exemplars
        self.found = count == self.wanted
        if count > self.wanted:
            self._many = preference
            self._power = None if self._power is None else self._power + 1
        else:
            self._few, self._power = preference, None

    def _rank(self, count: int) -> tuple[int, int]:
        return abs(count - self.wanted), -count


def _to_gaussian(squares: NDArray[np.float32]) -> None:
    """Turn squared distances into affinities that adapt to how dense the items lie."""
    n = len(squares)
    scales = np.empty(n, dtype=squares.dtype)
    for rows in _blocks(n):  # the nearest of each row is the item itself
        scales[rows] = _scales(np.sqrt(np.sort(squares[rows], axis=1)[:, 1:]))
    for rows in _blocks(n):
        squares[rows] = np.exp(-squares[rows] / (scales[rows, None] * scales))


def _add_noise(similarity: NDArray[np.float32], seed: int) -> None:
    """Break ties."""
    rng = np.random.default_rng(seed)
    n = len(similarity)
    size = np.float32(_NOISE * abs(float(similarity.mean(dtype=np.float64))))
    for rows in _blocks(n):
        similarity[rows] += size * rng.standard_normal((rows.stop - rows.start, n), np.float32)


def _limits(similarity: NDArray[np.float32]) -> tuple[float, float]:
    """Give the preferences at which one exemplar is the best solution, and at which all items are.

    The lower limit is the net similarity of the best single exemplar minus that of the best two,
    or for many items minus a bound on it.
    """
    n = len(similarity)
    np.fill_diagonal(similarity, -np.inf)
    most = similarity.max(axis=1).astype(np.float64)
    np.fill_diagonal(similarity, 0.0)
    one = similarity.sum(axis=0, dtype=np.float64).max()
    if n > _PAIRS_TRIED:
        two = np.sort(most)[2:].sum()
    else:
        two = max(
            np.maximum(similarity[:, [first]], similarity[:, first + 1 :]).sum(axis=0).max()
            for first in range(n - 1)
        )
    return float(one - two), float(most.max())


def _join(
    similarity: NDArray[np.float32],
    labels: NDArray[np.int64],
    exemplars: NDArray[np.int64],
    n_clusters: int,
) -> NDArray[np.int64]:
    """Join clusters with the most similar exemplars until there are no more than `n_clusters`."""
    count = len(exemplars)
    near = similarity[np.ix_(exemplars, exemplars)]
    near = np.maximum(near, near.T)
    np.fill_diagonal(near, -np.inf)
    into, sizes = np.arange(count), np.bincount(labels, minlength=count)
    best = near.argmax(axis=1)
    for _ in range(count - n_clusters):
        one = int(near[np.arange(count), best].argmax())
        kept, gone = sorted((one, int(best[one])), key=lambda cluster: (-sizes[cluster], cluster))
        into[into == gone] = kept
        sizes[kept] += sizes[gone]
        near[gone], near[:, gone] = -np.inf, -np.inf
        stale = np.flatnonzero(best == gone)
        best[stale] = near[stale].argmax(axis=1)
    return np.asarray(into[labels])


def _blocks(n: int) -> Iterator[slice]:
    return (slice(start, min(start + _BLOCK, n)) for start in range(0, n, _BLOCK))
