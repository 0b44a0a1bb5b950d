"""Scores of new items, and what the tags that they have already add to them."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.completion.small import METHODS, as_sets, groups, small_forest, tag_matrices
from tests.oracle import completion_own_tags as oracle

from conceptforest.completion import TagCompletion, keep
from conceptforest.completion.own_tags import OwnTags
from conceptforest.tags import parse_tags


def fitted(method="affinity", tags=None, **params):
    X, observed, _ = groups()
    params = {"n_clusters": 4, "random_state": 0, "forest": small_forest()} | params
    return TagCompletion(method, **params).fit(X, observed if tags is None else tags), X, observed


@settings(max_examples=60, deadline=None)
@given(tags=tag_matrices(min_items=1), seed=st.integers(0, 1000))
def test_own_tags_count_as_in_the_oracle(tags, seed):
    rng = np.random.default_rng(seed)
    m = tags.shape[1]
    full = np.array([1.0, 0.5, 1.0, 0.1])
    scores = full[:, None] * np.round(rng.random((4, m)) * (rng.random((4, m)) < 0.7), 1)
    own = rng.random((4, m)) < 0.3
    found = OwnTags(parse_tags(tags)).join(
        sparse.csr_array(scores), parse_tags(own.astype(int)).matrix, full
    )
    sets = as_sets(tags)
    expected = [
        [
            oracle.joined(scores[i, j], j, set(np.flatnonzero(own[i])), sets, m, full[i])
            for j in range(m)
        ]
        for i in range(4)
    ]
    np.testing.assert_allclose(found.toarray(), expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_a_new_item_gets_the_tags_of_its_group(method):
    found, _, _ = fitted(method)
    X_new, _, full = groups(40, seed=1)
    scores = found.predict(X_new).toarray()
    assert scores.shape == (40, 12)
    best = np.argsort(-scores, axis=1)[:, :3]
    assert np.take_along_axis(full, best, axis=1).mean() > 0.9


@pytest.mark.parametrize("method", METHODS)
def test_own_tags_raise_what_goes_with_them(method):
    found, _, observed = fitted(method)
    nowhere = np.full((1, 6), 0.5)  # looks like no group
    plain = found.predict(nowhere).toarray()[0]
    helped = found.predict(nowhere, [{"3"}]).toarray()[0]
    with_3 = observed[observed[:, 3] == 1].mean(axis=0)
    raised = helped / helped.sum() - plain / plain.sum()  # votes are shared out anew
    assert with_3[4] > 0.3
    assert helped[4] > 0
    assert raised[4] > 0
    assert raised[5] > 0


@pytest.mark.parametrize("method", METHODS)
def test_an_item_without_tags_is_scored_by_vision(method):
    found, X, _ = fitted(method)
    plain = found.predict(X[:5])
    mixed = found.predict(X[:5], [None, {"1"}, set(), {"2"}, []])
    for i in (0, 2, 4):
        np.testing.assert_array_equal(plain[[i]].toarray(), mixed[[i]].toarray())
    assert (plain[[1]] != mixed[[1]]).nnz > 0


def test_every_form_of_tags_is_matched_by_name():
    X, observed, _ = groups()
    names = [f"tag{j}" for j in range(12)]
    sets = [{names[j] for j in own} for own in as_sets(observed)]
    found = TagCompletion(forest=small_forest(), random_state=0).fit(X, sets)
    expected = found.predict(X[:2], [{"tag3"}, {"tag3", "tag1"}]).toarray()
    wide = pd.DataFrame({"tag1": [0, 1], "tag3": [1, 1]})
    long = pd.DataFrame({"item": [0, 1, 1], "tag": ["tag3", "tag3", "tag1"]})
    matrix = np.zeros((2, 12), int)
    place = {name: j for j, name in enumerate(found.vocabulary_)}
    matrix[[0, 1, 1], [place["tag3"], place["tag3"], place["tag1"]]] = 1
    for form in (wide, long, matrix, sparse.csr_array(matrix)):
        np.testing.assert_array_equal(found.predict(X[:2], form).toarray(), expected)


def test_an_unknown_tag_is_refused_with_a_hint():
    X, observed, _ = groups()
    names = np.array(["beach", "boat", "sail"] * 4)
    sets = [set(names[np.flatnonzero(row)]) for row in observed]
    found = TagCompletion(forest=small_forest(), random_state=0).fit(X, sets)
    with pytest.raises(ValueError, match=r"'baech'.*Did you mean 'beach'\?"):
        found.predict(X[:1], [{"baech"}])


def test_as_many_rows_of_tags_as_items_are_needed():
    found, X, _ = fitted()
    with pytest.raises(ValueError, match="X has 3 items but tags have 2"):
        found.predict(X[:3], [{"1"}, {"2"}])


@pytest.mark.parametrize("method", METHODS)
def test_few_scores_are_kept_and_all_of_own_tags(method):
    found, X, observed = fitted(method, n_scores=2)
    own = observed[:30]
    scores = found.predict(X[:30], own).toarray()
    kept = ((scores > 0) & (own == 0)).sum(axis=1)
    assert kept.max() == 2
    if method != "joint":  # which may be sure that a tag does not belong
        assert kept.min() == 2
        assert (scores[own == 1] > 0).all()
    assert (scores < 1 + 1e-6).all()


@pytest.mark.parametrize("method", METHODS)
def test_blocks_of_items_give_the_same(method, monkeypatch):
    found, X, observed = fitted(method, n_scores=3)
    whole = found.predict(X, observed)
    monkeypatch.setattr(keep, "_CELLS", 12 * 7)
    in_blocks = found.predict(X, observed)
    np.testing.assert_array_equal(whole.toarray(), in_blocks.toarray())


def test_features_of_another_width_are_refused():
    found, X, _ = fitted()
    with pytest.raises(ValueError, match="X has 5 features"):
        found.predict(X[:, :5])
