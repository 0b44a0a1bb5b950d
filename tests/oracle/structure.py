"""Graph, embedding and summaries by loops over plain lists."""

import math

import numpy as np


def neighbour_graph(affinity):
    n = len(affinity)
    return [
        [0.0 if i == j else max(affinity[i][j], affinity[j][i]) for j in range(n)] for i in range(n)
    ]


def normalise(graph):
    degree = [sum(row) for row in graph]
    n = len(graph)
    return [
        [graph[i][j] / math.sqrt(degree[i] * degree[j]) if graph[i][j] else 0.0 for j in range(n)]
        for i in range(n)
    ]


def leading_projector(matrix, n_vectors):
    """The projector onto the leading eigenvectors, which does not depend on their basis."""
    vectors = np.linalg.eigh(np.array(matrix))[1][:, -n_vectors:]
    return vectors @ vectors.T


def pieces(graph):
    """Sets of items that are joined, each found by walking along the edges."""
    left, found = set(range(len(graph))), []
    while left:
        queue, piece = [min(left)], set()
        while queue:
            i = queue.pop()
            if i in piece:
                continue
            piece.add(i)
            queue += [j for j, weight in enumerate(graph[i]) if weight > 0]
        found.append(piece)
        left -= piece
    return found


def characteristic_tags(tag_sets, vocabulary, labels, cluster):
    """(tag, lift, share) of the tags that set a cluster apart, the most characteristic first."""
    tagged = [i for i, own in enumerate(tag_sets) if own]
    members = [i for i in tagged if labels[i] == cluster]
    found = []
    for j, tag in enumerate(vocabulary):
        here = sum(1 for i in members if tag in tag_sets[i])
        if here < min(2, len(members)) or here == 0:
            continue
        share = here / len(members)
        lift = share / (sum(1 for i in tagged if tag in tag_sets[i]) / len(tagged))
        if share * math.log(lift) > 0:
            found.append((-share * math.log(lift), j, tag, lift, share))
    return [(tag, lift, share) for _, _, tag, lift, share in sorted(found)]


def cohesion(graph, labels, cluster):
    n = len(graph)
    members = [i for i in range(n) if labels[i] == cluster]
    volume = sum(graph[i][j] for i in members for j in range(n))
    inside = sum(graph[i][j] for i in members for j in members)
    return inside / volume if volume else 0.0


def votes(affinity_row, labels, n_clusters):
    """Affinity of one item to each cluster."""
    return [
        sum(a for a, label in zip(affinity_row, labels, strict=True) if label == c)
        for c in range(n_clusters)
    ]
