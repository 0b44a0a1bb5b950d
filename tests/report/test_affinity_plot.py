import struct
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

from conceptforest.report import affinity_plot, order_by_cluster, plot_affinity


def random_affinity(n, rng):
    half = rng.uniform(size=(n, n)).round(2)
    affinity = (half + half.T) / 2
    np.fill_diagonal(affinity, 1)
    return affinity


def png_size(path):
    head = path.read_bytes()[:24]
    assert head[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", head[16:24])


@settings(deadline=None)
@given(st.lists(st.integers(-1, 4), min_size=1, max_size=30), st.integers(0, 1000))
def test_order_is_by_cluster_and_then_by_mean_affinity(labels, seed):
    labels = np.array(labels)
    affinity = random_affinity(len(labels), np.random.default_rng(seed))
    order = order_by_cluster(affinity, labels)
    assert sorted(order) == list(range(len(labels)))
    assert (np.diff(labels[order]) >= 0).all()
    for cluster in np.unique(labels):
        own = [i for i in order if labels[i] == cluster]
        means = [np.mean([affinity[i, j] for j in own if j != i] or [0]) for i in own]
        assert (np.diff(means) < 1e-8).all()


def test_equal_items_keep_their_order():
    assert order_by_cluster(np.ones((5, 5)), [1, 0, 1, 0, 1]).tolist() == [1, 3, 0, 2, 4]


def test_sparse_and_dense_are_ordered_alike(rng):
    affinity = random_affinity(40, rng)
    affinity[affinity < 0.6] = 0
    labels = rng.integers(0, 4, size=40)
    dense = order_by_cluster(affinity, labels)
    assert dense.tolist() == order_by_cluster(sparse.csr_array(affinity), labels).tolist()


@pytest.mark.parametrize("kind", [np.asarray, sparse.csr_array, sparse.coo_matrix])
@pytest.mark.parametrize("n", [1, 12, 700])
def test_the_file_is_a_png_of_the_right_size(tmp_path, rng, kind, n):
    path = tmp_path / "affinity.png"
    labels = np.arange(n) % 3
    plot_affinity(kind(random_affinity(n, rng)), labels, path, dpi=50)
    assert png_size(path) == (360, 330)
    assert [file.name for file in tmp_path.iterdir()] == ["affinity.png"]


def test_other_formats_go_by_suffix(tmp_path, rng):
    path = tmp_path / "affinity.SVG"
    names = ["sea", "snow & <ice>"]
    plot_affinity(random_affinity(6, rng), [0, 0, 0, 5, 5, 5], path, names=names, title="Mine")
    assert "<svg" in path.read_text()


def test_many_tiny_clusters_can_be_drawn(tmp_path, rng):
    plot_affinity(random_affinity(400, rng), np.arange(400), tmp_path / "a.png", dpi=50)
    assert png_size(tmp_path / "a.png") == (360, 330)


def test_no_affinity_at_all_can_be_drawn(tmp_path):
    plot_affinity(sparse.csr_array((4, 4)), [0, 0, 1, 1], tmp_path / "a.png", dpi=50)
    assert png_size(tmp_path / "a.png") == (360, 330)


def test_cells_hold_the_mean_of_their_items(rng, monkeypatch):
    monkeypatch.setattr(affinity_plot, "_CELLS", 3)
    affinity = random_affinity(6, rng)
    order = np.array([5, 0, 3, 1, 2, 4])
    expected = affinity[np.ix_(order, order)].reshape(3, 2, 3, 2).mean(axis=(1, 3))
    assert np.allclose(affinity_plot._cells(affinity, order), expected)
    assert np.allclose(affinity_plot._cells(sparse.csr_array(affinity), order), expected)


def test_names_that_would_overlap_are_left_out():
    assert affinity_plot._far_enough(np.array([1.0, 2.0, 5.0, 6.5, 9.0]), 3.0) == [0, 2, 4]


@pytest.mark.parametrize(
    ("affinity", "labels", "message"),
    [
        (np.ones((3, 4)), [0, 0, 1], r"shape \(3, 4\); it must be square"),
        (np.ones(3), [0, 0, 1], "must be square"),
        (np.ones((3, 3)), [0, 1], r"labels has shape \(2,\), but affinity is of 3 items"),
        (np.ones((3, 3)), [[0, 1, 1]], "one label per item"),
        (np.ones((3, 3)), [0.0, 1.0, 1.0], "cluster labels are whole numbers"),
        (np.full((2, 2), np.nan), [0, 1], "NaN or infinite"),
        (np.array([["a"]]), [0], "must hold numbers"),
        (np.ones((0, 0)), np.array([], dtype=int), "no items"),
    ],
)
def test_input_that_does_not_fit_is_refused(tmp_path, affinity, labels, message):
    with pytest.raises(ValueError, match=message):
        order_by_cluster(affinity, labels)
    with pytest.raises(ValueError, match=message):
        plot_affinity(affinity, labels, tmp_path / "a.png")


def test_there_is_one_name_per_cluster(tmp_path):
    with pytest.raises(ValueError, match="There are 1 names but 2 clusters"):
        plot_affinity(np.ones((3, 3)), [0, 4, 4], tmp_path / "a.png", names=["sea"])


@pytest.mark.parametrize("name", ["affinity", "affinity.doc"])
def test_unknown_suffixes_are_refused(tmp_path, name):
    with pytest.raises(ValueError, match=r"no known picture suffix; allowed are .*\.png"):
        plot_affinity(np.ones((3, 3)), [0, 1, 1], tmp_path / name)
    assert not list(tmp_path.iterdir())


def test_an_older_picture_stays_when_drawing_fails(tmp_path, monkeypatch):
    from matplotlib.figure import Figure

    path = tmp_path / "a.png"
    path.write_text("old")

    def fail(_figure, file, **_):
        file.write(b"half")
        raise OSError("disk full")

    monkeypatch.setattr(Figure, "savefig", fail)
    with pytest.raises(OSError, match="disk full"):
        plot_affinity(np.ones((3, 3)), [0, 1, 1], path)
    assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


def test_without_matplotlib_the_error_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(ImportError, match=r'pip install "matplotlib>=3\.8"'):
        plot_affinity(np.ones((3, 3)), [0, 1, 1], tmp_path / "a.png")
