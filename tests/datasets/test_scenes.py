"""Tests of the drawn collection."""

from __future__ import annotations

import csv
import hashlib
import sys

import numpy as np
import pytest
from PIL import Image

from conceptforest.datasets.scenes import Scenes, make_scenes
from conceptforest.datasets.scenes.draw import _VIEWS, draw
from conceptforest.datasets.scenes.kinds import KINDS
from conceptforest.datasets.scenes.mood import make_mood
from conceptforest.datasets.scenes.plan import Plan, make_plan
from conceptforest.datasets.scenes.tagging import observed_tags
from conceptforest.datasets.scenes.words import SYNONYMS

SMALL = (64, 48)
A_BLOCK = sum(kind.share for kind in KINDS)


def digest(image: Image.Image) -> str:
    return hashlib.sha256(image.tobytes()).hexdigest()


@pytest.fixture(scope="module")
def scenes() -> Scenes:
    return make_scenes(600, random_state=0)


def plan_of(view: str, light: str, weather: str, season: str) -> Plan:
    kind = next(kind for kind in KINDS if kind.name == view)
    return Plan(kind, kind, light, weather, season, frozenset(kind.objects))


# --- Seeds ---------------------------------------------------------------------------------------


def test_the_same_seed_gives_the_same_bits():
    first, second = (make_scenes(20, size=SMALL, random_state=3) for _ in range(2))
    assert first.tags == second.tags
    assert first.truth == second.truth
    assert first.mistakes == second.mistakes
    assert (first.labels == second.labels).all()
    assert [digest(first.images[i]) for i in (0, 7, 19)] == [
        digest(second.images[i]) for i in (0, 7, 19)
    ]


def test_another_seed_gives_other_pictures_and_tags():
    first, second = (make_scenes(20, size=SMALL, random_state=seed) for seed in (0, 1))
    assert first.tags != second.tags
    assert digest(first.images[0]) != digest(second.images[0])


def test_an_item_does_not_depend_on_how_many_there_are():
    few, many = (make_scenes(n, size=SMALL, random_state=5) for n in (10, 20))
    assert (few.labels == many.labels[:10]).all()
    assert few.truth == many.truth[:10]
    assert few.tags == many.tags[:10]
    assert digest(few.images[5]) == digest(many.images[5])


def test_a_picture_does_not_depend_on_those_drawn_before():
    made = make_scenes(10, size=SMALL, random_state=5)
    alone = digest(made.images[4])
    assert [digest(image) for image in made.images][4] == alone
    assert digest(made.images[-6]) == alone


def test_pictures_and_truth_do_not_depend_on_how_they_are_tagged():
    careless = make_scenes(40, size=SMALL, random_state=2, removed=0.9, untagged=0.5, wrong=0.3)
    careful = make_scenes(40, size=SMALL, random_state=2, removed=0.0, untagged=0.0, wrong=0.0)
    assert careless.truth == careful.truth
    assert digest(careless.images[3]) == digest(careful.images[3])
    assert sum(map(len, careless.tags)) < sum(map(len, careful.tags))


def test_a_random_state_object_moves_on():
    rng = np.random.RandomState(0)
    assert make_scenes(20, random_state=rng).truth != make_scenes(20, random_state=rng).truth


# --- Pictures ------------------------------------------------------------------------------------


def test_all_pictures_differ():
    made = make_scenes(32, size=SMALL, random_state=0)
    assert len({digest(image) for image in made.images}) == 32


@pytest.mark.parametrize("size", [(256, 192), (50, 120), (333, 32)])
def test_pictures_have_the_size_asked_for(size):
    image = make_scenes(1, size=size, random_state=0).images[0]
    assert (image.mode, image.size) == ("RGB", size)


def test_a_slice_of_pictures_is_a_list():
    made = make_scenes(10, size=SMALL, random_state=0)
    assert [digest(image) for image in made.images[2:4]] == [
        digest(made.images[2]),
        digest(made.images[3]),
    ]


def test_there_is_no_picture_past_the_end():
    with pytest.raises(IndexError):
        make_scenes(3, random_state=0).images[3]


@pytest.mark.parametrize("view", sorted(_VIEWS))
def test_every_view_can_be_drawn_with_everything_in_it_in_any_mood(view):
    rng = np.random.default_rng(0)
    moods = (
        ("day", "clear", "summer"),
        ("golden hour", "rain", "autumn"),
        ("dusk", "fog", "spring"),
        ("night", "snow", "winter"),
    )
    pictures = [draw(plan_of(view, *mood), SMALL, rng) for mood in moods]
    assert all(np.asarray(picture).std() > 5 for picture in pictures)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_object_of_a_kind_can_be_seen(kind):
    def drawn(objects: set[str]) -> str:
        plan = Plan(kind, kind, "day", "clear", "summer", frozenset(objects))
        return digest(draw(plan, SMALL, np.random.default_rng(1)))

    bare = drawn(set())
    assert all(drawn({name}) != bare for name in kind.objects)


def test_every_kind_has_a_view_and_lookalikes_that_exist():
    names = {kind.name for kind in KINDS}
    assert names == set(_VIEWS)
    assert {name for kind in KINDS for name in kind.lookalikes} <= names
    assert len(names) >= 12


def test_night_is_darker_than_day():
    rng = np.random.default_rng(0)
    day, night = (
        np.mean(
            [
                np.asarray(draw(plan_of("forest", light, "clear", "summer"), SMALL, rng)).mean()
                for _ in range(6)
            ]
        )
        for light in ("day", "night")
    )
    assert night < 0.6 * day


def test_what_is_far_fades_into_haze():
    plan = plan_of("forest", "day", "fog", "summer")
    mood = make_mood(plan, np.random.default_rng(0))
    distance = [
        np.abs(np.subtract(mood.tone("#000000", depth), mood.haze)).sum()
        for depth in (0.0, 0.5, 1.0)
    ]
    assert distance[0] > distance[1] > distance[2]


def test_a_plan_only_holds_what_its_view_can_show():
    for label in range(len(KINDS)):
        for seed in range(30):
            plan = make_plan(label, np.random.default_rng(seed))
            assert plan.objects <= plan.view.objects.keys()
            assert len(plan.objects) >= 2


def test_without_pillow_only_drawing_fails(monkeypatch):
    monkeypatch.setitem(sys.modules, "PIL", None)
    made = make_scenes(5, random_state=0)
    with pytest.raises(ImportError, match=r'pip install "conceptforest\[vision\]"'):
        made.images[0]


# --- Tags ----------------------------------------------------------------------------------------


def test_every_class_occurs_in_a_block():
    assert A_BLOCK == 32  # as the docstring of make_scenes says
    made = make_scenes(A_BLOCK, random_state=1)
    assert set(made.labels) == set(range(len(KINDS)))
    assert made.labels.dtype == np.int64


def test_observed_tags_are_true_but_for_the_stated_mistakes(scenes):
    for tags, mistakes, truth in zip(scenes.tags, scenes.mistakes, scenes.truth, strict=True):
        assert mistakes <= tags
        assert tags - mistakes <= truth
        assert not mistakes & truth


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_tags_are_as_sparse_as_those_of_people(seed):
    made = make_scenes(600, random_state=seed)
    observed = np.array([len(tags) for tags in made.tags])
    assert 7 <= np.mean([len(truth) for truth in made.truth]) <= 9.2
    assert 2.5 <= observed.mean() <= 3.5
    assert 0.08 <= np.mean(observed == 0) <= 0.16
    assert 0.01 <= sum(map(len, made.mistakes)) / observed.sum() <= 0.04


def test_no_word_gives_a_class_away(scenes):
    assert not set(scenes.class_names) & scenes.parents.keys()
    for label in range(len(scenes.class_names)):
        items = np.flatnonzero(scenes.labels == label)
        seen = [tag for item in items for tag in scenes.tags[item]]
        assert max(seen.count(tag) for tag in set(seen)) < 0.75 * len(items)


def test_most_words_are_shared_by_classes(scenes):
    classes: dict[str, set[int]] = {}
    for label, truth in zip(scenes.labels, scenes.truth, strict=True):
        for word in truth:
            classes.setdefault(word, set()).add(int(label))
    shared = sum(len(owners) > 1 for owners in classes.values())
    assert shared > 0.5 * len(classes)


def test_of_two_words_with_one_meaning_only_one_is_used(scenes):
    for tags, mistakes in zip(scenes.tags, scenes.mistakes, strict=True):
        for word, synonym in SYNONYMS.items():
            assert not {word, synonym} <= tags - mistakes


def test_with_no_loss_everything_but_synonyms_is_observed():
    made = make_scenes(50, random_state=0, removed=0.0, untagged=0.0, wrong=0.0)
    for tags, truth in zip(made.tags, made.truth, strict=True):
        pairs = sum({word, synonym} <= truth for word, synonym in SYNONYMS.items())
        assert len(tags) == len(truth) - pairs
    assert not any(made.mistakes)


def test_a_tagged_picture_has_at_least_one_tag():
    rng = np.random.default_rng(0)
    truth = frozenset({"nature", "pine"})
    assert all(observed_tags(truth, 0.99, 0.0, 0.0, rng)[0] for _ in range(50))


# --- Hierarchy -----------------------------------------------------------------------------------


def test_the_hierarchy_covers_every_word(scenes):
    used = set().union(*scenes.truth, *scenes.tags)
    assert used <= scenes.parents.keys()
    assert sorted(word for layer in scenes.layers for word in layer) == sorted(scenes.parents)


def test_every_word_of_the_hierarchy_is_used():
    made = make_scenes(1500, random_state=0)
    assert set().union(*made.truth) == made.parents.keys()


def test_the_hierarchy_is_a_tree_of_three_layers(scenes):
    depth = {word: number for number, layer in enumerate(scenes.layers) for word in layer}
    assert len(scenes.layers) == 3
    for word, parent in scenes.parents.items():
        assert depth[word] == (0 if parent is None else depth[parent] + 1)


# --- Files ---------------------------------------------------------------------------------------


def test_a_saved_folder_can_be_read_back(tmp_path):
    made = make_scenes(12, size=SMALL, random_state=0)
    paths = made.save(tmp_path / "pictures", truth=tmp_path / "truth.csv", n_jobs=2)
    assert [path.name for path in paths] == list(made.names)
    assert {path.name for path in (tmp_path / "pictures").iterdir()} == {*made.names, "tags.csv"}
    for path in paths:
        with Image.open(path) as image:
            assert (image.format, image.size) == ("JPEG", SMALL)
    with (tmp_path / "pictures" / "tags.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["file"] for row in rows] == list(made.names)
    assert [frozenset(filter(None, row["tags"].split(";"))) for row in rows] == made.tags
    with (tmp_path / "truth.csv").open(newline="") as file:
        truth = list(csv.DictReader(file))
    assert [row["class"] for row in truth] == [made.class_names[label] for label in made.labels]
    assert [frozenset(row["tags"].split(";")) for row in truth] == made.truth


def test_files_do_not_depend_on_the_number_of_threads(tmp_path):
    made = make_scenes(8, size=SMALL, random_state=0)
    one, three = (made.save(tmp_path / str(n), n_jobs=n) for n in (1, 3))
    assert [path.read_bytes() for path in one] == [path.read_bytes() for path in three]


def test_progress_is_shown_on_request(tmp_path, capsys):
    make_scenes(2, size=SMALL, random_state=0).save(tmp_path, verbose=1)
    assert "drawing" in capsys.readouterr().err


def test_names_do_not_give_the_class_away(scenes):
    assert scenes.names[:2] == ("img-0000.jpg", "img-0001.jpg")
    assert len(set(scenes.names)) == 600
    assert not any(name in file for name in scenes.class_names for file in scenes.names)


def test_the_collection_says_what_it_is(scenes):
    assert repr(scenes) == "<Scenes: 600 pictures of 256 x 192 pixels>"


# --- Arguments -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"n_items": 0}, ValueError, "n_items must be at least 1"),
        ({"n_items": 2.5}, TypeError, "n_items must be a whole number"),
        ({"size": 256}, TypeError, "give the width and the height"),
        ({"size": (256, 8)}, ValueError, "the height must be at least 32"),
        ({"size": (4000, 192)}, ValueError, "the width must be at most 2048"),
        ({"removed": 1.0}, ValueError, "removed is 1.0; it must be at least 0 and less than 1"),
        ({"untagged": -0.1}, ValueError, "untagged is -0.1"),
        ({"wrong": "few"}, TypeError, "wrong is 'few'; it must be a number"),
        ({"removed": float("nan")}, ValueError, "removed is nan"),
    ],
)
def test_bad_arguments_are_explained(arguments, error, message):
    with pytest.raises(error, match=message):
        make_scenes(**arguments)


def test_a_bad_number_of_threads_is_explained(tmp_path):
    with pytest.raises(ValueError, match="n_jobs is 0; give a number of threads"):
        make_scenes(2, size=SMALL, random_state=0).save(tmp_path, n_jobs=0)
