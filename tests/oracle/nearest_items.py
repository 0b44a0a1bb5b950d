"""Nearest items by computing every distance, number by number."""

import math


def cosine_distance(a, b):
    """One minus the cosine; 1 if a row is zero."""
    lengths = math.hypot(*a), math.hypot(*b)
    if 0 in lengths:
        return 1.0
    return 1 - math.fsum((x / lengths[0]) * (y / lengths[1]) for x, y in zip(a, b, strict=True))


def all_distances(queries, items, metric):
    """Distances of all pairs of rows."""
    if metric == "cosine":
        return [[cosine_distance(a, b) for b in items] for a in queries]
    return [[math.dist(a, b) for b in items] for a in queries]


def check_nearest(row, indices, distances, k, *, itself=None, tolerance):
    """Assert that the items found are a lawful choice of the k nearest, nearest first.

    Only items whose distances differ by no more than the tolerance may stand in for each other.
    """
    assert len(indices) == len(set(indices)) == k
    assert itself not in indices
    for j, distance in zip(indices, distances, strict=True):
        assert abs(row[j] - distance) <= tolerance
    assert list(distances) == sorted(distances)
    left = [d for j, d in enumerate(row) if j not in indices and j != itself]
    assert not left or max(row[j] for j in indices) <= min(left) + 2 * tolerance
