"""Tags from files beside the pictures, or at the same places in another folder."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from conceptforest.datasets import xmp
from conceptforest.datasets.embedded import read_embedded
from conceptforest.datasets.found_tags import Faults, FoundTags, count, sentence
from conceptforest.datasets.rdf_tags import WrittenTags
from conceptforest.datasets.regular_file import open_regular
from conceptforest.datasets.svg_tags import read_svg
from conceptforest.progress import progress_bar

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from conceptforest.datasets.media import MediaItem

__all__ = ["read_all_embedded", "read_sidecars"]


def read_sidecars(
    folder: Path, items: Sequence[MediaItem], *, svg: bool = False, title: str, verbose: int = 0
) -> FoundTags:
    """Read the XMP files that go with items and, if wanted, the SVG drawings.

    Parameters
    ----------
    folder : Path
        The folder of the collection, or one laid out like it.
    items : sequence of MediaItem
        To ``a/b.png`` belong ``a/b.png.xmp``, ``a/b.xmp`` and ``a/b.svg``, in any case of letters.
    svg : bool, default=False
        Whether to read SVG drawings.
    title : str
        What to call the folder in notes.
    verbose : int, default=0
        Whether to show progress.

    Returns
    -------
    FoundTags

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from conceptforest.datasets.media import MediaItem
    >>> drawing = '<svg xmlns:d="http://purl.org/dc/elements/1.1/" d:subject="bird"/>'
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "owl.svg").write_text(drawing)
    ...     item = MediaItem("owl.png", Path("owl.png"), "image")
    ...     found = read_sidecars(Path(folder), [item], svg=True, title="drawings")
    >>> dict(found.tags), found.notes
    ({0: {'bird'}}, ['drawings: files with tags for 1 of 1 item.'])
    """
    found, faults, folders, having = FoundTags(), Faults(), _Folders(folder), 0
    with progress_bar(f"tags from {title}", len(items), show=bool(verbose)) as update:
        for k, item in enumerate(items):
            if update is not None:
                update(k + 1)
            parent, _, base = item.name.rpartition("/")
            stem = base.rpartition(".")[0]
            wanted = [f"{base}.xmp", f"{stem}.xmp", *([f"{stem}.svg"] if svg else [])]
            files = [file for name in wanted if (file := folders.find(parent, name))]
            having += bool(files)
            for file in files:
                try:
                    found.add(k, _read(folder / file))
                except (OSError, ValueError) as error:
                    why = getattr(error, "strerror", None) or error
                    faults.add("{} cannot be read", "file", f"{file!r}: {why}")
    phrases = [f"files with tags for {having:,} of {count(len(items), 'item')}"]
    found.notes.append(sentence(title, [*phrases, *faults.phrases()]))
    return found


class _Folders:
    """The names in a folder and those below it, each listed once."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.parent: str | None = None
        self.names: set[str] = set()
        self.lowered: dict[str, str] = {}

    def find(self, parent: str, name: str) -> str:
        """Give the place of a file, from the root, or nothing."""
        if parent != self.parent:  # items come by name, so those of a folder mostly together
            self.parent = parent
            try:
                names = sorted(os.listdir(self.root / parent), reverse=True)  # noqa: PTH208
            except OSError:
                names = []
            names = [each for each in names if each.lower().endswith((".xmp", ".svg"))]
            self.names = set(names)
            self.lowered = {each.lower(): each for each in names}
        there = name if name in self.names else self.lowered.get(name.lower())
        return f"{parent}/{there}".lstrip("/") if there else ""


def _read(path: Path) -> WrittenTags:
    if path.suffix.lower() == ".svg":
        return read_svg(path)
    with open_regular(path) as file:
        return xmp.read_xmp(file.read(xmp.MAX_BYTES + 1))


def read_all_embedded(items: Sequence[MediaItem], *, verbose: int = 0) -> FoundTags:
    """Read the tags that picture files carry in themselves.

    Parameters
    ----------
    items : sequence of MediaItem
        Videos among them are passed over.
    verbose : int, default=0
        Whether to show progress.

    Returns
    -------
    FoundTags

    Examples
    --------
    >>> read_all_embedded([]).notes
    ['embedded: tags within 0 of 0 pictures.']
    """
    found, faults, pictures, having = FoundTags(), Faults(), 0, 0
    with progress_bar("tags within the pictures", len(items), show=bool(verbose)) as update:
        for k, item in enumerate(items):
            if update is not None:
                update(k + 1)
            if item.kind != "image":
                continue
            pictures += 1
            try:
                written, problem = read_embedded(item.path)
            except OSError as error:
                written, problem = WrittenTags(), error.strerror or str(error)
            having += written != WrittenTags()
            found.add(k, written)
            if problem is not None:
                faults.add("{} with damaged metadata", "picture", f"{item.name!r}: {problem}")
    phrases = [f"tags within {having:,} of {count(pictures, 'picture')}"]
    found.notes.append(sentence("embedded", [*phrases, *faults.phrases()]))
    return found
