"""What a collection of pictures and videos is once its folder and its tags have been read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from conceptforest.tags import TagMatrix

__all__ = ["IMAGE_SUFFIXES", "VIDEO_SUFFIXES", "MediaCollection", "MediaItem", "Skipped"]

IMAGE_SUFFIXES = frozenset(
    {".bmp", ".gif", ".jfif", ".jpe", ".jpeg", ".jpg", ".png", ".tif", ".tiff", ".webp"}
)
VIDEO_SUFFIXES = frozenset({".avi", ".m4v", ".mkv", ".mov", ".mp4", ".webm"})


@dataclass(frozen=True)
class MediaItem:
    """One picture or video.

    Attributes
    ----------
    name : str
        Path from the collection's folder, with "/" between its parts. It is what the item is
        called in every table.
    path : Path
        Where the file is.
    kind : "image" or "video"
    """

    name: str
    path: Path
    kind: Literal["image", "video"]


@dataclass(frozen=True)
class Skipped:
    """A file that is left out, and why.

    Attributes
    ----------
    name : str
        As of an item.
    reason : str
        For people: what is wrong with it, such as ``"it holds no picture"``.
    """

    name: str
    reason: str


@dataclass(frozen=True, eq=False, repr=False)
class MediaCollection:
    """Pictures and videos with their tags, before anything is made of what they show.

    Attributes
    ----------
    name : str
        What to call the collection.
    root : Path
        The folder of its files.
    items : tuple of MediaItem, length n_items
        By name.
    tags : TagMatrix
        Which item carries which tag; an item may have none.
    skipped : tuple of Skipped
        Files that look like media but cannot be used.
    notes : tuple of str
        What a person should know of how it was read, one sentence each.
    labels : ndarray of shape (n_items,), int64, or None
        The item's class, an index of `class_names`, for scoring alone.
    class_names : tuple of str
    truth : TagMatrix or None
        All tags that are true, where they are known, for scoring alone. It has the vocabulary of
        `tags`.
    layers : tuple of tuples of str, or None
        The tags from abstract to specific, where the collection says which is which.
    """

    name: str
    root: Path
    items: tuple[MediaItem, ...]
    tags: TagMatrix
    skipped: tuple[Skipped, ...] = ()
    notes: tuple[str, ...] = ()
    labels: NDArray[np.int64] | None = None
    class_names: tuple[str, ...] = ()
    truth: TagMatrix | None = None
    layers: tuple[tuple[str, ...], ...] | None = None

    def __repr__(self) -> str:
        return (
            f"<MediaCollection {self.name!r}: {self.n_items:,} items, {self.tags.n_tags:,} tags,"
            f" {len(self.skipped):,} files left out>"
        )

    @property
    def n_items(self) -> int:
        """Number of items."""
        return len(self.items)
