"""TCMR by its definition, number by number."""

import math

import numpy as np


def project(row, floor, steps=200):
    """Nearest numbers of at least a floor that sum up to 1, by halving what is taken from all."""
    low, high = min(row) - 2, max(row)
    for _ in range(steps):
        middle = (low + high) / 2
        if sum(max(x - middle, floor) for x in row) > 1:
            low = middle
        else:
            high = middle
    return [max(x - high, floor) for x in row]


def objective(chances, tags, graph, smoothness, rank_penalty):
    """The whole that is minimised; `graph` holds the affinities of pairs of items."""
    n, m = len(tags), len(tags[0])
    known = math.fsum(-math.log(chances[i][j]) for i in range(n) for j in range(m) if tags[i][j])
    apart = math.fsum(
        graph[i][k] * math.dist(chances[i], chances[k]) ** 2 for i in range(n) for k in range(i)
    )
    values = np.linalg.svd(chances, compute_uv=False)
    return known + smoothness / 2 * apart + rank_penalty * math.fsum(values)


def step(chances, tags, graph, smoothness, rank_penalty, floor, length):
    """Where one step of a given length leads, without momentum."""
    n, m = len(tags), len(tags[0])
    moved = np.zeros((n, m))
    for i in range(n):
        for j in range(m):
            pull = sum(graph[i][k] * (chances[i][j] - chances[k][j]) for k in range(n))
            slope = smoothness * pull - (1 / chances[i][j] if tags[i][j] else 0)
            moved[i, j] = chances[i][j] - length * slope
    left, values, right = np.linalg.svd(moved, full_matrices=False)
    shrunk = (left * np.maximum(values - length * rank_penalty, 0)) @ right
    return [project(row, floor) for row in shrunk.tolist()]
