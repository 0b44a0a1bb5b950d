"""HOG3D descriptors: what they tell, and that the fast way is the obvious one."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tests.oracle import hog3d as oracle

from conceptforest.features.hog3d import Hog3d
from conceptforest.features.hog3d_bins import PolarBins, SolidBins
from conceptforest.features.video_frames import GrayChunk

QUANTISATIONS = ["polar", "icosahedron", "dodecahedron"]
ALL_BINS = {
    "polar": PolarBins(),
    "icosahedron": SolidBins("icosahedron"),
    "dodecahedron": SolidBins("dodecahedron"),
}


def share_out(kind, gradients):
    """Give the votes of gradients of shape (n, 3), shape (n, n_bins)."""
    given = np.ascontiguousarray(np.asarray(gradients, np.float32).T)
    return np.stack([vote.copy() for vote in ALL_BINS[kind].votes(given)], axis=1)


def random_video(shape, seed, levels):
    """Give a video with few grey values, so that parts of it may be flat."""
    return (np.random.default_rng(seed).integers(0, levels, shape) / max(levels - 1, 1)).astype(
        np.float32
    )


def cut_into_chunks(video, chunk, overlap):
    start = 0
    while start + chunk < len(video):
        yield GrayChunk(video[start : start + chunk], start, start + chunk - overlap)
        start += chunk - overlap
    yield GrayChunk(video[start:], start, None)


@settings(deadline=None, max_examples=100)
@given(
    quantisation=st.sampled_from(QUANTISATIONS),
    n_cells=st.tuples(st.integers(1, 2), st.integers(1, 2)),
    splits=st.integers(1, 2),
    support=st.tuples(st.floats(1, 4), st.floats(1, 3)),
    stride=st.tuples(st.integers(1, 5), st.integers(1, 4)),
    n_scales=st.tuples(st.integers(1, 2), st.integers(1, 2)),
    shape=st.tuples(st.integers(1, 7), st.integers(3, 8), st.integers(3, 8)),
    seed=st.integers(0, 2**32 - 1),
    levels=st.sampled_from([1, 2, 2**24]),
)
def test_the_fast_descriptors_are_the_obvious_ones(
    quantisation, n_cells, splits, support, stride, n_scales, shape, seed, levels
):
    setting = Hog3d(n_cells, support, quantisation, splits, stride, n_scales)
    if quantisation == "polar" and levels == 2:
        # Where nothing but rounding errors changes in a picture, they make the angle in it.
        levels = 2**24
    video = random_video(shape, seed, levels)
    expected = oracle.describe(video.tolist(), setting)
    clear = [abs(strength - 0.1) > 1e-4 for _, strength in expected]
    if not all(clear):
        return  # rounding decides whether such a box counts
    kept = [descriptor for descriptor, strength in expected if strength >= 0.1]
    found = setting.describe(video)
    assert found.shape == (len(kept), setting.n_features)
    np.testing.assert_allclose(found, np.reshape(kept, found.shape), atol=2e-5)


@settings(deadline=None, max_examples=20)
@given(
    n_frames=st.integers(1, 70),
    more=st.integers(0, 12),
    seed=st.integers(0, 99),
)
@example(n_frames=60, more=0, seed=0)
def test_chunks_give_what_the_whole_video_gives(n_frames, more, seed):
    setting = Hog3d(stride=(16, 5))
    video = random_video((n_frames, 30, 40), seed, 256)
    whole = setting.describe(video)
    chunks = cut_into_chunks(video, setting.overlap + 1 + more, setting.overlap)
    parts = np.concatenate([np.empty((0, setting.n_features)), *setting.describe_chunks(chunks)])
    assert parts.shape == whole.shape
    order = [np.lexsort(rows.round(3).T) for rows in (parts, whole)]
    np.testing.assert_allclose(parts[order[0]], whole[order[1]], atol=2e-3)
    np.testing.assert_allclose(parts.sum(axis=0), whole.sum(axis=0), atol=1e-4 * (1 + len(whole)))


def test_chunks_that_share_too_few_frames_are_refused():
    setting = Hog3d()
    chunk = GrayChunk(np.zeros((50, 30, 40), np.float32), 0, 50 - setting.overlap + 1)
    with pytest.raises(ValueError, match=r"share 18 frames; boxes of 17 frames need 19"):
        list(setting.describe_chunks([chunk]))


@pytest.mark.parametrize("name", ["hollywood2", "kth"])
@pytest.mark.parametrize("grey", [0.0, 0.5, 1.0])
def test_a_constant_video_has_no_descriptors(name, grey):
    found = Hog3d.setting(name).describe(np.full((20, 40, 40), grey))
    assert found.shape == (0, Hog3d.setting(name).n_features)


def test_a_video_smaller_than_a_box_has_no_descriptors():
    assert len(Hog3d().describe(np.random.default_rng(0).random((40, 23, 100)))) == 0
    assert len(Hog3d().describe(np.random.default_rng(0).random((11, 100, 100)))) == 0


@pytest.mark.parametrize(("name", "length"), [("hollywood2", 300), ("kth", 1000)])
def test_published_settings_have_their_lengths(name, length):
    setting = Hog3d.setting(name)
    found = setting.describe(np.random.default_rng(0).random((18, 36, 40)))
    assert setting.n_features == length
    assert found.shape[1] == length
    assert len(found) > 0
    assert found.dtype == np.float32


def test_cells_come_closer_to_length_one_with_contrast():
    video = np.random.default_rng(0).random((20, 48, 64))
    faint, strong = (
        np.linalg.norm(Hog3d().describe(video * contrast).reshape(-1, 20, 15), axis=2)
        for contrast in (0.02, 1.0)
    )
    assert (faint < strong).all()
    assert faint.max() < 0.1 < strong.min()
    assert strong.max() < 1


def edge(direction, speed):
    """Give a soft edge that moves along x (0) or y (1) by some pixels a frame."""
    t, y, x = np.mgrid[:16, :40, :40]
    along = (x, y)[direction]
    return 1 / (1 + np.exp(-(along - 15 - speed * t) / 3.0))


@pytest.mark.parametrize(
    ("direction", "speed", "angle", "rise"),
    [(0, 0.0, 0, 1), (0, 4.0, 0, 2), (0, -4.0, 0, 0)],
)
def test_an_edge_moving_along_x_votes_for_bins_near_that_axis(direction, speed, angle, rise):
    setting = Hog3d(n_scales=(1, 1))
    bins = setting.describe(edge(direction, speed)).reshape(-1, 5, 3).sum(axis=0)
    assert bins.sum() > 0
    # Across an edge along x, nothing changes along y: all votes are for the first angle.
    assert bins[angle].sum() == pytest.approx(bins.sum(), rel=1e-3)
    assert bins[angle].argmax() == rise


def test_an_edge_moving_along_x_votes_only_for_axes_near_it():
    setting = Hog3d(quantisation="icosahedron", n_scales=(1, 1))
    bins = setting.describe(edge(0, 0.0)).reshape(-1, 10).sum(axis=0)
    axes = SolidBins("icosahedron").axes
    cosines = np.abs(axes[:, 0]) / np.linalg.norm(axes, axis=1)
    near = cosines > 0.745356
    assert bins[near].min() > 0
    assert bins[~near].max() < 1e-5 * bins.sum()


@settings(deadline=None, max_examples=200)
@given(
    kind=st.sampled_from(QUANTISATIONS),
    gradient=st.tuples(*[st.floats(-1, 1, width=32)] * 3),
)
@example(kind="polar", gradient=(0.0, 0.0, 1.0))
@example(kind="polar", gradient=(0.0, 0.0, -1.0))
@example(kind="polar", gradient=(-1.0, 0.0, 0.5))
@example(kind="polar", gradient=(-1.0, 1e-7, 0.5))
@example(kind="polar", gradient=(0.0, 0.0, 0.0))
def test_bins_of_a_gradient_sum_to_its_length_and_know_no_sign(kind, gradient):
    gradient = np.where(np.abs(gradient) < 1e-6, 0, gradient)
    votes, opposite = share_out(kind, [gradient, -gradient])
    assert (votes >= 0).all()
    assert votes.sum() == pytest.approx(np.linalg.norm(gradient), rel=1e-5)
    np.testing.assert_allclose(votes, opposite, atol=1e-6)
    expected = oracle.QUANTISATIONS[kind](gradient.tolist())
    np.testing.assert_allclose(votes, expected, atol=1e-5)


@pytest.mark.parametrize("kind", QUANTISATIONS)
def test_votes_change_little_with_the_direction(kind):
    angles = np.linspace(0, 2 * np.pi, 2000)
    # A circle that keeps off the poles, where the angle in the picture means nothing.
    circle = np.stack([np.cos(angles), np.sin(angles), np.full(2000, 0.4)], axis=1)
    votes = share_out(kind, circle)
    assert np.abs(np.diff(votes, axis=0)).max() < 0.02


@pytest.mark.parametrize("kind", ["icosahedron", "dodecahedron"])
def test_an_axis_has_all_votes_of_its_direction(kind):
    axes = ALL_BINS[kind].axes
    np.testing.assert_allclose(
        share_out(kind, axes), np.eye(len(axes)) * np.linalg.norm(axes, axis=1), atol=1e-5
    )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"quantisation": "cube"}, "quantisation must be polar, icosahedron or dodecahedron"),
        ({"n_cells": (0, 5)}, r"n_cells must be two numbers of at least 1; got \(0, 5\)"),
        ({"stride": (16,)}, "stride must be two numbers"),
        ({"splits": 0}, "splits must be at least 1; got 0"),
    ],
)
def test_wrong_settings_are_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        Hog3d(**changes)


def test_unknown_settings_and_shapes_are_refused():
    with pytest.raises(ValueError, match="setting must be one of hollywood2, kth; got 'ucf'"):
        Hog3d.setting("ucf")
    with pytest.raises(ValueError, match=r"got the shape \(4, 5\)"):
        Hog3d().describe(np.zeros((4, 5)))
