"""A run: what it writes, that it continues, and that it never breaks what was there."""

import csv
import json

import numpy as np
import pytest
from pyarrow import parquet
from tests.discovery.small_collection import (
    KINDS,
    digests,
    write_collection,
    write_pictures,
    write_tags,
)

import conceptforest as cf
from conceptforest.discovery import RunFolder, RunFolderError, Settings, discover
from conceptforest.discovery.layers import fit_layers
from conceptforest.discovery.report_data import remarks, report_data
from conceptforest.discovery.run_folder import claim
from conceptforest.discovery.source import THUMBNAIL_SIZE
from conceptforest.features.cache import FeatureCache

TABLES = ("items", "clusters", "suggestions", "layers", "duplicates", "outliers", "skipped")
QUICK = Settings(tags=("tags.csv",), features="classic", n_clusters=4, n_trees=40)


def quick(folder, **changes):
    return Settings(**{**QUICK.to_json(), "tags": (str(folder / "tags.csv"),), **changes})


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    root = tmp_path_factory.mktemp("made")
    written = write_collection(root / "pictures")
    found = discover(root / "pictures", root / "run", quick(root / "pictures"), n_jobs=1)
    return root, written, found


def rows(path):
    with path.open(newline="", encoding="utf-8-sig") as file:
        return list(csv.DictReader(file))


def test_a_run_holds_tables_models_settings_and_report(made):
    root, written, found = made
    run = root / "run"
    for name in TABLES:
        table = parquet.read_table(run / f"{name}.parquet")
        assert len(rows(run / f"{name}.csv")) == table.num_rows
    items = rows(run / "items.csv")
    assert [row["file"] for row in items] == sorted(name for name, _ in written)
    forest = cf.load(run / "model" / "concepts.safetensors")
    assert forest.vocabulary_ == found.tags.vocabulary
    assert cf.load(run / "model" / "suggestions.safetensors").bootstrap
    assert json.loads((run / "settings.json").read_text())["settings"]["n_trees"] == 40
    assert "<!doctype html>" in (run / "report.html").read_text()[:100].lower()
    assert np.load(run / "features.npy").shape == found.items.X.shape


def test_the_kinds_of_pictures_are_found_again(made):
    _, written, found = made
    kinds = dict(written)
    truth = [list(KINDS).index(kinds[name]) for name in found.items.names]
    assert cf.metrics.clustering_report(truth, found.model.clustering.labels_)["nmi"] > 0.9


def test_suggestions_for_untagged_pictures_are_tags_of_their_kind(made):
    root, written, found = made
    kinds = dict(written)
    untagged = {name for name, no in zip(found.items.names, found.tags.untagged, strict=True) if no}
    assert len(untagged) == 8
    first = {}
    for row in rows(root / "run" / "suggestions.csv"):
        if row["file"] in untagged:
            first.setdefault(row["file"], row)
    right = [row["tag"] in KINDS[kinds[name]][1] for name, row in first.items()]
    assert len(right) == 8
    assert np.mean(right) > 0.8
    assert all(0 < float(row["probability"]) <= 1 for row in first.values())
    names = {name for name, _ in written}
    assert all(set(row["because_of"].split("; ")) <= names for row in first.values())


def test_started_again_it_computes_nothing_anew_and_gives_the_same_bytes(made):
    root, _, found = made
    before = digests(root / "run")
    again = discover(root / "pictures", root / "run", quick(root / "pictures"), n_jobs=2)
    assert found.items.n_computed == 48
    assert (again.items.n_computed, again.model.n_grown) == (0, 0)
    assert digests(root / "run") == before


def test_another_folder_and_number_of_threads_give_the_same_tables_and_models(made):
    root, _, _ = made
    discover(root / "pictures", root / "other", quick(root / "pictures"), n_jobs=2)
    assert digests(root / "other") == digests(root / "run")


def test_more_pictures_embed_only_the_new_ones(tmp_path):
    folder = tmp_path / "p"
    written = write_collection(folder, 24)
    discover(folder, tmp_path / "run", quick(folder), n_jobs=1)
    written += write_pictures(folder, 8, first=24)
    write_tags(folder / "tags.csv", written)
    again = discover(folder, tmp_path / "run", quick(folder), n_jobs=1)
    assert (again.items.n_items, again.items.n_computed, again.model.n_grown) == (32, 8, 2)


def test_moved_and_copied_pictures_are_not_embedded_again(tmp_path):
    folder = tmp_path / "p"
    write_collection(folder, 24)
    discover(folder, tmp_path / "run", quick(folder), n_jobs=1)
    (folder / "a").rename(folder / "c")
    (folder / "copy.png").write_bytes((folder / "c" / "0000.png").read_bytes())
    again = discover(folder, tmp_path / "run", quick(folder), n_jobs=1)
    assert (again.items.n_items, again.items.n_computed) == (25, 0)
    assert any(g.similarity == 1 for g in again.findings.duplicates)


def test_a_damaged_model_is_grown_again(tmp_path):
    folder = tmp_path / "p"
    write_collection(folder, 24)
    discover(folder, tmp_path / "run", quick(folder), n_jobs=1)
    before = digests(tmp_path / "run")
    concepts = tmp_path / "run" / "model" / "concepts.safetensors"
    concepts.write_bytes(concepts.read_bytes()[:-10])
    again = discover(folder, tmp_path / "run", quick(folder), n_jobs=1)
    assert again.model.n_grown >= 1
    assert digests(tmp_path / "run") == before


def test_a_run_inside_the_folder_is_not_part_of_the_collection(tmp_path):
    folder = tmp_path / "p"
    write_collection(folder, 24)
    run = folder / "run"
    discover(folder, run, quick(folder), n_jobs=1)
    write_pictures(run, 3)
    again = discover(folder, run, quick(folder), n_jobs=1)
    assert again.items.n_items == 24


def test_a_folder_with_other_files_is_refused_and_left_alone(tmp_path):
    folder = tmp_path / "p"
    write_collection(folder, 24)
    out = tmp_path / "thesis"
    out.mkdir()
    (out / "items.csv").write_text("mine")
    (out / "settings.json").write_text('{"format": 1}')
    with pytest.raises(RunFolderError, match="conceptforest did not write"):
        discover(folder, out, quick(folder))
    assert sorted(p.name for p in out.iterdir()) == ["items.csv", "settings.json"]
    assert (out / "items.csv").read_text() == "mine"


def test_a_kill_between_forest_and_key_leaves_no_forest_under_a_foreign_key(tmp_path, monkeypatch):
    folder, run = tmp_path / "p", tmp_path / "run"
    write_collection(folder, 24)
    discover(folder, run, quick(folder), n_jobs=1)
    before = digests(run)

    def killed(*_):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("conceptforest.discovery.model.write_json", killed)
        with pytest.raises(KeyboardInterrupt):
            discover(folder, run, quick(folder, seed=1), n_jobs=1)
    again = discover(folder, run, quick(folder), n_jobs=1)
    assert again.model.n_grown == 2
    assert digests(run) == before


def test_what_a_killed_writer_left_is_removed(tmp_path):
    folder, run = tmp_path / "p", tmp_path / "run"
    write_collection(folder, 24)
    discover(folder, run, quick(folder), n_jobs=1)
    left, other = run / "model" / ".concepts.safetensors.ab_12xyz.tmp", run / ".mine.tmp"
    left.write_bytes(b"half")
    other.write_bytes(b"a user's")
    discover(folder, run, quick(folder), n_jobs=1)
    assert not left.exists()
    assert other.exists()


def test_a_damaged_calibration_is_learned_again(tmp_path):
    folder, run = tmp_path / "p", tmp_path / "run"
    write_collection(folder, 24)
    discover(folder, run, quick(folder), n_jobs=1)
    before = digests(run)
    document = json.loads((run / "model" / "model.json").read_text())
    document["calibration"] = {"x": 1}
    (run / "model" / "model.json").write_text(json.dumps(document))
    again = discover(folder, run, quick(folder), n_jobs=1)
    assert again.model.n_grown == 1
    assert digests(run) == before


@pytest.mark.parametrize(
    "wrong", [{"n_clusters": 25}, {"hierarchy": "no.json"}, {"tags": ("x.csv",)}]
)
def test_a_mistake_leaves_an_earlier_run_complete(tmp_path, monkeypatch, wrong):
    monkeypatch.chdir(tmp_path)
    folder, run = tmp_path / "p", tmp_path / "run"
    write_collection(folder, 24)
    discover(folder, run, quick(folder), n_jobs=1)
    (tmp_path / "no.json").write_text("[[[")
    (tmp_path / "x.csv").write_text("file,tags\nelsewhere.jpg,boat\n")
    with pytest.raises(ValueError):
        discover(folder, run, quick(folder, **wrong), n_jobs=1)
    assert RunFolder(run).read_settings()["n_items"] == 24


def test_a_mistake_leaves_no_new_folder_behind(tmp_path):
    folder = tmp_path / "p"
    write_collection(folder, 24)
    with pytest.raises(FileNotFoundError):
        discover(folder, tmp_path / "run", quick(folder, tags=("nothing.csv",)))
    assert not (tmp_path / "run").exists()


def test_a_table_that_names_other_files_is_told(tmp_path):
    write_pictures(tmp_path / "p", 24)
    (tmp_path / "t.csv").write_text("file,tags\nelsewhere.jpg,boat\n")
    with pytest.raises(ValueError, match=r"What was read: t\.csv.*elsewhere\.jpg"):
        discover(tmp_path / "p", tmp_path / "run", Settings(tags=(str(tmp_path / "t.csv"),)))
    with pytest.raises(ValueError, match="All files lie in one folder"):
        discover(tmp_path / "p" / "a", tmp_path / "run", Settings(tags=("folders",)))


def test_pictures_that_are_all_alike_are_said_to_have_no_structure(tmp_path):
    folder = tmp_path / "p"
    written = write_pictures(folder, 20)
    for name, _ in written[1:]:
        (folder / name).write_bytes((folder / written[0][0]).read_bytes())
    write_tags(folder / "tags.csv", written)
    found = discover(folder, tmp_path / "run", quick(folder, n_clusters=None), n_jobs=1)
    said = remarks(found)
    assert any("No tree could split" in note for note in said)
    assert not any("was chosen" in note for note in said)


def test_tags_too_rare_for_the_limit_are_all_learned_from_and_that_is_told(tmp_path):
    folder = tmp_path / "p"
    write_collection(folder, 24)
    found = discover(folder, tmp_path / "run", quick(folder, min_tag_count=1000), n_jobs=1)
    assert found.tags.n_tags == found.items.tags.n_tags
    assert any("No tag is on 1000 items" in note for note in remarks(found))


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("h.csv", b"", "it is empty"),
        ("h.csv", b"\x99\x00\xff", "Cannot read the hierarchy"),
        ("h.csv", b"tag,parent\nx,\ny,x\n", "none of those of the collection"),
        ("h.json", b"{", "Cannot read the hierarchy"),
    ],
)
def test_a_hierarchy_that_does_not_fit_is_named(tmp_path, name, content, told):
    folder = tmp_path / "p"
    write_collection(folder, 24)
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=told):
        discover(folder, tmp_path / "run", quick(folder, hierarchy=str(tmp_path / name)))


def test_links_hold_where_folders_are_reached_by_links(tmp_path):
    write_collection(tmp_path / "real" / "deep" / "p", 24)
    (tmp_path / "short").symlink_to(tmp_path / "real" / "deep")
    folder, run = tmp_path / "short" / "p", tmp_path / "short" / "run"
    found = discover(folder, run, quick(folder), n_jobs=1)
    with FeatureCache(run / "cache.sqlite") as store:
        links = report_data(found, store, title=None, command="").links
    assert all((tmp_path / "real" / "deep" / "run" / link).is_file() for link in links)


def test_two_processes_cannot_write_one_run(tmp_path):
    folder = tmp_path / "p"
    write_collection(folder, 24)
    with (
        claim(tmp_path / "run"),
        pytest.raises(RunFolderError, match="Another process"),
    ):
        discover(folder, tmp_path / "run", quick(folder))


def test_a_run_that_fails_is_not_called_complete(tmp_path, monkeypatch):
    folder = tmp_path / "p"
    write_collection(folder, 24)
    run = tmp_path / "run"
    discover(folder, run, quick(folder), n_jobs=1)

    def fail(*_, **__):
        raise OSError("disk full")

    monkeypatch.setattr("conceptforest.discovery.main_job.write_report", fail)
    with pytest.raises(OSError, match="disk full"):
        discover(folder, run, quick(folder, n_trees=20), n_jobs=1)
    with pytest.raises(RunFolderError, match="not a complete run"):
        RunFolder(run).read_settings()


def test_pictures_without_any_tag_are_an_error_that_says_what_to_do(tmp_path):
    write_pictures(tmp_path / "p", 12)
    with pytest.raises(ValueError, match="--tags folders"):
        discover(tmp_path / "p", tmp_path / "run", Settings(features="classic"))


def test_too_few_pictures_are_an_error_that_tells_what_was_left_out(tmp_path):
    folder = tmp_path / "p"
    write_collection(folder, 8)
    for number in range(3):
        (folder / f"broken{number}.jpg").write_bytes(b"\xff\xd8\xff\xe0 nothing more")
    with pytest.raises(ValueError, match=r"only 8 pictures.*3 files were left out; 'broken0\.jpg'"):
        discover(folder, tmp_path / "run", quick(folder))


def test_items_with_one_tag_each_get_suggestions_without_calibration(tmp_path):
    folder = tmp_path / "p"
    written = write_pictures(folder, 24)
    lines = [f"{name},{KINDS[kind][1][0]}" for name, kind in written[:20]]
    (folder / "tags.csv").write_text("file,tag\n" + "\n".join(lines))
    found = discover(folder, tmp_path / "run", quick(folder), n_jobs=1)
    assert not hasattr(found.model.completion, "calibration_")
    again = discover(folder, tmp_path / "run", quick(folder), n_jobs=1)
    assert again.model.n_grown == 0


def test_a_feature_file_makes_a_run_without_pictures(tmp_path):
    made = cf.datasets.make_tagged(80, 4, random_state=0)
    tags = cf.tags.parse_tags(made.tags)
    np.savez(
        tmp_path / "ready.npz", X=made.X, T_indices=tags.matrix.indices,
        T_indptr=tags.matrix.indptr, T_shape=tags.matrix.shape, tag_names=list(tags.vocabulary),
    )  # fmt: skip
    found = discover(tmp_path / "ready.npz", tmp_path / "run", Settings(n_trees=30, n_clusters=4))
    assert found.items.n_items == 80
    assert (tmp_path / "run" / "report.html").stat().st_size > 10_000


def test_layers_of_a_hierarchy_take_in_unknown_tags(tmp_path):
    assert fit_layers([["x"], ["y"]], ["a", "b"]) == 1
    folder = tmp_path / "p"
    write_collection(folder, 24)
    (tmp_path / "tree.csv").write_text("tag,parent\nwater,\nboat,water\nwave,water\n")
    given = quick(folder, hierarchy=str(tmp_path / "tree.csv"))
    found = discover(folder, tmp_path / "run", given, n_jobs=1)
    assert found.findings.layers[0] == ["water"]
    assert {"boat", "tree", "lamp"} <= set(found.findings.layers[1])


def test_the_cache_can_be_shared_between_runs(tmp_path):
    folder = tmp_path / "p"
    write_collection(folder, 24)
    cache = tmp_path / "cache.sqlite"
    discover(folder, tmp_path / "one", quick(folder), cache=cache, n_jobs=1)
    two = discover(folder, tmp_path / "two", quick(folder), cache=cache, n_jobs=1)
    assert two.items.n_computed == 0
    assert not (tmp_path / "two" / "cache.sqlite").exists()
    with FeatureCache(cache) as store:
        assert store.thumbnail(two.items.digests[0], THUMBNAIL_SIZE) is not None
