"""New pictures are placed and tagged by the model of a run."""

import csv

import numpy as np
import pytest
from tests.discovery.small_collection import KINDS, write_collection, write_pictures

from conceptforest.discovery import RunFolderError, Settings, discover, predict


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
    with place.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row["file"] for row in rows] == sorted(new)
    assert "broken.gif" in (tmp_path / "deep" / "out" / "skipped.csv").read_text()


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
