"""The folder that a discovery fills: which files it has, and that only one process writes them."""

from __future__ import annotations

import fcntl
import json
import re
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from conceptforest.whole_file import whole_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

__all__ = ["RunFolder", "RunFolderError", "claim"]

FORMAT = 1  # of settings.json and model/model.json; raise it when an older reader would misread
MARK = ".conceptforest"  # says that a folder is ours to write to, and is locked while we do
_SETTINGS = "settings.json"
_MOST_JSON = 64 * 2**20
_LEFT_BEHIND = re.compile(r"\..+\.[a-z0-9_]{8}\.tmp")  # by a whole file whose writer was killed


class RunFolderError(ValueError):
    """A folder that is no run, cannot be one, or is in use."""


def check_ours(folder: Path) -> None:
    """Refuse a folder that holds somebody's files: they might be overwritten."""
    if folder.exists() and not folder.is_dir():
        raise RunFolderError(f"'{folder}' is a file. Choose a folder with --out.")
    if folder.is_dir() and not (folder / MARK).exists() and any(folder.iterdir()):
        raise RunFolderError(
            f"'{folder}' holds files that conceptforest did not write, and none of them shall be"
            " overwritten. Choose a new or empty folder with --out."
        )


@contextmanager
def claim(folder: Path) -> Iterator[None]:
    """Make a folder ours, and keep other processes from writing to it.

    What a killed process left half-written is removed. If the work fails before it has written
    anything, so is the folder.
    """
    check_ours(folder)
    is_new = not folder.exists()
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with (folder / MARK).open("ab") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise RunFolderError(
                    f"Another process is writing to '{folder}'. Wait for it, or choose another"
                    " folder with --out."
                ) from error
            for path in sorted(folder.rglob(".*.tmp")):
                if _LEFT_BEHIND.fullmatch(path.name):
                    path.unlink(missing_ok=True)
            yield
    except BaseException:
        if is_new and [path.name for path in folder.iterdir()] == [MARK]:
            with suppress(OSError):
                (folder / MARK).unlink()
                folder.rmdir()
        raise


class RunFolder:
    """The files of a run.

    Parameters
    ----------
    root : Path

    Attributes
    ----------
    root : Path
    cache, report, features, concepts, suggestions, model : Path
        Features and thumbnails by content; the page; the features of the items, (n_items,
        n_features); the forest that groups; the forest that completes; what both need beside.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.cache = root / "cache.sqlite"
        self.report = root / "report.html"
        self.features = root / "features.npy"
        self.concepts = root / "model" / "concepts.safetensors"
        self.suggestions = root / "model" / "suggestions.safetensors"
        self.model = root / "model" / "model.json"

    def check_usable(self) -> None:
        """Refuse a folder that holds somebody's files."""
        check_ours(self.root)

    def write_settings(self, document: dict[str, Any]) -> None:
        """Write what was asked and found, which also says that the run is complete."""
        write_json(self.root / _SETTINGS, {"format": FORMAT, **document})

    def read_settings(self) -> dict[str, Any]:
        """Read them from a complete run."""
        if not self.root.is_dir():
            raise RunFolderError(
                f"There is no folder '{self.root}'. Give the folder of a run, which"
                " `conceptforest discover` makes."
            )
        if not (self.root / _SETTINGS).is_file():
            raise RunFolderError(
                f"'{self.root}' is not a complete run: it has no {_SETTINGS}. Run"
                " `conceptforest discover` again; what is done already is used."
            )
        document = read_json(self.root / _SETTINGS)
        features = document.get("features")
        if not isinstance(features, dict) or not {"name", "key", "words"} <= features.keys():
            raise RunFolderError(
                f"'{self.root / _SETTINGS}' is not of a run. Run `conceptforest discover` again."
            )
        return document

    def forget_completion(self) -> None:
        """Say that the run is not complete, before any of its files changes."""
        (self.root / _SETTINGS).unlink(missing_ok=True)


def write_json(path: Path, document: dict[str, Any]) -> None:
    """Write a document as a whole file."""
    text = json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False)
    with whole_file(path) as file:
        file.write(text.encode() + b"\n")


def read_json(path: Path) -> dict[str, Any]:
    """Read a document of this format; a damaged or later one is refused."""
    try:
        if path.stat().st_size > _MOST_JSON:
            raise RunFolderError(f"'{path}' is too large to be of a run.")
        document = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError) as error:
        if isinstance(error, RunFolderError):
            raise
        raise RunFolderError(
            f"Cannot read '{path}' ({error}). Run `conceptforest discover` again."
        ) from error
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        found = document.get("format") if isinstance(document, dict) else None
        raise RunFolderError(
            f"'{path}' has the format {found!r}, and this version reads {FORMAT}. Run"
            " `conceptforest discover` again with this version, or use the one that made it."
        )
    return document
