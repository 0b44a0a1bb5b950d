"""Moves of items between clusters, each judged by the modularity of everything, in fractions."""

from fractions import Fraction

from tests.oracle.random_stream import Random


def modularity(graph, labels, resolution):
    total = sum(map(sum, graph))
    value = Fraction(0)
    for cluster in set(labels) if total else ():
        members = [i for i, label in enumerate(labels) if label == cluster]
        inside = sum(graph[i][j] for i in members for j in members)
        mass = sum(sum(graph[i]) for i in members)
        value += Fraction(inside, total) - Fraction(resolution) * Fraction(mass, total) ** 2
    return value


def settle(graph, labels, resolution, max_rounds, seed):
    """Try each item in turn in the clusters of its neighbours; graph is of whole numbers."""
    labels, random = list(labels), Random(seed)
    order = list(range(len(labels)))
    for _ in range(max_rounds):
        for left in range(len(order), 1, -1):
            other = random.below(left)
            order[left - 1], order[other] = order[other], order[left - 1]
        before = list(labels)
        for i in order:
            if labels.count(labels[i]) == 1:
                continue
            near = {labels[j] for j, weight in enumerate(graph[i]) if weight}
            tried = {c: [*labels[:i], c, *labels[i + 1 :]] for c in near | {labels[i]}}
            value = {c: modularity(graph, tried[c], resolution) for c in tried}
            if max(value.values()) > value[labels[i]]:
                labels[i] = min(c for c in near if value[c] == max(value.values()))
        if labels == before:
            break
    return labels
