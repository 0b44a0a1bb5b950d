"""Regressions of tags: the closed form against systems of equations solved one by one."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.completion.small import groups, tag_matrices
from tests.oracle import tag_ridge as oracle

from conceptforest.regression import tag_ridge as ridge
from conceptforest.regression.tag_ridge import STRENGTHS, TagRidge
from conceptforest.tags import parse_tags


@st.composite
def collections(draw):
    tags = draw(tag_matrices(min_items=4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    X = np.round(rng.normal(size=(len(tags), draw(st.integers(1, 5)))), 1)
    if draw(st.booleans()):
        X[1], tags[1] = X[0], tags[0]  # a double
    return X, tags


@settings(max_examples=60, deadline=None)
@given(made=collections())
def test_every_item_is_foretold_by_the_others_alone(made):
    X, tags = made
    found = TagRidge(X, parse_tags(tags))
    features = oracle.centred(X)
    expected = [
        [oracle.foretold(features, tags, found.strength, i, j) for j in range(tags.shape[1])]
        for i in range(len(tags))
    ]
    np.testing.assert_allclose(found.seen(slice(None)), expected, rtol=1e-7, atol=1e-9)


@settings(max_examples=40, deadline=None)
@given(made=collections(), seed=st.integers(0, 1000))
def test_new_items_are_foretold_by_all(made, seed):
    X, tags = made
    n = len(tags) - 2  # the last two are new
    tags[0, 0] = 1
    found = TagRidge(X[:n], parse_tags(tags[:n]))
    mean = oracle.unit(X[:n].astype(float)).mean(axis=0)
    new = oracle.unit(oracle.unit(X[n:].astype(float)) - mean)
    known = tags[n:] * (np.random.default_rng(seed).random((2, tags.shape[1])) < 0.5)
    features = oracle.centred(X[:n])
    expected = [
        [
            oracle.foretold_new(features, tags[:n], found.strength, new[i], known[i], j)
            for j in range(tags.shape[1])
        ]
        for i in range(2)
    ]
    scores = found.unseen(X[n:], sparse.csr_array(known))
    np.testing.assert_allclose(scores, expected, rtol=1e-7, atol=1e-9)


def test_the_strength_that_ranks_observed_tags_best_is_taken():
    X, observed, _ = groups()
    found = TagRidge(X, parse_tags(observed))
    features = oracle.centred(X)
    ranks = {}
    for strength in STRENGTHS:
        scores = np.array(
            [[oracle.foretold(features, observed, strength, i, j) for j in range(12)]
             for i in range(120)]
        )  # fmt: skip
        ranks[strength] = np.mean(
            [
                1 / (1 + np.sum(scores[i][observed[i] == 0] >= scores[i, j] - 1e-12))
                for i, j in zip(*np.nonzero(observed), strict=True)
            ]
        )
    assert found.reciprocal_ranks == pytest.approx(ranks, rel=1e-6)
    assert found.strength == max(ranks, key=ranks.get)


def test_hidden_tags_are_found_without_a_forest():
    X, observed, full = groups()
    scores = TagRidge(X, parse_tags(observed)).seen(slice(None))
    scores[observed == 1] = -np.inf
    lacks = np.flatnonzero((full - observed).sum(axis=1))
    assert full[lacks, scores[lacks].argmax(axis=1)].mean() > 0.95


def test_rare_tags_of_large_vocabularies_have_no_regression(monkeypatch):
    monkeypatch.setattr(ridge, "_MOST_TAGS", 5)
    X, observed, _ = groups()
    observed[:, :3] = 0
    observed[::40, 0] = 1
    found = TagRidge(X, parse_tags(observed))
    assert len(found.columns) == 5
    assert set(np.argsort(-observed.sum(axis=0), kind="stable")[:5]) == set(found.columns)
    known = np.isfinite(found.seen(slice(0, 7)))
    assert known[:, found.columns].all()
    assert known.sum() == 7 * 5


def test_very_many_features_become_components(monkeypatch):
    monkeypatch.setattr(ridge, "_MOST_FEATURES", 4)
    monkeypatch.setattr(ridge, "_COMPONENTS", 3)
    X, observed, _ = groups()
    found = TagRidge(X, parse_tags(observed))
    scores = found.unseen(X, sparse.csr_array(observed))
    assert np.where(observed, -1, scores).argmax(axis=1).shape == (120,)
    again = found.unseen(X[5:6], sparse.csr_array(observed[5:6]))
    np.testing.assert_array_equal(again[0], scores[5])


@pytest.mark.parametrize("scale", [1e-30, 1.0, 1e30])
def test_the_unit_of_features_does_not_matter(scale):
    X, observed, _ = groups()
    tags = parse_tags(observed)
    plain = TagRidge(X, tags).seen(slice(None))
    np.testing.assert_allclose(TagRidge(X * scale, tags).seen(slice(None)), plain, atol=1e-9)


def test_features_that_never_change_leave_the_tags():
    _, observed, full = groups()
    scores = TagRidge(np.ones((120, 3)), parse_tags(observed)).seen(slice(None))
    some = np.flatnonzero((observed.sum(axis=1) > 0) & (observed.sum(axis=1) < 3))
    best = np.where(observed[some], -np.inf, scores[some]).argmax(axis=1)
    assert full[some, best].mean() > 0.95


def test_progress(capsys):
    X, observed, _ = groups()
    TagRidge(X, parse_tags(observed), verbose=True)
    assert "regressions of tags" in capsys.readouterr().err
