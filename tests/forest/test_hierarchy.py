"""How a forest gets its layers: estimated, from a hierarchy, or as in the paper."""

import inspect
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import conceptforest as cf

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 5))
Y = RNG.random((90, 12)) < 0.12
Y[:, 0] |= X[:, 1] > 0
NAMES = [f"t{j:02}" for j in range(12)]
TAGS = [{NAMES[j] for j in np.flatnonzero(row)} for row in Y]
SMALL = {"n_topics": 2, "top": 1}


def fit(tags=TAGS, **params):
    return cf.HMLForest(**({"n_estimators": 4, "random_state": 0} | params)).fit(X, tags)


def columns(model):
    return [layer.tolist() for layer in model.layers_]


# Numbers of layers.


def test_two_layers_are_estimated_by_default(rng):
    assert cf.HMLForest().layers == 2
    tags = np.hstack([Y, rng.random((90, 100)) < 0.05])
    forest = fit(tags, random_state=3)
    assert len(forest.layers_) == 2
    assert columns(forest) == columns(fit(tags, random_state=3, layers=2))
    assert columns(fit(tags, layers=cf.TagHierarchy(2))) == columns(fit(tags, layers=2))


@pytest.mark.parametrize(
    ("tags", "n_layers"),
    [([{"a"}] * 30 + [set()] * 60, 1), ([{"a"}] * 30 + [{"b"}] * 60, 1),
     ([{"a", "c"}] * 30 + [{"b", "c"}] * 60, 2)],
    ids=["one tag", "two tags", "and one on all"],
)  # fmt: skip
@pytest.mark.parametrize("layers", [2, 5, 10**9])
def test_too_few_tags_give_fewer_layers(tags, n_layers, layers):
    forest = fit(tags, layers=layers)
    assert len(forest.layers_) == n_layers
    assert forest.leaves_.shape == (90, 4)


def test_layers_follow_the_forests_seed(rng):
    tags = rng.random((90, 150)) < 0.04
    one = fit(tags, layers=3, random_state=1)
    assert columns(one) == columns(fit(tags, layers=3, random_state=1, n_jobs=2))
    assert columns(one) != columns(fit(tags, layers=3, random_state=2))


# Hierarchies.


def test_a_hierarchy_to_fit_is_left_as_it_was():
    hierarchy = cf.TagHierarchy(3, **SMALL)
    forest = fit(layers=hierarchy)
    assert len(forest.layers_) == 3
    assert not hasattr(hierarchy, "layers_")
    assert hierarchy.random_state is None
    assert forest.layers is hierarchy


def test_a_hierarchys_own_seed_comes_first():
    params = {"n_topics": 6, "top": 1, "n_init": 1}
    own = cf.TagHierarchy(3, random_state=7, **params)
    expected = columns(cf.TagHierarchy(3, random_state=7, **params).fit(TAGS))
    for seed in range(4):
        assert columns(fit(layers=own, random_state=seed)) == expected
    found = {
        str(columns(fit(layers=cf.TagHierarchy(3, **params), random_state=s))) for s in range(9)
    }
    assert len(found) > 1


@pytest.mark.parametrize(
    "seed", [None, 0, np.random.RandomState(0)], ids=["forest's", "number", "state"]
)
def test_warm_starts_find_the_same_layers(seed):
    hierarchy = cf.TagHierarchy(3, n_topics=6, top=1, n_init=1, random_state=seed)
    forest = fit(layers=hierarchy, warm_start=True, random_state=None)
    layers = columns(forest)
    forest.set_params(n_estimators=7).fit(X, TAGS)
    assert columns(forest) == layers
    assert forest.trees_.n_trees == 7


def test_a_fitted_hierarchy_gives_its_layers_by_name(rng):
    order = rng.permutation(12)
    hierarchy = cf.TagHierarchy(3, random_state=0, **SMALL).fit(TAGS)
    other = cf.HMLForest(4, layers=hierarchy, random_state=0)
    tags = {NAMES[j]: Y[:, j].astype(int) for j in order}
    other.fit(X, pd.DataFrame(tags))
    assert other.vocabulary_ != hierarchy.vocabulary_
    for mine, its in zip(other.layers_, hierarchy.layers_, strict=True):
        assert {other.vocabulary_[j] for j in mine} == {hierarchy.vocabulary_[j] for j in its}


def test_tags_that_the_collection_lacks_are_ignored():
    tree = {"thing": {"t00": {"tool": {"t01": ["t02", "hammer"]}}}}
    hierarchy = cf.TagHierarchy.from_json(tree)
    forest = fit(layers=hierarchy, unlayered="drop")
    assert columns(forest) == [[0], [1], [2]]
    with pytest.raises(ValueError, match=r'9 of 12 tags are in no layer: .*unlayered="drop"'):
        fit(layers=hierarchy)


def test_a_hierarchy_of_other_tags_is_refused():
    with pytest.raises(ValueError, match="have no tag in common"):
        fit(layers=cf.TagHierarchy.from_paths(["animal|dog"]), unlayered="drop")


def test_a_clone_keeps_a_fitted_hierarchy():
    hierarchy = cf.TagHierarchy.from_paths(["|".join(NAMES[:3])])
    forest = fit(layers=hierarchy, unlayered="drop")
    copy = clone(forest)
    assert not hasattr(copy, "trees_")
    np.testing.assert_array_equal(copy.fit(X, TAGS).leaves_, forest.leaves_)
    assert columns(copy) == [[0], [1], [2]]
    assert not hasattr(clone(cf.HMLForest(layers=cf.TagHierarchy())).layers, "layers_")


def test_a_hierarchys_parameters_can_be_set_through_the_forest():
    forest = cf.HMLForest(layers=cf.TagHierarchy())
    assert forest.set_params(layers__n_topics=7).layers.n_topics == 7
    assert forest.get_params()["layers__top"] == 3


def test_bad_parameters_of_a_hierarchy():
    with pytest.raises(ValueError, match="n_topics must be at least 1 or None; got 0"):
        fit(layers=cf.TagHierarchy(n_topics=0))


def test_no_tags_to_estimate_from():
    for layers in (2, cf.TagHierarchy()):
        with pytest.raises(ValueError, match="No item carries a tag of any layer"):
            fit([set()] * 90, layers=layers)


# The paper's settings.

NOT_OF_THE_MODEL = {"warm_start", "n_jobs", "random_state", "verbose"}


def test_the_papers_settings_are_all_stated(monkeypatch):
    class Recorder(cf.HMLForest):
        def __init__(self, **stated):
            self.stated = stated

    parameters = set(inspect.signature(cf.HMLForest).parameters)
    assert set(Recorder.paper().stated) == parameters - NOT_OF_THE_MODEL
    expected = {
        "n_estimators": 1000, "min_samples_leaf": 3, "max_features": "sqrt", "layers": 2,
        "unlayered": "error", "correlation": True, "tag_weights": None, "bootstrap": False,
    }  # fmt: skip
    moved = dict.fromkeys(cf.HMLForest.__init__.__kwdefaults__, "moved")
    monkeypatch.setattr(cf.HMLForest.__init__, "__kwdefaults__", moved)
    monkeypatch.setattr(cf.Reading.__init__, "__defaults__", ("evidence", "base", "mean"))
    found = cf.HMLForest.paper().get_params(deep=False)
    reading = found.pop("reading")
    assert (reading.child_weights, reading.no_evidence, reading.scale) == ("count", "none", "layer")
    assert {k: v for k, v in found.items() if k not in NOT_OF_THE_MODEL} == expected


def test_changes_to_the_papers_settings():
    forest = cf.HMLForest.paper(n_estimators=3, layers=1, correlation=False, random_state=4)
    assert (forest.n_estimators, forest.layers, forest.correlation) == (3, 1, False)
    assert forest.min_samples_leaf == 3
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        np.testing.assert_array_equal(
            forest.fit(X, TAGS).leaves_,
            fit(n_estimators=3, layers=1, random_state=4).leaves_,
        )
    with pytest.raises(TypeError, match="unexpected keyword argument 'n_trees'"):
        cf.HMLForest.paper(n_trees=3)


def test_a_hierarchy_of_which_one_layer_is_left_is_reported():
    paths = [f"group {j % 3}|t{j:02d}" for j in range(12)]
    with pytest.warns(UserWarning, match="Only one of the 2 layers"):
        forest = fit(layers=cf.TagHierarchy.from_paths(paths))
    assert columns(forest) == [list(range(12))]


def test_a_table_of_parents_is_no_layers():
    table = pd.DataFrame({"tag": ["t00"], "parent": [None]})
    with pytest.raises(TypeError, match=r"TagHierarchy.from_parents\(table\)"):
        fit(layers=table)
