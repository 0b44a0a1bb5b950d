"""Planted oddities are found and explained; clean collections raise few alarms."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import conceptforest as cf
from conceptforest.datasets import make_tagged
from conceptforest.structure import outliers as module
from conceptforest.structure.graph import neighbour_graph
from conceptforest.structure.outliers import outliers
from conceptforest.structure.visual_neighbours import nearest_items
from conceptforest.tags import parse_tags

CONCEPTS = ("beach", "forest", "city", "farm")


def pictures(seed=0, n=200):
    """Give features in four clear groups, their labels and tags: the concept's and a free one."""
    rng = np.random.default_rng(seed)
    labels = np.arange(n) % 4
    X = 3 * rng.normal(size=(4, 20))[labels] + rng.normal(size=(n, 20))
    free = rng.choice(["sunny", "people", "blue", "old"], size=n)
    tags = [{CONCEPTS[k], free[i]} for i, k in enumerate(labels)]
    return X, labels, tags


def graph_of(X, k=20):
    nearest, distances = nearest_items(X, X, k, metric="cosine", exclude_self=True)
    rows = np.repeat(np.arange(len(X)), k)
    affinity = np.maximum(0.01, 1 - distances.ravel())
    return neighbour_graph(
        sparse.csr_array((affinity, (rows, nearest.ravel())), shape=(len(X), len(X)))
    )


def test_clean_collections_raise_few_alarms():
    for seed in range(3):
        X, labels, tags = pictures(seed)
        assert len(outliers(graph_of(X), labels, parse_tags(tags))) <= 2


def test_a_clean_forest_raises_few_alarms():
    made = make_tagged(300, 4, random_state=0)
    forest = cf.HMLForest(100, layers=made.layers)
    found = cf.ConceptClustering(4, forest=forest, random_state=0).fit(made.X, made.tags)
    assert len(outliers(found.graph_, found.labels_, parse_tags(made.tags))) <= 6


def test_a_wrong_tag_is_found():
    X, labels, tags = pictures()
    tags[8], tags[21] = {"city", "sunny"}, {"beach"}  # a beach and a forest
    found = {outlier.item: outlier for outlier in outliers(graph_of(X), labels, parse_tags(tags))}
    assert {8, 21} <= set(found)
    assert len(found) <= 4
    assert found[21].reason.startswith("tagged 'beach', which none of its 20 nearest pictures")


def test_the_rarely_shared_tag_of_a_picture_is_not_blamed():
    X, labels, tags = pictures()
    tags[8] = {"city", "sunny"}
    found = outliers(graph_of(X), labels, parse_tags(tags))
    assert "'city'" in next(outlier.reason for outlier in found if outlier.item == 8)


def test_one_tag_that_fits_is_enough():
    X, labels, tags = pictures()
    tags[8] = {"city", "beach"}
    assert 8 not in [outlier.item for outlier in outliers(graph_of(X), labels, parse_tags(tags))]


def test_a_picture_that_its_cluster_agrees_with_is_no_outlier():
    X, labels, tags = pictures()
    tags[8] = {"city"}
    labels = labels.copy()
    labels[8] = CONCEPTS.index("city")
    assert 8 not in [outlier.item for outlier in outliers(graph_of(X), labels, parse_tags(tags))]


def test_a_picture_that_fits_nowhere_is_found():
    X, labels, _ = pictures()
    X[17] = np.random.default_rng(5).normal(size=20)
    found = outliers(graph_of(X), labels, parse_tags([set()] * len(X)))
    assert found[0].item == 17
    assert len(found) <= 3
    assert "its nearest pictures share" in found[0].reason
    assert "% of trees with it (typical: " in found[0].reason


def test_a_visual_graph_has_no_trees_to_speak_of():
    X, labels, _ = pictures()
    X[17] = np.random.default_rng(5).normal(size=20)
    given = graph_of(X), labels, parse_tags([set()] * len(X))
    by_trees, by_sight = outliers(*given), outliers(*given, visual=True)
    assert [(o.item, o.score) for o in by_trees] == [(o.item, o.score) for o in by_sight]
    assert by_sight[0].reason.startswith("it resembles its nearest pictures by ")
    assert "trees" not in by_sight[0].reason


def test_a_picture_without_neighbours_is_found():
    X, labels, tags = pictures()
    graph = graph_of(X).tolil()
    graph[5] = 0
    graph[:, 5] = 0
    found = outliers(graph.tocsr(), labels, parse_tags(tags))
    assert found[0].item == 5
    assert found[0].reason == "shares no tree's leaf with any other picture"
    assert np.isfinite(found[0].score)


def test_a_loose_group_is_no_crowd_of_outliers():
    near = np.kron(np.diag([0.5, 0.5, 0.5, 0.05]), np.ones((25, 25))) * (1 - np.eye(100))
    labels = np.repeat(np.arange(4), 25)
    assert outliers(sparse.csr_array(near), labels, parse_tags([{"a"}] * 100)) == []


def test_two_reasons_make_one_outlier():
    X, labels, tags = pictures()
    graph = graph_of(X)
    data = graph.data.copy()
    rows = np.repeat(np.arange(len(X)), np.diff(graph.indptr))
    data[(rows == 8) | (graph.indices == 8)] *= 0.05
    tags[8] = {"city"}
    faint = sparse.csr_array((data, graph.indices, graph.indptr), graph.shape)
    found = outliers(faint, labels, parse_tags(tags))
    assert [outlier.item for outlier in found].count(8) == 1
    assert found[0].item == 8
    assert "trees" in found[0].reason
    assert "; tagged 'city'" in found[0].reason


def test_scores_descend_and_top_cuts():
    X, labels, tags = pictures()
    for i, concept in ((8, "city"), (21, "beach"), (30, "farm"), (51, "forest")):
        tags[i] = {concept}
    found = outliers(graph_of(X), labels, parse_tags(tags))
    scores = [outlier.score for outlier in found]
    assert len(found) >= 4
    assert scores == sorted(scores, reverse=True)
    assert min(scores) > 3
    assert outliers(graph_of(X), labels, parse_tags(tags), top=2) == found[:2]


def test_names_that_would_break_a_line_are_escaped():
    X, labels, tags = pictures()
    tags = [{"two\nlines"} if "city" in own else own for own in tags]
    tags[8] = {"two\nlines"}
    found = outliers(graph_of(X), labels, parse_tags(tags))
    assert "tagged 'two\\nlines'" in next(o.reason for o in found if o.item == 8)


@settings(deadline=None, max_examples=50)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(0, 15), share=st.sampled_from([0, 0.3, 1.0]))
def test_neighbours_and_shared_tags_are_counted_right(seed, n, share):
    rng = np.random.default_rng(seed)
    dense = np.round(rng.uniform(size=(n, n)), 1) * (rng.uniform(size=(n, n)) < share)
    bits = rng.integers(0, 2, size=(n, 4))
    own = sparse.csr_array(bits.astype(np.float64))
    rows = np.repeat(np.arange(n), np.diff(own.indptr))
    nearest = module._nearest(sparse.csr_array(dense))
    shared = module._shared(nearest.joined, own, rows)
    limit = module._NEAREST
    for i in range(n):
        others = sorted((-dense[i, j], j) for j in range(n) if j != i and dense[i, j] > 0)[:limit]
        assert nearest.joined.toarray()[i].nonzero()[0].tolist() == sorted(j for _, j in others)
        total = -sum(a for a, _ in others)
        assert nearest.affinity[i] == pytest.approx(total / max(1, min(limit, n - 1)))
        expected = [sum(bits[j, t] for _, j in others) for t in bits[i].nonzero()[0]]
        assert shared[rows == i].tolist() == expected
    assert outliers(sparse.csr_array(dense), np.zeros(n, int), parse_tags(bits)) is not None


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"labels": [0, 1]}, ValueError, r"labels of shape \(2,\)"),
        ({"graph": sparse.csr_array((3, 2))}, ValueError, r"graph is of shape \(3, 2\)"),
        ({"tags": parse_tags([{"a"}])}, ValueError, "1 items have rows of tags"),
        ({"labels": [0.5, 1, 2]}, TypeError, "number of each item's cluster"),
        ({"graph": sparse.csr_array(np.full((3, 3), np.nan))}, ValueError, "NaN"),
        ({"top": -1}, ValueError, "top must be at least 0"),
    ],
)
def test_bad_input_is_explained(change, error, message):
    given = {"graph": sparse.eye_array(3).tocsr(), "labels": [0, 0, 1]}
    given |= {"tags": parse_tags([{"a"}] * 3)} | change
    with pytest.raises(error, match=message):
        outliers(given.pop("graph"), given.pop("labels"), given.pop("tags"), **given)
