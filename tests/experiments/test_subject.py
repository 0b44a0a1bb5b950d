"""The collection of experiments: what it is called, and whose published numbers stand beside it."""

import pytest

from conceptforest.datasets import make_nuswide_like
from conceptforest.experiments.published import published
from conceptforest.experiments.subject import LAYOUTS, open_subject


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


def test_a_published_layout_stands_beside_its_numbers(tmp_path, monkeypatch):
    made = make_nuswide_like(n_items=60, random_state=0)
    monkeypatch.setitem(LAYOUTS, "nus-wide", lambda _: made)
    subject = open_subject(f"nus-wide:{tmp_path}", tmp_path / "out")
    assert subject.collection.name == "nus-wide"
    assert subject.published is published()["nus-wide"]
