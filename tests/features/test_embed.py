import os
import sys
import threading
import time
import types

import numpy as np
import pytest
from PIL import Image
from tests.features.pictures import encode, scene

from conceptforest.datasets.media import MediaItem
from conceptforest.features import reading
from conceptforest.features.cache import FeatureCache
from conceptforest.features.classic import ClassicDescriptor
from conceptforest.features.decode import UnreadableError
from conceptforest.features.embed import embed, vector_key


class Colours:
    """Counts what it is asked to do; a picture's vector is its mean colour and a constant."""

    name = "colours"
    key = "colours-1"
    n_features = 4
    shortest = 16
    batch_size = 4

    def __init__(self, stop_after=None, error=KeyboardInterrupt):
        self.batches = []
        self.stop_after = stop_after
        self.error = error

    def prepare(self, image):
        return image.mean(axis=(0, 1)).astype(np.float32)

    def run(self, batch):
        if self.stop_after is not None and len(self.batches) == self.stop_after:
            raise self.error
        self.batches.append(batch.copy())
        return np.concatenate([batch, np.ones((len(batch), 1), np.float32)], axis=1)

    @property
    def n_rows(self):
        return sum(int((batch.any(axis=1)).sum()) for batch in self.batches)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "media").mkdir()
    return tmp_path / "media"


def add(folder, name, data, kind="image", age=10):
    path = folder / name
    path.write_bytes(data)
    then = time.time() - age
    os.utime(path, (then, then))
    return MediaItem(name, path, kind)


def collection(folder, n=10):
    return [add(folder, f"{i}.png", encode(scene(20, 30, seed=i))) for i in range(n)]


def wanted(n):
    rows = [[*scene(20, 30, seed=i).mean(axis=(0, 1)), 1.0] for i in range(n)]
    return np.array(rows)


# --- Results -------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_jobs", [None, 1, 3, -1])
def test_rows_are_in_the_order_of_the_items(folder, n_jobs):
    with FeatureCache(None) as cache:
        found = embed(collection(folder), Colours(), cache, n_jobs=n_jobs)
    assert found.X.dtype == np.float32
    assert np.allclose(found.X, wanted(10), atol=3)
    assert len({row.tobytes() for row in found.X}) == 10
    assert found.kept.tolist() == list(range(10))
    assert found.kept.dtype == np.int64
    assert found.skipped == ()
    assert (found.n_computed, found.n_cached) == (10, 0)


def test_batches_always_have_their_size_and_are_filled_with_zeros(folder):
    extractor = Colours()
    with FeatureCache(None) as cache:
        embed(collection(folder, 6), extractor, cache)
    assert [batch.shape for batch in extractor.batches] == [(4, 3), (4, 3)]
    assert not extractor.batches[1][2:].any()


def test_nothing_gives_an_empty_matrix():
    with FeatureCache(None) as cache:
        found = embed([], Colours(), cache)
    assert found.X.shape == (0, 4)
    assert found.kept.shape == (0,)


def test_bad_files_are_left_out_and_listed_in_their_order(folder):
    items = collection(folder, 3)
    items.insert(1, add(folder, "text.jpg", b"no picture"))
    items.insert(0, add(folder, "empty.jpg", b""))
    items.append(MediaItem("gone.jpg", folder / "gone.jpg", "image"))
    items.append(MediaItem("folder.jpg", folder, "image"))
    with FeatureCache(None) as cache:
        found = embed(items, Colours(), cache, n_jobs=2)
    assert found.kept.tolist() == [1, 3, 4]
    assert [(s.name, s.reason) for s in found.skipped] == [
        ("empty.jpg", "it is empty"),
        ("text.jpg", "it is not a JPEG, PNG, WebP, TIFF, GIF or BMP file"),
        ("gone.jpg", "it cannot be read: No such file or directory"),
        ("folder.jpg", "it is not a regular file"),
    ]


def test_vectors_that_are_not_finite_are_left_out(folder):
    class Broken(Colours):
        def run(self, batch):
            found = super().run(batch)
            found[0] = np.nan
            return found

    with FeatureCache(None) as cache:
        found = embed(collection(folder, 3), Broken(), cache)
    assert len(found.X) == 2
    assert "finite" in found.skipped[0].reason


# --- The cache -----------------------------------------------------------------------------------


def test_a_second_run_computes_and_reads_nothing(folder, tmp_path, monkeypatch):
    items = collection(folder)
    items.append(add(folder, "text.jpg", b"no picture"))
    with FeatureCache(tmp_path / "cache.db") as cache:
        first = embed(items, Colours(), cache)
    monkeypatch.setattr(reading, "decode_image", None)
    monkeypatch.setattr(reading, "digest_open", None)
    extractor = Colours()
    with FeatureCache(tmp_path / "cache.db") as cache:
        second = embed(items, extractor, cache)
    assert extractor.batches == []
    assert (second.n_computed, second.n_cached) == (0, 10)
    assert second.X.tobytes() == first.X.tobytes()
    assert second.skipped == first.skipped
    assert second.digests == first.digests


def test_the_same_content_is_embedded_once(folder):
    items = [add(folder, f"{i}.png", encode(scene(20, 30, seed=i % 2))) for i in range(6)]
    extractor = Colours()
    with FeatureCache(None) as cache:
        found = embed(items, extractor, cache)
    assert extractor.n_rows == 2
    assert found.X.shape == (6, 4)
    assert found.X[0].tobytes() == found.X[4].tobytes()
    assert (found.n_computed, found.n_cached) == (2, 0)


def test_a_renamed_file_is_not_embedded_again(folder):
    items = collection(folder, 3)
    with FeatureCache(None) as cache:
        embed(items, Colours(), cache)
        moved = items[0].path.rename(folder / "new.png")
        found = embed([MediaItem("new.png", moved, "image")], extractor := Colours(), cache)
    assert extractor.batches == []
    assert found.n_cached == 1


def test_a_changed_file_is_embedded_again(folder):
    items = collection(folder, 3)
    with FeatureCache(None) as cache:
        first = embed(items, Colours(), cache)
        add(folder, "1.png", encode(scene(20, 30, seed=99)), age=5)
        second = embed(items, Colours(), cache)
    assert second.n_computed == 1
    assert (first.X != second.X).any(axis=1).tolist() == [False, True, False]


def test_another_extractor_has_vectors_of_its_own(folder):
    class Other(Colours):
        key = "colours-2"

    with FeatureCache(None) as cache:
        embed(collection(folder, 3), Colours(), cache)
        assert embed(collection(folder, 3), Other(), cache).n_computed == 3


@pytest.mark.parametrize("error", [KeyboardInterrupt, RuntimeError])
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_a_stopped_run_is_resumed_where_it_was(folder, tmp_path, error, n_jobs):
    items = collection(folder, 22)
    with FeatureCache(None) as cache:
        whole = embed(items, Colours(), cache)
    stopped = Colours(stop_after=3, error=error)
    cache = FeatureCache(tmp_path / "cache.db")
    with pytest.raises(error):
        embed(items, stopped, cache, n_jobs=n_jobs)
    rest = Colours()
    with FeatureCache(tmp_path / "cache.db") as again:  # the first is never closed, as in a kill
        found = embed(items, rest, again, n_jobs=n_jobs)
    cache.close()
    assert stopped.n_rows == 12
    assert rest.n_rows == 10
    assert (found.n_computed, found.n_cached) == (10, 12)
    assert found.X.tobytes() == whole.X.tobytes()
    assert found.digests == whole.digests


def test_failures_are_remembered_but_not_those_of_the_moment(folder, monkeypatch):
    items = [add(folder, "a.png", encode(scene())), add(folder, "b.png", b"no picture")]
    reasons = {"a.png": False, "b.png": True}
    tried = []

    def fail(path, **_):
        tried.append(path.name)
        raise UnreadableError("it is odd", lasting=reasons[path.name])

    monkeypatch.setattr(reading, "decode_image", fail)
    with FeatureCache(None) as cache:
        for _ in range(2):
            found = embed(items, Colours(), cache)
            assert [s.reason for s in found.skipped] == ["it is odd", "it is odd"]
    assert sorted(tried) == ["a.png", "a.png", "b.png"]


def test_a_picture_that_was_too_large_is_tried_again_with_a_larger_limit(folder):
    items = [add(folder, "a.bmp", encode(scene(), "BMP"))]
    with FeatureCache(None) as cache:
        found = embed(items, Colours(), cache, max_pixels=100)
        assert found.skipped[0].reason == "it has 3,072 pixels, more than 100"
        assert embed(items, Colours(), cache).skipped == ()


def test_a_file_that_changes_between_digest_and_decoding_is_not_kept(folder, monkeypatch):
    items = collection(folder, 1)
    true_decode = reading.decode_image

    def decode(path, **options):
        image = true_decode(path, **options)
        path.write_bytes(encode(scene(seed=7)))
        return image

    monkeypatch.setattr(reading, "decode_image", decode)
    with FeatureCache(None) as cache:
        found = embed(items, Colours(), cache)
    assert found.skipped[0].reason == "it changed while it was read"


# --- Thumbnails ----------------------------------------------------------------------------------


def test_every_content_has_a_thumbnail(folder):
    with FeatureCache(None) as cache:
        found = embed(collection(folder, 3), Colours(), cache, thumbnail_size=12)
        data, width, height = cache.thumbnail(found.digests[2], 12)
    assert data[8:12] == b"WEBP"
    assert (width, height) == (12, 8)


def test_missing_thumbnails_are_made_without_running_the_extractor(folder):
    items = collection(folder, 3)
    with FeatureCache(None) as cache:
        embed(items, Colours(), cache, thumbnail_size=0)
        found = embed(items, extractor := Colours(), cache, thumbnail_size=10)
        assert all(cache.has_thumbnail(digest, 10) for digest in found.digests)
    assert extractor.batches == []
    assert (found.n_computed, found.n_cached) == (0, 3)


# --- Videos --------------------------------------------------------------------------------------


@pytest.fixture
def frames(monkeypatch):
    """Stand in for the reader of videos: a video's bytes are the shades of its frames."""

    def sample_frames(path, n_frames, *, shortest):
        shades = path.read_bytes()[:n_frames]
        if not shades:
            raise UnreadableError("it has no frames")
        return [np.full((shortest, shortest, 3), shade, np.uint8) for shade in shades]

    module = types.ModuleType("conceptforest.features.video_frames")
    module.sample_frames = sample_frames
    monkeypatch.setitem(sys.modules, "conceptforest.features.video_frames", module)


@pytest.mark.usefixtures("frames")
@pytest.mark.parametrize(("pool", "shade"), [("mean", 40.0), ("max", 90.0)])
def test_a_video_is_pooled_from_its_frames(folder, pool, shade):
    items = [*collection(folder, 2), add(folder, "v.mp4", bytes([10, 20, 40, 90, 40, 40]), "video")]
    with FeatureCache(None) as cache:
        found = embed(items, Colours(), cache, pool=pool)
        assert cache.has_vector(found.digests[2], vector_key(Colours(), "video", 16, pool), 4)
        assert embed(items, Colours(), cache, pool=pool).n_computed == 0
        assert cache.thumbnail(found.digests[2], 192)[1:] == (16, 16)
    assert np.allclose(found.X[2], [shade, shade, shade, 1.0])


@pytest.mark.usefixtures("frames")
def test_the_number_of_frames_is_part_of_the_key(folder):
    items = [add(folder, "v.mp4", bytes([10, 90]), "video")]
    with FeatureCache(None) as cache:
        embed(items, Colours(), cache)
        found = embed(items, Colours(), cache, video_frames=1)
    assert found.n_computed == 1
    assert np.allclose(found.X[0, :3], 10)


@pytest.mark.usefixtures("frames")
def test_a_video_without_frames_is_left_out(folder):
    with FeatureCache(None) as cache:
        found = embed([add(folder, "v.mp4", b"", "video")], Colours(), cache)
    assert found.skipped[0].reason == "it has no frames"


@pytest.mark.usefixtures("frames")
def test_without_pyav_videos_are_left_out_with_advice_and_tried_again(folder, monkeypatch):
    items = [add(folder, "v.mp4", bytes([1, 2]), "video")]
    with FeatureCache(None) as cache:
        with monkeypatch.context() as without:
            without.setitem(sys.modules, "conceptforest.features.video_frames", None)
            found = embed(items, Colours(), cache)
        assert found.skipped[0].reason == 'videos need PyAV: pip install "conceptforest[video]"'
        assert embed(items, Colours(), cache).skipped == ()


# --- Bounds and arguments ------------------------------------------------------------------------


def test_large_pictures_are_decoded_one_at_a_time(folder, monkeypatch):
    monkeypatch.setattr(reading, "_BUDGET", 1)
    inside, most, lock = [], [], threading.Lock()
    true_shrink = sys.modules["conceptforest.features.decode"].shrink

    def shrink(*arguments):
        with lock:
            inside.append(1)
            most.append(len(inside))
        time.sleep(0.005)
        result = true_shrink(*arguments)
        with lock:
            inside.pop()
        return result

    monkeypatch.setattr("conceptforest.features.decode.shrink", shrink)
    with FeatureCache(None) as cache:
        embed(collection(folder, 8), Colours(), cache, n_jobs=4)
    assert len(most) == 8
    assert max(most) == 1


def test_progress_is_shown_when_asked_for(folder, capsys):
    with FeatureCache(None) as cache:
        embed(collection(folder, 2), Colours(), cache, verbose=1)
    assert "embedding" in capsys.readouterr().err


def test_an_extractor_that_breaks_its_word_is_named(folder):
    class Wrong(Colours):
        def run(self, batch):
            return super().run(batch)[:, :2]

    with FeatureCache(None) as cache, pytest.raises(ValueError, match="colours gave features"):
        embed(collection(folder, 2), Wrong(), cache)


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"pool": "sum"}, ValueError),
        ({"video_frames": 0}, ValueError),
        ({"thumbnail_size": -1}, ValueError),
        ({"max_pixels": 0}, ValueError),
        ({"max_pixels": 1.5}, TypeError),
    ],
)
def test_bad_arguments_are_refused(options, error):
    with FeatureCache(None) as cache, pytest.raises(error, match=next(iter(options))):
        embed([], Colours(), cache, **options)


def test_items_and_cache_must_be_what_they_are_called(folder):
    with FeatureCache(None) as cache, pytest.raises(TypeError, match="MediaItem"):
        embed([folder], Colours(), cache)
    with pytest.raises(TypeError, match="FeatureCache"):
        embed([], Colours(), {})


def test_blank_pictures_are_left_out_and_told(tmp_path):
    Image.new("RGBA", (30, 20), (255, 255, 255, 0)).save(tmp_path / "clear.png")
    Image.new("L", (30, 20), 7).save(tmp_path / "dark.png")
    Image.linear_gradient("L").save(tmp_path / "good.png")
    items = [MediaItem(p.name, p, "image") for p in sorted(tmp_path.glob("*.png"))]
    with FeatureCache(None) as cache:
        found = embed(items, ClassicDescriptor(), cache)
    assert found.kept.tolist() == [2]
    assert [s.reason for s in found.skipped] == ["it shows nothing but one colour"] * 2
