"""A folder of pictures and videos becomes a collection, with tags from wherever they are kept."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from conceptforest.datasets.coco import read_coco
from conceptforest.datasets.found_tags import FoundTags, count
from conceptforest.datasets.imagefolder import read_imagefolder
from conceptforest.datasets.item_names import ItemNames
from conceptforest.datasets.media import IMAGE_SUFFIXES, VIDEO_SUFFIXES, MediaCollection
from conceptforest.datasets.scan import scan_folder
from conceptforest.datasets.settled_tags import settle_tags
from conceptforest.datasets.sidecars import read_all_embedded, read_sidecars
from conceptforest.datasets.table_rows import TABLE_SUFFIXES
from conceptforest.datasets.tag_table import read_tag_table
from conceptforest.tags.names import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from conceptforest.datasets.media import MediaItem, Skipped

__all__ = ["WORDS", "read_media"]

WORDS = ("sidecars", "embedded", "folders", "none")
Source: TypeAlias = "str | os.PathLike[str]"


def read_media(
    path: str | os.PathLike[str],
    tags: Source | Sequence[Source] | None = None,
    *,
    verbose: int = 0,
) -> MediaCollection:
    """Read a folder of pictures and videos and their tags.

    Tags are cleaned: their text is put in composed form (NFC) on one line, control characters go,
    and so do tags of more than 200 characters. Of spellings that differ in the case of letters
    alone, the most frequent one stays.

    Parameters
    ----------
    path : str or path-like
        The folder. It is searched with all folders below it.
    tags : str, path-like, sequence of these, or None, default=None
        Where the tags are; of several places all tags count. Each is

        - a table: .csv, .tsv, .txt, .jsonl, .ndjson or .parquet;
        - a COCO-style .json;
        - a folder laid out like `path`, with SVG drawings or XMP files in it;
        - ``"sidecars"``: XMP files beside the pictures;
        - ``"embedded"``: XMP and IPTC within them;
        - ``"folders"``: the names of the folders that an item lies in;
        - ``"none"``: there are no tags.

        By default sidecars, what is embedded, and the ``metadata`` tables of an `imagefolder`.
    verbose : int, default=0
        Whether to show progress.

    Returns
    -------
    MediaCollection
        Its `notes` say what was found where. It has `layers` if at least half of all tags come
        from paths such as ``Places|Europe|Paris`` or from COCO's supercategories.

    Raises
    ------
    FileNotFoundError
        If there is no such folder or table.
    ValueError
        If there is no picture and no video, or a table cannot be read. Pictures and XMP files that
        cannot be read are noted instead.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     (Path(folder) / "pets").mkdir()
    ...     _ = (Path(folder) / "pets" / "cat.jpg").write_bytes(b"a picture")
    ...     found = read_media(folder, "folders")
    >>> [item.name for item in found.items], found.tags.vocabulary
    (['pets/cat.jpg'], ('pets',))
    """
    sources = _open_sources(tags)
    items, skipped = scan_folder(path, verbose=verbose)
    root = Path(path)
    if not items:
        raise ValueError(_nothing(root, skipped))
    names = ItemNames(items)
    found = FoundTags()
    for source in sources:
        found.join(_read_source(source, root, items, names, verbose))
    matrix, layers = settle_tags(found, len(items))
    return MediaCollection(
        name=root.resolve().name,
        root=root,
        items=tuple(items),
        tags=matrix,
        skipped=tuple(skipped),
        notes=tuple(found.notes),
        layers=layers,
    )


def _nothing(root: Path, skipped: Sequence[Skipped]) -> str:
    known = ", ".join(sorted(IMAGE_SUFFIXES | VIDEO_SUFFIXES))
    left_out = ""
    if skipped:
        number = count(len(skipped), "file")
        left_out = f" {number} had to be left out, the first because {skipped[0].reason}."
    return (
        f"There is no picture and no video in {str(root)!r} or the folders below it.{left_out}"
        f" Files whose names end in one of these count: {known}."
    )


# --- Sources -------------------------------------------------------------------------------------


def _open_sources(tags: Source | Sequence[Source] | None) -> list[str | Path]:
    """Check the sources: words stay text, files become paths. The default is an empty word."""
    if tags is None:
        return ["sidecars", "embedded", ""]
    listed = [tags] if isinstance(tags, (str, os.PathLike)) else list(tags)
    if not listed:
        raise ValueError('tags is an empty list. Give "none" for a collection without tags.')
    if "none" in listed and len(listed) > 1:
        raise ValueError('tags has "none" beside other sources. Leave it out, or the others.')
    return list(dict.fromkeys(_open_source(each) for each in listed))


def _open_source(source: Source) -> str | Path:
    if not isinstance(source, (str, os.PathLike)):
        raise TypeError(
            f"tags holds {source!r} of type {type(source).__name__}. Give names of files or"
            f" folders, or words: {', '.join(WORDS)}."
        )
    if isinstance(source, str) and source in WORDS:
        return source
    path = Path(source)
    if not path.exists():
        if isinstance(source, str) and not path.suffix and path.name == source:
            raise ValueError(
                f"tags is {source!r}, which is no file and none of {', '.join(map(repr, WORDS))}."
                f"{did_you_mean(source, WORDS)}"
            )
        raise FileNotFoundError(f"There is no file or folder {str(path)!r} to take tags from.")
    suffix = path.suffix.lower()
    if not path.is_dir() and suffix != ".json" and suffix not in TABLE_SUFFIXES:
        known = ", ".join(sorted({*TABLE_SUFFIXES, ".json"}))
        raise ValueError(f"Cannot read tags from {str(path)!r}: its name ends in none of {known}.")
    return path


def _read_source(
    source: str | Path, root: Path, items: Sequence[MediaItem], names: ItemNames, verbose: int
) -> FoundTags:
    words: dict[str | Path, Callable[[], FoundTags]] = {
        "": lambda: read_imagefolder(root, items, names),
        "none": FoundTags,
        "sidecars": lambda: read_sidecars(root, items, title="sidecars", verbose=verbose),
        "embedded": lambda: read_all_embedded(items, verbose=verbose),
        "folders": lambda: _read_folder_names(items),
    }
    if source in words:
        return words[source]()
    path = Path(source)
    if path.is_dir():
        title = path.resolve().name
        return read_sidecars(path, items, svg=True, title=title, verbose=verbose)
    if path.suffix.lower() == ".json":
        return read_coco(path, names)
    return read_tag_table(path, names, within=_folder_within(path, root))


def _read_folder_names(items: Iterable[MediaItem]) -> FoundTags:
    found = FoundTags()
    for k, item in enumerate(items):
        parts = item.name.split("/")[:-1]
        if parts:
            found.tags[k].update(parts)
    return found


def _folder_within(path: Path, root: Path) -> str:
    """Give the folder of a table below the root, ending in "/", or nothing."""
    folder, top = path.resolve().parent, root.resolve()
    if folder == top or not folder.is_relative_to(top):
        return ""
    return folder.relative_to(top).as_posix() + "/"
