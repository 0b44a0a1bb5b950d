"""Which values mean present, and which are refused."""

import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from conceptforest.tags import parse_tags

BAD = [-1.0, 0.5, np.nan, np.inf, -np.inf]


@pytest.mark.parametrize("dtype", [np.int64, np.uint8, np.float64, object])
def test_counts_mean_present(dtype):
    tags = np.array([[0], [1], [2], [200]], dtype=dtype)
    assert parse_tags(tags).matrix.toarray().ravel().tolist() == [0, 1, 1, 1]
    if dtype is not object:
        assert parse_tags(sparse.csr_array(tags)).matrix.nnz == 3


@pytest.mark.parametrize("value", BAD)
@pytest.mark.parametrize("make", [np.array, sparse.csr_array, sparse.csc_matrix, np.ndarray.tolist])
def test_the_first_bad_value_is_named(make, value):
    rows = np.array([[0, 1, 0], [1, 0, value], [value, 0, 0]])
    with pytest.raises(ValueError, match=rf"tags hold {value} at item 1, tag number 2\."):
        parse_tags(make(rows))


def test_bad_values_are_named_by_the_vocabulary():
    with pytest.raises(ValueError, match=r"tags hold -1 at item 0, tag 'dog'\. Use 1 for"):
        parse_tags(np.array([[1, -1]]), vocabulary=["cat", "dog"])


@pytest.mark.parametrize("value", [-1.0, 0.5, np.inf])
@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_bad_values_of_wide_tables_are_named(make, value):
    with pytest.raises(ValueError, match=rf"tags hold {value} at item 2, tag 'dog'"):
        parse_tags(make({"cat": [1, 0, 1], "dog": [None, 0.0, value]}))


def test_a_polars_nan_is_not_a_null():
    with pytest.raises(ValueError, match="tags hold nan at item 1, tag 'cat'"):
        parse_tags(pl.DataFrame({"cat": [1.0, float("nan")]}))


def test_values_are_checked_before_duplicates_are_merged():
    tags = sparse.coo_array(([2, -1], ([0, 0], [0, 0])), shape=(1, 1))
    with pytest.raises(ValueError, match="tags hold -1"):
        parse_tags(tags)


@pytest.mark.parametrize(
    "tags",
    [
        np.array([["cat", "dog"]]),
        np.array([["cat", "dog"]], dtype=object),
        np.array([["1", "0"]], dtype=object),
        np.array([[b"1"]]),
        np.array([[1 + 0j]]),
        np.array([[1j]], dtype=object),
        np.array([["2020-01-01"]], dtype="datetime64[D]"),
        np.array([[dt.date(2020, 1, 1)]], dtype=object),
        np.array([[{"cat"}]], dtype=object),
        sparse.csr_array(np.array([[1 + 1j]])),
        [[1j, 0]],
    ],
)
def test_other_dtypes_are_refused(tags):
    with pytest.raises(TypeError, match=r"The tag matrix holds values of dtype .* Give a SciPy"):
        parse_tags(tags)


def test_none_in_an_object_array_is_refused():
    with pytest.raises(ValueError, match="tags hold nan at item 0, tag number 1"):
        parse_tags(np.array([[1, None]], dtype=object))


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame])
def test_text_in_a_wide_table_is_refused(make):
    with pytest.raises(TypeError, match="column 'name' of the wide table of tags holds values"):
        parse_tags(make({"cat": [1, 0], "name": ["a.jpg", "b.jpg"]}))
