"""The map's pulling and pushing equal plain loops, to the bit."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.oracle import layout as oracle

from conceptforest import _core


def lay_out(start, item, weight, position, **options):
    options = {"n_epochs": 5, "n_repelled": 3, "seed": 0, "progress": None} | options
    found = np.array(position, dtype=np.float32).reshape(-1, 2)
    _core.lay_out(
        np.asarray(start, dtype=np.int64),
        np.asarray(item, dtype=np.int32),
        np.asarray(weight, dtype=np.float32),
        found,
        **options,
    )
    return found


def random_graph(rng, n, mean_degree):
    """Rows of joins as CSR lists; loops, one-way and repeated joins among them."""
    degree = rng.poisson(mean_degree, n)
    start = np.concatenate([[0], np.cumsum(degree)])
    return start, rng.integers(0, n, start[-1]), rng.uniform(size=start[-1]).astype(np.float32)


@settings(deadline=None, max_examples=60)
@given(data=st.data())
def test_equals_the_oracle(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    n = data.draw(st.integers(1, 12))
    start, item, weight = random_graph(rng, n, data.draw(st.sampled_from([0, 1, 4])))
    weight = data.draw(st.sampled_from([weight, np.ones_like(weight), np.round(weight)]))
    scale = data.draw(st.sampled_from([0.0, 1e-4, 1.0, 10.0, 1e5]))
    position = (scale * rng.normal(size=(n, 2))).astype(np.float32)
    n_epochs, n_repelled = data.draw(st.integers(0, 8)), data.draw(st.integers(0, 4))
    seed = data.draw(st.integers(0, 2**64 - 1))
    found = lay_out(
        start, item, weight, position, n_epochs=n_epochs, n_repelled=n_repelled, seed=seed
    )
    expected = oracle.lay_out(
        start.tolist(), item.tolist(), weight, position, n_epochs, n_repelled, seed
    )
    assert found.tobytes() == np.array(expected, dtype=np.float32).tobytes()


def test_joined_items_come_together_and_others_part(rng):
    start, item = [0, 1, 2, 3, 4], [1, 0, 3, 2]  # two pairs
    found = lay_out(start, item, np.ones(4), rng.normal(size=(4, 2)), n_epochs=300)
    within = np.linalg.norm(found[[0, 2]] - found[[1, 3]], axis=1)
    between = np.linalg.norm(found[:2, None] - found[None, 2:], axis=2)
    assert within.min() > 0.1
    assert 2 * within.max() < between.min()


def test_steps_are_bounded(rng):
    start, item, weight = random_graph(rng, 50, 5)
    far = (1e6 * rng.uniform(-1, 1, size=(50, 2))).astype(np.float32)
    for position in (far, np.zeros((50, 2)), np.full((50, 2), 1e6)):
        assert np.isfinite(lay_out(start, item, weight, position, n_epochs=50)).all()


def test_items_without_joins_stay(rng):
    position = rng.normal(size=(3, 2)).astype(np.float32)
    found = lay_out([0, 1, 2, 2], [1, 0], [1, 1], position, n_epochs=20)
    np.testing.assert_array_equal(found[2], position[2])
    assert (found[:2] != position[:2]).all()


def test_another_seed_gives_another_map(rng):
    start, item, weight = random_graph(rng, 50, 5)
    position = rng.normal(size=(50, 2))
    one, again, other = (lay_out(start, item, weight, position, seed=s) for s in (1, 1, 2))
    assert one.tobytes() == again.tobytes()
    assert (one != other).any()


def test_progress_counts_epochs(rng):
    seen = []
    lay_out(*random_graph(rng, 20, 3), np.zeros((20, 2)), n_epochs=7, progress=seen.append)
    assert seen[-1] == 7


def test_an_error_in_the_progress_stops_it(rng):
    def fail(_done):
        raise KeyboardInterrupt

    graph = random_graph(rng, 3000, 20)
    with pytest.raises(KeyboardInterrupt):
        lay_out(*graph, rng.normal(size=(3000, 2)), n_epochs=100_000, progress=fail)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"position": np.zeros((0, 2))}, "position: bad shape"),
        ({"position": [[0, 0], [np.nan, 0]]}, "finite"),
        ({"position": [[0, 0], [2e6, 0]]}, "1e6"),
        ({"start": [0, 1]}, "start does not fit"),
        ({"start": [1, 1, 2]}, "start does not fit"),
        ({"start": [0, 3, 2]}, "must not decrease"),
        ({"item": [1]}, "differ in length"),
        ({"weight": [1]}, "differ in length"),
        ({"item": [1, 2]}, "no such item"),
        ({"item": [1, -1]}, "no such item"),
        ({"weight": [1, 1.5]}, "between 0 and 1"),
        ({"weight": [1, np.nan]}, "between 0 and 1"),
        ({"n_epochs": -1}, "n_epochs"),
        ({"n_epochs": 10**6}, "n_epochs"),
        ({"n_repelled": 10**4}, "n_repelled"),
    ],
)
def test_bad_input_is_refused(change, message):
    pair = {"start": [0, 1, 2], "item": [1, 0], "weight": [1, 1], "position": np.zeros((2, 2))}
    with pytest.raises(ValueError, match=message):
        lay_out(**(pair | change))
