"""Videos to bags of words: what comes out, for which files, at what cost."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from tests.ctrl_c import CtrlC
from tests.features.clips import noise_frames, real_clip, write_clip
from tests.memory import peak_growth

from conceptforest.datasets.media import MediaItem, Skipped
from conceptforest.features.codebook import assign, histogram
from conceptforest.features.hog3d import Hog3d
from conceptforest.features.intersection_map import intersection_map
from conceptforest.features.video_frames import read_gray_chunks
from conceptforest.features.video_words import VideoWords


def moving_bars(n_frames, step, *, upright, seed):
    """Give bars that move by `step` pixels a frame, with a little noise."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:48, :64]
    for k in range(n_frames):
        along = (x if upright else y) - step * k
        picture = 128 + 90 * np.sin(2 * np.pi * along / 16) + rng.normal(0, 4, y.shape)
        yield np.clip(picture, 0, 255).astype(np.uint8)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("videos")


@pytest.fixture(scope="module")
def clips(folder):
    """Give three clips of bars moving across, and three of bars moving down."""
    kinds = [(True, seed) for seed in range(3)] + [(False, seed) for seed in range(3)]
    return [
        write_clip(folder / f"{k}.mp4", moving_bars(30, 2, upright=upright, seed=seed))
        for k, (upright, seed) in enumerate(kinds)
    ]


@pytest.fixture(scope="module")
def fitted(clips):
    return VideoWords(n_words=20).fit(clips)


def test_rows_are_mapped_histograms_of_nearest_words(clips, fitted):
    X = fitted.transform(clips[:2])
    hog = Hog3d()
    (chunk,) = read_gray_chunks(clips[0])
    words = assign(hog.describe(chunk.frames), fitted.codebook_)
    expected = intersection_map([histogram(words, 20)])[0]
    assert X.dtype == np.float32
    assert X.shape == (2, 60)
    assert fitted.n_features_out_ == 60
    np.testing.assert_allclose(X[0], expected, atol=1e-6)


def test_videos_that_move_alike_are_alike(clips, fitted):
    shares = fitted.histograms(clips)
    np.testing.assert_allclose(shares.sum(axis=1), 1)
    alike = np.minimum(shares[:, None], shares[None]).sum(axis=-1)
    same = alike[:3, :3][np.triu_indices(3, 1)].min()
    other = alike[:3, 3:].max()
    assert same > 2 * other


def test_order_and_threads_do_not_matter(clips, fitted):
    expected = fitted.transform(clips)
    mixed = [clips[k] for k in (4, 0, 5, 2, 1, 3)]
    again = VideoWords(n_words=20, n_jobs=2).fit(mixed)
    np.testing.assert_array_equal(again.codebook_, fitted.codebook_)
    np.testing.assert_array_equal(again.transform(clips), expected)
    np.testing.assert_array_equal(fitted.transform(clips[::-1]), expected[::-1])


def test_names_of_files_do_not_matter(clips, folder, fitted):
    copies = []
    for k, clip in enumerate(clips):
        copies.append(folder / f"copy {9 - k}.mov")
        copies[-1].write_bytes(clip.read_bytes())
    np.testing.assert_array_equal(VideoWords(n_words=20).fit(copies).codebook_, fitted.codebook_)


def test_another_seed_gives_other_words(clips, fitted):
    other = VideoWords(n_words=20, random_state=1).fit(clips)
    assert (other.codebook_ != fitted.codebook_).any()


def test_a_sample_of_descriptors_is_enough(clips):
    words = VideoWords(n_words=50, n_descriptors=30).fit(clips)
    assert words.codebook_.shape == (30, 300)  # five of each video, all different
    assert words.transform(clips[:1]).shape == (1, 90)


def test_unreadable_videos_are_listed_and_have_zeros(clips, folder, fitted):
    broken = folder / "broken.mp4"
    broken.write_bytes(b"\x00\x00\x00\x18ftypisom" + bytes(100))
    text = folder / "text.mp4"
    text.write_text("#EXTM3U\n")
    items = [
        MediaItem("a/text.mp4", text, "video"),
        MediaItem("a/0.mp4", clips[0], "video"),
        MediaItem("a/broken.mp4", broken, "video"),
        MediaItem("a/gone.mp4", folder / "gone.mp4", "video"),
    ]
    words = clone(fitted).fit([*items, *clips[1:]])
    for X in (words.transform(items), words.fit_transform(items)):
        assert X.shape == (4, 60)
        assert X.any(axis=1).tolist() == [False, True, False, False]
        assert [skipped.name for skipped in words.skipped_] == [
            "a/broken.mp4",
            "a/gone.mp4",
            "a/text.mp4",
        ]
        assert Skipped("a/text.mp4", "it is no MP4, QuickTime, Matroska, WebM or AVI file") in (
            words.skipped_
        )


def test_videos_that_show_nothing_have_zeros_and_are_not_skipped(folder, fitted):
    flat = write_clip(folder / "flat.mp4", [np.full((48, 64), 99, np.uint8)] * 30)
    tiny = write_clip(folder / "tiny.mp4", noise_frames(30, 16, 16))
    assert not fitted.transform([flat, tiny]).any()
    assert fitted.skipped_ == []
    with pytest.raises(ValueError, match="None of the 2 videos has anything to learn words from"):
        VideoWords().fit([flat, tiny])


def test_real_clips_become_vectors():
    words = VideoWords(n_words=100, max_seconds=1)
    X = words.fit_transform([real_clip("bikes"), real_clip("carphone_pristine")])
    assert X.shape == (2, 300)
    assert np.isfinite(X).all()
    assert X.any(axis=1).all()


def test_the_other_setting_has_longer_descriptors(clips):
    words = VideoWords(n_words=10, setting="kth").fit(clips[::3])
    assert words.codebook_.shape == (10, 1000)
    assert words.transform(clips[:1]).shape == (1, 30)


def test_an_order_of_the_map_widens_the_vectors(clips, fitted):
    wider = clone(fitted).set_params(order=2)
    wider.codebook_ = fitted.codebook_
    assert wider.transform(clips[:1]).shape == (1, 100)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"n_words": 0}, ValueError, "n_words must be at least 1; got 0"),
        ({"order": 1.5}, TypeError, "order must be a whole number"),
        ({"setting": "ucf"}, ValueError, "setting must be one of hollywood2, kth; got 'ucf'"),
        ({"random_state": None}, TypeError, "random_state must be a whole number"),
        ({"random_state": 2**32}, ValueError, r"random_state must be below 2\*\*32"),
        ({"n_jobs": 0}, ValueError, "n_jobs must be a whole number other than 0, or None; got 0"),
        ({"max_seconds": -1}, ValueError, "max_seconds must be above 0"),
    ],
)
def test_wrong_parameters_are_refused(clips, changes, error, message):
    with pytest.raises(error, match=message):
        VideoWords(**changes).fit(clips)


def test_nothing_and_single_paths_are_refused():
    with pytest.raises(ValueError, match="no videos"):
        VideoWords().fit([])
    with pytest.raises(TypeError, match="a list of paths"):
        VideoWords().fit("a.mp4")
    with pytest.raises(NotFittedError):
        VideoWords().transform(["a.mp4"])


def test_no_videos_are_no_rows(fitted):
    assert fitted.transform([]).shape == (0, 60)


def test_the_key_tells_what_histograms_depend_on(fitted):
    def changed(**changes):
        other = clone(fitted).set_params(**changes)
        other.codebook_ = fitted.codebook_
        return other

    same = [changed(), changed(n_jobs=2), changed(order=2), changed(verbose=1)]
    assert {words.key for words in same} == {fitted.key}
    other = [changed(every=2), changed(max_seconds=3), changed(setting="kth"), changed()]
    other[-1].codebook_ = fitted.codebook_ + 1
    assert len({words.key for words in (fitted, *other)}) == 5


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_stops_a_fit_and_leaves_the_words_as_they_were(fitted, n_jobs):
    words = clone(fitted).set_params(n_jobs=n_jobs)
    words.codebook_ = fitted.codebook_
    with CtrlC(0.5), pytest.raises(KeyboardInterrupt):
        words.fit([real_clip("bikes")] * 40)
    assert words.codebook_ is fitted.codebook_


def test_progress_is_shown(clips, fitted, capsys):
    words = clone(fitted).set_params(verbose=1)
    words.codebook_ = fitted.codebook_
    words.transform(clips[:2])
    assert "reading videos" in capsys.readouterr().err


def test_memory_does_not_grow_with_the_length_of_a_video(folder):
    short = write_clip(folder / "short.mp4", noise_frames(200, 48, 56), codec="mpeg4")
    # The frames alone would take 32 MB.
    long = write_clip(folder / "long.mp4", noise_frames(3000, 48, 56), codec="mpeg4")
    before = f"""
    from conceptforest.features import codebook, video_words
    from conceptforest.features.hog3d import Hog3d
    from conceptforest.features.video_words import VideoWords
    codebook._BLOCK = video_words._BLOCK = 100  # so that both clips fill them
    words = VideoWords(n_words=50, n_descriptors=1000, setting=Hog3d(n_scales=(1, 1)))
    words.fit_transform([{str(short)!r}])
    """
    work = f"""
    X = words.fit_transform([{str(long)!r}])
    assert X.any()
    """
    assert peak_growth(before, work) < 10e6
