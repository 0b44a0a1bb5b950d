"""A folder and its tags: where they come from, how they are cleaned, and what is said of it."""

import json
import os
import sys
from pathlib import Path

import pytest
from tests.datasets.media_files import (
    iptc_block,
    jpeg,
    laughs,
    make_tree,
    png,
    svg_drawing,
    xmp_packet,
)

from conceptforest.datasets.media_folder import read_media
from conceptforest.datasets.tag_text import clean_tag, merge_case
from conceptforest.tags import resolve_layers

CLIPART = Path("/usr/share/openclipart")


def tags_of(collection):
    """Give the sorted tags of each item that has any."""
    matrix, names = collection.tags.matrix, collection.tags.vocabulary
    rows = [
        [names[j] for j in matrix.indices[matrix.indptr[k] : matrix.indptr[k + 1]]]
        for k in range(collection.n_items)
    ]
    return {item.name: row for item, row in zip(collection.items, rows, strict=True) if row}


# --- Sources -------------------------------------------------------------------------------------


def test_by_default_sidecars_embedded_tags_and_metadata_tables_are_joined(tmp_path):
    make_tree(
        tmp_path,
        {
            "1.jpg": jpeg(xmp=xmp_packet(["inside"]), iptc=iptc_block([b"older"])),
            "1.jpg.xmp": xmp_packet(["beside"]),
            "2.png": png(),
            "2.XMP": xmp_packet(["upper"]),
            "train/3.jpg": jpeg(),
            "train/metadata.csv": "file_name,tags\n3.jpg,table\n",
            "4.mp4": b"a film",
            "4.xmp": xmp_packet(["film"]),
        },
    )
    found = read_media(tmp_path)
    assert tags_of(found) == {
        "1.jpg": ["beside", "inside", "older"],
        "2.png": ["upper"],
        "4.mp4": ["film"],
        "train/3.jpg": ["table"],
    }
    assert found.notes == (
        "sidecars: files with tags for 3 of 4 items.",
        "embedded: tags within 1 of 3 pictures.",
        "train/metadata.csv: 1 row.",
    )
    assert found.name == tmp_path.name
    assert found.root == tmp_path
    assert found.layers is None


def test_a_sidecar_may_be_utf_16(tmp_path):
    make_tree(tmp_path, {"1.jpg": "x", "1.xmp": xmp_packet(["Ćuprija"]).decode().encode("utf-16")})
    assert tags_of(read_media(tmp_path, "sidecars")) == {"1.jpg": ["Ćuprija"]}


def test_folder_names_are_tags_on_request_alone(tmp_path):
    make_tree(tmp_path, ["animals/cats/1.jpg", "2.jpg"])
    assert tags_of(read_media(tmp_path)) == {}
    assert tags_of(read_media(tmp_path, "folders")) == {"animals/cats/1.jpg": ["animals", "cats"]}


def test_a_parallel_tree_gives_tags(tmp_path):
    root = make_tree(tmp_path / "png", ["a/1.png", "a/2.png", "3.png"])
    other = make_tree(
        tmp_path / "svg",
        {
            "a/1.svg": svg_drawing(["bird"]),
            "a/1.png.xmp": xmp_packet(["second"]),
            "a/2.xmp": xmp_packet(["fish"]),
            "2.svg": svg_drawing(["elsewhere"]),
            "3.svg": laughs(),
        },
    )
    found = read_media(root, other)
    assert tags_of(found) == {"a/1.png": ["bird", "second"], "a/2.png": ["fish"]}
    assert found.notes[0].split("; ") == [
        "svg: files with tags for 3 of 3 items",
        "1 file cannot be read (first: '3.svg': its entity 'e1' is more than a short plain text).",
    ]


def test_several_sources_are_joined(tmp_path):
    root = make_tree(tmp_path / "in", ["pets/1.jpg"])
    make_tree(
        tmp_path,
        {
            "t.csv": "file,tags\n1.jpg,table\n",
            "c.json": '{"images": [{"id": 1, "file_name": "1.jpg"}], "categories":'
            ' [{"id": 1, "name": "cat"}], "annotations": [{"image_id": 1, "category_id": 1}]}',
        },
    )
    found = read_media(str(root), [tmp_path / "t.csv", str(tmp_path / "c.json"), "folders"])
    assert tags_of(found) == {"pets/1.jpg": ["cat", "pets", "table"]}


def test_a_table_below_the_root_may_name_files_in_its_own_folder(tmp_path):
    make_tree(tmp_path, ["a/1.jpg", "b/1.jpg"])
    make_tree(tmp_path, {"b/tags.csv": "file,tags\n1.jpg,cat\n"})
    assert tags_of(read_media(tmp_path, tmp_path / "b" / "tags.csv")) == {"b/1.jpg": ["cat"]}


def test_a_collection_without_tags_is_a_collection(tmp_path):
    make_tree(tmp_path, ["1.jpg", "2.jpg"])
    found = read_media(tmp_path, "none")
    assert (found.n_items, found.tags.n_items, found.tags.vocabulary) == (2, 2, ())
    assert found.notes == ("No item has a tag.",)


def test_damaged_metadata_is_counted_and_not_fatal(tmp_path):
    make_tree(
        tmp_path,
        {
            "1.jpg": jpeg(xmp=xmp_packet(["a"]))[:300],
            "2.jpg": jpeg(xmp=laughs(4)),
            "2.jpg.xmp": "<not",
            "3.jpg": jpeg(xmp=xmp_packet(["cat"])),
        },
    )
    found = read_media(tmp_path)
    assert tags_of(found) == {"3.jpg": ["cat"]}
    assert "1 file cannot be read (first: '2.jpg.xmp': it is not well-formed XML" in found.notes[0]
    assert "2 pictures with damaged metadata (first: '1.jpg': it ends wit" in found.notes[1]


@pytest.mark.skipif(sys.platform == "win32", reason="pipes of Unix")
def test_a_sidecar_that_is_a_pipe_is_not_waited_for(tmp_path):
    make_tree(tmp_path, ["1.jpg"])
    os.mkfifo(tmp_path / "1.xmp")
    assert "1 file cannot be read" in read_media(tmp_path, "sidecars").notes[0]


# --- What is refused -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("tags", "error", "message"),
    [
        (
            "sidecar",
            ValueError,
            "'sidecar', which is no file and none of .* Did you mean 'sidecars'",
        ),
        ("nonsense", ValueError, r"none of 'sidecars', 'embedded', 'folders', 'none'\.$"),
        ("none.csv", FileNotFoundError, "There is no file or folder 'none.csv' to take tags from"),
        ([], ValueError, 'Give "none" for a collection without tags'),
        (["none", "sidecars"], ValueError, '"none" beside other sources'),
        ([3], TypeError, "tags holds 3 of type int"),
    ],
)
def test_sources_that_are_none_are_refused(tmp_path, tags, error, message):
    make_tree(tmp_path, ["1.jpg"])
    with pytest.raises(error, match=message):
        read_media(tmp_path, tags)


def test_a_file_of_another_kind_is_refused(tmp_path):
    make_tree(tmp_path, ["1.jpg", "tags.xlsx"])
    with pytest.raises(ValueError, match=r"its name ends in none of .csv, .json, .jsonl"):
        read_media(tmp_path, tmp_path / "tags.xlsx")


def test_a_folder_without_media_is_refused(tmp_path):
    make_tree(tmp_path, {"a.txt": "x", "b.jpg": ""})
    with pytest.raises(
        ValueError, match=r"There is no picture and no video in .* 1 file had to be "
    ):
        read_media(tmp_path)
    with pytest.raises(ValueError, match=r"end in one of these count: .avi, .bmp"):
        read_media(make_tree(tmp_path / "c", {"a.txt": ""}))
    with pytest.raises(FileNotFoundError, match="There is no folder"):
        read_media(tmp_path / "none")


# --- Tags in order -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        ("  New \t\n York ", "New York"),
        ("u\u0308ber", "über"),
        ("a\x00b\x1bc\u202ed", "abcd"),
        ("\x07", ""),
        ("\ud800x", "x"),
        ("\u0645\u06cc\u200c\u062e", "\u0645\u06cc\u200c\u062e"),  # its joiner is spelling
        ("<script>", "<script>"),
        ("=cmd()", "=cmd()"),
    ],
)
def test_tags_are_cleaned(text, tag):
    assert clean_tag(text) == tag
    assert clean_tag(tag) == tag


def test_spellings_give_way_to_the_most_frequent_one():
    assert merge_case({"b": 1, "B": 1, "cat": 2, "Cat": 5, "CAT": 1, "dog": 1}) == {
        "b": "B",
        "CAT": "Cat",
        "cat": "Cat",
    }


def test_tags_of_a_collection_are_cleaned_and_merged(tmp_path):
    make_tree(tmp_path, ["1.jpg", "2.jpg", "3.jpg"])
    long = "x" * 201
    rows = f"1.jpg,Cat;  old  town ;{long}\n2.jpg,cat;;\n3.jpg,cat; <script> ;=cmd()\n"
    make_tree(tmp_path, {"t.csv": "file,tags\n" + rows})
    found = read_media(tmp_path, tmp_path / "t.csv")
    assert tags_of(found) == {
        "1.jpg": ["cat", "old town"],
        "2.jpg": ["cat"],
        "3.jpg": ["<script>", "=cmd()", "cat"],
    }
    assert found.notes[1].startswith("1 spelling that differed in the case of letters alone gave")
    assert found.notes[2].startswith("1 tag of more than 200 characters left out (first: 'xxx")


# --- Layers --------------------------------------------------------------------------------------


def test_paths_make_layers_and_every_part_of_them_is_a_tag(tmp_path):
    make_tree(
        tmp_path,
        {
            "1.jpg": jpeg(xmp=xmp_packet(["Paris", "sun"], ["Places|Europe|Paris"])),
            "2.jpg": jpeg(xmp=xmp_packet(digikam=["places/Asia", "People/Anna", "Europe"])),
            "3.jpg": jpeg(xmp=xmp_packet(digikam=["Places//Europe"])),
        },
    )
    found = read_media(tmp_path)
    assert tags_of(found) == {
        "1.jpg": ["Europe", "Paris", "Places", "sun"],
        "2.jpg": ["Anna", "Asia", "Europe", "People", "Places"],
        "3.jpg": ["Europe", "Places"],
    }
    # Europe is found at the top too, and its first place counts; sun is in no path.
    assert found.layers == (("Europe", "People", "Places"), ("Anna", "Asia"), ("Paris", "sun"))
    assert len(resolve_layers(found.layers, found.tags.vocabulary)) == 3


def test_few_paths_make_no_layers(tmp_path):
    packet = xmp_packet(["a", "b", "c", "d"], ["x|y"])
    make_tree(tmp_path, {"1.jpg": jpeg(xmp=packet)})
    found = read_media(tmp_path)
    assert found.tags.n_tags == 6
    assert found.layers is None


def test_paths_of_one_tag_make_no_layers(tmp_path):
    make_tree(tmp_path, {"1.jpg": jpeg(xmp=xmp_packet(digikam=["a", "b"]))})
    assert read_media(tmp_path).layers is None


def test_supercategories_are_the_upper_layer(tmp_path):
    make_tree(tmp_path, ["1.jpg"])
    categories = [
        {"id": 1, "name": "cat", "supercategory": "animal"},
        {"id": 2, "name": "person", "supercategory": "person"},
    ]
    content = {
        "images": [{"id": 1, "file_name": "1.jpg"}],
        "categories": categories,
        "annotations": [{"image_id": 1, "category_id": each["id"]} for each in categories],
    }
    make_tree(tmp_path, {"c.json": json.dumps(content)})
    assert read_media(tmp_path, tmp_path / "c.json").layers == (("animal", "person"), ("cat",))


def test_the_same_folder_gives_the_same_collection(tmp_path):
    make_tree(tmp_path, {f"{k}.jpg": jpeg(xmp=xmp_packet([f"T{k % 3}", "t1"])) for k in range(9)})
    first, second = read_media(tmp_path), read_media(tmp_path)
    assert first.items == second.items
    assert first.notes == second.notes
    assert first.tags.vocabulary == second.tags.vocabulary
    assert (first.tags.matrix != second.tags.matrix).nnz == 0


@pytest.mark.skipif(
    not (CLIPART / "png").is_dir() or not (CLIPART / "svg").is_dir(),
    reason="needs Debian's openclipart-png and openclipart-svg",
)
def test_clip_art_has_the_tags_of_its_drawings():
    found = read_media(CLIPART / "png" / "animals", CLIPART / "svg" / "animals")
    assert found.n_items > 200
    assert found.tags.untagged.mean() < 0.1
    assert "animal" in found.tags.vocabulary
    assert any("which is in the collection" in each.reason for each in found.skipped)
