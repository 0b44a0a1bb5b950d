"""Small collections and forests for the tests of completion."""

import warnings

import numpy as np
from hypothesis import strategies as st

import conceptforest as cf
from conceptforest.tags import parse_tags

PAPER = ("affinity", "local", "cluster")
METHODS = ("joint", *PAPER)


def groups(n_items=120, n_groups=4, *, seed=0, keep=0.6):
    """Give features that show the group of an item, and some of the three tags of its group."""
    rng = np.random.default_rng(seed)
    group = np.arange(n_items) % n_groups
    X = rng.normal(size=(n_items, 6)) * 0.3
    X[np.arange(n_items), group] += 2.0
    full = np.zeros((n_items, 3 * n_groups), dtype=int)
    for k in range(3):
        full[np.arange(n_items), 3 * group + k] = 1
    observed = full * (rng.random(full.shape) < keep)
    return X, observed, full


def small_forest(n_estimators=30, **params):
    return cf.HMLForest(n_estimators, bootstrap=True, layers=1, **params)


def grow(X, tags, **params):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "No tree could split")
        return small_forest(**params).fit(X, tags)


def as_sets(matrix):
    matrix = parse_tags(matrix).matrix
    return [
        set(matrix.indices[matrix.indptr[i] : matrix.indptr[i + 1]].tolist())
        for i in range(matrix.shape[0])
    ]


@st.composite
def tag_matrices(draw, min_items=2):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shape = draw(st.integers(min_items, 14)), draw(st.integers(1, 7))
    tags = (rng.random(shape) < draw(st.sampled_from([0.2, 0.5, 0.8]))).astype(int)
    tags[0, 0] = 1
    return tags
