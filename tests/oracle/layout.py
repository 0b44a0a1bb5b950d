"""The map's pulling and pushing, in single precision and in loops."""

import numpy as np
from tests.oracle.random_stream import Random

F = np.float32
SHARPNESS, SOFTENING, LONGEST = F(1.5), F(0.001), F(4)


def bounded(step):
    return min(max(step, -LONGEST), LONGEST)


def lay_out(start, item, weight, position, n_epochs, n_repelled, seed):
    """Give the positions after the last epoch, as rows of two single floats."""
    places = [[F(x), F(y)] for x, y in position]
    random = Random(seed)
    credit = [F(0)] * len(item)
    for epoch in range(n_epochs):
        rate = F(1) - F(epoch) / F(n_epochs)
        for i in range(len(places)):
            for e in range(start[i], start[i + 1]):
                credit[e] += F(weight[e])
                if credit[e] < 1:
                    continue
                credit[e] -= F(1)
                pull(places[i], places[item[e]], rate)
                for _ in range(n_repelled):
                    other = random.below(len(places))
                    if other != i:
                        push(places[i], places[other], rate)
    return places


def pull(own, other, rate):
    apart = [own[0] - other[0], own[1] - other[1]]
    square = apart[0] * apart[0] + apart[1] * apart[1]
    strength = F(-2) * SHARPNESS / (F(1) + SHARPNESS * square)
    steps = [rate * bounded(strength * side) for side in apart]
    for k in range(2):
        own[k] += steps[k]
        other[k] -= steps[k]


def push(own, other, rate):
    apart = [own[0] - other[0], own[1] - other[1]]
    square = apart[0] * apart[0] + apart[1] * apart[1]
    strength = F(2) / ((SOFTENING + square) * (F(1) + SHARPNESS * square))
    for k in range(2):
        own[k] += rate * bounded(strength * apart[k])
