"""Copies are found, similar items are not, and chains do not join."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from threadpoolctl import threadpool_limits

from conceptforest.datasets import make_tagged
from conceptforest.structure import duplicates
from conceptforest.structure.duplicates import DuplicateGroup, near_duplicates


def cosines(X):
    """Cosine similarities of the standardised rows."""
    rows = (X - X.mean(axis=0)) / X.std(axis=0)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return rows @ rows.T


def items_of(groups):
    return [group.items for group in groups]


def test_equal_digests_are_equal_items(rng):
    X = rng.normal(size=(8, 5))
    digests = ["a", b"b", None, "a", None, b"b", "c", "a"]
    assert near_duplicates(X, digests=digests, threshold=1.0) == [
        DuplicateGroup((0, 3, 7), 1.0),
        DuplicateGroup((1, 5), 1.0),
    ]


def test_unknown_digests_say_nothing(rng):
    assert near_duplicates(rng.normal(size=(6, 30)), digests=[None] * 6) == []


def test_clean_features_give_no_alarm():
    for seed in range(3):
        assert near_duplicates(make_tagged(400, 6, random_state=seed).X) == []


@pytest.mark.parametrize("noise", [0.0, 0.003, 0.03])
def test_planted_copies_are_found(noise):
    X = make_tagged(400, 6, random_state=1).X.copy()
    rng = np.random.default_rng(0)
    X[10] = X[200] + noise * rng.normal(size=X.shape[1])
    X[[30, 50]] = X[40] + noise * rng.normal(size=(2, X.shape[1]))
    found = near_duplicates(X)
    assert sorted(items_of(found)) == [(10, 200), (30, 40, 50)]
    for group in found:
        assert group.similarity == pytest.approx(
            cosines(X)[np.ix_(group.items, group.items)].min(), abs=1e-6
        )


def test_copies_of_everything_are_found_too(rng):
    once = rng.normal(size=(100, 40))
    X = np.vstack([once, once + 0.01 * rng.normal(size=once.shape)])
    assert sorted(items_of(near_duplicates(X))) == [(i, i + 100) for i in range(100)]


def test_a_dense_collection_needs_closer_pairs(rng):
    """Where all items resemble each other, resemblance is no copy."""
    direction = rng.normal(size=(2, 200))
    X = np.repeat(direction, 100, axis=0) + 0.02 * rng.normal(size=(200, 200))
    assert (cosines(X) > 0.97).sum() > 200 * 50
    assert near_duplicates(X) == []


def test_chains_do_not_join():
    angles = np.linspace(0, 2 * np.pi, 360, endpoint=False)  # each similar to the next
    X = np.column_stack([np.cos(angles), np.sin(angles)])
    found = near_duplicates(X, threshold=0.98)
    assert max(len(group.items) for group in found) <= 13  # 0.98 is the cosine of 11.5 degrees
    for group in found:
        assert cosines(X)[np.ix_(group.items, group.items)].min() >= 0.98 - 1e-9


@settings(deadline=None, max_examples=40)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(0, 25),
    threshold=st.sampled_from([0.3, 0.8, 0.99, None]),
)
def test_groups_are_disjoint_tight_and_complete(seed, n, threshold):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 3))
    groups = near_duplicates(X, threshold=threshold)
    members = [item for group in groups for item in group.items]
    assert len(members) == len(set(members))
    if threshold is None or n < 2:
        return
    similarity = cosines(X)
    for group in groups:
        least = similarity[np.ix_(group.items, group.items)].min()
        assert group.similarity == pytest.approx(least, abs=1e-6)
        assert least >= threshold - 1e-6
    # Two items alone that are near enough would have been joined.
    alone = sorted(set(range(n)) - set(members))
    if n <= duplicates._PARTNERS:
        rest = similarity[np.ix_(alone, alone)] - 2 * np.eye(len(alone))
        assert (rest < threshold + 1e-6).all()


def test_many_equal_items_are_one_group():
    X = np.random.default_rng(0).normal(size=(700, 6))
    X[100:600] = X[0]
    assert near_duplicates(X, threshold=1.0) == [DuplicateGroup((0, *range(100, 600)), 1.0)]


def test_a_digest_carries_the_likeness_of_its_other_items(rng):
    X = rng.normal(size=(40, 30))
    X[5] = X[9] + 1e-4
    digests = ["d" if i in {9, 20} else None for i in range(40)]
    found = near_duplicates(X, digests=digests)
    assert items_of(found) == [(5, 9, 20)]


def test_items_without_features_are_like_no_other(rng):
    X = rng.normal(size=(30, 8))
    X = np.vstack([X, np.zeros((3, 8))])
    assert near_duplicates(X) == []
    assert near_duplicates(np.ones((5, 3))) == []  # constant features say nothing


def test_constant_huge_and_tiny_columns_do_no_harm(rng):
    X = rng.normal(size=(30, 8)) * [1, 1e-300, 1e300, 1, 1, 1e-9, 1, 0] + [0, 0, 0, 0.1, 1, 0, 0, 7]
    X[3] = X[4]
    assert items_of(near_duplicates(X)) == [(3, 4)]


def test_neither_blocks_nor_threads_matter(rng, monkeypatch):
    X = np.repeat(rng.normal(size=(60, 5)), 3, axis=0) + 0.05 * rng.normal(size=(180, 5))
    whole = near_duplicates(X, threshold=0.9, n_jobs=2)
    monkeypatch.setattr(duplicates, "_ROWS", 7)
    with threadpool_limits(1):
        assert near_duplicates(X, threshold=0.9, n_jobs=1) == whole
    assert whole


def test_groups_have_a_largest_size(rng, monkeypatch):
    monkeypatch.setattr(duplicates, "_LARGEST", 5)
    X = np.vstack([rng.normal(size=20) + 1e-3 * rng.normal(size=(30, 20)), np.eye(20), -np.eye(20)])
    sizes = [len(group.items) for group in near_duplicates(X, threshold=0.9)]
    assert max(sizes) <= 5
    assert sum(sizes) >= 25


def test_no_and_single_items():
    assert near_duplicates(np.zeros((0, 4))) == []
    assert near_duplicates(np.ones((1, 4))) == []


def test_shows_progress_when_asked(rng, capsys):
    near_duplicates(rng.normal(size=(10, 4)), verbose=1)
    assert "looking for copies" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"X": np.ones(3)}, TypeError, "X must be a table of numbers"),
        ({"X": [["a"]]}, TypeError, "X must be a table of numbers"),
        ({"X": np.full((3, 2), np.nan)}, ValueError, "X contains NaN"),
        ({"digests": ["a"]}, ValueError, "3 items but there are 1 digests"),
        ({"digests": "abc"}, TypeError, "digests is of type str"),
        ({"digests": [1, 2, 3]}, TypeError, "digest of item 0 is of type int"),
        ({"threshold": 0}, ValueError, "threshold must be above 0 and at most 1"),
        ({"threshold": 1.5}, ValueError, "threshold must be above 0 and at most 1"),
        ({"threshold": "high"}, TypeError, "threshold must be a number"),
    ],
)
def test_bad_input_is_explained(change, error, message):
    given = {"X": np.eye(3)} | change
    with pytest.raises(error, match=message):
        near_duplicates(given.pop("X"), **given)
