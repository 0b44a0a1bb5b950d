"""Tag correlations by counting, one pair at a time, in exact fractions."""

from fractions import Fraction


def count(rows, i):
    """Items that carry tag i."""
    return sum(row[i] for row in rows)


def cooccurrence(rows, i, j):
    """P(i | j): of the items with j, the share that also has i."""
    if count(rows, j) == 0:
        return Fraction(0)
    both = sum(1 for row in rows if row[i] and row[j])
    return Fraction(both, count(rows, j))


def exclusion(rows, i, j):
    """How much more often i is absent beside j than overall, over the most it could be."""
    if count(rows, i) == 0 or count(rows, j) == 0:
        return Fraction(0)
    absent = 1 - Fraction(count(rows, i), len(rows))
    absent_beside_j = 1 - cooccurrence(rows, i, j)
    return max(Fraction(0), absent_beside_j - absent) / (1 - absent)


def positive_score(rows, x, i, subordinate):
    """Evidence that item x should carry tag i."""
    return sum((cooccurrence(rows, i, j) for j in subordinate if rows[x][j]), Fraction(0))


def negative_score(rows, x, i, subordinate):
    """Evidence that item x should not carry tag i."""
    return sum((exclusion(rows, i, j) for j in subordinate if rows[x][j]), Fraction(0))
