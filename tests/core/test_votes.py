"""Votes of leaves equal naive loops over trees, items and tags."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracle import completion_local as oracle

from conceptforest import _core

ALL = -1


def leaf_votes(rows, training, tag_sets, n_tags, **options):
    options = {"keep": ALL, "exclude_self": False, "n_threads": 1, "progress": None} | options
    rows, training = np.asarray(rows, np.int32), np.asarray(training, np.int32)
    n_nodes = 1 + max([0, *rows.ravel(), *training.ravel()])
    offsets = np.arange(len(training) + 1, dtype=np.int64) * n_nodes
    start = np.concatenate([[0], np.cumsum([len(tags) for tags in tag_sets])]).astype(np.int64)
    tags = np.array([tag for tags in tag_sets for tag in sorted(tags)], np.int32)
    return _core.leaf_votes(rows, training, offsets, start, tags, n_tags=n_tags, **options)


def by_row(found):
    start, tag, score = found
    rows = [slice(a, b) for a, b in pairwise(start)]
    assert all((np.diff(tag[row]) > 0).all() for row in rows)
    return [dict(zip(tag[row].tolist(), score[row].tolist(), strict=True)) for row in rows]


def items(table):
    """A leaf table by item, as the oracle takes it."""
    return np.asarray(table).T.tolist()


def random_tags(rng, n, n_tags, most):
    return [
        set(rng.choice(n_tags, rng.integers(0, min(n_tags, most) + 1), replace=False).tolist())
        for _ in range(n)
    ]


def random_tables(rng, n_trees, n, n_rows, n_leaves):
    """Some leaves are large, some hold a single item, some none."""
    weight = rng.dirichlet(np.full(n_leaves, 0.5), n_trees)
    draw = [[rng.choice(n_leaves, m, p=w) for w in weight] for m in (n, n_rows)]
    return tuple(np.array(table, np.int32).reshape(n_trees, -1) for table in draw)


@settings(deadline=None, max_examples=100)
@given(data=st.data())
def test_equals_the_oracle(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    n, n_tags = data.draw(st.integers(1, 25)), data.draw(st.integers(1, 8))
    training, rows = random_tables(
        rng,
        data.draw(st.integers(1, 6)),
        n,
        data.draw(st.integers(0, 12)),
        data.draw(st.integers(1, 9)),
    )
    tag_sets = random_tags(rng, n, n_tags, 4)
    exclude_self = data.draw(st.booleans())
    rows = training if exclude_self else rows
    options = {"keep": data.draw(st.integers(-1, 5)), "exclude_self": exclude_self}
    found = by_row(leaf_votes(rows, training, tag_sets, n_tags, n_threads=2, **options))
    assert found == oracle.votes(items(rows), items(training), tag_sets, n_tags, **options)
    for i, (row, scores) in enumerate(zip(items(rows), found, strict=True)):
        itself = i if exclude_self else None
        for tag, score in scores.items():
            exact = oracle.exact_score(row, items(training), tag_sets, tag, itself)
            assert score == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize("exclude_self", [False, True])
@pytest.mark.parametrize("n_tags", [3, 40], ids=["counted beforehand", "counted each time"])
def test_large_leaves_equal_the_oracle(rng, n_tags, exclude_self):
    training = np.zeros((3, 100), np.int32)  # leaves of 100, of 70 and 30, and of 65, 34 and 1
    training[1, 70:] = 1
    training[2] = rng.permutation([4] * 65 + [2] * 34 + [7])
    tag_sets = random_tags(rng, 100, n_tags, 2)
    rows = training if exclude_self else training[:, ::9]
    options = {"keep": 10, "exclude_self": exclude_self}
    found = by_row(leaf_votes(rows, training, tag_sets, n_tags, **options))
    assert found == oracle.votes(items(rows), items(training), tag_sets, n_tags, **options)


def test_the_tag_of_the_only_neighbour_is_certain():
    # Two items in one leaf; the other one has tag 1.
    (of_first, of_second) = by_row(
        leaf_votes([[0, 0]], [[0, 0]], [set(), {1}], 2, exclude_self=True)
    )
    assert of_first == {1: pytest.approx(1 + 1e-6)}
    assert of_second == {}  # its own tag is not its neighbour's


def test_a_tag_is_judged_as_if_the_item_did_not_have_it():
    found = by_row(leaf_votes([[0, 0]], [[0, 0]], [{0}, {0}], 1, exclude_self=True))
    assert found == [{0: pytest.approx(1 + 1e-6)}] * 2


def test_trees_for_against_and_undecided():
    # The new item's leaves hold items with tag 0: all of one, none of two, one of two, none at all.
    training = [[0, 1, 1], [1, 0, 0], [0, 0, 1], [1, 1, 1]]
    rows = [[0], [0], [0], [0]]
    assert by_row(leaf_votes(rows, training, [{0}, set(), set()], 1)) == [
        {0: pytest.approx(1 / 2 + 1e-6 * (1 + 0 + 1 / 2) / 3, rel=1e-12)}
    ]


def test_without_a_decided_tree_the_mean_share_counts():
    found = by_row(leaf_votes([[0]], [[0, 0, 0]], [{0, 1}, {1}, set()], 2))
    assert found == [{0: pytest.approx(1e-6 / 3), 1: pytest.approx(2e-6 / 3)}]


def test_an_item_alone_in_its_leaves_gets_nothing():
    found = by_row(leaf_votes([[0, 1]], [[0, 1]], [{0}, {0}], 1, exclude_self=True))
    assert found == [{}, {}]


def test_the_highest_are_kept_and_the_own_come_on_top():
    # Item 0 has tag 3. Tags 0 and 2 are equal in its leaf, and 2 is more frequent elsewhere.
    training = [[0, 0, 0, 1, 1]]
    tag_sets = [{3}, {0, 2, 3}, {1, 0, 2, 3}, {2}, set()]
    found = [
        set(by_row(leaf_votes(training, training, tag_sets, 4, keep=k, exclude_self=True))[0])
        for k in range(4)
    ]
    assert found == [{3}, {2, 3}, {0, 2, 3}, {0, 1, 2, 3}]


def test_equal_scores_and_frequencies_keep_the_lower_tag():
    found = by_row(leaf_votes([[0]], [[0]], [{2, 1, 5}], 6, keep=2))
    assert set(found[0]) == {1, 2}


@pytest.mark.parametrize("n", [2000, 70_000], ids=["16 bits", "32 bits"])
def test_same_bits_for_any_number_of_threads(rng, n):
    training, _ = random_tables(rng, 5, n, 1, 40)
    training[3:] = rng.integers(0, n // 4, (2, n))
    tag_sets = [set(tags) for tags in rng.integers(0, 30, (n, 3)).tolist()]
    one, *others = (
        leaf_votes(training, training, tag_sets, 30, keep=5, exclude_self=True, n_threads=threads)
        for threads in (1, 2, 3, 8)
    )
    for other in others:
        assert [a.tobytes() for a in one] == [a.tobytes() for a in other]


def test_more_items_than_16_bits_count(rng):
    # Copies of the items above the 16-bit limit add nothing to leaves that they do not share.
    training = np.concatenate([rng.integers(0, 300, (3, 1000)), np.full((3, 70_000), 300)], axis=1)
    tag_sets = random_tags(rng, 1000, 12, 5) + [{0}] * 70_000
    rows = training[:, :50]
    found = leaf_votes(rows, training, tag_sets, 12)
    expected = leaf_votes(rows, training[:, :1000], tag_sets[:1000], 12)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b)


def test_progress_counts_rows(rng):
    seen = []
    training, _ = random_tables(rng, 3, 200, 1, 20)
    leaf_votes(training, training, random_tags(rng, 200, 5, 3), 5, progress=seen.append)
    assert seen[-1] == 200


GOOD = {
    "rows": np.zeros((1, 3), np.int32),
    "training": np.zeros((1, 3), np.int32),
    "offsets": np.array([0, 1]),
    "start": np.array([0, 1, 1, 2]),
    "tags": np.array([0, 1], np.int32),
    "n_tags": 2,
}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rows": np.ones((1, 3), np.int32)}, "no such node"),
        ({"training": np.full((1, 3), -1, np.int32)}, "no such node"),
        ({"rows": np.zeros((2, 3), np.int32)}, "trees differ"),
        ({"rows": np.zeros((1, 2), np.int32)}, "training items"),
        ({"rows": np.array([[0, 0, 1]], np.int32), "offsets": np.array([0, 2])}, "training items"),
        ({"start": np.array([0, 1, 2])}, "start"),
        ({"start": np.array([0, 2, 1, 2])}, "decrease"),
        ({"start": np.array([1, 1, 1, 2])}, "start"),
        ({"start": np.array([0, 1, 1, 3])}, "fit"),
        ({"tags": np.array([0, 2], np.int32)}, "range"),
        ({"tags": np.array([-1, 0], np.int32)}, "ascend"),
        ({"start": np.array([0, 2, 2, 2]), "tags": np.array([1, 1], np.int32)}, "ascend"),
    ],
)
def test_bad_input(change, message):
    options = {"keep": 1, "exclude_self": True, "n_threads": 1, "progress": None}
    _core.leaf_votes(**GOOD, **options)
    with pytest.raises(ValueError, match=message):
        _core.leaf_votes(**(GOOD | change), **options)
