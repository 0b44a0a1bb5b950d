"""CCA: planted groups, views of noise, what is shared and what is not, the shared space's cut."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import adjusted_rand_score
from tests.oracle import subspaces as oracle

from conceptforest.baselines import cca
from conceptforest.baselines.cca import CCA
from conceptforest.baselines.shared_space import cut_shared_space

N, P = 300, 4
GROUP = np.arange(N) % P


def features(rng, loud=3.0):
    """Groups along four directions, and eight louder ones without any."""
    scale = np.repeat([1.0, loud], [P, 8])
    return np.hstack([4 * np.eye(P)[GROUP], np.zeros((N, 8))]) + rng.normal(size=(N, 12)) * scale


def tags(rng, likely=0.6, other=0.05):
    """Three tags for each group, and four that anything may have."""
    chance = np.hstack([np.kron(np.eye(P), np.ones(3))[GROUP] * (likely - other) + other])
    return (rng.random((N, 3 * P + 4)) < np.hstack([chance, np.full((N, 4), 0.3)])).astype(int)


def score(X, Y, **params):
    labels = CCA(P, random_state=0, **params).fit(X, Y).labels_
    return adjusted_rand_score(GROUP, labels)


def points_of(method, X, Y, monkeypatch):
    """Give what a fit cuts."""
    seen = []

    def watch(points, *args, **kwargs):
        seen.append(points)
        return cut_shared_space(points, *args, **kwargs)

    monkeypatch.setattr(cca, "cut_shared_space", watch)
    method.fit(X, Y)
    return seen[0]


def test_finds_planted_groups_among_louder_features(rng):
    assert score(features(rng), tags(rng), n_components=P - 1) > 0.95


def test_clusters_the_sums_of_the_projections(rng, monkeypatch):
    X, Y = features(rng), sparse.csr_array(tags(rng))
    values, projections = oracle.canonical([X, Y], 1e-4)
    method = CCA(P, random_state=0)
    points = points_of(method, X, Y, monkeypatch)
    np.testing.assert_allclose(method.correlations_, values - 1, atol=1e-9)
    expected = projections[0] + projections[1]
    np.testing.assert_allclose(points @ points.T, expected @ expected.T, atol=1e-6)


def test_few_components(rng, monkeypatch):
    points = points_of(
        CCA(P, n_components=2, random_state=0), features(rng), tags(rng), monkeypatch
    )
    assert points.shape == (N, 2)


@pytest.mark.parametrize("noise", ["features", "tags"])
def test_a_view_of_noise_does_not_drown_the_other(noise, rng):
    """The reason for the sum: by the projection of the noise alone nothing is found."""
    X, Y = features(rng)[:, :P], tags(rng)
    if noise == "features":
        X = rng.normal(size=(N, 20))
    else:
        Y = (rng.random((N, P)) < 0.3).astype(int)
    _, projections = oracle.canonical([X, sparse.csr_array(Y)], 1e-4)
    alone = cut_shared_space(projections[0 if noise == "features" else 1], X, P)
    assert adjusted_rand_score(GROUP, alone) < 0.02
    assert score(X, Y) > 0.2


def test_tags_on_no_item_change_nothing(rng):
    X, Y = features(rng), tags(rng)
    wide = np.insert(Y, [0, 5, 5], 0, axis=1)
    one, other = (CCA(P, random_state=0).fit(X, given) for given in (Y, wide))
    np.testing.assert_array_equal(one.labels_, other.labels_)
    np.testing.assert_array_equal(one.correlations_, other.correlations_)


def test_more_features_than_items(rng):
    X = np.hstack([features(rng), np.zeros((N, 500))]) + rng.normal(scale=0.1, size=(N, 512))
    assert score(X, tags(rng), regularisation=1.0, n_components=P - 1) > 0.8


def test_views_that_share_nothing_make_one_cluster(rng):
    method = CCA(P, random_state=0).fit(features(rng), np.ones((N, 2), dtype=int))
    assert (method.labels_ == 0).all()
    assert len(method.correlations_) == 0


def test_every_item_a_cluster():
    """Items at no positive cosine to any other are clustered as they lie."""
    labels = CCA(4, random_state=0).fit(np.eye(4), np.eye(4, dtype=int)).labels_
    assert sorted(labels) == [0, 1, 2, 3]


def test_items_alone_in_their_direction_join_the_nearest():
    points = np.array([[1.0, 0.1], [1.0, 0.2], [-1.0, 0.1], [-1.0, 0.2], [0.0, -1.0]])
    X = np.array([[0.0], [0.1], [5.0], [5.1], [4.0]])
    labels = cut_shared_space(points, X, 2)
    assert labels[0] == labels[1] != labels[2] == labels[3] == labels[4]


@pytest.mark.parametrize("value", [0.0, -1.0, np.inf, np.nan, "1e-4", True, None])
def test_bad_regularisation_is_explained(value):
    wrong = (ValueError, TypeError)
    with pytest.raises(wrong, match="regularisation must be a finite number above 0; got"):
        CCA(2, regularisation=value).fit([[0.0], [1.0]], [{"a"}, {"b"}])


@pytest.mark.parametrize("value", [0, -3])
def test_bad_number_of_components_is_explained(value):
    with pytest.raises(ValueError, match=f"n_components must be at least 1 or None; got {value}"):
        CCA(2, n_components=value).fit([[0.0], [1.0]], [{"a"}, {"b"}])
