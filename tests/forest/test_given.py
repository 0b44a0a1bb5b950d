"""The forest that other estimators work with."""

import numpy as np
import pytest

import conceptforest as cf
from conceptforest.datasets import make_tagged
from conceptforest.tags import hide_tags, parse_tags


@pytest.fixture(scope="module")
def made():
    return make_tagged(100, 3, random_state=0)


@pytest.mark.parametrize(
    "estimator",
    [cf.ConceptClustering(3), cf.TagCompletion(), cf.TagCompletion("cluster", n_clusters=3)],
)
def test_a_forest_that_saw_hidden_tags_is_reported(made, estimator):
    forest = cf.HMLForest(5, layers=1, random_state=0).fit(made.X, made.tags)
    hidden = hide_tags(parse_tags(made.tags), 0.5, random_state=0)
    with pytest.warns(UserWarning, match="grown on other tags"):
        estimator.set_params(forest=forest).fit(made.X, hidden)


def test_a_loaded_forest_does_not_know_its_tags(made, tmp_path):
    cf.HMLForest(5, layers=1, random_state=0).fit(made.X, made.tags).save(
        tmp_path / "f.safetensors"
    )
    forest = cf.load(tmp_path / "f.safetensors")
    found = cf.ConceptClustering(3, forest=forest).fit(made.X, made.tags)
    assert found.forest_ is forest


@pytest.mark.parametrize("method", ["affinity", "local", "cluster"])
def test_a_number_of_layers_gets_a_topic_for_each_cluster(made, method):
    completion = cf.TagCompletion(method, forest=cf.HMLForest(5, layers=2), n_clusters=3)
    completion.fit(made.X, made.tags)
    clusters = cf.ConceptClustering(3, forest=cf.HMLForest(5, layers=2)).fit(made.X, made.tags)
    assert completion.forest_.layers.n_topics == 3
    assert clusters.forest_.layers.n_topics == 3


def test_a_single_layer_stays(made):
    completion = cf.TagCompletion(forest=cf.HMLForest(5, layers=1), n_clusters=3)
    assert completion.fit(made.X, made.tags).forest_.layers == 1


def test_no_tags_are_refused_in_the_name_of_the_estimator(made):
    for estimator in (cf.HMLForest(), cf.ConceptClustering(3), cf.TagCompletion()):
        with pytest.raises(ValueError, match=type(estimator).__name__):
            estimator.fit(made.X, None)


def test_settings_of_its_own_stay(made):
    forest = cf.HMLForest(5, layers=1, random_state=7)
    found = cf.ConceptClustering(3, forest=forest, random_state=0, n_jobs=2).fit(made.X, made.tags)
    again = cf.HMLForest(5, layers=1, random_state=7).fit(made.X, made.tags)
    assert np.array_equal(found.forest_.leaves_, again.leaves_)
    assert found.forest_.n_jobs == 2
