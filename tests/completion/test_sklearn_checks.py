"""scikit-learn's own checks of an estimator."""

from sklearn.utils.estimator_checks import parametrize_with_checks
from tests.completion.small import METHODS, small_forest

from conceptforest.completion import TagCompletion

# Each check that does not apply, and why.
EXCLUDED = {
    "check_fit_score_takes_y": (
        "wants the second argument of fit to be called y; here it is `tags`, which says what it is."
        " Pipelines and searches pass it by position."
    ),
}


@parametrize_with_checks(
    [
        TagCompletion(method, forest=small_forest(5), n_clusters=2, random_state=0)
        for method in METHODS
    ],
    expected_failed_checks=lambda _: EXCLUDED,
)
def test_scikit_learn_check(estimator, check):
    assert check(estimator) is None
