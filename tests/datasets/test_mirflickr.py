"""Reading MIRFlickr-25k: tags above a count, and the classes of pictures of one topic."""

import pytest
from tests.datasets.published_trees import mirflickr, write

from conceptforest.datasets.mirflickr import read_mirflickr

TAGS = {1: ["sky", "blue"], 2: ["sky", "dog"], 3: [], 10: ["dog", "blue", "sky"], 11: None}
TOPICS = {
    "sky": [1, 2, 10],
    "animals": [2, 3],
    "dog": [2, 3],  # part of animals
    "clouds": [1],
    "night": [11, 400],
    "sky_r1": [3],
}


def test_tags_of_enough_pictures_are_the_vocabulary(tmp_path):
    found = read_mirflickr(mirflickr(tmp_path, TAGS), min_count=2)
    assert [item.name for item in found.items] == [
        "im1.jpg",
        "im10.jpg",
        "im11.jpg",
        "im2.jpg",
        "im3.jpg",
    ]
    assert found.tags.vocabulary == ("blue", "dog", "sky")
    assert found.tags.matrix.toarray().tolist() == [
        [1, 0, 1],
        [1, 1, 1],
        [0, 0, 0],
        [0, 1, 1],
        [0, 0, 0],
    ]
    assert found.labels is None
    assert found.truth is None
    assert "1 pictures have no tag file." in found.notes
    rare = read_mirflickr(tmp_path, min_count=3)
    assert rare.tags.vocabulary == ("sky",)
    assert "2 tags of fewer than 3 pictures are left out." in rare.notes


def test_by_default_a_tag_needs_twenty_pictures(tmp_path):
    tags = {i: ["a"] + ["b"] * (i < 20) for i in range(1, 22)}
    assert read_mirflickr(mirflickr(tmp_path, tags)).tags.vocabulary == ("a",)


def test_single_topic_keeps_pictures_of_one_general_topic(tmp_path):
    found = read_mirflickr(mirflickr(tmp_path, TAGS, TOPICS), min_count=1, single_topic=True)
    assert found.class_names == ("animals", "night", "sky")
    classes = {
        item.name: found.class_names[label]
        for item, label in zip(found.items, found.labels, strict=True)
    }
    assert classes == {
        "im1.jpg": "sky",
        "im10.jpg": "sky",
        "im11.jpg": "night",
        "im3.jpg": "animals",
    }
    assert found.tags.n_items == 4


@pytest.mark.parametrize("name", ["annotations", "mirflickr25k_annotations_v080"])
def test_the_folder_above_the_pictures_will_do(tmp_path, name):
    mirflickr(tmp_path / "mirflickr", TAGS, TOPICS)
    (tmp_path / "mirflickr" / "annotations").rename(tmp_path / name)
    found = read_mirflickr(tmp_path, min_count=1, single_topic=True)
    assert found.items[0].name == "mirflickr/im1.jpg"
    assert found.n_items == 4


def test_old_tag_files_are_read_as_latin_1(tmp_path):
    mirflickr(tmp_path, {1: []})
    write(tmp_path / "meta/tags/tags1.txt", "münchen\n".encode("latin-1"))
    assert read_mirflickr(tmp_path, min_count=1).tags.vocabulary == ("münchen",)


def test_what_is_no_file_is_skipped(tmp_path):
    mirflickr(tmp_path, TAGS)
    (tmp_path / "im7.jpg").mkdir()
    assert [one.name for one in read_mirflickr(tmp_path, min_count=1).skipped] == ["im7.jpg"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1\nx\n", "line 2: 'x' is no whole number"),
        ("1\n0\n", "line 2: 0 is not from 1 to"),
        ("1 2\n", "line 1: '1 2' is no whole number"),
        ("1\n\n2\n", "line 2: '' is no whole number"),
        ("9" * 30, "is no whole number"),
    ],
)
def test_a_damaged_topic_is_named(tmp_path, text, message):
    mirflickr(tmp_path, TAGS, TOPICS)
    path = write(tmp_path / "annotations" / "food.txt", text)
    with pytest.raises(ValueError, match=message) as caught:
        read_mirflickr(tmp_path, single_topic=True)
    assert str(path) in str(caught.value)


def test_a_huge_tag_file_is_refused(tmp_path):
    mirflickr(tmp_path, TAGS)
    write(tmp_path / "meta/tags/tags1.txt", b"a" * (2**20 + 1))
    with pytest.raises(ValueError, match=r"tags1\.txt.*it is longer than 1,048,576 bytes"):
        read_mirflickr(tmp_path)


def test_missing_parts_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"There is no picture im1\.jpg"):
        read_mirflickr(tmp_path)
    mirflickr(tmp_path, TAGS)
    with pytest.raises(FileNotFoundError, match="There is no folder 'annotations'"):
        read_mirflickr(tmp_path, single_topic=True)
    (tmp_path / "meta").rename(tmp_path / "else")
    with pytest.raises(FileNotFoundError, match="There is no folder 'meta/tags'"):
        read_mirflickr(tmp_path)


def test_no_picture_of_one_topic_is_an_error(tmp_path):
    mirflickr(tmp_path, {1: ["a"]}, {"sky": [1], "food": [1]})
    with pytest.raises(ValueError, match="No picture has exactly one general topic"):
        read_mirflickr(tmp_path, single_topic=True)


def test_bad_counts_are_refused(tmp_path):
    with pytest.raises(ValueError, match="min_count must be at least 1"):
        read_mirflickr(tmp_path, min_count=0)
