"""Scores of tag classifiers: probabilities, smoothed where seen and foretold where held out."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.calibration import _SigmoidCalibration
from sklearn.metrics import roc_auc_score

from conceptforest.baselines import detection_scores as module
from conceptforest.baselines.detection_scores import detection_scores
from conceptforest.tags import parse_tags


@pytest.fixture
def collection(rng):
    X = rng.normal(size=(200, 12))
    truth = X[:, :3] + rng.normal(scale=1.0, size=(200, 3)) > 0.5
    rare = np.zeros((200, 1), dtype=bool)
    rare[:3] = True
    return X, parse_tags(np.hstack([truth, rare]).astype(int))


def test_shapes_and_rare_tags(collection):
    X, tags = collection
    scores, rare = detection_scores(X, tags)
    assert scores.shape == (200, 3)
    np.testing.assert_array_equal(rare.toarray()[:, 0], np.arange(200) < 3)
    (held_out,) = detection_scores(X, tags, held_out=True)
    assert held_out.shape == (200, 3)


def test_only_rare_tags():
    tags = parse_tags([{"a"}, {"b"}, set(), set()])
    X = np.eye(4)
    scores, rare = detection_scores(X, tags)
    assert not scores.any()
    assert rare.shape == (4, 2)
    assert not detection_scores(X, tags, held_out=True)[0].any()


def test_scores_in_sample_know_the_tags_better_than_held_out_ones(collection):
    X, tags = collection
    truth = tags.matrix[:, :3].toarray()
    seen = detection_scores(X, tags)[0]
    unseen = detection_scores(X, tags, held_out=True)[0]
    for column in range(3):
        known = roc_auc_score(truth[:, column], seen[:, column])
        foretold = roc_auc_score(truth[:, column], unseen[:, column])
        assert known > foretold > 0.6


def test_held_out_scores_do_not_depend_on_the_item_s_own_tags(collection):
    X, tags = collection
    before = detection_scores(X, tags, held_out=True)[0]
    rng = np.random.default_rng(0)  # the folds are drawn so
    fold = rng.permutation(200) % module._FOLDS
    changed = tags.matrix.toarray()
    mates = np.flatnonzero(fold == fold[0])
    # A swap within a fold leaves all totals, so only the classifiers of other folds change.
    changed[mates] = changed[mates[::-1]]
    calls = []
    original = module._probabilities

    def watch(decisions, labels):
        calls.append(decisions)
        return original(decisions, labels)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_probabilities", watch)
        detection_scores(X, tags, held_out=True)
        detection_scores(X, parse_tags(changed), held_out=True)
    np.testing.assert_array_equal(calls[0][mates], calls[1][mates])
    assert before.shape == (200, 3)


def test_sigmoid_is_that_of_the_library(rng):
    values = rng.normal(size=(300, 4))
    positive = rng.random((300, 4)) < 1 / (1 + np.exp(-2 * values + 1))
    found = module._platt(values, positive)
    for column in range(4):
        library = _SigmoidCalibration().fit(values[:, column], positive[:, column])
        np.testing.assert_allclose(found[:, column], library.predict(values[:, column]), atol=2e-4)


def test_sigmoid_of_a_tag_that_all_have_or_that_is_parted_perfectly(rng):
    values = np.column_stack([np.linspace(-1, 1, 50), rng.normal(size=50)])
    positive = np.column_stack([values[:, 0] > 0, np.ones(50, dtype=bool)])
    found = module._platt(values, positive)
    assert np.isfinite(found).all()
    assert found[positive[:, 0], 0].min() > found[~positive[:, 0], 0].max()
    assert (found[:, 1] > 0.9).all()


def test_labels_of_one_fold_that_has_all_of_a_tag():
    """A tag that the other folds lack cannot be learned there; its scores are finite still."""
    n = 25
    fold = np.random.default_rng(0).permutation(n) % module._FOLDS
    labels = sparse.csr_array((fold == 0).astype(np.uint8)[:, None])
    X = np.random.default_rng(1).normal(size=(n, 3))
    (scores,) = detection_scores(X, parse_tags(labels), held_out=True)
    assert np.isfinite(scores).all()
