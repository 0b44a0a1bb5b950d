"""Memory follows what is kept, not the number of items times the number of tags."""

import pytest
from tests.memory import peak_growth

MANY_TAGS = """
import numpy as np
from scipy import sparse
import conceptforest as cf
from conceptforest.completion import TagCompletion, cluster_scores
from conceptforest.tags import parse_tags

n, m = 5_000, 10_000  # all scores would take 400 MB
rng = np.random.default_rng(0)
X = rng.random((n, 2))
near = (X[:, :1] * (m - 200)).astype(int) + rng.integers(0, 200, size=(n, 5))
matrix = sparse.csr_array((np.ones(5 * n), (np.repeat(np.arange(n), 5), near.ravel())), (n, m))
matrix.data[:] = 1
tags = parse_tags(matrix)
labels = (X[:, 0] * 40).astype(int)
forest = cf.HMLForest(4, layers=1, max_features=None, min_samples_leaf=20, random_state=0)
forest.fit(X, tags)
cluster_scores(labels[:50], matrix[:50])
"""

WORK = {
    "affinity": "TagCompletion('affinity', forest=forest, n_scores=20).fit(X, tags)",
    "local": "TagCompletion('local', forest=forest, n_scores=20).fit(X, tags)",
    "cluster": "cluster_scores(labels, tags, 20)",
}


@pytest.mark.parametrize("method", WORK)
def test_scores_of_many_tags_take_little_memory(method):
    grown = peak_growth(MANY_TAGS, f"found = {WORK[method]}")
    assert grown < 100e6


def test_new_items_with_tags_take_little_memory():
    before = (
        MANY_TAGS + "completion = TagCompletion(forest=forest, n_scores=20).fit(X, tags)\n"
        "completion.predict(X[:3], matrix[:3])"
    )
    grown = peak_growth(before, "found = completion.predict(X[:2000], matrix[:2000])")
    assert grown < 200e6  # one array of all scores would take 160 MB, and the rule needs several
