"""Completion by clusters: the scores of the oracle, for any labelling."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.completion.small import as_sets, groups, small_forest, tag_matrices
from tests.oracle import completion_cluster as oracle
from tests.oracle import completion_keep

from conceptforest.completion import TagCompletion, cluster, cluster_scores, keep


@settings(max_examples=150, deadline=None)
@given(
    tags=tag_matrices(min_items=1),
    seed=st.integers(0, 1000),
    n_labels=st.integers(1, 5),
    n_scores=st.one_of(st.none(), st.integers(1, 5)),
)
def test_scores_equal_oracle(tags, seed, n_labels, n_scores):
    n, m = tags.shape
    labels = np.random.default_rng(seed).integers(-1, n_labels, size=n)
    sets = as_sets(tags)
    frequency = completion_keep.frequencies(sets, m)
    found = cluster_scores(labels, tags, n_scores)
    assert found.has_sorted_indices
    assert found.shape == tags.shape
    assert completion_keep.to_dicts(found) == [
        completion_keep.kept(row, own, frequency, n_scores)
        for row, own in zip(oracle.seen(labels.tolist(), sets, m), sets, strict=True)
    ]


@settings(max_examples=20, deadline=None)
@given(tags=tag_matrices(min_items=6), seed=st.integers(0, 1000))
def test_small_blocks_give_the_same(tags, seed):
    labels = np.random.default_rng(seed).integers(0, 2, size=len(tags))
    whole = cluster_scores(labels, tags, 2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(keep, "_CELLS", 4)
        in_blocks = cluster_scores(labels, tags, 2)
    np.testing.assert_array_equal(whole.toarray(), in_blocks.toarray())


def test_all_others_of_a_cluster_give_1():
    scores = cluster_scores([0, 0, 0, 1], [[0, 1], [1, 1], [1, 0], [0, 0]])
    assert scores[0, 0] == 1.0  # both others carry tag 0
    assert scores[2, 1] == 1.0
    assert scores[1, 0] == 0.5  # item 1 itself is left out
    assert scores.max() <= 1.0


def test_an_item_alone_in_its_cluster_has_no_scores():
    scores = cluster_scores([5, 0, 0], np.ones((3, 2), int))
    assert scores.toarray().tolist() == [[0, 0], [1, 1], [1, 1]]


@settings(max_examples=30, deadline=None)
@given(tags=tag_matrices(min_items=4), seed=st.integers(0, 1000))
def test_new_items_get_the_shares_of_the_whole_cluster(tags, seed):
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, size=len(tags))
    predicted = rng.choice(labels, size=5)

    class Clustering:
        labels_ = labels

        def predict(self, _):
            return predicted

    rule = cluster.ClusterRule(Clustering(), cluster.parse_tags(tags), verbose=False)
    expected = oracle.unseen(predicted, labels, as_sets(tags), tags.shape[1])
    found = rule.unseen(rule.place(np.zeros((5, 1))), slice(0, 5))
    np.testing.assert_array_equal(found.toarray(), expected)


def test_the_estimator_uses_the_clusters_of_its_forest():
    X, tags, _ = groups()
    found = TagCompletion("cluster", forest=small_forest(), n_clusters=4, random_state=0)
    found.fit(X, tags)
    assert found.clustering_.n_clusters_ == 4
    assert found.clustering_.forest_ is found.forest_
    labels = found.clustering_.labels_
    expected = cluster_scores(labels, tags)
    np.testing.assert_array_equal(found.scores_.toarray(), expected.toarray())
    sizes = np.bincount(labels)
    shares = np.array([tags[labels == c].sum(axis=0) / sizes[c] for c in range(4)])
    new = found.predict(X[:9])
    np.testing.assert_allclose(new.toarray(), shares[found.clustering_.predict(X[:9])], rtol=1e-15)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ([0, 1], r"labels has shape \(2,\), but there are 3 items"),
        ([[0], [1], [1]], "one label per item"),
        ([0.0, 1.0, 1.0], "cluster labels are whole numbers"),
        (["a", "b", "b"], "cluster labels are whole numbers"),
    ],
)
def test_labels_that_do_not_fit_are_refused(labels, message):
    with pytest.raises(ValueError, match=message):
        cluster_scores(labels, sparse.csr_array(np.eye(3, dtype=int)))
