import sys

import pytest
from click.testing import CliRunner

import conceptforest as cf
from conceptforest.cli import main


def call(*arguments):
    return CliRunner().invoke(main, [str(argument) for argument in arguments])


def demo(out, *more):
    return call("demo", "--out", out, "--items", 120, "--trees", 20, "--jobs", 1, *more)


def without_times(text):
    return [line for line in text.splitlines() if "grown in" not in line and "Done in" not in line]


def test_version():
    result = call("--version")
    assert result.exit_code == 0
    assert result.output == f"conceptforest, version {cf.__version__}\n"


def test_help_names_the_commands():
    result = call("--help")
    assert result.exit_code == 0
    assert "demo" in result.output


def test_demo_tells_the_key_facts_and_writes_its_files(tmp_path):
    out = tmp_path / "new" / "folder"
    result = demo(out)
    assert result.exit_code == 0, result.output
    for fact in (
        "120, made up from 8 concepts",
        "removed",
        "no tag left",
        "20 with",
        "splits chosen by",
        "estimated layers",
        "abstract tags",
        "specific tags give evidence",
        "NMI",
        "ARI",
        "features, k-means",
        "tags, k-means",
        "both, mean of graphs",
        "forest, told the tag layers",
        "forest, layers estimated",
        "characteristic tags",
        "because of",
        "untagged items",
        "Done in",
    ):
        assert fact in result.output
    assert (out / "affinity.png").read_bytes().startswith(b"\x89PNG")
    forest = cf.load(out / "model.safetensors")
    assert forest.trees_.n_trees == 20
    assert (out / "reliability.png").read_bytes().startswith(b"\x89PNG")
    assert sorted(file.name for file in out.iterdir()) == [
        "affinity.png",
        "model.safetensors",
        "reliability.png",
    ]


def test_demo_is_plain_text_within_80_columns_when_piped(tmp_path):
    output = demo(tmp_path).output
    assert "\x1b" not in output
    text = output.partition("\nFiles\n")[0]  # paths may be long
    assert max(map(len, text.splitlines())) <= 80


def test_paths_are_printed_whole_and_as_they_are(tmp_path):
    out = tmp_path / ("[bold]" + "long" * 20)
    assert f"{out / 'affinity.png'}\n" in demo(out).output


def test_the_same_seed_tells_the_same_story(tmp_path):
    one, two, other = (demo(tmp_path, "--seed", seed).output for seed in (5, 5, 6))
    assert without_times(one) == without_times(two)
    assert without_times(one) != without_times(other)


def test_demo_does_without_matplotlib(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    result = demo(tmp_path)
    assert result.exit_code == 0, result.output
    assert 'pip install "matplotlib>=3.8"' in result.output
    assert [file.name for file in tmp_path.iterdir()] == ["model.safetensors"]


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
    assert str(out) in result.output
    assert "Traceback" not in result.output


def test_a_disk_that_fills_up_is_not_a_traceback(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(cf.HMLForest, "save", full)
    result = demo(tmp_path)
    assert result.exit_code == 1
    assert isinstance(result.exception, SystemExit)
    assert "No space left on device. Choose another with --out." in result.output
