"""The estimator of tag layers: which tags stand for topics, and which are only words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from conceptforest.checks import whole
from conceptforest.tags import outline
from conceptforest.tags.hierarchy_text import write_topics, write_tree
from conceptforest.tags.matrix import parse_tags
from conceptforest.tags.topics import estimate_layers, k_means_topics

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    import pandas as pd
    from numpy.typing import NDArray

    from conceptforest.tags.topics import TopicRows

__all__ = ["TagHierarchy"]

MAX_TOPICS = 30


class TagHierarchy(BaseEstimator):  # type: ignore[misc]
    """Layers of tags, from abstract to specific, found in the tags of a collection.

    A tag is abstract here if it stands for a topic of the collection: it is frequent among items
    that belong together and rare elsewhere. Items are grouped into topics by k-means on their
    weighed tags, every topic puts its best tags into the layer, and the same is done again with the
    tags that remain; the last layer takes the rest.

    Weights are tf-idf: a tag's weight is ``ln(n / df)`` for `n` items, of which `df` carry it, and
    each item's weights have length 1. A tag's score in a topic is the sum of its weights over the
    topic's items; equal scores go by number of items, then by column. Both `n` and `df` count the
    items that have a tag that remains. So a tag on every one of them scores 0 and is not picked,
    and a tag on no item ends in the last layer.

    Parameters
    ----------
    n_layers : int, default=2
        Most layers to make. Where the tags run out before, there are fewer, and no layer is empty.
    n_topics : int or None, default=None
        Topics in a layer, at most the number of different sets of tags. None means at most 30: with
        three tags a topic, layers 1 to 4 then hold up to 90, 180, 270 and 360 tags, so that five
        layers take in a vocabulary of a thousand, as in the paper's experiments. Where the number
        of concepts is known, that is the better number.
    top : int, default=3
        Tags picked for each topic in layer 1. Layer 2 takes twice as many, layer 3 three times, as
        hierarchies widen towards the specific.
    n_init : int, default=10
        Starts of k-means, of which the best counts.
    random_state : int, RandomState instance or None, default=None
        Seed of k-means.

    Attributes
    ----------
    layers_ : tuple of ndarray, int32
        Columns of the tags of each layer, ascending.
    vocabulary_ : tuple of str, length n_tags
        Tag names, by column.
    counts_ : ndarray of shape (n_tags,), int64
        Items per tag; all 0 where the hierarchy came from outside.
    scores_ : ndarray of shape (n_tags,), float64
        The best score by which a tag was picked, 0 for those that were not.
    topics_ : tuple of tuple of tuple of int
        For each layer that was picked, the tags of its topics as columns, best first; the largest
        topic first. A tag may be in several topics.
    topic_sizes_ : tuple of tuple of int
        Items in each of these topics.

    See Also
    --------
    HMLForest : Takes a hierarchy, or a number of layers to estimate, as `layers`.

    Examples
    --------
    >>> import conceptforest as cf
    >>> tags = [{"race", "car", "people"}, {"race", "car"}, {"race", "car", "sky"}]
    >>> tags += [{"race", "car"}, {"beach", "sea", "sky"}, {"beach", "sea", "people"}]
    >>> tags += [{"beach", "sea"}]
    >>> hierarchy = cf.TagHierarchy(n_topics=2, top=2, random_state=0).fit(tags)
    >>> print(hierarchy.to_text())
    6 tags in 2 layers, each tag with its number of items
    <BLANKLINE>
    Layer 1: 4 tags of 2 topics
    ├─ 4 items  car 4, race 4
    └─ 3 items  beach 3, sea 3
    <BLANKLINE>
    Layer 2: 2 tags
    └─ people 2, sky 2

    Tags that are organised already need no estimation:

    >>> cf.TagHierarchy.from_paths(["animal|dog", "animal|cat"]).layers_
    (array([0], dtype=int32), array([1, 2], dtype=int32))
    """

    layers_: tuple[NDArray[np.int32], ...]
    vocabulary_: tuple[str, ...]
    counts_: NDArray[np.int64]
    scores_: NDArray[np.float64]
    topics_: tuple[tuple[tuple[int, ...], ...], ...]
    topic_sizes_: tuple[tuple[int, ...], ...]
    _best_topic: NDArray[np.int32]  # number of a tag's best topic from 1, 0 for none
    _parents: NDArray[np.int32] | None  # of a hierarchy from outside

    def __init__(
        self,
        n_layers: int = 2,
        *,
        n_topics: int | None = None,
        top: int = 3,
        n_init: int = 10,
        random_state: Any = None,
    ) -> None:
        self.n_layers = n_layers
        self.n_topics = n_topics
        self.top = top
        self.n_init = n_init
        self.random_state = random_state

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "layers_")

    def fit(self, tags: Any, y: Any = None) -> Self:  # noqa: ARG002 - scikit-learn passes y
        """Find the layers of a collection's tags.

        Parameters
        ----------
        tags : tag matrix
            What each item is tagged with: a SciPy sparse or NumPy 0/1 matrix of shape
            (n_items, n_tags), a list of sets of strings, or a pandas or polars table, long
            (`item`, `tag`) or wide.
        y : None
            Not used.

        Returns
        -------
        TagHierarchy
            The hierarchy itself.
        """
        self._check_parameters()
        parsed = parse_tags(tags)
        if not parsed.matrix.nnz:
            raise ValueError(
                f"None of the {parsed.n_items} items has a tag, so there are no topics to find. "
                "Check that the tags belong to this collection, with 1 for a tag that is present. "
                "A hierarchy that exists already needs no items: see TagHierarchy.from_parents, "
                "from_paths and from_json."
            )
        root = int(check_random_state(self.random_state).randint(0, 2**31 - 1))

        def cluster(number: int, rows: TopicRows, n_topics: int) -> NDArray[Any]:
            seed = int(np.random.SeedSequence((root, number)).generate_state(1)[0])
            return k_means_topics(rows, n_topics, n_init=int(self.n_init), seed=seed)

        layers, found = estimate_layers(
            parsed.matrix,
            n_layers=int(self.n_layers),
            n_topics=MAX_TOPICS if self.n_topics is None else int(self.n_topics),
            top=int(self.top),
            cluster=cluster,
        )
        scores = np.zeros(parsed.n_tags)
        best = np.zeros(parsed.n_tags, dtype=np.int32)
        for topics in found:
            for number, topic in enumerate(topics, start=1):
                for j, score in zip(topic.tags, topic.scores, strict=True):
                    if score > scores[j]:
                        scores[j], best[j] = score, number
        self.layers_ = layers
        self.vocabulary_ = parsed.vocabulary
        self.counts_ = parsed.counts
        self.scores_ = scores
        self.topics_ = tuple(tuple(topic.tags for topic in topics) for topics in found)
        self.topic_sizes_ = tuple(tuple(topic.size for topic in topics) for topics in found)
        self._best_topic = best
        self._parents = None
        return self

    @classmethod
    def from_parents(cls, table: Any) -> Self:
        """Make a hierarchy of a table that names each tag's parent.

        A tag's layer is its depth, 1 for a root. A tag has one parent: with two, or as a root and
        below another, it is refused, as are circles.

        Parameters
        ----------
        table : pandas or polars table, or sequence of pairs
            Columns `tag` and `parent`, or pairs in this order. A null or empty parent makes a
            root, and so is a parent that is not listed as a tag.

        Returns
        -------
        TagHierarchy
            Fitted, with scores and counts of 0.

        Examples
        --------
        >>> pairs = [("animal", None), ("dog", "animal"), ("cat", "animal"), ("puppy", "dog")]
        >>> print(TagHierarchy.from_parents(pairs).to_text())
        4 tags in 3 layers
        <BLANKLINE>
        animal
        ├─ dog
        │  └─ puppy
        └─ cat
        """
        return cls._from_outline(outline.read_parents(table))

    @classmethod
    def from_paths(cls, paths: Iterable[str], separator: str = "|") -> Self:
        """Make a hierarchy of paths such as ``animal|dog|puppy``.

        These are the hierarchical keywords of Lightroom and, with ``separator="/"``, the tag paths
        of digiKam. A tag's layer is its place in the path; the tags on the way need no path of
        their own. A name in two places is refused, as items carry names and not paths.

        Parameters
        ----------
        paths : iterable of str
        separator : str, default="|"

        Returns
        -------
        TagHierarchy
            Fitted, with scores and counts of 0.

        Examples
        --------
        >>> hierarchy = TagHierarchy.from_paths(["place/Europe/Rome", "event"], separator="/")
        >>> hierarchy.vocabulary_, [layer.tolist() for layer in hierarchy.layers_]
        (('place', 'Europe', 'Rome', 'event'), [[0, 3], [1], [2]])
        """
        return cls._from_outline(outline.read_paths(paths, separator))

    @classmethod
    def from_json(cls, source: str | os.PathLike[str] | Any) -> Self:
        """Make a hierarchy of a nested tree, in a JSON file or already read.

        A tag's layer is its depth. A name in two places is refused.

        Parameters
        ----------
        source : path, mapping or list
            ``{"animal": {"dog": {}, "cat": {}}}``, or with lists for leaves
            ``{"animal": ["dog", "cat"]}``, or with names and children
            ``{"name": "animal", "children": [{"name": "dog"}, {"name": "cat"}]}``, whose root is a
            tag too. A string is the path of a file.

        Returns
        -------
        TagHierarchy
            Fitted, with scores and counts of 0.

        Examples
        --------
        >>> hierarchy = TagHierarchy.from_json({"animal": ["dog", "cat"], "scene": None})
        >>> hierarchy.vocabulary_, [layer.tolist() for layer in hierarchy.layers_]
        (('animal', 'scene', 'dog', 'cat'), [[0, 1], [2, 3]])
        """
        return cls._from_outline(outline.read_json(source))

    @classmethod
    def _from_outline(cls, found: outline.Outline) -> Self:
        hierarchy = cls(n_layers=len(found.layers))
        n_tags = len(found.vocabulary)
        hierarchy.layers_ = found.layers
        hierarchy.vocabulary_ = found.vocabulary
        hierarchy.counts_ = np.zeros(n_tags, dtype=np.int64)
        hierarchy.scores_ = np.zeros(n_tags)
        hierarchy.topics_ = ()
        hierarchy.topic_sizes_ = ()
        hierarchy._best_topic = np.zeros(n_tags, dtype=np.int32)
        hierarchy._parents = found.parents
        return hierarchy

    def to_frame(self) -> pd.DataFrame:
        """Give the tags as a table, layer by layer, best score first.

        Returns
        -------
        DataFrame
            Columns `tag`, `layer` (from 1), `topic` (the tag's best, from 1 for the largest topic
            of the layer; missing for a tag that no topic picked), `score` and `count`.

        Examples
        --------
        >>> tags = [{"sea", "boat"}, {"sea", "boat"}, {"snow"}, {"snow", "boat"}]
        >>> TagHierarchy(n_topics=2, top=1, random_state=0).fit(tags).to_frame()
            tag  layer  topic     score  count
        0  snow      1      1  1.923610      2
        1   sea      1      2  1.847221      2
        2  boat      2   <NA>  0.000000      3
        """
        import pandas as pd

        check_is_fitted(self)
        layer = np.empty(len(self.vocabulary_), dtype=np.int64)
        for number, columns in enumerate(self.layers_, start=1):
            layer[columns] = number
        order = np.lexsort((-self.counts_, -self.scores_, layer))
        topic = pd.array(self._best_topic[order], dtype="Int64")
        topic[self._best_topic[order] == 0] = pd.NA
        return pd.DataFrame(
            {
                "tag": [self.vocabulary_[j] for j in order],
                "layer": layer[order],
                "topic": topic,
                "score": self.scores_[order],
                "count": self.counts_[order],
            }
        )

    def to_text(self, max_tags: int = 20) -> str:
        """Give the hierarchy as text to print: layers, topics, and tags with their items.

        A hierarchy from outside is written as the tree that it is.

        Parameters
        ----------
        max_tags : int, default=20
            Most tags to show of each topic, of the last layer, or below each tag of a tree.

        Returns
        -------
        str
        """
        check_is_fitted(self)
        whole("max_tags", max_tags, 1)
        if self._parents is not None:
            return write_tree(self.vocabulary_, self._parents, len(self.layers_), max_tags)
        by_count = [
            layer[np.argsort(-self.counts_[layer], kind="stable")] for layer in self.layers_
        ]
        topics = [
            list(zip(sizes, found, strict=True))
            for sizes, found in zip(self.topic_sizes_, self.topics_, strict=True)
        ]
        return write_topics(self.vocabulary_, self.counts_, by_count, topics, max_tags)

    def _check_parameters(self) -> None:
        whole("n_layers", self.n_layers, 1)
        whole("top", self.top, 1)
        whole("n_init", self.n_init, 1)
        if self.n_topics is not None:
            whole("n_topics", self.n_topics, 1, " or None")
        try:
            check_random_state(self.random_state)
        except ValueError as error:
            raise ValueError(
                "random_state must be a whole number from 0 to 2**32 - 1, a numpy RandomState or"
                f" None; got {self.random_state!r}."
            ) from error
