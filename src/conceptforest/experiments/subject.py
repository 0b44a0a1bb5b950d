"""The collection that experiments are made on, wherever it comes from.

Whatever is not a feature file yet is made one, so that every process opens the same bytes; what
pictures there are go beside it, small.
"""

from __future__ import annotations

import hashlib
import inspect
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest.datasets import (
    Collection,
    MediaCollection,
    MediaItem,
    load,
    make_nuswide_like,
    make_scenes,
    make_trecvid_like,
    read_corel5k,
    read_mirflickr,
    read_nus_wide,
    read_openclipart,
    read_trecvid_med,
    write_feature_file,
)
from conceptforest.experiments.published import published_for
from conceptforest.tags import TagMatrix, parse_tags
from conceptforest.tags.names import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from numpy.typing import NDArray

__all__ = ["BUILT_IN", "LAYOUTS", "Subject", "open_subject"]

_THUMBNAIL = 256
_SCENES = 300
HOG3D = "hog3d"


@dataclass(frozen=True, eq=False)
class Subject:
    """A collection with classes, and its pictures where there are any.

    Attributes
    ----------
    collection : Collection
    path : Path
        Its feature file.
    pictures : Path or None
        Folder of its pictures, small; named by the numbers of the items.
    notes : tuple of str
        What to know about it, one sentence each.
    """

    collection: Collection
    path: Path
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
            digest.update(np.ascontiguousarray(own.truth.matrix.indices).data)
        return digest.hexdigest()

    @property
    def published(self) -> dict[str, Any] | None:
        """The paper's numbers for this collection, or for the one it is made in the likeness of."""
        return published_for(self.collection.name)

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

    def name_of(self, item: int) -> str:
        """Give what an item is called."""
        names = self.collection.item_names
        return f"item {item}" if names is None else names[item]


@dataclass(frozen=True)
class _Options:
    """How a layout is read, and media are described."""

    out: Path
    features: str
    layout: Mapping[str, Any]
    n_jobs: int
    verbose: int


def open_subject(
    source: str,
    out: Path,
    *,
    features: str = "auto",
    layout: Mapping[str, Any] | None = None,
    n_jobs: int = -1,
    verbose: int = 0,
) -> Subject:
    """Open the collection that a user names.

    Parameters
    ----------
    source : str
        A feature file; ``scenes``, ``trecvid-like`` or ``nuswide-like``, with ``:N`` behind it for
        N items; or a published layout and its folder, such as ``nus-wide:FOLDER``.
    out : Path
        Folder for what is made.
    features : str, default="auto"
        For media: see ``conceptforest discover``.
    layout : dict or None, default=None
        Parameters of the function that reads a published layout, such as
        :func:`~conceptforest.datasets.read_nus_wide`.
    n_jobs : int, default=-1
    verbose : int, default=0

    Returns
    -------
    Subject
        With classes.
    """
    kind, _, rest = source.partition(":")
    options = _Options(out, features, layout or {}, n_jobs, verbose)
    if options.layout and not (kind in LAYOUTS and rest):
        raise ValueError(
            f"layout says how a published layout is read, but '{source}' is none. Give one, as"
            f" {', '.join(f'{name}:FOLDER' for name in LAYOUTS)}, or leave it out."
        )
    if kind in BUILT_IN:
        subject = _made(kind, rest, options)
    elif kind in LAYOUTS and rest:
        subject = _read_layout(kind, Path(rest), options)
    elif Path(source).is_dir():
        raise ValueError(
            f"'{source}' is a folder. Give a feature file, or say which published layout it has:"
            f" {', '.join(f'{name}:FOLDER' for name in LAYOUTS)}."
        )
    else:
        subject = Subject(load(source), Path(source))
    _ = subject.labels
    return subject


# --- Made ----------------------------------------------------------------------------------------


def _scenes(n: int | None, options: _Options) -> tuple[Collection, tuple[str, ...]]:
    """Draw the built-in scenes and describe them."""
    drawn = make_scenes(n or _SCENES, random_state=0)
    folder = options.out / "scenes"
    drawn.save(folder, n_jobs=options.n_jobs, verbose=options.verbose)
    words = sorted(frozenset().union(*drawn.truth, *drawn.tags))  # some tags are wrong
    tags, truth = (parse_tags(list(own), vocabulary=words) for own in (drawn.tags, drawn.truth))
    items = tuple(MediaItem(name, folder / name, "image") for name in drawn.names)
    known = set(tags.vocabulary)
    media = MediaCollection(
        "scenes",
        folder,
        items,
        tags,
        labels=drawn.labels,
        class_names=tuple(drawn.class_names),
        truth=truth,
        layers=tuple(tuple(t for t in layer if t in known) for layer in drawn.layers),
    )
    return _described(media, options, "classic")


def _trecvid_like(n: int | None, _: _Options) -> tuple[Collection, tuple[str, ...]]:
    return make_trecvid_like(random_state=0, **({"n_items": n} if n else {})), ()


def _nuswide_like(n: int | None, _: _Options) -> tuple[Collection, tuple[str, ...]]:
    return make_nuswide_like(random_state=0, **({"n_items": n} if n else {})), ()


BUILT_IN: dict[str, Callable[..., tuple[Collection, tuple[str, ...]]]] = {
    "scenes": _scenes,
    "trecvid-like": _trecvid_like,
    "nuswide-like": _nuswide_like,
}


def _made(kind: str, rest: str, options: _Options) -> Subject:
    if rest and not rest.isdigit():
        raise ValueError(f"'{kind}:{rest}': behind the colon stands a number of items.")
    name = f"{kind}-{rest}" if rest else kind
    if options.features != "auto":
        name = f"{name}-{options.features}"
    return _prepared(
        options.out, kind, name, lambda: BUILT_IN[kind](int(rest) if rest else None, options)
    )


def _prepared(
    out: Path, kind: str, name: str, make: Callable[[], tuple[Collection, tuple[str, ...]]]
) -> Subject:
    """Make a collection once, and find it again the next time; it is called by its kind."""
    folder = out / "data"
    path = folder / f"{name.replace(':', '-').replace('/', '-')}.npz"
    notes: tuple[str, ...] = ()
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        collection, notes = make()
        write_feature_file(path, collection)
    pictures = out / "pictures"
    return Subject(
        replace(load(path), name=kind), path, pictures if pictures.is_dir() else None, notes
    )


# --- Read ----------------------------------------------------------------------------------------


LAYOUTS: dict[str, Callable[..., Collection | MediaCollection]] = {
    "nus-wide": read_nus_wide,
    "trecvid-med": read_trecvid_med,
    "mirflickr": read_mirflickr,
    "corel5k": read_corel5k,
    "openclipart": read_openclipart,
}


def _read_layout(kind: str, folder: Path, options: _Options) -> Subject:
    read = LAYOUTS[kind]
    known = [name for name in inspect.signature(read).parameters if name not in ("root", "verbose")]
    for name in options.layout:
        if name not in known:
            raise ValueError(
                f"There is no option {name!r} of {kind}; there are {', '.join(known) or 'none'}."
                f"{did_you_mean(name, known)}"
            )

    def make() -> tuple[Collection, tuple[str, ...]]:
        found = read(folder, verbose=options.verbose, **options.layout)
        if isinstance(found, Collection):
            return found, ()
        return _described(found, options, HOG3D if kind == "trecvid-med" else "auto")

    about = repr((str(folder.resolve()), sorted(options.layout.items())))
    name = hashlib.blake2b(about.encode(), digest_size=4).hexdigest()
    return _prepared(options.out, kind, f"{kind}-{name}-{options.features}", make)


def _described(
    media: MediaCollection, options: _Options, default: str
) -> tuple[Collection, tuple[str, ...]]:
    """Compute the features of media that bring none, and keep small pictures of them."""
    from conceptforest.discovery import Settings
    from conceptforest.discovery.source import THUMBNAIL_SIZE, describe_media
    from conceptforest.discovery.video_source import describe_videos
    from conceptforest.features.cache import FeatureCache
    from conceptforest.features.choose import make_extractor

    out = options.out
    out.mkdir(parents=True, exist_ok=True)
    features = default if options.features == "auto" else options.features
    settings = Settings(features=features)
    running: dict[str, Any] = {"n_jobs": options.n_jobs, "verbose": options.verbose}
    with FeatureCache(out / "features.sqlite") as cache:
        if features == HOG3D:
            items = describe_videos(media, cache, settings, None, out, **running)
        else:
            items = describe_media(media, make_extractor(features), cache, settings, **running)
        folder = out / "pictures"
        folder.mkdir(exist_ok=True)
        for number, digest in enumerate(items.digests):
            found = None if digest is None else cache.thumbnail(digest, THUMBNAIL_SIZE)
            if found:
                (folder / f"{number}.webp").write_bytes(found[0])
    place = {item.name: i for i, item in enumerate(media.items)}
    rows = np.array([place[name] for name in items.names])
    truth = media.truth
    collection = Collection(
        items.X,
        items.tags,
        None if media.labels is None else media.labels[rows],
        media.class_names,
        media.name,
        layers=media.layers,
        item_names=items.names,
        truth=None if truth is None else TagMatrix(truth.matrix[rows], truth.vocabulary),
    )
    left_out = [f"{len(items.skipped):,} files are left out."] if items.skipped else []
    return collection, tuple(left_out)
