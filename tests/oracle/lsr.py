"""LSR by its definition: one Lasso after the other, scores one by one."""

import math


def lasso(gram, linear, penalty, *, positive, sweeps=1000):
    """Minimise a.G.a / 2 - linear.a + penalty |a| by going through the coefficients in turn."""
    codes = [0.0] * len(linear)
    for _ in range(sweeps):
        before = list(codes)
        for j, row in enumerate(gram):
            if row[j] == 0:
                continue
            rest = linear[j] - sum(row[k] * codes[k] for k in range(len(row)) if k != j)
            size = max(0.0, (rest if positive else abs(rest)) - penalty)
            codes[j] = math.copysign(size, rest) / row[j]
        if all(abs(a - b) < 1e-11 for a, b in zip(codes, before, strict=True)):
            break
    return codes


def objective(gram, linear, penalty, codes):
    bent = [sum(g * a for g, a in zip(row, codes, strict=True)) for row in gram]
    curve = sum(a * b for a, b in zip(codes, bent, strict=True)) / 2
    slope = sum(a * b for a, b in zip(codes, linear, strict=True))
    return curve - slope + penalty * sum(map(abs, codes))


def unit(row):
    length = math.sqrt(sum(x * x for x in row))
    return [x / length if length else 0.0 for x in row]


def reconstruction(target, atoms, share, *, positive):
    """Coefficients of atoms, with a share of the penalty from which on all are 0."""
    gram = [[sum(a * b for a, b in zip(x, y, strict=True)) for y in atoms] for x in atoms]
    linear = [sum(a * b for a, b in zip(x, target, strict=True)) for x in atoms]
    penalty = share * max((x if positive else abs(x) for x in linear), default=0.0)
    return lasso(gram, linear, max(penalty, 0.0), positive=positive)


def ranged(row):
    least, most = min(row), max(row)
    return [(x - least) / (most - least) if most - least > 1e-9 else 0.0 for x in row]


def scores(X, tags, tag_weight, image_share, penalty, tag_penalty, *, positive):
    """Scores of all tags for all items, from all items; each tag must be on an item."""
    n, m = len(X), len(tags[0])
    words = [unit(row) for row in tags]
    looks = [unit(x) for x in X]
    items = [
        [*x, *(math.sqrt(tag_weight) * t for t in row)] for x, row in zip(looks, words, strict=True)
    ]
    columns = [[row[j] for row in tags] for j in range(m)]
    by_tag = []
    for j in range(m):
        others = [k for k in range(m) if k != j]
        atoms = [columns[k] for k in others]
        codes = reconstruction(columns[j], atoms, tag_penalty, positive=positive)
        by_tag.append(dict(zip(others, codes, strict=True)))
    found = []
    for i in range(n):
        others = [k for k in range(n) if k != i]
        given = items if any(tags[i]) else looks
        codes = reconstruction(given[i], [given[k] for k in others], penalty, positive=positive)
        by_items = [
            sum(a * words[k][j] for a, k in zip(codes, others, strict=True)) for j in range(m)
        ]
        by_tags = [sum(a * tags[i][k] for k, a in by_tag[j].items()) for j in range(m)]
        found.append(
            [
                image_share * a + (1 - image_share) * b
                for a, b in zip(ranged(by_items), ranged(by_tags), strict=True)
            ]
        )
    return found
