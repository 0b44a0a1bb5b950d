"""Completion by clusters, counting the fellows of one item at a time."""


def seen(labels, tags, n_tags):
    """Score all tags of all items: the share of the others in the cluster that carry them."""
    found = []
    for i, label in enumerate(labels):
        others = [k for k, other in enumerate(labels) if other == label and k != i]
        row = []
        for j in range(n_tags):
            carriers = sum(1 for k in others if j in tags[k])
            row.append(carriers / len(others) if others else 0.0)
        found.append(row)
    return found


def unseen(predicted, labels, tags, n_tags):
    """Score all tags of new items: the share of the whole cluster that carries them."""
    found = []
    for label in predicted:
        members = [k for k, other in enumerate(labels) if other == label]
        found.append(
            [sum(1 for k in members if j in tags[k]) / len(members) for j in range(n_tags)]
        )
    return found
