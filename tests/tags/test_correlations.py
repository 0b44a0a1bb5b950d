import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.oracle import correlations as oracle

from conceptforest.tags import correlate, parse_tags, scores


@st.composite
def cases(draw):
    """Draw a small tag matrix as rows of 0/1, and disjoint target and subordinate columns."""
    n_items = draw(st.integers(1, 8))
    n_tags = draw(st.integers(1, 7))
    bits = st.lists(st.integers(0, 1), min_size=n_tags, max_size=n_tags)
    rows = draw(st.lists(bits, min_size=n_items, max_size=n_items))
    order = draw(st.permutations(range(n_tags)))
    a, b = sorted(draw(st.tuples(st.integers(0, n_tags), st.integers(0, n_tags))))
    return rows, order[:a], order[a:b]


@settings(deadline=None)
@given(cases())
def test_correlations_agree_with_counting(case):
    rows, target, subordinate = case
    found = correlate(parse_tags(rows).matrix, target, subordinate)
    rho = [[oracle.cooccurrence(rows, i, j) for j in subordinate] for i in target]
    eps = [[oracle.exclusion(rows, i, j) for j in subordinate] for i in target]
    shape = (len(target), len(subordinate))
    expected = np.array(rho, dtype=np.float64).reshape(shape)
    np.testing.assert_array_equal(found.cooccurrence.toarray(), expected)
    expected = np.array(eps, dtype=np.float64).reshape(shape)
    np.testing.assert_allclose(found.exclusion(), expected, rtol=0, atol=1e-15)
    np.testing.assert_array_equal(found.exclusion() == 0, expected == 0)


@settings(deadline=None)
@given(cases())
def test_correlations_are_stored_for_shared_items_only(case):
    rows, target, subordinate = case
    found = correlate(parse_tags(rows).matrix, target, subordinate)
    dense = np.array(rows)
    shared = dense[:, target].T @ dense[:, subordinate] > 0
    for weights in (found.cooccurrence, found.lift):
        assert weights.nnz == shared.sum()
        assert weights.has_sorted_indices
        assert weights.dtype == np.float64
        np.testing.assert_array_equal(weights.toarray() > 0, shared)
        assert np.all(weights.data <= 1)


@settings(deadline=None)
@given(cases())
def test_scores_agree_with_counting(case):
    rows, target, subordinate = case
    matrix = parse_tags(rows).matrix
    missing = [x for x, row in enumerate(rows) if not any(row[i] for i in target)]
    correlations = correlate(matrix, target, subordinate)
    found = scores(correlations, matrix, missing, subordinate)
    shape = (len(missing), len(target))
    expected = [[oracle.positive_score(rows, x, i, subordinate) for i in target] for x in missing]
    expected = np.array(expected, dtype=np.float64).reshape(shape)
    np.testing.assert_allclose(found.positive.toarray(), expected, rtol=1e-14, atol=0)
    negative = found.n_subordinate[:, None] - found.lifted.toarray()
    negative[:, correlations.target_counts == 0] = 0
    expected = [[oracle.negative_score(rows, x, i, subordinate) for i in target] for x in missing]
    expected = np.array(expected, dtype=np.float64).reshape(shape)
    np.testing.assert_allclose(negative, expected, rtol=0, atol=1e-14)


@settings(deadline=None)
@given(cases())
def test_scores_share_one_sorted_pattern(case):
    rows, target, subordinate = case
    matrix = parse_tags(rows).matrix
    correlations = correlate(matrix, target, subordinate)
    found = scores(correlations, matrix, np.arange(len(rows)), subordinate)
    np.testing.assert_array_equal(found.positive.indptr, found.lifted.indptr)
    np.testing.assert_array_equal(found.positive.indices, found.lifted.indices)
    assert found.positive.has_canonical_format
    assert found.positive.dtype == found.lifted.dtype == np.float64


def test_cooccurrence_conditions_on_the_subordinate_tag():
    i = np.arange(100) < 50
    j = (np.arange(100) >= 45) & (np.arange(100) < 55)
    matrix = parse_tags(np.column_stack([i, j])).matrix
    found = correlate(matrix, [0], [1])
    assert found.target_counts.tolist() == [50]
    assert found.subordinate_counts.tolist() == [10]
    assert found.cooccurrence.toarray() == [[0.5]]
    assert found.lift.toarray() == [[1.0]]
    assert found.exclusion() == [[0.0]]


def test_tags_without_items_give_no_evidence():
    matrix = parse_tags([[1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 1, 0]]).matrix
    found = correlate(matrix, [0, 1], [2, 3])
    assert found.cooccurrence.nnz == 0
    assert found.exclusion().tolist() == [[1.0, 0.0], [0.0, 0.0]]


def test_subordinate_tags_unknown_to_the_correlations_are_not_counted():
    seen = parse_tags([[1, 1, 0], [0, 1, 0]]).matrix
    new = parse_tags([[0, 1, 1]]).matrix
    assert scores(correlate(seen, [0], [1, 2]), new, [0], [1, 2]).n_subordinate.tolist() == [1]


def test_bottom_layer_has_no_evidence():
    matrix = parse_tags([[1, 0], [0, 0]]).matrix
    found = scores(correlate(matrix, [0, 1], []), matrix, [1], [])
    assert found.positive.shape == found.lifted.shape == (1, 2)
    assert found.positive.nnz == found.lifted.nnz == 0
    assert found.n_subordinate.tolist() == [0]


def test_counts_do_not_overflow_bytes():
    matrix = parse_tags(np.ones((300, 2), dtype=bool)).matrix
    found = correlate(matrix, [0], [1])
    assert found.cooccurrence.toarray() == [[1.0]]
    assert found.target_counts.tolist() == [300]


def test_scores_need_the_subordinate_tags_of_the_correlations():
    matrix = parse_tags([[1, 1, 0], [0, 1, 1]]).matrix
    with pytest.raises(ValueError, match="with 2 subordinate tags but 1 were given"):
        scores(correlate(matrix, [0], [1, 2]), matrix, [1], [1])


def test_large_sparse_vocabularies_stay_sparse():
    rng = np.random.default_rng(0)
    rows, columns = np.arange(20_000).repeat(2), rng.integers(0, 200_000, 40_000)
    tags = parse_tags(sparse.coo_array((np.ones(40_000), (rows, columns)), shape=(20_000, 200_000)))
    found = correlate(tags.matrix, np.arange(100_000), np.arange(100_000, 200_000))
    assert 0 < found.cooccurrence.nnz <= 20_000
