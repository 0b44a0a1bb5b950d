from collections import Counter
from math import comb

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.oracle import hiding as oracle

from conceptforest.tags import parse_tags
from conceptforest.tags.hiding import hide_tags, remove_tags

NAMES = [f"tag {j:02d}" for j in range(12)]
shares = st.sampled_from([0, 0.1, 0.25, 0.5, 0.6, 0.7, 1, 1.0]) | st.floats(0, 1)
collections = st.lists(st.sets(st.sampled_from(NAMES)), min_size=1, max_size=12)


def check_canonical(found, given_tags):
    assert found.vocabulary == given_tags.vocabulary
    assert found.matrix.shape == given_tags.matrix.shape
    assert found.matrix.has_canonical_format
    assert found.matrix.dtype == np.uint8
    assert (found.matrix.data == 1).all()
    assert oracle.pairs(found) <= oracle.pairs(given_tags)


@settings(deadline=None)
@given(collections, shares, st.integers(0, 99))
def test_removal_takes_the_share_of_all_entries(sets, share, seed):
    tags = parse_tags(sets)
    found = remove_tags(sets, share, random_state=seed)
    check_canonical(found, tags)
    assert tags.matrix.nnz - found.matrix.nnz == oracle.rounded(share, tags.matrix.nnz)


@settings(deadline=None)
@given(collections, shares, st.integers(0, 99))
def test_hiding_keeps_the_share_of_every_item(sets, observed, seed):
    found = hide_tags(sets, observed, random_state=seed)
    check_canonical(found, parse_tags(sets))
    kept = np.diff(found.matrix.indptr).tolist()
    assert kept == [oracle.n_kept(len(names), observed) for names in sets]


@settings(deadline=None)
@given(collections, shares, shares, st.integers(0, 99))
def test_both_are_nested_for_one_seed(sets, a, b, seed):
    less, more = sorted([a, b])
    kept = [oracle.pairs(remove_tags(sets, share, random_state=seed)) for share in (less, more)]
    assert kept[1] <= kept[0]
    kept = [oracle.pairs(hide_tags(sets, share, random_state=seed)) for share in (less, more)]
    assert kept[0] <= kept[1]


@settings(deadline=None)
@given(collections, st.permutations(NAMES), st.integers(0, 99), st.sampled_from([0.3, 0.6]))
def test_the_form_of_the_tags_makes_no_difference(sets, order, seed, share):
    sorted_form = parse_tags(sets, vocabulary=NAMES)
    shuffled_columns = parse_tags(sets, vocabulary=order)
    pairs = [(i, name) for i, names in enumerate(sets) for name in names]
    long = pd.DataFrame(
        {
            "item": pd.Series([i for i, _ in pairs] + [len(sets) - 1], dtype="int64"),
            "tag": pd.Series([name for _, name in pairs] + [None], dtype="object"),
        }
    )
    for hide in (remove_tags, hide_tags):
        expected = oracle.pairs(hide(sets, share, random_state=seed))
        for form in (sorted_form, shuffled_columns, [sorted(s, reverse=True) for s in sets], long):
            assert oracle.pairs(hide(form, share, random_state=seed)) == expected
        unnamed = hide(sorted_form.matrix, share, random_state=seed)
        assert {(i, NAMES[int(j)]) for i, j in oracle.pairs(unnamed)} == expected
        unsorted = sorted_form.matrix.tocoo()
        backwards = sparse.coo_array(
            (unsorted.data[::-1], (unsorted.row[::-1], unsorted.col[::-1])), shape=unsorted.shape
        )
        again = hide(backwards, share, random_state=seed)
        assert oracle.pairs(again) == oracle.pairs(unnamed)


def test_nothing_and_everything():
    sets = [{"a", "b"}, set(), {"b"}]
    everything = oracle.pairs(parse_tags(sets))
    assert oracle.pairs(remove_tags(sets, 0, random_state=0)) == everything
    assert oracle.pairs(remove_tags(sets, 1, random_state=0)) == set()
    assert oracle.pairs(hide_tags(sets, 1, random_state=0)) == everything
    assert np.diff(hide_tags(sets, 0, random_state=0).matrix.indptr).tolist() == [1, 0, 1]
    assert remove_tags(sets, 1).vocabulary == ("a", "b")


@pytest.mark.parametrize(
    ("share", "count", "taken"),
    [(0.5, 5, 3), (0.1, 25, 3), (0.7, 45, 32), (0.1, 5, 1), (0.3, 5, 2)],
)
def test_halves_are_rounded_up(share, count, taken):
    row = np.ones((1, count), dtype=int)
    assert count - remove_tags(row, share, random_state=0).matrix.nnz == taken
    assert hide_tags(row, share, random_state=0).matrix.nnz == taken


def test_60_percent_of_few_tags():
    row = np.tri(6, dtype=int)  # 1 to 6 tags
    kept = np.diff(hide_tags(row, random_state=0).matrix.indptr)
    assert kept.tolist() == [1, 1, 2, 2, 3, 4]


def test_the_seed_decides(rng):
    Y = rng.random((50, 20)) < 0.3
    for hide in (remove_tags, hide_tags):
        one, again, other = (oracle.pairs(hide(Y, 0.5, random_state=seed)) for seed in (1, 1, 2))
        assert one == again != other
        state = np.random.RandomState(1)
        assert oracle.pairs(hide(Y, 0.5, random_state=state)) == one
        assert oracle.pairs(hide(Y, 0.5, random_state=state)) != one


def test_every_set_of_entries_is_equally_likely():
    Y = np.array([[1, 1, 0], [1, 0, 1], [0, 0, 1]])
    runs = 1000
    seen = Counter(
        frozenset(oracle.pairs(remove_tags(Y, 0.4, random_state=seed))) for seed in range(runs)
    )
    # 10 sets, each 100 times on average: a chi-square of 9 degrees of freedom.
    assert len(seen) == comb(5, 3)
    expected = runs / len(seen)
    assert sum((count - expected) ** 2 / expected for count in seen.values()) < 27.9  # 0.1 %


def test_every_choice_of_an_items_tags_is_equally_likely_and_items_are_independent():
    runs = 3600
    Y = np.tile([[1, 1, 1, 1], [1, 1, 1, 0]], (runs, 1))
    found = hide_tags(Y, 0.5, random_state=0).matrix.toarray().reshape(runs, 8)
    seen = Counter(map(bytes, found))
    # 6 choices for the first item times 3 for the second: 17 degrees of freedom.
    assert len(seen) == comb(4, 2) * comb(3, 2)
    expected = runs / len(seen)
    assert sum((count - expected) ** 2 / expected for count in seen.values()) < 40.8  # 0.1 %


@pytest.mark.parametrize(("hide", "name"), [(remove_tags, "share"), (hide_tags, "observed")])
@pytest.mark.parametrize(
    ("value", "error"),
    [
        (-0.1, ValueError),
        (1.1, ValueError),
        (60, ValueError),
        (float("nan"), ValueError),
        ("0.6", TypeError),
        (None, TypeError),
        (True, TypeError),
    ],
)
def test_bad_shares_are_refused(hide, name, value, error):
    with pytest.raises(error, match=f"{name} is .*{value}.*from 0 to 1"):
        hide([{"a"}], value)


def test_what_is_given_stays_as_it_is(rng):
    tags = parse_tags(rng.random((20, 8)) < 0.4)
    before = oracle.pairs(tags)
    for hide in (remove_tags, hide_tags):
        hide(tags, 0.5, random_state=0)
    assert oracle.pairs(tags) == before
