"""Affinity propagation at a fixed preference: the equations, and the library's own."""

import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn import cluster
from sklearn.exceptions import ConvergenceWarning
from tests.oracle import affinity_propagation as oracle
from tests.oracle import message_rows

from conceptforest import _core
from conceptforest.baselines import message_passing
from conceptforest.baselines.message_passing import Messages, assign


def similarities(seed, n, dtype=np.float64):
    """Minus squared distances, each way a little different: of two alike none could decide."""
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(n, 2))
    squares = ((points[:, None] - points) ** 2).sum(axis=2)
    return (-squares * rng.uniform(0.99, 1.01, size=(n, n))).astype(dtype)


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(3, 60),
    preference=st.floats(-30, -0.05),
    damping=st.sampled_from([0.5, 0.7, 0.9]),
)
def test_equals_the_library(seed, n, preference, damping):
    s = similarities(seed, n)
    library = cluster.AffinityPropagation(
        affinity="precomputed",
        preference=preference,
        damping=damping,
        max_iter=400,
        convergence_iter=30,
        random_state=0,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error", ConvergenceWarning)
        try:
            library.fit(s)
        except ConvergenceWarning:  # messages that swing to and fro make much of little noise
            assume(False)
    run = Messages(s.copy(), damping=damping).run(preference, max_iter=400, patience=30)
    assert run.converged
    assert run.n_iter == library.n_iter_
    labels, exemplars = assign(s, run.exemplars)
    assert sorted(exemplars) == library.cluster_centers_indices_.tolist()
    np.testing.assert_array_equal(
        exemplars[labels], library.cluster_centers_indices_[library.labels_]
    )


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 12),
    n_iter=st.integers(1, 6),
    task=st.integers(1, 5),
    chunk=st.integers(1, 40),
)
def test_equals_oracle(seed, n, n_iter, task, chunk):
    s, damping, preference = similarities(seed, n), 0.6, -1.0
    messages = Messages(s.copy(), damping=damping, n_threads=2)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(message_passing, "_TASK", task)
        patch.setattr(message_passing, "_CHUNK", chunk)
        run = messages.run(preference, max_iter=n_iter, patience=100)
    np.fill_diagonal(s, preference)
    r = a = before = np.zeros((n, n)).tolist()
    for _ in range(n_iter):
        before = a
        r, a = oracle.iterate(s.tolist(), r, a, damping)
    np.testing.assert_allclose(messages._responsibility, r, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(messages._availability, before, rtol=1e-12, atol=1e-12)
    assert run.exemplars.tolist() == oracle.exemplars(r, a)
    assert run.n_iter == n_iter


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 80),
    step=st.integers(1, 90),
    dtype=st.sampled_from([np.float32, np.float64]),
    damping=st.sampled_from([0.5, 0.7, 0.9]),
    register=st.sampled_from([16, 32, 64]),
    ties=st.booleans(),
)
def test_every_bit_is_that_of_whole_arrays(seed, n, step, dtype, damping, register, ties):
    rng = np.random.default_rng(seed)
    draw = (lambda: rng.integers(-2, 3, (n, n)) / 4) if ties else (lambda: rng.normal(size=(n, n)))
    s, r, a = (draw().astype(dtype) for _ in range(3))
    support = np.maximum(r, 0).sum(axis=0)
    expected = message_rows.pass_messages(s, r, a, support, step=step, damping=damping)
    found = np.zeros(n)
    _core.limit_registers(register)
    try:
        how = {"step": step, "damping": float(dtype(damping))}
        _core.pass_messages(s, r, a, support, found, begin=0, end=n, **how)
    finally:
        _core.limit_registers(64)
    for ours, theirs in zip((r, a, found), expected, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"end": 6}, "no such rows"),
        ({"begin": 4, "end": 2}, "no such rows"),
        ({"step": 0}, "no such rows"),
        ({"damping": 1.0}, "damping must be at least 0"),
        ({"found": np.zeros(4)}, "do not fit each other"),
        ({"availability": np.zeros((5, 4))}, "do not fit each other"),
    ],
)
def test_the_core_checks_what_it_is_given(changes, message):
    arrays = dict.fromkeys(("similarity", "responsibility", "availability"), np.zeros((5, 5)))
    given = arrays | {"support": np.zeros(5), "found": np.zeros(5)}
    given |= {"begin": 0, "end": 5, "step": 2, "damping": 0.5} | changes
    with pytest.raises(ValueError, match=message):
        _core.pass_messages(**given)


def test_threads_do_not_matter():
    one, many = (Messages(similarities(0, 700, np.float32), n_threads=n) for n in (1, 3))
    for messages in (one, many):
        messages.run(-5.0, max_iter=7, patience=50)
    np.testing.assert_array_equal(one._responsibility, many._responsibility)
    np.testing.assert_array_equal(one._availability, many._availability)


def test_single_precision_finds_the_same_exemplars():
    runs = [
        Messages(similarities(1, 300, dtype)).run(-10.0, max_iter=500, patience=50)
        for dtype in (np.float32, np.float64)
    ]
    assert all(run.converged for run in runs)
    np.testing.assert_array_equal(runs[0].exemplars, runs[1].exemplars)


def test_a_warm_start_at_the_same_preference_has_nothing_left_to_do():
    messages = Messages(similarities(2, 200))
    first = messages.run(-4.0, max_iter=500, patience=30)
    again = messages.run(-4.0, max_iter=500, patience=30)
    assert first.converged
    assert again.converged
    assert again.n_iter == 31 < first.n_iter
    np.testing.assert_array_equal(again.exemplars, first.exemplars)


def test_a_run_that_is_cut_short_says_so():
    run = Messages(similarities(3, 50)).run(-1.0, max_iter=20, patience=30)
    assert not run.converged
    assert run.n_iter == 20


def test_each_cluster_chooses_its_best_exemplar(rng):
    s = similarities(4, 80)
    start = rng.choice(80, size=4, replace=False)
    nearest = start[s[:, start].argmax(axis=1)]
    labels, exemplars = assign(s, start)
    for old, new in zip(start, exemplars, strict=True):
        members = np.flatnonzero(nearest == old)
        assert new == members[s[np.ix_(members, members)].sum(axis=0).argmax()]
    for item in range(80):
        assert s[item, exemplars[labels[item]]] == s[item, exemplars].max()
