"""Collections of videos: by their frames, and by what moves in them."""

import numpy as np
import pytest
from tests.discovery.small_collection import write_pictures
from tests.features.clips import write_clip

from conceptforest.discovery import Settings, discover, predict

N_FRAMES, SIDE = 30, 96


def moving(kind, seed):
    """Stripes that move to the right, or down; colours are the same."""
    rng = np.random.default_rng(seed)
    phase = rng.random() * 9
    y, x = np.mgrid[:SIDE, :SIDE]
    along = x if kind == "right" else y
    for time in range(N_FRAMES):
        wave = np.sin((along - 2 * time) / 5 + phase) * 90 + 128
        grey = np.clip(wave + rng.normal(0, 4, wave.shape), 0, 255).astype(np.uint8)
        yield np.repeat(grey[:, :, None], 3, axis=2)


def write_videos(folder, n, first=0):
    folder.mkdir(parents=True, exist_ok=True)
    kinds = {}
    for number in range(first, first + n):
        kind = ("right", "down")[number % 2]
        write_clip(folder / f"{number:03d}.mp4", list(moving(kind, number)))
        kinds[f"{number:03d}.mp4"] = kind
    return kinds


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    root = tmp_path_factory.mktemp("videos")
    kinds = write_videos(root / "v", 12)
    lines = [f"{name},{kind};{kind} more" for name, kind in kinds.items()]
    (root / "tags.csv").write_text("file,tags\n" + "\n".join(lines[:9]))
    write_pictures(root / "v", 1)
    settings = Settings(tags=(str(root / "tags.csv"),), features="hog3d", n_clusters=2, n_trees=30)
    return root, kinds, settings, discover(root / "v", root / "run", settings, n_jobs=2)


def test_videos_are_grouped_by_what_moves_in_them(made):
    _, kinds, _, found = made
    labels = dict(zip(found.items.names, found.model.clustering.labels_.tolist(), strict=True))
    assert len(labels) == 12
    assert len({(kinds[name], label) for name, label in labels.items()}) == 2
    assert [s.name for s in found.items.skipped] == ["a/0000.png"]


def test_started_again_no_video_is_counted_twice(made):
    root, _, settings, found = made
    again = discover(root / "v", root / "run", settings, n_jobs=1)
    assert (found.items.n_computed, again.items.n_computed, again.model.n_grown) == (12, 0, 0)
    np.testing.assert_array_equal(again.items.X, found.items.X)


def test_new_videos_are_described_by_the_words_of_the_run(made):
    root, kinds, _, found = made
    new = write_videos(root / "new", 4, first=50)
    labels = dict(zip(found.items.names, found.model.clustering.labels_.tolist(), strict=True))
    of_kind = {kinds[name]: label for name, label in labels.items()}
    told = predict(root / "run", root / "new", n_jobs=1)
    assert told.clusters.tolist() == [of_kind[new[name]] for name in told.items.names]


def test_frames_stand_for_videos_and_pictures_may_be_among_them(made, tmp_path):
    root, _, settings, _ = made
    mixed = Settings(tags=settings.tags, features="classic", n_clusters=2, n_trees=20)
    found = discover(root / "v", tmp_path / "run", mixed, n_jobs=2)
    assert sorted(set(found.items.kinds)) == ["image", "video"]
    assert found.items.n_items == 13


def test_no_videos_is_an_error_that_says_what_to_do(tmp_path):
    write_pictures(tmp_path / "p", 12)
    with pytest.raises(ValueError, match="Choose others with --features"):
        discover(tmp_path / "p", tmp_path / "run", Settings(tags=("folders",), features="hog3d"))
