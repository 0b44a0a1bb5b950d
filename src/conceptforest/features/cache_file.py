"""The SQLite file of a cache: opened, checked, and moved aside where it cannot be used.

No file is touched that does not say of itself, in its first bytes, that it is a cache of ours.
"""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING, NoReturn
from urllib.parse import quote

from conceptforest.datasets.regular_file import open_regular

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["is_broken", "move_aside", "open_cache", "open_read_only", "refuse_use"]

_APPLICATION = 0x43464643  # "CFFC", in the header of our files
_VERSION = 1  # raise it with any change of the tables
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
_TIMEOUT = 60.0  # seconds to wait while another program writes
_MAGIC = b"SQLite format 3\0"
_HEADER = 100  # bytes at the beginning of a SQLite file
_BROKEN = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)


def open_cache(path: Path | None, notes: list[str]) -> sqlite3.Connection:
    """Open a cache for reading and writing, or begin one where there is none that can be used.

    Parameters
    ----------
    path : Path or None
        None is a new one in memory.
    notes : list of str
        Gets a sentence if a file was moved aside.

    Raises
    ------
    ValueError
        If there is a file that is no cache; it is left as it is.
    sqlite3.OperationalError
        If the place cannot be used, or another program does not let go of it.
    """
    if path is None:
        return _connect(":memory:")
    if path.exists() or path.is_symlink():
        _check_ours(path)
    try:
        database = _connect(path)
        fault = _fault(database)
    except sqlite3.DatabaseError as error:
        if not is_broken(error):
            refuse_use(path, error)
        notes.append(move_aside(path, "damaged", f"was damaged ({error})"))
        return _connect(path)
    if fault is None:
        return database
    database.close()
    notes.append(move_aside(path, *fault))
    return _connect(path)


def open_read_only(path: Path | None, notes: list[str]) -> sqlite3.Connection:
    """Open a cache without writing or making anything; one that cannot be used counts as empty."""
    if path is None or not path.exists():
        return _connect(":memory:")
    log, shared = (path.with_name(path.name + ending) for ending in ("-wal", "-shm"))
    # With a log, another program may be writing: what it has saved is seen. Without one, SQLite is
    # told that nothing changes, since it would make a log otherwise.
    mode = "readonly_shm=1" if log.exists() and shared.exists() else "immutable=1"
    place = f"file:{quote(str(path.absolute()))}?mode=ro&{mode}"
    try:
        _check_ours(path)
        database = sqlite3.connect(place, timeout=_TIMEOUT, check_same_thread=False, uri=True)
        fault = _fault(_tame(database))
    except (sqlite3.DatabaseError, ValueError, OSError) as error:
        fault = ("damaged", f"cannot be used ({error})")
    if fault is None:
        return database
    notes.append(f"The cache {path.name} {fault[1]}; it counts as empty.")
    return _connect(":memory:")


def is_broken(error: sqlite3.DatabaseError) -> bool:
    """Tell whether it is the file that is damaged."""
    return _code(error) in _BROKEN


def refuse_use(path: Path | None, error: sqlite3.DatabaseError) -> NoReturn:
    """Raise an error of SQLite again, with the name of the file and what to do."""
    if _code(error) in _BUSY:
        raise sqlite3.OperationalError(
            f"{str(path)!r} has been in use by another program for {_TIMEOUT:.0f} seconds"
            f" ({error}). Wait until that is done, or give another place for the cache."
        ) from error
    raise sqlite3.OperationalError(
        f"Cannot use {str(path)!r} as a cache ({error}). Give another place."
    ) from error


def move_aside(path: Path, ending: str, why: str) -> str:
    """Rename a cache of ours and give a sentence about it."""
    _check_ours(path)
    aside = path.with_name(f"{path.name}.{ending}")
    number = 1
    while aside.exists() or aside.is_symlink():
        number += 1
        aside = path.with_name(f"{path.name}.{ending}-{number}")
    path.replace(aside)
    for log in ("-wal", "-shm"):  # they belong to the old file and would spoil the new one
        path.with_name(path.name + log).unlink(missing_ok=True)
    return f"The cache {path.name} {why}; it is now {aside.name}."


def _check_ours(path: Path) -> None:
    """Refuse a file that is neither empty nor begins as our caches do."""
    try:
        with open_regular(path) as file:
            head = file.read(_HEADER)
    except OSError as error:
        raise ValueError(
            f"Cannot use {str(path)!r} as a cache ({error.strerror or 'it is no regular file'})."
            " Give another place for the cache."
        ) from error
    ours = head.startswith(_MAGIC) and head[68:72] == _APPLICATION.to_bytes(4, "big")
    if head and not ours:
        raise ValueError(
            f"{str(path)!r} is something else than a cache of features, and is left as it is. Give"
            " another place for the cache, or the name of a file that is not there yet."
        )


def _code(error: sqlite3.DatabaseError) -> int:
    return int(getattr(error, "sqlite_errorcode", 0)) & 0xFF


def _tame(database: sqlite3.Connection) -> sqlite3.Connection:
    """Prepare for a file that someone else may have made."""
    database.text_factory = lambda data: data.decode("utf-8", "replace")
    database.execute("PRAGMA trusted_schema = OFF")
    return database


def _connect(place: str | Path) -> sqlite3.Connection:
    # Each transaction is begun for writing: so it waits for its turn, and does not fail half way.
    database = sqlite3.connect(
        place, timeout=_TIMEOUT, check_same_thread=False, isolation_level="IMMEDIATE"
    )
    try:
        _tame(database)
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


def _fault(database: sqlite3.Connection) -> tuple[str, str] | None:
    """Say what is wrong with an open file: the ending for its new name, and a phrase."""
    try:
        (version,) = database.execute("PRAGMA user_version").fetchone()
        if version != _VERSION:
            return "old", f"is of version {version}, not {_VERSION}"
        wanted = _connect(":memory:")
        same = _layout(database) == _layout(wanted)
        wanted.close()
    except sqlite3.DatabaseError:
        database.close()
        raise
    return None if same else ("damaged", "has other tables than it should have")


def _layout(database: sqlite3.Connection) -> list[tuple[str, ...]]:
    """List all tables and what else there is, such as triggers, with their definitions."""
    rows = database.execute("SELECT type, name, tbl_name, sql FROM sqlite_master")
    return sorted(tuple(" ".join(str(value).split()) for value in row) for row in rows)
