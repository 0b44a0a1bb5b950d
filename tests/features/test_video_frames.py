"""Frames of videos: where they come from, how they look, and what broken files do."""

from fractions import Fraction

import av
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.features.clips import (
    noise_frames,
    numbered_frames,
    real_clip,
    turn_when_shown,
    write_clip,
)
from tests.memory import peak_growth

from conceptforest.features import video_file, video_frames
from conceptforest.features.decode import UnreadableError
from conceptforest.features.video_frames import read_gray_chunks, sample_frames


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("clips")


@pytest.fixture(scope="module")
def hundred(folder):
    """Give a clip of a hundred frames of rising brightness, with a key frame every 12."""
    return write_clip(folder / "hundred.mp4", numbered_frames(101))


def numbers(pictures, n_frames):
    """Tell the numbers of frames by their brightness."""
    return [round(float(picture.mean()) * (n_frames - 1) / 255) for picture in pictures]


# --- A few frames --------------------------------------------------------------------------------


@pytest.mark.parametrize("n_frames", [1, 4, 10])
def test_frames_are_the_middles_of_equal_parts(hundred, n_frames):
    found = numbers(sample_frames(hundred, n_frames, shortest=16), 101)
    wanted = [101 * (part + 0.5) / n_frames for part in range(n_frames)]
    assert len(found) == n_frames
    np.testing.assert_allclose(found, wanted, atol=1.5)


@pytest.mark.parametrize("reach", [0, 5, 12, 30])
def test_frames_are_found_from_key_frames(hundred, monkeypatch, reach):
    monkeypatch.setattr(video_frames, "_REACH", reach)
    monkeypatch.setattr(video_frames, "_SHORT", 0)
    found = numbers(sample_frames(hundred, 5, shortest=16), 101)
    exact = numpy_middles(101, 5)
    # Within reach of a key frame it is the frame itself, else the key frame before.
    slack = 1.5 if reach >= 12 else 13.5
    assert len(found) == 5
    assert all(-1.5 <= want - got <= slack for want, got in zip(exact, found, strict=True))


def numpy_middles(total, n_frames):
    return [total * (part + 0.5) / n_frames for part in range(n_frames)]


def test_the_work_does_not_grow_with_the_length(folder, monkeypatch):
    path = write_clip(folder / "long.mp4", numbered_frames(3000, 16, 16), gop=25)
    decoded = []
    frames = video_file.Video.frames
    monkeypatch.setattr(
        video_file.Video, "frames", lambda video: (decoded.append(1) or f for f in frames(video))
    )
    found = numbers(sample_frames(path, 4, shortest=16), 3000)
    np.testing.assert_allclose(found, numpy_middles(3000, 4), atol=12)  # 256 greys for 3,000
    assert len(decoded) <= 4 * 26


def test_a_video_with_one_key_frame_is_read_through(folder):
    path = write_clip(folder / "one_key.mp4", numbered_frames(900, 16, 16), gop=10_000)
    found = numbers(sample_frames(path, 2, shortest=16), 900)
    np.testing.assert_allclose(found, numpy_middles(900, 2), atol=5)


def test_a_file_without_duration_is_read_through(folder):
    # Matroska for streaming: neither duration nor index.
    path = folder / "live.mkv"
    with av.open(str(path), "w", format="matroska", options={"live": "1"}) as container:
        stream = container.add_stream("libx264", rate=25, options={"qp": "0"})
        stream.width, stream.height, stream.pix_fmt = 48, 32, "yuv444p"
        for picture in numbered_frames(101):
            color = np.repeat(picture[..., None], 3, axis=2)
            container.mux(stream.encode(av.VideoFrame.from_ndarray(color, format="rgb24")))
        container.mux(stream.encode())
    with av.open(str(path)) as container:
        assert container.duration is None
    found = numbers(sample_frames(path, 5, shortest=16), 101)
    np.testing.assert_allclose(found, numpy_middles(101, 5), atol=8)
    assert len(found) == 5


def test_a_wrong_duration_does_not_mislead(folder):
    path = write_clip(folder / "lies.mkv", numbered_frames(60))
    data = path.read_bytes()
    place = data.index(b"\x44\x89\x88") + 3  # a duration of eight bytes, in milliseconds
    assert 2000 < np.frombuffer(data[place : place + 8], ">f8")[0] < 3000
    lie = np.array([3.6e6], ">f8").tobytes()
    data = data[:place] + lie + data[place + 8 :]
    tag = data.find(b"DURATION")
    if tag > 0:
        data = data.replace(b"00:00:02.4", b"01:00:00.0")
    path.write_bytes(data)
    found = numbers(sample_frames(path, 4, shortest=16), 60)
    np.testing.assert_allclose(found, numpy_middles(60, 4), atol=6)


def test_a_short_video_gives_each_frame_once(folder):
    path = write_clip(folder / "short.mp4", numbered_frames(3))
    assert numbers(sample_frames(path, 8, shortest=16), 3) == [0, 1, 2]


def test_larger_frames_are_scaled_down_and_smaller_ones_are_not(hundred):
    assert sample_frames(hundred, 1, shortest=16)[0].shape == (16, 24, 3)
    assert sample_frames(hundred, 1, shortest=64)[0].shape == (32, 48, 3)


def test_colours_are_kept(folder):
    picture = np.zeros((32, 48, 3), np.uint8)
    picture[:, :24], picture[:, 24:] = (200, 30, 30), (20, 40, 220)
    path = write_clip(folder / "colour.mp4", [picture] * 3)
    found = sample_frames(path, 1, shortest=64)[0].astype(int)
    assert np.abs(found[:, 4:20] - (200, 30, 30)).max() < 12
    assert np.abs(found[:, 28:44] - (20, 40, 220)).max() < 12


def test_a_video_is_turned_as_it_says(folder):
    picture = np.zeros((32, 48), np.uint8)
    picture[:, :24] = 255  # white on the left
    path = write_clip(folder / "turned.mp4", [picture] * 3)
    turn_when_shown(path)
    found = sample_frames(path, 1, shortest=64)[0]
    assert found.shape == (48, 32, 3)
    # Turned with the clock, what was left is above.
    assert found[:22].min() > 200
    assert found[26:].max() < 50
    chunk = next(read_gray_chunks(path, overlap=0))
    assert chunk.frames.shape == (3, 48, 32)
    assert chunk.frames[:, :22].min() > 0.8 > chunk.frames[:, 26:].max()


@pytest.mark.parametrize(
    ("ratio", "shape"), [(2, (16, 48)), (0.5, (32, 24)), (1, (32, 48)), (100, (32, 48))]
)
def test_pixels_are_made_square(folder, ratio, shape):
    path = folder / f"wide {ratio}.mp4"
    with av.open(str(path), "w") as container:
        stream = container.add_stream("libx264", rate=25)
        stream.width, stream.height, stream.pix_fmt = 48, 32, "yuv420p"
        stream.codec_context.sample_aspect_ratio = Fraction(ratio)
        container.mux(stream.encode(av.VideoFrame(48, 32, "yuv420p")))
        container.mux(stream.encode())
    assert sample_frames(path, 1, shortest=64)[0].shape == (*shape, 3)
    assert next(read_gray_chunks(path)).frames.shape == (1, *shape)


def test_real_clips_give_the_same_frames_each_time():
    first, again = (sample_frames(real_clip("bikes"), 3, shortest=64) for _ in range(2))
    assert [frame.shape for frame in first] == [(64, 151, 3)] * 3
    for a, b in zip(first, again, strict=True):
        np.testing.assert_array_equal(a, b)
    assert np.abs(first[0].astype(int) - first[1]).mean() > 3


@settings(deadline=None, max_examples=25)
@given(cut=st.floats(0, 1), seed=st.integers(0, 2**32 - 1), n_changes=st.integers(0, 30))
def test_damaged_files_give_frames_or_the_one_error(
    hundred, tmp_path_factory, cut, seed, n_changes
):
    rng = np.random.default_rng(seed)
    data = np.frombuffer(hundred.read_bytes(), np.uint8).copy()
    data = data[: max(1, int(len(data) * cut))] if n_changes < 10 else data
    data[rng.integers(0, len(data), n_changes)] = rng.integers(0, 256, n_changes)
    path = tmp_path_factory.mktemp("damaged") / "a.mp4"
    path.write_bytes(data.tobytes())
    try:
        found = sample_frames(path, 3, shortest=16)
        assert 1 <= len(found) <= 3
        assert sum(len(chunk.frames) for chunk in read_gray_chunks(path, overlap=0)) > 0
    except UnreadableError as error:
        assert str(error)  # noqa: PT017


def test_a_video_cut_short_keeps_what_there_is(folder):
    whole = write_clip(folder / "whole.mkv", noise_frames(40)).read_bytes()
    path = folder / "cut.mkv"
    path.write_bytes(whole[: len(whole) // 2])
    assert 1 <= len(sample_frames(path, 4, shortest=16)) <= 4
    assert 5 < sum(len(chunk.frames) for chunk in read_gray_chunks(path, overlap=0)) < 40


def test_reading_through_is_bounded(hundred, monkeypatch):
    monkeypatch.setattr(video_frames, "_MAX_READ", 20)
    with video_file.open_video(hundred) as video:
        found = video_frames._by_reading(video, 2, 16)
    np.testing.assert_allclose(numbers(found, 101), [5, 15], atol=2.5)


@pytest.mark.parametrize(("n_frames", "shortest"), [(0, 16), (1, 0)])
def test_impossible_wishes_are_refused(hundred, n_frames, shortest):
    with pytest.raises(ValueError, match="must be at least 1; got 0"):
        sample_frames(hundred, n_frames, shortest=shortest)


# --- All frames, in grey -------------------------------------------------------------------------


@pytest.mark.parametrize(("chunk", "overlap"), [(100, 20), (101, 0), (10, 3), (7, 6), (200, 5)])
def test_chunks_cover_all_frames_and_repeat_what_they_say(hundred, chunk, overlap):
    chunks = list(read_gray_chunks(hundred, chunk=chunk, overlap=overlap))
    whole = np.concatenate(
        [c.frames[: None if c.next_start is None else c.next_start - c.start] for c in chunks]
    )
    assert whole.dtype == np.float32
    assert whole.shape == (101, 32, 48)
    np.testing.assert_allclose(whole.mean(axis=(1, 2)), np.arange(101) / 100, atol=0.01)
    for c in chunks:
        np.testing.assert_array_equal(c.frames, whole[c.start : c.start + len(c.frames)])
    assert [c.next_start for c in chunks] == [c.start for c in chunks[1:]] + [None]
    assert all(len(c.frames) == chunk for c in chunks[:-1])


def test_every_second_frame_and_the_first_seconds_can_be_taken(hundred):
    (half,) = read_gray_chunks(hundred, chunk=200, every=2)
    np.testing.assert_allclose(half.frames.mean(axis=(1, 2)), np.arange(0, 101, 2) / 100, atol=0.01)
    (second,) = read_gray_chunks(hundred, chunk=200, max_seconds=1)
    assert len(second.frames) == 25


def test_wide_frames_are_scaled_down_to_the_width(folder, hundred):
    assert next(read_gray_chunks(hundred, width=24)).frames.shape[1:] == (16, 24)
    assert next(read_gray_chunks(hundred, width=320)).frames.shape[1:] == (32, 48)
    tall = write_clip(folder / "tall.mp4", noise_frames(2, 320, 32))
    assert next(read_gray_chunks(tall, width=32)).frames.shape[1:] == (96, 10)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"overlap": 100}, "chunk must be at least 101; got 100"),
        ({"every": 0}, "every must be at least 1"),
        ({"width": 0}, "width must be at least 1"),
        ({"max_seconds": 0}, "max_seconds must be above 0, or None; got 0"),
    ],
)
def test_wrong_arguments_are_refused_at_once(hundred, changes, message):
    with pytest.raises(ValueError, match=message):
        read_gray_chunks(hundred, **changes)


def test_memory_does_not_grow_with_the_length(folder):
    # As a whole, 1,500 frames of 160 x 120 in single precision take 115 MB.
    path = write_clip(folder / "hours.mp4", noise_frames(1500, 120, 160), codec="mpeg4")
    before = f"""
    from conceptforest.features.video_frames import read_gray_chunks, sample_frames
    next(read_gray_chunks({str(path)!r}, overlap=20)).frames.sum()
    sample_frames({str(path)!r}, 2, shortest=64)
    """
    work = f"""
    total = sum(len(c.frames) for c in read_gray_chunks({str(path)!r}, overlap=0))
    assert total == 1500, total
    assert len(sample_frames({str(path)!r}, 8, shortest=64)) == 8
    """
    assert peak_growth(before, work) < 20e6
