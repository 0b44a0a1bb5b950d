import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.metrics import normalized_mutual_info_score

import conceptforest as cf
from conceptforest.datasets import make_tagged
from conceptforest.tags import parse_tags


def test_the_same_seed_gives_the_same_collection():
    one, two = make_tagged(100, random_state=3), make_tagged(100, random_state=3)
    assert np.array_equal(one.X, two.X)
    assert np.array_equal(one.labels, two.labels)
    assert (one.tags, one.truth, one.layers) == (two.tags, two.truth, two.layers)


def test_another_seed_gives_another_collection():
    one, two = make_tagged(100, random_state=3), make_tagged(100, random_state=4)
    assert not np.array_equal(one.X, two.X)
    assert one.truth != two.truth


@settings(deadline=None, max_examples=25)
@given(
    n_concepts=st.integers(2, 16),
    more=st.integers(30, 80),
    n_features=st.integers(2, 40),
    removed=st.sampled_from([0.0, 0.1, 0.5]),
    seed=st.integers(0, 2**32 - 1),
)
def test_parts_fit_together(n_concepts, more, n_features, removed, seed):
    n = n_concepts + more
    made = make_tagged(n, n_concepts, n_features=n_features, removed=removed, random_state=seed)
    assert made.X.shape == (n, n_features)
    assert made.X.dtype == np.float32
    assert np.isfinite(made.X).all()
    assert np.array_equal(np.unique(made.labels), np.arange(n_concepts))
    assert len(made.labels) == len(made.tags) == len(made.truth) == n
    assert len(made.concept_names) == n_concepts
    assert all(seen <= true for seen, true in zip(made.tags, made.truth, strict=True))
    assert all(made.truth), "every item has a true tag"
    abstract, specific = made.layers
    assert not set(abstract) & set(specific)
    assert sorted(abstract + specific) == sorted(frozenset().union(*made.tags))


def test_no_removal_keeps_all():
    made = make_tagged(100, removed=0, random_state=0)
    assert made.tags == made.truth


def test_removal_does_not_change_what_is_true():
    one, two = (make_tagged(100, removed=r, random_state=0) for r in (0.1, 0.6))
    assert one.truth == two.truth
    assert np.array_equal(one.X, two.X)
    assert one.tags != two.tags


@pytest.mark.parametrize("removed", [0.1, 0.3, 0.6])
def test_the_share_asked_for_is_removed(removed):
    made = make_tagged(4000, removed=removed, random_state=0)
    kept = sum(map(len, made.tags)) / sum(map(len, made.truth))
    assert 1 - kept == pytest.approx(removed, abs=0.03)


def test_some_items_end_without_a_tag_and_some_without_an_abstract_one():
    made = make_tagged(random_state=0)
    untagged = np.mean([not tags for tags in made.tags])
    no_abstract = np.mean([not tags & set(made.layers[0]) for tags in made.tags])
    assert 0.02 < untagged < 0.2
    assert untagged < no_abstract < 0.5


def test_abstract_tags_belong_to_one_concept():
    made = make_tagged(1000, random_state=0)
    for tag in made.layers[0]:
        owners = {label for label, true in zip(made.labels, made.truth, strict=True) if tag in true}
        assert len(owners) == 1


def test_specific_tags_are_shared():
    made = make_tagged(1000, random_state=0)
    owners = [
        {label for label, true in zip(made.labels, made.truth, strict=True) if tag in true}
        for tag in made.layers[1]
    ]
    assert np.mean([len(labels) > 1 for labels in owners]) > 0.9


def test_features_are_weak_and_tags_incomplete():
    vision, tags = [], []
    for seed in range(3):
        made = make_tagged(random_state=seed)
        matrix = parse_tags(made.tags).matrix.toarray().astype(float)
        for scores, X in ((vision, made.X), (tags, matrix)):
            found = KMeans(8, n_init=5, random_state=0).fit_predict(X)
            scores.append(normalized_mutual_info_score(made.labels, found))
    assert 0.1 < np.mean(vision) < 0.35
    assert 0.5 < np.mean(tags) < 0.75


def test_a_forest_takes_the_set_as_it_is():
    made = make_tagged(80, 4, random_state=0)
    forest = cf.HMLForest(5, layers=made.layers, random_state=0).fit(made.X, made.tags)
    assert len(forest.layers_) == 2


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"n_items": 1}, "n_items must be at least 2; got 1"),
        ({"n_items": 5}, "n_items is 5, fewer than n_concepts=8"),
        ({"n_concepts": 1}, "n_concepts must be at least 2; got 1"),
        ({"n_concepts": 17}, "n_concepts is 17; there are 16 concepts"),
        ({"n_features": 1}, "n_features must be at least 2; got 1"),
        ({"removed": 1}, "removed is 1; it must be at least 0 and less than 1"),
        ({"removed": -0.1}, "removed is -0.1"),
        ({"removed": float("nan")}, "removed is nan"),
        ({"n_items": 8, "removed": 0.99999, "random_state": 0}, "no abstract tag is left"),
    ],
)
def test_values_out_of_range_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        make_tagged(**given)


@pytest.mark.parametrize(
    "given", [{"n_items": 10.0}, {"n_concepts": "8"}, {"n_features": True}, {"removed": "half"}]
)
def test_values_of_another_kind_are_refused(given):
    with pytest.raises(TypeError, match="must be a"):
        make_tagged(**given)
