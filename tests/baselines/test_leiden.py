"""The search for a resolution, and what becomes of communities and items that are left over."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import adjusted_rand_score

from conceptforest.baselines import leiden as module
from conceptforest.baselines.leiden import Leiden, _join
from conceptforest.structure.cosine_graph import cosine_graph
from conceptforest.structure.graph import normalise


@pytest.fixture
def groups(rng):
    """Six groups that features tell apart in pairs, and the tags that most items have alone."""
    group = np.repeat(np.arange(6), 40)
    X = 5 * np.eye(3)[group // 2] + 0.5 * rng.normal(size=(240, 3))
    tags = np.eye(6)[group][:, np.repeat(np.arange(6), 3)] * (rng.random((240, 18)) < 0.8)
    tags[::5] = 0
    return X, sparse.csr_array(tags.astype(np.uint8)), group


def watched(monkeypatch):
    """Note every graph and resolution that communities are sought at."""
    original, seen = module.leiden, []

    def watch(graph, resolution, **settings):
        labels = original(graph, resolution, **settings)
        seen.append((graph, resolution, int(labels.max()) + 1))
        return labels

    monkeypatch.setattr(module, "leiden", watch)
    return seen


def test_finds_planted_groups(groups):
    X, tags, group = groups
    seen = Leiden(3, random_state=0).fit(X, tags)
    assert adjusted_rand_score(group // 2, seen.labels_) == 1
    both = Leiden(6, mode="balanced", random_state=0).fit(X, tags)
    tagged = np.diff(tags.indptr) > 0
    assert adjusted_rand_score(group[tagged], both.labels_[tagged]) > 0.95


def test_balanced_is_the_mean_of_the_normalised_graphs(groups, monkeypatch):
    X, tags, _ = groups
    seen = watched(monkeypatch)
    Leiden(6, mode="balanced", n_neighbors=7, random_state=3).fit(X, tags)
    seed = int(np.random.RandomState(3).randint(0, 2**31 - 1))
    views = [cosine_graph(rows, 7, seed=seed + place) for place, rows in enumerate((X, tags))]
    expected = (normalise(views[0]) + normalise(views[1])).toarray() / 2
    np.testing.assert_allclose(seen[0][0].toarray(), expected, atol=1e-15)


def test_the_search_closes_in_and_keeps_the_nearest(rng, monkeypatch):
    X = rng.normal(size=(300, 6))
    seen = watched(monkeypatch)
    for wanted in (4, 23, 60):
        seen.clear()
        method = Leiden(wanted, n_neighbors=10, random_state=0).fit(X, np.eye(300, 2))
        counts = [count for _, _, count in seen]
        assert len(seen) <= 20
        assert min(abs(count - wanted) for count in counts) == abs(method.n_clusters_ - wanted)
        assert abs(method.n_clusters_ - wanted) <= 1
        assert (method.resolution_, method.n_clusters_) in [one[1:] for one in seen]
        assert method.labels_.max() + 1 == min(wanted, method.n_clusters_)


def test_too_few_communities_stay_too_few(monkeypatch, groups):
    monkeypatch.setattr(module, "leiden", lambda graph, *_, **__: np.arange(graph.shape[0]) % 2)
    method = Leiden(6, random_state=0).fit(*groups[:2])
    assert method.labels_.max() + 1 == method.n_clusters_ == 2


def test_the_smallest_is_joined_to_the_one_it_shares_most_weight_with():
    labels = np.array([0, 0, 0, 1, 1, 1, 2, 2, 3])
    graph = np.zeros((9, 9))
    for one, other, weight in [(8, 6, 0.2), (8, 3, 0.5), (6, 0, 0.9), (7, 3, 0.8), (0, 3, 0.1)]:
        graph[one, other] = graph[other, one] = weight
    given = sparse.csr_array(graph), np.zeros((9, 1)), labels
    assert _join(*given, 4).tolist() == labels.tolist()
    assert _join(*given, 3).tolist() == [0, 0, 0, 1, 1, 1, 2, 2, 1]
    # Now 2 shares 0.9 with 0, and 0.8 + 0.2 with 1 and what came to it.
    assert _join(*given, 2).tolist() == [0, 0, 0, 1, 1, 1, 1, 1, 1]
    assert len(set(_join(*given, 1).tolist())) == 1


def test_where_no_weight_is_shared_the_nearest_item_decides():
    graph = sparse.csr_array(np.kron(np.eye(3), [[0.0, 1.0], [1.0, 0.0]]))
    X = np.array([[0.0], [1.0], [3.0], [4.0], [9.0], [5.5]])
    assert _join(graph, X, np.array([0, 0, 1, 1, 2, 2]), 2).tolist() == [1, 1, 1, 1, 2, 2]


def test_more_separate_parts_than_clusters(rng):
    group = np.repeat(np.arange(6), 30)
    X = 50 * np.eye(6)[group] + rng.normal(size=(180, 6))
    method = Leiden(4, n_neighbors=5, random_state=0).fit(X, np.eye(180, 2))
    assert method.n_clusters_ >= 6
    assert method.labels_.max() == 3


def test_an_item_that_is_joined_to_none_follows_the_nearest(groups):
    X, tags, _ = groups
    X = np.concatenate([X, np.zeros((2, 3))])  # at right angles to all
    tags = sparse.vstack([tags, sparse.csr_array((2, 18), dtype=np.uint8)])
    labels = Leiden(3, random_state=0).fit(X, tags).labels_
    nearest = np.linalg.norm(X[:240], axis=1).argmin()
    assert labels[240] == labels[241] == labels[nearest]


def test_no_edges_at_all():
    method = Leiden(2, random_state=0).fit(np.zeros((5, 2)), np.eye(5, 2))
    assert not method.labels_.any()
    assert method.n_clusters_ == 1
