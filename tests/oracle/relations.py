"""Related tags, pair by pair."""

from fractions import Fraction
from itertools import combinations
from math import log


def evidence(n, a, b, both):
    """Twice the log-likelihood ratio of a table of four counts against independence."""
    total = 0.0
    for seen, one, other in (
        (both, a, b),
        (a - both, a, n - b),
        (b - both, n - a, b),
        (n - a - b + both, n - a, n - b),
    ):
        if seen:
            total += 2 * seen * log(Fraction(seen * n, one * other))
    return total


def related(rows, top, min_count):
    """Give (kind, first, second, lift, both) of the related columns, in order."""
    rows = [row for row in rows if any(row)]
    n = len(rows)
    counts = [sum(column) for column in zip(*rows, strict=True)]
    columns = [j for j, count in enumerate(counts) if count >= min_count]
    columns.sort(key=lambda j: (-counts[j], j))
    pairs = list(combinations(columns, 2))
    frequent = [(i, j) for i, j in pairs if counts[i] * counts[j] >= 5 * n]
    found = []
    for kind, candidates in (("together", pairs), ("apart", frequent)):
        least = 6.63 + 2 * log(max(1, len(candidates)))
        kept = []
        for i, j in candidates:
            both = sum(row[i] and row[j] for row in rows)
            lift = Fraction(both * n, counts[i] * counts[j])
            fits = lift >= Fraction(3, 2) if kind == "together" else lift <= Fraction(1, 2)
            strength = evidence(n, counts[i], counts[j], both)
            if fits and strength >= least:
                rank = (-round(strength, 6), columns.index(i), columns.index(j))
                kept.append((rank, (kind, i, j, lift, both)))
        found.append([relation for _, relation in sorted(kept)])
    together, apart = found
    n_apart = min(len(apart), max(top // 2, top - len(together)))
    return together[: top - n_apart] + apart[:n_apart]
