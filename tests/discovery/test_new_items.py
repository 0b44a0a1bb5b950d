"""New pictures are placed and tagged by the model of a run."""

import csv

import numpy as np
import pytest
from tests.discovery.small_collection import KINDS, write_collection, write_pictures

from conceptforest.discovery import RunFolderError, Settings, discover, predict
from conceptforest.discovery.new_items import place_for


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    root = tmp_path_factory.mktemp("made")
    written = write_collection(root / "old")
    settings = Settings(
        tags=(str(root / "old" / "tags.csv"),), features="classic", n_clusters=4, n_trees=40
    )
    found = discover(root / "old", root / "run", settings, n_jobs=1)
    new = write_pictures(root / "new", 12, first=1000)
    (root / "new" / "broken.gif").write_bytes(b"GIF89a")
    return root, dict(written), found, dict(new)


def test_new_pictures_join_the_cluster_of_their_kind(made):
    root, old, found, new = made
    made_of = predict(root / "run", root / "new", n_jobs=1)
    kind_of = {}
    for name, label in zip(found.items.names, found.model.clustering.labels_, strict=True):
        kind_of.setdefault(int(label), []).append(old[name])
    common = {label: max(set(kinds), key=kinds.count) for label, kinds in kind_of.items()}
    right = [
        common[int(c)] == new[name]
        for c, name in zip(made_of.clusters, made_of.items.names, strict=True)
    ]
    assert np.mean(right) > 0.9


def test_suggested_tags_are_of_the_kind_and_known_ones_are_not_suggested(made):
    root, _, _, new = made
    without = predict(root / "run", root / "new", n_jobs=1)
    first = [row[0][0] for row in without.tags]
    kinds = [new[name] for name in without.items.names]
    assert np.mean([t in KINDS[k][1] for t, k in zip(first, kinds, strict=True)]) > 0.9
    lines = [f"{n},{t}" for n, t in zip(without.items.names, first, strict=True)]
    (root / "own.csv").write_text("file,tag\n" + "\n".join(lines))
    given = predict(root / "run", root / "new", tags=(str(root / "own.csv"),), n_jobs=1)
    assert all(t not in dict(row) for t, row in zip(first, given.tags, strict=True))
    assert all(0 < p <= 1 for row in given.tags for _, p in row)


def test_the_nearest_known_pictures_are_named(made):
    root, old, _, new = made
    made_of = predict(root / "run", root / "new", n_jobs=1)
    alike = [
        old[near[0][0]] == new[name]
        for name, near in zip(made_of.items.names, made_of.nearest, strict=True)
    ]
    assert np.mean(alike) > 0.9


def test_tables_are_written_and_broken_files_listed(made, tmp_path):
    root, _, _, new = made
    place = predict(root / "run", root / "new", n_jobs=1).write(tmp_path / "deep" / "out")
    with place.open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    assert [row["file"] for row in rows] == sorted(new)
    assert "broken.gif" in (tmp_path / "deep" / "out" / "skipped.csv").read_text()


def test_files_of_others_are_not_overwritten(made, tmp_path):
    root, _, _, _ = made
    (tmp_path / "skipped.csv").write_text("mine")
    with pytest.raises(RunFolderError, match="did not write"):
        predict(root / "run", root / "new", n_jobs=1).write(tmp_path)
    assert (tmp_path / "skipped.csv").read_text() == "mine"


def test_each_source_has_a_place_of_its_own(tmp_path):
    places = {place_for(tmp_path, tmp_path / name / "new") for name in "ab"}
    assert len(places) == 2
    assert place_for(tmp_path, tmp_path / "a" / "new") in places


def test_the_least_probability_of_the_run_holds(made):
    root, _, found, _ = made
    told = predict(root / "run", root / "new", n_jobs=1)
    assert min(p for row in told.tags for _, p in row) >= found.settings.min_probability


def test_a_folder_without_a_usable_file_is_told_why(made, tmp_path):
    (tmp_path / "x.jpg").write_text("no picture")
    with pytest.raises(ValueError, match=r"None of the 1 new files.*'x\.jpg': it is not a JPEG"):
        predict(made[0] / "run", tmp_path)


def test_a_run_of_ready_features_wants_ready_features(made, tmp_path, rng):
    np.save(tmp_path / "x.npy", rng.normal(size=(30, 4)).astype(np.float32))
    (tmp_path / "x.csv").write_text("tags\n" + "boat;sea\ndune\n" * 15)
    discover(tmp_path / "x.npy", tmp_path / "run", Settings(n_trees=20, n_clusters=2))
    with pytest.raises(ValueError, match="give a feature file, not a folder"):
        predict(tmp_path / "run", made[0] / "new")
    assert predict(tmp_path / "run", tmp_path / "x.npy").items.n_items == 30


def test_other_features_are_refused(made, rng):
    root, _, _, _ = made
    np.save(root / "x.npy", rng.normal(size=(5, 7)).astype(np.float32))
    (root / "x.csv").write_text("tags\n" + "boat\n" * 5)
    with pytest.raises(ValueError, match="was made with the features 'classic'"):
        predict(root / "run", root / "x.npy", tags=(str(root / "x.csv"),))


def test_a_folder_that_is_no_run_is_an_error_that_says_so(tmp_path):
    with pytest.raises(RunFolderError, match="There is no folder"):
        predict(tmp_path / "nothing", tmp_path)
    with pytest.raises(RunFolderError, match="not a complete run"):
        predict(tmp_path, tmp_path)
