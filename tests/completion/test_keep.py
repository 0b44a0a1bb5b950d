"""Keeping the highest scores of each row."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.oracle import completion_keep as oracle

from conceptforest.completion import keep


@st.composite
def scored(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = draw(st.integers(1, 8)), draw(st.integers(1, 9))
    scores = rng.integers(0, 4, size=shape) / 4.0  # many equal ones
    return scores, rng.random(shape) < 0.4, rng.integers(0, 3, size=shape[1])


@settings(max_examples=150, deadline=None)
@given(made=scored(), n_scores=st.one_of(st.none(), st.integers(1, 10)))
def test_kept_scores_equal_oracle(made, n_scores):
    scores, observed, counts = made
    found = keep.keep_highest(
        sparse.csr_array(scores), sparse.csr_array(observed), counts, n_scores
    )
    assert found.has_sorted_indices
    expected = [
        oracle.kept(row, set(np.flatnonzero(own)), counts.tolist(), n_scores)
        for row, own in zip(scores.tolist(), observed, strict=True)
    ]
    assert oracle.to_dicts(found) == expected


def test_stored_zeros_are_dropped():
    scores = sparse.csr_array((np.array([0.0, 0.5]), [0, 1], [0, 2]), shape=(1, 2))
    nothing = sparse.csr_array((1, 2))
    for n_scores in (None, 2):
        found = keep.keep_highest(scores, nothing, np.ones(2, int), n_scores)
        assert oracle.to_dicts(found) == [{1: 0.5}]


@settings(max_examples=50, deadline=None)
@given(made=scored())
def test_contains_tells_what_is_stored(made):
    _, observed, _ = made
    rows, columns = np.indices(observed.shape).reshape(2, -1)
    found = keep.contains(sparse.csr_array(observed), rows, columns)
    np.testing.assert_array_equal(found, observed.ravel())


@pytest.mark.parametrize(("n_rows", "n_columns"), [(0, 5), (1, 1), (1000, 7), (50, 2**23)])
def test_blocks_cover_all_rows_once_and_stay_small(n_rows, n_columns):
    found = list(keep.blocks(n_rows, n_columns))
    assert [k for rows in found for k in range(n_rows)[rows]] == list(range(n_rows))
    assert all((rows.stop - rows.start) * n_columns <= max(2**21, n_columns) for rows in found)
