"""What has been computed of files, kept by their content, in one SQLite file.

Nothing is computed twice: not for a file that was renamed, copied or touched, and not after a run
was killed. The file is a cache: it may be deleted at any time.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

if TYPE_CHECKING:
    from types import TracebackType

    from numpy.typing import NDArray

__all__ = ["FeatureCache", "digest_file"]

_APPLICATION = 0x43464643  # "CFFC", in the header of our files
_VERSION = 1
_TABLES = """
CREATE TABLE IF NOT EXISTS files (
    path BLOB PRIMARY KEY, size INTEGER, mtime_ns INTEGER, inode INTEGER, digest TEXT
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS features (digest TEXT, key TEXT, vector BLOB, PRIMARY KEY (digest, key));
CREATE TABLE IF NOT EXISTS thumbnails (
    digest TEXT, size INTEGER, width INTEGER, height INTEGER, data BLOB, PRIMARY KEY (digest, size)
);
CREATE TABLE IF NOT EXISTS failures (digest TEXT, key TEXT, reason TEXT, PRIMARY KEY (digest, key));
"""
_EVERY = 2.0  # seconds after which a change is on the disk at the latest
_RACY_NS = 2 * 10**9  # a file this fresh may change again without its time telling
_PIECE = 2**20
_BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


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
    digest = hashlib.blake2b(digest_size=32)
    with Path(path).open("rb") as file:
        while piece := file.read(_PIECE):
            digest.update(piece)
    return digest.hexdigest()


class FeatureCache:
    """Vectors, thumbnails and failures by content.

    A file that is damaged or was written by another version is moved aside, and a new one begun;
    :attr:`notes` says so. Methods may be called from several threads, one at a time goes in.

    Parameters
    ----------
    path : str, path-like or None
        The SQLite file, made with its folder where missing. None keeps all in memory.

    Attributes
    ----------
    notes : list of str
        What a person should know, one sentence each.

    Examples
    --------
    >>> with FeatureCache(None) as cache:
    ...     cache.put_vector("d1", "classic-1", np.ones(3, np.float32))
    ...     cache.vector("d1", "classic-1", 3), cache.vector("d2", "classic-1", 3)
    (array([1., 1., 1.], dtype=float32), None)
    """

    def __init__(self, path: str | os.PathLike[str] | None = None) -> None:
        if path is not None and not isinstance(path, (str, os.PathLike)):
            raise TypeError(
                f"path is of type {type(path).__name__}; give the name of a file, or None."
            )
        self.path = None if path is None else Path(path)
        self.notes: list[str] = []
        self._lock = threading.RLock()
        self._saved = time.monotonic()
        if self.path is not None:
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
                self._database.commit()
            except sqlite3.ProgrammingError:  # closed already
                return
            self._database.close()

    def commit(self) -> None:
        """Save what is new."""
        with self._lock:
            self._database.commit()
            self._saved = time.monotonic()

    # --- Files -----------------------------------------------------------------------------------

    def known_digest(self, path: Path, status: os.stat_result) -> str | None:
        """Give the digest of a file that has not changed since it was read, or None."""
        found = self._find(
            "SELECT digest FROM files WHERE path=? AND size=? AND mtime_ns=? AND inode=?",
            (_file_key(path), status.st_size, status.st_mtime_ns, _signed(status.st_ino)),
        )
        return str(found[0]) if found else None

    def remember_file(self, path: Path, status: os.stat_result, digest: str) -> None:
        """Keep the digest of a file, with the status it had before it was read.

        A file that has just been written is not kept, since it could change once more within the
        same tick of the clock.
        """
        if time.time_ns() - status.st_mtime_ns < _RACY_NS:
            return
        row = (_file_key(path), status.st_size, status.st_mtime_ns, _signed(status.st_ino), digest)
        self._write("INSERT OR REPLACE INTO files VALUES (?, ?, ?, ?, ?)", row)

    # --- What was made of them -------------------------------------------------------------------

    def vector(self, digest: str, key: str, n_features: int) -> NDArray[np.float32] | None:
        """Give a vector of shape (n_features,), or None if there is none of that length."""
        found = self._find("SELECT vector FROM features WHERE digest=? AND key=?", (digest, key))
        if not found or not isinstance(found[0], bytes) or len(found[0]) != 4 * n_features:
            return None
        return np.frombuffer(found[0], dtype="<f4").astype(np.float32)

    def has_vector(self, digest: str, key: str, n_features: int) -> bool:
        """Tell whether :meth:`vector` would give one, without reading it."""
        found = self._find(
            "SELECT typeof(vector) = 'blob' AND length(vector) = ? FROM features"
            " WHERE digest=? AND key=?",
            (4 * n_features, digest, key),
        )
        return bool(found and found[0])

    def put_vector(self, digest: str, key: str, vector: NDArray[np.float32]) -> None:
        """Keep a vector."""
        data = np.asarray(vector, dtype="<f4").tobytes()
        self._write("INSERT OR REPLACE INTO features VALUES (?, ?, ?)", (digest, key, data))

    def thumbnail(self, digest: str, size: int) -> tuple[bytes, int, int] | None:
        """Give a thumbnail made for a square of that size, its width and its height, or None."""
        found = self._find(
            "SELECT data, width, height FROM thumbnails WHERE digest=? AND size=?", (digest, size)
        )
        return (bytes(found[0]), int(found[1]), int(found[2])) if found else None

    def has_thumbnail(self, digest: str, size: int) -> bool:
        """Tell whether :meth:`thumbnail` would give one, without reading it."""
        found = self._find("SELECT 1 FROM thumbnails WHERE digest=? AND size=?", (digest, size))
        return found is not None

    def put_thumbnail(self, digest: str, size: int, data: bytes, width: int, height: int) -> None:
        """Keep a thumbnail."""
        self._write(
            "INSERT OR REPLACE INTO thumbnails VALUES (?, ?, ?, ?, ?)",
            (digest, size, width, height, data),
        )

    def failure(self, digest: str, key: str) -> str | None:
        """Give the reason why that content gives no vector, or None if it is not known to fail."""
        found = self._find("SELECT reason FROM failures WHERE digest=? AND key=?", (digest, key))
        return str(found[0]) if found else None

    def put_failure(self, digest: str, key: str, reason: str) -> None:
        """Keep why some content gives no vector."""
        self._write("INSERT OR REPLACE INTO failures VALUES (?, ?, ?)", (digest, key, reason))

    # --- The database ----------------------------------------------------------------------------

    def _find(self, query: str, values: tuple[Any, ...]) -> tuple[Any, ...] | None:
        found: tuple[Any, ...] | None = self._execute(query, values)
        return found

    def _write(self, query: str, values: tuple[Any, ...]) -> None:
        with self._lock:
            self._execute(query, values)
            if time.monotonic() - self._saved > _EVERY:
                self.commit()

    def _execute(self, query: str, values: tuple[Any, ...]) -> Any:
        """Run a query and give its first row; a file that proves broken is begun anew."""
        with self._lock:
            try:
                return self._database.execute(query, values).fetchone()
            except sqlite3.DatabaseError as error:
                if not _is_broken(error):
                    raise
                self._database.close()
                self._move_aside("damaged", f"was damaged ({error})")
                self._database = self._open()
                return self._database.execute(query, values).fetchone()

    def _open(self) -> sqlite3.Connection:
        """Open the file, or begin a new one where there is none that can be used."""
        try:
            database = self._connect()
        except sqlite3.DatabaseError as error:
            if not _is_broken(error):
                raise sqlite3.OperationalError(
                    f"Cannot use {str(self.path)!r} as a cache ({error}). Give another place."
                ) from error
            self._move_aside("damaged", f"was damaged or no cache ({error})")
            return self._connect()
        application, version = (
            database.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("application_id", "user_version")
        )
        if application != _APPLICATION:
            database.close()
            raise ValueError(
                f"{str(self.path)!r} is a database of something else. Give another place for the"
                " cache."
            )
        if version != _VERSION:
            database.close()
            self._move_aside("old", f"is of version {version}, not {_VERSION}")
            return self._connect()
        return database

    def _connect(self) -> sqlite3.Connection:
        place = ":memory:" if self.path is None else self.path
        database = sqlite3.connect(place, timeout=60.0, check_same_thread=False)
        try:
            if not database.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]:
                database.executescript(
                    f"PRAGMA application_id = {_APPLICATION}; PRAGMA journal_mode = WAL;"
                    f"BEGIN IMMEDIATE; {_TABLES} PRAGMA user_version = {_VERSION}; COMMIT;"
                )
            # With a log written ahead, a kill loses nothing that was saved, and saving is cheap.
            database.execute("PRAGMA synchronous = NORMAL")
        except sqlite3.DatabaseError:
            database.close()
            raise
        return database

    def _move_aside(self, ending: str, why: str) -> None:
        if self.path is None:  # pragma: no cover - memory is not damaged
            return
        aside = self.path.with_name(f"{self.path.name}.{ending}")
        number = 1
        while aside.exists():
            number += 1
            aside = self.path.with_name(f"{self.path.name}.{ending}-{number}")
        self.path.replace(aside)
        for log in ("-wal", "-shm"):  # they belong to the old file and would spoil the new one
            self.path.with_name(self.path.name + log).unlink(missing_ok=True)
        self.notes.append(f"The cache {self.path.name} {why}; it is now {aside.name}.")


def _is_broken(error: sqlite3.DatabaseError) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _BROKEN


def _file_key(path: Path) -> bytes:
    return os.fsencode(Path(path).absolute())  # a name need not be text


def _signed(number: int) -> int:
    """Bring a number of 64 bits to what SQLite can hold."""
    return number - 2**64 if number >= 2**63 else number
