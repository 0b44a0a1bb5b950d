"""Completion by affinity: the scores of the oracle, for items seen and new."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.completion.small import as_sets, groups, grow, small_forest, tag_matrices
from tests.oracle import completion_affinity as oracle
from tests.oracle import completion_keep

from conceptforest.completion import TagCompletion


def shared_leaves(affinity, n_trees):
    return [
        {item: round(value * n_trees) for item, value in row.items()}
        for row in completion_keep.to_dicts(affinity)
    ]


@settings(max_examples=40, deadline=None)
@given(
    tags=tag_matrices(),
    n_neighbors=st.integers(1, 16),
    n_scores=st.one_of(st.none(), st.integers(1, 5)),
    seed=st.integers(0, 1000),
)
def test_scores_equal_oracle(tags, n_neighbors, n_scores, seed):
    n, m = tags.shape
    rng = np.random.default_rng(seed)
    X, X_new = rng.normal(size=(n, 2)), rng.normal(size=(4, 2))
    forest = grow(X, tags, n_estimators=7, random_state=seed)
    found = TagCompletion(
        "affinity", forest=forest, n_neighbors=n_neighbors, n_scores=n_scores
    ).fit(X, tags)
    sets = as_sets(tags)
    frequency = completion_keep.frequencies(sets, m)
    near = shared_leaves(forest.affinity(n_neighbors=n_neighbors), 7)
    assert all(i not in row for i, row in enumerate(near))  # no item votes for itself
    rows = oracle.scores(near, sets, m, 7, min(n_neighbors, n - 1))
    assert completion_keep.to_dicts(found.scores_) == [
        pytest.approx(completion_keep.kept(row, own, frequency, n_scores), rel=1e-12)
        for row, own in zip(rows, sets, strict=True)
    ]
    near = shared_leaves(forest.affinity(X_new, n_neighbors=n_neighbors), 7)
    rows = oracle.scores(near, sets, m, 7, min(n_neighbors, n))
    assert completion_keep.to_dicts(found.predict(X_new)) == [
        pytest.approx(completion_keep.kept(row, set(), frequency, n_scores), rel=1e-12)
        for row in rows
    ]


def test_neighbours_that_all_agree_in_all_trees_give_exactly_1():
    X = np.repeat([[0.0], [1.0]], 6, axis=0)
    tags = np.repeat([[1, 0], [0, 1]], 6, axis=0)
    forest = small_forest(7, max_features=None, min_samples_leaf=1)
    tags[0, 0] = 0
    found = TagCompletion("affinity", forest=forest, n_neighbors=3, random_state=1).fit(X, tags)
    # All of the other five share every leaf with item 0.
    assert found.scores_[0, 0] == 1.0
    assert found.scores_[0, 1] == 0.0


def test_rankings_do_not_depend_on_the_normaliser():
    """1 / kappa and the sum of the weights are constants of an item."""
    X, tags, _ = groups(60)
    found = TagCompletion("affinity", forest=small_forest(), n_scores=None, random_state=0).fit(
        X, tags
    )
    near = found.neighbors_
    by_weight = (near @ tags) / near.sum(axis=1)[:, None]
    scores = found.scores_.toarray()
    for i in range(60):
        order = np.lexsort((np.arange(tags.shape[1]), -np.round(scores[i], 12)))
        other = np.lexsort((np.arange(tags.shape[1]), -np.round(by_weight[i], 12)))
        np.testing.assert_array_equal(order, other)


def test_an_item_does_not_vote_for_its_own_tag():
    X, tags, _ = groups(60)
    tags = np.column_stack([tags, np.zeros(60, int)])
    tags[7, -1] = 1  # nobody else has it
    found = TagCompletion("affinity", forest=small_forest(), random_state=0).fit(X, tags)
    assert found.scores_[7, tags.shape[1] - 1] == 0
