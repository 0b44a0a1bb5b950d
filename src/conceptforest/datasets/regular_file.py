"""Opening files that someone else put there."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["open_regular"]

# A pipe would wait for a writer for ever; opened so, it does not.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


def open_regular(path: Path) -> BinaryIO:
    """Open a file for reading, or raise OSError if it is a pipe, a device or the like.

    Examples
    --------
    >>> from pathlib import Path
    >>> open_regular(Path("/"))
    Traceback (most recent call last):
    OSError: '/' is not a regular file
    """
    handle = os.open(path, _FLAGS)
    try:
        is_regular = stat.S_ISREG(os.fstat(handle).st_mode)
    except OSError:
        is_regular = False
    if not is_regular:
        os.close(handle)
        raise OSError(f"{str(path)!r} is not a regular file")
    return os.fdopen(handle, "rb")
