"""Evidence written by hand, for the core and for the oracle, and one tree grown from it.

A layer is a list of items: a set of tag numbers for an item whose tags are known, or a list of
pairs (for, against), one a tag, for an item whose tags are missing.
"""

from types import SimpleNamespace

import numpy as np
from tests.oracle import hml_tree

from conceptforest import _core
from conceptforest.forest.ranks import rank_features

ONE = _core.ONE


def oracle_layer(items, n_tags=1, weight=None):
    positive, negative = [], []
    for item in items:
        if isinstance(item, set):
            positive.append([ONE * (i in item) for i in range(n_tags)])
            negative.append([ONE * (i not in item) for i in range(n_tags)])
        else:
            positive.append([round(ONE * p) for p, _ in item])
            negative.append([round(ONE * n) for _, n in item])
    return hml_tree.Layer(positive, negative, weight or [1] * n_tags)


def core_layer(items, n_tags=1, weight=None):
    """Give what the core reads as a LayerEvidence; soft items list every tag."""
    tag, positive, negative, start = [], [], [], [0]
    for item in items:
        entries = (
            [(i, 1, 0) for i in sorted(item)]
            if isinstance(item, set)
            else [(i, p, n) for i, (p, n) in enumerate(item)]
        )
        for i, p, n in entries:
            tag.append(i)
            positive.append(round(ONE * p))
            negative.append(round(ONE * n))
        start.append(len(tag))
    is_soft = [not isinstance(item, set) for item in items]
    return SimpleNamespace(
        n_tags=n_tags,
        start=np.array(start, np.int64),
        tag=np.array(tag, np.int32),
        positive=np.array(positive, np.int32),
        negative=np.array(negative, np.int32),
        base=np.array([0 if soft else ONE for soft in is_soft], np.int32),
        soft=np.array(is_soft, np.uint8),
        weight=None if weight is None else np.array(weight, np.uint32),
        weight_unit=1.0,
    )


def grow(X, layers, *, evidence_weights=False, min_leaf=1, n_try=None, key=0):
    """Grow one tree in the core; X is a list of columns' values by item, or of single values."""
    X = np.array(X, dtype=np.float64).reshape(len(X), -1)
    ranks = rank_features(X, 1)
    leaves = np.full((1, len(X)), -1, np.int32)
    tree = _core.grow(
        ranks,
        layers,
        np.array([key], np.uint64),
        leaves,
        n_try=n_try or X.shape[1],
        min_leaf=min_leaf,
        evidence_weights=evidence_weights,
        bootstrap=False,
        n_threads=1,
        progress=None,
    )
    return SimpleNamespace(leaves=leaves[0], **tree)
