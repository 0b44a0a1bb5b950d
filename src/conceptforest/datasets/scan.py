"""Finding the pictures and videos in a folder and the folders below it."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from conceptforest.datasets.media import IMAGE_SUFFIXES, VIDEO_SUFFIXES, MediaItem, Skipped
from conceptforest.progress import working

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["scan_folder"]

# What systems and cameras leave behind; not worth a word.
IGNORED = frozenset({"__MACOSX", "@eaDir", "Thumbs.db"})


def scan_folder(
    root: str | os.PathLike[str], *, verbose: int = 0
) -> tuple[list[MediaItem], list[Skipped]]:
    """Find the pictures and videos in a folder and all folders below it.

    Files are told by how their names end, in any case of letters, and not opened. Names that begin
    with a dot are passed over.

    Links to folders are not followed. A link to a file is an item, unless the file itself or
    another link to it is one already.

    Parameters
    ----------
    root : str or path-like
        A folder.
    verbose : int, default=0
        Whether to show that something is going on.

    Returns
    -------
    items : list of MediaItem
        By name.
    skipped : list of Skipped
        Files that look like media but cannot be used, and folders that were not entered; by name.
        Bytes of a name that are no Unicode are written as escapes.

    Raises
    ------
    FileNotFoundError
        If there is no such folder.
    ValueError
        If it is not a folder, or may not be listed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "cat.JPG").write_bytes(b"a picture")
    ...     _ = (Path(folder) / "dog.png").write_bytes(b"")
    ...     items, skipped = scan_folder(folder)
    >>> [(item.name, item.kind) for item in items], skipped
    ([('cat.JPG', 'image')], [Skipped(name='dog.png', reason='it is empty')])
    """
    if not isinstance(root, (str, os.PathLike)):
        raise TypeError(f"path is of type {type(root).__name__}; give the name of a folder.")
    root = Path(root)
    if not root.exists():
        raise FileNotFoundError(f"There is no folder {str(root)!r}.")
    if not root.is_dir():
        raise ValueError(
            f"{str(root)!r} is not a folder. Give the folder that the pictures are in."
        )
    with working("looking for pictures and videos", show=bool(verbose)):
        return _Scan(root).run()


@dataclass
class _Scan:
    """One walk through a tree."""

    root: Path
    items: list[MediaItem] = field(default_factory=list)
    links: list[MediaItem] = field(default_factory=list)
    skipped: list[Skipped] = field(default_factory=list)

    def run(self) -> tuple[list[MediaItem], list[Skipped]]:
        # Links to folders are never entered, so the walk ends however they point.
        folders = [""]
        while folders:
            prefix = folders.pop()
            for entry in self.list(prefix):
                if entry.name.startswith(".") or entry.name in IGNORED:
                    continue
                name = prefix + entry.name
                if not entry.is_dir(follow_symlinks=False):
                    self.take(name, entry)
                elif _is_unicode(name):
                    folders.append(name + "/")
                else:
                    self.skip(name, "the folder's name is not valid Unicode. Rename it")
        self.take_links()
        self.items.sort(key=lambda item: item.name)
        self.skipped.sort(key=lambda each: (each.name, each.reason))
        return self.items, self.skipped

    def list(self, prefix: str) -> Iterator[os.DirEntry[str]]:
        try:
            with os.scandir(self.root / prefix) as entries:
                yield from entries
        except OSError as error:
            if not prefix:
                raise ValueError(f"Cannot list {str(self.root)!r}: {error.strerror}.") from error
            self.skip(prefix.rstrip("/"), f"the folder cannot be listed ({error.strerror})")

    def take(self, name: str, entry: os.DirEntry[str]) -> None:
        """Take in a file if it looks like a picture or a video; keep links for later."""
        is_link = entry.is_symlink()
        kind = _kind(entry.name)
        if kind is None and not is_link:
            return
        try:
            state = entry.stat()
        except OSError:  # ELOOP included
            if kind is not None:
                self.skip(name, "it is a link to nothing" if is_link else "it cannot be looked at")
            return
        if stat.S_ISDIR(state.st_mode):
            self.skip(name, "it is a link to a folder, and links to folders are not followed")
        elif kind is None:
            pass
        elif not stat.S_ISREG(state.st_mode):
            self.skip(name, "it is not a regular file")
        elif not state.st_size:
            self.skip(name, "it is empty")
        elif not _is_unicode(name):
            self.skip(name, "its name is not valid Unicode. Rename it")
        else:
            item = MediaItem(name, self.root / name, kind)
            (self.links if is_link else self.items).append(item)

    def take_links(self) -> None:
        """Make items of the links to files that are in the collection under no other name."""
        if not self.links:
            return
        real_root = os.path.realpath(self.root)
        known = {os.path.join(real_root, item.name): item.name for item in self.items}  # noqa: PTH118 - a hundred thousand
        n_files = len(known)
        for item in sorted(self.links, key=lambda item: item.name):
            target = os.path.realpath(item.path)
            other = known.setdefault(target, item.name)
            if len(known) > n_files:
                n_files += 1
                self.items.append(item)
                continue
            is_file = target == os.path.join(real_root, other)  # noqa: PTH118
            to = f"{other!r}" if is_file else f"the same file as {other!r}"
            self.skip(item.name, f"it is a link to {to}, which is in the collection")

    def skip(self, name: str, reason: str) -> None:
        self.skipped.append(Skipped(name.encode("utf-8", "backslashreplace").decode(), reason))


def _kind(name: str) -> Literal["image", "video"] | None:
    suffix = os.path.splitext(name)[1].lower()  # noqa: PTH122 - three times as fast
    if suffix in IMAGE_SUFFIXES:
        return "image"
    return "video" if suffix in VIDEO_SUFFIXES else None


def _is_unicode(name: str) -> bool:
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
