"""From a folder or a feature file to items with features and tags."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest.datasets import Collection, MediaCollection, load, read_media
from conceptforest.features.embed import embed
from conceptforest.tags import TagMatrix, parse_tags

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from conceptforest.datasets import Skipped
    from conceptforest.discovery.settings import Settings
    from conceptforest.features.cache import FeatureCache
    from conceptforest.features.extractor import Extractor

__all__ = [
    "READY",
    "THUMBNAIL_SIZE",
    "Items",
    "choose",
    "describe_media",
    "describe_ready",
    "read_source",
    "select_tags",
]


THUMBNAIL_SIZE = 256
READY = "as given"  # features that the collection brings


@dataclass(frozen=True, eq=False)
class Items:
    """Items as the forest takes them.

    Attributes
    ----------
    name : str
        What to call the collection.
    names, kinds : tuple of str, length n_items
    links : tuple of Path or None, length n_items
        Where each file is.
    digests : tuple of str or None, length n_items
        Of the files' contents.
    X : ndarray of shape (n_items, n_features), floating
    tags : TagMatrix
        All tags that were read.
    layers : tuple of tuples of str, or None
        From abstract to specific, where the collection says so.
    extractor : tuple of str
        Name and key of what made the features.
    n_computed : int
        Items that were embedded now; the others were known.
    skipped : tuple of Skipped
    notes : tuple of str
    words : str or None
        Name of the file of words, where videos are described by such.
    """

    name: str
    names: tuple[str, ...]
    kinds: tuple[str, ...]
    links: tuple[Path | None, ...]
    digests: tuple[str | None, ...]
    X: NDArray[Any]
    tags: TagMatrix
    layers: tuple[tuple[str, ...], ...] | None
    extractor: tuple[str, str]
    n_computed: int
    skipped: tuple[Skipped, ...]
    notes: tuple[str, ...]
    words: str | None = None

    @property
    def n_items(self) -> int:
        """Number of items."""
        return len(self.names)


def read_source(
    path: Path, tags: Sequence[str] | None, *, out: Path | None = None, verbose: int = 0
) -> MediaCollection | Collection:
    """Read a folder with its tags, or a feature file.

    Parameters
    ----------
    path : Path
    tags : sequence of str or None
        For a folder: see :func:`conceptforest.datasets.read_media`. For an array of features: the
        table that belongs to it.
    out : Path or None, default=None
        A folder whose files are not part of the collection, even if it lies within.
    verbose : int, default=0
    """
    if not path.is_dir():
        return load(path, *(tags or ()))
    media = read_media(path, None if tags is None else list(tags), verbose=verbose)
    if out is None or not out.resolve().is_relative_to(path.resolve()):
        return media
    own = out.resolve()
    outside = [i for i, x in enumerate(media.items) if not x.path.resolve().is_relative_to(own)]
    if len(outside) < media.n_items:
        media = choose(media, np.array(outside, dtype=np.intp))
    if not outside:
        raise ValueError(f"'{path}' holds no pictures or videos but those of the run itself.")
    return media


def choose(media: MediaCollection, rows: NDArray[np.intp]) -> MediaCollection:
    """Keep some of the items, given by their numbers."""
    tags = TagMatrix(media.tags.matrix[rows], media.tags.vocabulary)
    return replace(media, items=tuple(media.items[i] for i in rows), tags=tags)


def describe_media(
    media: MediaCollection,
    extractor: Extractor,
    cache: FeatureCache,
    settings: Settings,
    *,
    n_jobs: int | None,
    verbose: int,
) -> Items:
    """Compute the features of all files that can be decoded; the others are skipped."""
    found = embed(
        media.items,
        extractor,
        cache,
        n_jobs=n_jobs,
        pool=settings.pool,
        thumbnail_size=THUMBNAIL_SIZE,
        verbose=verbose,
    )
    chosen = [media.items[i] for i in found.kept]
    tags = TagMatrix(media.tags.matrix[found.kept], media.tags.vocabulary)
    return Items(
        name=media.name,
        names=tuple(item.name for item in chosen),
        kinds=tuple(item.kind for item in chosen),
        links=tuple(item.path for item in chosen),
        digests=tuple(found.digests),
        X=found.X,
        tags=tags,
        layers=media.layers,
        extractor=(extractor.name, f"{extractor.key}; videos: {settings.pool}"),
        n_computed=found.n_computed,
        skipped=(*media.skipped, *found.skipped),
        notes=(*media.notes, *cache.notes),
    )


def describe_ready(collection: Collection) -> Items:
    """Take the features of a collection that brings them."""
    n = collection.n_items
    width = len(str(n - 1))
    names = collection.item_names or tuple(f"item {i:0{width}d}" for i in range(n))
    return Items(
        name=collection.name,
        names=names,
        kinds=("item",) * n,
        links=(None,) * n,
        digests=(None,) * n,
        X=collection.X,
        tags=collection.tags,
        layers=collection.layers,
        extractor=(READY, READY),
        n_computed=0,
        skipped=(),
        notes=(),
    )


def select_tags(tags: TagMatrix, min_count: int) -> TagMatrix:
    """Keep the tags that enough items carry; all of them if that would leave none.

    Examples
    --------
    >>> select_tags(parse_tags([{"sea", "gull"}, {"sea"}]), 2).vocabulary
    ('sea',)
    """
    enough = np.flatnonzero(tags.counts >= min_count)
    if not len(enough) or len(enough) == tags.n_tags:
        return tags
    matrix: Any = tags.matrix[:, enough]
    return parse_tags(matrix, vocabulary=tuple(tags.vocabulary[j] for j in enough))
