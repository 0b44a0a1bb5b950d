"""The hierarchy's manners: seeds, forms of tags, parameters, tables and text."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from threadpoolctl import threadpool_limits

import conceptforest as cf
from conceptforest.tags import parse_tags


def columns(hierarchy):
    return [layer.tolist() for layer in hierarchy.layers_]


def assert_same_hierarchy(a, b):
    assert a.vocabulary_ == b.vocabulary_
    assert columns(a) == columns(b)
    assert a.topics_ == b.topics_
    assert a.topic_sizes_ == b.topic_sizes_
    assert a.scores_.tobytes() == b.scores_.tobytes()
    np.testing.assert_array_equal(a.counts_, b.counts_)


# Seeds and forms.


def test_the_same_seed_gives_the_same_layers_for_any_number_of_threads(rng):
    Y = rng.random((300, 40)) < 0.08
    one = cf.TagHierarchy(3, n_topics=6, top=2, random_state=4).fit(Y)
    with threadpool_limits(2):
        two = cf.TagHierarchy(3, n_topics=6, top=2, random_state=4).fit(Y)
    assert_same_hierarchy(one, two)
    assert_same_hierarchy(one, clone(one).fit(Y))
    assert_same_hierarchy(one, one.fit(Y))
    state = np.random.RandomState(4)
    assert_same_hierarchy(one, clone(one).set_params(random_state=state).fit(Y))
    other = clone(one).set_params(random_state=5).fit(Y)
    assert other.topics_ != one.topics_


def test_untagged_items_change_nothing(rng):
    Y = rng.random((60, 12)) < 0.15
    more = np.vstack([Y, np.zeros((40, 12), bool)])
    params = {"n_topics": 5, "top": 1, "random_state": 0}
    assert_same_hierarchy(
        cf.TagHierarchy(3, **params).fit(Y), cf.TagHierarchy(3, **params).fit(more)
    )


def test_all_forms_of_tags_give_the_same_layers(rng):
    Y = rng.random((60, 16)) < 0.15
    vocabulary = [f"t{j:02}" for j in range(16)]
    item, tag = np.nonzero(Y)
    long = {"item": item, "tag": [vocabulary[j] for j in tag]}
    forms = [
        sparse.coo_array(Y),
        [{vocabulary[j] for j in np.flatnonzero(row)} for row in Y],
        pd.DataFrame(Y, columns=vocabulary),
        pl.DataFrame(long),
        parse_tags(Y),
    ]
    params = {"n_topics": 4, "top": 1, "random_state": 0}
    expected = cf.TagHierarchy(3, **params).fit(Y)
    assert len(expected.layers_) == 3
    for form in forms:
        assert columns(cf.TagHierarchy(3, **params).fit(form)) == columns(expected)


# Parameters.


def test_parameters_can_be_read_set_and_cloned():
    found = cf.TagHierarchy(3, n_topics=5, top=2, n_init=4, random_state=1)
    params = {"n_layers": 3, "n_topics": 5, "top": 2, "n_init": 4, "random_state": 1}
    assert found.get_params() == params
    assert clone(found).get_params() == params
    assert repr(cf.TagHierarchy()) == "TagHierarchy()"
    assert not hasattr(clone(found.fit([{"a"}])), "layers_")
    with pytest.raises(TypeError, match="positional"):
        cf.TagHierarchy(2, 30)


@pytest.mark.parametrize("name", ["n_layers", "n_topics", "top", "n_init"])
@pytest.mark.parametrize("value", [0, -1, 2.0, "2", True])
def test_bad_parameters(name, value):
    error = ValueError if type(value) is int else TypeError
    with pytest.raises(error, match=f"{name} must be .*at least 1.*; got {value!r}"):
        cf.TagHierarchy(**{name: value}).fit([{"a"}])


def test_bad_seed():
    with pytest.raises(ValueError, match=r"random_state must be a whole number.*got 'x'"):
        cf.TagHierarchy(random_state="x").fit([{"a"}])


def test_numpy_numbers_are_numbers():
    found = cf.TagHierarchy(np.int64(2), n_topics=np.int8(2), top=np.uint8(1), n_init=np.int16(1))
    assert len(found.fit([{"a", "c"}, {"b", "c"}, {"b"}]).layers_) == 2


@pytest.mark.parametrize("ask", [cf.TagHierarchy.to_frame, cf.TagHierarchy.to_text])
def test_not_fitted(ask):
    with pytest.raises(NotFittedError, match="This TagHierarchy instance is not fitted yet"):
        ask(cf.TagHierarchy())


def test_a_fit_that_failed_leaves_the_last_one():
    found = cf.TagHierarchy(random_state=0).fit([{"a"}, {"b"}])
    with pytest.raises(ValueError, match="None of the 1 items has a tag"):
        found.fit([set()])
    assert found.vocabulary_ == ("a", "b")


# Tables and text.


def test_the_table_goes_by_layer_then_score():
    tags = [{"sea", "boat", "sky"}] * 5 + [{"snow", "ski"}] * 3 + [{"snow", "sky"}] * 2
    found = cf.TagHierarchy(n_topics=2, top=1, random_state=0).fit(tags)
    frame = found.to_frame()
    assert frame.columns.tolist() == ["tag", "layer", "topic", "score", "count"]
    assert frame["layer"].is_monotonic_increasing
    for _, layer in frame.groupby("layer"):
        assert layer["score"].is_monotonic_decreasing
    place = {name: j for j, name in enumerate(found.vocabulary_)}
    assert frame["count"].tolist() == [found.counts_[place[tag]] for tag in frame["tag"]]
    assert frame["score"].tolist() == [found.scores_[place[tag]] for tag in frame["tag"]]
    assert frame["topic"].isna().tolist() == [False, False, True, True, True]
    for tag, topic in zip(frame["tag"][:2], frame["topic"][:2], strict=True):
        assert place[tag] in found.topics_[0][topic - 1]


def test_a_tag_in_several_topics_has_the_best_score_and_topic():
    Y = np.array([[1, 1, 0]] * 6 + [[0, 1, 1]] * 2 + [[0, 0, 1]] * 2)
    found = cf.TagHierarchy(n_topics=2, top=3, random_state=0).fit(Y)
    assert sum(1 in topic for topic in found.topics_[0]) == 2
    frame = found.to_frame().set_index("tag")
    assert frame.loc["1", "topic"] == 1
    assert frame.loc["1", "score"] == pytest.approx(
        6 * np.log(10 / 8) / np.hypot(np.log(10 / 8), np.log(10 / 6))
    )


def test_text_is_cut_and_kept_in_lines(rng):
    Y = np.eye(50, dtype=int)[rng.integers(0, 50, 400)]
    found = cf.TagHierarchy(n_topics=1, top=2).fit(Y)
    lines = found.to_text(max_tags=5).splitlines()
    assert lines[0] == "50 tags in 2 layers, each tag with its number of items"
    assert lines[2] == "Layer 1: 2 tags of 1 topic"
    assert lines[3].startswith("└─ 400 items  ")
    assert lines[5] == "Layer 2: 48 tags"
    assert lines[6].endswith("and 43 more")
    long = found.to_text(max_tags=1000)
    assert "more" not in long
    assert max(map(len, long.splitlines())) < 100
    shown = [line.split()[-1] for line in lines[6].removeprefix("└─ ").split(", ")[:5]]
    assert shown == sorted(shown, key=int, reverse=True)
    with pytest.raises(ValueError, match="max_tags must be at least 1; got 0"):
        found.to_text(max_tags=0)


def test_odd_names_do_not_break_the_text():
    text = cf.TagHierarchy().fit([{"a\nb", "犬", "x" * 300}, {"c"}]).to_text()
    assert len(text.splitlines()) == 7
    assert r"'a\nb' 1" in text
    assert "犬 1" in text
