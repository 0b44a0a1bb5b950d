"""What has been computed of files, kept by their content, in one SQLite file.

Nothing is computed twice: not for a file that was renamed, copied or touched, and not after a run
was killed. The file is a cache: it may be deleted at any time.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from conceptforest.features.cache_file import (
    is_broken,
    move_aside,
    open_cache,
    open_read_only,
    refuse_use,
)

if TYPE_CHECKING:
    from types import TracebackType

    from numpy.typing import NDArray

__all__ = ["FeatureCache"]

_EVERY = 2.0  # seconds after which a change is on the disk at the latest
_MOST_UNSAVED = 500  # changes that are held in memory
_RACY_NS = 2 * 10**9  # a file this fresh may change again without its time telling
_MAX_THUMBNAIL = 2**24  # bytes
_MAX_TEXT = 1000  # characters of a digest or a reason
_INSERTS = {
    "files": "INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?)",
    "features": "INSERT OR REPLACE INTO features VALUES (?, ?, ?)",
    "thumbnails": "INSERT OR REPLACE INTO thumbnails VALUES (?, ?, ?, ?, ?)",
    "failures": "INSERT OR REPLACE INTO failures VALUES (?, ?, ?)",
}


class FeatureCache:
    """Vectors, thumbnails and failures by content.

    A cache that is damaged or was written by another version is moved aside, and a new one begun;
    :attr:`notes` says so. A file that is no cache is refused and left as it is. What the file holds
    is checked before it is given out. Methods may be called from several threads, one at a time
    goes in, and several programs may share a file: each writes for a moment at a time.

    Parameters
    ----------
    path : str, path-like or None
        The SQLite file, made with its folder where missing. None keeps all in memory.
    read_only : bool, default=False
        Nothing is made, written or moved, and nothing can be put in. A file that is missing or
        cannot be used counts as empty.

    Attributes
    ----------
    notes : list of str
        What a person should know, one sentence each.

    Raises
    ------
    ValueError
        If there is a file that is no cache.
    sqlite3.OperationalError
        If the place cannot be used, or another program does not let go of it.

    Examples
    --------
    >>> with FeatureCache(None) as cache:
    ...     cache.put_vector("d1", "classic-1", np.ones(3, np.float32))
    ...     cache.vector("d1", "classic-1", 3), cache.vector("d2", "classic-1", 3)
    (array([1., 1., 1.], dtype=float32), None)
    """

    def __init__(
        self, path: str | os.PathLike[str] | None = None, *, read_only: bool = False
    ) -> None:
        if path is not None and not isinstance(path, (str, os.PathLike)):
            raise TypeError(
                f"path is of type {type(path).__name__}; give the name of a file, or None."
            )
        self.path = None if path is None else Path(path)
        self.read_only = bool(read_only)
        self.notes: list[str] = []
        self._lock = threading.RLock()
        self._unsaved: dict[tuple[Any, ...], tuple[Any, ...]] = {}  # rows by table and key
        self._unsaved_since = 0.0
        if self.path is not None and not read_only:
            self.path.parent.mkdir(parents=True, exist_ok=True)
        self._database = self._open()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Save what is new and close the file. Closing twice does no harm."""
        with self._lock:
            try:
                self.commit()
            finally:
                self._database.close()

    def commit(self) -> None:
        """Save what is new."""
        with self._lock:
            if self._unsaved:
                self._careful(self._save)

    def commit_if_due(self) -> None:
        """Save what is new if some of it is two seconds old; costs nothing otherwise."""
        with self._lock:
            if self._unsaved and time.monotonic() - self._unsaved_since >= _EVERY:
                self.commit()

    # --- Files -----------------------------------------------------------------------------------

    def known_digest(self, path: Path, status: os.stat_result) -> str | None:
        """Give the digest of a file that has not changed since it was read, or None."""
        key = _file_key(path)
        found = self._find(
            ("files", key),
            "SELECT digest FROM files WHERE path=? AND size=? AND mtime_ns=? AND inode=?"
            " AND typeof(digest) = 'text' AND length(digest) <= ?",
            (key, status.st_size, status.st_mtime_ns, _signed(status.st_ino), _MAX_TEXT),
        )
        return str(found[0]) if found else None

    def remember_file(self, path: Path, status: os.stat_result, digest: str) -> None:
        """Keep the digest of a file, with the status it had before it was read.

        A file that has just been written is not kept, since it could change once more within the
        same tick of the clock.
        """
        if time.time_ns() - status.st_mtime_ns < _RACY_NS:
            return
        row = (status.st_size, status.st_mtime_ns, _signed(status.st_ino), digest)
        self._put("files", (_file_key(path),), row)

    # --- What was made of them -------------------------------------------------------------------

    def vector(self, digest: str, key: str, n_features: int) -> NDArray[np.float32] | None:
        """Give a vector of shape (n_features,), or None if there is none of that length.

        One that is not finite counts as none: none such is ever put in.
        """
        found = self._find(
            ("features", digest, key),
            "SELECT vector FROM features WHERE digest=? AND key=?"
            " AND typeof(vector) = 'blob' AND length(vector) = ?",
            (digest, key, 4 * n_features),
        )
        if not found:
            return None
        vector = np.frombuffer(found[0], dtype="<f4").astype(np.float32)
        return vector if np.isfinite(vector).all() else None

    def has_vector(self, digest: str, key: str, n_features: int) -> bool:
        """Tell whether :meth:`vector` would give one."""
        return self.vector(digest, key, n_features) is not None

    def put_vector(self, digest: str, key: str, vector: NDArray[np.float32]) -> None:
        """Keep a vector."""
        data = np.asarray(vector, dtype="<f4").tobytes()
        self._put("features", (digest, key), (data,))

    def thumbnail(self, digest: str, size: int) -> tuple[bytes, int, int] | None:
        """Give a thumbnail made for a square of that size, its width and its height, or None.

        What is no WebP, JPEG or PNG file, or has no size that fits, counts as none.
        """
        found = self._find(("thumbnails", digest, size), _THUMBNAIL, _thumbnail_key(digest, size))
        if not found or not _is_picture(found[0]):
            return None
        return bytes(found[0]), int(found[1]), int(found[2])

    def has_thumbnail(self, digest: str, size: int) -> bool:
        """Tell whether :meth:`thumbnail` would give one."""
        return self.thumbnail(digest, size) is not None

    def put_thumbnail(self, digest: str, size: int, data: bytes, width: int, height: int) -> None:
        """Keep a thumbnail, a WebP, JPEG or PNG file."""
        self._put("thumbnails", (digest, size), (width, height, data))

    def failure(self, digest: str, key: str) -> str | None:
        """Give the reason why that content gives no vector, or None if it is not known to fail."""
        found = self._find(
            ("failures", digest, key),
            "SELECT reason FROM failures WHERE digest=? AND key=?"
            " AND typeof(reason) = 'text' AND length(reason) <= ?",
            (digest, key, _MAX_TEXT),
        )
        return str(found[0]) if found and str(found[0]).isprintable() else None

    def put_failure(self, digest: str, key: str, reason: str) -> None:
        """Keep why some content gives no vector."""
        self._put("failures", (digest, key), (reason,))

    # --- The database ----------------------------------------------------------------------------

    def _find(
        self, place: tuple[Any, ...], query: str, values: tuple[Any, ...]
    ) -> tuple[Any, ...] | None:
        """Give the first row of a query about one row, which is saved first if it is new."""
        with self._lock:
            if place in self._unsaved:
                self.commit()
            found: tuple[Any, ...] | None = self._careful(
                lambda: self._database.execute(query, values).fetchone()
            )
            return found

    def _put(self, table: str, key: tuple[Any, ...], values: tuple[Any, ...]) -> None:
        """Hold a row until it is saved: other programs wait only while rows are being saved."""
        if self.read_only:
            raise ValueError(
                "This cache was opened to be read only. Open it without read_only to keep more."
            )
        with self._lock:
            if not self._unsaved:
                self._unsaved_since = time.monotonic()
            self._unsaved[(table, *key)] = (*key, *values)
            if len(self._unsaved) >= _MOST_UNSAVED:
                self.commit()
            self.commit_if_due()

    def _save(self) -> None:
        with self._database:  # all or nothing
            for (table, *_), row in self._unsaved.items():
                self._database.execute(_INSERTS[table], row)
        self._unsaved.clear()

    def _careful(self, work: Any) -> Any:
        """Do some work; a file that proves broken is begun anew, and the work done once more."""
        try:
            return work()
        except sqlite3.ProgrammingError:  # closed
            raise
        except sqlite3.DatabaseError as error:
            if not self.read_only and (self.path is None or not is_broken(error)):
                refuse_use(self.path, error)
            self._database.close()
            if self.path is not None and not self.read_only:
                why = f"was damaged ({error})"
                self.notes.append(move_aside(self.path, "damaged", why))
            self._database = self._open_after(error)
            return work()

    def _open(self) -> sqlite3.Connection:
        return (open_read_only if self.read_only else open_cache)(self.path, self.notes)

    def _open_after(self, error: sqlite3.DatabaseError) -> sqlite3.Connection:
        if not self.read_only or self.path is None:
            return self._open()
        self.notes.append(f"The cache {self.path.name} was damaged ({error}); it counts as empty.")
        return open_read_only(None, self.notes)


_THUMBNAIL = """
SELECT data, width, height FROM thumbnails WHERE digest=? AND size=?
AND typeof(data) = 'blob' AND length(data) <= ? AND typeof(width) = 'integer'
AND typeof(height) = 'integer' AND min(width, height) >= 1 AND max(width, height) <= ?
"""


def _thumbnail_key(digest: str, size: int) -> tuple[str, int, int, int]:
    return digest, size, _MAX_THUMBNAIL, size


def _is_picture(data: bytes) -> bool:
    riff = data[:4] == b"RIFF" and data[8:12] == b"WEBP"
    return riff or data.startswith((b"\xff\xd8\xff", b"\x89PNG\r\n\x1a\n"))


def _file_key(path: Path) -> bytes:
    return os.fsencode(Path(path).absolute())  # a name need not be text


def _signed(number: int) -> int:
    """Bring a number of 64 bits to what SQLite can hold."""
    return number - 2**64 if number >= 2**63 else number
