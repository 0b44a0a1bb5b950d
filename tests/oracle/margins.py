"""Maximum margins by their definitions: every assignment, item by item and class by class."""

import itertools
import math


def cheapest_balanced(costs, least, most):
    """Lowest total cost of an assignment whose clusters hold `least` to `most` items, tried all."""
    n, p = len(costs), len(costs[0])
    best = math.inf
    for labels in itertools.product(range(p), repeat=n):
        sizes = [labels.count(cluster) for cluster in range(p)]
        if all(least <= size <= most for size in sizes):
            best = min(best, math.fsum(costs[i][label] for i, label in enumerate(labels)))
    return best


def vectors(parts, *, each):
    """Rows around their mean, of mean squared length 1, in each part or as a whole, and a 1."""
    centred = []
    for part in parts:
        n = len(part)
        mean = [math.fsum(row[j] for row in part) / n for j in range(len(part[0]))]
        centred.append([[v - m for v, m in zip(row, mean, strict=True)] for row in part])
    squares = [math.fsum(v * v for row in part for v in row) / len(part) for part in centred]
    if not each:
        squares = [math.fsum(squares)] * len(squares)
    rows = []
    for i in range(len(parts[0])):
        row = []
        for part, square in zip(centred, squares, strict=True):
            row += [v / math.sqrt(square) if square > 1e-12 else 0.0 for v in part[i]]
        rows.append([*row, 1.0])
    return rows


def value(row, weights, cluster):
    return math.fsum(v * w[cluster] for v, w in zip(row, weights, strict=True))


def margin_loss(values, label):
    """How far an item's own value is from being 1 above all others; 0 where it is."""
    others = [v for r, v in enumerate(values) if r != label]
    return max(0.0, 1 + max(others) - values[label]) if others else 0.0


def margin_objective(rows, weights, labels, C):
    """Half the square of the weights, and the cost of all losses."""
    square = math.fsum(w * w for line in weights for w in line)
    p = len(weights[0])
    losses = (
        margin_loss([value(row, weights, t) for t in range(p)], label)
        for row, label in zip(rows, labels, strict=True)
    )
    return square / 2 + C * math.fsum(losses)


def pairwise_loss(values, label):
    """The same with every other cluster on its own."""
    return math.fsum(max(0.0, 1 - values[label] + v) for r, v in enumerate(values) if r != label)


def latent_value(scores, slopes, shifts):
    """Best sum over tags held present, by trying every set of them."""
    best = -math.inf
    for held in itertools.product((0, 1), repeat=len(scores)):
        terms = zip(held, scores, slopes, shifts, strict=True)
        best = max(best, math.fsum(h * (a * s + b) for h, s, a, b in terms))
    return best


def latent_objective(scores, slopes, shifts, labels, C):
    """Half the square of slopes and shifts, and the cost of all pairwise losses over clusters."""
    p = len(slopes)
    square = math.fsum(w * w for lines in (slopes, shifts) for line in lines for w in line)
    losses = (
        pairwise_loss([latent_value(row, slopes[t], shifts[t]) for t in range(p)], label)
        for row, label in zip(scores, labels, strict=True)
    )
    return square / 2 + C / p * math.fsum(losses)
