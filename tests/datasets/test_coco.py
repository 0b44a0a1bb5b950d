"""COCO-style files: categories become tags, and what is missing is named."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.datasets.media_files import make_items

from conceptforest.datasets import coco
from conceptforest.datasets.coco import read_coco

ITEMS = make_items("train/1.jpg", "train/2.jpg")
SOUND = {
    "images": [{"id": 1, "file_name": "1.jpg"}, {"id": "b", "file_name": "train/2.jpg"}],
    "categories": [
        {"id": 1, "name": "person", "supercategory": "person"},
        {"id": 2, "name": "cat", "supercategory": "animal"},
        {"id": 3, "name": "thing"},
    ],
    "annotations": [
        {"image_id": 1, "category_id": 1, "bbox": [0, 0, 1, 1]},
        {"image_id": 1, "category_id": 2},
        {"image_id": "b", "category_id": 3},
        {"image_id": 1, "category_id": 2},
    ],
}


@pytest.fixture
def read(tmp_path):
    def read(content):
        path = tmp_path / "instances.json"
        text = json.dumps(content) if isinstance(content, dict | list) else content
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return read_coco(path, ITEMS)

    return read


def test_categories_are_paths_from_their_supercategories(read):
    found = read(SOUND)
    assert found.paths == {0: {("person",), ("animal", "cat")}}
    assert found.tags == {1: {"thing"}}
    assert found.notes[0].split("; ") == [
        "instances.json: 2 images, 4 annotations",
        "1 image matched by file name alone (first: '1.jpg').",
    ]


def test_images_of_different_folders_cannot_be_one_file(tmp_path):
    path = tmp_path / "instances.json"
    files = ["train/1.jpg", "test/1.jpg", "other/2.jpg", "train/3.jpg"]
    images = [{"id": k, "file_name": file} for k, file in enumerate(files)]
    annotations = [{"image_id": k, "category_id": 1} for k in range(len(files))]
    content = {
        "images": images,
        "annotations": annotations,
        "categories": [{"id": 1, "name": "cat"}],
    }
    path.write_text(json.dumps(content))
    found = read_coco(path, make_items("1.jpg", "2.jpg", "deep/3.jpg"))
    assert found.tags == {1: {"cat"}}
    assert found.notes[0].split("; ")[1:] == [
        "3 images matched by the end of the path (first: 'train/1.jpg')",
        "1 image not here (first: 'train/3.jpg')",
        "2 images left out, as those of different folders fit one file (first: 'train/1.jpg').",
    ]


def test_what_is_not_here_is_counted(read):
    images = [*SOUND["images"], {"id": 5, "file_name": "5.jpg"}, {"id": 6}, 7]
    annotations = [
        {"image_id": 5, "category_id": 1},
        {"image_id": 1, "category_id": 99},
        {"image_id": 1, "category_id": [1]},
        {"image_id": [], "category_id": 1},
        {"image_id": 1, "caption": "a cat"},
        {"image_id": 1, "category_id": 2},
    ]
    found = read(SOUND | {"images": images, "annotations": annotations})
    assert found.paths == {0: {("animal", "cat")}}
    assert found.notes[0].split("; ") == [
        "instances.json: 5 images, 6 annotations",
        "1 image matched by file name alone (first: '1.jpg')",
        "1 image not here (first: '5.jpg')",
        "2 records of images not usable (first: entry 3 has no file_name)",
        "2 annotations of an unknown image or category (first: image 1, category 99)",
        "2 records of annotations not usable (first: entry 3 has no sound image_id).",
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (SOUND | {"categories": None}, "it has no list 'categories'. It must have images, annot"),
        ({"images": []}, "it has no list 'categories'"),
        ({"annotations": []}, "it has no list 'images'"),
        (SOUND | {"images": [{"id": 1}]}, "no entry of its list 'images' has 'id' and 'file_name'"),
        (SOUND | {"annotations": [{}]}, "no entry of its list 'annotations' has 'image_id' and"),
        ([1], "it holds a list and not an object in braces"),
        ("{", "it is no sound JSON"),
        (b"\xff\xfe\x00", "it is no sound JSON"),
        ("[" * 100_000, "nested too deep"),
        ("1" * 5000, "it is no sound JSON"),
    ],
)
def test_what_is_no_coco_file_is_refused(read, content, message):
    with pytest.raises(ValueError, match=message) as caught:
        read(content)
    assert "instances.json" in str(caught.value)


def test_a_file_over_the_limit_is_refused_with_advice(read, monkeypatch):
    monkeypatch.setattr(coco, "MAX_BYTES", 100)
    with pytest.raises(ValueError, match=r"larger than 100 bytes. Write file names and categories"):
        read(SOUND)


values = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.sampled_from(["1.jpg", "a"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(
                ["id", "file_name", "name", "image_id", "category_id", "supercategory"]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=8,
)


@settings(deadline=None, max_examples=150)
@given(
    changes=st.dictionaries(
        st.sampled_from(list(SOUND)), values | st.lists(values, max_size=4), max_size=3
    ),
    data=st.binary(max_size=10),
    place=st.integers(0, 400),
)
def test_whatever_it_holds_it_is_read_or_refused(tmp_path_factory, changes, data, place):
    path = tmp_path_factory.getbasetemp() / "fuzzed.json"
    sound = json.dumps(SOUND).encode()
    mutated = sound[:place] + data + sound[place + len(data) :]
    for content in (json.dumps(SOUND | changes).encode(), mutated, data):
        path.write_bytes(content)
        try:
            read_coco(path, ITEMS)
        except ValueError as error:
            assert str(error).startswith("Cannot read ")  # noqa: PT017
