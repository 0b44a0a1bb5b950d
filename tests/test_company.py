"""What is said about an unseen item does not depend on the items that it is asked about with."""

import numpy as np
import pytest

import conceptforest as cf
from conceptforest.baselines import COMPLETION
from conceptforest.datasets import make_tagged

FOREST = cf.HMLForest(20, layers=1, random_state=0)  # few trees, so many equal affinities
ASKED = {
    "affinity": lambda: FOREST,
    "clusters": lambda: cf.ConceptClustering(4, forest=FOREST, random_state=0),
    "joint": lambda: cf.TagCompletion(forest=FOREST, random_state=0),
    "AM": lambda: cf.TagCompletion("affinity", forest=FOREST, random_state=0),
    "LN": lambda: cf.TagCompletion("local", forest=FOREST, random_state=0),
    "GC": lambda: cf.TagCompletion("cluster", forest=FOREST, n_clusters=4, random_state=0),
} | {name: (lambda method=method: method()) for name, method in COMPLETION.items()}


def answers(fitted, X):
    found = fitted.affinity(X) if isinstance(fitted, cf.HMLForest) else fitted.predict(X)
    return found if isinstance(found, np.ndarray) else found.toarray()


@pytest.mark.parametrize("name", ASKED)
def test_answers_follow_the_items(name):
    made = make_tagged(400, 4, random_state=0)
    X = np.round(made.X[:, :8])  # coarse, so that distances are often equal
    fitted = ASKED[name]().fit(X[:300], made.tags[:300])
    together = answers(fitted, X[300:])
    assert (answers(fitted, X[:299:-1]) == together[::-1]).all()
    for item in (0, 7, 99):
        assert (answers(fitted, X[[300 + item]]) == together[item]).all()
