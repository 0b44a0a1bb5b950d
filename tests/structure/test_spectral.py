import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.sparse.linalg import ArpackNoConvergence
from tests.oracle import structure as oracle

from conceptforest.structure import spectral
from conceptforest.structure.graph import neighbour_graph, normalise
from conceptforest.structure.spectral import embed, leading_vectors, unit_rows


def random_graph(rng, sizes, density=0.4, weak=0.0):
    """A graph of blocks, joined by weak affinities if `weak` is above 0."""
    n = sum(sizes)
    block = np.repeat(np.arange(len(sizes)), sizes)
    same = block[:, None] == block
    affinity = rng.uniform(0.1, 1, size=(n, n)) * (rng.uniform(size=(n, n)) < density) * same
    affinity += weak * rng.uniform(size=(n, n)) * ~same
    ring = np.zeros((n, n))
    for number in range(len(sizes)):  # each block hangs together
        items = np.flatnonzero(block == number)
        ring[items, np.roll(items, 1)] = 0.5
    return neighbour_graph(sparse.csr_array(affinity + ring)), block


def assert_same_partition(rows, block):
    """Assert that rows of a block are equal, and those of two blocks at right angles."""
    same = block[:, None] == block
    np.testing.assert_allclose(rows @ rows.T, same, atol=1e-6)


@pytest.mark.parametrize("n", [40, 400])  # by the dense and by the Lanczos solver
@pytest.mark.parametrize("n_vectors", [1, 3, 6])
def test_same_subspace_as_a_dense_solver(rng, n, n_vectors):
    graph, _ = random_graph(rng, [n // 2, n - n // 2], density=0.1, weak=0.01)
    values, vectors = leading_vectors(normalise(graph), n_vectors)
    expected = oracle.leading_projector(normalise(graph).toarray(), n_vectors)
    np.testing.assert_allclose(vectors @ vectors.T, expected, atol=1e-6)
    residual = normalise(graph) @ vectors - vectors * values
    assert np.abs(residual).max() < 1e-6
    assert (np.diff(values) <= 1e-12).all()


@pytest.mark.parametrize("n", [60, 600])
def test_known_vectors_are_not_searched_for(rng, n):
    graph, block = random_graph(rng, [n // 3, n // 3, n // 3], density=0.1)
    embedding = embed(graph, 5)
    assert embedding.n_pieces == 3
    np.testing.assert_allclose(embedding.eigenvalues[:3], 1, atol=1e-12)
    assert embedding.eigenvalues[3] < 1 - 1e-6
    vectors = leading_vectors(
        normalise(graph),
        5,
        known=spectral._known_vectors(np.asarray(graph.sum(axis=1)).ravel(), block),
    )[1]
    expected = oracle.leading_projector(normalise(graph).toarray(), 5)
    np.testing.assert_allclose(vectors @ vectors.T, expected, atol=1e-6)


@given(st.lists(st.integers(2, 6), min_size=1, max_size=5), st.integers(0, 3), st.integers(0, 99))
@settings(deadline=None)
def test_as_many_vectors_as_pieces_tell_the_pieces(sizes, n_alone, seed):
    graph, _ = random_graph(np.random.default_rng(seed), sizes)
    n = graph.shape[0] + n_alone
    graph = sparse.csr_array(
        (graph.data, graph.indices, np.r_[graph.indptr, [graph.nnz] * n_alone]), shape=(n, n)
    )
    order = np.random.default_rng(seed).permutation(n)
    graph = sparse.csr_array(graph[order][:, order])
    found = oracle.pieces(graph.toarray())
    embedding = embed(graph, len(sizes))
    joined = [piece for piece in found if len(piece) > 1]
    assert embedding.n_pieces == len(joined) == len(sizes)
    assert set(np.flatnonzero(embedding.left_out)) == {min(p) for p in found if len(p) == 1}
    assert (embedding.rows[embedding.left_out] == 0).all()
    number = np.zeros(n, dtype=int)
    for k, piece in enumerate(joined):
        number[list(piece)] = k
    inside = ~embedding.left_out
    assert_same_partition(embedding.rows[inside], number[inside])


def test_more_pieces_than_vectors_keep_each_piece_together(rng):
    graph, block = random_graph(rng, [9, 7, 5, 4, 3])
    embedding = embed(graph, 3)
    assert embedding.n_pieces == 5
    for number in range(5):
        rows = embedding.rows[block == number]
        np.testing.assert_allclose(rows, np.broadcast_to(rows[0], rows.shape), atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(embedding.rows, axis=1), 1)


def test_more_pieces_than_vectors_are_those_of_the_graph_with_weak_affinities(rng):
    graph, _ = random_graph(rng, [9, 7, 5, 4, 3])
    n = graph.shape[0]
    weak = 1e-6 * graph.sum() / n / n
    joined = oracle.normalise((graph.toarray() + weak).tolist())
    vectors = np.linalg.eigh(np.array(joined))[1][:, -3:]
    similarity = unit_rows(vectors) @ unit_rows(vectors).T
    rows = embed(graph, 3).rows
    # Rows of tiny length are decided by the next order of the perturbation; compare the others.
    clear = np.linalg.norm(vectors, axis=1) > 1e-2
    assert clear.sum() > 10
    np.testing.assert_allclose(
        (rows @ rows.T)[clear][:, clear], similarity[clear][:, clear], atol=1e-3
    )


def test_crumbs_are_left_out(rng):
    graph, block = random_graph(rng, [40, 40, 2, 3, 40])
    embedding = embed(graph, 3)
    assert embedding.n_pieces == 3
    assert set(block[embedding.left_out]) == {2, 3}
    assert_same_partition(embedding.rows[~embedding.left_out], block[~embedding.left_out])


def test_a_graph_of_crumbs_keeps_them(rng):
    graph, _ = random_graph(rng, [3] * 40)
    embedding = embed(graph, 2)  # a cluster has 60 items on average, and all pieces have 3
    assert embedding.n_pieces == 40
    assert not embedding.left_out.any()


def test_thousands_of_pieces_leave_the_smallest_out(monkeypatch, rng):
    monkeypatch.setattr(spectral, "_MAX_PIECES", 3)
    graph, block = random_graph(rng, [9, 7, 5, 4, 3])
    embedding = embed(graph, 2)
    assert embedding.n_pieces == 3
    assert set(block[embedding.left_out]) == {3, 4}


@pytest.mark.parametrize(("near", "far"), [(0.03, 0.01), (0.01, 0.003), (0.003, 0.001)])
@pytest.mark.parametrize("seed", range(4))
def test_nearly_equal_eigenvalues_do_not_get_lost(near, far, seed):
    """Clumps that few weak edges join have many eigenvalues next to 1."""
    rng = np.random.default_rng(seed)
    n_clumps, size, n_groups = 24, 40, 6
    clump = np.repeat(np.arange(n_clumps), size)
    affinity = rng.uniform(0.1, 0.9, size=(len(clump),) * 2) * (clump[:, None] == clump)
    for one in range(n_clumps):
        for other in range(one):
            same_group = one % n_groups == other % n_groups
            items = np.array([one, other]) * size + rng.integers(size, size=(3, 2))
            affinity[items[:, 0], items[:, 1]] = near if same_group else far
    matrix = normalise(neighbour_graph(sparse.csr_array(affinity)))
    vectors = leading_vectors(matrix, n_groups)[1]
    expected = oracle.leading_projector(matrix.toarray(), n_groups)
    np.testing.assert_allclose(vectors @ vectors.T, expected, atol=1e-5)


@pytest.mark.parametrize("sizes", [[600], [200, 200, 200]])
def test_lobpcg_helps_where_lanczos_does_not_arrive(monkeypatch, rng, sizes):
    graph, _ = random_graph(rng, sizes, density=0.05)
    expected = embed(graph, 4)

    def give_up(*_args, **_options):
        raise ArpackNoConvergence("no convergence", np.zeros(0), np.zeros((600, 0)))

    monkeypatch.setattr(spectral, "eigsh", give_up)
    found = embed(graph, 4)
    np.testing.assert_allclose(found.eigenvalues, expected.eigenvalues, atol=1e-5)
    np.testing.assert_allclose(
        found.rows @ found.rows.T, expected.rows @ expected.rows.T, atol=1e-2
    )


def test_the_same_bits_every_time(rng):
    graph, _ = random_graph(rng, [300, 300], density=0.05, weak=0.01)
    assert embed(graph, 4).rows.tobytes() == embed(graph, 4).rows.tobytes()


def test_more_vectors_than_items_are_refused():
    graph = neighbour_graph(sparse.csr_array([[0, 1.0, 0], [1, 0, 0], [0, 0, 0]]))
    with pytest.raises(ValueError, match="only 2 items"):
        embed(graph, 3)


def test_all_items_as_vectors(rng):
    graph, _ = random_graph(rng, [5])
    assert embed(graph, 5).rows.shape == (5, 5)
