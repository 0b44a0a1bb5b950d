"""scikit-learn's own checks of an estimator."""

from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.forest.test_sklearn_checks import EXCLUDED

import conceptforest as cf


@parametrize_with_checks(
    [cf.ConceptClustering(2, forest=cf.HMLForest(5))],
    expected_failed_checks=lambda _: EXCLUDED,
)
def test_scikit_learn_check(estimator, check):
    assert check(estimator) is None
