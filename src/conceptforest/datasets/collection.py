"""What a collection is once it has been read or made: features, tags, and classes to score by."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from conceptforest.tags import TagMatrix

__all__ = ["Collection"]


@dataclass(frozen=True, eq=False, repr=False)
class Collection:
    """Items with visual features and tags.

    Attributes
    ----------
    X : ndarray of shape (n_items, n_features), floating
        Visual features, all finite, in the precision in which they were stored.
    tags : TagMatrix
        Which item carries which tag; an item may have none.
    labels : ndarray of shape (n_items,), int64, or None
        The item's class, an index of `class_names`; None where no classes are known. Classes are
        for scoring alone: nothing that clusters or completes may look at them.
    class_names : tuple of str, length n_classes
        Empty where no classes are known.
    name : str
        What to call the collection in a table.
    layers : tuple of tuples of str, or None, default=None
        The tag names from abstract to specific, where the collection says which is which.
    item_names : tuple of str, length n_items, or None, default=None
        What the items are called; None where they have no names but their numbers.
    truth : TagMatrix or None, default=None
        All tags that are true, where they are known, for scoring alone. It has the vocabulary of
        `tags`.
    """

    X: NDArray[np.floating[Any]]
    tags: TagMatrix
    labels: NDArray[np.int64] | None
    class_names: tuple[str, ...]
    name: str
    layers: tuple[tuple[str, ...], ...] | None = None
    item_names: tuple[str, ...] | None = None
    truth: TagMatrix | None = None

    def __repr__(self) -> str:
        classes = f", {self.n_classes} classes" if self.class_names else ""
        return (
            f"<Collection {self.name!r}: {self.n_items:,} items, {self.X.shape[1]:,} features,"
            f" {self.tags.n_tags:,} tags{classes}>"
        )

    @property
    def n_items(self) -> int:
        """Number of items."""
        return int(self.X.shape[0])

    @property
    def n_classes(self) -> int:
        """Number of classes, with and without items."""
        return len(self.class_names)
