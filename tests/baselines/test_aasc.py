"""AASC: the weight step against the curve of its constraints, two graphs, noise, the embedding."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.optimize import minimize
from sklearn.metrics import adjusted_rand_score
from tests.oracle import subspaces as oracle

from conceptforest.baselines import aasc
from conceptforest.baselines.aasc import AASC, aggregate, better_weights, eigenvectors
from conceptforest.baselines.gaussian_graph import gaussian_graph, gaussian_graphs

N = 120


def terms(rng, n_graphs):
    """Volumes and cuts of an eigenvector, and weights that meet the constraints."""
    weights = rng.dirichlet(np.ones(n_graphs))
    volumes = rng.uniform(0.2, 3, size=n_graphs)
    volumes /= volumes @ weights**2
    return volumes, volumes * rng.uniform(0, 1.5, size=n_graphs), weights


def assert_allowed(weights, volumes):
    assert (weights >= 0).all()
    assert weights.sum() == pytest.approx(1, abs=1e-8)
    assert volumes @ weights**2 == pytest.approx(1, abs=1e-8)


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n_graphs=st.integers(2, 10))
def test_weights_meet_the_constraints_and_make_the_cut_no_dearer(seed, n_graphs):
    volumes, cuts, weights = terms(np.random.default_rng(seed), n_graphs)
    found = better_weights(volumes, cuts, weights)
    assert_allowed(found, volumes)
    assert cuts @ found**2 <= cuts @ weights**2 + 1e-12


@settings(max_examples=100, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_weights_of_three_graphs_are_the_cheapest_of_all(seed):
    volumes, cuts, weights = terms(np.random.default_rng(seed), 3)
    curve = oracle.weights_of_three(volumes)
    np.testing.assert_allclose(curve**2 @ volumes, 1)
    objective = curve**2 @ cuts
    best = curve[objective.argmin()]
    assume(best.min() > 0.02)  # else the cheapest weights have a sign that is not allowed
    found = better_weights(volumes, cuts, weights)
    assert cuts @ found**2 == pytest.approx(objective.min(), rel=1e-4, abs=1e-6)
    np.testing.assert_allclose(found, best, atol=0.02)


def test_weights_are_those_of_a_general_solver(rng):
    volumes = np.array([4.0, 5.0, 6.0, 7.0])
    cuts = volumes * np.array([0.2, 0.25, 0.3, 0.35])
    weights = np.full(4, 0.25)
    volumes /= volumes @ weights**2
    found = better_weights(volumes, cuts, weights)
    solved = [
        minimize(
            lambda v: cuts @ v**2,
            rng.dirichlet(np.ones(4)),
            bounds=[(0, 1)] * 4,
            constraints=[
                {"type": "eq", "fun": lambda v: v.sum() - 1},
                {"type": "eq", "fun": lambda v: volumes @ v**2 - 1},
            ],
            method="SLSQP",
            options={"ftol": 1e-14},
        )
        for _ in range(10)
    ]
    best = min((one for one in solved if one.success), key=lambda one: one.fun)
    assert cuts @ found**2 == pytest.approx(best.fun, rel=1e-6)


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 2**32 - 1))
def test_two_weights_stay_or_jump_to_their_mirror(seed):
    volumes, cuts, weights = terms(np.random.default_rng(seed), 2)
    found = better_weights(volumes, cuts, weights)
    points = oracle.two_weights(volumes)
    assert min(np.abs(point - weights).max() for point in points) < 1e-6  # where they are
    assert min(np.abs(point - found).max() for point in points) < 1e-6
    allowed = [point for point in points if point.min() >= 1e-9]
    cheapest = min((cuts @ point**2 for point in allowed), default=cuts @ weights**2)
    assert cuts @ found**2 == pytest.approx(cheapest, rel=1e-6)


def test_weights_stay_where_all_cuts_are_alike(rng):
    volumes, _, weights = terms(rng, 5)
    np.testing.assert_array_equal(better_weights(volumes, 0.3 * volumes, weights), weights)


def ring_graph(order, reach=4):
    """Join each item to the next ones in a circle, so that all have the same degree."""
    n = len(order)
    rows = np.repeat(np.arange(n), reach)
    columns = (rows + np.tile(np.arange(1, reach + 1), n)) % n
    one_way = sparse.csr_array((np.ones(len(rows)), (order[rows], order[columns])), shape=(n, n))
    return (one_way + one_way.T).tocsr()


def test_uninformative_and_informative_graph_count_the_same_for_ever(rng):
    """The two-graph method cannot learn: of equal degrees, one half each is the only point."""
    group = np.arange(N) % 3
    within = sparse.csr_array((group[:, None] == group).astype(float) - np.eye(N))
    noise = ring_graph(rng.permutation(N))
    graphs = [within * (noise.sum() / within.sum()), noise]
    method = AASC(3)
    np.testing.assert_array_equal(method._learn_weights(graphs), [0.5, 0.5])
    assert method.n_iter_ == 2


def test_weight_of_noise_falls_among_three_graphs(rng):
    """Below a third, and below that of a graph of the same size that has the groups too."""
    group = np.arange(N) % 3
    X = 4 * np.eye(3)[group]
    few, many = (gaussian_graph(X + rng.normal(size=(N, 3)), k) for k in (5, 20))
    last = {
        name: AASC(3)._learn_weights([few, many, gaussian_graph(rows, 10)])[2]
        for name, rows in (
            ("noise", rng.normal(size=(N, 3))),
            ("groups", X + rng.normal(size=(N, 3))),
        )
    }
    assert last["noise"] < 0.25
    assert last["noise"] < last["groups"] - 0.04


def test_graphs_of_equal_degrees_cannot_be_told_apart(rng):
    """However many there are: the constraints leave a single point, their equal weights."""
    graphs = [ring_graph(rng.permutation(N)) for _ in range(4)]
    graphs.append(ring_graph(np.arange(N)))  # the only one with any structure
    np.testing.assert_allclose(AASC(3)._learn_weights(graphs), 0.2, atol=1e-6)


@pytest.mark.parametrize("unit_rows", [False, True])
@pytest.mark.parametrize("kernels", ["pair", "multi"])
def test_finds_planted_groups(kernels, unit_rows, rng):
    group = np.arange(N) % 3
    X = 4 * np.eye(3)[group] + rng.normal(size=(N, 3))
    Y = rng.random((N, 9)) < np.kron(np.eye(3), np.ones(3))[group] * 0.5 + 0.05
    method = AASC(3, kernels=kernels, unit_rows=unit_rows, random_state=0).fit(X, Y.astype(int))
    assert adjusted_rand_score(group, method.labels_) > 0.9
    assert len(method.weights_) == {"pair": 2, "multi": 10}[kernels]
    assert method.weights_.sum() == pytest.approx(1)


def test_embedding_is_that_of_dense_algebra(rng):
    n = 400  # more than the solver treats as dense
    graphs = [gaussian_graph(rng.normal(size=(n, 2)), 8, seed=seed) for seed in range(2)]
    total = aggregate(graphs, np.array([0.3, 0.7]))
    np.testing.assert_allclose(
        total.toarray(), 0.09 * graphs[0].toarray() + 0.49 * graphs[1].toarray()
    )
    found, expected = eigenvectors(total, 5), oracle.smallest_eigenvectors(total, 5)
    for vector, other in zip(found.T, expected.T, strict=True):
        np.testing.assert_allclose(vector, other * np.sign(vector @ other), atol=1e-5)


def test_weights_are_learned_from_the_second_eigenvector(rng):
    graphs = [gaussian_graph(rng.normal(size=(60, 2)), 6, seed=seed) for seed in range(4)]
    start = np.full(4, 0.25)
    vector = oracle.smallest_eigenvectors(aggregate(graphs, start), 2)[:, 1]
    dense = [graph.toarray() for graph in graphs]
    volumes = np.array([vector**2 @ graph.sum(axis=1) for graph in dense])
    cuts = np.array([vector @ (np.diag(graph.sum(axis=1)) - graph) @ vector for graph in dense])
    assert volumes @ start**2 == pytest.approx(1)  # the constraint holds from the start
    found = AASC(2, max_iter=1)._learn_weights(graphs)
    np.testing.assert_allclose(found, better_weights(volumes, cuts, start), atol=1e-6)


def test_items_without_affinity_join_the_nearest(monkeypatch, rng):
    X = np.repeat([[0.0], [5.0]], 20, axis=0) + rng.normal(scale=0.1, size=(40, 1))
    Y = np.repeat(np.eye(2, dtype=int), 20, axis=0)

    def cut(rows, *args, **kwargs):
        found = []
        for graph in gaussian_graphs(rows, *args, **kwargs):
            loose = graph.tolil()
            loose[3, :] = loose[:, 3] = 0
            found.append(loose.tocsr())
            found[-1].eliminate_zeros()
        return found

    monkeypatch.setattr(aasc, "gaussian_graphs", cut)
    labels = AASC(2, random_state=0).fit(X, Y).labels_
    assert adjusted_rand_score(Y[:, 0], labels) == 1


def test_bandwidths_are_those_of_both_views(rng, monkeypatch):
    X, Y = rng.normal(size=(40, 2)), np.eye(40, 5, dtype=int)
    seen = []
    monkeypatch.setattr(AASC, "_learn_weights", lambda self, graphs: seen.append(graphs) or self.w)
    for kernels, widths in (("pair", [1]), ("multi", [0.25, 0.5, 1, 2, 4])):
        method = AASC(2, kernels=kernels, random_state=0)
        method.w = np.full(2 * len(widths), 0.5 / len(widths))
        method.fit(X, Y)
        graphs = seen.pop()
        assert len(graphs) == 2 * len(widths)
        middle = graphs[len(widths) // 2]
        for graph, width in zip(graphs, widths, strict=False):
            np.testing.assert_allclose(graph.data, middle.data ** (1 / width), rtol=1e-9)


@pytest.mark.parametrize("wanted", [False, True])
def test_rows_have_length_1_where_wanted(wanted, rng, monkeypatch):
    seen = []

    def watch(rows, *args, **kwargs):
        seen.append(rows)
        return original(rows, *args, **kwargs)

    original = aasc.k_means
    monkeypatch.setattr(aasc, "k_means", watch)
    X, Y = rng.normal(size=(N, 2)), rng.integers(2, size=(N, 4))
    AASC(4, unit_rows=wanted, random_state=0).fit(X, Y)
    assert np.allclose(np.linalg.norm(seen[0], axis=1), 1) == wanted


def test_unknown_kernels_are_refused():
    with pytest.raises(ValueError, match="kernels must be one of 'pair', 'multi'; got 'many'"):
        AASC(2, kernels="many").fit([[0.0], [1.0]], [{"a"}, {"b"}])
