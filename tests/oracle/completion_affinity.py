"""Completion by affinity, one neighbour and one tag at a time, in exact fractions."""

from fractions import Fraction


def scores(neighbours, tags, n_tags, n_trees, n_voters):
    """Score all tags of all rows.

    `neighbours` lists a dict of item and shared leaves for each row, `tags` one set of columns for
    each training item. A neighbour that shares no leaf is not listed and adds nothing.
    """
    found = []
    for near in neighbours:
        row = [Fraction(0)] * n_tags
        for item, shared in near.items():
            for j in tags[item]:
                row[j] += Fraction(shared, n_trees) / n_voters
        found.append([float(score) for score in row])
    return found
