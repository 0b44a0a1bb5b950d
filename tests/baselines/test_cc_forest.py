"""The forest of joined sources as a clustering method: its limits, its sources, what is missing."""

import time

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score
from tests.ctrl_c import PATIENCE, CtrlC

import conceptforest as cf
from conceptforest.baselines import two_class_forest
from conceptforest.baselines.cc_forest import CCForest
from conceptforest.baselines.clust_rf import ClustRF


@pytest.fixture
def grown(monkeypatch):
    """Give what every forest was grown on, and its trees and leaves."""
    seen = []
    original = two_class_forest.grow_trees

    def watch(rows, layers, keys, **settings):
        trees, leaves = original(rows, layers, keys, **settings)
        seen.append((rows, trees, leaves))
        return trees, leaves

    monkeypatch.setattr(two_class_forest, "grow_trees", watch)
    return seen


@pytest.fixture
def collection(rng):
    """Four groups, two pairs to the eye; all items have tags of their groups."""
    group = np.arange(200) % 4
    X = rng.normal(size=(200, 20))
    X[:, :4] += 4 * (group // 2)[:, None]
    X[:, 4] += 4 * (group % 2)  # one column alone, which goes with no other
    tags = (rng.random((200, 8)) < np.kron(np.eye(4), [0.7, 0.7])[group]).astype(np.uint8)
    tags[~tags.any(axis=1), 0] = 1
    return X, tags, group


def assert_same_trees(one, other):
    for name in ("offsets", "feature", "threshold", "left", "count"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("normalise", [True, False])
@pytest.mark.parametrize("synthesis", ["marginals", "box"])
def test_vision_alone_grows_the_trees_of_clust_rf(collection, grown, synthesis, normalise):
    X, tags, _ = collection
    given = {"n_estimators": 50, "synthesis": synthesis, "random_state": 3}
    joint = CCForest(4, alpha_vision=1, normalise=normalise, **given).fit(X, tags)
    alone = ClustRF(4, mode="vision", **given).fit(X, tags)
    (rows, trees, leaves), (other_rows, other_trees, other_leaves) = grown
    np.testing.assert_array_equal(rows, other_rows)
    assert_same_trees(trees, other_trees)
    np.testing.assert_array_equal(leaves, other_leaves)
    np.testing.assert_array_equal(joint.labels_, alone.labels_)


@pytest.mark.parametrize("bootstrap", [True, False])
def test_tags_alone_grow_the_trees_of_flat_tags(collection, grown, monkeypatch, bootstrap):
    X, tags, _ = collection
    flat = cf.HMLForest(50, layers=1, bootstrap=bootstrap, random_state=3).fit(X, tags)
    monkeypatch.setattr(two_class_forest, "tree_keys", lambda *_: flat._tree_keys)
    CCForest(4, alpha_vision=0, normalise=False, n_estimators=50, bootstrap=bootstrap).fit(X, tags)
    ((rows, trees, leaves),) = grown
    assert rows is X  # nothing synthetic
    assert_same_trees(trees, flat.trees_)
    np.testing.assert_array_equal(leaves.T, flat.leaves_)


def test_tags_tell_which_columns_matter(collection):
    X, tags, group = collection
    scores = {
        alpha: adjusted_rand_score(
            group,
            CCForest(4, alpha_vision=alpha, n_estimators=300, random_state=0).fit_predict(X, tags),
        )
        for alpha in (0.5, 1.0)
    }
    assert scores[1.0] < 0.6
    assert scores[0.5] > 0.9


def test_untagged_items_are_no_group_of_their_own(rng):
    """Tags are missing where a feature is high; only FlatTags takes that for a sign."""
    group = np.arange(300) % 2
    X = rng.normal(size=(300, 6))
    X[:, 0] += 3 * group
    missing = X[:, 5] > 0.3
    tags = np.eye(2, dtype=int)[group] * ~missing[:, None]
    given = {"n_estimators": 200, "random_state": 0}
    labels = CCForest(2, alpha_vision=0.2, normalise=False, **given).fit_predict(X, tags)
    assert adjusted_rand_score(group, labels) > 0.6
    forest = cf.HMLForest(layers=1, bootstrap=True, **given)
    flat = cf.ConceptClustering(2, method="forest", forest=forest, random_state=0)
    assert (
        adjusted_rand_score(group, flat.fit_predict(X, tags))
        < adjusted_rand_score(group, labels) - 0.2
    )


def test_ctrl_c_stops_a_fit(rng):
    X, tags = rng.normal(size=(3000, 60)).astype(np.float32), rng.random((3000, 40)) < 0.1
    with CtrlC(0.5) as ctrl_c, pytest.raises(KeyboardInterrupt):
        CCForest(8, n_estimators=5000, n_jobs=2).fit(X, tags)
    assert time.monotonic() - ctrl_c.sent < PATIENCE


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("alpha_vision", -0.1, ValueError),
        ("alpha_vision", 1.01, ValueError),
        ("alpha_vision", float("nan"), ValueError),
        ("alpha_vision", "half", ValueError),
        ("alpha_vision", True, ValueError),
        ("normalise", 1, TypeError),
        ("bootstrap", "no", TypeError),
        ("synthesis", "uniform", ValueError),
        ("n_estimators", 0, ValueError),
        ("min_samples_leaf", 2.0, TypeError),
    ],
)
def test_bad_parameters_are_explained(name, value, error):
    with pytest.raises(error, match=f"{name} must be"):
        CCForest(2, **{name: value}).fit([[0.0], [1.0]], [{"a"}, {"b"}])
