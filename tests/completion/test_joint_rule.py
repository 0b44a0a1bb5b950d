"""Two witnesses joined."""

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.completion.small import groups, small_forest

from conceptforest.completion import TagCompletion
from conceptforest.completion.joint import join

shares = st.floats(0, 1)


@given(foretold=st.one_of(st.floats(-2, 2), st.just(math.nan)), votes=shares)
def test_is_a_weighted_geometric_mean_above_a_floor(foretold, votes):
    found = join(np.array([[foretold]]), np.array([[votes]]))[0, 0]
    first = votes if math.isnan(foretold) else min(max(foretold, 0), 1)
    expected = math.exp(0.8 * math.log(first + 0.01) + 0.2 * math.log(votes + 0.01)) - 0.01
    assert math.isclose(found, expected, abs_tol=1e-11)
    assert 0 <= found <= 1 + 1e-12


@given(foretold=shares, votes=shares, more=shares)
def test_more_evidence_is_never_less_score(foretold, votes, more):
    def score(a, b):
        return join(np.array([[a]]), np.array([[b]]))[0, 0]

    assert score(max(foretold, more), votes) >= score(foretold, votes) - 1e-15
    assert score(foretold, max(votes, more)) >= score(foretold, votes) - 1e-15


def test_scores_are_both_witnesses_joined():
    X, observed, _ = groups()
    forest = small_forest(20, random_state=0).fit(X, observed)
    joint = TagCompletion(forest=forest, n_scores=None, random_state=0).fit(X, observed)
    votes = TagCompletion("affinity", forest=forest, n_scores=None).fit(X, observed)
    foretold = joint._rule.ridge.seen(slice(None))
    np.testing.assert_array_equal(joint.scores_.toarray(), join(foretold, votes.scores_.toarray()))


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
