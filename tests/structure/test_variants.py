"""The variants of the paper's analysis, all by public parameters."""

import numpy as np
import pytest

import conceptforest as cf
from conceptforest.datasets import make_trecvid_like

FEW = {"n_estimators": 6}


@pytest.fixture(scope="module")
def made():
    return make_trecvid_like(n_items=150, n_classes=3, n_tags=24, random_state=0)


def cluster(made, forest):
    return cf.ConceptClustering.paper(3, forest=forest, random_state=0).fit(made.X, made.tags)


def splits_in(forest, layer):
    return int((forest.trees_.layer == layer).sum())


def test_full(made):
    found = cluster(made, cf.HMLForest.paper(layers=made.layers, **FEW))
    assert [len(layer) for layer in found.forest_.layers_] == [len(layer) for layer in made.layers]


def test_no_corr_judges_missing_items_as_negatives(made):
    full = cluster(made, cf.HMLForest.paper(layers=made.layers, **FEW)).forest_
    hard = cluster(made, cf.HMLForest.paper(layers=made.layers, correlation=False, **FEW)).forest_
    assert hard.missing_[0]["supported"] == 0 < full.missing_[0]["supported"]
    assert not np.array_equal(full.leaves_, hard.leaves_)


def test_flat_tags_have_one_layer(made):
    found = cluster(made, cf.HMLForest.paper(layers=1, **FEW)).forest_
    assert [len(layer) for layer in found.layers_] == [24]
    assert splits_in(found, 1) == 0 < splits_in(found, 0)


def test_most_specific_layer_alone(made):
    hierarchy = cf.TagHierarchy(2, n_topics=3, random_state=0).fit(made.tags)
    lowest = hierarchy.layers_[-1]
    forest = cf.HMLForest.paper(layers=[lowest], unlayered="drop", **FEW)
    found = cluster(made, forest).forest_
    assert len(found.layers_) == 1
    assert found.layers_[0].tolist() == lowest.tolist()


@pytest.mark.parametrize("n_layers", range(2, 8))
def test_two_to_seven_layers(made, n_layers):
    found = cluster(made, cf.HMLForest.paper(layers=n_layers, **FEW)).forest_
    assert 2 <= len(found.layers_) <= n_layers
    assert sorted(np.concatenate(found.layers_)) == list(range(24))


@pytest.mark.parametrize("leaf", [1, 2, 3, 5, 10, 20])
def test_leaf_sizes(made, leaf):
    forest = cf.HMLForest.paper(layers=1, min_samples_leaf=leaf, **FEW).fit(made.X, made.tags)
    sizes = [np.bincount(leaves) for leaves in forest.leaves_.T]
    assert min(size[size > 0].min() for size in sizes) >= leaf


def test_numbers_of_trees_are_parts_of_one_forest(made):
    large = cf.HMLForest.paper(layers=1, n_estimators=12, random_state=0).fit(made.X, made.tags)
    small = cf.HMLForest.paper(layers=1, n_estimators=5, random_state=0).fit(made.X, made.tags)
    part = large.affinity(dense=True, trees=slice(5))
    assert (part == small.affinity(dense=True)).all()


def test_completion_with_five_layers(made):
    rule = cf.TagCompletion.paper("local", random_state=0)
    assert rule.forest.layers == 5
    assert rule.forest.bootstrap is True
    rule.forest.set_params(**FEW)
    assert rule.fit(made.X, made.tags).scores_.shape == (150, 24)
