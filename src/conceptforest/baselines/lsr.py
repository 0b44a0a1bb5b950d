"""Tags by sparse reconstructions of items from items, and of tags from tags."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from conceptforest.baselines.contract import CompletionBaseline, check_threads
from conceptforest.baselines.image_dictionary import MOST_AT_ONCE, ImageDictionary, unit_rows
from conceptforest.baselines.numbers import number_between, positive_number
from conceptforest.baselines.sparse_codes import sparse_codes
from conceptforest.checks import whole
from conceptforest.progress import progress_bar

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from conceptforest.tags import TagMatrix

__all__ = ["LSR"]

_SECONDS = 2.1e-6  # for a pair of items, on a core: 5.9 s for 1,678 items
_CELLS = 2**19  # numbers in a block of tags: 4 MB
_TRIED = (  # tag_weight, image_share, penalty
    (1.0, 0.5, 0.1),
    (1.0, 0.8, 0.1),
    (0.1, 0.5, 0.1),
    (0.1, 0.8, 0.1),
    (0.1, 0.8, 0.03),
    (0.01, 0.8, 0.1),
)


class LSR(CompletionBaseline):
    """Score a tag by linear sparse reconstructions of the item and of the tag.

    The features and the tags of an item, side by side, are written as a sum of few other items:
    squared differences plus a penalty on the sizes of coefficients. The same sum of their tags is
    the item's first set of scores. An item without tags is reconstructed by its features alone:
    that it has none says nothing. Each tag, as the list of items that carry it, is written as a
    sum of few other tags, which gives the second. Both are brought to the range from 0 to 1 for
    each item, and averaged. As the tags of an item decide on its reconstruction, no tag is scored
    as if its item lacked it. A new item is reconstructed from the collection, by the tags that it
    comes with too.

    Parameters
    ----------
    tag_weight : float, default=1.0
        How much the squared differences of tags count against those of features, both of length
        1 for each item.
    image_share : float, default=0.5
        Weight of the reconstruction of items in the average; the rest is that of tags.
    penalty : float, default=0.1
        Of coefficients of items, as a share of the penalty from which on all would be 0.
    tag_penalty : float, default=0.1
        The same for coefficients of tags.
    n_atoms : int or None, default=500
        Other items that may take part in the sum: the nearest by features and tags. None takes
        all, for up to 20,000 items.
    positive : bool, default=False
        Allow no negative coefficients.
    tune : bool, default=True
        Choose `tag_weight`, `image_share` and `penalty` by hidden observed tags, from those given
        and five other settings.
    n_scores : int or None, default=100
        Scores to keep of each item among tags that it lacks; None keeps all.
    n_jobs : int or None, default=None
        Threads, as in scikit-learn. The scores do not depend on it.
    random_state : int, RandomState instance or None, default=None
        Hides tags for `tune`; nothing else is drawn.
    verbose : int, default=0
        1 shows progress.

    Attributes
    ----------
    scores_ : csr_array of shape (n_items, n_tags), float64
        The highest scores of tags that an item lacks, from 0 to 1.
    item_codes_ : csr_array of shape (n_items, n_items), float64
        Coefficients of other items in the sum for each item.
    tag_codes_ : csr_array of shape (n_tags, n_tags), float64
        Coefficients of tags in the sum for each tag, by column.

    Examples
    --------
    >>> X = [[1.0, 0.0], [1.0, 0.0], [0.0, 1.0], [0.1, 1.0]]
    >>> tags = [{"sea", "boat"}, {"boat"}, {"snow"}, {"snow"}]
    >>> method = LSR(tune=False).fit(X, tags)
    >>> sea, snow = method.scores_[[1]].toarray()[0, 1:]
    >>> bool(sea > snow)
    True
    """

    title = "LSR"
    source = "Lin, Ding, Hu, Wang and Ye 2013"
    grade = "structure"
    scores_own = False
    item_codes_: Any
    tag_codes_: Any

    def __init__(
        self,
        tag_weight: float = 1.0,
        image_share: float = 0.5,
        penalty: float = 0.1,
        *,
        tag_penalty: float = 0.1,
        n_atoms: int | None = 500,
        positive: bool = False,
        tune: bool = True,
        n_scores: int | None = 100,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.tag_weight = tag_weight
        self.image_share = image_share
        self.penalty = penalty
        self.tag_penalty = tag_penalty
        self.n_atoms = n_atoms
        self.positive = positive
        self.tune = tune
        self.n_scores = n_scores
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def _check_parameters(self) -> None:
        number_between("tag_weight", self.tag_weight, 0)
        number_between("image_share", self.image_share, 0, 1)
        positive_number("penalty", self.penalty)
        positive_number("tag_penalty", self.tag_penalty)
        if self.n_atoms is not None:
            whole("n_atoms", self.n_atoms, 1)

    def _candidates(self) -> list[dict[str, Any]]:
        given = (self.tag_weight, self.image_share, self.penalty)
        others = [one for one in _TRIED if one != given]
        names = ("tag_weight", "image_share", "penalty")
        return [dict(zip(names, one, strict=True)) for one in (given, *others[:5])]

    def _choose(
        self, X: NDArray[Any], tags: TagMatrix, seed: int
    ) -> tuple[dict[str, Any], list[float]]:
        n = len(X)
        if (self.n_atoms or n) > MOST_AT_ONCE < n:  # said before time is spent on candidates
            raise ValueError(
                f"n_atoms={self.n_atoms} reconstructs each item from nearly all others. For {n}"
                f" items this would take about {_SECONDS * n**2 / 60:.0f} minutes of a core and"
                f" hold {4e-9 * n**2:.1f} GB of products; up to {MOST_AT_ONCE} items are allowed."
                " Give a number of nearest items, such as n_atoms=500."
            )
        return super()._choose(X, tags, seed)

    def _learn(self, X: NDArray[Any], tags: TagMatrix, seed: int) -> None:
        del seed
        self._n_tags, self._columns = tags.n_tags, np.flatnonzero(tags.counts)
        self._matrix: Any = tags.matrix[:, self._columns].astype(np.float64)
        self._looks, self._words = unit_rows(X), unit_rows(self._matrix)

        def codes_of(members: NDArray[np.int64], items: ImageDictionary) -> Any:
            return items.codes_of_members(members, check_threads(self.n_jobs), show=self._show)

        self.item_codes_ = self._by_kind(self._matrix, codes_of)
        self._tag_codes = _codes_of_tags(
            self._matrix, self.tag_penalty, positive=self.positive, show=self._show
        )
        entries = self._tag_codes.tocoo()
        places = self._columns[entries.row], self._columns[entries.col]
        shape = (tags.n_tags, tags.n_tags)
        self.tag_codes_ = sparse.csr_array((entries.data, places), shape=shape)

    def _score_fitted(self, rows: slice) -> NDArray[np.float64]:
        return self._score(self.item_codes_[rows], self._matrix[rows])

    def _score_new(self, X: NDArray[Any], known: Any) -> NDArray[np.float64]:
        known = known[:, self._columns].astype(np.float64)
        looks, words = unit_rows(X), unit_rows(known)

        def codes_of(rows: NDArray[np.int64], items: ImageDictionary) -> Any:
            return items.codes_of(looks[rows], words[rows])

        return self._score(self._by_kind(known, codes_of), known)

    def _by_kind(
        self, known: Any, codes_of: Callable[[NDArray[np.int64], ImageDictionary], Any]
    ) -> Any:
        """Reconstruct items with the tags `known`, those without tags by features alone."""
        tagged = np.diff(known.indptr) > 0
        kinds = np.flatnonzero(tagged), np.flatnonzero(~tagged)
        found = []
        for rows, tag_weight in zip(kinds, (self._setting("tag_weight"), 0.0), strict=True):
            items = ImageDictionary(
                self._looks,
                self._words,
                tag_weight=tag_weight,
                n_atoms=len(self._looks) if self.n_atoms is None else self.n_atoms,
                penalty=self._setting("penalty"),
                positive=self.positive,
            )
            found.append(codes_of(rows, items))
        return sparse.vstack(found, format="csr")[np.argsort(np.concatenate(kinds))]

    def _score(self, codes: Any, known: Any) -> NDArray[np.float64]:
        """Merge both views of items with the tags `known`."""
        share = self._setting("image_share")
        by_items = (codes @ self._words).toarray()
        by_tags = (known @ self._tag_codes).toarray()
        scores = np.zeros((len(by_items), self._n_tags))
        scores[:, self._columns] = share * _ranged(by_items) + (1 - share) * _ranged(by_tags)
        return scores


def _codes_of_tags(matrix: Any, penalty: float, *, positive: bool, show: bool) -> Any:
    """Reconstruct each tag from the others; give coefficients of a tag by column, CSR."""
    together: Any = sparse.csr_array(matrix.T @ matrix)
    m, counts = matrix.shape[1], together.diagonal()
    step = max(1, _CELLS // m)

    def gram_rows(_: NDArray[np.int64], atoms: NDArray[np.int64]) -> NDArray[np.float64]:
        return np.asarray(together[atoms].toarray())

    found = []
    with progress_bar("reconstructing tags", m, show=show) as update:
        for start in range(0, m, step):
            linear = together[start : start + step].toarray()
            itself = np.arange(len(linear)), start + np.arange(len(linear))
            linear[itself] = 0.0
            limits = np.repeat(penalty * linear.max(axis=1, keepdims=True), m, axis=1)
            limits[itself] = np.inf
            codes = sparse_codes(linear, counts, gram_rows, limits, positive=positive)
            found.append(sparse.csr_array(codes))
            if update:
                update(start + len(linear))
    return sparse.csr_array(sparse.vstack(found).T)


def _ranged(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Bring the scores of each item to the range from 0 to 1; equal ones are all 0."""
    least = scores.min(axis=1, keepdims=True)
    width = scores.max(axis=1, keepdims=True) - least
    np.divide(scores - least, width, out=scores, where=width > 0)
    scores[width[:, 0] <= 0] = 0.0
    return scores
