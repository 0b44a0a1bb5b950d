"""Evidence of every item for every tag of every layer, in loops and fractions (Eq. 6 to 9)."""

from fractions import Fraction

from tests.oracle.hml_tree import Layer

ONE = 2**20


def soft_scores(Y, layer, below, x):
    """Scores of item x, which has no tag in the layer: one pair (for, against) a tag."""
    n = len(Y)
    o = [sum(row[j] for row in Y) for j in range(len(Y[0]))]
    pairs = []
    for i in layer:
        for_it = against = Fraction(0)
        for j in below:
            if not Y[x][j] or o[j] == 0:
                continue
            co = sum(row[i] * row[j] for row in Y)
            for_it += Fraction(co, o[j])
            absent, absent_with_j = 1 - Fraction(o[i], n), 1 - Fraction(co, o[j])
            if o[i] > 0:
                against += max(Fraction(0), absent_with_j - absent) / (1 - absent)
        pairs.append((for_it, against))
    return pairs


def scaled(scores, Y, below, scale):
    """Scores of all missing items, {x: [(for, against)]}, brought to the unit range."""
    items = list(scores)
    tags = range(len(next(iter(scores.values()), [])))

    def top(which, xs, columns):
        return max((scores[x][i][which] for x in xs for i in columns), default=Fraction(0))

    result = {}
    for x in items:
        row = []
        for i in tags:
            divisors = []
            for which in (0, 1):
                if scale == "layer":
                    divisor = top(which, items, tags)
                elif scale == "joint":
                    divisor = max(top(0, items, tags), top(1, items, tags))
                elif scale == "tag":
                    divisor = top(which, items, [i])
                elif scale == "sample":
                    divisor = top(which, [x], tags)
                else:
                    divisor = Fraction(sum(Y[x][j] for j in below))
                divisors.append(divisor or Fraction(1))
            row.append(tuple(scores[x][i][w] / divisors[w] for w in (0, 1)))
        result[x] = row
    return result


def gather(Y, layers, *, correlation, reading, weights=None):
    """Give one Layer each, whole numbers of 1 / ONE."""
    n = len(Y)
    result = []
    for k, layer in enumerate(layers):
        below = [j for lower in layers[k + 1 :] for j in lower]
        positive = [[ONE * Y[x][i] for i in layer] for x in range(n)]
        negative = [[ONE * (1 - Y[x][i]) for i in layer] for x in range(n)]
        if correlation and below:
            missing = [x for x in range(n) if not any(Y[x][i] for i in layer)]
            raw = {x: soft_scores(Y, layer, below, x) for x in missing}
            unit = scaled(raw, Y, below, reading.scale)
            for x in missing:
                if any(a or b for a, b in raw[x]):
                    positive[x] = [round(a * ONE) for a, _ in unit[x]]
                    negative[x] = [round(b * ONE) for _, b in unit[x]]
                elif reading.no_evidence == "none":
                    positive[x] = [0] * len(layer)
                    negative[x] = [0] * len(layer)
                elif reading.no_evidence == "base":
                    rates = [Fraction(sum(row[i] for row in Y), n) for i in layer]
                    positive[x] = [round(r * ONE) for r in rates]
                    negative[x] = [round((1 - r) * ONE) for r in rates]
        whole = [1] * len(layer) if weights is None else [weights[i] for i in layer]
        result.append(Layer(positive, negative, whole))
    return result
