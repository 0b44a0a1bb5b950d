import os
import sqlite3
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from conceptforest.features import cache as cache_module
from conceptforest.features.cache import FeatureCache, digest_file

VECTOR = np.array([1.5, -2.0, 3.25], np.float32)


def aged(path, seconds=10):
    """Make a file look as if it had been written a while ago."""
    then = time.time() - seconds
    os.utime(path, (then, then))
    return path


def test_what_is_put_in_is_there_after_closing(tmp_path):
    with FeatureCache(tmp_path / "cache.db") as cache:
        cache.put_vector("d", "k", VECTOR)
        cache.put_thumbnail("d", 192, b"webp", 10, 20)
        cache.put_failure("e", "k", "it is empty")
    with FeatureCache(tmp_path / "cache.db") as cache:
        assert cache.vector("d", "k", 3).tobytes() == VECTOR.tobytes()
        assert cache.has_vector("d", "k", 3)
        assert cache.thumbnail("d", 192) == (b"webp", 10, 20)
        assert cache.has_thumbnail("d", 192)
        assert cache.failure("e", "k") == "it is empty"
        assert cache.notes == []


def test_what_is_not_there_is_none():
    with FeatureCache(None) as cache:
        cache.put_vector("d", "k", VECTOR)
        assert cache.vector("d", "other", 3) is None
        assert cache.vector("e", "k", 3) is None
        assert not cache.has_vector("e", "k", 3)
        assert cache.thumbnail("d", 192) is None
        assert not cache.has_thumbnail("d", 192)
        assert cache.failure("d", "k") is None


def test_a_vector_of_another_length_is_as_good_as_none():
    with FeatureCache(None) as cache:
        cache.put_vector("d", "k", VECTOR)
        assert cache.vector("d", "k", 4) is None
        assert not cache.has_vector("d", "k", 4)


def test_the_folder_is_made(tmp_path):
    with FeatureCache(tmp_path / "a" / "b" / "cache.db"):
        pass
    assert (tmp_path / "a" / "b" / "cache.db").exists()


def test_closing_twice_does_no_harm(tmp_path):
    cache = FeatureCache(tmp_path / "cache.db")
    cache.close()
    cache.close()


# --- Files ---------------------------------------------------------------------------------------


def test_the_digest_of_an_unchanged_file_is_known(tmp_path):
    path = tmp_path / os.fsdecode(b"name\xff\n.jpg")  # not text
    path.write_bytes(b"content")
    aged(path)
    with FeatureCache(None) as cache:
        cache.remember_file(path, path.stat(), "d")
        assert cache.known_digest(path, path.stat()) == "d"


@pytest.mark.parametrize("change", ["content", "time", "file"])
def test_a_changed_file_is_not_known(tmp_path, change):
    path = tmp_path / "a"
    path.write_bytes(b"content")
    aged(path)
    with FeatureCache(None) as cache:
        before = path.stat()
        cache.remember_file(path, before, "d")
        if change == "content":
            path.write_bytes(b"other content")
        elif change == "time":
            aged(path, 20)
        else:
            (tmp_path / "b").write_bytes(b"CONTENT")
            os.utime(tmp_path / "b", ns=(before.st_atime_ns, before.st_mtime_ns))
            (tmp_path / "b").replace(path)
        assert cache.known_digest(path, path.stat()) is None


def test_a_file_just_written_is_not_remembered(tmp_path):
    path = tmp_path / "a"
    path.write_bytes(b"content")
    with FeatureCache(None) as cache:
        cache.remember_file(path, path.stat(), "d")
        assert cache.known_digest(path, path.stat()) is None


def test_the_digest_depends_on_all_of_the_content(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_bytes(b"x" * 100)
    whole = digest_file(path)
    monkeypatch.setattr(cache_module, "_PIECE", 7)
    assert digest_file(path) == whole
    path.write_bytes(b"x" * 99 + b"y")
    assert digest_file(path) != whole
    assert len(whole) == 64


# --- Damage --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "content", [b"this is no database " * 100, b"SQLite format 3\0" + b"?" * 99]
)
def test_a_file_that_is_no_database_is_moved_aside(tmp_path, content):
    path = tmp_path / "cache.db"
    path.write_bytes(content)
    with FeatureCache(path) as cache:
        cache.put_vector("d", "k", VECTOR)
        assert "cache.db.damaged" in cache.notes[0]
    assert (tmp_path / "cache.db.damaged").read_bytes() == content
    with FeatureCache(path) as cache:
        assert cache.has_vector("d", "k", 3)


def test_a_second_damaged_file_does_not_replace_the_first(tmp_path):
    path = tmp_path / "cache.db"
    for text in (b"first " * 100, b"second " * 100):
        path.write_bytes(text)
        FeatureCache(path).close()
        path.unlink()
    assert (tmp_path / "cache.db.damaged").read_bytes().startswith(b"first")
    assert (tmp_path / "cache.db.damaged-2").read_bytes().startswith(b"second")


def test_damage_that_shows_later_begins_a_new_file(tmp_path):
    path = tmp_path / "cache.db"
    with FeatureCache(path) as cache:
        for number in range(200):
            cache.put_vector(f"d{number}", "k", np.zeros(500, np.float32))
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
    path = tmp_path / "cache.db"
    FeatureCache(path).close()
    database = sqlite3.connect(path)
    database.execute("PRAGMA user_version = 99")
    database.close()
    with FeatureCache(path) as cache:
        assert "version 99" in cache.notes[0]
        cache.put_vector("d", "k", VECTOR)
    assert (tmp_path / "cache.db.old").exists()


def test_a_database_of_something_else_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "photos.db"
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE photos (name TEXT)")
    database.commit()
    database.close()
    before = path.read_bytes()
    with pytest.raises(ValueError, match="something else"):
        FeatureCache(path)
    assert path.read_bytes() == before


def test_a_place_that_cannot_be_used_is_said_to_be(tmp_path):
    with pytest.raises(sqlite3.OperationalError, match="another place"):
        FeatureCache(tmp_path)
    with pytest.raises(TypeError, match="int"):
        FeatureCache(3)


# --- Kills and company ---------------------------------------------------------------------------


def test_what_was_saved_outlives_a_kill(tmp_path):
    path = tmp_path / "cache.db"
    program = f"""
import os, signal
import numpy as np
from conceptforest.features.cache import FeatureCache
cache = FeatureCache({str(path)!r})
cache.put_vector("saved", "k", np.ones(3, np.float32))
cache.commit()
cache.put_vector("lost", "k", np.ones(3, np.float32))
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", program], check=False)  # noqa: S603
    assert done.returncode == -9
    with FeatureCache(path) as cache:
        assert cache.has_vector("saved", "k", 3)
        assert not cache.has_vector("lost", "k", 3)
        assert cache.notes == []


def test_changes_are_saved_after_two_seconds_without_being_asked(tmp_path, monkeypatch):
    monkeypatch.setattr(cache_module, "_EVERY", 0.0)
    with FeatureCache(tmp_path / "cache.db") as cache:
        cache.put_vector("d", "k", VECTOR)
        with FeatureCache(tmp_path / "cache.db") as other:
            assert other.has_vector("d", "k", 3)


def test_threads_may_share_it(tmp_path):
    with FeatureCache(tmp_path / "cache.db") as cache:

        def work(thread):
            for number in range(50):
                cache.put_vector(f"{thread} {number}", "k", VECTOR)

        threads = [threading.Thread(target=work, args=(t,)) for t in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert all(cache.has_vector(f"{t} {n}", "k", 3) for t in range(4) for n in range(50))
