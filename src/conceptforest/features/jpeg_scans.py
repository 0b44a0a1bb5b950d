"""How often a JPEG file goes over its picture: once, or in many scans that refine it."""

from __future__ import annotations

import re
from typing import IO

__all__ = ["count_scans"]

_SCAN, _END = 0xDA, 0xD9
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}  # marks of the picture's header
_PROGRESSIVE = frozenset({0xC2, 0xC6, 0xCA, 0xCE})
_ALONE = frozenset({0x01, 0xD8})  # marks that nothing belongs to
# Within the data of a scan, FF is followed by 00 or by the mark of a restart.
_MARK = re.compile(rb"\xff+([^\x00\xff\xd0-\xd7])")
_PIECE = 2**13
_MOST_MARKS = 100_000  # no writer makes nearly as many


def count_scans(file: IO[bytes]) -> int:
    """Count the scans of a JPEG file that is at its beginning, as far as a decoder reads them.

    If the first scan tells the whole picture, a decoder reads no other one, and neither does this
    function. If it tells a part, the count is two at least, even where the rest is missing, since
    a decoder has to be ready for more.

    Parameters
    ----------
    file : binary file

    Returns
    -------
    int

    Examples
    --------
    >>> import io
    >>> from PIL import Image
    >>> def scans(progressive):
    ...     file = io.BytesIO()
    ...     Image.new("L", (8, 8)).save(file, "JPEG", progressive=progressive)
    ...     file.seek(0)
    ...     return count_scans(file)
    >>> scans(progressive=False), scans(progressive=True) > 1
    (1, True)
    """
    n_scans, n_channels, partial = 0, 1, False
    for _ in range(_MOST_MARKS):
        mark = _next_mark(file)
        if mark is None or mark == _END:
            return max(n_scans, 2) if n_scans else 0
        if mark in _ALONE:
            continue
        length = int.from_bytes(file.read(2), "big")
        head = file.read(max(0, min(length - 2, 6)))
        file.seek(max(0, length - 2 - len(head)), 1)
        if mark in _FRAMES and len(head) == 6:
            n_channels = head[5]
            partial = partial or mark in _PROGRESSIVE
        elif mark == _SCAN and head:
            n_scans += 1
            partial = partial or head[0] < n_channels
            if not partial:
                return 1
    return _MOST_MARKS


def _next_mark(file: IO[bytes]) -> int | None:
    """Go to just after the next mark and give its number."""
    last = b""
    while piece := file.read(_PIECE):
        found = _MARK.search(last + piece)
        if found:
            file.seek(found.end() - len(last) - len(piece), 1)
            return found.group(1)[0]
        last = b"\xff" if piece.endswith(b"\xff") else b""  # a mark may lie across two pieces
    return None
