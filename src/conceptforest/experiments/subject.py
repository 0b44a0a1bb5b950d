"""The collection that experiments are made on."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest.experiments.published import published_for

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from conceptforest.datasets import Collection

__all__ = ["Subject"]


@dataclass(frozen=True, eq=False)
class Subject:
    """A collection with classes, and its pictures where there are any.

    Attributes
    ----------
    collection : Collection
    path : Path
        Its feature file.
    kind : str
        Which made or published collection it is; empty for one of the user's own.
    pictures : Path or None
        Folder of its pictures, small; named by the numbers of the items.
    notes : tuple of str
        What to know about it, one sentence each.
    """

    collection: Collection
    path: Path
    kind: str = ""
    pictures: Path | None = None
    notes: tuple[str, ...] = ()

    @cached_property
    def digest(self) -> str:
        """Tell features, tags, classes and layers apart from any others."""
        own = self.collection
        digest = hashlib.blake2b(digest_size=16)
        for array in (own.X, own.tags.matrix.indptr, own.tags.matrix.indices, own.labels):
            if array is not None:
                digest.update(f"{array.dtype.str} {array.shape}".encode())
                digest.update(np.ascontiguousarray(array).data)
        digest.update(repr((own.tags.vocabulary, own.layers)).encode())
        if own.truth is not None:
            for array in (own.truth.matrix.indptr, own.truth.matrix.indices):
                digest.update(np.ascontiguousarray(array).data)
        return digest.hexdigest()

    @property
    def published(self) -> dict[str, Any] | None:
        """The paper's numbers for this collection, or for the one it is made in the likeness of."""
        return published_for(self.kind)

    @property
    def labels(self) -> NDArray[np.int64]:
        """The classes of the items."""
        if self.collection.labels is None:
            raise ValueError(
                f"{self.collection.name} has no classes (y), so clusters cannot be scored. The"
                " experiments need a class for each item."
            )
        return self.collection.labels

    def picture(self, item: int) -> Path | None:
        """Give the file of an item's picture, if there is one."""
        if self.pictures is None:
            return None
        path = self.pictures / f"{item}.webp"
        return path if path.is_file() else None

    def class_of(self, item: int) -> str:
        """Give the name of an item's class."""
        return self.collection.class_names[int(self.labels[item])]

    def name_of(self, item: int) -> str:
        """Give what an item is called."""
        names = self.collection.item_names
        return f"item {item}" if names is None else names[item]
