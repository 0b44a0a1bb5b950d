"""Contents told apart by their digests."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import IO, TYPE_CHECKING

from conceptforest.datasets.regular_file import open_regular

if TYPE_CHECKING:
    import os

__all__ = ["digest_file", "digest_open"]

_PIECE = 2**20


def digest_file(path: str | os.PathLike[str]) -> str:
    """Give the BLAKE2b digest (256 bits, hexadecimal) of what a file holds.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "a"
    ...     _ = path.write_bytes(b"beach")
    ...     digest_file(path)[:16]
    '17ed6918a223e0b1'
    """
    with open_regular(Path(path)) as file:
        return digest_open(file)


def digest_open(file: IO[bytes]) -> str:
    """Give the same digest of what an open file holds from its place on.

    Examples
    --------
    >>> import io
    >>> digest_open(io.BytesIO(b"beach"))[:16]
    '17ed6918a223e0b1'
    """
    digest = hashlib.blake2b(digest_size=32)
    while piece := file.read(_PIECE):
        digest.update(piece)
    return digest.hexdigest()
