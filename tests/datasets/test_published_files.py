"""What the readers of published collections share."""

import os

import pytest
from tests.datasets.published_trees import write

from conceptforest.datasets import published_files
from conceptforest.datasets.published_files import (
    MAX_LINE,
    files_by_name,
    numbered_lines,
    read_csv_rows,
    text_lines,
)


def test_lines_are_numbered_and_empty_ones_at_the_end_do_not_count(tmp_path):
    path = write(tmp_path / "a.txt", " a \r\n\nb\n\n\n")
    assert list(numbered_lines(path)) == [(1, b"a"), (2, b""), (3, b"b")]
    assert len(list(numbered_lines(path, 3))) == 3


@pytest.mark.parametrize("read", [numbered_lines, text_lines, read_csv_rows])
def test_a_line_without_end_is_refused_before_it_fills_memory(tmp_path, read):
    path = write(tmp_path / "a.csv", b"a\n" + b"b" * (MAX_LINE + 5))
    with pytest.raises(ValueError, match=r"a\.csv', line 2: it is longer than 1,048,576"):
        list(read(path))


@pytest.mark.parametrize("read", [numbered_lines, text_lines, read_csv_rows])
def test_a_pipe_is_refused(tmp_path, read):
    os.mkfifo(tmp_path / "pipe.csv")
    with pytest.raises(ValueError, match="it is not a regular file"):
        list(read(tmp_path / "pipe.csv"))


@pytest.mark.parametrize("read", [numbered_lines, text_lines])
def test_what_becomes_a_pipe_after_a_look_at_it_is_not_read(tmp_path, monkeypatch, read):
    monkeypatch.setattr(published_files, "check_regular", lambda _: None)
    path = tmp_path / "pipe.csv"
    os.mkfifo(path)
    writer = os.open(path, os.O_RDWR | os.O_NONBLOCK)  # so that nothing waits for ever
    os.write(writer, b"a\n" * 8)
    try:
        with pytest.raises(ValueError, match="it is not a regular file"):
            next(iter(read(path)))
    finally:
        os.close(writer)


def test_of_files_of_one_name_the_nearest_is_found(tmp_path):
    for place in ("a/deep/List.txt", "c/LIST.txt", "b/list.TXT", "b/other.jpg"):
        write(tmp_path / place, "x")
    (tmp_path / "b" / "loop").symlink_to(tmp_path)
    assert files_by_name(tmp_path, (".txt",)) == {"list.txt": tmp_path / "b" / "list.TXT"}
