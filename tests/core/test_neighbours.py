"""Neighbours from leaf tables made by hand, with rows too long for the core to copy."""

import numpy as np
import pytest

from conceptforest import _core

LONG = 2**16  # items in a row's leaves from which the core counts them where they lie
LARGE = 40_000  # items of the large leaf
SMALL = 5


@pytest.fixture(params=[45_000, 70_000], ids=["16 bits", "32 bits"])
def tables(request, rng):
    """Three trees, each with one large leaf, and rows in it in 0, 1, 2 and 3 of them."""
    n = request.param
    leaf = np.concatenate([np.zeros(LARGE, int), 1 + np.arange(n - LARGE) // SMALL])
    training = np.stack([rng.permutation(leaf) for _ in range(3)]).astype(np.int32)
    rows = rng.integers(1, leaf.max() + 1, (3, 150)).astype(np.int32)
    for i in range(150):
        rows[: i % 4, i] = 0
    rows[:, ::7] = training[:, : len(rows[0, ::7])]
    offsets = np.arange(4) * (int(leaf.max()) + 1)
    counts = sum((r[:, None] == t).astype(np.int32) for r, t in zip(rows, training, strict=True))
    lengths = counts.sum(axis=1)
    assert (lengths > LONG).sum() > 50 < (lengths < LONG).sum()
    return rows, training, offsets, counts


@pytest.mark.parametrize("n_threads", [1, 2])
def test_counts_of_long_and_short_rows(tables, n_threads):
    rows, training, offsets, expected = tables
    found = np.full(expected.shape, -1, np.int32)
    _core.all_counts(rows, training, offsets, found, n_threads, None)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("n_threads", [1, 2])
@pytest.mark.parametrize("k", [1, 12, LARGE + 100])
def test_nearest_of_long_and_short_rows(tables, k, n_threads):
    rows, training, offsets, expected = tables
    start, item, count = _core.nearest(
        rows, training, offsets, k=k, exclude_self=False, seed=3, n_threads=n_threads, progress=None
    )
    for i, of_row in enumerate(expected):
        chosen, counts = item[start[i] : start[i + 1]], count[start[i] : start[i + 1]]
        assert (np.diff(chosen) > 0).all()
        np.testing.assert_array_equal(counts, of_row[chosen])
        highest = np.sort(of_row)[::-1][:k]
        np.testing.assert_array_equal(np.sort(counts)[::-1], highest[highest > 0])
