"""A forest that was grown on a table with named features serves other estimators without a word."""

import pandas as pd
import pytest

import conceptforest as cf
from conceptforest.datasets import make_tagged


@pytest.fixture(scope="module")
def table():
    made = make_tagged(80, 3, n_features=6, random_state=0)
    return pd.DataFrame(made.X, columns=list("abcdef")), made.tags


@pytest.mark.parametrize("method", ["affinity", "local", "cluster"])
def test_completion_by_a_forest_grown_on_a_table(table, method):
    X, tags = table
    forest = cf.HMLForest(5, layers=1, random_state=0).fit(X, tags)
    found = cf.TagCompletion(method, forest=forest, n_clusters=3).fit(X, tags)
    assert found.forest_ is forest
    assert found.feature_names_in_.tolist() == list("abcdef")
    assert found.predict(X.head(4)).shape == (4, len(forest.vocabulary_))


def test_clusters_by_a_forest_grown_on_a_table(table):
    X, tags = table
    forest = cf.HMLForest(5, layers=1, random_state=0).fit(X, tags)
    found = cf.ConceptClustering(3, forest=forest).fit(X, tags)
    assert found.predict(X.head(4)).shape == (4,)


def test_another_order_of_features_is_refused(table):
    X, tags = table
    found = cf.ConceptClustering(3, forest=cf.HMLForest(5, layers=1)).fit(X, tags)
    with pytest.raises(ValueError, match="order"):
        found.predict(X[list("fedcba")])
