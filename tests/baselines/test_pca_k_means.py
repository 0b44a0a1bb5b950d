"""PCA or SVD before k-means: the subspaces of dense algebra, and the balance of two blocks."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import adjusted_rand_score
from threadpoolctl import threadpool_limits

from conceptforest.baselines.k_means import KMeans
from conceptforest.baselines.pca_k_means import (
    PcaKMeans,
    latent_components,
    principal_components,
)
from conceptforest.tags import parse_tags


@pytest.fixture(autouse=True)
def one_thread():
    """Small products: threads of algebra would only wait for each other."""
    with threadpool_limits(1):
        yield


@pytest.fixture
def groups(rng):
    """Six groups that features tell apart in pairs, and tags the two of a pair."""
    group = np.repeat(np.arange(6), 40)
    X = 8 * np.eye(3, 90)[group // 2] + rng.normal(size=(240, 90))
    tags = np.eye(2)[group % 2][:, np.repeat([0, 1], 4)] * (rng.random((240, 8)) < 0.8)
    return X, sparse.csr_array(tags.astype(np.uint8)), group


def leading(rows, k):
    """Coordinates of the leading singular vectors, by dense algebra."""
    left, values, _ = np.linalg.svd(rows, full_matrices=False)
    return left[:, :k] * values[:k]


def assert_same_points(one, other, tolerance):
    """Coordinates are unique up to signs, which products of points do not see."""
    np.testing.assert_allclose(one @ one.T, other @ other.T, atol=tolerance)


@pytest.mark.parametrize("shape", [(60, 20), (900, 30), (520, 90)])  # each by another solver
def test_principal_components_are_those_of_dense_algebra(shape, rng):
    rotation = np.linalg.qr(rng.normal(size=(shape[1], shape[1])))[0]
    X = rng.normal(size=shape) * 0.8 ** np.arange(shape[1]) @ rotation + 5
    found = principal_components(X.astype(np.float32), 8, seed=1)
    assert found.shape == (shape[0], 8)
    assert_same_points(found, leading(X - X.mean(axis=0), 8), 1e-4)


def test_latent_components_are_those_of_dense_algebra(rng):
    tags = (rng.random((150, 40)) < 0.15).astype(np.uint8)
    tags[::9] = 0
    found = latent_components(parse_tags(tags), 7, seed=1)
    frequency = tags.sum(axis=0)
    weights = tags * (np.log(151 / (1 + frequency)) + 1)
    length = np.linalg.norm(weights, axis=1, keepdims=True)
    expected = leading(weights / np.where(length > 0, length, 1), 7)
    size = np.linalg.norm(expected, axis=1, keepdims=True)
    assert_same_points(found, expected / np.where(size > 1e-12, size, np.inf), 1e-8)
    assert not found[::9].any()


def test_items_that_the_components_say_nothing_of_have_no_direction(rng):
    tags = np.zeros((100, 30), dtype=int)
    tags[:90, :10] = rng.random((90, 10)) < 0.5
    tags[np.arange(90, 100), 20 + np.arange(10)] = 1  # ten tags of one item each
    found = latent_components(parse_tags(tags), 5)
    assert not found[90:].any()
    lengths = np.linalg.norm(found[:90][tags[:90].any(axis=1)], axis=1)
    np.testing.assert_allclose(lengths, 1)


@pytest.mark.parametrize("shape", [(50, 9), (9, 50), (12, 1)])
def test_where_nothing_is_left_out_points_are_only_turned(shape, rng):
    tags = np.ones(shape, dtype=int)
    tags[rng.random(shape) < 0.5] = 0
    tags[:, 0] = 1
    weights = latent_components(parse_tags(tags), 64)
    assert_same_points(weights, leading(weights, 64), 1e-12)
    X = rng.normal(size=shape)
    assert_same_points(principal_components(X, 64), (X - X.mean(axis=0)), 1e-12)


def test_all_components_give_plain_k_means(groups):
    X, tags, _ = groups
    reduced = PcaKMeans(3, n_components=90, random_state=0).fit(X, tags)
    plain = KMeans(3, random_state=0).fit(X, tags)
    assert adjusted_rand_score(reduced.labels_, plain.labels_) == 1
    assert reduced.inertia_ == pytest.approx(plain.inertia_)


def test_finds_planted_groups(groups):
    X, tags, group = groups
    for mode, n_clusters, truth in (
        ("vision", 3, group // 2),
        ("tags", 2, group % 2),
        ("balanced", 6, group),
    ):
        method = PcaKMeans(n_clusters, mode=mode, n_components=3, random_state=0)
        assert adjusted_rand_score(truth, method.fit(X, tags).labels_) > 0.95


def test_balance_is_not_a_matter_of_scale(groups):
    X, tags, _ = groups
    one, large = (
        PcaKMeans(6, mode="balanced", n_components=3, random_state=0).fit(X * scale, tags)
        for scale in (1, 1024)
    )
    np.testing.assert_array_equal(one.labels_, large.labels_)
    assert one.inertia_ == pytest.approx(large.inertia_)


def test_features_that_never_change_leave_the_tags_to_decide(groups):
    _, tags, group = groups
    method = PcaKMeans(2, mode="balanced", random_state=0).fit(np.ones((240, 3)), tags)
    assert adjusted_rand_score(group % 2, method.labels_) > 0.95


def test_threads_of_algebra_do_not_matter(rng):
    X = rng.normal(size=(700, 600))
    found = []
    for n_threads in (1, 2):
        with threadpool_limits(n_threads):
            found.append(PcaKMeans(9, random_state=0, n_jobs=n_threads).fit(X, np.eye(700, 3)))
    np.testing.assert_array_equal(found[0].labels_, found[1].labels_)
    assert found[0].inertia_ == found[1].inertia_
