import struct
import sys

import numpy as np
import pytest

from conceptforest.completion import Calibration, ScoreMap
from conceptforest.report import reliability_plot
from conceptforest.report.reliability_plot import plot_reliability


def made(predicted, observed, count, error=0.01):
    learned = ScoreMap(np.array([0.0, 1.0]), np.array([0.0, 0.5]))
    arrays = np.array(predicted, float), np.array(observed, float), np.array(count, np.int64)
    return Calibration(learned, *arrays, error)


USUAL = made([0.02, 0.1, 0.4, 0.8], [0.01, 0.12, 0.5, 0.7], [20_000, 900, 60, 8])


def png_size(path):
    head = path.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", head[16:24])


@pytest.mark.parametrize(
    "calibration",
    [
        USUAL,
        made([0.3], [0.0], [1]),
        made([0.5, 0.1], [1.0, 0.0], [3, 5]),
        made([0.1, 0.2], [0.1, 0.2], [10, 10]),
    ],
)
def test_the_file_is_a_png_of_the_right_size(tmp_path, calibration):
    plot_reliability(calibration, tmp_path / "r.png", dpi=50)
    assert png_size(tmp_path / "r.png") == (280, 330)
    assert [file.name for file in tmp_path.iterdir()] == ["r.png"]


def test_the_picture_names_what_it_shows(tmp_path, monkeypatch):
    import matplotlib as mpl

    monkeypatch.setitem(mpl.rcParams, "svg.fonttype", "none")
    plot_reliability(USUAL, tmp_path / "r.svg", title="Mine & <yours>")
    text = (tmp_path / "r.svg").read_text()
    for words in ("Mine &amp; &lt;yours&gt;", "expected calibration error 0.0100", "20,968 tags"):
        assert words in text
    assert "promised probability" in text


def test_intervals_are_wilsons():
    low, high = reliability_plot._wilson(np.array([0.0, 0.5, 1.0]), np.array([10, 100, 10]))
    np.testing.assert_allclose(low, [0.0, 0.4038, 0.7225], atol=1e-4)
    np.testing.assert_allclose(high, [0.2775, 0.5962, 1.0], atol=1e-4)


def test_no_bins_are_refused(tmp_path):
    with pytest.raises(ValueError, match="no bins"):
        plot_reliability(made([], [], []), tmp_path / "r.png")


def test_something_else_is_refused(tmp_path):
    with pytest.raises(TypeError, match="calibration is of type dict; give the calibration_"):
        plot_reliability({"predicted": []}, tmp_path / "r.png")


@pytest.mark.parametrize("name", ["r", "r.doc"])
def test_unknown_suffixes_are_refused(tmp_path, name):
    with pytest.raises(ValueError, match=r"no known picture suffix; allowed are .*\.png"):
        plot_reliability(USUAL, tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_an_older_picture_stays_when_drawing_fails(tmp_path, monkeypatch):
    from matplotlib.figure import Figure

    path = tmp_path / "r.png"
    path.write_text("old")

    def fail(_figure, file, **_):
        file.write(b"half")
        raise OSError("disk full")

    monkeypatch.setattr(Figure, "savefig", fail)
    with pytest.raises(OSError, match="disk full"):
        plot_reliability(USUAL, path)
    assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_without_matplotlib_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r'pip install "matplotlib>=3\.8"'):
        plot_reliability(USUAL, tmp_path / "r.png")


def test_a_folder_that_does_not_exist_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="no-such"):
        plot_reliability(USUAL, tmp_path / "no-such" / "file.png")
