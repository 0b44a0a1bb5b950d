"""Completion by local neighbourhoods: leaves that agree decide."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.completion.small import as_sets, groups, grow, small_forest, tag_matrices
from tests.oracle import completion_keep
from tests.oracle import completion_local as oracle

from conceptforest.completion import TagCompletion


@settings(max_examples=30, deadline=None)
@given(
    tags=tag_matrices(),
    seed=st.integers(0, 1000),
    n_scores=st.one_of(st.none(), st.integers(1, 5)),
)
def test_scores_equal_oracle(tags, seed, n_scores):
    n, m = tags.shape
    rng = np.random.default_rng(seed)
    X, X_new = rng.normal(size=(n, 2)), rng.normal(size=(3, 2))
    forest = grow(X, tags, n_estimators=6, min_samples_leaf=1, random_state=seed)
    found = TagCompletion("local", forest=forest, n_scores=n_scores).fit(X, tags)
    leaves, new, sets = forest.leaves_.tolist(), forest.apply(X_new).tolist(), as_sets(tags)
    keep = -1 if n_scores is None else n_scores
    expected = oracle.votes(leaves, leaves, sets, m, keep=keep, exclude_self=True)
    assert completion_keep.to_dicts(found.scores_) == expected
    expected = oracle.votes(new, leaves, sets, m, keep=keep, exclude_self=False)
    assert completion_keep.to_dicts(found.predict(X_new)) == expected


def test_one_fellow_who_has_the_tag_is_enough():
    X = np.array([[0.0], [0.1], [5.0], [5.1]])
    tags = [{"a", "b"}, {"a"}, {"c"}, {"c"}]
    forest = small_forest(25, min_samples_leaf=2, max_features=None).set_params(bootstrap=False)
    found = TagCompletion("local", forest=forest, random_state=0).fit(X, tags)
    assert found.scores_[1, 1] == pytest.approx(1 + oracle.MEAN_SHARE, abs=1e-12)
    assert found.scores_[0, 1] == 0  # nobody else has b
    assert found.scores_[2, 0] == 0


def test_few_scores_are_the_highest_of_all():
    X, tags, _ = groups(80)
    every, few = (
        TagCompletion("local", forest=small_forest(), n_scores=k, random_state=0).fit(X, tags)
        for k in (None, 2)
    )
    frequency = tags.sum(axis=0)
    for i in range(80):
        row = np.where(tags[i] == 0, every.scores_[[i]].toarray().ravel(), 0)
        best = np.lexsort((np.arange(len(row)), -frequency, -row))[:2]
        kept = np.where(tags[i] == 0, few.scores_[[i]].toarray().ravel(), 0)
        assert set(np.flatnonzero(kept)) == {j for j in best if row[j] > 0}
        had = tags[i] == 1
        np.testing.assert_array_equal(
            few.scores_[[i]].toarray().ravel()[had], every.scores_[[i]].toarray().ravel()[had]
        )
