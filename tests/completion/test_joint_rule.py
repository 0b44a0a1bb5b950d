"""Three witnesses joined."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.completion.small import groups, small_forest
from tests.oracle import tag_profile as oracle

from conceptforest.completion import TagCompletion
from conceptforest.completion.joint import join

shares = st.floats(0, 1)


@given(foretold=st.one_of(st.floats(-2, 2), st.just(math.nan)), leaves=shares, profiles=shares)
def test_is_a_weighted_geometric_mean_above_a_floor(foretold, leaves, profiles):
    found = join(np.array([[foretold]]), np.array([[leaves]]), np.array([[profiles]]))[0, 0]
    first = profiles if math.isnan(foretold) else min(max(foretold, 0), 1)
    logs = [w * math.log(x + 0.01) for w, x in ((0.55, first), (0.2, leaves), (0.25, profiles))]
    assert math.isclose(found, math.exp(sum(logs)) - 0.01, abs_tol=1e-11)
    assert 0 <= found <= 1 + 1e-12


@given(given_shares=st.tuples(shares, shares, shares), more=shares, which=st.integers(0, 2))
def test_more_evidence_is_never_less_score(given_shares, more, which):
    def score(*words):
        return join(*(np.array([[word]]) for word in words))[0, 0]

    higher = list(given_shares)
    higher[which] = max(higher[which], more)
    assert score(*higher) >= score(*given_shares) - 1e-15


def test_scores_are_all_witnesses_joined():
    X, observed, _ = groups()
    forest = small_forest(20, random_state=0).fit(X, observed)
    joint = TagCompletion(forest=forest, n_scores=None, n_neighbors=3, random_state=0)
    joint.fit(X, observed)
    votes = TagCompletion("affinity", forest=forest, n_neighbors=3, n_scores=None).fit(X, observed)
    profile = joint._rule.profile
    by_profile = oracle.votes(profile.rows, observed, 6)
    expected = join(profile.ridge.seen(slice(None)), votes.scores_.toarray(), by_profile)
    # Of items at equal cosines others may be chosen, as the seed will have it.
    same = np.isclose(joint.scores_.toarray(), expected, atol=1e-6).all(axis=1)
    assert same.mean() > 0.9


def test_both_find_more_than_the_forest_alone():
    X, observed, full = groups(300, keep=0.4, seed=3)
    X = X + np.random.default_rng(0).normal(size=X.shape)
    forest = small_forest(50, random_state=0).fit(X, observed)
    hidden = (full - observed) > 0
    found = {}
    for method in ("joint", "affinity"):
        scores = TagCompletion(method, forest=forest).fit(X, observed).scores_.toarray()
        scores[observed == 1] = -1
        asked = np.flatnonzero(hidden.any(axis=1))
        found[method] = hidden[asked, scores[asked].argmax(axis=1)].mean()
    assert found["joint"] > found["affinity"]
