"""Spectral clustering: its definition by dense algebra, the balance of two graphs, loose items."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import adjusted_rand_score
from sklearn.preprocessing import StandardScaler

from conceptforest.baselines import spclust, spectral_cut
from conceptforest.baselines.gaussian_graph import gaussian_graph
from conceptforest.baselines.spclust import SpClust


@pytest.fixture
def rings(rng):
    """Two rings, which k-means cannot part, and tags that halve each."""
    angle = rng.uniform(0, 2 * np.pi, size=200)
    ring = np.arange(200) % 2
    radius = np.where(ring, 1.0, 4.0) + rng.normal(scale=0.05, size=200)
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    return X, np.eye(2)[(angle > np.pi).astype(int)], ring


def dense_vectors(graphs, n_clusters):
    """Leading eigenvectors of the mean normalised graph, by a dense solver."""
    mean = 0
    for graph in graphs:
        A = graph.toarray()
        root = np.sqrt(A.sum(axis=1))
        mean = mean + A / root[:, None] / root / len(graphs)
    vectors = np.linalg.eigh(mean)[1][:, -n_clusters:]
    return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


def test_parts_rings(rings):
    X, tags, ring = rings
    labels = SpClust(2, n_neighbors=10, random_state=0).fit(X, tags).labels_
    assert adjusted_rand_score(ring, labels) == 1


@pytest.mark.parametrize("mode", ["vision", "tags", "concatenated", "balanced"])
def test_embedding_is_that_of_dense_algebra(mode, rng):
    X = rng.normal(size=(400, 3))  # more items than the solver treats as dense
    tags = sparse.csr_array((rng.random((400, 12)) < 0.3).astype(np.uint8))
    method = SpClust(4, mode=mode, n_neighbors=12)
    seen = []

    def watch(rows, *args, **kwargs):
        seen.append(rows)
        return original(rows, *args, **kwargs)

    original = spectral_cut.k_means
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spectral_cut, "k_means", watch)
        method.set_params(random_state=3).fit(X, tags)
    joined = np.hstack([X, tags.toarray()])
    rows = {"vision": [X], "tags": [tags], "concatenated": [joined], "balanced": [X, tags]}[mode]
    seed = int(np.random.RandomState(3).randint(0, 2**31 - 1))
    graphs = [gaussian_graph(view, 12, seed=seed + i) for i, view in enumerate(rows)]
    expected = dense_vectors(graphs, 4)
    # Eigenvectors are unique up to a rotation, which angles between rows do not see.
    np.testing.assert_allclose(seen[0] @ seen[0].T, expected @ expected.T, atol=1e-4)


def test_balance_is_not_a_matter_of_scale(rings):
    X, tags, _ = rings
    labels = [
        SpClust(4, mode="balanced", random_state=0).fit(X * scale, tags).labels_
        for scale in (1, 128)
    ]
    np.testing.assert_array_equal(*labels)


def test_balance_of_graphs_with_affinities_of_different_size(rings, monkeypatch):
    X, tags, _ = rings
    base = SpClust(4, mode="balanced", random_state=0).fit(X, tags).labels_
    original = spclust.gaussian_graph

    def louder(rows, *args, **kwargs):
        graph = original(rows, *args, **kwargs)
        return graph if sparse.issparse(rows) else graph * 128

    monkeypatch.setattr(spclust, "gaussian_graph", louder)
    labels = SpClust(4, mode="balanced", random_state=0).fit(X, tags).labels_
    np.testing.assert_array_equal(labels, base)


@pytest.mark.parametrize("mode", ["vision", "balanced"])
def test_items_without_affinity_join_the_nearest(mode, rings, monkeypatch):
    X, tags, ring = rings
    original = spclust.gaussian_graph
    loose = [3, 8]

    def cut(rows, *args, **kwargs):
        graph = original(rows, *args, **kwargs).tolil()
        graph[loose, :] = 0
        graph[:, loose] = 0
        found = graph.tocsr()
        found.eliminate_zeros()
        return found

    monkeypatch.setattr(spclust, "gaussian_graph", cut)
    labels = SpClust(2, mode=mode, n_neighbors=10, random_state=0).fit(X, tags).labels_
    if mode == "vision":
        assert adjusted_rand_score(ring, labels) == 1
    for item in loose:
        away = np.linalg.norm(X - X[item], axis=1)
        away[loose] = np.inf
        assert labels[item] == labels[away.argmin()]


def test_a_wide_block_of_features_drowns_tags_unless_scaled(rng):
    """What the paper blames the concatenated mode for."""
    group = np.arange(120) % 2
    X = 100 * rng.normal(size=(120, 20))
    tags = np.eye(2)[group][:, [0, 0, 0, 1, 1, 1]]
    scores = {
        scale: adjusted_rand_score(
            group,
            SpClust(2, mode="concatenated", cmb_scale=scale, random_state=0).fit(X, tags).labels_,
        )
        for scale in ("none", "block_trace")
    }
    assert scores["none"] < 0.2
    assert scores["block_trace"] > 0.8


def test_zscores_are_those_written_out_by_hand(rng, monkeypatch):
    X = rng.normal(loc=3, scale=[0.1, 1, 100], size=(90, 3)).astype(np.float32)
    tags = (rng.random((90, 4)) < [0.1, 0.3, 0.5, 0.9]).astype(np.uint8)
    seen = []
    original = spclust.cut_graphs

    def watch(graphs, *args, **kwargs):
        seen.extend(graphs)
        return original(graphs, *args, **kwargs)

    monkeypatch.setattr(spclust, "cut_graphs", watch)
    SpClust(3, mode="concatenated", cmb_scale="zscore", random_state=3).fit(X, tags)
    seed = int(np.random.RandomState(3).randint(0, 2**31 - 1))
    vectors = StandardScaler().fit_transform(np.hstack([X.astype(float), tags]))
    expected = gaussian_graph(vectors, 20, seed=seed).toarray()
    np.testing.assert_allclose(seen[0].toarray(), expected, atol=1e-5)


@pytest.mark.parametrize("mode", SpClust.modes)
def test_cosine_parts_planted_groups(mode, rng):
    group = np.repeat([0, 1, 2], 20)
    X = rng.normal(scale=0.1, size=(60, 5)) + 3 * np.eye(5)[group]
    tags = np.zeros((60, 33))
    tags[np.arange(60), group] = 1
    tags[np.arange(60), 3 + rng.integers(30, size=60)] = 1
    found = SpClust(3, mode=mode, affinity="cosine", n_neighbors=8, random_state=0).fit(X, tags)
    assert adjusted_rand_score(group, found.labels_) > 0.9


def test_by_the_cosine_untagged_items_follow_their_looks(rng):
    X = np.repeat([[0.0, 1.0], [1.0, 0.0]], 10, axis=0) + rng.normal(scale=0.01, size=(20, 2))
    tags = [{"a"}] * 9 + [set()] + [{"b"}] * 9 + [set()]
    found = SpClust(2, mode="tags", affinity="cosine", random_state=0).fit(X, tags)
    assert found.labels_[9] == found.labels_[0] != found.labels_[10]
    assert found.labels_[19] == found.labels_[10]


def test_unknown_affinity_is_refused():
    with pytest.raises(ValueError, match="affinity must be one of 'gaussian', 'cosine'"):
        SpClust(2, mode="tags", affinity="cosin").fit([[0.0], [1.0]], [{"a"}, {"b"}])
