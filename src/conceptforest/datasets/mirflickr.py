"""MIRFlickr-25k as it is distributed: numbered pictures, a tag file for each, lists for topics."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np

from conceptforest.checks import whole
from conceptforest.datasets.media import MediaCollection, MediaItem, Skipped
from conceptforest.datasets.published_files import (
    check_folder,
    numbered_lines,
    read_small_text,
    whole_number,
)
from conceptforest.progress import progress_bar
from conceptforest.tags import parse_tags

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from numpy.typing import NDArray

__all__ = ["read_mirflickr"]

# Topics that are part of another one, as the authors arrange them: a dog is always an animal. What
# is not named here is a general topic.
_PART_OF_ANOTHER = frozenset(
    {"baby", "bird", "car", "clouds", "dog", "female", "flower"}
    | {"lake", "male", "portrait", "river", "sea", "tree"}
)
_PICTURE = re.compile(r"im([1-9][0-9]{0,7})\.jpe?g", re.IGNORECASE)
_MAX_NUMBER = 10**8
_STEP = 500  # tag files between two updates of the progress bar


def read_mirflickr(
    root: str | os.PathLike[str],
    *,
    min_count: int = 20,
    single_topic: bool = False,
    verbose: int = 0,
) -> MediaCollection:
    """Read MIRFlickr-25k from the folder into which its archives were unpacked.

    The pictures are ``im1.jpg`` to ``im25000.jpg``, the tags of picture N are the lines of
    ``meta/tags/tagsN.txt`` beside them, and the annotations, which are needed for `single_topic`
    alone, are a folder of lists such as ``sky.txt`` with the numbers of the pictures. Lists that
    end in ``_r1``, of what shows the topic prominently, are not read.

    Parameters
    ----------
    root : str or path-like
        The folder ``mirflickr``, or one that holds it.
    min_count : int, default=20
        Tags of fewer pictures are left out.
    single_topic : bool, default=False
        Keep only pictures of exactly one general topic (sky, water, people, animals, food, ...),
        which is their class then. Without it there are no classes, for topics overlap. Topics that
        are part of another, such as *dog* of *animals*, are not classes.
    verbose : int, default=0
        Show progress if positive.

    Returns
    -------
    MediaCollection
        Pictures whose tag file is missing have no tags, and a note says how many.

    Raises
    ------
    FileNotFoundError
        If the folder, the pictures, their tags or, if needed, the annotations are missing.
    ValueError
        If a list of a topic is damaged.

    Examples
    --------
    >>> read_mirflickr("no such folder")
    Traceback (most recent call last):
    FileNotFoundError: There is no folder 'no such folder'. Give the folder of MIRFlickr-25k.
    """
    whole("min_count", min_count, 1)
    folder = check_folder(root, "MIRFlickr-25k")
    pictures, skipped = _find_pictures(folder)
    notes = []
    labels: NDArray[np.int64] | None = None
    class_names: tuple[str, ...] = ()
    if single_topic:
        topics = _read_topics(folder)
        pictures, labels, class_names = _keep_single(pictures, topics)
        notes.append("Kept are the pictures of exactly one general topic, which is their class.")
    found, n_missing = _read_tags(folder, pictures, verbose)
    if n_missing:
        notes.append(f"{n_missing:,} pictures have no tag file.")
    counts = Counter(tag for tags in found for tag in tags)
    vocabulary = sorted(tag for tag, count in counts.items() if count >= min_count)
    known = set(vocabulary)
    rare = len(counts) - len(vocabulary)
    if rare:
        notes.append(f"{rare:,} tags of fewer than {min_count} pictures are left out.")
    return MediaCollection(
        name="mirflickr25k",
        root=folder,
        items=tuple(item for _, item in pictures),
        tags=parse_tags([tags & known for tags in found], vocabulary=vocabulary),
        skipped=skipped,
        notes=tuple(notes),
        labels=labels,
        class_names=class_names,
    )


def _find_pictures(folder: Path) -> tuple[list[tuple[int, MediaItem]], tuple[Skipped, ...]]:
    """Find the numbered pictures, by name, where im1.jpg and its fellows are."""
    for base in (folder, folder / "mirflickr", folder / "images"):
        found, skipped = [], []
        for path in sorted(base.iterdir()) if base.is_dir() else []:
            match = _PICTURE.fullmatch(path.name)
            if match is None:
                continue
            label = path.relative_to(folder).as_posix()
            if path.is_file():
                found.append((int(match[1]), MediaItem(label, path, "image")))
            else:
                skipped.append(Skipped(label, "it is no regular file"))
        if found:
            return found, tuple(skipped)
    raise FileNotFoundError(
        f"There is no picture im1.jpg, im2.jpg, ... in {str(folder)!r} or its folder 'mirflickr'."
        " Unpack mirflickr25k.zip there."
    )


def _read_tags(
    folder: Path, pictures: list[tuple[int, MediaItem]], verbose: int
) -> tuple[list[set[str]], int]:
    """Read the tags of each picture; also how many have no tag file."""
    bases = (folder, folder / "mirflickr", pictures[0][1].path.parent if pictures else folder)
    base = next((one / "meta" / "tags" for one in bases if (one / "meta" / "tags").is_dir()), None)
    if base is None:
        raise FileNotFoundError(
            f"There is no folder 'meta/tags' in {str(folder)!r}. Unpack mirflickr25k.zip there."
        )
    found: list[set[str]] = []
    missing = 0
    with progress_bar("reading tags", len(pictures), show=verbose > 0) as update:
        for done, (number, _) in enumerate(pictures):
            path = base / f"tags{number}.txt"
            if path.is_file():
                lines = read_small_text(path).splitlines()
                found.append({line.strip() for line in lines if line.strip()})
            else:
                found.append(set())
                missing += 1
            if update is not None and done % _STEP == 0:
                update(done)
    return found, missing


def _read_topics(folder: Path) -> dict[str, set[int]]:
    """Read the numbers of the pictures of each general topic."""
    places = [
        base / name
        for base in (folder, folder / "mirflickr", folder.parent)
        for name in ("annotations", "annotations_v080", "mirflickr25k_annotations_v080")
    ]
    for place in places:
        topics: dict[str, set[int]] = {}
        for path in sorted(place.glob("*.txt")) if place.is_dir() else []:
            topic = path.stem.lower()
            if topic in _PART_OF_ANOTHER or topic.endswith("_r1") or topic.startswith("readme"):
                continue
            topics[topic] = {
                whole_number(path, line, number, 1, _MAX_NUMBER)
                for number, line in numbered_lines(path)
            }
        if topics:
            return topics
    raise FileNotFoundError(
        f"There is no folder 'annotations' with lists such as 'sky.txt' in {str(folder)!r}. Unpack"
        " mirflickr25k_annotations_v080.zip there, or leave out single_topic."
    )


def _keep_single(
    pictures: list[tuple[int, MediaItem]], topics: dict[str, set[int]]
) -> tuple[list[tuple[int, MediaItem]], NDArray[np.int64], tuple[str, ...]]:
    names = tuple(sorted(topics))
    kept, labels = [], []
    for number, item in pictures:
        shown = [label for label, name in enumerate(names) if number in topics[name]]
        if len(shown) == 1:
            kept.append((number, item))
            labels.append(shown[0])
    if not kept:
        raise ValueError("No picture has exactly one general topic. Leave out single_topic.")
    return kept, np.array(labels, dtype=np.int64), names
