import numpy as np
import pytest
from scipy import sparse

from conceptforest.structure.cluster_count import count_clusters, most_clusters
from conceptforest.structure.graph import neighbour_graph


def blocks(rng, n_blocks, size, noise):
    """A graph of blocks with random affinities between them of at most `noise`."""
    same = np.kron(np.eye(n_blocks), np.ones((size, size)))
    affinity = np.where(
        same > 0, rng.uniform(0.3, 1, same.shape), noise * rng.uniform(size=same.shape)
    )
    return neighbour_graph(sparse.csr_array(affinity))


@pytest.mark.parametrize("n_blocks", [2, 3, 7, 15])
def test_finds_the_number_of_blocks(rng, n_blocks):
    graph = blocks(rng, n_blocks, 30, noise=0.05)
    found = count_clusters(graph, [blocks(rng, n_blocks, 30, noise=0.05) for _ in range(3)])
    assert found.n_clusters == n_blocks
    assert found.confidence == 1
    assert found.votes == (n_blocks,) * 3
    assert n_blocks not in found.runners_up


def test_separate_pieces_are_clusters(rng):
    assert count_clusters(blocks(rng, 5, 20, noise=0.0), []).n_clusters == 5


def test_confidence_falls_when_the_votes_differ(rng):
    graph = blocks(rng, 4, 30, noise=0.05)
    others = [blocks(rng, 4, 30, noise=0.05), blocks(rng, 8, 15, noise=0.05)]
    found = count_clusters(graph, others)
    assert (found.n_clusters, found.votes, found.confidence) == (4, (4, 8), 0.5)
    assert str(found).startswith("4 clusters (confidence 50%; next best: ")


def test_gaps_are_drops_of_the_eigenvalues(rng):
    graph = blocks(rng, 3, 20, noise=0.2)
    degree = np.asarray(graph.sum(axis=1)).ravel()
    values = np.sort(np.linalg.eigvalsh(graph.toarray() / np.sqrt(np.outer(degree, degree))))[::-1]
    most = most_clusters(60)
    gaps = values[1:most] - values[2 : most + 1]
    np.testing.assert_allclose(count_clusters(graph, []).gaps, gaps, atol=1e-7)


@pytest.mark.parametrize("n", [2, 3, 5, 19])
def test_tiny_graphs_get_two_clusters(n):
    graph = neighbour_graph(sparse.csr_array(np.ones((n, n))))
    assert count_clusters(graph, []).n_clusters == 2
