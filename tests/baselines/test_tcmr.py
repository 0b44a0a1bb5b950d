"""TCMR: its parts against the definition, closed forms, and what it must recover."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize
from tests.ctrl_c import PATIENCE, CtrlC
from tests.oracle import tcmr as oracle

from conceptforest.baselines import tag_recovery
from conceptforest.baselines.gaussian_graph import gaussian_graph
from conceptforest.baselines.simplex import project_rows
from conceptforest.baselines.tag_recovery import Recovery
from conceptforest.baselines.tcmr import TCMR, _laplacian
from conceptforest.structure.visual_neighbours import nearest_items


def made(rng, n=9, m=5, share=0.4):
    """Tags with no empty column, and a graph of random affinities."""
    tags = (rng.random((n, m)) < share).astype(np.uint8)
    tags[rng.integers(n, size=m), np.arange(m)] = 1
    graph = np.triu(rng.random((n, n)) * (rng.random((n, n)) < 0.5), 1)
    return tags, graph + graph.T


def recovery_of(tags, graph=None, smoothness=0.0, rank_penalty=0.0, floor=1e-6, n_threads=1):
    graph = np.zeros((len(tags), len(tags))) if graph is None else graph
    return Recovery(
        sparse.csr_array(tags),
        sparse.csr_array(np.diag(graph.sum(axis=0)) - graph),
        smoothness=smoothness,
        rank_penalty=rank_penalty,
        floor=floor,
        n_threads=n_threads,
    )


@settings(max_examples=60, deadline=None)
@given(
    rows=st.integers(1, 6).flatmap(
        lambda m: st.lists(
            st.lists(st.floats(-5, 5, width=32), min_size=m, max_size=m), min_size=1, max_size=4
        )
    ),
    share=st.floats(0, 1),
)
def test_rows_are_projected_as_by_the_oracle(rows, share):
    floor = share / len(rows[0])
    found = project_rows(np.array(rows), floor)
    expected = [oracle.project(row, floor) for row in rows]
    np.testing.assert_allclose(found, expected, atol=1e-9)
    assert (found >= floor).all()
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_projection_is_the_nearest_by_a_general_solver(rng):
    row, floor = rng.normal(size=6), 0.02
    found = minimize(
        lambda q: ((q - row) ** 2).sum(),
        np.full(6, 1 / 6),
        bounds=[(floor, 1)] * 6,
        constraints={"type": "eq", "fun": lambda q: q.sum() - 1},
        options={"ftol": 1e-14},
    )
    np.testing.assert_allclose(project_rows(row[None], floor)[0], found.x, atol=1e-6)


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 9),
    m=st.integers(1, 12),
    smoothness=st.sampled_from([0.0, 2.0]),
    rank_penalty=st.sampled_from([0.0, 0.7]),
    block=st.sampled_from([3, 1024]),
)
def test_objective_and_step_are_those_of_the_oracle(seed, n, m, smoothness, rank_penalty, block):
    rng = np.random.default_rng(seed)
    tags, graph = made(rng, n, m)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tag_recovery, "_ROWS", block)
        recovery = recovery_of(tags, graph, smoothness, rank_penalty, floor=1e-3 / m)
    chances = project_rows(rng.random((n, m)), 1e-3 / m)
    start = recovery._point(chances)
    problem = tags.tolist(), graph.tolist(), smoothness, rank_penalty
    expected = oracle.objective(chances.tolist(), *problem)
    assert recovery._whole(start) == pytest.approx(expected, rel=1e-9)
    found, length = recovery._step(start, 0.5)
    expected = oracle.step(chances.tolist(), *problem, 1e-3 / m, length)
    np.testing.assert_allclose(found.chances, expected, atol=1e-7)


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    smoothness=st.sampled_from([0.0, 1.0, 30.0]),
    rank_penalty=st.sampled_from([0.0, 0.5, 5.0]),
)
def test_objective_never_rises(seed, smoothness, rank_penalty):
    rng = np.random.default_rng(seed)
    tags, graph = made(rng, 15, 6)
    recovery = recovery_of(tags, graph, smoothness, rank_penalty)
    chances = recovery.solve(60)
    assert (np.diff(recovery.values) <= 0).all()
    expected = oracle.objective(
        chances.tolist(), tags.tolist(), graph.tolist(), smoothness, rank_penalty
    )
    assert recovery.values[-1] == pytest.approx(expected, rel=1e-9)
    assert (chances >= 1e-6).all()
    np.testing.assert_allclose(chances.sum(axis=1), 1)


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 12), m=st.integers(1, 8))
def test_without_penalties_it_is_the_tags_with_rows_that_sum_up_to_1(seed, n, m):
    tags, _ = made(np.random.default_rng(seed), n, m)
    chances = recovery_of(tags).solve(1000, tolerance=1e-12)
    tagged = tags.any(axis=1)
    shares = tags[tagged] / tags[tagged].sum(axis=1, keepdims=True)
    np.testing.assert_allclose(chances[tagged], shares, atol=1e-4)


def test_without_penalties_by_the_method_too(rng):
    X = rng.normal(size=(40, 3))
    tags = (rng.random((40, 6)) < 0.4).astype(int)
    tags[:, 0] |= ~tags.any(axis=1)
    method = TCMR(0, 0, tune=False).fit(X, tags)
    shares = tags / tags.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(method._chances, shares, atol=0.01)


def test_smooth_chances_are_as_low_as_by_a_general_solver(rng):
    """Without the rank penalty the problem is convex and its steps are exact."""
    tags, graph = made(rng, 6, 3)
    recovery = recovery_of(tags, graph, smoothness=3.0)
    recovery.solve(1000, tolerance=1e-12)
    laplacian = np.diag(graph.sum(axis=0)) - graph

    def value(flat):
        q = flat.reshape(6, 3)
        return -np.log(q[tags > 0]).sum() + 1.5 * np.trace(q.T @ laplacian @ q)

    found = minimize(
        value,
        np.full(18, 1 / 3),
        method="SLSQP",
        bounds=[(1e-6, 1)] * 18,
        constraints={"type": "eq", "fun": lambda flat: flat.reshape(6, 3).sum(axis=1) - 1},
        options={"ftol": 1e-12, "maxiter": 1000},
    )
    assert recovery.values[-1] == pytest.approx(found.fun, rel=1e-5)


@pytest.mark.parametrize("rank_penalty", [0.3, 3.0])
def test_all_terms_together_come_near_the_least_by_a_general_solver(rank_penalty, rng):
    tags, graph = made(rng, 6, 3)
    recovery = recovery_of(tags, graph, smoothness=3.0, rank_penalty=rank_penalty)
    chances = recovery.solve(500, tolerance=1e-9)
    problem = tags.tolist(), graph.tolist(), 3.0, rank_penalty
    found = minimize(
        lambda flat: oracle.objective(flat.reshape(6, 3).tolist(), *problem),
        chances.ravel(),
        method="SLSQP",
        bounds=[(1e-6, 1)] * 18,
        constraints={"type": "eq", "fun": lambda flat: flat.reshape(6, 3).sum(axis=1) - 1},
        options={"maxiter": 100},
    )
    assert recovery.values[-1] < found.fun + 0.005 * abs(found.fun)


def test_one_pattern_is_recovered_from_few_draws(rng):
    """All items have the same chances; the rank penalty alone brings their tags together."""
    truth = rng.dirichlet(np.full(10, 5.0))
    tags = (rng.random((300, 10)) < 3 * truth).astype(int)
    X = rng.normal(size=(300, 2))

    def error(rank_penalty):
        chances = TCMR(0, rank_penalty, tune=False).fit(X, tags)._chances
        return np.abs(chances - tags.mean(axis=0) / tags.mean(axis=0).sum()).sum(axis=1).mean()

    alone, together = error(0.0), error(6.0)
    assert together < 0.3
    assert alone > 1


def test_missing_tags_are_found(rng):
    group = np.arange(150) % 5
    X = np.eye(5)[group] + rng.normal(scale=0.1, size=(150, 5))
    tags = np.repeat(np.eye(5, dtype=int), 2, axis=1)[group]
    lost = rng.choice(150, 40, replace=False)
    tags[lost, 2 * group[lost]] = 0
    tags[lost[:10]] = 0  # no tags left at all
    method = TCMR(random_state=0).fit(X, tags)
    scores = method.scores_.toarray()
    np.testing.assert_array_equal(scores[lost[10:]].argmax(axis=1), 2 * group[lost[10:]])
    np.testing.assert_array_equal(scores[lost[:10]].argmax(axis=1) // 2, group[lost[:10]])
    assert (np.diff(method.objective_) <= 0).all()


def test_new_items_get_the_mean_of_those_alike(rng):
    X = rng.normal(size=(50, 4))
    tags = (rng.random((50, 6)) < 0.4).astype(int)
    method = TCMR(n_neighbors=5, tune=False, n_scores=None).fit(X, tags)
    new = rng.normal(size=(3, 4))
    indices, distances = nearest_items(new, X, 7)
    weights = np.exp(-((distances[:, :5] / distances[:, [6]]) ** 2))
    weights /= weights.sum(axis=1, keepdims=True)
    expected = np.einsum("ij,ijk->ik", weights, method._chances[indices[:, :5]])
    np.testing.assert_allclose(method.predict(new).toarray(), expected)
    np.testing.assert_array_equal(
        method.predict(new, tags[:3]).toarray(), method.predict(new).toarray()
    )
    assert np.isfinite(TCMR(tune=False).fit(X * 0, tags).predict(X * 0).toarray()).all()


def test_graph_has_mean_degree_1(rng):
    graph = gaussian_graph(rng.normal(size=(30, 3)), 5)
    laplacian = _laplacian(graph)
    assert laplacian.diagonal().mean() == pytest.approx(1)
    np.testing.assert_allclose(laplacian.sum(axis=1), 0, atol=1e-12)


def test_twice_the_collection_has_the_same_chances(rng):
    """The unit of the rank penalty grows with the collection as its other terms do."""
    X = rng.normal(size=(40, 3))
    tags = (rng.random((40, 6)) < 0.4).astype(int)
    once = TCMR(0, 0.5, tune=False).fit(X, tags)
    twice = TCMR(0, 0.5, tune=False).fit(np.vstack([X, X]), np.vstack([tags, tags]))
    np.testing.assert_allclose(twice._chances, np.vstack([once._chances] * 2), atol=1e-2)


@pytest.mark.parametrize("m", [6, 60])
def test_threads_do_not_change_bits(m, rng, monkeypatch):
    monkeypatch.setattr(tag_recovery, "_ROWS", 8)
    tags, graph = made(rng, 40, m)
    one, three = (recovery_of(tags, graph, 1.0, 1.0, n_threads=k).solve(20) for k in (1, 3))
    np.testing.assert_array_equal(one, three)


@pytest.mark.parametrize("name", ["smoothness", "rank_penalty"])
@pytest.mark.parametrize("wrong", [-1.0, np.inf, np.nan])
def test_wrong_settings_are_explained(name, wrong):
    with pytest.raises(ValueError, match=f"{name} must be a finite number of at least 0; got"):
        TCMR(**{name: wrong}).fit(np.eye(3), np.eye(3))


def test_ctrl_c_stops_it(rng):
    tags = sparse.csr_array((rng.random((6000, 300)) < 0.02).astype(np.uint8))
    sizes = {"smoothness": 0.0, "rank_penalty": 1.0, "floor": 1e-6, "n_threads": 2}
    recovery = Recovery(tags, sparse.csr_array((6000, 6000)), **sizes)
    with CtrlC(0.7) as ctrl_c, pytest.raises(KeyboardInterrupt):
        recovery.solve(10_000, tolerance=0.0)
    assert time.monotonic() - ctrl_c.sent < PATIENCE
