"""Tags by recovering a matrix of low rank that is smooth over items that look alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from conceptforest.baselines.contract import CompletionBaseline, check_threads
from conceptforest.baselines.gaussian_graph import gaussian_graph
from conceptforest.baselines.numbers import number_between
from conceptforest.baselines.tag_recovery import Recovery
from conceptforest.checks import whole
from conceptforest.structure.graph import degrees
from conceptforest.structure.visual_neighbours import nearest_items

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conceptforest.tags import TagMatrix

__all__ = ["TCMR"]

_FLOOR = 1e-3  # of a chance, times the number of tags
_SCALE_NEIGHBOUR = 7  # whose distance is a new item's scale
_TRIED = ((10.0, 0.3), (3.0, 0.3), (30.0, 0.3), (10.0, 0.1), (30.0, 1.0), (1.0, 0.1))


class TCMR(CompletionBaseline):
    """Score a tag by its chance in a matrix of low rank, smooth over items that look alike.

    The tags of an item are seen as drawn from chances of its own, which sum up to 1. The chances
    of all items make observed tags likely, differ little between items that look alike, and are
    mixtures of few patterns: the sum of singular values is penalised. An item without tags is
    filled in by the last two alone. All tags decide on all chances, so none is scored as if its
    item lacked it. A new item gets the mean chances of items that look like it, and tags that it
    comes with do not count.

    Parameters
    ----------
    smoothness : float, default=10.0
        How much items that look alike are drawn together, by a graph whose mean degree is 1.
    rank_penalty : float, default=0.3
        How much singular values are penalised, in units of the root of the number of items, so
        that it means the same for collections of any size.
    n_neighbors : int, default=20
        Most similar items to which the graph joins each item.
    max_iter : int, default=200
        Steps at most; it ends when the objective falls by less than 1e-5 of itself.
    tune : bool, default=True
        Choose `smoothness` and `rank_penalty` by hidden observed tags, from those given and five
        other pairs.
    n_scores : int or None, default=100
        Scores to keep of each item among tags that it lacks; None keeps all.
    random_state : int, RandomState instance or None, default=None
        Hides tags for `tune`, and chooses among equal distances.
    n_jobs : int or None, default=None
        Threads, as in scikit-learn. The scores do not depend on it.
    verbose : int, default=0
        1 shows progress.

    Attributes
    ----------
    scores_ : csr_array of shape (n_items, n_tags), float64
        The highest chances of tags that an item lacks.
    objective_ : list of float
        What is minimised, before the first step and after each.

    Examples
    --------
    >>> X = [[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.1, 0.9], [0.2, 0.8]]
    >>> tags = [{"sea"}, {"sea"}, {"snow"}, {"snow"}, None]
    >>> method = TCMR(n_neighbors=2, tune=False).fit(X, tags)
    >>> sea, snow = method.scores_.toarray()[4]
    >>> bool(snow > sea)
    True
    """

    title = "TCMR"
    source = "Feng, Feng, Jin and Jain 2014"
    grade = "structure"
    scores_own = False
    objective_: list[float]

    def __init__(
        self,
        smoothness: float = 10.0,
        rank_penalty: float = 0.3,
        *,
        n_neighbors: int = 20,
        max_iter: int = 200,
        tune: bool = True,
        n_scores: int | None = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.smoothness = smoothness
        self.rank_penalty = rank_penalty
        self.n_neighbors = n_neighbors
        self.max_iter = max_iter
        self.tune = tune
        self.n_scores = n_scores
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        number_between("smoothness", self.smoothness, 0)
        number_between("rank_penalty", self.rank_penalty, 0)
        whole("n_neighbors", self.n_neighbors, 1)
        whole("max_iter", self.max_iter, 1)

    def _candidates(self) -> list[dict[str, Any]]:
        given = (self.smoothness, self.rank_penalty)
        others = [pair for pair in _TRIED if pair != given]
        return [{"smoothness": a, "rank_penalty": e} for a, e in (given, *others[:5])]

    def _learn(self, X: NDArray[Any], tags: TagMatrix, seed: int) -> None:
        self._X, self._seed = X, seed
        self._n_tags, self._columns = tags.n_tags, np.flatnonzero(tags.counts)
        matrix: Any = tags.matrix[:, self._columns]
        n_threads = check_threads(self.n_jobs)
        with threadpool_limits(n_threads):
            laplacian = _laplacian(gaussian_graph(X, self.n_neighbors, seed=seed))
        recovery = Recovery(
            matrix,
            laplacian,
            smoothness=self._setting("smoothness"),
            rank_penalty=self._setting("rank_penalty") * np.sqrt(len(X)),
            floor=_FLOOR / matrix.shape[1],
            n_threads=n_threads,
        )
        self._chances = recovery.solve(self.max_iter, show=self._show)
        self.objective_ = recovery.values

    def _score_fitted(self, rows: slice) -> NDArray[np.float64]:
        return self._spread(self._chances[rows])

    def _score_new(self, X: NDArray[Any], known: Any) -> NDArray[np.float64]:
        del known
        k = min(max(self.n_neighbors, _SCALE_NEIGHBOUR), len(self._X))
        with threadpool_limits(check_threads(self.n_jobs)):
            indices, distances = nearest_items(X, self._X, k, seed=self._seed)
        scale = distances[:, [min(_SCALE_NEIGHBOUR, k) - 1]]
        indices, distances = indices[:, : self.n_neighbors], distances[:, : self.n_neighbors]
        apart = np.divide(distances, scale, out=np.zeros_like(distances), where=scale > 0)
        weights = np.exp(-(apart**2))
        weights /= weights.sum(axis=1, keepdims=True)
        places = np.repeat(np.arange(len(X)), indices.shape[1]), indices.ravel()
        votes: Any = sparse.csr_array((weights.ravel(), places), shape=(len(X), len(self._X)))
        return self._spread(votes @ self._chances)

    def _spread(self, chances: NDArray[np.float64]) -> NDArray[np.float64]:
        """Put the chances of tags that occur into the columns of all tags."""
        scores = np.zeros((len(chances), self._n_tags))
        scores[:, self._columns] = chances
        return scores


def _laplacian(graph: Any) -> Any:
    """Give the Laplacian of a graph, scaled so that the mean degree is 1."""
    degree = degrees(graph)
    mean = degree.mean() or 1.0
    return sparse.csr_array(sparse.diags_array(degree / mean) - graph / mean)
