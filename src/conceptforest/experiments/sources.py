"""Where collections for experiments come from: files, made ones, and published layouts.

Whatever is not a feature file yet is made one, so that every process opens the same bytes; what
pictures there are go beside it, small.
"""

from __future__ import annotations

import hashlib
import inspect
import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

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
from conceptforest.experiments.code_version import code_version
from conceptforest.experiments.published import published_for
from conceptforest.experiments.subject import Subject
from conceptforest.tags import TagMatrix, parse_tags
from conceptforest.tags.names import did_you_mean
from conceptforest.whole_file import whole_file

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["open_subject"]

_SCENES = 300
Found: TypeAlias = "tuple[Collection, tuple[str, ...]]"  # with what to know about it


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
    if options.layout and not (kind in _LAYOUTS and rest):
        raise ValueError(
            f"layout says how a published layout is read, but '{source}' is none. Give one, as"
            f" {', '.join(f'{name}:FOLDER' for name in _LAYOUTS)}, or leave it out."
        )
    if kind in _BUILT_IN:
        subject = _made(kind, rest, options)
    elif kind in _LAYOUTS and rest:
        subject = _read_layout(kind, Path(rest), options)
    elif Path(source).is_dir():
        raise ValueError(
            f"'{source}' is a folder. Give a feature file, or say which published layout it has:"
            f" {', '.join(f'{name}:FOLDER' for name in _LAYOUTS)}."
        )
    else:
        subject = Subject(load(source), Path(source))
    _ = subject.labels
    return subject


# --- Made ----------------------------------------------------------------------------------------


def _scenes(n: int | None, folder: Path, options: _Options) -> Found:
    """Draw the built-in scenes and describe them."""
    drawn = make_scenes(n or _SCENES, random_state=0)
    drawn.save(folder / "scenes", n_jobs=options.n_jobs, verbose=options.verbose)
    words = sorted(frozenset().union(*drawn.truth, *drawn.tags))  # some tags are wrong
    tags, truth = (parse_tags(list(own), vocabulary=words) for own in (drawn.tags, drawn.truth))
    items = tuple(MediaItem(name, folder / "scenes" / name, "image") for name in drawn.names)
    known = set(tags.vocabulary)
    media = MediaCollection(
        "scenes",
        folder / "scenes",
        items,
        tags,
        labels=drawn.labels,
        class_names=tuple(drawn.class_names),
        truth=truth,
        layers=tuple(tuple(t for t in layer if t in known) for layer in drawn.layers),
    )
    return _described(media, folder, options, "classic")


def _trecvid_like(n: int | None, _: Path, __: _Options) -> Found:
    return make_trecvid_like(random_state=0, **({"n_items": n} if n else {})), ()


def _nuswide_like(n: int | None, _: Path, __: _Options) -> Found:
    return make_nuswide_like(random_state=0, **({"n_items": n} if n else {})), ()


@dataclass(frozen=True)
class _Made:
    """A collection that code makes, and the modules that decide what it is."""

    make: Callable[[int | None, Path, _Options], Found]
    modules: tuple[str, ...]


_BUILT_IN = {
    "scenes": _Made(
        _scenes, (make_scenes.__module__, "conceptforest.features.classic"),
    ),
    "trecvid-like": _Made(_trecvid_like, (make_trecvid_like.__module__,)),
    "nuswide-like": _Made(_nuswide_like, (make_nuswide_like.__module__,)),
}  # fmt: skip


def _made(kind: str, rest: str, options: _Options) -> Subject:
    if rest and not (rest.isdigit() and int(rest)):
        raise ValueError(f"'{kind}:{rest}': behind the colon stands a number of items, at least 1.")
    own = _BUILT_IN[kind]
    about = [kind, rest, options.features.replace("auto", ""), code_version(*own.modules)[:8]]
    n_items = int(rest) if rest else None
    subject = _prepared(
        options.out,
        kind,
        "-".join(filter(None, about)),
        lambda folder: own.make(n_items, folder, options),
    )
    likeness = published_for(kind)
    notes = subject.notes
    if likeness is not None:
        name = likeness["title"]
        like = f"Made by code in the likeness of {name}, whose numbers in the paper stand beside."
        notes = (like, *notes)
    return replace(subject, collection=replace(subject.collection, name=kind), notes=notes)


# --- Read ----------------------------------------------------------------------------------------


_LAYOUTS: dict[str, Callable[..., Collection | MediaCollection]] = {
    "nus-wide": read_nus_wide,
    "trecvid-med": read_trecvid_med,
    "mirflickr": read_mirflickr,
    "corel5k": read_corel5k,
    "openclipart": read_openclipart,
}


def _read_layout(kind: str, folder: Path, options: _Options) -> Subject:
    read = _LAYOUTS[kind]
    known = [name for name in inspect.signature(read).parameters if name not in ("root", "verbose")]
    for name in options.layout:
        if name not in known:
            raise ValueError(
                f"There is no option {name!r} of {kind}; there are {', '.join(known) or 'none'}."
                f"{did_you_mean(name, known)}"
            )

    def make(place: Path) -> Found:
        from conceptforest.discovery.video_source import HOG3D

        found = read(folder, verbose=options.verbose, **options.layout)
        if isinstance(found, Collection):
            return found, ()
        return _described(found, place, options, HOG3D if kind == "trecvid-med" else "auto")

    named = (Path(value) for value in options.layout.values() if isinstance(value, str))
    files = [folder, *(path for path in named if path.exists())]
    about = repr(
        (
            sorted(options.layout.items()),
            options.features,
            [_state_of(file, options.out) for file in files],
        )
    )
    name = hashlib.blake2b(about.encode(), digest_size=4).hexdigest()
    return _prepared(options.out, kind, f"{kind}-{name}", make)


def _state_of(path: Path, ours: Path) -> tuple[str, int, int, float]:
    """Tell files apart from what they were before: how many, how large, how new; not our own."""
    found = [path] if path.is_file() else []
    own = ours.resolve()
    for root, folders, names in os.walk(path):
        folders[:] = [name for name in folders if Path(root, name).resolve() != own]
        found += [Path(root, name) for name in names]
    states = [file.stat() for file in found if file.is_file()]
    newest = max((state.st_mtime for state in states), default=0.0)
    return str(path.resolve()), len(states), sum(state.st_size for state in states), newest


# --- Kept ----------------------------------------------------------------------------------------


def _prepared(out: Path, kind: str, name: str, make: Callable[[Path], Found]) -> Subject:
    """Make a collection once, in a folder of its own, and find it again the next time."""
    folder = out / "data" / name.replace(":", "-").replace("/", "-")
    path, about = folder / "collection.npz", folder / "about.json"
    if not path.is_file():
        folder.mkdir(parents=True, exist_ok=True)
        collection, notes = make(folder)
        with whole_file(about) as file:
            file.write(json.dumps({"name": collection.name, "notes": notes}).encode())
        write_feature_file(path, collection)  # last: where it is, all is there
    told = json.loads(about.read_bytes())
    pictures = folder / "pictures"
    return Subject(
        replace(load(path), name=told["name"]),
        path,
        kind,
        pictures if pictures.is_dir() else None,
        tuple(told["notes"]),
    )


def _described(media: MediaCollection, folder: Path, options: _Options, default: str) -> Found:
    """Compute the features of media that bring none, and keep small pictures of them."""
    from conceptforest.discovery import Settings
    from conceptforest.discovery.source import THUMBNAIL_SIZE, describe_media
    from conceptforest.discovery.video_source import HOG3D, describe_videos
    from conceptforest.features.cache import FeatureCache
    from conceptforest.features.choose import make_extractor

    out = options.out
    features = default if options.features == "auto" else options.features
    settings = Settings(features=features)
    running: dict[str, Any] = {"n_jobs": options.n_jobs, "verbose": options.verbose}
    with FeatureCache(out / "features.sqlite") as cache:
        if features == HOG3D:
            items = describe_videos(media, cache, settings, None, out, **running)
        else:
            items = describe_media(media, make_extractor(features), cache, settings, **running)
        pictures = folder / "pictures"
        pictures.mkdir(exist_ok=True)
        for number, digest in enumerate(items.digests):
            found = None if digest is None else cache.thumbnail(digest, THUMBNAIL_SIZE)
            if found:
                (pictures / f"{number}.webp").write_bytes(found[0])
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
    return collection, (*media.notes, *left_out)
