import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse
from tests.oracle import structure as oracle

from conceptforest.structure.graph import degrees, neighbour_graph, normalise

AFFINITIES = st.integers(1, 9).flatmap(
    lambda n: hnp.arrays(np.float64, (n, n), elements=st.sampled_from([0, 0, 0.1, 0.25, 0.5, 1]))
)


@given(AFFINITIES)
def test_graph_is_the_union_of_neighbours(affinity):
    graph = neighbour_graph(sparse.csr_array(affinity))
    assert graph.toarray().tolist() == oracle.neighbour_graph(affinity.tolist())


@given(AFFINITIES)
def test_graph_stores_neither_zeros_nor_the_diagonal(affinity):
    stored = sparse.csr_array(np.ones_like(affinity))
    stored.data = affinity.ravel()  # zeros stored on purpose
    graph = neighbour_graph(stored)
    assert (graph.data > 0).all()
    assert (graph.diagonal() == 0).all()
    assert (graph != graph.T).nnz == 0
    assert graph.has_sorted_indices
    assert graph.indices.dtype == graph.indptr.dtype == np.int32


@given(AFFINITIES)
def test_normalised_graph(affinity):
    graph = neighbour_graph(sparse.csr_array(affinity))
    expected = oracle.normalise(graph.toarray().tolist())
    np.testing.assert_allclose(normalise(graph).toarray(), expected, rtol=1e-12)


@given(AFFINITIES)
def test_roots_of_degrees_are_an_eigenvector(affinity):
    graph = neighbour_graph(sparse.csr_array(affinity))
    root = np.sqrt(degrees(graph))
    np.testing.assert_allclose(normalise(graph) @ root, root, atol=1e-12)


def test_items_without_affinity_have_empty_rows():
    graph = neighbour_graph(sparse.csr_array((3, 3)))
    assert normalise(graph).nnz == 0
    assert degrees(graph).tolist() == [0, 0, 0]
