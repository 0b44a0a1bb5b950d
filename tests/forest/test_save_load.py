"""A forest that was saved and loaded is the same forest, and can go on growing."""

import json
import os

import numpy as np
import pandas as pd
import pytest
from safetensors import safe_open
from sklearn.base import clone
from tests.forest.states import file_bytes

import conceptforest as cf
from conceptforest.forest.model_file import ModelFileError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 5))
Y = RNG.random((60, 4)) < 0.3
NAMES = ["sea", "boat", "Straße", "犬"]
TAGS = [{NAMES[j] for j in np.flatnonzero(row)} for row in Y]
LAYERS = [["sea", "犬"], ["Straße", "boat"]]


def fit(features=X, tags=TAGS, **params):
    return cf.HMLForest(**({"n_estimators": 6, "random_state": 0} | params)).fit(features, tags)


def reload(forest, folder):
    forest.save(folder / "forest.cf")
    return cf.load(folder / "forest.cf")


def edit(path, change):
    """Change the parameters in a model file and put its digests right again."""
    with safe_open(path, "np") as file:
        document = json.loads(file.metadata()["conceptforest"])
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    change(document["params"])
    path.write_bytes(file_bytes(document, tensors))


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"bootstrap": True},
        {"layers": LAYERS, "reading": cf.Reading("evidence", "base", "mean")},
        {"layers": [["sea"], ["boat"]], "unlayered": "drop", "correlation": False},
        {"tag_weights": "idf", "random_state": None},
        {"layers": 1},
        {"layers": cf.TagHierarchy(3, n_topics=1, top=1)},
        {"layers": cf.TagHierarchy.from_json({"sea": ["boat", "snow"]}), "unlayered": "drop"},
    ],
    ids=["plain", "bootstrap", "layers", "dropped", "idf", "flat", "estimated", "hierarchy"],
)
def test_answers_are_the_same_bit_for_bit(params, tmp_path):
    forest = fit(**params)
    loaded = reload(forest, tmp_path)
    new = np.random.default_rng(1).normal(size=(20, 5))
    assert loaded.apply(new).tobytes() == forest.apply(new).tobytes()
    assert loaded.leaves_.tobytes() == forest.leaves_.tobytes()
    for features in (None, new):
        one = forest.affinity(features, n_neighbors=3)
        other = loaded.affinity(features, n_neighbors=3)
        assert one.data.tobytes() == other.data.tobytes()
        assert one.indices.tobytes() == other.indices.tobytes()
        assert one.indptr.tobytes() == other.indptr.tobytes()
    for t in range(6):
        np.testing.assert_array_equal(loaded.in_bag(t), forest.in_bag(t))
    np.testing.assert_array_equal(loaded.feature_importances_, forest.feature_importances_)
    assert loaded.missing_ == forest.missing_
    assert loaded.vocabulary_ == forest.vocabulary_
    assert [a.tolist() for a in loaded.layers_] == [a.tolist() for a in forest.layers_]
    assert loaded.seed_ == forest.seed_
    assert loaded.n_features_in_ == 5


def test_parameters_are_the_same(tmp_path):
    forest = fit(
        min_samples_leaf=2,
        max_features=0.5,
        layers=LAYERS,
        unlayered="drop",
        correlation=False,
        tag_weights="idf",
        bootstrap=True,
        reading=cf.Reading("evidence", "negative", "tag"),
        n_jobs=1,
    )
    given, found = forest.get_params(), reload(forest, tmp_path).get_params()
    assert [set(layer) for layer in found.pop("layers")] == [set(a) for a in given.pop("layers")]
    assert found == given


def test_parameters_with_numpy_types_come_back_as_plain_ones(tmp_path):
    loaded = reload(
        fit(
            n_estimators=np.int64(6),
            max_features=np.float32(0.5),
            bootstrap=np.True_,
            random_state=np.int32(3),
            layers=np.int8(1),
            tag_weights=np.arange(4, dtype=np.float32),
        ),
        tmp_path,
    )
    params = loaded.get_params()
    plain = {k: params[k] for k in ("n_estimators", "max_features", "bootstrap", "random_state")}
    assert plain == {
        "n_estimators": 6, "max_features": 0.5, "bootstrap": True, "random_state": 3,
    }  # fmt: skip
    assert [type(v) for v in plain.values()] == [int, float, bool, int]
    assert params["layers"] == 1
    assert params["tag_weights"].tolist() == [0, 1, 2, 3]


def test_layers_given_as_numbers_come_back_as_names(tmp_path):
    loaded = reload(fit(X, Y, layers=[[0, 2], np.array([1, 3])]), tmp_path)
    assert loaded.layers == [["0", "2"], ["1", "3"]]
    np.testing.assert_array_equal(clone(loaded).fit(X, Y).leaves_, loaded.leaves_)


@pytest.mark.parametrize("layers", [1, 2, 7, np.int8(3)])
def test_a_number_of_layers_comes_back_as_the_number(layers, tmp_path):
    forest = fit(layers=layers, random_state=None)
    loaded = reload(forest, tmp_path)
    assert loaded.layers == layers
    assert type(loaded.layers) is int
    assert loaded.layers_[0].dtype == np.int32
    loaded.set_params(n_estimators=9, warm_start=True).fit(X, TAGS)  # the layers are found again
    np.testing.assert_array_equal(loaded.leaves_[:, :6], forest.leaves_)


@pytest.mark.parametrize(
    "hierarchy",
    [cf.TagHierarchy(3, n_topics=1, top=1), cf.TagHierarchy(3, n_topics=1, top=1).fit(TAGS)],
    ids=["to fit", "fitted"],
)
def test_a_hierarchy_comes_back_as_its_layers(hierarchy, tmp_path):
    forest = fit(layers=hierarchy, warm_start=True)
    assert len(forest.layers_) == 3
    loaded = reload(forest, tmp_path)
    assert loaded.layers == [[forest.vocabulary_[j] for j in layer] for layer in forest.layers_]
    forest.set_params(n_estimators=9).fit(X, TAGS)
    loaded.set_params(n_estimators=9).fit(X, TAGS)
    assert loaded.leaves_.tobytes() == forest.leaves_.tobytes()


def test_a_random_state_object_is_not_kept_but_the_seed_is(tmp_path):
    forest = fit(random_state=np.random.RandomState(4))
    loaded = reload(forest, tmp_path)
    assert loaded.random_state is None
    assert loaded.seed_ == forest.seed_


def test_feature_names_are_kept(tmp_path):
    frame = pd.DataFrame(X, columns=["red", "green", "blue", "größe", "犬"])
    loaded = reload(fit(frame), tmp_path)
    assert loaded.feature_names_in_.tolist() == frame.columns.tolist()
    np.testing.assert_array_equal(loaded.apply(frame), loaded.leaves_)
    with pytest.raises(ValueError, match="feature names should match"):
        loaded.apply(frame[frame.columns[::-1]])


@pytest.mark.parametrize("bootstrap", [False, True])
def test_a_loaded_forest_goes_on_growing(bootstrap, tmp_path):
    params = {"bootstrap": bootstrap, "layers": LAYERS, "warm_start": True, "random_state": None}
    forest = fit(**params)
    loaded = reload(forest, tmp_path)
    forest.set_params(n_estimators=11).fit(X, TAGS)
    loaded.set_params(n_estimators=11).fit(X, TAGS)
    assert loaded.leaves_.tobytes() == forest.leaves_.tobytes()
    assert loaded.trees_.threshold.tobytes() == forest.trees_.threshold.tobytes()
    again = reload(loaded, tmp_path)
    assert again.apply(X).tobytes() == forest.apply(X).tobytes()


def test_saving_again_gives_the_same_bytes(tmp_path):
    forest = fit(layers=LAYERS, tag_weights=[1, 2, 3, 0.5])
    forest.save(tmp_path / "a")
    cf.load(tmp_path / "a").save(tmp_path / "b")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_a_forest_that_cannot_be_saved_leaves_the_old_file(tmp_path):
    path = tmp_path / "forest.cf"
    fit().save(path)
    old = path.read_bytes()
    with pytest.raises(TypeError, match="n_estimators must be a whole number"):
        fit().set_params(n_estimators="many").save(path)
    with pytest.raises(ValueError, match="max_features must be"):
        fit().set_params(max_features=6).save(path)
    with pytest.raises(ValueError, match="layers must be at least 1; got 0"):
        fit().set_params(layers=0).save(path)
    with pytest.raises(TypeError, match="layers must be a whole number of at least 1; got True"):
        fit().set_params(layers=True).save(path)
    assert path.read_bytes() == old
    assert [entry.name for entry in tmp_path.iterdir()] == ["forest.cf"]


def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "forest.cf"
    fit().save(path)
    old = path.read_bytes()

    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", fail)
    with pytest.raises(OSError, match="No space left"):
        fit(random_state=1).save(path)
    assert path.read_bytes() == old
    assert [entry.name for entry in tmp_path.iterdir()] == ["forest.cf"]


def set_given(name, value):
    return lambda params: params["given"].update({name: value})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (set_given("n_trees", 5), "the parameters in this model file are not a forest's"),
        (lambda params: params["given"].pop("n_jobs"), "are not a forest's"),
        (lambda params: params.update(given=[1, 2]), "are not a forest's"),
        (lambda params: params.pop("given"), "are not a forest's"),
        (set_given("n_estimators", -3), "n_estimators must be at least 1; got -3"),
        (set_given("bootstrap", "yes"), "bootstrap must be True or False"),
        (set_given("max_features", [2]), "max_features must be"),
        (set_given("layers", 0), 'layers must be a number of layers or "explicit"; got 0'),
        (set_given("layers", True), "layers must be a number of layers"),
        (set_given("layers", 2.0), "layers must be a number of layers"),
        (set_given("layers", "all"), "layers must be a number of layers"),
        (set_given("layers", [["sea"]]), "layers must be a number of layers"),
        (set_given("tag_weights", "all"), "tag_weights must be None"),
        (set_given("tag_weights", [[1, 2], [3]]), "a parameter in this model file is bad"),
        (set_given("random_state", -1), "random_state must be a whole number"),
        (set_given("n_jobs", "all"), "n_jobs must be a whole number"),
        (set_given("reading", {"scale": "huge"}), r"Reading\.scale must be one of"),
        (set_given("reading", {"size": 1}), "unexpected keyword argument 'size'"),
        (set_given("reading", 5), "a parameter in this model file is bad"),
        (lambda params: params.update(missing=[]), "the record of missing tags"),
        (lambda params: params.update(missing=[{"missing": 2, "supported": 0}]), "missing tags"),
        (lambda params: params.update(missing=[{"missing": "x", "supported": 0}]), "missing tags"),
    ],
)  # fmt: skip
def test_edited_parameters_are_refused(change, message, tmp_path):
    path = tmp_path / "forest.cf"
    fit().save(path)
    edit(path, change)
    with pytest.raises(ModelFileError, match=message) as raised:
        cf.load(path)
    assert str(path) in str(raised.value)
