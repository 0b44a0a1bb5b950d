"""The joint method: forest and profiles of tags in one graph."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import adjusted_rand_score
from tests.oracle import structure as oracle_votes
from tests.oracle import tag_profile as oracle

import conceptforest as cf
from conceptforest.datasets import make_tagged
from conceptforest.structure.affinities import JointAffinities
from conceptforest.structure.graph import neighbour_graph
from conceptforest.tags import parse_tags


@pytest.fixture(scope="module")
def made():
    return make_tagged(240, 4, random_state=0)


@pytest.fixture(scope="module")
def forest(made):
    return cf.HMLForest(60, layers=made.layers, random_state=0).fit(made.X, made.tags)


@pytest.fixture(scope="module")
def clusters(made, forest):
    return cf.ConceptClustering(4, forest=forest, random_state=0).fit(made.X, made.tags)


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 2**32 - 1), n_neighbors=st.integers(1, 6))
def test_graph_equals_the_oracle(seed, n_neighbors):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(25, 4))
    tags = parse_tags((rng.random((25, 5)) < 0.4).astype(np.uint8))
    forest = cf.HMLForest(5, layers=1, random_state=0).fit(X, tags)
    joint = JointAffinities(
        forest, X, tags, n_neighbors=n_neighbors, n_threads=1, seed=0, verbose=False
    )
    leaves = neighbour_graph(forest.affinity(n_neighbors=n_neighbors)).toarray()
    expected = oracle.joint_graph(leaves, joint.profile.rows, n_neighbors)
    np.testing.assert_allclose(joint.graph().toarray(), expected, atol=1e-5)


def test_is_the_default_and_better_than_the_forest_alone(made, forest, clusters):
    assert cf.ConceptClustering().method == "joint"
    alone = cf.ConceptClustering(4, method="forest", forest=forest, random_state=0)
    alone.fit(made.X, made.tags)
    joint_score = adjusted_rand_score(made.labels, clusters.labels_)
    assert joint_score > 0.8
    assert joint_score > adjusted_rand_score(made.labels, alone.labels_)


def test_embedding_has_two_vectors_for_each_cluster(clusters):
    assert clusters.embedding_.shape == (240, 8)
    assert clusters.eigenvalues_.shape == (8,)
    np.testing.assert_allclose(np.linalg.norm(clusters.embedding_, axis=1), 1)


def test_graph_is_symmetric_with_an_empty_diagonal(clusters):
    graph = clusters.graph_
    assert abs(graph - graph.T).max() == 0
    assert not graph.diagonal().any()


def test_same_bits_for_any_number_of_threads(made, forest):
    results = [
        cf.ConceptClustering(4, forest=forest, random_state=0, n_jobs=n).fit(made.X, made.tags)
        for n in (1, 2)
    ]
    assert results[0].embedding_.tobytes() == results[1].embedding_.tobytes()
    assert (results[0].labels_ == results[1].labels_).all()


def test_unseen_items_follow_the_votes_of_both(made, clusters):
    near = clusters._affinities.near(made.X[:20], parse_tags(made.tags).matrix[:20])
    np.testing.assert_allclose(near.sum(axis=1), 1)
    found = clusters.predict(made.X[:20], made.tags[:20])
    for row, label in zip(near.toarray(), found, strict=True):
        votes = oracle_votes.votes(row, clusters.labels_, 4)
        assert votes[label] == pytest.approx(max(votes))


def test_tags_of_unseen_items_help(made):
    tags = parse_tags(made.tags).matrix
    grown = cf.HMLForest(100, layers=1, random_state=0)
    found = cf.ConceptClustering(4, forest=grown, random_state=0).fit(made.X[:160], tags[:160])
    seen = adjusted_rand_score(made.labels[160:], found.predict(made.X[160:]))
    told = adjusted_rand_score(made.labels[160:], found.predict(made.X[160:], tags[160:]))
    assert told > seen + 0.1


def test_unknown_tags_of_unseen_items_are_refused(made, clusters):
    with pytest.raises(ValueError, match="unheard"):
        clusters.predict(made.X[:1], [{"unheard"}])


def test_fewer_items_than_vectors(rng):
    X = rng.normal(size=(12, 3))
    found = cf.ConceptClustering(8, forest=cf.HMLForest(10, layers=1), random_state=0)
    found.fit(X, [{"a"}, {"b"}] * 6)
    assert set(found.labels_.tolist()) == set(range(8))
    assert found.embedding_.shape[1] <= 12


def test_no_tags_at_all_leave_the_forest(rng):
    X = rng.normal(size=(40, 3))
    tags = parse_tags(np.zeros((40, 2), dtype=np.uint8))
    forest = cf.HMLForest(10, layers=1, min_samples_leaf=1)
    with pytest.raises(ValueError, match="tag"):
        cf.ConceptClustering(2, forest=forest, random_state=0).fit(X, tags)
    one = np.zeros((40, 2), dtype=np.uint8)
    one[0, 0] = 1
    labels = cf.ConceptClustering(2, forest=forest, random_state=0).fit(X, one).labels_
    assert labels.shape == (40,)
