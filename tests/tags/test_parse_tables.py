"""Tags as long and wide tables."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

from conceptforest.tags import parse_tags

BOTH = pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])


@BOTH
def test_long_tables_sort_their_names(make):
    tags = parse_tags(make({"item": [2, 0, 2], "tag": ["dog", "dog", "cat"]}))
    assert tags.vocabulary == ("cat", "dog")
    assert tags.matrix.toarray().tolist() == [[0, 1], [0, 0], [1, 1]]


@BOTH
def test_missing_items_are_untagged(make):
    tags = parse_tags(make({"item": [1], "tag": ["cat"]}), n_items=4)
    assert tags.untagged.tolist() == [True, False, True, True]


@BOTH
def test_a_null_tag_lists_an_untagged_item(make):
    tags = parse_tags(make({"item": [0, 3], "tag": ["cat", None]}))
    assert tags.matrix.toarray().tolist() == [[1], [0], [0], [0]]


@BOTH
def test_long_tables_may_be_empty(make):
    assert parse_tags(make({"item": [], "tag": []})).matrix.shape == (0, 0)
    assert parse_tags(make({"item": [], "tag": []}), n_items=2).matrix.shape == (2, 0)


@BOTH
@pytest.mark.parametrize("items", [["a.jpg", "b.jpg"], [0.0, 1.0], [True, False]])
def test_items_are_row_numbers(make, items):
    with pytest.raises(
        TypeError, match=r"column 'item' .* must hold integer row numbers.*Map other"
    ):
        parse_tags(make({"item": items, "tag": ["cat", "dog"]}))


def test_an_item_may_not_be_null():
    with pytest.raises(ValueError, match="Row 1 of the long table of tags has no item"):
        parse_tags(pl.DataFrame({"item": [0, None], "tag": ["cat", "dog"]}))
    with pytest.raises(ValueError, match="Row 1 of the long table of tags has no item"):
        parse_tags(pd.DataFrame({"item": pd.array([0, None], "Int64"), "tag": ["cat", "dog"]}))


@BOTH
def test_an_item_may_not_be_negative(make):
    with pytest.raises(ValueError, match=r"Row 1 .* names item -1; .*0 or more"):
        parse_tags(make({"item": [0, -1], "tag": ["cat", "dog"]}))


@BOTH
def test_an_item_must_be_in_x(make):
    with pytest.raises(ValueError, match=r"Row 1 .* names item 9; .* 0 to 8: X has 9 items"):
        parse_tags(make({"item": [8, 9], "tag": ["cat", "dog"]}), n_items=9)


def test_ids_are_not_row_numbers():
    table = pl.DataFrame({"item": [1_000_000_007], "tag": ["cat"]})
    with pytest.raises(ValueError, match="looks like an id rather than a row number"):
        parse_tags(table)


@BOTH
def test_numbered_tags_are_refused(make):
    with pytest.raises(TypeError, match=r"Item 0 has the tag 7, of type int.*Write str\(tag\)"):
        parse_tags(make({"item": [0, 1], "tag": [7, 8]}))


@BOTH
def test_wide_tables_keep_the_order_of_columns(make):
    tags = parse_tags(make({"dog": [0, 1], "cat": [True, False], "none": [0, 0]}))
    assert tags.vocabulary == ("dog", "cat", "none")
    assert tags.matrix.toarray().tolist() == [[0, 1, 0], [1, 0, 0]]


def test_all_null_columns_are_empty_tags():
    for table in (pl.DataFrame({"cat": [None, None]}), pd.DataFrame({"cat": [None, None]})):
        assert parse_tags(table).matrix.toarray().tolist() == [[0], [0]]


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([True, None, False], dtype=object),
        pd.Series([True, None, False], dtype="boolean"),
        pl.Series([Decimal(1), None, Decimal(0)]),
        pl.Series([1, None, 0], dtype=pl.UInt8),
    ],
)
def test_columns_may_be_of_any_numeric_kind(column):
    assert parse_tags(column.to_frame("cat")).matrix.toarray().tolist() == [[1], [0], [0]]


def test_a_pandas_index_is_ignored():
    table = pd.DataFrame({"cat": [1, 0]}, index=["b", "a"])
    assert parse_tags(table).matrix.toarray().tolist() == [[1], [0]]


def test_numbered_columns_get_their_numbers_as_names():
    assert parse_tags(pd.DataFrame(np.eye(3))).vocabulary == ("0", "1", "2")


@pytest.mark.parametrize("label", ["", 1.5, ("a", "b"), True])
def test_other_column_names_are_refused(label):
    table = pd.DataFrame([[1, 0]])
    table.columns = pd.Index(["cat", label], dtype=object, tupleize_cols=False)
    with pytest.raises(TypeError, match=r"has a column named .* Rename the column"):
        parse_tags(table)


def test_repeated_columns_are_refused():
    with pytest.raises(ValueError, match="names a column twice"):
        parse_tags(pd.DataFrame([[1, 0]], columns=["cat", "cat"]))


def test_columns_that_read_the_same_are_refused():
    with pytest.raises(ValueError, match="names '1' twice"):
        parse_tags(pd.DataFrame([[1, 0]], columns=pd.Index([1, "1"], dtype=object)))


def test_tables_without_columns_have_no_tags():
    assert parse_tags(pd.DataFrame(index=range(3))).matrix.shape == (3, 0)
