"""Affinity by comparing leaves one pair and one tree at a time (Eq. 10)."""


def shared_leaves(a, b):
    """Trees in which two items, given as their leaves by tree, end in the same leaf."""
    return sum(1 for one, other in zip(a, b, strict=True) if one == other)


def counts(rows, training):
    """Shared leaves of all pairs; each table lists one row of leaves per item."""
    return [[shared_leaves(row, item) for item in training] for row in rows]


def check_nearest(row_counts, chosen, k, *, itself=None):
    """Assert that the chosen items are a lawful choice of the k nearest.

    `row_counts` holds the shared leaves with every training item and `chosen` maps the chosen
    items to theirs. All items strictly above the lowest chosen count must be there: only among
    equals is there a choice.
    """
    positive = {j: c for j, c in enumerate(row_counts) if c > 0 and j != itself}
    assert len(chosen) == min(k, len(positive))
    for j, c in chosen.items():
        assert positive[j] == c
    if len(chosen) < len(positive):
        lowest = min(chosen.values())
        above = {j for j, c in positive.items() if c > lowest}
        assert above <= set(chosen)
        assert all(c <= lowest for j, c in positive.items() if j not in chosen)
