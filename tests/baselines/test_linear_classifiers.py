"""Completion by linear classifiers: those of the library, and blind to the tags of a fold."""

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.svm import LinearSVC

from conceptforest.baselines.linear_classifiers import LinearClassifiers
from conceptforest.baselines.linear_svm import with_ones
from conceptforest.steady_product import steady_product


@pytest.fixture
def collection(rng):
    """Two tags that features foretell, one with 3 items and one with 1."""
    X = rng.normal(size=(150, 6))
    tags = np.zeros((150, 4), dtype=np.uint8)
    tags[:, :2] = X[:, :2] + rng.normal(scale=0.7, size=(150, 2)) > 0.4
    tags[:3, 2] = tags[0, 3] = 1
    return X, tags


def test_the_scores_are_the_library_s(collection):
    X, tags = collection
    method = LinearClassifiers(0.3, tune=False, n_scores=None, random_state=4).fit(X, tags[:, :2])
    rows, fold = with_ones(X).astype(float), method._fold
    scores = method.scores_.toarray()
    for number in range(5):
        seen, unseen = np.flatnonzero(fold != number), np.flatnonzero(fold == number)
        others = [other for other in range(5) if other != number]
        inner = [
            (np.flatnonzero(fold[seen] != other), np.flatnonzero(fold[seen] == other))
            for other in others
        ]
        for column in range(2):
            svm = LinearSVC(
                C=0.3, class_weight="balanced", fit_intercept=False, dual=False, tol=1e-8
            )
            library = CalibratedClassifierCV(svm, method="sigmoid", cv=inner, ensemble=False)
            library.fit(rows[seen], tags[seen, column])
            expected = library.predict_proba(rows[unseen])[:, 1]
            np.testing.assert_allclose(scores[unseen, column], expected, atol=2e-3)


def test_nothing_that_a_fold_is_tagged_with_changes_its_scores(collection):
    X, tags = collection
    method = LinearClassifiers(tune=False, n_scores=None, random_state=0).fit(X, tags)
    before = method.scores_.toarray()
    fold = method._fold
    for number in range(5):
        here = fold == number
        changed = tags.copy()
        changed[here] = 1 - changed[here]
        after = LinearClassifiers(tune=False, n_scores=None, random_state=0).fit(X, changed)
        np.testing.assert_array_equal(after.scores_.toarray()[here], before[here])
        assert (after.scores_.toarray()[~here] != before[~here]).any()


def test_a_missing_tag_is_found(rng):
    group = np.arange(120) % 3
    X = np.eye(3)[group] + rng.normal(scale=0.1, size=(120, 3))
    tags = np.eye(3, dtype=int)[group]
    lost = rng.choice(120, 30, replace=False)
    tags[lost] = 0
    scores = LinearClassifiers(tune=False, random_state=0).fit(X, tags).scores_.toarray()
    np.testing.assert_array_equal(scores[lost].argmax(axis=1), group[lost])


def test_tags_of_few_items_have_no_scores(collection):
    X, tags = collection
    method = LinearClassifiers(tune=False, n_scores=None, random_state=0).fit(X, tags)
    scores = method.scores_.toarray()
    assert not scores[:, 3].any()
    outside = [tags[method._fold != number, 2].sum() for number in method._fold]
    np.testing.assert_array_equal(scores[:, 2] > 0, np.array(outside) >= 2)
    assert not method.predict(X).toarray()[:, 3].any()


def test_only_rare_tags():
    method = LinearClassifiers(random_state=0).fit(np.eye(4), [{"a"}, {"b"}, {"c"}, set()])
    assert method.scores_.nnz == 0
    assert method.predict(np.eye(4)).nnz == 0


def test_new_items_get_the_mean_of_the_folds(collection):
    X, tags = collection
    method = LinearClassifiers(tune=False, n_scores=None, random_state=0).fit(X, tags)
    new = X[:20] + 0.05
    each = []
    for number in range(5):
        seen = np.flatnonzero(method._fold != number)
        model = method._models[number]
        scores = np.zeros((20, 4))
        scores[:, model.columns] = model.score(with_ones(new))
        assert (model.columns == np.flatnonzero(tags[seen].sum(axis=0) >= 2)).all()
        each.append(scores)
    found = method.predict(new).toarray()
    np.testing.assert_allclose(found, np.mean(each, axis=0), rtol=1e-6)
    np.testing.assert_array_equal(method.predict(new, tags[:20]).toarray(), found)


@pytest.mark.parametrize("C", [0, -1.0, np.inf, np.nan, "1", None, True])
def test_a_wrong_cost_is_explained(C, collection):
    with pytest.raises((TypeError, ValueError), match="C must be a finite number above 0; got"):
        LinearClassifiers(C).fit(*collection)


@pytest.mark.parametrize(("d", "m"), [(5, 3), (1281, 246), (700, 1)])
def test_a_steady_product_does_not_depend_on_other_rows(d, m, rng):
    rows = rng.normal(size=(600, d)).astype(np.float32)
    weights = rng.normal(size=(d, m)).astype(np.float32)
    found = steady_product(rows, weights)
    np.testing.assert_allclose(found, rows.astype(float) @ weights, rtol=1e-3, atol=1e-3)
    for chosen in (slice(0, 1), slice(3, 10), slice(255, 258), slice(599, 600)):
        np.testing.assert_array_equal(steady_product(rows[chosen], weights), found[chosen])
