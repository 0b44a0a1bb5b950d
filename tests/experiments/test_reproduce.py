"""The command: every table and figure, resumed where it was stopped, with methods of one's own."""

import base64
import json
import os
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from conceptforest import cli
from conceptforest.cli import _without_places, main
from conceptforest.datasets import Collection, make_trecvid_like, write_feature_file
from conceptforest.experiments import (
    EXPERIMENTS,
    Settings,
    comparison,
    completion,
    layer_numbers,
    reproduce,
    watching,
)
from conceptforest.experiments.cells import Cell, CellStore
from conceptforest.experiments.looks import cluster_run, completion_run
from conceptforest.experiments.methods import METHODS
from conceptforest.experiments.plan import Plan
from conceptforest.experiments.pool import Bounds
from conceptforest.experiments.running import code_version_of
from conceptforest.experiments.sources import open_subject
from conceptforest.tags import TagMatrix

FEW = ("KMeans", "SpClust", "Popularity", "HMLRF", "MostSpecific", "HMLRF(AM)")
SETTINGS = Settings(
    trees=10, seeds=2, rates=(0.5,), layers=(2, 3), tree_counts=(5, 10), leaf_sizes=(1, 3),
    methods=FEW, seconds=60.0,
)  # fmt: skip
MISBEHAVE = str(Path(__file__).with_name("methods_that_misbehave.py"))


@pytest.fixture(scope="module")
def data():
    return "trecvid-like:80"


@pytest.fixture(autouse=True)
def no_methods_of_other_tests():
    before = dict(METHODS)
    yield
    METHODS.clear()
    METHODS.update(before)


@pytest.fixture(scope="module")
def done(data, tmp_path_factory):
    out = tmp_path_factory.mktemp("out")
    return out, reproduce(["all"], data, out, settings=SETTINGS, command="the command")


def test_every_table_and_figure_is_there(done):
    _, found = done
    names = {path.stem for path in found.files}
    assert {"table1", "table3", "table4", "table5", "table6", "table8"} <= names
    figures = {name for name in EXPERIMENTS if name.startswith("fig-")}
    assert figures <= names
    for path in found.files:
        assert path.is_file()
        assert path.stat().st_size > 100
    endings = {path.suffix for path in found.files}
    assert endings == {".md", ".tex", ".csv", ".json", ".svg", ".pdf"}
    assert found.n_failed == 0
    assert found.remarks == ()


def test_the_page_holds_them_all(done):
    out, found = done
    page = found.index.read_text()
    for path in found.files:
        assert f'"{path.relative_to(out).as_posix()}"' in page
        if path.suffix == ".svg":  # the figures themselves, not only where they are
            assert base64.b64encode(path.read_bytes()).decode() in page
    assert "the command" in page
    assert "HML-RF" in page
    assert '<span class="paper">0.90</span>' in page  # its published twin
    assert "imply an ARI" in page


def test_it_is_there_as_markdown_too(done):
    out, found = done
    page = (out / "index.md").read_text()
    for path in found.files:
        if path.suffix == ".svg":
            assert f"]({path.relative_to(out).as_posix()})" in page
    for name in ("claims", "table1", "table3", "table8"):
        rows = (out / "tables" / f"{name}.md").read_text().split("\n\n")
        assert next(part for part in rows if part.startswith("| ")) in page


def test_rows_are_those_of_the_methods(done):
    out, _ = done
    rows = json.loads((out / "tables" / "table1.json").read_text())["rows"]
    assert {row["method"] for row in rows} >= {"K-means", "SpClust", "HML-RF", "HML-RF, FlatTags"}
    assert {row["group"] for row in rows} >= {"features", "tags", "both, balanced"}
    assert all(0 <= row["scores"]["NMI"]["mean"] <= 1 for row in rows)


def test_a_second_run_computes_nothing(done, data):
    out, first = done
    again = reproduce(["all"], data, out, settings=SETTINGS)
    assert (first.n_run, again.n_run) == (first.n_jobs, 0)


def test_more_seeds_and_lost_cells_are_all_that_is_computed(done, data, tmp_path):
    out, _ = done
    cells = sorted((out / "cells").glob("*.json"))
    kept = tmp_path / "cells"
    kept.mkdir()
    for path in cells[3:]:
        (kept / path.name).write_bytes(path.read_bytes())
    again = reproduce(["all"], data, tmp_path, settings=SETTINGS)
    assert again.n_run == 3
    for path in cells:  # and what is computed again is the same
        one, other = (json.loads((p / path.name).read_text()) for p in (out / "cells", kept))
        assert one["scores"] == other["scores"]


def test_results_of_other_code_are_computed_again_unless_they_are_wanted(done, data, tmp_path):
    out, _ = done
    kept = tmp_path / "cells"
    kept.mkdir()
    for path in (out / "cells").glob("*.json"):
        content = json.loads(path.read_text())
        (kept / path.name).write_text(json.dumps(content | {"code": "of last year"}))
    settings = Settings(trees=10, seeds=2, methods=("Popularity",), seconds=60.0)
    older = reproduce(["table8"], data, tmp_path, settings=settings, keep_older=True)
    assert older.n_run == 0
    assert "2 runs were computed by earlier code" in older.index.read_text()
    assert reproduce(["table8"], data, tmp_path, settings=settings).n_run == 2


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="Linux alone tells and sets it")
def test_the_command_takes_no_more_cores_than_it_may_use(data, tmp_path):
    allowed = os.sched_getaffinity(0)
    try:
        os.sched_setaffinity(0, {min(allowed)})
        arguments = ["reproduce", "table8", "--data", data, "--methods", "Popularity"]
        result = CliRunner().invoke(main, [*arguments, "--seeds", "1", "--out", str(tmp_path)])
    finally:
        os.sched_setaffinity(0, allowed)
    assert result.exit_code == 0, result.output
    (cell,) = (json.loads(path.read_text()) for path in (tmp_path / "cells").glob("*.json"))
    assert (cell["machine"]["workers"], cell["machine"]["threads"]) == (1, 1)


@pytest.mark.parametrize(("text", "mb"), [("1000000000\n", 750.0), ("max\n", None), (None, None)])
def test_the_memory_of_a_container_bounds_that_for_runs(tmp_path, monkeypatch, text, mb):
    monkeypatch.setattr(cli, "_CONTAINER_MEMORY", ())
    alone = cli._memory_mb(None)
    limit = tmp_path / "memory.max"
    if text is not None:
        limit.write_text(text)
    monkeypatch.setattr(cli, "_CONTAINER_MEMORY", (str(limit),))
    assert cli._memory_mb(None) == (mb or alone)
    assert cli._memory_mb(2.0) == 2000.0


def test_a_table_that_no_method_asked_for_has_a_part_in_says_so(data, tmp_path):
    settings = Settings(methods=("KMeans",), seconds=60.0)
    found = reproduce(["table5"], data, tmp_path, settings=settings)
    assert (found.n_jobs, found.lacking) == (0, ("table5",))
    assert "None of the methods asked for has a part in this: KMeans." in found.index.read_text()


def test_a_method_of_one_file_gets_a_row_in_every_table(data, tmp_path):
    settings = {"seeds": 1, "methods": ["Halves", "Fails"]}
    found = reproduce(
        ["table1"],
        data,
        tmp_path,
        settings=("quick", settings),
        method_files=[MISBEHAVE],
        bounds=Bounds(n_workers=2),
    )
    text = (tmp_path / "tables" / "table1.md").read_text()
    assert "| features | halves |" in text
    assert "fails: ZeroDivisionError: one cannot do that." in text
    assert (found.n_jobs, found.n_failed) == (2, 1)


def test_the_example_in_contributing_gets_a_row_in_every_table_of_methods(data, tmp_path):
    page = (Path(__file__).parents[2] / "CONTRIBUTING.md").read_text("utf-8")
    (code,) = re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL)
    file = tmp_path / "by_first_feature.py"
    file.write_text(code)
    own = ["ByFirstFeature", "ByFirstFeature(GC)"]
    settings = ("quick", {"seeds": 1, "rates": [0.5], "methods": [*own, "SpClust", "Popularity"]})
    found = reproduce(["all"], data, tmp_path, settings=settings, method_files=[str(file)])
    assert found.n_failed == 0
    for table, title in {
        "table1": "first feature",
        "table3": "first feature",
        "table6": "first feature(GC)",
        "table8": "first feature(GC)",
        "fig-sparseness-numbers": "first feature",
    }.items():
        rows = json.loads((tmp_path / "tables" / f"{table}.json").read_text())["rows"]
        (row,) = (row for row in rows if row["method"] == title)
        assert all(np.isfinite(score["mean"]) for score in row["scores"].values())
    assert "first feature" in (tmp_path / "figures" / "fig-sparseness.svg").read_text()


def test_a_method_may_not_be_called_as_another_one(data, tmp_path):
    file = tmp_path / "mine.py"
    file.write_text(Path(MISBEHAVE).read_text().replace("class Halves", "class KMeans"))
    with pytest.raises(ValueError, match="there is one of that name already"):
        reproduce(["table1"], data, tmp_path, method_files=[str(file)])


def test_a_method_that_was_changed_is_run_again_and_one_that_was_moved_is_not(data, tmp_path):
    file = tmp_path / "mine.py"
    settings = ("quick", {"seeds": 1, "methods": ["Thirds"]})

    def n_run(text, file=file):
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)
        done = reproduce(["table1"], data, tmp_path, settings=settings, method_files=[str(file)])
        return done.n_run

    halves = Path(MISBEHAVE).read_text().replace("Halves", "Thirds")
    assert n_run(halves) == 1
    assert n_run(halves) == 0
    assert n_run(halves.replace("* 2 //", "* 3 //")) == 1
    for name in [name for name, method in METHODS.items() if method.file]:
        METHODS.pop(name)  # as in another process
    assert n_run(halves.replace("* 2 //", "* 3 //"), tmp_path / "elsewhere" / "mine.py") == 0


def test_progress_of_long_runs_can_be_read_in_a_log(data, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(watching, "_EVERY", 0.0)
    settings = ("quick", {"seeds": 1, "methods": ["Popularity", "CoOccurrence"]})
    reproduce(["table8"], data, tmp_path, settings=settings, verbose=1)
    said = capsys.readouterr().err.splitlines()
    assert [line.partition(";")[0] for line in said if "runs" in line] == [
        "1 of 2 runs",
        "2 of 2 runs",
    ]
    assert "left about 0:00:00" in said[-1]


def test_the_command_line(data, tmp_path):
    config = tmp_path / "few.toml"
    config.write_text('methods = ["KMeans"]\nseeds = 1\n')
    result = CliRunner().invoke(
        main,
        ["reproduce", "table1", "--data", data, "--out", str(tmp_path / "out"),
         "--preset", "quick", "--config", str(config)],
    )  # fmt: skip
    assert result.exit_code == 0, result.output
    assert "5 runs, 5 of them made now." in result.output
    assert (tmp_path / "out" / "index.html").is_file()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["table99"], "There is no experiment 'table99'; there are all, claims, table1"),
        (["table1", "--preset", "quik"], "Did you mean 'quick'?"),
        (["table1", "--methods", "KMean"], "Did you mean 'KMeans'?"),
        (["table1", "--data", "no-such-file.npz"], "There is no file"),
        (["table1", "--data", "scenes:few"], "behind the colon stands a number"),
        (["table1", "--data", "."], "say which published layout"),
        (["table1", "--method", __file__], "no subclass of ClusteringBaseline"),
    ],
)
def test_mistakes_are_explained(tmp_path, arguments, message):
    result = CliRunner().invoke(main, ["reproduce", *arguments, "--out", str(tmp_path / "out")])
    assert result.exit_code == 1
    assert message in " ".join(result.output.split())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"seed": 3}, "Did you mean 'seeds'?"),
        ({"seeds": "three"}, "seeds must be like 2; got 'three'"),
        ({"rates": 0.5}, "rates must be like"),
        ({"rates": [1.5]}, "rates must lie between 0 and 1"),
        ({"rates": []}, "rates is empty"),
        ({"layers": [0]}, "layers must be numbers of at least 1"),
        ({"trees": 0}, "trees must be at least 1"),
        ({"seconds": -1.0}, "seconds must be positive"),
    ],
)
def test_settings_are_checked(changes, message):
    with pytest.raises(ValueError, match=message.replace("?", r"\?")):
        Settings.of("quick", changes)


def test_a_collection_without_classes_is_refused(tmp_path):
    from conceptforest.datasets import Collection

    made = make_trecvid_like(n_items=40, random_state=0)
    path = tmp_path / "bare.npz"
    write_feature_file(path, Collection(made.X, made.tags, None, (), "bare"))
    with pytest.raises(ValueError, match="bare has no classes"):
        reproduce(["table1"], str(path), tmp_path / "out", settings=SETTINGS)


def test_what_cannot_be_made_costs_nothing_else(data, tmp_path, monkeypatch):
    def fail(*_):
        raise ZeroDivisionError("one cannot do that")

    monkeypatch.setattr(layer_numbers, "result", fail)
    settings = ("quick", {"seeds": 1, "methods": ["KMeans", "HMLRF"], "layers": [2]})
    names = ["table1", "table4", "fig-completion", "fig-samples"]
    found = reproduce(names, data, tmp_path, settings=settings)
    assert found.lacking == ("table4", "fig-completion")
    for page in (found.index.read_text(), (tmp_path / "index.md").read_text()):
        assert "This could not be made: ZeroDivisionError: one cannot do that" in page
        assert "is not among the methods that are run" in page
    assert {"table1", "fig-samples"} == {path.stem for path in found.files}


def test_names_may_hold_what_means_something_elsewhere(tmp_path):
    own = make_trecvid_like(n_items=60, n_classes=3, n_tags=12, random_state=0)
    tags = TagMatrix(own.tags.matrix, (r"a$b^c|d_{e}", r"$\\frac", *own.tags.vocabulary[2:]))
    classes = (r"x$y^z|", "<blink>", "$ $")
    strange = Collection(own.X, tags, own.labels, classes, "<blink>")
    path = tmp_path / "50% $of$ <blink>it|all.npz"
    write_feature_file(path, strange)
    few = ("quick", {"seeds": 1, "trees": 10, "methods": ["HMLRF", "HMLRF(AM)"]})
    names = ["table1", "fig-samples", "fig-clusters", "fig-completion", "fig-affinity"]
    found = reproduce(names, str(path), tmp_path / "out", settings=few)
    assert (found.n_failed, found.lacking) == (0, ())
    assert "<blink>" not in found.index.read_text()


def test_a_methods_inputs_are_checked(data, tmp_path):
    file = tmp_path / "mine.py"
    text = Path(MISBEHAVE).read_text()
    file.write_text(text.replace('modes = ("vision",)', 'modes = ("sound",)'))
    with pytest.raises(ValueError, match=r"has the modes .*sound.* Name at least one of vision"):
        reproduce(["table1"], data, tmp_path, method_files=[str(file)])


@pytest.mark.parametrize(
    ("word", "shown"),
    [
        ("/home/me/pets.npz", "pets.npz"),
        ("--data=/home/me/pets.npz", "--data=pets.npz"),
        ("nus-wide:/data/images", "nus-wide:images"),
        ("--data=nus-wide:/data/images", "--data=nus-wide:images"),
        ("trecvid-like:80", "trecvid-like:80"),
        ("pets.npz", "pets.npz"),
    ],
)
def test_commands_are_shown_without_places(word, shown):
    assert _without_places(word) == shown


def test_a_failed_run_is_not_drawn_but_tried_again(data, tmp_path):
    few = {"seeds": 1, "trees": 10, "methods": ["HMLRF", "HMLRF(AM)"]}
    settings = Settings.of("quick", few | {"seconds": 60.0})
    plan = Plan(open_subject(data, tmp_path), settings)
    own = plan.subject.collection
    store = CellStore(tmp_path / "cells", plan.subject.digest, own.name, own.n_items)
    job = completion_run(plan)
    assert job in completion.jobs(plan)
    assert cluster_run(plan, 0.0) in comparison.jobs(plan)
    code = code_version_of(job.method)
    store.put(job, Cell({}, "it took more than 60 s", seconds=60.0, limit=60.0, code=code))
    found = reproduce(["fig-completion"], data, tmp_path, settings=settings)
    assert found.lacking == ("fig-completion",)
    assert "it took more than 60 s" in found.index.read_text()
    longer = Settings.of("quick", few | {"seconds": 90.0})
    assert not reproduce(["fig-completion"], data, tmp_path, settings=longer).lacking
    store.put(job, Cell({}, "it broke", code=code))
    assert not reproduce(["fig-completion"], data, tmp_path, settings=settings).lacking
