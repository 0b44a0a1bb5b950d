"""Tags as one collection of names per item."""

import numpy as np
import pandas as pd
import pytest

from conceptforest.tags import parse_tags


def test_names_are_sorted_whatever_the_order_of_items():
    items = [{"dog", "Ant"}, {"élan"}, {"cat", "dog"}]
    forward, backward = parse_tags(items), parse_tags(items[::-1])
    assert forward.vocabulary == backward.vocabulary == ("Ant", "cat", "dog", "élan")
    assert forward.matrix.toarray().tolist() == backward.matrix.toarray()[::-1].tolist()


def test_names_are_kept_exactly():
    assert parse_tags([{" cat", "cat", "CAT"}]).vocabulary == (" cat", "CAT", "cat")


def test_numpy_names_become_plain_strings():
    (name,) = parse_tags([[np.str_("cat")]]).vocabulary
    assert type(name) is str


@pytest.mark.parametrize("tags", [[], (), np.array([]), np.array([], dtype=object)])
def test_there_may_be_no_items(tags):
    assert parse_tags(tags).matrix.shape == (0, 0)


@pytest.mark.parametrize("tags", [[[], []], [set(), None], [None, None], [(), frozenset()]])
def test_all_items_may_be_untagged(tags):
    assert parse_tags(tags).matrix.shape == (2, 0)
    assert parse_tags(tags, vocabulary=["cat"]).matrix.shape == (2, 1)


@pytest.mark.parametrize(
    "tags",
    [
        [{"dog"}, "cat"],
        [None, "cat"],
        np.array(["dog", "cat"], dtype=object)[[1, 1]],
        np.array(["cat", "cat"]),
        pd.Series(["cat", "cat"]),
    ],
)
def test_a_bare_string_is_not_a_set(tags):
    with pytest.raises(TypeError, match=r"bare string 'cat'.*letters\. Write \{'cat'\}"):
        parse_tags(tags)


@pytest.mark.parametrize(
    "tags",
    [
        np.array([0, 1]),
        [0, 1],
        np.array([0.5]),
        [True],
        pd.Series([1, 2]),
        [np.array(3)],
        [{"cat"}, 3],
    ],
)
def test_numbers_must_be_two_dimensional(tags):
    with pytest.raises(ValueError, match=r"tags are 1-D.*must be 2-D.*reshape\(-1, 1\)"):
        parse_tags(tags)


@pytest.mark.parametrize("tag", [3, 1.5, True, None, ("cat",), b"cat"])
def test_tag_names_are_strings(tag):
    with pytest.raises(TypeError, match=r"Item 1 has the tag .* of type .*Write str\(tag\)"):
        parse_tags([{"cat"}, {tag}])


def test_an_unhashable_tag_is_refused():
    with pytest.raises(TypeError, match=r"Item 0 has the tag \['cat'\], of type list"):
        parse_tags([[["cat"]]])


def test_a_stack_of_matrices_is_refused():
    with pytest.raises(
        TypeError, match=r"Item 0 has the tag array\(\[0\., 0\.\]\), of type ndarray"
    ):
        parse_tags([np.zeros((2, 2))])


def test_an_empty_name_is_refused():
    with pytest.raises(TypeError, match="Item 1 has the tag '', an empty name"):
        parse_tags([{"cat"}, {""}])


@pytest.mark.parametrize("item", [b"cat", {"cat": 1}, object()])
def test_other_items_are_refused(item):
    with pytest.raises(TypeError, match=r"The tags of item 1 are of type .* give a set of strings"):
        parse_tags([{"dog"}, item])


@pytest.mark.parametrize("tags", ["cat", b"cat", {0: {"cat"}}, 3, object()])
def test_other_forms_are_refused(tags):
    with pytest.raises(TypeError, match=r"tags is of type .* Give a SciPy sparse"):
        parse_tags(tags)


def test_no_tags_at_all_are_refused():
    with pytest.raises(ValueError, match="tags is None"):
        parse_tags(None)


def test_items_must_have_an_order():
    with pytest.raises(TypeError, match="tags is a set, whose items have no order"):
        parse_tags({frozenset({"cat"})})


@pytest.mark.parametrize("tags", [[[0, 1], [1]], [[0, 1], None], [[0, 1], {"cat"}]])
def test_rows_of_numbers_must_have_one_length(tags):
    with pytest.raises(ValueError, match="rows of numbers, but item 1 is not like the first"):
        parse_tags(tags)


def test_the_first_row_of_numbers_may_be_the_odd_one():
    with pytest.raises(ValueError, match="item 1 is not like the first"):
        parse_tags([None, [0, 1]])


def test_long_values_are_cut_in_messages():
    with pytest.raises(TypeError) as caught:
        parse_tags(["x" * 1000])
    assert len(str(caught.value)) < 400
