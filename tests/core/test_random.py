"""The core's random draws: the stream that the oracle writes out again, and uniform."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare, poisson
from tests.oracle.random_stream import Random, branch, draw_bag, scramble

from conceptforest import _core


@settings(deadline=None)
@given(key=st.integers(0, 2**64 - 1), n=st.integers(1, 300))
@example(key=0, n=1)
@example(key=2**64 - 1, n=2)
def test_bags_equal_the_oracle(key, n):
    assert _core.draw_bag(key, n).tolist() == draw_bag(key, n)


def test_a_bag_of_many_items_equals_the_oracle():
    assert _core.draw_bag(3, 70_000).tolist() == draw_bag(3, 70_000)


def test_the_oracle_is_splitmix64():
    # The first numbers of Vigna's reference splitmix64.c with the seed 1234567.
    random = Random(1234567)
    assert [random.next() for _ in range(3)] == [
        6457827717110365317,
        3203168211198807973,
        9817491932198370423,
    ]


def test_branches_of_a_key_differ():
    keys = [branch(key, which) for key in range(100) for which in range(100)]
    assert len(set(keys)) == len(keys)
    assert all(scramble(key) != key for key in keys)


def test_draws_below_a_bound_are_uniform():
    random = Random(1)
    draws = np.bincount([random.below(7) for _ in range(70_000)], minlength=7)
    assert chisquare(draws).pvalue > 0.001


def test_a_bag_has_as_many_draws_as_items():
    assert all(_core.draw_bag(key, n).sum() == n for key in range(20) for n in (1, 2, 17, 1000))


def test_every_item_is_drawn_equally_often():
    total = np.sum([_core.draw_bag(key, 50) for key in range(4000)], axis=0)
    assert chisquare(total).pvalue > 0.001


def test_draws_of_an_item_are_poisson():
    draws = np.bincount(_core.draw_bag(11, 200_000), minlength=6)[:6]
    expected = 200_000 * poisson.pmf(np.arange(6), 1)
    assert (np.abs(draws - expected) < 4 * np.sqrt(expected)).all()
    assert draws[0] / 200_000 == pytest.approx(np.exp(-1), abs=0.004)


def test_bags_of_neighbouring_keys_are_unrelated():
    bags = np.array([_core.draw_bag(key, 5000) for key in range(20)], float)
    off_diagonal = np.corrcoef(bags)[~np.eye(20, dtype=bool)]
    assert np.abs(off_diagonal).max() < 0.07
