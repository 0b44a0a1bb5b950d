"""What every estimator of ours keeps to: parameters, errors, seeds, threads, failed fits."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from tests.completion.small import METHODS, PAPER, groups, small_forest

import conceptforest as cf
from conceptforest.completion import TagCompletion, tag_completion


def fit(method="affinity", n_items=120, **params):
    X, tags, _ = groups(n_items)
    params = {"forest": small_forest(), "n_clusters": 4, "random_state": 0} | params
    return TagCompletion(method, **params).fit(X, tags)


def assert_same(one, other):
    np.testing.assert_array_equal(one.indptr, other.indptr)
    np.testing.assert_array_equal(one.indices, other.indices)
    assert one.data.tobytes() == other.data.tobytes()


@pytest.mark.parametrize("method", METHODS)
def test_hidden_tags_are_found(method):
    X, observed, full = groups(200)
    found = TagCompletion(method, forest=small_forest(60), n_clusters=4, random_state=0)
    table = found.fit(X, observed).suggest(1)
    hits = full[table["item"], table["tag"].astype(int)]
    assert hits[(full - observed).sum(axis=1)[table["item"]] > 0].mean() > 0.9


@pytest.mark.parametrize("method", METHODS)
def test_scores_are_a_sparse_matrix_of_the_contract(method):
    found = fit(method, n_scores=3)
    _, tags, _ = groups()
    scores = found.scores_
    assert isinstance(scores, sparse.csr_array)
    assert scores.shape == tags.shape
    assert scores.dtype == np.float64
    assert scores.has_canonical_format
    assert (scores.data > 0).all()
    assert (scores.data <= 1 + 1e-6).all()
    lacking = (scores.toarray() > 0) & (tags == 0)
    assert lacking.sum(axis=1).max() == 3
    every = fit(method, n_scores=None).scores_.toarray()
    had = tags == 1
    np.testing.assert_array_equal(scores.toarray()[had], every[had])
    np.testing.assert_array_equal(scores.toarray()[lacking], every[lacking])


@pytest.mark.parametrize("method", METHODS)
def test_a_tag_that_nobody_else_has_scores_0(method):
    X, tags, _ = groups()
    tags = np.column_stack([tags, np.zeros(120, int)])
    tags[5, 12] = 1
    params = {"forest": small_forest(), "n_clusters": 4, "random_state": 0}
    found = TagCompletion(method, **params).fit(X, tags)
    assert found.scores_[5, 12] == 0


@pytest.mark.parametrize("calibrate", [False, True])
@pytest.mark.parametrize("method", METHODS)
def test_the_same_seed_gives_the_same_bits_for_any_number_of_threads(method, calibrate):
    X, tags, _ = groups(seed=1)
    one, other = (fit(method, n_jobs=n, calibrate=calibrate) for n in (1, 3))
    assert_same(one.scores_, other.scores_)
    assert_same(one.predict(X, tags), other.predict(X, tags))
    assert one.suggest(2).equals(other.suggest(2))


def test_another_seed_gives_other_scores():
    one, other = (fit(random_state=seed).scores_ for seed in (0, 1))
    assert one.nnz != other.nnz or (one != other).nnz > 0


@pytest.mark.parametrize("method", METHODS)
def test_a_grown_forest_is_used_as_it_is(method):
    X, tags, _ = groups()
    forest = small_forest(random_state=0).fit(X, tags)
    assert fit(method, forest=forest).forest_ is forest


def test_a_forest_that_is_not_grown_is_copied():
    forest = small_forest()
    found = fit(forest=forest)
    assert not hasattr(forest, "trees_")
    assert found.forest_ is not forest
    assert found.forest_.n_estimators == forest.n_estimators
    again = fit(forest=small_forest())
    assert_same(found.scores_, again.scores_)  # its seed came from ours


def test_a_forest_of_other_items_is_refused():
    X, tags, _ = groups()
    forest = small_forest().fit(X + 1.5, tags)
    with pytest.raises(ValueError, match="grown on other items"):
        fit(forest=forest)
    with pytest.raises(ValueError, match="grown on 60 items"):
        fit(forest=small_forest().fit(X[:60], tags[:60]))


def test_without_a_forest_one_is_grown_with_bootstrap(monkeypatch):
    grown = {}

    def grow(forest, X, tags, **params):
        grown["bootstrap"] = forest.bootstrap
        return small_forest(3, random_state=params["seed"]).fit(X, tags)

    monkeypatch.setattr(tag_completion, "grown_forest", grow)
    fit(forest=None)
    assert grown == {"bootstrap": True}


def test_names_of_tags_and_features_are_kept():
    X, tags, _ = groups()
    frame = pd.DataFrame(X, columns=list("abcdef"))
    names = pd.DataFrame(tags, columns=[f"tag {j}" for j in range(12)])
    found = TagCompletion(forest=small_forest(), random_state=0).fit(frame, names)
    assert found.vocabulary_ == tuple(names.columns)
    assert found.feature_names_in_.tolist() == list("abcdef")
    assert set(found.suggest(1)["tag"]) <= set(names.columns)
    assert found.predict(frame[:4]).shape == (4, 12)


@pytest.mark.parametrize("method", PAPER)
def test_the_paper_settings_are_stated(method):
    found = TagCompletion.paper(method, random_state=3)
    assert found.method == method
    assert found.forest.bootstrap
    assert (found.forest.layers, found.forest.n_estimators) == (5, 1000)
    assert (found.n_neighbors, found.random_state) == (20, 3)
    assert TagCompletion.paper(layers=2, n_neighbors=7).forest.layers == 2
    assert TagCompletion.paper(layers=2, n_neighbors=7).n_neighbors == 7


def test_what_is_not_the_papers_is_not_called_so():
    with pytest.raises(ValueError, match="is not the paper's"):
        TagCompletion.paper("joint")


@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"method": "AM"}, ValueError, r"got 'AM'. Did you mean 'affinity'\?"),
        ({"method": "LN"}, ValueError, r"Did you mean 'local'\?"),
        ({"method": "gc"}, ValueError, r"Did you mean 'cluster'\?"),
        ({"method": "afinity"}, ValueError, r"Did you mean 'affinity'\?"),
        (
            {"method": None},
            ValueError,
            r'must be "joint", "affinity", "local" or "cluster"; got None',
        ),
        ({"forest": "big"}, TypeError, r"forest is of type str; give a conceptforest.HMLForest"),
        ({"forest": cf.HMLForest}, TypeError, "forest is of type"),
        ({"n_neighbors": 0}, ValueError, "n_neighbors must be at least 1; got 0"),
        ({"n_neighbors": 2.5}, TypeError, "n_neighbors must be a whole number"),
        ({"n_scores": 0}, ValueError, "n_scores must be at least 1; got 0"),
        ({"n_scores": True}, TypeError, "n_scores must be a whole number"),
        ({"n_clusters": 0}, ValueError, "n_clusters must be at least 1"),
        ({"calibrate": "yes"}, TypeError, "calibrate must be True, False or the calibration_"),
        ({"verbose": -1}, ValueError, "verbose must be at least 0"),
        ({"n_jobs": 0}, ValueError, "n_jobs must be a whole number other than 0"),
        ({"random_state": "x"}, ValueError, "random_state must be"),
    ],
)
def test_wrong_parameters_are_refused(params, error, message):
    params = {"method": "affinity"} | params
    with pytest.raises(error, match=message):
        fit(**params)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        (lambda X, _: (X, None), ValueError, "tags"),
        (lambda X, Y: (X, Y[:5]), ValueError, "X has 120 items but tags have 5"),
        (lambda X, Y: (X * np.nan, Y), ValueError, "NaN"),
        (lambda X, Y: (X[:, 0], Y), ValueError, "2D"),
        (lambda X, Y: (X, Y * 0), ValueError, "No item carries a tag"),
        (lambda X, Y: (X, Y * 0.5), ValueError, "0.5"),
    ],
)
def test_wrong_collections_are_refused(change, error, message):
    X, tags, _ = groups()
    with pytest.raises(error, match=message):
        TagCompletion(forest=small_forest(3)).fit(*change(X, tags))


@pytest.mark.parametrize("ask", ["suggest", "predict"])
def test_nothing_can_be_asked_before_a_fit(ask):
    found = TagCompletion()
    with pytest.raises(NotFittedError, match="not fitted yet"):
        found.suggest() if ask == "suggest" else found.predict([[0.0]])


@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_a_fit_that_fails_leaves_the_last_one(error, monkeypatch):
    X, tags, _ = groups()
    found = fit("cluster", calibrate=True)
    before, table = dict(vars(found)), found.suggest(2)

    def fail(*_, **__):
        raise error

    monkeypatch.setattr(tag_completion, "calibrate", fail)  # the last step of a fit
    found.set_params(random_state=5)
    with pytest.raises(error):
        found.fit(X[:80, :3], tags[:80])
    found.set_params(random_state=0)
    assert vars(found) == before
    assert found.suggest(2).equals(table)


def test_a_first_fit_that_fails_leaves_nothing():
    found = TagCompletion(forest=small_forest(3))
    before = dict(vars(found))
    with pytest.raises(ValueError, match="NaN"):
        found.fit([[0.0], [np.nan]], [{"a"}, {"b"}])
    assert vars(found) == before


def test_clone_and_parameters_of_the_forest():
    found = TagCompletion("local", forest=small_forest(7), n_scores=3)
    copy = clone(found).set_params(forest__n_estimators=9)
    assert (copy.method, copy.n_scores, copy.forest.n_estimators) == ("local", 3, 9)
    assert found.forest.n_estimators == 7


@pytest.mark.parametrize("method", METHODS)
def test_few_items_are_enough(method):
    X = [[0.0], [0.1], [1.0], [1.1]]
    tags = [{"a"}, {"a", "b"}, {"c"}, set()]
    forest = small_forest(9, min_samples_leaf=1)
    found = TagCompletion(method, forest=forest, n_clusters=2, random_state=0).fit(X, tags)
    assert found.scores_.shape == (4, 3)
    assert found.predict([[0.05]], [{"a"}]).shape == (1, 3)
    assert set(found.suggest()["item"]) <= {0, 1, 2, 3}


@pytest.mark.parametrize("method", METHODS)
def test_verbose_shows_progress(method, capsys):
    found = fit(method, verbose=1)
    found.predict(groups()[0])
    shown = capsys.readouterr()
    assert "scoring tags" in shown.err
    assert shown.out == ""
