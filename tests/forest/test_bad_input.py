"""Bad input is refused with a message that says what was given, what is allowed, what to do."""

import re

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError
from tests.memory import peak_growth

import conceptforest as cf

X = np.random.default_rng(0).normal(size=(12, 4))
TAGS = [{"sea"}, {"sea", "boat"}, {"snow"}, set()] * 3
N_TAGS = 3


def fit(features=X, tags=TAGS, **params):
    return cf.HMLForest(**({"n_estimators": 3, "random_state": 0} | params)).fit(features, tags)


# Features.


@pytest.mark.parametrize(
    ("bad", "message"),
    [(np.nan, "Input X contains NaN"), (np.inf, "Input X contains infinity")],
)
@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_values_that_are_not_finite(bad, message, dtype):
    features = X.astype(dtype)
    features[3, 2] = bad
    with pytest.raises(ValueError, match=message):
        fit(features)
    with pytest.raises(ValueError, match=message):
        fit().apply(features)
    with pytest.raises(ValueError, match=message):
        fit().affinity(features)


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (X[:, 0], "Expected 2D array, got 1D array"),
        (X[None], "Found array with dim 3"),
        (X[:0], "0 sample"),
        (X[:, :0], "0 feature"),
        (X[:1], "1 sample.* a minimum of 2 is required by HMLForest"),
        (np.full((12, 2), "red"), "(?i)convert"),
        ([["red", "blue"]] * 12, "(?i)convert"),
        (X + 1j, "Complex data not supported"),
    ],
    ids=["1-D", "3-D", "no items", "no features", "one item", "strings", "list", "complex"],
)
def test_features_of_the_wrong_form(features, message):
    with pytest.raises(ValueError, match=message):
        fit(features)


def test_sparse_features():
    with pytest.raises(TypeError, match=r"Sparse data was passed for X.*toarray"):
        fit(sparse.csr_array(X))


def test_one_item_can_be_asked_about():
    assert fit().apply(X[:1]).shape == (1, 3)


@pytest.mark.parametrize("d", [3, 5])
def test_another_number_of_features_than_in_the_fit(d):
    other = np.zeros((2, d))
    message = f"X has {d} features, but HMLForest is expecting 4 features"
    with pytest.raises(ValueError, match=message):
        fit().apply(other)
    with pytest.raises(ValueError, match=message):
        fit().affinity(other)


def test_constant_features_give_single_leaves_and_a_warning():
    with pytest.warns(UserWarning, match="No tree could split: every feature is constant"):
        forest = fit(np.ones((12, 4)))
    assert forest.trees_.feature.tolist() == [-1] * 3
    assert (forest.leaves_ == 0).all()
    assert (forest.affinity(dense=True) == 1).all()
    assert (forest.feature_importances_ == 0).all()


def test_leaves_larger_than_the_collection_give_single_leaves_and_a_warning():
    with pytest.warns(UserWarning, match=r"min_samples_leaf=10{20} is too large for 12 items"):
        forest = fit(min_samples_leaf=10**20)
    assert (forest.leaves_ == 0).all()


# Tags.


@pytest.mark.parametrize(
    "tags",
    [[set()] * 12, np.zeros((12, 3)), np.zeros((12, 0)), sparse.csr_array((12, 5))],
    ids=["empty sets", "zeros", "no columns", "sparse"],
)
def test_tags_on_no_item(tags):
    with pytest.raises(ValueError, match=r"No item carries a tag of any layer.*nothing to grow"):
        fit(tags=tags)


def test_layers_of_tags_on_no_item():
    tags = np.zeros((12, 2))
    tags[:5, 0] = 1
    with pytest.raises(ValueError, match="No item carries a tag of any layer"):
        fit(tags=tags, layers=[[1]], unlayered="drop")


@pytest.mark.parametrize("n", [11, 13])
def test_another_number_of_items_than_in_the_tags(n):
    with pytest.raises(ValueError, match=rf"X has 12 items but tags have {n}\."):
        fit(tags=np.ones((n, 2)))


def test_no_tags():
    with pytest.raises(ValueError, match=r"the target y is None.*HMLForest.fit"):
        fit(tags=None)


def test_tags_that_are_not_zero_or_one():
    with pytest.raises(ValueError, match=r"tags hold 0\.5 at item 0"):
        fit(tags=np.full((12, 2), 0.5))


MANY_TAGS = """
import numpy as np
from scipy import sparse
import conceptforest as cf

n, m = 300, 10**6
rng = np.random.default_rng(0)
tag = np.concatenate([rng.integers(0, 1000, n), rng.integers(0, m, 4 * n)])
tags = sparse.csr_array((np.ones(5 * n), (np.tile(np.arange(n), 5), tag)), shape=(n, m))
X = rng.normal(size=(n, 5))
"""


@pytest.mark.parametrize(
    "layers", ["1", "2", "[range(1000), range(1000, m)]"], ids=["flat", "estimated", "layered"]
)
def test_a_million_tags_on_few_items_take_little_memory(layers):
    grown = peak_growth(
        MANY_TAGS,
        f"""
        forest = cf.HMLForest(3, layers={layers}, random_state=0).fit(X, tags)
        assert forest.trees_.feature.max() >= 0
        assert len(forest.vocabulary_) == m
        """,
    )
    assert grown < 400e6  # a dense table of the items by the tags would take 300 MB a byte


# Parameters.

BAD_PARAMETERS = [
    ("n_estimators", 0, ValueError, "must be at least 1; got 0"),
    ("n_estimators", 2.0, TypeError, "must be a whole number of at least 1; got 2.0"),
    ("n_estimators", "many", TypeError, "must be a whole number of at least 1; got 'many'"),
    ("n_estimators", True, TypeError, "must be a whole number of at least 1; got True"),
    ("min_samples_leaf", 0, ValueError, "must be at least 1; got 0"),
    ("min_samples_leaf", 0.5, TypeError, "must be a whole number of at least 1; got 0.5"),
    ("min_samples_leaf", None, TypeError, "must be a whole number of at least 1; got None"),
    ("verbose", -1, ValueError, "must be at least 0; got -1"),
    ("verbose", "yes", TypeError, "must be a whole number of at least 0; got 'yes'"),
    ("unlayered", "ignore", ValueError, 'must be "error" or "drop"; got \'ignore\''),
    ("unlayered", None, ValueError, 'must be "error" or "drop"; got None'),
    ("correlation", 1, TypeError, "must be True or False; got 1"),
    ("bootstrap", "yes", TypeError, "must be True or False; got 'yes'"),
    ("warm_start", None, TypeError, "must be True or False; got None"),
    ("reading", "count", TypeError, "must be a conceptforest.Reading or None; got str"),
    ("n_jobs", 0, ValueError, "must be a whole number other than 0, or None; got 0"),
    ("n_jobs", "all", TypeError, "must be a whole number other than 0, or None; got 'all'"),
    ("n_jobs", 2.5, TypeError, "must be a whole number other than 0, or None; got 2.5"),
    ("random_state", "x", ValueError, "must be a whole number from 0 to 2**32 - 1, a numpy Random"),
    ("random_state", -1, ValueError, "RandomState or None; got -1"),
    ("random_state", 2**32, ValueError, f"RandomState or None; got {2**32}"),
    ("random_state", 1.5, ValueError, "RandomState or None; got 1.5"),
    ("tag_weights", "tfidf", ValueError, "must be None, \"idf\" or an array; got 'tfidf'"),
    ("tag_weights", 2.0, ValueError, "must hold one number for each of the 3 tags; got an array"),
    ("tag_weights", [1, 2], ValueError, "of shape (2,)"),
    ("tag_weights", [[1, 2, 3]], ValueError, "of shape (1, 3)"),
    ("tag_weights", ["a", "b", "c"], ValueError, "and dtype <U1"),
    ("tag_weights", [1, -2, 0], ValueError, "0 or from 1e-100 to 1e+100; got -2 for tag 'sea'"),
    ("tag_weights", [1, 1, np.nan], ValueError, "got nan for tag 'snow'"),
    ("tag_weights", [np.inf, 1, 1], ValueError, "got inf for tag 'boat'"),
    ("tag_weights", [5e-324, 1, 1], ValueError, "got 4.94066e-324 for tag 'boat'"),
    ("tag_weights", [0, 0, 0], ValueError, "are all 0, so no split has a gain; give some tag"),
    ("layers", 0, ValueError, "0 is not a number of layers. Give 2 or more to estimate as many"),
    ("layers", -3, ValueError, "-3 is not a number of layers"),
    ("layers", True, TypeError, "of type bool. Give a list of layers"),
    ("layers", cf.TagHierarchy, TypeError, "of type type. Give a list of layers"),
    ("layers", "sea", TypeError, "Give a list of layers from abstract to specific"),
    ("layers", None, TypeError, "of type NoneType. Give a list of layers"),
    ("layers", [], ValueError, "is empty. Give at least one layer"),
    ("layers", {"sea": 1}, TypeError, "Give a list of layers from abstract to specific"),
    ("layers", 1.0, TypeError, "of type float. Give a list of layers"),
]


@pytest.mark.parametrize(
    ("name", "value", "error", "message"),
    BAD_PARAMETERS,
    ids=[f"{name}={value!r}" for name, value, _, _ in BAD_PARAMETERS],
)
def test_bad_parameters(name, value, error, message):
    with pytest.raises(error, match=re.escape(message)) as raised:
        fit(**{name: value})
    assert name in str(raised.value)


@pytest.mark.parametrize(
    "value", [0, 5, -1, 0.0, 1.5, -0.1, np.nan, "auto", True, False, [2]], ids=repr
)
def test_bad_max_features(value):
    with pytest.raises(
        ValueError, match=r'max_features must be "sqrt", "log2", a whole number'
    ) as e:
        fit(max_features=value)
    assert f"(4), a share in (0, 1], or None; got {value!r}." in str(e.value)


@pytest.mark.parametrize(
    ("field", "value"),
    [("child_weights", "mass"), ("no_evidence", None), ("scale", "Layer"), ("scale", [])],
)
def test_bad_reading(field, value):
    message = rf"Reading\.{field} must be one of '.*; got {re.escape(repr(value))}\."
    with pytest.raises(ValueError, match=message):
        cf.Reading(**{field: value})


def test_unknown_parameter():
    with pytest.raises(TypeError, match="unexpected keyword argument 'n_trees'"):
        cf.HMLForest(n_trees=3)
    with pytest.raises(ValueError, match="Invalid parameter 'n_trees' for estimator HMLForest"):
        cf.HMLForest().set_params(n_trees=3)


# Layers.


@pytest.mark.parametrize(
    ("layers", "message"),
    [
        ([["sea", "snow"], ["boats"]], r"Layer 2 has the tag 'boats'.*Did you mean 'boat'\?"),
        ([["sea", "snow"], ["boat", "sea"]], "'sea' is in layer 1 and in layer 2"),
        ([["sea"], ["boat"]], r"1 of 3 tags are in no layer: 'snow'.*unlayered=\"drop\""),
        ([["sea", "snow", "boat"], []], "Layer 2 is empty"),
        ([[0, 1], [3]], "column number 3; column numbers are 0 to 2"),
    ],
    ids=["unknown", "overlapping", "unlayered", "empty", "number"],
)
def test_bad_layers(layers, message):
    with pytest.raises(ValueError, match=message):
        fit(layers=layers)


def test_unlayered_tags_can_be_dropped():
    forest = fit(layers=[["sea"], ["boat"]], unlayered="drop")
    assert [layer.tolist() for layer in forest.layers_] == [[1], [0]]
    without = fit(tags=[tags - {"snow"} for tags in TAGS], layers=[["sea"], ["boat"]])
    np.testing.assert_array_equal(forest.leaves_, without.leaves_)


# Before a fit, and after one that failed.


@pytest.mark.parametrize(
    "ask",
    [
        lambda forest: forest.apply(X),
        lambda forest: forest.affinity(),
        lambda forest: forest.in_bag(0),
        lambda forest: forest.leaves_,
        lambda forest: forest.feature_importances_,
        lambda forest: forest.save("never-written"),
    ],
    ids=["apply", "affinity", "in_bag", "leaves_", "feature_importances_", "save"],
)
def test_not_fitted(ask):
    with pytest.raises(NotFittedError, match="This HMLForest instance is not fitted yet"):
        ask(cf.HMLForest())


def test_not_fitted_after_a_fit_that_failed():
    forest = cf.HMLForest(n_estimators=3)
    with pytest.raises(ValueError, match="No item carries a tag"):
        forest.fit(X, np.zeros((12, 2)))
    assert not hasattr(forest, "n_features_in_")
    with pytest.raises(NotFittedError, match="not fitted yet"):
        forest.apply(X)


def test_a_fit_that_failed_leaves_the_last_one_as_it_was():
    forest = fit()
    leaves, seed = forest.leaves_, forest.seed_
    with pytest.raises(ValueError, match="X has 12 items but tags have 5"):
        forest.set_params(random_state=5).fit(X[:, :2], TAGS[:5])
    assert forest.n_features_in_ == 4
    assert forest.seed_ == seed
    np.testing.assert_array_equal(forest.apply(X), leaves)


@pytest.mark.parametrize("tree", [3, -1])
def test_bag_of_a_tree_that_is_not_there(tree):
    with pytest.raises(ValueError, match=rf"tree must be .*; got {tree}\."):
        fit(bootstrap=True).in_bag(tree)
