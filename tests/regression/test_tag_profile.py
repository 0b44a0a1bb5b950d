"""Profiles of tags equal plain loops, and do what they are for."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracle import tag_profile as oracle

from conceptforest.datasets import make_tagged
from conceptforest.regression import tag_ridge as module
from conceptforest.regression.tag_profile import TagProfile
from conceptforest.regression.tag_ridge import TagRidge
from conceptforest.tags import parse_tags


@settings(deadline=None, max_examples=25)
@given(data=st.data())
def test_rows_equal_the_oracle(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    n, d, m = data.draw(st.integers(5, 30)), data.draw(st.integers(1, 5)), rng.integers(1, 6)
    X = rng.normal(size=(n, d))
    own = (rng.random((n, m)) < data.draw(st.sampled_from([0.1, 0.5]))).astype(np.uint8)
    own[:2, 0] = [0, 1]
    tags = parse_tags(own)
    found = TagProfile(X, tags)
    foretold = np.clip(TagRidge(X, tags).seen(slice(0, n)), 0, 1)
    trusted = oracle.trust(own, foretold)
    # The root makes much of what rounding leaves of a correlation of 0.
    np.testing.assert_allclose(found.trust, trusted, atol=1e-5)
    expected = oracle.rows(own, foretold, found.trust, tags.counts, n)
    np.testing.assert_allclose(found.rows, expected, atol=2e-4)


def test_blocks_make_no_difference(monkeypatch):
    made = make_tagged(100, 4, random_state=0)
    tags = parse_tags(made.tags)
    whole = TagProfile(made.X, tags)
    monkeypatch.setattr(module, "_BLOCK", 7)
    parts = TagProfile(made.X, tags)
    np.testing.assert_allclose(parts.rows, whole.rows, atol=1e-6)
    new = whole.unseen(made.X[:30], tags.matrix[:30])
    np.testing.assert_allclose(parts.unseen(made.X[:30], tags.matrix[:30]), new, atol=1e-6)


def test_unseen_items_show_what_seen_ones_would(rng):
    X = np.repeat(np.eye(3), 20, axis=0) + 0.01 * rng.normal(size=(60, 3))
    tags = parse_tags([{"sea"}] * 20 + [{"snow"}] * 20 + [{"city"}] * 20)
    found = TagProfile(X, tags)
    new = found.unseen(X[[0, 25]], parse_tags([set(), {"snow"}], vocabulary=tags.vocabulary).matrix)
    assert (new @ found.rows[[1, 30, 50]].T).argmax(axis=1).tolist() == [0, 1]


def test_tags_that_nothing_speaks_for_are_not_trusted(rng):
    X = np.repeat(np.eye(2), 100, axis=0)
    noise = rng.random(200) < 0.3
    tags = parse_tags(np.column_stack([np.arange(200) < 100, noise]).astype(np.uint8))
    trust = TagProfile(X, tags).trust
    assert trust[0] == pytest.approx(1, abs=0.05)
    assert trust[1] < 0.5


def test_tags_nobody_has_and_tags_of_all_show_nothing():
    tags = parse_tags(np.array([[1, 0, 1], [1, 0, 0], [1, 0, 1], [1, 0, 0]], dtype=np.uint8))
    rows = TagProfile(np.eye(4), tags).rows
    assert np.isfinite(rows).all()
    assert not rows[:, :2].any()


def test_progress_is_shown(capsys):
    made = make_tagged(50, 4, random_state=0)
    TagProfile(made.X, parse_tags(made.tags), verbose=True)
    assert "profiles of tags" in capsys.readouterr().err
