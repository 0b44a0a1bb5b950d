"""Metadata tables of an imagefolder: found by themselves, relative to their own folders."""

import json

import pyarrow as pa
from pyarrow import parquet
from tests.datasets.media_files import make_tree

from conceptforest.datasets.imagefolder import read_imagefolder
from conceptforest.datasets.scan import scan_folder


def read(root):
    items, _ = scan_folder(root)
    found = read_imagefolder(root, items)
    return {items[k].name: sorted(tags) for k, tags in found.tags.items()}, found.notes


def test_tables_of_splits_name_files_in_their_own_folder(tmp_path):
    make_tree(tmp_path, ["train/1.jpg", "test/1.jpg", "test/deep/2.jpg"])
    make_tree(
        tmp_path,
        {
            "train/metadata.csv": "file_name,tags\n1.jpg,cat\n",
            "test/metadata.jsonl": "\n".join(
                json.dumps(row)
                for row in (
                    {"file_name": "1.jpg", "text": "a dog", "tags": ["dog"]},
                    {"file_name": "deep/2.jpg", "text": "both", "tags": ["cat", "dog"]},
                )
            ),
        },
    )
    found, notes = read(tmp_path)
    assert found == {
        "train/1.jpg": ["cat"],
        "test/1.jpg": ["dog"],
        "test/deep/2.jpg": ["cat", "dog"],
    }
    assert notes == ["test/metadata.jsonl: 2 rows.", "train/metadata.csv: 1 row."]


def test_a_table_never_names_files_outside_its_folder(tmp_path):
    make_tree(tmp_path, ["train/1.jpg", "test/1.jpg", "test/2.jpg", "3.jpg"])
    rows = "1.jpg,cat\n2.jpg,dog\n2,dog\n3.jpg,sea\ntest/2.jpg,dog\n../test/2.jpg,dog\n"
    make_tree(tmp_path, {"train/metadata.csv": "file_name,label\n" + rows})
    found, notes = read(tmp_path)
    assert found == {"train/1.jpg": ["cat"]}
    said = "train/metadata.csv: 6 rows; 5 rows whose file is not here (first: '2.jpg')."
    assert notes == [said]


def test_the_table_may_be_parquet_in_the_root(tmp_path):
    make_tree(tmp_path, ["a/1.jpg"])
    table = pa.table({"file_name": ["a/1.jpg"], "label": ["cat"]})
    parquet.write_table(table, tmp_path / "metadata.parquet")
    assert read(tmp_path)[0] == {"a/1.jpg": ["cat"]}


def test_captions_are_no_tags(tmp_path):
    make_tree(tmp_path, ["1.jpg"])
    make_tree(tmp_path, {"metadata.csv": "file_name,text\n1.jpg,a cat on a mat\n"})
    found, notes = read(tmp_path)
    assert found == {}
    assert notes[0].startswith("No tags were taken from 'metadata.csv'. Cannot read")
    assert "'text' holds 'a cat on a mat' in line 2" in notes[0]


def test_a_broken_table_is_noted_and_not_fatal(tmp_path):
    make_tree(tmp_path, ["1.jpg"])
    make_tree(
        tmp_path, {"metadata.parquet": "x", "metadata.jsonl": '{"file_name":"1.jpg","tag":"a"}'}
    )
    found, notes = read(tmp_path)
    assert found == {"1.jpg": ["a"]}
    assert "it is no sound Parquet file" in notes[1]


def test_without_tables_there_is_nothing_to_say(tmp_path):
    make_tree(tmp_path, ["1.jpg", "cats/2.jpg"])
    assert read(tmp_path) == ({}, [])
