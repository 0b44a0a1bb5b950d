"""Reading Corel5k: both layouts give the same collection, and damage is named."""

import struct

import pytest
from tests.datasets.published_trees import COREL_WORDS, corel_eccv, corel_lists, hvecs, write

from conceptforest.datasets.corel5k import read_corel5k

BOTH = pytest.mark.parametrize("make", [corel_lists, corel_eccv])


@BOTH
def test_both_layouts_hold_the_same(tmp_path, make):
    found = read_corel5k(make(tmp_path))
    assert [item.name for item in found.items] == [
        "1000/1000.jpeg",
        "1000/1001.jpeg",
        "1000/1005.jpeg",
        "108000/108004.jpeg",
        "108000/108033.jpeg",
    ]
    assert found.tags.vocabulary == COREL_WORDS
    assert found.tags.matrix.toarray().tolist() == [
        [0, 0, 1, 1],
        [0, 0, 0, 0],
        [0, 1, 1, 0],
        [1, 0, 0, 0],
        [1, 0, 0, 1],
    ]
    assert found.class_names == ("1000", "108000")
    assert found.labels.tolist() == [0, 0, 0, 1, 1]
    assert found.name == "corel5k"
    assert all(item.kind == "image" and item.path.is_file() for item in found.items)


@BOTH
def test_a_missing_picture_is_skipped(tmp_path, make):
    make(tmp_path)
    (tmp_path / "1000" / "1001.jpeg").unlink()
    found = read_corel5k(tmp_path)
    assert found.n_items == found.tags.n_items == len(found.labels) == 4
    assert found.skipped[0].name.endswith("1001")
    assert found.skipped[0].reason == "it is listed, but there is no such picture"


@BOTH
def test_without_any_picture_it_says_where_to_put_them(tmp_path, make):
    make(tmp_path)
    for path in tmp_path.rglob("*.jpeg"):
        path.unlink()
    with pytest.raises(ValueError, match="None of the 5 listed pictures is below"):
        read_corel5k(tmp_path)


def test_the_dictionary_has_two_names(tmp_path):
    corel_lists(tmp_path)
    (tmp_path / "corel5k_words.txt").rename(tmp_path / "corel5k_dictionary.txt")
    assert read_corel5k(tmp_path).tags.vocabulary == COREL_WORDS


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("corel5k_train_annot.hvecs", b"\0" * 7, "it has 7 bytes; 3 pictures and 4 words take 30"),
        ("corel5k_train_annot.hvecs", b"", "it has 0 bytes"),
        (
            "corel5k_train_annot.hvecs",
            hvecs([()] * 2, 4) + struct.pack("<5H", 9, 0, 0, 0, 0),
            "vector 3 says that its length is 9; there are 4 words",
        ),
        (
            "corel5k_train_annot.hvecs",
            hvecs([()] * 2, 4) + struct.pack("<5H", 4, 0, 7, 0, 0),
            "vector 3 holds 7 at place 2; it must be 0 or 1",
        ),
        ("corel5k_train_list.txt", b"1000/1000\n../1001\n1000/1002\n", "line 2: '../1001' is no"),
        ("corel5k_train_list.txt", b"1000/1000\n1000/abc\n1000/1\n", "line 2: 'abc' is no whole"),
        ("corel5k_train_list.txt", b"\xff\n", "line 1: it is not UTF-8 text"),
        ("corel5k_train_list.txt", b"", "it is empty"),
        ("corel5k_words.txt", b"city\nsky\ncity\nsun\n", "line 3: the word 'city' is already"),
        ("corel5k_words.txt", b"city\n", "3 pictures and 1 words take 12"),
    ],
)
def test_a_damaged_list_is_named(tmp_path, file, content, message):
    corel_lists(tmp_path)
    path = write(tmp_path / file, content)
    with pytest.raises(ValueError, match=message) as caught:
        read_corel5k(tmp_path)
    changed = "corel5k_train_annot.hvecs" if content == b"city\n" else path.name
    assert changed in str(caught.value)


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("document_words", "1 2\n5 -99\n1\n", "line 2: 5 is not from -99 to 4"),
        ("document_words", "1 2\n0 -99\n1\n", "line 2: 0 is neither a word's number, from 1 to 4"),
        ("document_words", "1 2\n-5\n1\n", "line 2: -5 is neither"),
        ("document_words", "1 2\n1.5\n1\n", "line 2: '1.5' is no whole number"),
        ("document_words", "1 2\n", "it has 1 lines; 3 are expected"),
        ("document_words", "1\n1\n1\n1\n", "it has more than the 3 expected lines"),
        ("image_nums", "1000\nx\n108004\n", "line 2: 'x' is no whole number"),
        ("words", "city\nmountain\n\nsun\n", "line 3: the word is empty"),
    ],
)
def test_a_damaged_table_is_named(tmp_path, file, content, message):
    corel_eccv(tmp_path)
    path = write(tmp_path / file, content)
    with pytest.raises(ValueError, match=message) as caught:
        read_corel5k(tmp_path)
    assert str(path) in str(caught.value)


def test_a_picture_of_both_lists_is_an_error(tmp_path):
    corel_eccv(tmp_path)
    write(tmp_path / "test_1_image_nums", "1000\n108033\n")
    with pytest.raises(ValueError, match="hold the picture '1000' twice"):
        read_corel5k(tmp_path)


@pytest.mark.parametrize(
    ("make", "file"),
    [
        (corel_lists, "corel5k_words.txt"),
        (corel_lists, "corel5k_test_list.txt"),
        (corel_lists, "corel5k_test_annot.hvecs"),
        (corel_eccv, "words"),
        (corel_eccv, "test_1_document_words"),
    ],
)
def test_a_missing_file_is_named(tmp_path, make, file):
    make(tmp_path)
    (tmp_path / file).unlink()
    with pytest.raises(FileNotFoundError, match=f"There is no file '{file}' below"):
        read_corel5k(tmp_path)


def test_only_folders_are_read(tmp_path):
    with pytest.raises(TypeError, match="root is of type int"):
        read_corel5k(3)
    with pytest.raises(ValueError, match="it is no folder"):
        read_corel5k(write(tmp_path / "a.txt", "a"))
