"""Affinity propagation by its equations, pair by pair."""


def iterate(s, r, a, damping):
    """Give new responsibilities, and the availabilities that follow from them."""
    n = range(len(s))

    def responsible(i, k):
        return s[i][k] - max(a[i][other] + s[i][other] for other in n if other != k)

    new_r = [[damping * r[i][k] + (1 - damping) * responsible(i, k) for k in n] for i in n]

    def available(i, k):
        rest = sum(max(0.0, new_r[other][k]) for other in n if other not in {i, k})
        return rest if i == k else min(0.0, new_r[k][k] + rest)

    new_a = [[damping * a[i][k] + (1 - damping) * available(i, k) for k in n] for i in n]
    return new_r, new_a


def exemplars(r, a):
    """Items that stand for themselves."""
    return [k for k in range(len(r)) if r[k][k] + a[k][k] > 0]


def net_similarity(s, chosen):
    """Similarity of all items to the best of some exemplars, those themselves counting 0."""
    return sum(max(s[i][k] for k in chosen) for i in range(len(s)) if i not in chosen)
