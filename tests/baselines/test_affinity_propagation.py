"""The search for a preference: its limits, the run it keeps, and what becomes of too many."""

import itertools

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import adjusted_rand_score
from tests.oracle import affinity_propagation as oracle

from conceptforest.baselines import affinity_propagation
from conceptforest.baselines.affinity_propagation import (
    AffinityPropagation,
    Probe,
    _add_noise,
    _join,
    _limits,
    _to_gaussian,
)
from conceptforest.baselines.dense_distances import squared_distances
from conceptforest.baselines.gaussian_graph import gaussian_graph
from conceptforest.baselines.message_passing import Messages, Run


@pytest.fixture
def groups(rng):
    """Six round groups of different sizes, told apart by features and by tags."""
    group = np.repeat(np.arange(6), [60, 50, 40, 30, 20, 20])
    X = 8 * np.eye(6)[group] + rng.normal(size=(220, 6))
    tags = np.eye(6)[group][:, np.repeat(np.arange(6), 3)] * (rng.random((220, 18)) < 0.95)
    return X, sparse.csr_array(tags.astype(np.uint8)), group


def similarity_of(X):
    return -squared_distances((X,))[0]


@pytest.mark.parametrize("mode", AffinityPropagation.modes)
def test_finds_planted_groups(mode, groups):
    X, tags, group = groups
    method = AffinityPropagation(6, mode=mode, random_state=0).fit(X, tags)
    assert method.n_clusters_ == 6
    assert adjusted_rand_score(group, method.labels_) > 0.9


def test_finds_planted_groups_by_the_gaussian(groups):
    X, tags, group = groups
    method = AffinityPropagation(6, similarity="gaussian", random_state=0).fit(X, tags)
    assert adjusted_rand_score(group, method.labels_) > 0.95


def test_gaussian_is_that_of_the_graph_of_all_pairs(rng):
    X = rng.normal(size=(40, 3))
    X[:9] = X[0]
    squares, _ = squared_distances((X,), dtype=np.float64)
    _to_gaussian(squares)
    np.fill_diagonal(squares, 0)
    np.testing.assert_allclose(squares, gaussian_graph(X, 39).toarray(), rtol=1e-9)


def test_limits_are_those_of_all_pairs_of_exemplars(rng):
    s = similarity_of(rng.normal(size=(25, 3)))
    low, high = _limits(s.copy())
    exact = s.astype(float).tolist()
    one = max(oracle.net_similarity(exact, (k,)) for k in range(25))
    two = max(oracle.net_similarity(exact, pair) for pair in itertools.combinations(range(25), 2))
    assert low == pytest.approx(one - two, rel=1e-5)
    assert high == max(exact[i][k] for i in range(25) for k in range(25) if i != k)


def test_limits_of_many_items_are_no_narrower(groups, monkeypatch):
    s = similarity_of(groups[0])
    exact = _limits(s.copy())
    monkeypatch.setattr(affinity_propagation, "_PAIRS_TRIED", 0)
    bound = _limits(s.copy())
    assert bound[0] < exact[0]
    assert bound[1] == exact[1]


def test_beyond_the_upper_limit_all_items_are_exemplars(groups):
    s = similarity_of(groups[0])
    _add_noise(s, 0)
    _, high = _limits(s)
    run = Messages(s).run(high + 1e-3, max_iter=1000, patience=50)
    assert run.converged
    assert len(run.exemplars) == 220


def test_the_run_with_the_nearest_number_is_kept(rng):
    X = rng.normal(size=(150, 8))  # no groups, so that many numbers are hard to hit
    for wanted in (5, 17):
        method = AffinityPropagation(wanted, max_probes=5, random_state=0)
        labels = method.fit(X, np.eye(150, 2)).labels_
        counts = [probe.n_clusters for probe in method.probes_]
        assert all(isinstance(probe, Probe) for probe in method.probes_)
        assert len(counts) == 5 or counts[-1] == wanted
        best = min(abs(count - wanted) for count in counts)
        assert method.n_clusters_ == max(c for c in counts if abs(c - wanted) == best)
        kept = next(p for p in method.probes_ if p.preference == method.preference_)
        assert kept.n_clusters == method.n_clusters_
        assert labels.max() + 1 == min(wanted, method.n_clusters_)


def test_more_probes_come_closer(rng):
    X = rng.normal(size=(150, 8))
    few, many = (
        AffinityPropagation(17, max_probes=n, random_state=0).fit(X, np.eye(150, 2))
        for n in (1, 12)
    )
    assert abs(many.n_clusters_ - 17) < abs(few.n_clusters_ - 17)
    assert many.probes_[0] == few.probes_[0]


def test_the_most_similar_exemplars_are_joined_under_that_of_the_larger_cluster():
    place = np.array([0.0, 1.0, 3.0, 3.1, 3.2, 20.0, 30.0])
    s = -((place[:, None] - place) ** 2).astype(np.float32)
    exemplars, labels = np.array([0, 1, 3, 5, 6]), np.array([0, 1, 2, 2, 2, 3, 4])
    assert _join(s, labels, exemplars, 9).tolist() == labels.tolist()
    assert _join(s, labels, exemplars, 4).tolist() == [0, 0, 2, 2, 2, 3, 4]
    assert _join(s, labels, exemplars, 3).tolist() == [2, 2, 2, 2, 2, 3, 4]
    assert _join(s, labels, exemplars, 2).tolist() == [2, 2, 2, 2, 2, 3, 3]
    assert len(set(_join(s, labels, exemplars, 1).tolist())) == 1


def test_items_of_which_many_are_alike(rng):
    X = np.repeat(rng.normal(size=(12, 3)), 15, axis=0)
    method = AffinityPropagation(5, random_state=0).fit(X, np.eye(180, 2))
    assert method.labels_.max() + 1 == min(5, method.n_clusters_) > 1
    for start in range(0, 180, 15):
        assert len(set(method.labels_[start : start + 15])) == 1


def test_items_that_are_all_alike_are_one_cluster():
    method = AffinityPropagation(3, random_state=0).fit(np.ones((9, 2)), np.eye(9, 2))
    assert not method.labels_.any()
    assert method.n_clusters_ == 1


def test_too_many_items_are_refused_with_the_price(groups):
    X, tags, _ = groups
    with pytest.raises(ValueError, match=r"220 items .* max_items=219.*GB.*minutes.*raise max_it"):
        AffinityPropagation(6, max_items=219).fit(X, tags)


@pytest.mark.parametrize("damping", [0.4, 1.0, np.nan])
def test_damping_out_of_range_is_refused(damping, groups):
    with pytest.raises(ValueError, match=f"damping must be .* got {damping}"):
        AffinityPropagation(6, damping=damping).fit(*groups[:2])


def test_runs_without_any_exemplar_are_an_error(groups, monkeypatch):
    nobody = Run(np.empty(0, dtype=np.int64), 500, converged=False)
    monkeypatch.setattr(Messages, "run", lambda *_, **__: nobody)
    with pytest.raises(RuntimeError, match=r"None of 2 runs .* max_iter=500 "):
        AffinityPropagation(6, max_probes=2, random_state=0).fit(*groups[:2])
