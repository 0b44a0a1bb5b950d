"""The collection of experiments: what it is called, and whose published numbers stand beside it."""

import re
from dataclasses import replace

import pytest
from click.testing import CliRunner
from tests.datasets.published_trees import NusWide

from conceptforest.cli import main
from conceptforest.datasets import make_trecvid_like
from conceptforest.experiments.published import published
from conceptforest.experiments.sources import open_subject
from conceptforest.experiments.subject import Subject
from conceptforest.tags import TagMatrix


@pytest.mark.parametrize(
    ("source", "n_items", "key"),
    [
        ("nuswide-like:90", 90, "nus-wide"),
        ("trecvid-like:60", 60, "trecvid-med"),
        ("trecvid-like", 2379, "trecvid-med"),
    ],
)
def test_a_twin_of_any_size_stands_beside_the_published_numbers(tmp_path, source, n_items, key):
    subject = open_subject(source, tmp_path)
    assert subject.collection.n_items == n_items
    assert subject.collection.name == source.split(":")[0]
    assert subject.published is published()[key]
    assert open_subject(source, tmp_path).digest == subject.digest


def test_a_published_layout_stands_beside_its_numbers(tmp_path):
    NusWide(tmp_path / "images", n=90)
    images = f"nus-wide:{tmp_path / 'images'}"
    layout = {"n_classes": 4, "min_items": 3, "features": ["CH"]}
    subject = open_subject(images, tmp_path / "out", layout=layout)
    assert (subject.kind, subject.collection.name) == ("nus-wide", "nus-wide (4 concepts)")
    assert (subject.collection.n_classes, subject.collection.X.shape[1]) == (4, 64)
    assert subject.published is published()["nus-wide"]
    fewer = open_subject(images, tmp_path / "out", layout={**layout, "n_classes": 3})
    assert fewer.collection.n_classes == 3


def test_what_is_written_into_a_layouts_folder_does_not_change_it(tmp_path):
    NusWide(tmp_path, n=90)
    layout = {"n_classes": 4, "min_items": 3, "features": ["CH"]}
    paths = set()
    for _ in range(2):
        paths.add(open_subject(f"nus-wide:{tmp_path}", tmp_path / "out", layout=layout).path)
        (tmp_path / "out" / "page.html").write_text("ours")
    assert len(paths) == 1


def test_the_whole_evaluation_runs_on_a_published_layout(tmp_path):
    NusWide(tmp_path / "images", n=90)
    config = tmp_path / "small.toml"
    config.write_text(
        'methods = ["KMeans"]\nseeds = 1\n'
        '[layout]\nn_classes = 4\nmin_items = 3\nfeatures = ["CH"]\n'
    )
    command = ["reproduce", "table1", "--data", f"nus-wide:{tmp_path / 'images'}"]
    command += ["--preset", "quick", "--config", str(config), "--out", str(tmp_path / "out")]
    result = CliRunner().invoke(main, command)
    assert result.exit_code == 0, result.output
    assert "| features | K-means |" in (tmp_path / "out" / "index.md").read_text()


@pytest.mark.parametrize(
    ("source", "layout", "message"),
    [
        ("nus-wide:images", {"n_class": 4}, "Did you mean 'n_classes'?"),
        ("corel5k:images", {"n_classes": 4}, "there are none"),
        ("trecvid-like", {"n_classes": 4}, "'trecvid-like' is none"),
    ],
)
def test_how_to_read_a_layout_is_checked(tmp_path, source, layout, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        open_subject(source, tmp_path, layout=layout)


def test_what_is_known_to_be_true_tells_collections_apart(tmp_path):
    own = make_trecvid_like(n_items=40, random_state=0)
    one = own.tags.matrix
    made = [
        Subject(replace(own, truth=TagMatrix(matrix, own.tags.vocabulary)), tmp_path)
        for matrix in (one, one[::-1])
    ]
    assert len({Subject(own, tmp_path).digest, *(subject.digest for subject in made)}) == 3


def test_what_is_made_is_kept_with_its_pictures_and_notes(tmp_path):
    few, fewer = (open_subject(f"scenes:{n}", tmp_path) for n in (24, 20))
    assert few.path != fewer.path
    assert len(list(few.pictures.iterdir())) == 24
    assert len(list(fewer.pictures.iterdir())) == 20
    assert few.picture(23).parent == few.pictures
    before = few.path.stat().st_mtime_ns
    assert open_subject("scenes:24", tmp_path).digest == few.digest
    assert few.path.stat().st_mtime_ns == before


def test_a_twin_says_what_it_is_like(tmp_path):
    (note,) = open_subject("trecvid-like:60", tmp_path).notes
    assert "in the likeness of TRECVID MED 2011" in note
