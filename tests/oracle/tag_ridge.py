"""The regressions of tags written out: one system of equations for every item and every tag."""

import numpy as np

HIDDEN = 0.4


def centred(X):
    rows = unit(np.asarray(X, dtype=float))
    return unit(rows - rows.mean(axis=0))


def unit(rows):
    return np.array([row / np.linalg.norm(row) if np.linalg.norm(row) > 0 else row for row in rows])


def penalties(n_features, tags, strength):
    counts = np.asarray(tags).sum(axis=0)
    return np.concatenate([np.full(n_features, strength), HIDDEN / (1 - HIDDEN) * counts + 1])


def coefficients(Z, targets, penalty):
    return np.linalg.solve(Z.T @ Z + np.diag(penalty), Z.T @ targets)


def foretold(features, tags, strength, item, tag):
    """Foretell a tag of an item by all other items, from features and all other tags."""
    Z = np.hstack([features, tags])
    penalty = penalties(features.shape[1], tags, strength)
    columns = np.arange(Z.shape[1]) != features.shape[1] + tag
    others = np.arange(len(Z)) != item
    found = coefficients(Z[np.ix_(others, columns)], tags[others, tag], penalty[columns])
    return Z[item, columns] @ found


def foretold_new(features, tags, strength, own_features, own_tags, tag):
    """Foretell a tag of a new item, by all items of the collection."""
    Z = np.hstack([features, tags])
    penalty = penalties(features.shape[1], tags, strength)
    columns = np.arange(Z.shape[1]) != features.shape[1] + tag
    found = coefficients(Z[:, columns], tags[:, tag], penalty[columns])
    return np.concatenate([own_features, own_tags])[columns] @ found
