"""Where the thumbnails of a page go: into it while they are few, else into a folder beside it."""

from __future__ import annotations

import base64
import os
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conceptforest.progress import progress_bar
from conceptforest.report.page.columns import inside_script
from conceptforest.whole_file import whole_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from conceptforest.report.page.data import ReportData

__all__ = ["THUMBNAILS_INLINE_BYTES", "PlacedThumbnails", "place_thumbnails", "remove_stale"]

THUMBNAILS_INLINE_BYTES = 24 * 2**20
"""Thumbnails of up to this many bytes together go into the page itself."""

_IN_FOLDER = 1_000  # items whose thumbnails share a folder
_IN_BLOCK = 250  # thumbnails that the page reads at a time
_MARK = "conceptforest-thumbnails.txt"
_OURS = re.compile(r"\d{6,}\.(webp|jpg|png)(\.\d+\.tmp)?")  # whole, or left by a killed run
_OUR_FOLDERS = re.compile(r"\d{4,}")


@dataclass
class PlacedThumbnails:
    """What the page must know of its thumbnails.

    Attributes
    ----------
    formats : list of str
        For each item ``"w"`` (WebP), ``"j"`` (JPEG), ``"p"`` (PNG) or ``"-"`` (none).
    widths, heights : list of int
    inline : list of (bytes or None), or None
        The pictures, or None if they lie in the folder.
    files : list of Path
        Files in the folder, with its mark.
    """

    formats: list[str] = field(default_factory=list)
    widths: list[int] = field(default_factory=list)
    heights: list[int] = field(default_factory=list)
    inline: list[bytes | None] | None = field(default_factory=list)
    files: list[Path] = field(default_factory=list)

    def blocks(self) -> Iterator[str]:
        """Give the pictures inside the page as JSON lists of base64 texts, a block at a time."""
        pictures = self.inline or []
        for first in range(0, len(pictures), _IN_BLOCK):
            part = pictures[first : first + _IN_BLOCK]
            yield inside_script(
                ["" if one is None else base64.b64encode(one).decode("ascii") for one in part]
            )

    def description(self, folder: Path) -> dict[str, object]:
        """Describe where the pictures are, for the page."""
        return {
            "formats": "".join(self.formats),
            "widths": self.widths,
            "heights": self.heights,
            "folder": None if self.inline is not None else folder.name,
            "inFolder": _IN_FOLDER,
            "inBlock": _IN_BLOCK,
        }


def place_thumbnails(
    data: ReportData, folder: Path, *, most: int = THUMBNAILS_INLINE_BYTES, verbose: int = 0
) -> PlacedThumbnails:
    """Read all thumbnails, and write them to files once they are too many for the page.

    Parameters
    ----------
    data : ReportData
    folder : Path
        Made when it is needed. It must not hold files of anybody else.
    most : int
        Bytes that may go into the page.
    verbose : int

    Returns
    -------
    PlacedThumbnails

    Raises
    ------
    FileExistsError
        If the folder is needed and is not one of ours.
    """
    placed = PlacedThumbnails()
    total = 0
    with progress_bar("thumbnails", data.n_items, show=verbose > 0) as update:
        for item in range(data.n_items):
            picture, width, height = data.thumbnails(item) or (None, 0, 0)
            placed.formats.append(_format(item, picture))
            placed.widths.append(int(width))
            placed.heights.append(int(height))
            total += len(picture or b"")
            if placed.inline is not None:
                placed.inline.append(picture)
                if total > most:
                    _move_out(placed, folder)
            elif picture is not None:
                placed.files.append(_write(folder, item, placed.formats[item], picture))
            if update is not None:
                update(item + 1)
    return placed


def _move_out(placed: PlacedThumbnails, folder: Path) -> None:
    """Write to the folder what was kept for the page."""
    _claim(folder)
    placed.files.append(folder / _MARK)
    for item, picture in enumerate(placed.inline or []):
        if picture is not None:
            placed.files.append(_write(folder, item, placed.formats[item], picture))
    placed.inline = None


def _claim(folder: Path) -> None:
    if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
        raise FileExistsError(
            f"'{folder}' is needed as a folder for thumbnails, but is a link or a file. Move it"
            " away, or give the report another name."
        )
    if folder.is_dir() and any(folder.iterdir()) and not (folder / _MARK).is_file():
        raise FileExistsError(
            f"'{folder}' is needed for thumbnails, but holds other files (it has no {_MARK}). Move"
            " it away, or give the report another name."
        )
    folder.mkdir(exist_ok=True)
    with whole_file(folder / _MARK) as file:
        file.write(b"Small pictures for the report beside this folder. They go with it.\n")


def _format(item: int, picture: bytes | None) -> str:
    if picture is None:
        return "-"
    if picture[:4] == b"RIFF" and picture[8:12] == b"WEBP":
        return "w"
    if picture[:3] == b"\xff\xd8\xff":
        return "j"
    if picture[:8] == b"\x89PNG\r\n\x1a\n":
        return "p"
    raise ValueError(
        f"The thumbnail of item {item} is no WebP, JPEG or PNG picture; it starts with"
        f" {picture[:8]!r}."
    )


def _write(folder: Path, item: int, kind: str, picture: bytes) -> Path:
    """Write one thumbnail, whole or not at all.

    Unlike `whole_file` it does not wait for the disk: 20,000 such waits take minutes, and
    thumbnails lost to a power cut come back with the next run.
    """
    suffix = {"w": "webp", "j": "jpg", "p": "png"}[kind]
    place = folder / f"{item // _IN_FOLDER:04d}" / f"{item:06d}.{suffix}"
    if item % _IN_FOLDER == 0 or not place.parent.is_dir():
        place.parent.mkdir(exist_ok=True)
    beside = place.with_name(f"{place.name}.{os.getpid()}.tmp")
    try:
        beside.write_bytes(picture)
        beside.replace(place)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    return place


def remove_stale(folder: Path, placed: PlacedThumbnails) -> None:
    """Remove the thumbnails of an earlier report that this one does not use.

    Only in a folder that carries our mark, only files that are named as ours are, and never
    through links. The folder itself goes when nothing is left in it.

    Parameters
    ----------
    folder : Path
    placed : PlacedThumbnails
    """
    if folder.is_symlink() or not (folder / _MARK).is_file():
        return
    kept = set(placed.files)
    for part in sorted(folder.iterdir()):
        if part.is_symlink() or not part.is_dir() or not _OUR_FOLDERS.fullmatch(part.name):
            continue
        for file in sorted(part.iterdir()):
            if file not in kept and _OURS.fullmatch(file.name) and not file.is_symlink():
                file.unlink()
        if not any(part.iterdir()):
            part.rmdir()
    if not placed.files:
        (folder / _MARK).unlink()
        if not any(folder.iterdir()):
            folder.rmdir()
