"""Completion by the clusters of any clustering method."""

import joblib
import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from conceptforest.baselines import CLUSTERING, COMPLETION
from conceptforest.baselines.cluster_completion import ByClusters, by_clusters
from conceptforest.baselines.contract import ClusteringBaseline
from conceptforest.completion.cluster import cluster_scores


class Halves(ClusteringBaseline):
    """A clustering method that has neither threads nor progress."""

    title, source, grade, extra, modes = "halves", "nobody", "structure", "vision", ("tags",)

    def __init__(self, n_clusters=2, *, mode="tags", swap=False, random_state=None):
        self.n_clusters, self.mode, self.swap = n_clusters, mode, swap
        self.random_state = random_state

    def _cluster(self, X, tags, seed):
        del tags, seed
        return (np.arange(len(X)) < len(X) // 3).astype(int) ^ self.swap


@pytest.fixture
def collection(rng):
    X = rng.normal(size=(90, 3))
    return X, sparse.csr_array((rng.random((90, 7)) < 0.2).astype(np.uint8))


def test_every_clustering_method_completes():
    found = {name.removesuffix("(GC)") for name, cls in COMPLETION.items() if is_made(cls)}
    assert found == set(CLUSTERING)
    for name, cls in CLUSTERING.items():
        made = COMPLETION[f"{name}(GC)"]
        assert made.title == f"{cls.title}(GC)"
        assert (made.grade, made.extra) == (cls.grade, cls.extra)
        assert made.source.startswith(cls.source)


def is_made(cls):
    return issubclass(cls, ByClusters)


def test_scores_are_those_of_the_product_s_rule(collection):
    X, tags = collection
    method = COMPLETION["KMeans(GC)"](9, n_scores=3, random_state=0).fit(X, tags)
    labels = method.clustering_.labels_
    assert len(np.unique(labels)) > 3
    expected = cluster_scores(labels, tags, 3).toarray()
    expected[tags.nonzero()] = 0
    np.testing.assert_allclose(method.scores_.toarray(), expected, rtol=1e-15)


def test_a_tag_of_all_others_of_the_cluster_scores_1():
    X = np.repeat([[0.0], [9.0]], 4, axis=0)
    tags = [{"sea"}, {"sea"}, {"sea"}, set(), {"snow"}, set(), set(), set()]
    method = COMPLETION["KMeans(GC)"](2, mode="vision", random_state=0).fit(X, tags)
    np.testing.assert_allclose(
        method.scores_.toarray(), [[0, 0]] * 3 + [[1, 0], [0, 0]] + [[0, 1 / 3]] * 3
    )


def test_an_item_alone_in_its_cluster_has_no_scores():
    X = np.array([[0.0], [0.1], [9.0]])
    method = COMPLETION["KMeans(GC)"](2, mode="vision", random_state=0)
    assert method.fit(X, [{"a"}, {"b"}, {"c"}]).scores_[[2]].nnz == 0


def test_new_items_join_the_nearest_and_are_counted_with_nobody():
    X = np.array([[0.0], [0.2], [9.0], [9.1]])
    method = COMPLETION["KMeans(GC)"](2, mode="vision", random_state=0)
    method.fit(X, [{"a"}, set(), {"b"}, {"a", "b"}])
    found = method.predict([[1.0], [8.0]]).toarray()
    np.testing.assert_allclose(found, [[0.5, 0], [0.5, 1]])
    # It holds only the items of the collection, whatever the new item is tagged with.
    np.testing.assert_array_equal(method.predict([[1.0], [8.0]], [{"b"}, {"a"}]).toarray(), found)


@pytest.mark.parametrize(("name", "mode"), [("KMeans", "concatenated"), ("SpClust", "balanced")])
def test_by_default_both_features_and_tags_count(name, mode, collection):
    made = COMPLETION[f"{name}(GC)"](4, random_state=3).fit(*collection)
    assert made.clustering_.mode == mode
    plain = CLUSTERING[name](4, mode=mode, random_state=made.clustering_.random_state)
    labels = plain.fit(*collection).labels_
    np.testing.assert_array_equal(made.clustering_.labels_, labels)


def test_parameters_reach_the_clustering_method(collection):
    made = COMPLETION["SpClust(GC)"](3, mode="tags", params={"affinity": "cosine"}, n_jobs=2)
    made.fit(*collection)
    inner = made.clustering_.get_params()
    assert inner["affinity"] == "cosine"
    assert (inner["n_clusters"], inner["mode"], inner["n_jobs"]) == (3, "tags", 2)


def test_a_method_without_threads_and_modes_to_choose_from(collection):
    made = by_clusters("Halves", Halves)(params={"swap": True}).fit(*collection)
    np.testing.assert_array_equal(made.clustering_.labels_, np.arange(90) < 30)
    assert made.extra == "vision"


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"n_int": 3}, ValueError, "key of params.*'n_init'.*got 'n_int'.*mean"),
        ({"n_clusters": 3}, ValueError, "key of params.*got 'n_clusters'"),
        (["n_init"], TypeError, "params must be a dict or None"),
    ],
)
def test_wrong_parameters_are_explained(params, error, message, collection):
    with pytest.raises(error, match=message):
        COMPLETION["KMeans(GC)"](params=params).fit(*collection)


def test_copies_and_files(collection, tmp_path):
    method = COMPLETION["KMeans(GC)"](4, params={"n_init": 2}, random_state=0).fit(*collection)
    assert type(clone(method)) is type(method)
    joblib.dump(method, tmp_path / "method")
    again = joblib.load(tmp_path / "method")
    assert type(again) is type(method)
    X = collection[0][:5]
    np.testing.assert_array_equal(again.predict(X).toarray(), method.predict(X).toarray())
