"""Files that a cache may use, those it moves aside, and those it must not touch."""

import os
import shutil
import sqlite3

import numpy as np
import pytest

from conceptforest.features.cache import FeatureCache

VECTOR = np.array([1.5, -2.0, 3.25], np.float32)
HEAD = b"SQLite format 3\0"
OURS = 0x43464643


def begun(path, n_vectors=0):
    with FeatureCache(path) as cache:
        for number in range(n_vectors):
            cache.put_vector(f"d{number}", "k", np.zeros(500, np.float32))
    return path


def executed(path, statement):
    database = sqlite3.connect(path)
    database.execute(statement)
    database.commit()
    database.close()


def state(folder):
    return {
        path.name: (path.read_bytes(), path.stat().st_mtime_ns) for path in sorted(folder.iterdir())
    }


# --- Files of others -----------------------------------------------------------------------------


def others():
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE photos (name TEXT)")
    return {
        "document": b"PK\x03\x04" + b"a thesis " * 100,
        "text": b"my notes",
        "cut database": HEAD,
        "damaged database": HEAD + b"?" * 99,
        "other database": database.serialize(),
    }


@pytest.mark.parametrize("kind", others())
@pytest.mark.parametrize("read_only", [False, True])
def test_a_file_that_is_no_cache_is_left_as_it_is(tmp_path, kind, read_only):
    path = tmp_path / "thesis.docx"
    path.write_bytes(others()[kind])
    before = state(tmp_path)
    if read_only:
        with FeatureCache(path, read_only=True) as cache:
            assert not cache.has_vector("d", "k", 3)
            assert "counts as empty" in cache.notes[0]
    else:
        with pytest.raises(ValueError, match=r"thesis\.docx' is something else .* another place"):
            FeatureCache(path)
    assert state(tmp_path) == before


def test_an_empty_file_becomes_a_cache(tmp_path):
    (tmp_path / "cache.db").touch()
    with FeatureCache(tmp_path / "cache.db") as cache:
        cache.put_vector("d", "k", VECTOR)
        assert cache.notes == []
    assert [path.name for path in tmp_path.iterdir()] == ["cache.db"]


def test_a_place_that_cannot_be_used_is_said_to_be(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(ValueError, match=r"regular file\)\. Give another place"):
            FeatureCache(path)
    (tmp_path / "link").symlink_to(tmp_path / "none")
    with pytest.raises(ValueError, match=r"No such file or directory\)\. Give another place"):
        FeatureCache(tmp_path / "link")
    with pytest.raises(TypeError, match="int"):
        FeatureCache(3)


# --- Our own -------------------------------------------------------------------------------------


def test_a_damaged_cache_is_moved_aside(tmp_path):
    path = begun(tmp_path / "cache.db")
    data = bytearray(path.read_bytes())
    data[100:] = b"\xaa" * (len(data) - 100)
    path.write_bytes(data)
    with FeatureCache(path) as cache:
        cache.put_vector("d", "k", VECTOR)
        assert "cache.db.damaged" in cache.notes[0]
    assert (tmp_path / "cache.db.damaged").read_bytes() == data
    with FeatureCache(path) as cache:
        assert cache.has_vector("d", "k", 3)


def test_a_second_damaged_file_does_not_replace_the_first(tmp_path):
    path = tmp_path / "cache.db"
    for number in (98, 99):
        executed(begun(path), f"PRAGMA user_version = {number}")
        FeatureCache(path).close()
    versions = []
    for name in ("cache.db.old", "cache.db.old-2"):
        database = sqlite3.connect(tmp_path / name)
        versions += database.execute("PRAGMA user_version").fetchone()
        database.close()
    assert versions == [98, 99]


def test_damage_that_shows_later_begins_a_new_file_with_what_is_new(tmp_path):
    path = begun(tmp_path / "cache.db", 200)
    data = bytearray(path.read_bytes())
    data[8192:] = b"\xaa" * (len(data) - 8192)  # all but the first two pages
    path.write_bytes(data)
    with FeatureCache(path) as cache:
        for number in range(200):
            cache.vector(f"d{number}", "k", 500)
            cache.put_vector(f"d{number}", "k", np.ones(500, np.float32))
        assert cache.notes
        assert cache.has_vector("d199", "k", 500)
    assert (tmp_path / "cache.db.damaged").exists()


def test_a_cache_of_another_version_is_moved_aside(tmp_path):
    path = begun(tmp_path / "cache.db")
    executed(path, "PRAGMA user_version = 99")
    with FeatureCache(path) as cache:
        assert "version 99" in cache.notes[0]
        cache.put_vector("d", "k", VECTOR)
    assert (tmp_path / "cache.db.old").exists()


@pytest.mark.parametrize(
    "change",
    [
        "DROP TABLE failures",
        "ALTER TABLE thumbnails DROP COLUMN width",
        "ALTER TABLE features RENAME COLUMN vector TO numbers",
        "CREATE TABLE more (x)",
        "CREATE TRIGGER t AFTER INSERT ON features BEGIN DELETE FROM features; END",
    ],
)
def test_a_cache_with_other_tables_is_moved_aside(tmp_path, change):
    path = begun(tmp_path / "cache.db")
    executed(path, change)
    with FeatureCache(path) as cache:
        assert "other tables" in cache.notes[0]
        cache.put_failure("d", "k", "it is empty")
        cache.put_vector("d", "k", VECTOR)
        assert cache.has_vector("d", "k", 3)
    assert (tmp_path / "cache.db.damaged").exists()


# --- Reading alone -------------------------------------------------------------------------------


def test_a_cache_that_is_only_read_is_not_changed(tmp_path):
    with FeatureCache(tmp_path / "cache.db") as cache:
        cache.put_vector("d", "k", VECTOR)
    before = state(tmp_path)
    with FeatureCache(tmp_path / "cache.db", read_only=True) as cache:
        assert cache.vector("d", "k", 3).tobytes() == VECTOR.tobytes()
        assert cache.notes == []
        with pytest.raises(ValueError, match="read only"):
            cache.put_vector("e", "k", VECTOR)
        assert state(tmp_path) == before
    assert state(tmp_path) == before


def test_what_another_program_has_saved_is_seen_without_writing(tmp_path):
    with FeatureCache(tmp_path / "cache.db") as writer:
        writer.put_vector("d", "k", VECTOR)
        writer.commit()
        before = state(tmp_path)
        assert "cache.db-wal" in before
        with FeatureCache(tmp_path / "cache.db", read_only=True) as cache:
            assert cache.has_vector("d", "k", 3)
        after = state(tmp_path)
        assert after.keys() == before.keys()
        for name in ("cache.db", "cache.db-wal"):  # the third is memory shared by all who read
            assert after[name] == before[name]


def test_a_missing_cache_counts_as_empty_and_is_not_made(tmp_path):
    with FeatureCache(tmp_path / "a" / "cache.db", read_only=True) as cache:
        assert not cache.has_vector("d", "k", 3)
        assert cache.failure("d", "k") is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["a?b.db", "a#b%20.db", "a b.db"])
def test_any_name_can_be_read(tmp_path, name):
    begun(tmp_path / name, 1)
    with FeatureCache(tmp_path / name, read_only=True) as cache:
        assert cache.has_vector("d0", "k", 500)


@pytest.mark.parametrize("change", ["version", "tables", "damage", "late damage", "log alone"])
def test_an_unusable_cache_counts_as_empty_and_is_left(tmp_path, change):
    path = begun(tmp_path / "cache.db", 200)
    if change == "version":
        executed(path, "PRAGMA user_version = 99")
    elif change == "tables":
        executed(path, "DROP TABLE features")
    elif change == "log alone":  # as after a copy of a cache that was in use
        with FeatureCache(path) as writer:
            writer.put_vector("new", "k", VECTOR)
            writer.commit()
            shutil.copy(tmp_path / "cache.db-wal", tmp_path / "log")
        shutil.move(tmp_path / "log", tmp_path / "cache.db-wal")
    else:
        data = bytearray(path.read_bytes())
        start = 100 if change == "damage" else 8192
        data[start:] = b"\xaa" * (len(data) - start)
        path.write_bytes(data)
    before = state(tmp_path)
    with FeatureCache(path, read_only=True) as cache:
        found = [cache.has_vector(f"d{number}", "k", 500) for number in range(200)]
        assert all(found) if change == "log alone" else cache.notes
    assert state(tmp_path) == before
