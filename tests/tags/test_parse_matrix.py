"""Tags as sparse and dense matrices."""

import numpy as np
import pytest
from scipy import sparse

from conceptforest.tags import TagMatrix, parse_tags


def test_columns_without_names_are_numbered():
    tags = parse_tags([[0, 1, 0], [0, 0, 0]])
    assert tags.vocabulary == ("0", "1", "2")
    assert (tags.n_items, tags.n_tags) == (2, 3)


def test_properties_describe_the_matrix():
    tags = parse_tags(np.array([[1, 1, 0], [0, 0, 0], [1, 0, 0]]))
    assert tags.counts.tolist() == [2, 1, 0]
    assert tags.counts.dtype == np.int64
    assert tags.untagged.tolist() == [False, True, False]


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
@pytest.mark.parametrize("make", [np.zeros, sparse.csr_array, sparse.coo_matrix])
def test_empty_shapes_are_kept(make, shape):
    tags = parse_tags(make(shape))
    assert tags.matrix.shape == shape
    assert tags.counts.shape == (shape[1],)
    assert tags.untagged.tolist() == [True] * shape[0]


def test_explicit_zeros_are_dropped():
    tags = sparse.csr_array(([0, 1, 0], [0, 1, 1], [0, 2, 3]), shape=(2, 2))
    assert parse_tags(tags).matrix.nnz == 1


def test_many_duplicates_do_not_wrap_around():
    pairs = (np.zeros(256, dtype=int), np.ones(256, dtype=int))
    tags = sparse.coo_array((np.ones(256, dtype=np.uint8), pairs), shape=(1, 2))
    assert parse_tags(tags).matrix.toarray().tolist() == [[0, 1]]


def test_the_callers_matrix_is_left_alone():
    tags = sparse.csr_array(([1.0, 0.0, 2.0], [1, 0, 0], [0, 2, 3]), shape=(2, 2))
    parse_tags(tags).matrix.data[:] = 9
    assert tags.data.tolist() == [1.0, 0.0, 2.0]
    assert tags.indices.tolist() == [1, 0, 0]


def test_a_canonical_matrix_is_not_shared():
    tags = sparse.csr_array(np.eye(3, dtype=np.uint8))
    parsed = parse_tags(tags)
    parsed.matrix.indices[:] = 0
    assert tags.toarray().tolist() == np.eye(3).tolist()


def test_a_million_by_a_million_stays_sparse():
    n = 1_000_000
    where = np.arange(0, n, 10)
    tags = parse_tags(sparse.coo_array((np.ones(where.size), (where, where[::-1])), shape=(n, n)))
    assert tags.matrix.shape == (n, n)
    assert tags.matrix.nnz == where.size


def test_a_tag_matrix_passes_through():
    tags = parse_tags([{"cat"}])
    assert parse_tags(tags, n_items=1) is tags
    assert parse_tags(tags, vocabulary=["cat"]) is tags


def test_too_many_columns_are_refused():
    tags = sparse.coo_array(([1], ([0], [5])), shape=(1, 2**31))
    with pytest.raises(ValueError, match="2147483648 columns, more than the 2147483647 allowed"):
        parse_tags(tags)


@pytest.mark.parametrize("tags", [np.zeros(()), np.zeros((2, 2, 2)), np.zeros((2, 0, 1))])
def test_other_dimensions_are_refused(tags):
    with pytest.raises(ValueError, match=r"tags must be 2-D \(items x tags\), got shape"):
        parse_tags(tags)


def test_one_dimensional_sparse_arrays_are_refused():
    with pytest.raises(ValueError, match="got a 1-D sparse array"):
        parse_tags(sparse.coo_array(np.array([0, 1, 1])))


@pytest.mark.parametrize(
    "tags",
    [
        sparse.csr_array(np.eye(3)),
        sparse.csc_array(np.eye(3)),
        sparse.coo_array(np.eye(3)),
    ],
)
def test_damaged_matrices_are_refused(tags):
    (tags.col if tags.format == "coo" else tags.indices)[1] = 99
    with pytest.raises(ValueError, match="The sparse tag matrix is damaged"):
        parse_tags(tags)


def test_a_tag_matrix_needs_a_name_per_column():
    with pytest.raises(ValueError, match="has 2 columns but the vocabulary has 1 names"):
        TagMatrix(parse_tags([[0, 1]]).matrix, ("cat",))
