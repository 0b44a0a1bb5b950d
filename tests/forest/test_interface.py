"""The estimator's manners: parameters, seeds, warm starts, kinds of arrays, importances."""

import dataclasses
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import conceptforest as cf

RNG = np.random.default_rng(0)
X = np.round(RNG.normal(size=(80, 6)) * 8) / 8  # exact in every float type
Y = RNG.random((80, 5)) < 0.3
Y[:, 0] |= X[:, 2] > 0.5
Y[0] = False


def fit(features=X, tags=Y, **params):
    return cf.HMLForest(**({"n_estimators": 8, "random_state": 0} | params)).fit(features, tags)


def assert_same_forest(a, b):
    for field in dataclasses.fields(a.trees_):
        one, other = getattr(a.trees_, field.name), getattr(b.trees_, field.name)
        assert one.dtype == other.dtype
        assert one.tobytes() == other.tobytes(), field.name
    np.testing.assert_array_equal(a.leaves_, b.leaves_)
    one, other = a.affinity(n_neighbors=4), b.affinity(n_neighbors=4)
    np.testing.assert_array_equal(one.indices, other.indices)
    np.testing.assert_array_equal(one.data, other.data)


# Parameters.


def test_parameters_can_be_read_set_and_cloned():
    reading = cf.Reading(scale="mean")
    forest = cf.HMLForest(7, layers=[["a"], ["b"]], reading=reading, tag_weights=np.ones(2))
    params = forest.get_params()
    assert params["n_estimators"] == 7
    assert params["layers"] == [["a"], ["b"]]
    assert params["reading"] is reading
    assert forest.set_params(n_estimators=9, bootstrap=True) is forest
    copy = clone(forest)
    assert copy is not forest
    assert copy.n_estimators == 9
    assert copy.bootstrap is True
    assert copy.reading == reading
    assert not hasattr(copy, "trees_")


def test_a_clone_of_a_fitted_forest_grows_the_same_trees():
    forest = fit()
    assert_same_forest(forest, clone(forest).fit(X, Y))


def test_repr_names_what_is_not_default():
    forest = cf.HMLForest(7, reading=cf.Reading(scale="mean"), random_state=1)
    assert repr(cf.HMLForest()) == "HMLForest()"
    text = " ".join(repr(forest).split())
    assert text.startswith("HMLForest(n_estimators=7, random_state=1, reading=Reading(")
    assert "scale='mean'" in text


def test_only_the_number_of_trees_is_positional():
    with pytest.raises(TypeError, match="positional argument"):
        cf.HMLForest(7, 3)


def test_numpy_numbers_are_numbers():
    typed = fit(
        n_estimators=np.int64(8),
        min_samples_leaf=np.uint8(2),
        max_features=np.float32(0.5),
        bootstrap=np.bool_(True),
        correlation=np.True_,
        n_jobs=np.int32(1),
        random_state=np.int64(4),
        verbose=np.int8(0),
    )
    plain = fit(min_samples_leaf=2, max_features=0.5, bootstrap=True, random_state=4)
    assert_same_forest(typed, plain)
    assert typed.affinity(n_neighbors=np.int64(3)).nnz == plain.affinity(n_neighbors=3).nnz


def test_more_threads_than_any_machine_has():
    assert_same_forest(fit(n_jobs=2**40), fit(n_jobs=1))


@pytest.mark.parametrize(
    ("max_features", "same_as"),
    [("sqrt", 2), ("log2", 2), (0.5, 3), (None, 6), (1.0, 6), (0.01, 1)],
)
def test_max_features(max_features, same_as):
    assert_same_forest(fit(max_features=max_features), fit(max_features=same_as))


# Warm starts.


@pytest.mark.parametrize("bootstrap", [False, True])
@pytest.mark.parametrize("random_state", [0, None])
def test_warm_start_equals_a_cold_fit(bootstrap, random_state):
    forest = fit(n_estimators=3, warm_start=True, bootstrap=bootstrap, random_state=random_state)
    first = forest.leaves_
    for n in (4, 9):
        forest.set_params(n_estimators=n).fit(X, Y)
    np.testing.assert_array_equal(forest.leaves_[:, :3], first)
    assert forest.trees_.n_trees == 9
    if random_state is not None:
        assert_same_forest(forest, fit(n_estimators=9, bootstrap=bootstrap))
    for t in range(9):
        assert forest.in_bag(t).sum() == len(X)


def test_warm_start_without_new_trees_warns_and_changes_nothing():
    forest = fit(warm_start=True)
    with pytest.warns(UserWarning, match="n_estimators=8 adds no trees") as caught:
        forest.fit(X, Y)
    assert caught[0].filename == __file__
    assert_same_forest(forest, fit())


def test_warm_start_cannot_remove_trees():
    forest = fit(warm_start=True).set_params(n_estimators=7)
    with pytest.raises(ValueError, match="cannot remove trees: n_estimators=7, and there are 8"):
        forest.fit(X, Y)
    assert_same_forest(forest, fit())


@pytest.mark.parametrize(
    "changed",
    [{"X": X[:-1], "tags": Y[:-1]}, {"tags": Y[:, :-1]}, {"layers": [[0], [1, 2, 3, 4]]},
     {"bootstrap": True}],
    ids=["items", "tags", "layers", "bootstrap"],
)  # fmt: skip
def test_warm_start_on_another_collection(changed):
    forest = fit(warm_start=True)
    data = {"X": X, "tags": Y} | {k: changed.pop(k) for k in ("X", "tags") if k in changed}
    forest.set_params(n_estimators=10, **changed)
    with pytest.raises(
        ValueError,
        match="the number of items, the tag names, the layers or bootstrap are not those",
    ):
        forest.fit(**data)
    assert_same_forest(forest, fit())


def test_warm_start_on_other_features():
    forest = fit(warm_start=True).set_params(n_estimators=10)
    with pytest.raises(ValueError, match="X has 5 features, but HMLForest is expecting 6"):
        forest.fit(X[:, :5], Y)
    assert forest.n_features_in_ == 6
    assert_same_forest(forest, fit())


# Kinds of arrays.


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.longdouble, ">f8", ">f4"])
@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("bootstrap", [False, True])
def test_float_types_give_the_same_trees(dtype, order, bootstrap):
    features = np.asarray(X, dtype=dtype, order=order)
    forest = fit(features, bootstrap=bootstrap)
    assert_same_forest(forest, fit(bootstrap=bootstrap))
    np.testing.assert_array_equal(forest.apply(features), forest.apply(X))


@pytest.mark.parametrize(
    "dtype", [bool, np.int8, np.uint8, np.int16, np.int32, np.int64, np.uint64]
)
def test_whole_numbers_give_the_trees_of_their_floats(dtype):
    features = (np.abs(X) * 8).astype(dtype)
    forest = fit(features)
    assert_same_forest(forest, fit(features.astype(np.float64)))
    np.testing.assert_array_equal(forest.apply(features), forest.leaves_)


@pytest.mark.parametrize(
    "view",
    [
        lambda a: np.repeat(a, 2, axis=0)[::2],
        lambda a: np.repeat(a, 3, axis=1)[:, ::3],
        lambda a: a[::-1].copy()[::-1],
        lambda a: a.T.copy().T,
        lambda a: a.tolist(),
    ],
    ids=["rows", "columns", "reversed", "transposed", "list"],
)
def test_views_give_the_same_trees(view):
    forest = fit(view(X))
    assert_same_forest(forest, fit())
    np.testing.assert_array_equal(forest.apply(view(X)), forest.leaves_)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int16])
@pytest.mark.parametrize("order", ["C", "F"])
def test_a_read_only_memory_map_gives_the_same_trees(dtype, order, tmp_path):
    features = np.asarray(X * 8, dtype=dtype, order=order)
    np.save(tmp_path / "x.npy", features)
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    forest = fit(mapped)
    assert_same_forest(forest, fit(X * 8))
    np.testing.assert_array_equal(forest.apply(mapped), forest.leaves_)
    assert (mapped == X * 8).all()


def test_the_input_is_left_alone():
    features, tags = X.copy(), Y.copy()
    fit(features, tags, bootstrap=True)
    np.testing.assert_array_equal(features, X)
    np.testing.assert_array_equal(tags, Y)


def test_float64_values_that_float32_cannot_tell_apart_are_told_apart():
    value = 1.0 + np.arange(6)[:, None] * 2.0**-40
    assert len(np.unique(value.astype(np.float32))) == 1
    tags = np.arange(6)[:, None] >= 3
    forest = fit(value, tags, min_samples_leaf=1)
    assert forest.leaves_[:, 0].tolist() == [1, 1, 1, 2, 2, 2]
    assert forest.apply(value)[:, 0].tolist() == [1, 1, 1, 2, 2, 2]


def test_the_two_zeros_are_equal():
    value = np.array([[0.0], [-0.0], [0.0], [-0.0]])
    with pytest.warns(UserWarning, match="No tree could split"):
        forest = fit(value, [{"a"}, set(), {"a"}, set()], min_samples_leaf=1)
    assert (forest.leaves_ == 0).all()
    mixed = np.array([[-1.0], [-0.0], [0.0], [1.0]])
    forest = fit(mixed, [set(), {"a"}, {"a"}, {"a"}], min_samples_leaf=1)
    assert (forest.apply([[-0.0]]) == forest.apply([[0.0]])).all()


FLOATS = st.floats(allow_nan=False, allow_infinity=False)


@settings(deadline=None)
@given(
    start=FLOATS | st.sampled_from([0.0, -5e-324, 5e-324, 1.0, 1.7976931348623157e308]),
    dtype=st.sampled_from([np.float32, np.float64]),
)
def test_adjacent_floats_are_separated(start, dtype):
    with np.errstate(over="ignore"):
        low = dtype(start)
    if not np.isfinite(low) or low == np.finfo(dtype).max:
        low = dtype(1)
    high = np.nextafter(low, dtype(np.inf), dtype=dtype)
    features = np.array([[low], [high]])
    forest = fit(features, [{"a"}, set()], n_estimators=1, min_samples_leaf=1)
    assert forest.leaves_[:, 0].tolist() == [1, 2]
    assert forest.apply(features)[:, 0].tolist() == [1, 2]
    assert forest.trees_.count.tolist() == [2, 1, 1]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_cuts_between_extreme_values(dtype):
    most = np.finfo(dtype).max
    features = np.array([[-most], [-most], [most], [most]], dtype=dtype)
    forest = fit(features, [{"a"}, {"a"}, set(), set()], min_samples_leaf=1)
    assert np.isfinite(forest.trees_.threshold).all()
    assert forest.apply(features)[:, 0].tolist() == [1, 1, 2, 2]


# What the leaves are.


@pytest.mark.parametrize("bootstrap", [False, True])
def test_training_items_end_in_their_leaves(bootstrap):
    forest = fit(bootstrap=bootstrap)
    assert forest.leaves_.shape == (80, 8)
    assert forest.leaves_.dtype == np.int32
    np.testing.assert_array_equal(forest.apply(X), forest.leaves_)
    for t in range(8):
        tree = forest.trees_.tree(t)
        assert (tree.left[forest.leaves_[:, t]] == -1).all()


def test_without_bootstrap_every_item_is_in_every_bag():
    assert (fit().in_bag(2) == 1).all()


def test_bags_differ_by_tree_and_are_repeated_by_seed():
    forest, again = fit(bootstrap=True), fit(bootstrap=True)
    np.testing.assert_array_equal(forest.in_bag(3), again.in_bag(3))
    assert (forest.in_bag(3) != forest.in_bag(4)).any()
    assert forest.in_bag(3).sum() == 80
    assert forest.trees_.count[forest.trees_.offsets[3]] == 80


# Seeds.


def test_the_same_number_gives_the_same_forest():
    assert_same_forest(fit(random_state=11), fit(random_state=11))
    assert (fit(random_state=11).leaves_ != fit(random_state=12).leaves_).any()


def test_fitting_twice_begins_anew():
    forest = fit(random_state=11)
    first = forest.leaves_
    np.testing.assert_array_equal(forest.fit(X, Y).leaves_, first)


def test_no_seed_gives_another_forest_each_time():
    assert fit(random_state=None).seed_ != fit(random_state=None).seed_


def test_a_random_state_goes_on():
    state = np.random.RandomState(5)
    one, two = fit(random_state=state), fit(random_state=state)
    assert one.seed_ != two.seed_
    assert_same_forest(one, fit(random_state=np.random.RandomState(5)))
    assert_same_forest(one, fit(random_state=5))


# Names of features.


def test_a_table_names_its_features():
    names = list("abcdef")
    frame = pd.DataFrame(X, columns=names)
    forest = fit(frame)
    assert forest.feature_names_in_.tolist() == names
    assert_same_forest(forest, fit())
    np.testing.assert_array_equal(forest.apply(frame), forest.leaves_)
    with pytest.raises(ValueError, match="feature names should match those that were passed"):
        forest.apply(frame[names[::-1]])
    with pytest.warns(UserWarning, match="X does not have valid feature names, but HMLForest was"):
        forest.apply(X)
    with pytest.warns(UserWarning, match="X has feature names, but HMLForest was fitted without"):
        fit().apply(frame)


def test_a_polars_table_names_its_features():
    frame = pl.DataFrame(X, schema=list("abcdef"))
    forest = fit(frame)
    assert forest.feature_names_in_.tolist() == list("abcdef")
    assert_same_forest(forest, fit())


# Importances.


@pytest.mark.parametrize("layers", [1, [[0, 1], [2, 3, 4]]])
def test_importances_are_shares(layers):
    forest = fit(layers=layers)
    by_layer = forest.feature_importances_by_layer_
    assert by_layer.shape == (len(forest.layers_), 6)
    assert (by_layer >= 0).all()
    assert by_layer.sum() == pytest.approx(1)
    np.testing.assert_allclose(by_layer.sum(axis=0), forest.feature_importances_)


def test_the_informative_feature_is_the_most_important(rng):
    features = rng.normal(size=(200, 8))
    forest = fit(features, features[:, [5]] > 0, n_estimators=30)
    assert forest.feature_importances_.argmax() == 5
    assert forest.feature_importances_[5] > 0.5


def test_importances_by_layer_follow_the_layers_features(rng):
    features = rng.normal(size=(300, 2))
    tags = np.column_stack([features > 0, features <= 0])[:, [0, 2, 1, 3]]
    forest = fit(features, tags, layers=[[0, 1], [2, 3]], max_features=None, n_estimators=5)
    by_layer = forest.feature_importances_by_layer_
    assert by_layer[0].argmax() == 0
    assert by_layer[1].argmax() == 1
    assert by_layer[0, 1] == by_layer[1, 0] == 0


# Missing tags.


def test_missing_tags_are_reported():
    tags = [{"top", "low"}, {"top"}, {"low"}, set()]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        forest = fit([[0], [1], [2], [3]], tags, layers=[["top"], ["low"]])
    assert forest.missing_ == [
        {"missing": 0.5, "supported": 0.5},
        {"missing": 0.5, "supported": 0.0},
    ]


# Progress.


def test_verbose_shows_a_bar_on_stderr_only(capfd):
    fit(verbose=1, n_estimators=12).affinity()
    out, err = capfd.readouterr()
    assert out == ""
    assert "growing trees" in err
    assert "12/12" in err
    assert "finding neighbours" in err


def test_the_bar_of_neighbours_ends_full(capfd):
    fit(verbose=1).affinity()
    assert "80/80" in capfd.readouterr().err


def test_not_verbose_is_silent(capfd):
    fit().affinity()
    assert capfd.readouterr() == ("", "")
