"""Tags from the metadata tables that Hugging Face's `imagefolder` keeps beside the pictures."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conceptforest.datasets.found_tags import FoundTags
from conceptforest.datasets.item_names import ItemNames
from conceptforest.datasets.tag_table import read_tag_table

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from conceptforest.datasets.media import MediaItem

__all__ = ["METADATA", "read_imagefolder"]

METADATA = ("metadata.csv", "metadata.jsonl", "metadata.parquet")


def read_imagefolder(
    root: Path, items: Sequence[MediaItem], names: ItemNames | None = None
) -> FoundTags:
    r"""Read the tags in the metadata tables of a folder and those below it.

    A table names files in its own folder or below it, and no others. One without a column of
    tags, or one that cannot be read, gives a note and no tags: it was not asked for.

    Parameters
    ----------
    root : Path
        The folder of the collection.
    items : sequence of MediaItem
    names : ItemNames, default=None
        Of the same items, if they are there already.

    Returns
    -------
    FoundTags

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from conceptforest.datasets.media import MediaItem
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     root = Path(folder)
    ...     (root / "train").mkdir()
    ...     table = root / "train" / "metadata.csv"
    ...     _ = table.write_text("file_name,tags\n1.jpg,cat\n")
    ...     item = MediaItem("train/1.jpg", root / "train/1.jpg", "image")
    ...     dict(read_imagefolder(root, [item]).tags)
    {0: {'cat'}}
    """
    found = FoundTags()
    names = names or ItemNames(items)
    for folder in _folders(items):
        for base in METADATA:
            path = root / folder / base
            if not path.is_file():
                continue
            try:
                found.join(read_tag_table(path, names, within=folder, anywhere=False))
            except (OSError, ValueError) as error:
                found.notes.append(f"No tags were taken from {folder + base!r}. {error}")
    return found


def _folders(items: Sequence[MediaItem]) -> list[str]:
    """Give the folders that items lie in, at any depth, each but the root ending in "/"."""
    folders = {""}
    for item in items:
        folder = item.name.rpartition("/")[0]
        while folder and folder + "/" not in folders:
            folders.add(folder + "/")
            folder = folder.rpartition("/")[0]
    return sorted(folders)
