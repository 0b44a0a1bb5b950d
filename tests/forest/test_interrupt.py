"""A long fit can be stopped with Ctrl-C, and does not hold up other threads."""

import threading
import time

import numpy as np
import pytest
from sklearn.exceptions import NotFittedError
from tests.ctrl_c import PATIENCE, CtrlC

import conceptforest as cf


@pytest.fixture(scope="module")
def collection():
    rng = np.random.default_rng(0)
    return rng.normal(size=(3000, 40)).astype(np.float32), rng.random((3000, 60)) < 0.1


def long_forest(**params):
    """Give a forest that would grow for minutes."""
    return cf.HMLForest(5000, layers=1, max_features=None, random_state=0, **params)


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("verbose", [0, 1])
def test_ctrl_c_stops_a_fit(collection, n_jobs, verbose):
    X, Y = collection
    forest = long_forest(n_jobs=n_jobs, verbose=verbose)
    with CtrlC(0.4) as ctrl_c, pytest.raises(KeyboardInterrupt) as raised:
        forest.fit(X, Y)
    assert "_core.grow" in str(raised.traceback[-1].statement)
    assert time.monotonic() - ctrl_c.sent < PATIENCE
    with pytest.raises(NotFittedError, match="not fitted yet"):
        forest.apply(X)
    forest.set_params(n_estimators=2, verbose=0).fit(X[:200], Y[:200])
    assert forest.leaves_.shape == (200, 2)


def test_ctrl_c_leaves_an_earlier_fit_as_it_was(collection):
    X, Y = collection
    forest = cf.HMLForest(3, layers=1, random_state=1, warm_start=True).fit(X, Y)
    leaves = forest.leaves_.copy()
    forest.set_params(n_estimators=5000)
    with CtrlC(0.4), pytest.raises(KeyboardInterrupt):
        forest.fit(X, Y)
    np.testing.assert_array_equal(forest.apply(X), leaves)
    forest.set_params(n_estimators=5).fit(X, Y)
    whole = cf.HMLForest(5, layers=1, random_state=1).fit(X, Y)
    np.testing.assert_array_equal(forest.leaves_, whole.leaves_)


def test_ctrl_c_stops_the_search_for_neighbours():
    X = np.zeros((40_000, 1))
    with pytest.warns(UserWarning, match="No tree could split"):
        forest = cf.HMLForest(20, layers=1, random_state=0).fit(X, np.eye(len(X), 1))
    with CtrlC(0.4) as ctrl_c, pytest.raises(KeyboardInterrupt):
        forest.affinity()  # all in one leaf: 40,000 x 40,000 x 20 pairs
    assert time.monotonic() - ctrl_c.sent < PATIENCE


def test_other_threads_go_on_during_a_fit(collection):
    X, Y = collection
    ticks, stop = [], threading.Event()

    def tick():
        while not stop.wait(0.01):
            ticks.append(time.monotonic())

    ticker = threading.Thread(target=tick)
    ticker.start()
    begin = time.monotonic()
    cf.HMLForest(12, layers=1, max_features=None, random_state=0).fit(X, Y)
    end = time.monotonic()
    stop.set()
    ticker.join()
    during = [begin, *(at for at in ticks if begin < at < end), end]
    assert max(np.diff(during)) < (end - begin) / 2  # most of a fit is growing trees
