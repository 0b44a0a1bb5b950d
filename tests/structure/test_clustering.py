import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from tests.oracle import structure as oracle

import conceptforest as cf
from conceptforest.datasets import make_tagged
from conceptforest.structure import affinities as module
from conceptforest.structure.graph import neighbour_graph
from conceptforest.tags import TagHierarchy


def by_forest(*args, **options):
    return cf.ConceptClustering(*args, method="forest", **options)


@pytest.fixture(scope="module")
def made():
    return make_tagged(240, 4, random_state=0)


@pytest.fixture(scope="module")
def forest(made):
    return cf.HMLForest(60, layers=made.layers, random_state=0).fit(made.X, made.tags)


@pytest.fixture(scope="module")
def clusters(made, forest):
    return by_forest(4, forest=forest, random_state=0).fit(made.X, made.tags)


def test_finds_the_concepts(made, clusters):
    assert adjusted_rand_score(made.labels, clusters.labels_) > 0.6


def test_shapes(clusters):
    assert clusters.labels_.shape == (240,)
    assert clusters.labels_.dtype == np.int64
    assert clusters.embedding_.shape == (240, 4)
    assert clusters.eigenvalues_.shape == (4,)
    assert clusters.graph_.shape == (240, 240)
    assert clusters.n_clusters_ == 4
    assert clusters.n_features_in_ == 64
    assert clusters.cluster_count_ is None


def test_labels_are_ordered_by_size(clusters):
    sizes = np.bincount(clusters.labels_)
    assert len(sizes) == 4
    assert (np.diff(sizes) <= 0).all()


def test_graph_is_that_of_the_forest(forest, clusters):
    expected = neighbour_graph(forest.affinity(n_neighbors=20))
    assert (clusters.graph_ != expected).nnz == 0
    assert (np.diff(clusters.graph_.indptr) >= 20).all()


def test_given_forest_is_used_not_grown_again(forest, clusters):
    assert clusters.forest_ is forest


def test_unfitted_forest_is_copied_and_grown(made):
    forest = cf.HMLForest(20, layers=1)
    found = cf.ConceptClustering(3, forest=forest, random_state=1).fit(made.X, made.tags)
    assert not hasattr(forest, "trees_")
    assert forest.random_state is None
    assert found.forest_.trees_.n_trees == 20
    again = cf.ConceptClustering(3, forest=forest, random_state=1).fit(made.X, made.tags)
    assert (found.labels_ == again.labels_).all()


def test_a_number_of_layers_is_estimated_with_a_topic_for_each_cluster(made):
    found = cf.ConceptClustering(3, forest=cf.HMLForest(5, layers=2), random_state=0)
    layers = found.fit(made.X, made.tags).forest_.layers
    assert isinstance(layers, TagHierarchy)
    assert (layers.n_layers, layers.n_topics) == (2, 3)


def test_same_bits_for_any_number_of_threads(made, forest):
    results = [
        cf.ConceptClustering(4, forest=forest, random_state=0, n_jobs=n).fit(made.X, made.tags)
        for n in (1, 2, 3)
    ]
    for other in results[1:]:
        assert other.embedding_.tobytes() == results[0].embedding_.tobytes()
        assert (other.labels_ == results[0].labels_).all()


def test_refit_of_a_clone_gives_the_same(made, clusters):
    again = clone(clusters).set_params(forest=clusters.forest_).fit(made.X, made.tags)
    assert (again.labels_ == clusters.labels_).all()
    assert again.cluster_names_ == clusters.cluster_names_


# --- unseen items ---


def test_unseen_items_follow_the_votes_of_their_neighbours(rng, forest, clusters):
    unseen = rng.normal(size=(30, 64))
    affinity = forest.affinity(unseen, n_neighbors=20).toarray()
    for row, label in zip(affinity, clusters.predict(unseen), strict=True):
        votes = oracle.votes(row, clusters.labels_, 4)
        assert votes[label] == pytest.approx(max(votes))


def test_seen_items_mostly_stay(made, clusters):
    assert (clusters.predict(made.X) == clusters.labels_).mean() > 0.9


def test_unseen_items_of_a_concept_are_placed_with_it(made):
    forest = cf.HMLForest(100, layers=made.layers, bootstrap=True, random_state=0)
    found = by_forest(4, forest=forest, random_state=0)
    found.fit(made.X[:180], made.tags[:180])
    score = adjusted_rand_score(made.labels[180:], found.predict(made.X[180:]))
    assert score > 0.15  # by weak features alone; k-means on the features has about 0.1


# --- the number of clusters ---


def test_number_of_clusters_is_chosen(made, forest):
    found = cf.ConceptClustering(forest=forest, random_state=0).fit(made.X, made.tags)
    assert 3 <= found.n_clusters_ <= 5
    assert found.cluster_count_.n_clusters == found.n_clusters_
    assert len(found.cluster_count_.votes) == 8
    assert 0 <= found.cluster_count_.confidence <= 1


def test_a_single_tree_has_no_halves_to_vote(made):
    forest = cf.HMLForest(1, layers=1, min_samples_leaf=20)
    found = cf.ConceptClustering(forest=forest, random_state=0).fit(made.X, made.tags)
    assert found.cluster_count_.votes == ()


def test_one_cluster(made, forest):
    found = cf.ConceptClustering(1, forest=forest).fit(made.X, made.tags)
    assert (found.labels_ == 0).all()
    assert (found.predict(made.X) == 0).all()


# --- graphs in pieces ---


def replace_graph(monkeypatch, graph):
    """Let every forest have the same graph."""
    monkeypatch.setattr(module, "neighbour_graph", lambda _: sparse.csr_array(graph))


def test_items_that_share_no_leaf_follow_the_visually_nearest(monkeypatch, made, forest):
    graph = neighbour_graph(forest.affinity()).toarray()
    alone = [3, 50, 200]
    graph[alone] = graph[:, alone] = 0
    replace_graph(monkeypatch, graph)
    found = by_forest(4, forest=forest, random_state=0).fit(made.X, made.tags)
    others = np.setdiff1d(np.arange(240), alone)
    for item in alone:
        nearest = others[np.linalg.norm(made.X[others] - made.X[item], axis=1).argmin()]
        assert found.labels_[item] == found.labels_[nearest]
        assert (found.embedding_[item] == 0).all()


def test_pieces_are_clusters(monkeypatch, made, forest):
    piece = np.arange(240) % 4
    replace_graph(monkeypatch, (piece[:, None] == piece) * 0.5 * (1 - np.eye(240)))
    found = by_forest(4, forest=forest, random_state=0).fit(made.X, made.tags)
    assert found.n_pieces_ == 4
    assert adjusted_rand_score(piece, found.labels_) == 1


def test_too_many_pieces_are_reported(monkeypatch, made, forest):
    piece = np.arange(240) % 10
    replace_graph(monkeypatch, (piece[:, None] == piece) * 0.5 * (1 - np.eye(240)))
    with pytest.warns(UserWarning, match="10 pieces, more than the 4 clusters"):
        found = by_forest(4, forest=forest, random_state=0).fit(made.X, made.tags)
    assert len(np.unique(found.labels_)) == 4
    assert all(len(set(found.labels_[piece == k])) == 1 for k in range(10))


def test_no_shared_leaf_at_all_is_refused(monkeypatch, made, forest):
    replace_graph(monkeypatch, np.zeros((240, 240)))
    with pytest.raises(ValueError, match="min_samples_leaf"):
        by_forest(4, forest=forest).fit(made.X, made.tags)


# --- summary ---


def test_summary_describes_each_cluster(clusters):
    summary = clusters.cluster_summary(top=3)
    assert summary["name"].tolist() == clusters.cluster_names_
    assert summary["size"].tolist() == np.bincount(clusters.labels_).tolist()
    assert summary["cohesion"].between(0, 1).all()
    for row in summary.itertuples():
        assert len(row.central) == 3
        assert (clusters.labels_[row.central] == row.cluster).all()
        assert len(row.tags) == len(row.lift) <= 3
        assert min(row.lift) > 1


def test_names_are_tags_of_the_concepts(clusters):
    concepts = {"beach", "city", "forest", "mountain", "seaside", "urban", "woodland", "alpine"}
    assert all(set(name.split(", ")) & concepts for name in clusters.cluster_names_)


# --- bad input ---


@pytest.mark.parametrize(
    ("options", "error", "match"),
    [
        ({"n_clusters": 0}, ValueError, "n_clusters must be at least 1"),
        ({"n_clusters": 2.5}, TypeError, "n_clusters must be a whole number"),
        ({"method": "forrest"}, ValueError, "Did you mean 'forest'"),
        ({"n_clusters": 241}, ValueError, "more than the 240 items"),
        ({"n_neighbors": 0}, ValueError, "n_neighbors"),
        ({"n_init": "many"}, TypeError, "n_init"),
        ({"forest": "oak"}, TypeError, "HMLForest"),
        ({"n_jobs": 0}, ValueError, "n_jobs must be a whole number other than 0"),
        ({"random_state": "seed"}, ValueError, "random_state must be a whole number"),
        ({"verbose": -1}, ValueError, "verbose must be at least 0"),
    ],
)
def test_bad_parameters(made, options, error, match):
    with pytest.raises(error, match=match):
        cf.ConceptClustering(**({"n_clusters": 4} | options)).fit(made.X, made.tags)


def test_a_forest_of_other_items_is_refused(made, forest):
    found = cf.ConceptClustering(4, forest=forest)
    with pytest.raises(ValueError, match="grown on 240 items"):
        found.fit(made.X[:200], made.tags[:200])
    with pytest.raises(ValueError, match="grown on other items"):
        found.fit(made.X[::-1], made.tags[::-1])
    with pytest.raises(ValueError, match="tags"):
        found.fit(made.X, [{"a"}] * 120 + [{"b"}] * 120)


def test_a_fit_that_fails_changes_nothing(made, forest):
    found = cf.ConceptClustering(4, forest=forest, random_state=0).fit(made.X, made.tags)
    labels = found.labels_
    with pytest.raises(ValueError, match="NaN"):
        found.fit(np.full_like(made.X, np.nan), made.tags)
    assert found.labels_ is labels
    assert found.predict(made.X[:2]).shape == (2,)


def test_predict_before_fit_is_refused(made):
    with pytest.raises(ValueError, match="not fitted"):
        cf.ConceptClustering(4).predict(made.X)


def test_paper_states_every_setting(made):
    paper = cf.ConceptClustering.paper(15)
    assert paper.n_clusters == 15
    assert (paper.n_neighbors, paper.n_init) == (20, 20)
    assert paper.forest.get_params() == cf.HMLForest.paper().get_params()
    assert paper.forest.bootstrap is False
    changed = cf.ConceptClustering.paper(4, forest=cf.HMLForest.paper(n_estimators=5, layers=1))
    assert changed.fit(made.X, made.tags).forest_.trees_.n_trees == 5
