"""S-MMC and F-MMC: what they share with MMC, and tags that flips bring back."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import adjusted_rand_score

from conceptforest.baselines import fmmc
from conceptforest.baselines.fmmc import FMMC
from conceptforest.baselines.mmc import MMC
from conceptforest.baselines.smmc import SMMC
from conceptforest.completion import keep


@pytest.fixture
def collection(rng):
    """Three groups with plain looks and two tags each, of which a quarter is missing."""
    group = np.arange(90) % 3
    whole = np.kron(np.eye(3, dtype=np.uint8), np.ones(2, dtype=np.uint8))[group]
    X = 3 * np.eye(3, 5)[group] + rng.normal(scale=0.3, size=(90, 5))
    return X, whole * (rng.random(whole.shape) < 0.75), whole, group


def test_with_observed_tags_the_structural_method_is_mmc(collection):
    """The term of tags and features is the same for all clusters, so it cancels."""
    X, tags = collection[:2]
    one = SMMC(4, random_state=3).fit(X, tags)
    other = MMC(4, mode="balanced", random_state=3).fit(X, tags)
    np.testing.assert_array_equal(one.labels_, other.labels_)
    assert one.objective_ == other.objective_


@pytest.mark.parametrize("off", [{"n_flips": 0}, {"flip_threshold": 1e6}])
def test_without_flips_it_is_the_structural_method(off, collection):
    X, tags = collection[:2]
    method = FMMC(3, random_state=0, **off).fit(X, tags)
    np.testing.assert_array_equal(method.labels_, SMMC(3, random_state=0).fit(X, tags).labels_)
    np.testing.assert_array_equal(method.tags_.toarray(), tags)
    assert method.n_rounds_ == 0


def test_missing_tags_come_back(collection):
    X, tags, whole, group = collection
    method = FMMC(3, random_state=0).fit(X, tags)
    assert adjusted_rand_score(group, method.labels_) == 1
    missing = (whole > 0) & (tags == 0)
    found = method.tags_.toarray()
    assert (found >= tags).all()
    assert found[missing].mean() > 0.9
    assert found[whole == 0].mean() < 0.02


@pytest.mark.parametrize("n_flips", [1, 2])
def test_few_tags_of_an_item_flip(n_flips, collection):
    X, tags = collection[:2]
    noise = X[::-1]  # looks that contradict the tags, so that much would flip
    flips = FMMC(3, n_flips=n_flips, random_state=0).fit(noise, tags).tags_.toarray() != tags
    assert flips.any()
    assert flips.sum(axis=1).max() <= n_flips


def test_wrong_tags_go_where_that_is_allowed(collection, rng):
    X, _, whole, _ = collection
    wrong = (whole == 0) & (rng.random(whole.shape) < 0.06)
    tags = whole | wrong
    kept = FMMC(3, random_state=0).fit(X, tags).tags_.toarray()
    assert kept[wrong].all()
    cleaned = FMMC(3, remove=True, random_state=0).fit(X, tags).tags_.toarray()
    assert cleaned[wrong].mean() < 0.2
    assert cleaned[whole > 0].mean() > 0.98


def test_only_tags_that_changed_are_learned_anew(collection, monkeypatch):
    """And in the end every model is what learning all of them anew gives."""
    X, tags = collection[:2]
    learned = []

    def watch(rows, labels, **kwargs):
        learned.append(labels.shape[1])
        return original(rows, labels, **kwargs)

    original = fmmc.fit_linear_svms
    monkeypatch.setattr(fmmc, "fit_linear_svms", watch)
    first = sparse.csr_array(tags)
    second = first.tolil()
    second[np.flatnonzero(tags[:, 4] == 0)[0], 4] = 1
    second = sparse.csr_array(second)
    counts = np.full(tags.shape[1], 20)
    models, anew = (fmmc._TagModels(X, counts, 1, verbose=False) for _ in range(2))
    models.learn(first)
    models.learn(second)
    models.learn(second)
    assert learned == [6, 1]
    anew.learn(second)
    np.testing.assert_allclose(models.weights, anew.weights, atol=1e-3)


@pytest.mark.parametrize("remove", [False, True])
def test_rare_tags_stay_as_they_are(remove, collection):
    X, tags = collection[:2]
    rare = np.zeros((90, 1), dtype=np.uint8)
    rare[[0, 3, 6]] = 1
    method = FMMC(3, remove=remove, random_state=0).fit(X, np.hstack([tags, rare]))
    found = method.tags_.toarray()
    np.testing.assert_array_equal(found[:, -1], rare[:, 0])


def test_blocks_change_nothing(collection, monkeypatch):
    X, tags = collection[:2]
    base = FMMC(3, random_state=0).fit(X, tags)
    monkeypatch.setattr(keep, "_CELLS", 7 * tags.shape[1])
    other = FMMC(3, random_state=0).fit(X, tags)
    np.testing.assert_array_equal(other.labels_, base.labels_)
    assert (other.tags_ != base.tags_).nnz == 0


@pytest.mark.parametrize("params", [{"n_flips": -1}, {"n_rounds": 0}, {"flip_threshold": np.nan}])
def test_bad_parameters_are_explained(params, collection):
    with pytest.raises(ValueError, match=next(iter(params))):
        FMMC(2, **params).fit(*collection[:2])
