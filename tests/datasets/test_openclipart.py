"""Reading openclipart: PNGs with the tags of their SVGs, and folders as classes."""

import pytest
from PIL import Image
from tests.datasets.published_trees import svg, write

from conceptforest.datasets.media_folder import read_media
from conceptforest.datasets.openclipart import read_openclipart

DRAWINGS = {
    "animals/birds/owl": ("animal", "bird"),
    "animals/cat": ("animal", "cat"),
    "food/apple": ("fruit",),
    "food/untagged": (),
}


def make(root):
    for name, tags in DRAWINGS.items():
        path = root / "png" / f"{name}.png"
        path.parent.mkdir(parents=True, exist_ok=True)
        Image.new("RGB", (1, 1)).save(path)
        write(root / "svg" / f"{name}.svg", svg(*tags))
    return root


def test_tags_come_from_the_drawing_of_the_same_name(tmp_path):
    found = read_openclipart(make(tmp_path))
    assert found.name == "openclipart"
    assert [item.name for item in found.items] == sorted(f"{name}.png" for name in DRAWINGS)
    matrix = found.tags.matrix.toarray()
    for row, item in enumerate(found.items):
        tags = {tag for tag, on in zip(found.tags.vocabulary, matrix[row], strict=True) if on}
        assert tags == set(DRAWINGS[item.name.removesuffix(".png")])


def test_the_tag_that_no_author_gave_is_left_out(tmp_path):
    make(tmp_path)
    assert not any("hash" in note for note in read_openclipart(tmp_path).notes)
    write(tmp_path / "svg/food/apple.svg", svg("hash", "fruit"))
    write(tmp_path / "svg/food/untagged.svg", svg("hash"))
    found = read_openclipart(tmp_path)
    assert found.tags.vocabulary == ("animal", "bird", "cat", "fruit")
    assert found.tags.matrix.toarray().sum(axis=1).tolist() == [2, 2, 1, 0]
    assert found.notes[-1].startswith("The tag 'hash' of 2 drawings was left out: the conversion")
    assert "hash" in read_media(tmp_path / "png", tmp_path / "svg").tags.vocabulary


def test_classes_are_the_top_folders(tmp_path):
    make(tmp_path)
    Image.new("RGB", (1, 1)).save(tmp_path / "png" / "loose.png")
    found = read_openclipart(tmp_path)
    assert found.class_names == ("(no folder)", "animals", "food")
    classes = [found.class_names[label] for label in found.labels]
    assert classes == ["animals", "animals", "food", "food", "(no folder)"]


@pytest.mark.parametrize("part", ["png", "svg"])
def test_missing_packages_are_named(tmp_path, part):
    make(tmp_path)
    (tmp_path / part).rename(tmp_path / "else")
    message = f"{part}'. Install the packages with: apt-get install openclipart-png openclipart-svg"
    with pytest.raises(FileNotFoundError, match=message):
        read_openclipart(tmp_path)
