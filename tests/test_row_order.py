"""Rows of X and of tags are matched by place; labels that contradict it are refused."""

import numpy as np
import pandas as pd
import pytest

import conceptforest as cf

X = pd.DataFrame(np.arange(12.0).reshape(6, 2), index=list("abcdef"))
TAGS = pd.DataFrame({"sea": [1, 1, 1, 0, 0, 0], "snow": [0, 0, 0, 1, 1, 1]}, index=list("abcdef"))


def forest():
    return cf.HMLForest(5, layers=1, min_samples_leaf=1, random_state=0)


@pytest.mark.parametrize(
    "estimator",
    [
        forest(),
        cf.ConceptClustering(2, forest=forest()),
        cf.TagCompletion(forest=forest()),
        cf.baselines.CLUSTERING["KMeans"](2),
    ],
)
def test_the_same_labels_in_another_order_are_refused(estimator):
    X.columns = X.columns.astype(str)
    with pytest.raises(ValueError, match=r"tags.loc\[X.index\]"):
        estimator.fit(X, TAGS[::-1])
    assert estimator.fit(X, TAGS[::-1].loc[X.index]).n_features_in_ == 2


def test_other_labels_say_nothing():
    X.columns = X.columns.astype(str)
    assert forest().fit(X, TAGS.reset_index(drop=True)).n_features_in_ == 2
    assert forest().fit(X.to_numpy(), TAGS[::-1]).n_features_in_ == 2


def test_collections_and_tags_are_shown_in_a_line():
    made = cf.datasets.make_trecvid_like(n_items=60, n_classes=3, n_tags=20, random_state=0)
    assert repr(made).endswith("60 items, 1,000 features, 20 tags, 3 classes>")
    assert repr(made.tags).startswith("<TagMatrix: 60 items, 20 tags, ")
