"""The estimator: grow or take a forest, score the tags, suggest and predict."""

from __future__ import annotations

import numbers
from typing import TYPE_CHECKING, Any, Self, TypeAlias

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from conceptforest.checks import whole
from conceptforest.completion.affinity import AffinityRule
from conceptforest.completion.calibration import Calibration, HiddenTags, calibrate
from conceptforest.completion.cluster import ClusterRule
from conceptforest.completion.joint import JointRule
from conceptforest.completion.keep import blocks, keep_highest
from conceptforest.completion.local import LocalRule
from conceptforest.completion.own_tags import OwnTags
from conceptforest.completion.suggestions import (
    best_missing,
    check_items,
    closest_carriers,
    neighbours_that_carry,
    to_frame,
)
from conceptforest.forest import parameters
from conceptforest.forest.given import grown_forest, is_grown
from conceptforest.forest.hml_forest import HMLForest
from conceptforest.forest.inputs import check_features, check_tags
from conceptforest.progress import progress_bar
from conceptforest.structure.clustering import ConceptClustering
from conceptforest.tagged_estimator import TaggedEstimator
from conceptforest.tags import parse_tags
from conceptforest.tags.hiding import hide_tags
from conceptforest.tags.names import did_you_mean

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conceptforest.tags import TagMatrix

__all__ = ["TagCompletion"]

_METHODS = ("joint", "affinity", "local", "cluster")
_SHORT_NAMES = {"AM": "affinity", "LN": "local", "GC": "cluster"}  # the paper's
_OBSERVED = 0.6  # share of each item's tags that calibration leaves in sight


class TagCompletion(TaggedEstimator):
    """Finds tags that items lack, by their features, the tags that they have, and a forest.

    Parameters
    ----------
    method : {"joint", "affinity", "local", "cluster"}, default="joint"
        What the score of a tag comes from. "joint" is the best of the project's own; the others
        are the paper's.

        - "joint": a ridge regression of the tag on features and all other tags, in which the item
          took no part, joined with the votes of "affinity" by a weighted geometric mean (4 to 1);
        - "affinity": the `n_neighbors` items that share most leaves with an item, each by the share
          of trees that join them (HML-RF(AM));
        - "local": the items of each leaf; the score is the share of leaves in which all others
          carry the tag among those in which all or none do (HML-RF(LN));
        - "cluster": the other items of its cluster; the score is the share that carry the tag
          (HML-RF(GC)).
    forest : HMLForest or None, default=None
        A forest that was grown on the same items is used as it is. Of one that is not, a copy is
        grown. None grows ``HMLForest(bootstrap=True)``: items that a tree did not draw are put
        where their looks put them, not their own tags.
    n_clusters : int or None, default=None
        Clusters for method "cluster"; see :class:`~conceptforest.ConceptClustering`. If the forest
        is to be grown with a number of tag layers, they are estimated with as many topics,
        whatever the method.
    n_neighbors : int, default=20
        Neighbours in the forest that vote, and neighbours in the graph that "cluster" cuts.
    n_scores : int or None, default=100
        How many scores to keep for each item among the tags that it lacks; None keeps all.
    calibrate : bool or Calibration, default=False
        Turn scores into probabilities. Hides 40 % of each item's tags (of a single tag, none),
        grows a second forest of the same settings on the rest, and learns which share of the tags
        with a score were hidden ones. A probability then says how likely a tag that the item
        lacks is one that was left out, *if* tags were left out at the rate of the hiding. Tags
        that are right but were never given count as wrong, so it is cautious. The order of
        scores stays. The `calibration_` of an earlier fit is used as it is.
    random_state : int, RandomState instance or None, default=None
        Seed of the forest, unless it has its own, of the clusters and of the calibration.
    n_jobs : int or None, default=None
        Threads, as in scikit-learn. The scores do not depend on it.
    verbose : int, default=0
        1 shows progress bars.

    Attributes
    ----------
    scores_ : csr_array of shape (n_items, n_tags), float64
        For each item the `n_scores` highest positive scores among the tags that it lacks (of equal
        ones that of the more frequent tag, then of the lower column), and all positive scores of
        tags that it has. Each is computed as if the item did not have that tag. What is
        not stored is 0.
    forest_ : HMLForest
    clustering_ : ConceptClustering, for method "cluster"
    neighbors_ : csr_array of shape (n_items, n_items), for method "affinity"
        The affinities of those who vote.
    calibration_ : Calibration, when `calibrate`
        The map from scores to probabilities, and how well it does on items that it was not learned
        from.
    vocabulary_ : tuple of str
        Tag names, by column.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,), when X had names

    Examples
    --------
    >>> import conceptforest as cf
    >>> X = [[0.1], [0.2], [0.3], [0.8], [0.9], [1.0]]
    >>> tags = [{"sea", "boat"}, {"sea"}, {"sea"}, {"snow"}, {"snow", "ski"}, set()]
    >>> forest = cf.HMLForest(50, bootstrap=True)
    >>> completion = cf.TagCompletion(forest=forest, n_neighbors=2, random_state=0).fit(X, tags)
    >>> completion.suggest(n=1, items=[5])[["item", "tag"]].to_dict("records")
    [{'item': 5, 'tag': 'snow'}]
    """

    scores_: Any
    forest_: HMLForest
    clustering_: ConceptClustering
    neighbors_: Any
    calibration_: Calibration
    vocabulary_: tuple[str, ...]
    _tags: TagMatrix
    _rule: _Rule
    _n_scores: int | None

    def __init__(
        self,
        method: str = "joint",
        *,
        forest: HMLForest | None = None,
        n_clusters: int | None = None,
        n_neighbors: int = 20,
        n_scores: int | None = 100,
        calibrate: bool | Calibration = False,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.method = method
        self.forest = forest
        self.n_clusters = n_clusters
        self.n_neighbors = n_neighbors
        self.n_scores = n_scores
        self.calibrate = calibrate
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    @classmethod
    def paper(cls, method: str = "affinity", *, layers: Any = 5, **changes: Any) -> Self:
        """Make an estimator with the settings of the paper, whatever the defaults are.

        Parameters
        ----------
        method : {"affinity", "local", "cluster"}, default="affinity"
        layers : int or sequence of layers, default=5
            Tag layers of the forest. The paper uses five for a large set of flat tags, and two
            where the tags came in two.
        **changes
            Parameters that are to differ, and those that the paper does not speak of.

        Returns
        -------
        TagCompletion
            Not fitted.

        Examples
        --------
        >>> TagCompletion.paper("local", layers=2, random_state=0).forest.layers
        2
        """
        if method == "joint":
            raise ValueError(
                'method="joint" is not the paper\'s; that has "affinity", "local" and "cluster".'
            )
        settings: dict[str, Any] = {
            "forest": HMLForest.paper(bootstrap=True, layers=layers),
            "n_clusters": None,
            "n_neighbors": 20,
            "n_scores": 100,
            "calibrate": False,
        }
        return cls(method, **(settings | changes))

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "scores_")

    def _fit(self, X: Any, tags: Any) -> None:
        self._check_parameters()
        for name in ("clustering_", "neighbors_", "calibration_"):
            self.__dict__.pop(name, None)
        X = check_features(self, X, reset=True)
        parsed = check_tags(self, tags, X.shape[0])
        seeds = parameters.random_numbers(self.random_state).randint(0, 2**31 - 1, size=4)
        given = HMLForest(bootstrap=True) if self.forest is None else self.forest
        forest = self._grow(given, X, parsed, int(seeds[0]))
        rule = self._make_rule(forest, X, parsed, int(seeds[1]))
        scores = rule.seen(self.n_scores)
        if self.calibrate:
            if isinstance(self.calibrate, Calibration):
                self.calibration_ = self.calibrate
            else:
                self.calibration_ = self._calibrate(given, X, parsed, seeds[1:])
            scores.data = self.calibration_.map(scores.data)
        if isinstance(rule, AffinityRule):
            self.neighbors_ = rule.neighbours
        elif isinstance(rule, ClusterRule):
            self.clustering_ = rule.clustering
        self.forest_ = forest
        self.vocabulary_ = parsed.vocabulary
        self.scores_ = scores
        self._tags = parsed
        self._rule = rule
        self._n_scores = self.n_scores

    def _check_parameters(self) -> None:
        if self.method not in _METHODS:
            known = _SHORT_NAMES.get(str(self.method).upper())
            hint = f" Did you mean {known!r}?" if known else did_you_mean(self.method, _METHODS)
            raise ValueError(
                f'method must be "joint", "affinity", "local" or "cluster"; got {self.method!r}.'
                f"{hint}"
            )
        is_grown(self.forest)
        parameters.check_running(self)
        whole("n_neighbors", self.n_neighbors, 1)
        if self.n_clusters is not None:
            whole("n_clusters", self.n_clusters, 1)
        if self.n_scores is not None:
            whole("n_scores", self.n_scores, 1)
        if not isinstance(self.calibrate, bool | np.bool_ | Calibration):
            raise TypeError(
                "calibrate must be True, False or the calibration_ of an earlier fit; got"
                f" {self.calibrate!r}."
            )

    def _grow(self, forest: HMLForest, X: NDArray[Any], tags: TagMatrix, seed: int) -> HMLForest:
        return grown_forest(
            forest,
            X,
            tags,
            n_topics=self.n_clusters,
            seed=seed,
            n_jobs=self.n_jobs,
            verbose=int(self.verbose),
        )

    def _make_rule(self, forest: HMLForest, X: NDArray[Any], tags: TagMatrix, seed: int) -> _Rule:
        n_threads = parameters.n_threads(self.n_jobs)
        verbose = self.verbose > 0
        if self.method == "joint":
            return JointRule(
                forest,
                X,
                tags,
                n_neighbors=self.n_neighbors,
                n_threads=n_threads,
                seed=seed,
                verbose=verbose,
            )
        if self.method == "affinity":
            return AffinityRule(
                forest, tags, n_neighbors=self.n_neighbors, n_threads=n_threads, verbose=verbose
            )
        if self.method == "local":
            return LocalRule(forest, tags, n_threads=n_threads, verbose=verbose)
        clustering = ConceptClustering(
            self.n_clusters,
            method="forest",
            forest=forest,
            n_neighbors=self.n_neighbors,
            random_state=seed,
            n_jobs=self.n_jobs,
            verbose=self.verbose,
        )
        return ClusterRule(clustering.fit(X, tags), tags, verbose=verbose)

    def _calibrate(
        self, given: HMLForest, X: NDArray[Any], tags: TagMatrix, seeds: NDArray[Any]
    ) -> Calibration:
        """Hide tags, score them by a second forest, and learn what the scores mean."""
        rng = np.random.RandomState(seeds[1])
        shown = hide_tags(tags, _OBSERVED, random_state=rng)
        if shown.matrix.nnz == tags.matrix.nnz:
            raise ValueError(
                "calibrate=True hides some of the tags of each item, but no item has two tags, so"
                " there is nothing to hide. Use calibrate=False."
            )
        copy: HMLForest = clone(given)  # of a grown forest too: this one sees fewer tags
        forest = self._grow(copy, X, shown, int(seeds[2]))
        scores = self._make_rule(forest, X, shown, int(seeds[0])).seen(self.n_scores)
        return calibrate(HiddenTags.compare(scores, shown.matrix, tags.matrix), rng)

    def suggest(self, n: int = 5, min_score: float = 0.0, items: Any = None) -> Any:
        """List the tags that items most likely lack, and why.

        Parameters
        ----------
        n : int, default=5
            Most tags for an item.
        min_score : float, default=0.0
            Lowest score of a suggestion. Tags with a score of 0 are never suggested.
        items : array-like of int or None, default=None
            Item numbers; None means all.

        Returns
        -------
        pandas.DataFrame
            One row for each suggestion, with the columns

            - ``item``: its number;
            - ``tag``: the name of a tag that it lacks;
            - ``score``;
            - ``why``: up to five items that carry the tag, with their affinity to this one, as a
              list of (item, affinity), nearest first. For "affinity" they are those of the
              neighbours that voted, for "joint" and "local" those that share most leaves, and for
              "cluster" the nearest in the same cluster.

            Ordered by item, then by score; of equal scores the more frequent tag is first, then the
            one of the lower column.
        """
        check_is_fitted(self)
        whole("n", n, 1)
        if self._n_scores is not None and n > self._n_scores:
            raise ValueError(
                f"n={n}, but only the n_scores={self._n_scores} highest scores of each item were"
                " kept. Ask for fewer, or fit again with a larger n_scores."
            )
        if not _is_number(min_score):
            raise TypeError(f"min_score must be a number; got {min_score!r}.")
        asked = check_items(items, self._tags.n_items)
        found, columns, scores = best_missing(
            self.scores_, self._tags, asked, n=n, min_score=min_score
        )
        if isinstance(self._rule, AffinityRule):
            why = neighbours_that_carry(self._rule.neighbours, self._tags, found, columns)
        else:
            clustered = isinstance(self._rule, ClusterRule)
            why = closest_carriers(
                self.forest_,
                self._tags,
                found,
                columns,
                clusters=self.clustering_.labels_ if clustered else None,
                n_threads=parameters.n_threads(self.n_jobs),
                verbose=self.verbose > 0,
            )
        return to_frame(found, columns, scores, why, self.vocabulary_)

    def predict(self, X_new: Any, tags_new: Any = None) -> Any:
        """Score the tags of new items.

        For "joint", the tags that a new item comes with enter the regressions, like those of any
        item. Trees look at features alone, so they do not change where it ends; for the other
        methods they count by Bayes' rule, with vision and tags as two witnesses that know nothing
        of each other::

            odds(i | vision, tags) = odds(i | vision) * odds(i | tags) / odds(i)

        where ``P(i)`` is the frequency of i, ``P(i | tags)`` the mean over the item's other tags j
        of the share of training items with j that also have i, and ``P(i | vision)`` the score
        without tags as a share of the highest that is possible for the item, with a tenth of
        ``P(i)`` mixed in. What comes out is brought back to the scale of the score.

        Parameters
        ----------
        X_new : array-like of shape (n_new, n_features)
        tags_new : tag matrix or None, default=None
            Tags that the new items have, in any form that `fit` takes. Names must be known; a
            matrix has the columns of the one that was fitted. Items without tags are scored by
            vision.

        Returns
        -------
        csr_array of shape (n_new, n_tags), float64
            For each item the `n_scores` highest positive scores among the tags that it is not given
            with, and all positive scores of those that it is, each as if it were not. With
            `calibrate`, probabilities.
        """
        check_is_fitted(self)
        X = check_features(self, X_new, reset=False)
        if tags_new is None:
            own: Any = sparse.csr_array((X.shape[0], self._tags.n_tags), dtype=np.uint8)
        else:
            own = parse_tags(tags_new, vocabulary=self.vocabulary_, n_items=X.shape[0]).matrix
        joint = isinstance(self._rule, JointRule)
        evidence = OwnTags(self._tags) if own.nnz and not joint else None
        places: Any = self._rule.place(X)
        pieces = []
        with progress_bar("scoring tags", X.shape[0], show=self.verbose > 0) as update:
            for rows in blocks(X.shape[0], self._tags.n_tags):
                scores = self._score_new(places, rows, own[rows], evidence)
                pieces.append(keep_highest(scores, own[rows], self._tags.counts, self._n_scores))
                if update is not None:
                    update(rows.stop)
        return sparse.vstack(pieces, format="csr")

    def _score_new(self, places: Any, rows: slice, own: Any, evidence: OwnTags | None) -> Any:
        """Score all tags of some new items, in probabilities if there are any."""
        if isinstance(self._rule, JointRule):
            scores = self._rule.unseen(places, rows, own)
            if hasattr(self, "calibration_"):
                scores.data = self.calibration_.map(scores.data)
            return scores
        scores = self._rule.unseen(places, rows)
        full = self._rule.full_vote(places, rows)
        if hasattr(self, "calibration_"):
            scores.data = self.calibration_.map(scores.data)
            full[:] = 1.0  # probabilities need no scale
        return scores if evidence is None else evidence.join(scores, own, full)


_Rule: TypeAlias = JointRule | AffinityRule | LocalRule | ClusterRule


def _is_number(value: Any) -> bool:
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real):
        return False
    return not np.isnan(float(value))
