import json
import os
import signal
import sqlite3
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner
from tests.discovery.small_collection import digests, write_collection, write_pictures

import conceptforest as cf
from conceptforest.cli import main


def call(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def demo(out, *more):
    return call("demo", "--out", out, "--items", 60, "--trees", 20, "--jobs", 1, *more)


def discover_arguments(folder, run, *more):
    given = ("--out", run, "--tags", folder / "tags.csv", "--features", "classic")
    return ["discover", folder, *given, "--clusters", 4, "--trees", 30, *more]


def discover(folder, run, *more):
    return call(*discover_arguments(folder, run, *more))


def test_version():
    result = call("--version")
    assert result.exit_code == 0
    assert result.output == f"conceptforest, version {cf.__version__}\n"


@pytest.mark.parametrize("command", ["demo", "discover", "predict"])
def test_help_names_the_commands_and_each_has_its_own(command):
    assert command in call("--help").output
    result = call(command, "--help")
    assert result.exit_code == 0
    assert "--jobs" in result.output


# --- The demo ------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def demo_run(tmp_path_factory):
    out = tmp_path_factory.mktemp("demo") / "new" / "folder"
    return out, demo(out)


def test_demo_tells_scores_and_the_path_of_the_report(demo_run):
    out, result = demo_run
    assert result.exit_code == 0, result.output
    told = ("NMI", "ARI", "looks, spectral", "tags, spectral", "both, mean of graphs", "concepts")
    for fact in told:
        assert fact in result.output
    report = out / "run" / "report.html"
    assert str(report) in result.output
    assert report.stat().st_size > 100_000  # with its pictures
    assert len(list((out / "pictures").glob("*.jpg"))) == 60
    assert (out / "truth.csv").is_file()


def test_demo_is_plain_text_within_80_columns_when_piped(demo_run):
    output = demo_run[1].output
    assert "\x1b" not in output
    text = output.partition("\nFiles\n")[0]  # paths may be long
    assert max(map(len, text.splitlines())) <= 80


def test_demo_may_be_run_again_in_the_same_folder(demo_run):
    out, first = demo_run

    def without_times(text):
        return [line for line in text.splitlines() if "Done in" not in line]

    assert without_times(demo(out).output) == without_times(first.output)


def test_a_smaller_demo_takes_the_place_of_a_larger_one(tmp_path):
    assert demo(tmp_path / "d", "--items", 70).exit_code == 0
    result = demo(tmp_path / "d", "--items", 50)
    assert result.exit_code == 0, result.output
    assert len(list((tmp_path / "d" / "pictures").glob("*.jpg"))) == 50


def test_demo_overwrites_nobodys_files(tmp_path):
    (tmp_path / "truth.csv").write_text("mine")
    result = demo(tmp_path)
    assert result.exit_code == 1
    assert "did not write" in result.output
    assert (tmp_path / "truth.csv").read_text() == "mine"


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("--trees", 0),
        ("--trees", "many"),
        ("--items", 3),
        ("--seed", -1),
        ("--jobs", 0),
        ("--jobs", "all"),
    ],
)
def test_bad_values_are_usage_errors(tmp_path, option, value):
    result = call("demo", "--out", tmp_path / "out", option, value)
    assert result.exit_code == 2
    assert "Usage:" in result.output
    assert option in result.output
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("inside", [(), ("deeper",)])
def test_a_place_that_cannot_be_written_is_named(tmp_path, inside):
    (tmp_path / "file").write_text("in the way")
    out = tmp_path.joinpath("file", *inside)
    result = demo(out)
    assert result.exit_code != 0
    assert isinstance(result.exception, SystemExit)
    assert str(tmp_path / "file") in result.output
    assert "Traceback" not in result.output


# --- The main job --------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    folder = tmp_path_factory.mktemp("cli") / "holiday [2019]"
    write_collection(folder, 32)
    (folder / "broken.jpg").write_bytes(b"\xff\xd8\xff\xe0 cut short")
    return folder


@pytest.fixture(scope="module")
def run(pictures):
    place = pictures.parent / ("[bold]" + "long" * 20)
    return place, discover(pictures, place)


def test_discover_tells_what_it_found_and_where_it_is(run):
    place, result = run
    assert result.exit_code == 0, result.output
    for fact in ("holiday [2019]", "pictures", "32", "concepts", "broken.jpg", "1 files left out"):
        assert fact in result.output
    assert f"{place / 'report.html'}\n" in result.output  # whole, and as it is


def test_predict_places_new_pictures(run, tmp_path):
    write_pictures(tmp_path / "new", 8, first=500)
    result = call("predict", run[0], tmp_path / "new", "--out", tmp_path / "told")
    assert result.exit_code == 0, result.output
    assert "8 new items" in result.output
    assert (tmp_path / "told" / "predictions.csv").is_file()
    assert (tmp_path / "told" / "predictions.parquet").is_file()


def test_a_dry_run_says_what_would_be_done_and_writes_nothing(pictures, tmp_path):
    result = discover(pictures, tmp_path / "run", "--dry-run")
    assert result.exit_code == 0, result.output
    for fact in ("would embed", "33 of them with 'classic'", "would grow", "Nothing was written"):
        assert fact in result.output
    assert not (tmp_path / "run").exists()


def test_a_dry_run_knows_what_an_earlier_run_embedded(run, pictures):
    before = digests(run[0])
    result = discover(pictures, run[0], "--dry-run")
    assert result.exit_code == 0, result.output
    assert "1 of them with 'classic'; 32 are known" in " ".join(result.output.split())
    assert digests(run[0]) == before


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--tags", "nothing.csv"), "nothing.csv"),
        (("--features", "clasic"), "Did you mean 'classic'"),
        (("--features", "onnx:nothing.onnx"), "nothing.onnx"),
    ],
)
def test_mistakes_are_told_without_a_traceback(pictures, tmp_path, arguments, told):
    tags = () if "--tags" in arguments else ("--tags", "folders")
    result = call("discover", pictures, "--out", tmp_path / "run", *tags, *arguments)
    assert result.exit_code == 1
    assert told in result.output
    assert "Traceback" not in result.output


def test_a_folder_that_does_not_exist_is_a_usage_error(tmp_path):
    result = call("discover", tmp_path / "nothing", "--out", tmp_path / "run")
    assert result.exit_code == 2
    assert "does not exist" in result.output


def test_a_disk_that_fills_up_is_not_a_traceback(pictures, tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cf.HMLForest, "save", full)
    result = discover(pictures, tmp_path / "run")
    assert result.exit_code == 1
    assert isinstance(result.exception, SystemExit)
    assert "No space left on device" in result.output


def test_trouble_with_the_cache_is_not_a_traceback(pictures, tmp_path, monkeypatch):
    def broken(*_):
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr("conceptforest.features.cache.FeatureCache.put_vector", broken)
    result = discover(pictures, tmp_path / "run")
    assert result.exit_code == 1
    assert "Cannot use the cache of features: disk I/O error" in result.output
    assert "Traceback" not in result.output


def n_embedded(cache):
    try:
        with sqlite3.connect(f"file:{cache}?mode=ro", uri=True) as base:
            return base.execute("SELECT COUNT(*) FROM features").fetchone()[0]
    except sqlite3.Error:
        return 0


def test_killed_in_the_middle_it_continues_and_the_result_is_the_same(tmp_path):
    folder = tmp_path / "p"
    write_collection(folder, 600)
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    command = [sys.executable, "-m", "conceptforest"]
    command += [str(a) for a in discover_arguments(folder, killed, "--jobs", 1)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:  # noqa: S603 - ours
        give_up = time.monotonic() + 60
        while n_embedded(killed / "cache.sqlite") == 0 and process.poll() is None:
            assert time.monotonic() < give_up
            time.sleep(0.01)
        os.kill(process.pid, signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL, "it was done before it could be killed"
    done = n_embedded(killed / "cache.sqlite")
    assert 0 < done < 600
    assert not (killed / "settings.json").exists()

    assert discover(folder, killed).exit_code == 0
    assert discover(folder, whole).exit_code == 0
    settings = [json.loads((run / "settings.json").read_text()) for run in (killed, whole)]
    assert settings[0] == settings[1]
    # The page shows the command, in which the folder's name differs.
    tables = [{k: v for k, v in digests(r).items() if k != "report.html"} for r in (killed, whole)]
    assert tables[0] == tables[1]
