"""TagProp by its definition, item by item and tag by tag."""

import math

EPSILON = 1e-5


def weights(distances, decay):
    """Weights of an item's neighbours, from the distances of each by each metric."""
    raw = [
        math.exp(-math.fsum(w * d for w, d in zip(decay, row, strict=True))) for row in distances
    ]
    return [one / math.fsum(raw) for one in raw]


def share(tags, neighbours, distances, decay, tag):
    """Chance of a tag by the weighted votes of neighbours."""
    votes = weights(distances, decay)
    return math.fsum(
        vote * (1 - EPSILON if tags[j][tag] else EPSILON)
        for vote, j in zip(votes, neighbours, strict=True)
    )


def likelihood(tags, neighbours, distances, decay, sigmoids=None):
    """Mean over tags that items have plus mean over those that they lack, without penalty."""
    parts = {True: [], False: []}
    for i, row in enumerate(tags):
        for t, has in enumerate(row):
            chance = share(tags, neighbours[i], distances[i], decay, t)
            if sigmoids is not None:
                slope, shift = sigmoids[0][t], sigmoids[1][t]
                chance = 1 / (1 + math.exp(-slope * chance - shift))
            parts[bool(has)].append(math.log(chance if has else 1 - chance))
    return sum(math.fsum(part) / len(part) for part in parts.values() if part)


def first_of_each(lists, k):
    """The first of each list, then the second of each, ..., without doubles."""
    found = []
    for place in range(len(lists[0])):
        for one in lists:
            if one[place] not in found:
                found.append(one[place])
    return found[:k]
