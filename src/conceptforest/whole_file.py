"""Files that are there whole or not at all: written beside their place, then renamed."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["whole_file"]


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[IO[bytes]]:
    """Open a file for writing that takes its place once it is complete.

    An older file of that name stays whole until then, and for good if anything fails.

    Parameters
    ----------
    path : str or path-like
        Its folder must exist.

    Yields
    ------
    binary file

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = Path(folder) / "names.txt"
    ...     with whole_file(place) as file:
    ...         _ = file.write(b"beach")
    ...         before = place.exists()
    ...     before, place.read_bytes()
    (False, b'beach')
    """
    place = Path(path)
    # A name may fill all the room that the file system gives; a cut one keeps the new one within.
    beside = os.fsdecode(os.fsencode(place.name)[:50])
    handle, name = tempfile.mkstemp(dir=place.parent, prefix=f".{beside}.", suffix=".tmp")
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        # A temporary file is its owner's alone; this one gets the rights of any new file. The mask
        # can only be read by setting it, so set the strictest for that moment.
        mask = os.umask(0o077)
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        temporary.replace(place)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
