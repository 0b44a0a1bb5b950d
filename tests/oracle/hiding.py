"""What hiding tags must leave: sets of (item, tag), counted one by one."""

from decimal import ROUND_HALF_UP, Decimal


def rounded(share, count):
    """Round half up, taking the share for the decimal that it is written as."""
    return int((Decimal(repr(share)) * count).quantize(Decimal(1), rounding=ROUND_HALF_UP))


def pairs(tags):
    """The entries of a TagMatrix as a set of (item, name)."""
    dense = tags.matrix.toarray().tolist()
    return {
        (i, name)
        for i, row in enumerate(dense)
        for name, value in zip(tags.vocabulary, row, strict=True)
        if value
    }


def n_kept(k, observed):
    """How many of an item's k tags stay in sight."""
    return max(1, rounded(observed, k)) if k else 0
