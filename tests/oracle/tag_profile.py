"""Profiles of tags and the graph that they and the forest make, in plain loops."""

import numpy as np


def trust(tags, foretold):
    """Root of the correlation of each tag with what is foretold of it, 0 where there is none."""
    found = []
    for have, told in zip(np.asarray(tags, dtype=float).T, np.asarray(foretold).T, strict=True):
        if np.ptp(have) == 0 or np.ptp(told) < 1e-12:
            found.append(0.0)
            continue
        found.append(max(0.0, float(np.corrcoef(have, told)[0, 1])) ** 0.5)
    return found


def rows(tags, foretold, trusted, counts, n_items):
    """One row for each item, of length 1 where it shows anything."""
    found = []
    for have, told in zip(np.asarray(tags, dtype=float), np.asarray(foretold), strict=True):
        row = []
        for t, r, a, count in zip(have, told, trusted, counts, strict=True):
            weight = a if any(have) else 0.0
            value = weight * t + (1 - weight) * min(max(r, 0.0), 1.0)
            row.append(np.log(n_items / count) * value**0.5 if count else 0.0)
        length = sum(x * x for x in row) ** 0.5
        found.append([x / length if length else 0.0 for x in row])
    return np.array(found)


def normalised(graph):
    degree = graph.sum(axis=1)
    found = np.zeros_like(graph)
    for i in range(len(graph)):
        for j in range(len(graph)):
            if graph[i, j]:
                found[i, j] = graph[i, j] / (degree[i] * degree[j]) ** 0.5
    return found


def profile_graph(shown, n_neighbors):
    """Join each row to those with the highest cosine, which must not be equal ones."""
    cosine = np.asarray(shown, dtype=float) @ np.asarray(shown, dtype=float).T
    graph = np.zeros_like(cosine)
    for i, row in enumerate(cosine):
        others = [j for j in range(len(row)) if j != i]
        for j in sorted(others, key=lambda j: -row[j])[:n_neighbors]:
            if row[j] > 1e-12:
                graph[i, j] = graph[j, i] = row[j] ** 4
    return graph


def joint_graph(leaves, shown, n_neighbors):
    return normalised(leaves) / 3 + normalised(profile_graph(shown, n_neighbors)) * 2 / 3


def votes(shown, tags, n_neighbors):
    """Share of the affinity of the nearest by profile that carries each tag."""
    cosine = np.asarray(shown, dtype=float) @ np.asarray(shown, dtype=float).T
    found = []
    for i, row in enumerate(cosine):
        others = sorted((j for j in range(len(row)) if j != i), key=lambda j: -row[j])
        near = {j: max(row[j], 0) ** 4 for j in others[:n_neighbors]}
        total = sum(near.values())
        found.append(sum(w * np.asarray(tags[j], dtype=float) for j, w in near.items()) / total)
    return np.array(found)
