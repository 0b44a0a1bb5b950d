"""What the page shows, as plain Python and NumPy, and the check that it fits together."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

__all__ = ["ClusterInfo", "DuplicateGroup", "ReportData", "Suggestion", "check"]

Kind = Literal["image", "video", "item"]


@dataclass(frozen=True)
class ClusterInfo:
    """A group of items that share a concept.

    Attributes
    ----------
    name : str
    size : int
        Number of items.
    tags : sequence of (tag, lift, share)
        What is characteristic, best first: how many times more frequent the tag is here than in
        the whole collection, and the share of the items here that carry it.
    central : sequence of int
        Its most typical items, best first.
    cohesion : float
        How much its items are alike, from 0 to 1.
    """

    name: str
    size: int
    tags: Sequence[tuple[str, float, float]]
    central: Sequence[int]
    cohesion: float


@dataclass(frozen=True)
class Suggestion:
    """A tag that an item seems to lack.

    Attributes
    ----------
    tag : str
    probability : float
        Or a score from 0 to 1, where the report is not `calibrated`.
    voters : sequence of (item, affinity)
        Items that carry the tag and speak for it, nearest first.
    """

    tag: str
    probability: float
    voters: Sequence[tuple[int, float]] = ()


@dataclass(frozen=True)
class DuplicateGroup:
    """Items that are nearly the same.

    Attributes
    ----------
    items : sequence of int
    similarity : float
        From 0 to 1.
    """

    items: Sequence[int]
    similarity: float


@dataclass(frozen=True, eq=False, repr=False)
class ReportData:
    """All that a report shows.

    Attributes
    ----------
    title : str
    names : sequence of str, length n_items
    links : sequence of (str or None), length n_items
        Paths from the report's folder to the originals, with "/" between their parts. They are
        paths, not addresses: whatever is special in an address is encoded here.
    kinds : sequence of "image", "video" or "item", length n_items
    thumbnails : function of an item
        Gives the bytes of a WebP, JPEG or PNG picture, its width and its height, or None where
        there is no picture. It is called once for each item, in order.
    tags : sequence of sequences of str, length n_items
        Observed tags.
    labels : ndarray of shape (n_items,), int
        The item's cluster, an index of `clusters`.
    clusters : sequence of ClusterInfo
    layers : sequence of sequences of str
        Tags from abstract to specific.
    tag_counts : mapping of tag to int
        Number of items with the tag. Tags that are named elsewhere but not here count 0.
    tree : sequence of (tag, parent or None)
        The hierarchy of tags; each tag once, and its parent somewhere in the sequence.
    relations : sequence of (tag, tag, lift, n_both, "together" or "apart")
        How many times more often than by chance two tags meet, and how often that is.
    suggestions : sequence of sequences of Suggestion, length n_items
    neighbours : sequence of sequences of (item, affinity), length n_items
        Nearest first.
    positions : ndarray of shape (n_items, 2), float
        Places on the map.
    duplicates : sequence of DuplicateGroup
    outliers : sequence of (item, reason)
    skipped : sequence of (name, reason)
    notes : sequence of str
    facts : sequence of (label, value)
        The headline numbers.
    scores : sequence of (label, value, hint)
        How well the truth was met, where it is known.
    command : str
        How to make this report again.
    calibrated : bool
        Whether the numbers of suggestions are probabilities. Where they are not, the page calls
        them scores, and writes 0.23 instead of 23 %.
    """

    title: str
    names: Sequence[str]
    links: Sequence[str | None]
    kinds: Sequence[Kind]
    thumbnails: Callable[[int], tuple[bytes, int, int] | None]
    tags: Sequence[Sequence[str]]
    labels: NDArray[np.integer[Any]]
    clusters: Sequence[ClusterInfo]
    tag_counts: Mapping[str, int]
    suggestions: Sequence[Sequence[Suggestion]]
    neighbours: Sequence[Sequence[tuple[int, float]]]
    positions: NDArray[np.floating[Any]]
    layers: Sequence[Sequence[str]] = ()
    tree: Sequence[tuple[str, str | None]] = ()
    relations: Sequence[tuple[str, str, float, int, Literal["together", "apart"]]] = ()
    duplicates: Sequence[DuplicateGroup] = ()
    outliers: Sequence[tuple[int, str]] = ()
    skipped: Sequence[tuple[str, str]] = ()
    notes: Sequence[str] = ()
    facts: Sequence[tuple[str, str]] = ()
    scores: Sequence[tuple[str, float, str]] = field(default=())
    command: str = ""
    calibrated: bool = True

    def __repr__(self) -> str:
        return (
            f"<ReportData {self.title!r}: {self.n_items:,} items, {len(self.tag_counts):,} tags,"
            f" {len(self.clusters):,} clusters>"
        )

    @property
    def n_items(self) -> int:
        """Number of items."""
        return len(self.names)


def check(data: ReportData) -> None:
    """Check that the parts of a report speak of the same items.

    Parameters
    ----------
    data : ReportData

    Raises
    ------
    ValueError
        If lengths differ, an item or a cluster does not exist, or a number is not finite.
    """
    n = data.n_items
    for name in ("links", "kinds", "tags", "suggestions", "neighbours"):
        length = len(getattr(data, name))
        if length != n:
            raise ValueError(f"{name} must have one entry for each of the {n} names; got {length}.")
    if data.positions.shape != (n, 2):
        raise ValueError(f"positions must have shape ({n}, 2); got {data.positions.shape}.")
    if not np.isfinite(data.positions).all():
        raise ValueError("positions holds a value that is not finite; every item needs a place.")
    if data.labels.shape != (n,):
        raise ValueError(f"labels must have shape ({n},); got {data.labels.shape}.")
    _check_indices("labels", data.labels, len(data.clusters), "clusters")
    for name, items in _items_named(data):
        _check_indices(name, list(items), n, "items")
    _check_tree(data.tree)


def _items_named(data: ReportData) -> Iterable[tuple[str, Iterable[int]]]:
    """Give every place in which items are named by number."""
    yield "clusters", (item for cluster in data.clusters for item in cluster.central)
    yield "neighbours", (item for row in data.neighbours for item, _ in row)
    yield (
        "suggestions",
        (item for row in data.suggestions for one in row for item, _ in one.voters),
    )
    yield "duplicates", (item for group in data.duplicates for item in group.items)
    yield "outliers", (item for item, _ in data.outliers)


def _check_indices(name: str, values: Any, n: int, of: str) -> None:
    numbers = np.asarray(values, dtype=np.int64)
    wrong = numbers[(numbers < 0) | (numbers >= n)]
    if wrong.size:
        raise ValueError(f"{name} names number {wrong[0]}; the {n} {of} are numbered from 0.")


def _check_tree(tree: Sequence[tuple[str, str | None]]) -> None:
    """Refuse a hierarchy that the page could not draw to its end."""
    parents = dict(tree)
    if len(parents) != len(tree):
        raise ValueError("tree names a tag twice; each tag has one place in the hierarchy.")
    sound: set[str] = set()
    for tag in parents:
        path: list[str] = []
        above: str | None = tag
        while above is not None and above not in sound:
            if above not in parents:
                raise ValueError(
                    f"tree gives {path[-1]!r} the parent {above!r}, which is not in it."
                )
            if above in path:
                raise ValueError(f"tree goes in a circle at {above!r}.")
            path.append(above)
            above = parents[above]
        sound.update(path)
