"""Probabilities: an increasing map that keeps its promises."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.completion.small import groups, small_forest

import conceptforest as cf
from conceptforest.completion import ScoreMap, TagCompletion
from conceptforest.completion.calibration import Calibration, HiddenTags, calibrate, learn_map
from conceptforest.datasets import make_tagged


def pairs(score, hit, *, n_items=10, zeros=(0, 0)):
    score = np.asarray(score, dtype=float)
    at_zero = np.zeros((n_items, 2), dtype=np.int64)
    at_zero[0] = zeros
    item = np.arange(len(score)) % n_items
    return HiddenTags(item, score, np.asarray(hit, dtype=bool), at_zero)


def noisy_pairs(n, truth, *, seed=0, **params):
    rng = np.random.default_rng(seed)
    score = rng.random(n) ** 2 + 1e-9
    return pairs(score, rng.random(n) < truth(score), **params)


@settings(max_examples=80, deadline=None)
@given(
    n=st.integers(0, 300),
    levels=st.integers(1, 50),
    rate=st.sampled_from([0.0, 0.1, 1.0]),
    zeros=st.sampled_from([(0, 0), (5, 0), (5, 5), (10**6, 3)]),
    seed=st.integers(0, 10**6),
)
def test_the_map_increases_strictly_and_gives_probabilities(n, levels, rate, zeros, seed):
    rng = np.random.default_rng(seed)
    score = rng.integers(1, levels + 1, size=n) / levels
    learned = learn_map(pairs(score, rng.random(n) < rate, zeros=zeros))
    assert learned.scores[0] == 0
    assert (np.diff(learned.scores) > 0).all()
    assert (np.diff(learned.probabilities) > 0).all()
    grid = np.unique(np.round(np.concatenate([np.linspace(0, 1 + 1e-6, 1001), score]), 9))
    found = learned(grid)
    assert (np.diff(found) > 0).all()
    assert found.min() >= 0
    assert found.max() < 1


def test_the_map_finds_the_truth():
    def truth(score):
        return 0.05 + 0.9 * score**2

    learned = learn_map(noisy_pairs(200_000, truth))
    grid = np.linspace(0.05, 0.95, 19)
    np.testing.assert_allclose(learned(grid), truth(grid), atol=0.04)


def test_the_score_0_stands_for_itself():
    learned = learn_map(noisy_pairs(20_000, lambda s: 0.2 + 0.5 * s, zeros=(100_000, 1000)))
    assert learned(0.0) == pytest.approx(0.01, rel=0.01)
    assert learned(0.01) > 0.1


def test_hidden_tags_are_counted_by_hand():
    truth = sparse.csr_array([[1, 1, 1, 0, 0], [1, 0, 0, 0, 0]])
    shown = sparse.csr_array([[1, 0, 0, 0, 0], [1, 0, 0, 0, 0]])
    scores = sparse.csr_array([[0.9, 0.5, 0, 0.2, 0], [0.7, 0, 0.1, 0, 0]])
    found = HiddenTags.compare(scores, shown, truth)
    assert found.item.tolist() == [0, 0, 1]
    assert found.score.tolist() == [0.5, 0.2, 0.1]
    assert found.hit.tolist() == [True, False, False]
    # Item 0 lacks 4 tags, of which 2 have no score; tag 2 of these was hidden.
    assert found.zeros.tolist() == [[2, 1], [3, 0]]
    second = found.of(np.array([False, True]))
    assert second.score.tolist() == [0.1]
    assert second.zeros.tolist() == [[3, 0]]


def test_promises_are_kept_on_items_that_were_not_learned_from():
    made = noisy_pairs(60_000, lambda s: 0.8 * s, n_items=500)
    found = calibrate(made, np.random.RandomState(0))
    assert found.count.sum() == 60_000
    np.testing.assert_allclose(found.predicted, found.observed, atol=0.05)
    assert (np.diff(found.predicted) > 0).all()
    assert found.error == pytest.approx(
        np.average(np.abs(found.predicted - found.observed), weights=found.count)
    )
    assert found.error < 0.02


def test_a_map_is_judged_on_the_other_half():
    """Half of the items lie: what is learned from all would look better than it is."""
    made = noisy_pairs(4000, lambda s: 0.9 * (s > 0.5), n_items=2)
    liars = made.item == 1
    made.hit[liars] = ~made.hit[liars]
    assert calibrate(made, np.random.RandomState(0)).error > 0.5


def test_bins_are_a_table():
    found = calibrate(noisy_pairs(1000, lambda s: s), np.random.RandomState(0))
    assert list(found.bins.columns) == ["predicted", "observed", "count"]
    assert len(found.bins) == len(found.count)
    assert "expected calibration error" in repr(found)


def test_nothing_scored_is_no_error():
    found = calibrate(pairs([], [], zeros=(100, 4)), np.random.RandomState(0))
    assert found.error == 0
    assert len(found.count) == 0


@pytest.fixture(scope="module", params=["affinity", "local", "cluster"])
def both(request):
    X, tags, _ = groups(400, keep=0.8)
    plain, calibrated = (
        TagCompletion(
            request.param,
            forest=small_forest(),
            n_clusters=4,
            n_scores=6,
            calibrate=wanted,
            random_state=0,
        ).fit(X, tags)
        for wanted in (False, True)
    )
    return plain, calibrated, X


def test_calibration_keeps_the_order_of_scores(both):
    plain, calibrated, X = both
    for raw, sure in [
        (plain.scores_, calibrated.scores_),
        (plain.predict(X), calibrated.predict(X)),
    ]:
        np.testing.assert_array_equal(raw.indices, sure.indices)
        np.testing.assert_array_equal(raw.indptr, sure.indptr)
        values, at = np.unique(raw.data, return_inverse=True)
        of_value = np.full(len(values), np.nan)
        of_value[at] = sure.data
        np.testing.assert_array_equal(of_value[at], sure.data)  # equal stays equal
        assert (np.diff(of_value) >= 0).all()
        apart = np.diff(values) > 1e-12  # those nearer differ by rounding alone
        assert (np.diff(of_value)[apart] > 0).all()
        np.testing.assert_array_equal(calibrated.calibration_.map(raw.data), sure.data)


def test_probabilities_are_those_of_hidden_tags(both):
    _, calibrated, _ = both
    assert calibrated.scores_.data.min() > 0
    assert calibrated.scores_.data.max() < 1
    assert isinstance(calibrated.calibration_.map, ScoreMap)
    assert calibrated.calibration_.error < 0.1
    # An item's own group is missing 2 of 3 tags now and then; the others' tags never.
    table = calibrated.suggest(1)
    assert table["score"].median() > 0.2


def test_a_second_fit_without_calibration_forgets_it():
    X, tags, _ = groups(80)
    found = TagCompletion(forest=small_forest(10), calibrate=True, random_state=0).fit(X, tags)
    assert hasattr(found, "calibration_")
    found.set_params(calibrate=False).fit(X, tags)
    assert not hasattr(found, "calibration_")
    assert found.predict(X[:3]).shape == (3, 12)


def test_items_with_one_tag_each_cannot_be_calibrated():
    X, _, _ = groups(40)
    tags = np.eye(4, dtype=int)[np.arange(40) % 4]
    with pytest.raises(ValueError, match=r"no item has two tags.*calibrate=False"):
        TagCompletion(forest=small_forest(5), calibrate=True, random_state=0).fit(X, tags)


def test_a_grown_forest_is_not_shown_hidden_tags():
    X, tags, _ = groups(120)
    forest = small_forest(15, random_state=3).fit(X, tags)
    leaves = forest.leaves_.copy()
    found = TagCompletion(forest=forest, calibrate=True, random_state=0).fit(X, tags)
    fresh = TagCompletion(
        forest=small_forest(15, random_state=3), calibrate=True, random_state=0
    ).fit(X, tags)
    np.testing.assert_array_equal(found.scores_.toarray(), fresh.scores_.toarray())
    np.testing.assert_array_equal(forest.leaves_, leaves)
    assert found.forest_ is forest


def test_a_calibration_survives_json_and_is_used_again():
    made = make_tagged(120, random_state=0)
    forest = cf.HMLForest(30, bootstrap=True, random_state=0)
    first = cf.TagCompletion(forest=forest, calibrate=True, random_state=0).fit(made.X, made.tags)
    known = Calibration.from_dict(json.loads(json.dumps(first.calibration_.to_dict())))
    again = cf.TagCompletion(forest=first.forest_, calibrate=known).fit(made.X, made.tags)
    np.testing.assert_array_equal(again.scores_.toarray(), first.scores_.toarray())
    assert again.calibration_.error == first.calibration_.error


@pytest.mark.parametrize(
    "damage",
    [
        {"scores": [0.0, 0.0]},
        {"scores": [0.0]},
        {"probabilities": [0.0, 1.5]},
        {"observed": ["many"]},
        {"count": [1, 2, 3]},
        {"error": float("nan")},
        {"predicted": None},
    ],
)
def test_an_unsound_calibration_is_refused(damage):
    sound = {
        "scores": [0.0, 1.0], "probabilities": [0.0, 0.5], "predicted": [0.2], "observed": [0.3],
        "count": [10], "error": 0.1,
    }  # fmt: skip
    assert Calibration.from_dict(sound).error == 0.1
    with pytest.raises(ValueError, match="calibration"):
        Calibration.from_dict(sound | damage)
