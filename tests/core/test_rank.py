"""Ranks of feature values are SciPy's dense ranks, counted from 0."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.stats import rankdata

from conceptforest import _core

TYPES = [(v, r) for v in (np.float32, np.float64) for r in (np.uint16, np.uint32)]


def rank(values, ranks_type, n_threads=1):
    ranks = np.full(values.shape, 7, ranks_type)
    _core.rank_columns(values, ranks, n_threads)
    return ranks


def tables(dtype):
    width = 8 * np.dtype(dtype).itemsize
    special = st.sampled_from([0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.finfo(dtype).max])
    return hnp.arrays(
        dtype,
        hnp.array_shapes(min_dims=2, max_dims=2, max_side=40),
        elements=st.floats(width=width, allow_nan=False) | special,
    )


@settings(deadline=None)
@given(data=st.data(), types=st.sampled_from(TYPES), n_threads=st.integers(1, 3))
def test_ranks_are_dense_ranks(data, types, n_threads):
    values = data.draw(tables(types[0]))
    expected = rankdata(values, method="dense", axis=1) - 1
    np.testing.assert_array_equal(rank(values, types[1], n_threads), expected)


@pytest.mark.parametrize(("values_type", "ranks_type"), TYPES)
def test_long_columns(values_type, ranks_type, rng):
    values = rng.normal(size=(3, 65_535)).astype(values_type)
    values[1] = np.round(values[1], 2)
    values[2] = rng.permutation(65_535)
    ranks = rank(values, ranks_type, 2)
    for column, found in zip(values, ranks, strict=True):
        np.testing.assert_array_equal(found, np.unique(column, return_inverse=True)[1])
    assert ranks[2].max() == 65_534


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_neighbouring_floats_have_neighbouring_ranks(dtype):
    values = [dtype(-1)]
    for start in (-1, 0, 1):
        values += [np.nextafter(dtype(start), dtype(end), dtype=dtype) for end in (-2, 2)]
    values = np.array([[*values, dtype(0), dtype(1)]])
    expected = rankdata(values, method="dense", axis=1) - 1
    np.testing.assert_array_equal(rank(values, np.uint16), expected)
    assert expected.max() == 8


def test_the_two_zeros_have_one_rank():
    assert rank(np.array([[0.0, -0.0, -1.0]]), np.uint16).tolist() == [[1, 1, 0]]


def test_too_many_items_for_16_bits_are_refused():
    with pytest.raises(ValueError, match="too many items for this rank type"):
        rank(np.zeros((1, 65_536)), np.uint16)
    assert rank(np.arange(65_537.0)[None], np.uint32).max() == 65_536


def test_shapes_must_agree():
    with pytest.raises(ValueError, match="values and ranks differ in shape"):
        _core.rank_columns(np.zeros((2, 3)), np.zeros((3, 2), np.uint16), 1)


@pytest.mark.parametrize(
    ("values", "ranks"),
    [
        (np.zeros((2, 3), np.float16), np.zeros((2, 3), np.uint16)),
        (np.zeros((3, 2)).T, np.zeros((2, 3), np.uint16)),
        (np.zeros((2, 3)), np.zeros((2, 3), np.int32)),
        (np.zeros((2, 3)), np.zeros((3, 2), np.uint16).T),
    ],
    ids=["half", "Fortran values", "signed", "Fortran ranks"],
)
def test_arrays_are_taken_as_they_are_or_not_at_all(values, ranks):
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _core.rank_columns(values, ranks, 1)
