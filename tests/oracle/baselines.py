"""The competing methods by their definitions, item by item and tag by tag."""

import math


def popularity(tags, item, tag):
    """Share of the other items that carry the tag."""
    others = [row for other, row in enumerate(tags) if other != item]
    return sum(row[tag] for row in others) / len(others)


def share(tags, tag, given):
    """Share of the items with one tag that carry another as well."""
    holders = [row for row in tags if row[given]]
    return sum(row[tag] for row in holders) / len(holders) if holders else 0.0


def cooccurrence(tags, item, tag):
    """Sum of the tag's shares given each other tag of the item, counted on the other items."""
    others = [row for other, row in enumerate(tags) if other != item]
    return sum(share(others, tag, j) for j, has in enumerate(tags[item]) if has and j != tag)


def cooccurrence_new(tags, known, tag):
    """Give the same for an item that is not among those counted."""
    return sum(share(tags, tag, j) for j, has in enumerate(known) if has and j != tag)


def votes(tags, voters, weights, tag):
    """Weighted share of the voters that carry the tag."""
    total = math.fsum(weights)
    return math.fsum(w * tags[v][tag] for v, w in zip(voters, weights, strict=True)) / total


def kept(scores, known, counts, n_scores):
    """Columns that a row of scores keeps."""
    lacked = [j for j, has in enumerate(known) if not has and scores[j] > 0]
    lacked.sort(key=lambda j: (-scores[j], -counts[j], j))
    return sorted(lacked[:n_scores] + [j for j, has in enumerate(known) if has and scores[j] > 0])


def scale(distances):
    """Scale of an item, from the ascending distances to its nearest items; None if all are 0."""
    seventh = distances[min(7, len(distances)) - 1]
    if seventh > 0:
        return seventh
    positive = [d for d in distances if d > 0]
    return min(positive) if positive else None


def scales(distances):
    """Scales of all items."""
    found = [scale(row) for row in distances]
    known = sorted(s for s in found if s is not None)
    half = len(known) // 2
    median = 1.0
    if known:
        median = known[half] if len(known) % 2 else (known[half - 1] + known[half]) / 2
    return [median if s is None else s for s in found]


def gaussian_graph(points, n_neighbors):
    """Affinities of all pairs of points, for points with no equal distances but doubles."""
    n = len(points)
    nearest = []
    for i in range(n):
        away = sorted((math.dist(points[i], points[j]), j) for j in range(n) if j != i)
        nearest.append(away[: max(n_neighbors, 7)])
    size = scales([[d for d, _ in row] for row in nearest])
    graph = [[0.0] * n for _ in range(n)]
    for i, row in enumerate(nearest):
        for d, j in row[:n_neighbors]:
            graph[i][j] = graph[j][i] = math.exp(-d * d / (size[i] * size[j]))
    return graph


def lloyd(points, centres, max_iter):
    """Labels of k-means from given centres, none of which may lose all its points."""
    labels = None
    for _ in range(max_iter):
        moved = [min(range(len(centres)), key=lambda c: math.dist(p, centres[c])) for p in points]
        if moved == labels:
            break
        labels = moved
        for c in range(len(centres)):
            own = [p for p, label in zip(points, labels, strict=True) if label == c]
            assert own
            centres[c] = [math.fsum(column) / len(own) for column in zip(*own, strict=True)]
    return labels
