"""k-means one point and one centre at a time: every distance in every iteration, nothing skipped.

The arithmetic follows the core's, term by term, so that even ties are decided alike: points are
taken around their mean, and a squared distance is |x|^2 + (|c|^2 - 2 x.c). This holds up to 2048
points; above, the core adds up in blocks, and sums may differ in the last bits.
"""

import math

from tests.oracle.random_stream import Random, branch

EPSILON = 2.0**-52


def score(x, c):
    total = sum_in_order(v * v for v in c)
    for a, b in zip(x, c, strict=True):
        total += a * (-2.0 * b)
    return total


def sum_in_order(values):
    total = 0.0  # the built-in sum rounds only once from Python 3.12 on
    for value in values:
        total += value
    return total


def squared_distance(x, c):
    parts = [0.0] * 8  # added up in turn, as the lanes of a vector are
    for j, (a, b) in enumerate(zip(x, c, strict=True)):
        parts[j % 8] += (a - b) * (a - b)
    return sum_in_order(parts)


class Problem:
    def __init__(self, points):
        n, d = len(points), len(points[0])
        self.mean = [sum_in_order(p[j] for p in points) / n for j in range(d)]
        self.points = [[p[j] - self.mean[j] for j in range(d)] for p in points]
        self.square = [sum_in_order(v * v for v in p) for p in self.points]
        self.rounding = (2.0 * d + 8.0) * EPSILON * max(self.square)

    def distance(self, i, c):
        squared = score(self.points[i], c) + self.square[i]
        return 0.0 if squared <= self.rounding else squared


def draw(random, closest):
    uniform = (random.next() >> 11) * 2.0**-53
    running = []
    for value in closest:
        running.append((running[-1] if running else 0.0) + value)
    if running[-1] == 0.0:
        return int(uniform * len(closest))
    target = uniform * running[-1]
    above = [i for i, total in enumerate(running) if total > target]
    return above[0] if above else running.index(running[-1])


def seed_centres(problem, k, random):
    """k-means++ with the best of 2 + floor(ln k) candidates for each centre but the first."""
    n = len(problem.points)
    first = problem.points[random.below(n)]
    centres = [first]
    closest = [problem.distance(i, first) for i in range(n)]
    while len(centres) < k:
        candidates = [draw(random, closest) for _ in range(2 + math.floor(math.log(k)))]
        trials = []
        for candidate in candidates:
            c = problem.points[candidate]
            trials.append([min(problem.distance(i, c), closest[i]) for i in range(n)])
        totals = [sum_in_order(trial) for trial in trials]
        best = totals.index(min(totals))
        centres.append(problem.points[candidates[best]])
        closest = trials[best]
    return centres


def assign(problem, centres):
    labels = []
    for x in problem.points:
        scores = [score(x, c) for c in centres]
        labels.append(scores.index(min(scores)))
    return labels


def fill_empty(problem, centres, labels):
    """An empty cluster takes the point farthest from its centre that is not alone there."""
    before = list(labels)
    distances = [
        squared_distance(x, centres[c]) for x, c in zip(problem.points, before, strict=True)
    ]
    for c in range(len(centres)):
        if c in labels:
            continue
        far = [
            i
            for i, distance in enumerate(distances)
            if distance > problem.rounding and labels.count(labels[i]) > 1
        ]
        if not far:
            return
        which = max(far, key=lambda i: (distances[i], -i))
        labels[which] = c
        distances[which] = 0.0


def mean_of(points, labels, c, otherwise):
    members = [x for x, label in zip(points, labels, strict=True) if label == c]
    if not members:
        return otherwise
    return [sum_in_order(x[j] for x in members) / len(members) for j in range(len(otherwise))]


def lloyd(problem, centres, max_iter):
    labels = None
    for done in range(max_iter):
        found = assign(problem, centres)
        if found == labels:
            return labels, centres, done
        labels = found
        fill_empty(problem, centres, labels)
        centres = [mean_of(problem.points, labels, c, at) for c, at in enumerate(centres)]
    return labels, centres, max_iter


def k_means(points, n_clusters, *, n_init, max_iter, seed):
    """(labels, centres, inertia, n_iter) of the seeding with the lowest inertia, else the first."""
    problem = Problem(points)
    best = None
    for restart in range(n_init):
        centres = seed_centres(problem, n_clusters, Random(branch(seed, restart)))
        labels, centres, n_iter = lloyd(problem, centres, max_iter)
        inertia = sum_in_order(
            squared_distance(x, centres[c]) for x, c in zip(problem.points, labels, strict=True)
        )
        if best is None or inertia < best[2]:
            moved = [[v + m for v, m in zip(c, problem.mean, strict=True)] for c in centres]
            best = labels, moved, inertia, n_iter
    return best
