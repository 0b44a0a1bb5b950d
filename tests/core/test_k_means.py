"""k-means equals plain loops from the same seeds, for any number of threads and any registers."""

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from tests.oracle import k_means as oracle
from threadpoolctl import threadpool_limits

from conceptforest import _core


def k_means(points, n_clusters, **options):
    options = {"n_init": 1, "max_iter": 300, "seed": 0, "n_threads": 1, "progress": None} | options
    points = np.ascontiguousarray(points, dtype=np.float64)
    return _core.k_means(points, n_clusters, **options)


def noisy_clusters(rng, n, d, k, noise=0.2):
    """Rows of length 1 around k directions, as a spectral embedding has them."""
    centres = rng.normal(size=(k, d))
    centres /= np.linalg.norm(centres, axis=1, keepdims=True)
    points = centres[rng.integers(0, k, n)] + noise * rng.normal(size=(n, d))
    return points / np.linalg.norm(points, axis=1, keepdims=True)


def squared_distances(points, centres):
    return ((points[:, None, :] - centres[None]) ** 2).sum(axis=2)


def assert_same_bits(one, other):
    np.testing.assert_array_equal(one[0], other[0])
    assert one[1].tobytes() == other[1].tobytes()
    assert one[2:] == other[2:]


def assert_equals_oracle(points, k, **options):
    labels, centres, inertia, n_iter = k_means(points, k, n_threads=2, **options)
    expected = oracle.k_means(points.tolist(), k, **options)
    assert labels.tolist() == expected[0]
    assert n_iter == expected[3]
    assert inertia == expected[2]
    np.testing.assert_array_equal(centres, np.array(expected[1]))


@settings(deadline=None, max_examples=150)
@given(data=st.data())
def test_equals_the_oracle(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    n, d = data.draw(st.integers(1, 40)), data.draw(st.integers(1, 9))
    k = data.draw(st.integers(1, min(n, 18)))
    kind = data.draw(st.sampled_from(["smooth", "grid", "few", "same"]))
    if kind == "smooth":
        points = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-9, 9) + rng.normal(size=d)
    elif kind == "grid":  # many ties
        points = rng.integers(0, 4, (n, d)).astype(float)
    else:  # fewer distinct points than clusters
        points = rng.normal(size=(1 if kind == "same" else 3, d))[
            np.arange(n) % 3 * (kind == "few")
        ]
    max_iter = data.draw(st.sampled_from([1, 2, 300]))
    seed = data.draw(st.integers(0, 2**64 - 1))
    assert_equals_oracle(points, k, n_init=2, max_iter=max_iter, seed=seed)


@settings(deadline=None, max_examples=15)
@given(seed=st.integers(0, 2**32 - 1), d=st.sampled_from([1, 2, 16]), k=st.sampled_from([2, 8, 17]))
@example(seed=0, d=2, k=60)
def test_bounds_skip_nothing_that_matters(seed, d, k):
    points = np.random.default_rng(seed).normal(size=(300, d))  # no clusters: many iterations
    assert_equals_oracle(points, k, n_init=1, max_iter=300, seed=seed)


@pytest.mark.parametrize("seed", [1066, 3769, 6369])
def test_an_empty_cluster_takes_the_farthest_point(seed, monkeypatch):
    # From the seeds -6, 0 and 21, the outer centres move inwards and take both points of the
    # middle one, which then lies between them at 5.
    points = np.array([-6, -3.01, -3.01, 0, 10, 10.6, 10.6, 21]).reshape(-1, 1)
    filled = []

    def fill_empty(problem, centres, labels):
        before = list(labels)
        fill(problem, centres, labels)
        filled.append(labels != before)

    fill = oracle.fill_empty
    monkeypatch.setattr(oracle, "fill_empty", fill_empty)
    assert_equals_oracle(points, 3, n_init=1, max_iter=300, seed=seed)
    assert any(filled)
    assert set(k_means(points, 3, seed=seed)[0]) == {0, 1, 2}


def test_more_points_than_a_block(rng):
    points = noisy_clusters(rng, 5000, 3, 4)
    labels, centres, inertia, n_iter = k_means(points, 4, n_init=1, seed=3)
    expected = oracle.k_means(points.tolist(), 4, n_init=1, max_iter=300, seed=3)
    assert labels.tolist() == expected[0]
    assert n_iter == expected[3]
    assert inertia == pytest.approx(expected[2], rel=1e-12)
    np.testing.assert_allclose(centres, expected[1], rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    ("n", "n_init"), [(3000, 5), (9000, 1), (33_000, 2)], ids=["seedings", "few", "many points"]
)
def test_same_bits_for_any_number_of_threads(rng, n, n_init):
    points = noisy_clusters(rng, n, 6, 9)
    one = k_means(points, 9, n_init=n_init)
    for n_threads in (2, 3, 8):
        assert_same_bits(one, k_means(points, 9, n_init=n_init, n_threads=n_threads))


@pytest.mark.parametrize(("d", "k"), [(1, 3), (5, 8), (17, 20), (30, 30)])
def test_same_bits_for_any_registers(rng, d, k):
    points = noisy_clusters(rng, 2500, d, k) + rng.normal(size=(2500, d)) / 10
    found = []
    for register_bytes in (64, 32, 16):
        _core.limit_registers(register_bytes)
        found.append(k_means(points, k, n_init=3))
    _core.limit_registers(64)
    for other in found[1:]:
        assert_same_bits(found[0], other)


@pytest.mark.parametrize("spread", [0.5, 3.0])
def test_no_worse_than_scikit_learn(spread):
    points, _ = make_blobs(2000, 8, centers=12, cluster_std=spread, random_state=1)
    with threadpool_limits(1):
        theirs = KMeans(12, n_init=20, tol=0, random_state=0).fit(points).inertia_
    labels, centres, inertia, _ = k_means(points, 12, n_init=20, n_threads=2)
    assert inertia <= 1.001 * theirs
    distances = squared_distances(points, centres)
    np.testing.assert_array_equal(labels, distances.argmin(axis=1))
    assert inertia == pytest.approx(distances.min(axis=1).sum())


def test_the_best_seeding_is_kept(rng):
    points = rng.normal(size=(200, 3))
    inertias = [k_means(points, 10, n_init=n, seed=5)[2] for n in range(1, 12)]
    assert inertias == sorted(inertias, reverse=True)
    assert inertias[-1] < inertias[0]


def test_a_far_offset_loses_no_precision(rng):
    points = rng.integers(0, 1024, (300, 4)) / 1024  # exact with the offset, too
    near, far = k_means(points, 7), k_means(points + 2.0**20, 7)
    np.testing.assert_array_equal(near[0], far[0])
    np.testing.assert_allclose(near[1], far[1] - 2.0**20, atol=1e-9)
    assert near[2] == pytest.approx(far[2], rel=1e-9)


def test_as_many_clusters_as_points(rng):
    points = rng.normal(size=(50, 3))
    labels, centres, inertia, _ = k_means(points, 50)
    assert sorted(labels) == list(range(50))
    np.testing.assert_allclose(centres[labels], points, rtol=1e-12)
    assert inertia < 1e-20


def test_one_cluster_is_the_mean(rng):
    points = rng.normal(size=(50, 3))
    labels, centres, inertia, n_iter = k_means(points, 1)
    assert not labels.any()
    np.testing.assert_allclose(centres[0], points.mean(axis=0), atol=1e-15)
    assert inertia == pytest.approx(points.var(axis=0).sum() * 50)
    assert n_iter == 1


def test_fewer_distinct_points_than_clusters():
    points = np.repeat([[0.1, 0.2], [0.3, -0.4], [5.0, 6.0]], 20, axis=0)
    labels, centres, inertia, n_iter = k_means(points, 8, n_init=4)
    assert inertia < 1e-20
    assert n_iter < 5
    assert len(set(labels)) == 3
    np.testing.assert_allclose(centres[labels], points, rtol=1e-12)
    assert np.isfinite(centres).all()


def test_progress_counts_seedings(rng):
    seen = []
    k_means(rng.normal(size=(200, 2)), 3, n_init=6, progress=seen.append)
    assert seen[-1] == 6


@pytest.mark.parametrize(("n", "n_threads"), [(500, 1), (40_000, 2)])
def test_an_error_in_the_progress_stops_it(rng, n, n_threads):
    def fail(_done):
        raise KeyboardInterrupt

    points = rng.normal(size=(n, 8))
    with pytest.raises(KeyboardInterrupt):
        k_means(points, 20, n_init=10**6, n_threads=n_threads, progress=fail)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_clusters": 0}, "n_clusters"),
        ({"n_clusters": 6}, "n_clusters"),
        ({"n_init": 0}, "n_init"),
        ({"max_iter": 0}, "max_iter"),
        ({"points": np.full((5, 2), np.nan)}, "finite"),
        ({"points": np.full((5, 2), np.inf)}, "finite"),
        ({"points": np.full((5, 2), 1e101)}, "1e100"),
        ({"points": np.empty((5, 0))}, "shape"),
    ],
)
def test_bad_input(change, message):
    given = {"points": np.zeros((5, 2)), "n_clusters": 2} | change
    with pytest.raises(ValueError, match=message):
        k_means(**given)
