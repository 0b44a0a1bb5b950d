"""TagProp: its likelihood and what climbs it, plain neighbours as one case, what it learns."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.linear_model import LogisticRegression
from tests.oracle import tag_prop as oracle

from conceptforest.baselines.tag_prop import TagProp, _first_of_each
from conceptforest.baselines.tag_prop_likelihood import (
    _PENALTY,
    Likelihood,
    Neighbours,
    Sigmoids,
    tag_shares,
    weigh,
)
from conceptforest.baselines.visual_neighbours import VisualNeighbours
from conceptforest.metrics import completion_report
from conceptforest.tags import hide_tags


def made(rng, n=12, m=4, k=5, n_metrics=2, share=0.4):
    """Tagged items with neighbours at any distances; each row and column has a tag."""
    tags = (rng.random((n, m)) < share).astype(np.uint8)
    tags[np.arange(n), rng.integers(m, size=n)] = 1
    tags[rng.integers(n, size=m), np.arange(m)] = 1
    indices = np.array([rng.choice(np.delete(np.arange(n), i), k, replace=False) for i in range(n)])
    return tags, Neighbours(indices, rng.gamma(1.0, size=(n, k, n_metrics)))


def sigmoids_of(rng, m):
    return Sigmoids(rng.normal(scale=3, size=m), rng.normal(size=m))


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(3, 12),
    m=st.integers(1, 5),
    n_metrics=st.integers(1, 3),
    curved=st.booleans(),
)
def test_likelihood_and_gradient(seed, n, m, n_metrics, curved):
    rng = np.random.default_rng(seed)
    tags, neighbours = made(rng, n, m, rng.integers(1, n), n_metrics)
    likelihood = Likelihood(neighbours, sparse.csr_array(tags))
    decay = rng.gamma(1.0, size=n_metrics)
    sigmoids = sigmoids_of(rng, m) if curved else None
    value, gradient = likelihood.value_and_gradient(decay, sigmoids)
    given_to_oracle = tags.tolist(), neighbours.indices, neighbours.distances
    expected = oracle.likelihood(*given_to_oracle, decay, sigmoids)
    if curved:
        expected -= _PENALTY / 2 * sum((part**2).sum() for part in sigmoids) / tags.sum()
    assert value == pytest.approx(expected, rel=1e-9)

    for metric, step in enumerate(1e-4 * np.eye(n_metrics)):
        up, down = (
            likelihood.value(likelihood.shares(near), sigmoids)
            for near in (decay + step, decay - step)
        )
        assert gradient[metric] == pytest.approx((up - down) / 2e-4, rel=1e-4, abs=1e-6)


def test_shares_are_those_of_the_oracle(rng):
    tags, neighbours = made(rng)
    decay = np.array([0.7, 0.2])
    found = tag_shares(neighbours, decay, sparse.csr_array(tags))
    expected = [
        [oracle.share(tags, *votes, decay, t) for t in range(4)]
        for votes in zip(*neighbours, strict=True)
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_sigmoids_are_the_library_s(rng):
    tags, neighbours = made(rng, 80, 3, 20, share=0.3)
    likelihood = Likelihood(neighbours, sparse.csr_array(tags))
    decay = np.ones(2)
    found = likelihood.best_sigmoids(likelihood.shares(decay))
    shares = tag_shares(neighbours, decay, sparse.csr_array(tags))
    ratio = tags.sum() / (1 - tags.astype(float)).sum()
    for tag in range(3):
        library = LogisticRegression(C=1 / _PENALTY, tol=1e-10, max_iter=10_000)
        weight = np.where(tags[:, tag], 1, ratio)
        library.fit(shares[:, [tag]], tags[:, tag], sample_weight=weight)
        expected = library.predict_proba(shares[:, [tag]])[:, 1]
        chances = 1 / (1 + np.exp(-found.slope[tag] * shares[:, tag] - found.shift[tag]))
        np.testing.assert_allclose(chances, expected, atol=1e-4)


def test_parted_tags_have_finite_sigmoids(rng):
    _, neighbours = made(rng, 20, 1, 6)
    likelihood = Likelihood(neighbours, sparse.csr_array(np.ones((20, 2), dtype=int)))
    found = likelihood.best_sigmoids(likelihood.shares(np.ones(2)))
    assert np.isfinite(found.slope).all()
    assert np.isfinite(found.shift).all()


@settings(max_examples=15, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), k=st.integers(1, 30), sigmoids=st.booleans())
def test_likelihood_never_falls(seed, k, sigmoids):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(25, 3))
    tags = (rng.random((25, 5)) < 0.3).astype(int)
    tags[0, 0] = 1
    method = TagProp(k, sigmoids=sigmoids).fit(X, tags)
    assert (np.diff(method.likelihoods_) >= -1e-12).all()
    assert (method.decay_ >= 0).all()


def test_without_decay_it_is_plain_neighbours(rng):
    X = rng.normal(size=(40, 4))
    tags = (rng.random((40, 5)) < 0.3).astype(int)
    tags[:, 0] |= ~tags.any(axis=1)
    method = TagProp(7, metrics=["cosine"], sigmoids=False, n_scores=None).fit(X, tags)
    method.decay_ = np.zeros(1)
    plain = VisualNeighbours(7, weights="equal", n_scores=None).fit(X, tags)
    for found, expected in (
        (method._score_fitted(slice(0, 40)), plain._score_fitted(slice(0, 40))),
        (method.predict(X + 0.1).toarray(), plain.predict(X + 0.1).toarray()),
    ):
        np.testing.assert_allclose((found - 1e-5) / (1 - 2e-5), expected, atol=1e-12)


def test_weights_fall_off_and_sum_up_to_1(rng):
    found = weigh(rng.gamma(1.0, size=(5, 6, 2)).cumsum(axis=1), np.array([2.0, 800.0]))
    assert (np.diff(found, axis=1) <= 0).all()
    np.testing.assert_allclose(found.sum(axis=1), 1)


def test_it_learns_which_distance_tells_tags(rng):
    """The length of a row is noise, or its direction is; the other one says it all."""
    group = rng.integers(6, size=200)
    angle = group + rng.normal(scale=0.1, size=200)
    direction = np.column_stack([np.cos(angle), np.sin(angle)])
    tags = np.repeat(np.eye(6, dtype=int)[group], 2, axis=1) * (rng.random((200, 12)) < 0.8)
    by_direction = TagProp(50, random_state=0).fit(direction * rng.gamma(1, size=(200, 1)), tags)
    assert by_direction.decay_[0] > 5 * by_direction.decay_[1]
    noise = rng.normal(size=(200, 2))
    noise /= np.linalg.norm(noise, axis=1, keepdims=True)
    by_length = TagProp(50, random_state=0).fit(noise * (1 + angle[:, None]), tags)
    assert by_length.decay_[1] > 5 * by_length.decay_[0]


def test_learned_weights_beat_equal_ones(rng):
    group = np.repeat(np.arange(20), 8)
    X = np.eye(20)[group] + rng.normal(scale=0.2, size=(160, 20))
    tags = (rng.random((160, 60)) < 0.8 * np.repeat(np.eye(20), 3, axis=1)[group]).astype(int)
    seen = hide_tags(tags, 0.6, random_state=0)
    reports = [
        completion_report(method.fit(X, seen).scores_, seen, tags)
        for method in (
            TagProp(100, random_state=0),
            TagProp(100, sigmoids=False, random_state=0),
            VisualNeighbours(100, weights="equal", random_state=0),
        )
    ]
    assert min(report["ap"][0] for report in reports[:2]) > reports[2]["ap"][0] + 0.2


def test_items_without_tags_neither_vote_nor_count(rng):
    X = rng.normal(size=(60, 3))
    tags = (rng.random((60, 4)) < 0.4).astype(int)
    tags[40:] = 0
    tagged = tags[:40].any(axis=1)
    both = TagProp(10, n_scores=None).fit(X, tags)
    alone = TagProp(10, n_scores=None).fit(X[:40][tagged], tags[:40][tagged])
    np.testing.assert_allclose(both.decay_, alone.decay_)
    scores = both.scores_.toarray()
    np.testing.assert_array_equal(scores[40:], both.predict(X[40:]).toarray())
    np.testing.assert_allclose(scores[:40][tagged], alone.scores_.toarray())


def test_one_tagged_item_alone():
    method = TagProp().fit([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [{"a"}, set(), set()])
    assert (method.scores_.toarray()[1:] > 0).all()
    assert method.scores_[[0]].nnz == 0


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(1, 12), n_lists=st.integers(2, 3))
def test_lists_of_neighbours_are_merged_as_by_the_oracle(seed, n, n_lists):
    rng = np.random.default_rng(seed)
    k = int(rng.integers(1, n + 1))
    lists = [np.array([rng.permutation(n)[:k] for _ in range(4)]) for _ in range(n_lists)]
    found = _first_of_each(lists)
    for row in range(4):
        assert found[row].tolist() == oracle.first_of_each([one[row].tolist() for one in lists], k)


@pytest.mark.parametrize("metrics", ["cosine", (), ["cosin"]])
def test_wrong_metrics_are_explained(metrics):
    with pytest.raises(ValueError, match=r"metrics must.*'cosine'"):
        TagProp(metrics=metrics).fit(np.eye(3), np.eye(3))
