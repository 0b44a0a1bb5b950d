"""Scores of clusters and of completed tags, pair by pair and item by item, in exact fractions."""

from fractions import Fraction
from itertools import combinations
from math import log, sqrt


def pair_counts(y_true, labels):
    """Pairs that share class and cluster, class only, cluster only, neither."""
    counts = {(True, True): 0, (True, False): 0, (False, True): 0, (False, False): 0}
    for i, j in combinations(range(len(labels)), 2):
        counts[y_true[i] == y_true[j], labels[i] == labels[j]] += 1
    return tuple(counts.values())


def rand_index(y_true, labels):
    tp, fn, fp, tn = pair_counts(y_true, labels)
    return Fraction(tp + tn, tp + fn + fp + tn) if len(labels) > 1 else Fraction(1)


def pairwise_f1(y_true, labels):
    tp, fn, fp, _ = pair_counts(y_true, labels)
    return Fraction(2 * tp, 2 * tp + fp + fn) if tp + fp + fn else Fraction(1)


def adjusted_rand(y_true, labels):
    """(RI - E) / (1 - E), E the expectation for independent pairs."""
    tp, fn, fp, tn = pair_counts(y_true, labels)
    if fn == fp == 0:
        return Fraction(1)
    pairs = tp + fn + fp + tn
    p, q = Fraction(tp + fn, pairs), Fraction(tp + fp, pairs)
    expected = p * q + (1 - p) * (1 - q)
    return (Fraction(tp + tn, pairs) - expected) / (1 - expected)


def purity(y_true, labels):
    right = 0
    for cluster in set(labels):
        classes = [y for y, label in zip(y_true, labels, strict=True) if label == cluster]
        right += max(classes.count(y) for y in set(classes))
    return Fraction(right, len(labels))


def entropy(labels):
    n = len(labels)
    return -sum(labels.count(x) / n * log(labels.count(x) / n) for x in set(labels))


def nmi(y_true, labels, mean):
    if same_partition(y_true, labels):
        return 1.0
    a, b = entropy(y_true), entropy(labels)
    if a == 0 or b == 0:
        return 0.0
    shared = a + b - entropy(list(zip(y_true, labels, strict=True)))
    return shared / ((a + b) / 2 if mean == "arithmetic" else sqrt(a * b))


def same_partition(y_true, labels):
    _, fn, fp, _ = pair_counts(y_true, labels)
    return fn == fp == 0


def ranking(scores, observed, i, candidates):
    """Candidates that item i lacks: by score, then by how many items carry them, then by column."""
    carried = [sum(row[j] for row in observed) for j in range(len(observed[0]))]
    lacking = [j for j in sorted(set(candidates)) if not observed[i][j]]
    return sorted(lacking, key=lambda j: (-scores[i][j], -carried[j], j))


def completion(scores, observed, truth, candidates, max_n):
    """AP, AR and Coverage for N = 1 to max_n, the items that count, and how many ties decided."""
    hidden = {}
    for i, row in enumerate(truth):
        wanted = {j for j in candidates if row[j] and not observed[i][j]}
        if wanted:
            hidden[i] = wanted
    ranked = {i: ranking(scores, observed, i, candidates) for i in hidden}
    ap, ar, coverage = [], [], []
    for n in range(1, max_n + 1):
        hits = {i: len(hidden[i] & set(ranked[i][:n])) for i in hidden}
        ap.append(sum(Fraction(hits[i], n) for i in hidden) / len(hidden))
        ar.append(sum(Fraction(hits[i], len(hidden[i])) for i in hidden) / len(hidden))
        coverage.append(Fraction(sum(hits[i] >= 1 for i in hidden), len(hidden)))
    tied = 0
    for i, order in ranked.items():
        inside = {scores[i][j] for j in order[:max_n]}
        outside = {scores[i][j] for j in order[max_n:]}
        tied += bool(inside & outside)
    return ap, ar, coverage, len(hidden), Fraction(tied, len(hidden))


def implied_ari(ri, f1, p):
    """ARI of exact scores, by way of the pairs; None if a count would be negative."""
    e = 1 - ri
    tp = f1 * e / (2 * (1 - f1))
    fn = p - tp
    fp = e - fn
    tn = 1 - tp - e
    if min(fn, fp, tn) < 0:
        return None
    q = tp + fp
    expected = p * q + (1 - p) * (1 - q)
    return (ri - expected) / (1 - expected)
