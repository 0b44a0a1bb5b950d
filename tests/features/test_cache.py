import os
import sqlite3
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from conceptforest.features import cache as cache_module
from conceptforest.features import cache_file
from conceptforest.features.cache import FeatureCache

VECTOR = np.array([1.5, -2.0, 3.25], np.float32)
WEBP = b"RIFF\x04\0\0\0WEBP"


def aged(path, seconds=10):
    """Make a file look as if it had been written a while ago."""
    then = time.time() - seconds
    os.utime(path, (then, then))
    return path


def test_what_is_put_in_is_there_after_closing(tmp_path):
    with FeatureCache(tmp_path / "cache.db") as cache:
        cache.put_vector("d", "k", VECTOR)
        cache.put_thumbnail("d", 192, WEBP, 10, 20)
        cache.put_failure("e", "k", "it is empty")
    with FeatureCache(tmp_path / "cache.db") as cache:
        assert cache.vector("d", "k", 3).tobytes() == VECTOR.tobytes()
        assert cache.has_vector("d", "k", 3)
        assert cache.thumbnail("d", 192) == (WEBP, 10, 20)
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


def test_no_lock_is_held_while_changes_wait(tmp_path):
    with FeatureCache(tmp_path / "cache.db") as cache:
        cache.put_vector("d", "k", VECTOR)
        other = sqlite3.connect(tmp_path / "cache.db", timeout=0)
        other.execute("BEGIN IMMEDIATE")
        other.rollback()
        other.close()


def test_many_changes_are_not_all_held_in_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(cache_module, "_MOST_UNSAVED", 10)
    with FeatureCache(tmp_path / "cache.db") as cache:
        for number in range(25):
            cache.put_vector(f"d{number}", "k", VECTOR)
        with FeatureCache(tmp_path / "cache.db") as other:
            assert sum(other.has_vector(f"d{number}", "k", 3) for number in range(25)) == 20


def test_a_change_is_saved_when_it_is_due_and_someone_asks(tmp_path, monkeypatch):
    with FeatureCache(tmp_path / "cache.db") as cache, FeatureCache(tmp_path / "cache.db") as other:
        cache.put_vector("d", "k", VECTOR)
        cache.commit_if_due()
        assert not other.has_vector("d", "k", 3)
        monkeypatch.setattr(cache_module, "_EVERY", 0.0)
        cache.commit_if_due()
        assert other.has_vector("d", "k", 3)


def test_a_file_that_stays_locked_is_named(tmp_path, monkeypatch):
    path = tmp_path / "cache.db"
    FeatureCache(path).close()
    monkeypatch.setattr(cache_file, "_TIMEOUT", 0.05)
    other = sqlite3.connect(path)
    cache = FeatureCache(path)
    other.execute("BEGIN IMMEDIATE")
    cache.put_vector("d", "k", VECTOR)
    with pytest.raises(sqlite3.OperationalError, match=r"cache\.db' has been in use by another"):
        cache.commit()
    other.rollback()
    other.close()
    cache.close()  # what could not be saved was kept
    with FeatureCache(path) as again:
        assert again.has_vector("d", "k", 3)


def test_programs_that_begin_a_cache_together_all_succeed(tmp_path):
    program = f"""
import numpy as np, sys
from conceptforest.features.cache import FeatureCache
with FeatureCache({str(tmp_path / "cache.db")!r}) as cache:
    for number in range(30):
        cache.put_vector(sys.argv[1] + str(number), "k", np.ones(3, np.float32))
        cache.commit()
"""
    command = [sys.executable, "-c", program]
    running = [subprocess.Popen([*command, name]) for name in "abc"]  # noqa: S603
    assert [one.wait(60) for one in running] == [0, 0, 0]
    with FeatureCache(tmp_path / "cache.db") as cache:
        assert all(cache.has_vector(f"{n}{i}", "k", 3) for n in "abc" for i in range(30))


# --- What a file holds is not trusted ------------------------------------------------------------


def changed(path, statement, *values):
    database = sqlite3.connect(path)
    database.execute(statement, values)
    database.commit()
    database.close()


@pytest.fixture
def filled(tmp_path):
    path = tmp_path / "cache.db"
    with FeatureCache(path) as cache:
        cache.put_vector("d", "k", VECTOR)
        cache.put_thumbnail("d", 192, WEBP, 10, 20)
        cache.put_failure("d", "k", "it is empty")
    return path


@pytest.mark.parametrize(
    "value",
    [
        "text of12",
        7,
        None,
        np.array([1, np.nan, 2], "<f4").tobytes(),
        b"\0" * 16,
        b"\xff\xff\x7f\x7f",
    ],
)
def test_a_vector_that_is_no_vector_counts_as_none(filled, value):
    changed(filled, "UPDATE features SET vector = ?", value)
    with FeatureCache(filled) as cache:
        assert cache.vector("d", "k", 3) is None
        assert not cache.has_vector("d", "k", 3)


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("data", "text"),
        ("data", b"<svg onload='x'/>"),
        ("data", None),
        ("data", b"RIFF\0\0\0\0WAVE"),
        ("width", "wide"),
        ("width", 0),
        ("height", 2**40),
        ("height", None),
    ],
)
def test_a_thumbnail_that_is_no_picture_counts_as_none(filled, column, value):
    changed(filled, f"UPDATE thumbnails SET {column} = ?", value)  # noqa: S608
    with FeatureCache(filled) as cache:
        assert cache.thumbnail("d", 192) is None
        assert not cache.has_thumbnail("d", 192)


def test_a_thumbnail_of_too_many_bytes_counts_as_none(filled, monkeypatch):
    monkeypatch.setattr(cache_module, "_MAX_THUMBNAIL", len(WEBP) - 1)
    with FeatureCache(filled) as cache:
        assert cache.thumbnail("d", 192) is None


@pytest.mark.parametrize("value", [b"\xff", 3.5, "\x1b[2J", "x" * 2000])
def test_a_reason_that_is_no_reason_counts_as_none(filled, value):
    changed(filled, "UPDATE failures SET reason = ?", value)
    with FeatureCache(filled) as cache:
        assert cache.failure("d", "k") in (None, "3.5")  # SQLite makes text of numbers


def test_text_that_is_none_does_not_stop_a_run(filled):
    changed(filled, "UPDATE failures SET reason = CAST(x'fffe' AS TEXT)")
    with FeatureCache(filled) as cache:
        assert cache.failure("d", "k") != "it is empty"
