"""A given vocabulary names the columns and closes the set of tags."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from conceptforest.tags import parse_tags

NAMED = {
    "sets": [{"cta"}],
    "long": pd.DataFrame({"item": [0], "tag": ["cta"]}),
    "wide": pl.DataFrame({"cta": [1]}),
    "tag matrix": parse_tags([{"cta"}]),
}


@pytest.mark.parametrize("form", NAMED)
def test_unknown_tags_get_a_hint(form):
    with pytest.raises(ValueError, match=r"'cta', which is not in .* Did you mean 'cat'\?"):
        parse_tags(NAMED[form], vocabulary=["cat", "dog"])


def test_other_capitals_are_the_first_hint():
    with pytest.raises(ValueError, match=r"Did you mean 'CAT'\?"):
        parse_tags([{"cat"}], vocabulary=["cats", "CAT"])


def test_far_names_get_no_hint():
    with pytest.raises(ValueError) as caught:
        parse_tags([{"submarine"}], vocabulary=["cat", "dog"])
    assert "Did you mean" not in str(caught.value)


def test_the_order_of_the_vocabulary_is_kept():
    tags = parse_tags([{"cat"}, {"dog"}], vocabulary=["zebra", "dog", "cat"])
    assert tags.vocabulary == ("zebra", "dog", "cat")
    assert tags.matrix.toarray().tolist() == [[0, 0, 1], [0, 1, 0]]


def test_wide_tables_may_lack_columns():
    tags = parse_tags(pd.DataFrame({"cat": [1, 0]}), vocabulary=["dog", "cat"])
    assert tags.matrix.toarray().tolist() == [[0, 1], [0, 0]]


def test_names_may_come_as_an_array():
    tags = parse_tags([[1, 0]], vocabulary=np.array(["cat", "dog"]))
    assert tags.vocabulary == ("cat", "dog")
    assert {type(name) for name in tags.vocabulary} == {str}


def test_matrices_need_a_name_per_column():
    with pytest.raises(ValueError, match="vocabulary has 1 names but the tag matrix has 2 columns"):
        parse_tags([[0, 1]], vocabulary=["cat"])


@pytest.mark.parametrize("vocabulary", ["cat", {"cat"}, 3])
def test_a_vocabulary_is_a_list(vocabulary):
    with pytest.raises(TypeError, match="Give a list of tag names, in the order of the columns"):
        parse_tags([[1]], vocabulary=vocabulary)


@pytest.mark.parametrize("name", ["", 1, None])
def test_a_vocabulary_holds_names(name):
    with pytest.raises(TypeError, match="tag names are non-empty strings"):
        parse_tags([[1]], vocabulary=[name])


def test_a_vocabulary_names_each_tag_once():
    with pytest.raises(ValueError, match="names 'cat' twice"):
        parse_tags([[1, 0]], vocabulary=["cat", "cat"])


@pytest.mark.parametrize("tags", [np.eye(9), [{"cat"}] * 9, pd.DataFrame({"cat": [1] * 9})])
def test_the_number_of_items_must_match(tags):
    with pytest.raises(ValueError, match="X has 10 items but tags have 9"):
        parse_tags(tags, n_items=10)
