"""The forest of two classes as a clustering method."""

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from conceptforest.baselines.clust_rf import ClustRF


@pytest.fixture
def planted(rng):
    """Four groups that differ in two thirds of the features, whose scales differ wildly."""
    group = np.arange(300) % 4
    X = rng.normal(size=(300, 24))
    X[:, :16] += 4 * rng.normal(size=(4, 16))[group]
    return X * 2.0 ** rng.integers(-20, 20, size=24), np.eye(4, dtype=int)[group], group


@pytest.mark.parametrize("synthesis", ["marginals", "box"])
@pytest.mark.parametrize("mode", ["vision", "concatenated"])
def test_finds_planted_groups_whatever_the_scales(planted, mode, synthesis):
    X, tags, group = planted
    method = ClustRF(4, mode=mode, synthesis=synthesis, n_estimators=200, random_state=0)
    assert adjusted_rand_score(group, method.fit_predict(X, tags)) > 0.95


def test_scales_change_nothing(planted):
    X, tags, _ = planted
    method = ClustRF(4, n_estimators=30, random_state=0)
    labels = method.fit_predict(X, tags)
    for scale in (2.0**-30, 2.0**30):
        np.testing.assert_array_equal(method.fit_predict(X * scale, tags), labels)


def test_finds_groups_that_no_column_shows_alone(rng):
    """The four ends of two crossing lines; each column looks the same on both lines."""
    line = np.arange(300) % 2
    along = rng.uniform(-1, 1, size=300)
    along += 0.3 * np.sign(along)
    X = np.column_stack([along, np.where(line, along, -along)])
    end = 2 * (X[:, 0] > 0) + (X[:, 1] > 0)
    X = np.hstack([X + rng.normal(scale=0.05, size=X.shape) for _ in range(3)])
    method = ClustRF(4, synthesis="box", n_estimators=300, random_state=0)
    assert adjusted_rand_score(end, method.fit_predict(X, np.eye(300, 1))) > 0.9


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("synthesis", "marginal", ValueError),
        ("n_estimators", 0, ValueError),
        ("n_estimators", 1.5, TypeError),
        ("min_samples_leaf", 0, ValueError),
    ],
)
def test_bad_parameters_are_explained(name, value, error):
    with pytest.raises(error, match=name):
        ClustRF(2, **{name: value}).fit([[0.0], [1.0]], [{"a"}, {"b"}])
