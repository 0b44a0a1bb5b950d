import os

import pytest

from conceptforest.features import digest
from conceptforest.features.digest import digest_file


def test_the_digest_depends_on_all_of_the_content(tmp_path, monkeypatch):
    path = tmp_path / "a"
    path.write_bytes(b"x" * 100)
    whole = digest_file(path)
    monkeypatch.setattr(digest, "_PIECE", 7)
    assert digest_file(path) == whole
    path.write_bytes(b"x" * 99 + b"y")
    assert digest_file(path) != whole
    assert len(whole) == 64


def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(OSError, match="regular file"):
        digest_file(tmp_path / "pipe")
