"""Completion by local neighbourhoods: every tree's leaf is looked at for every item and tag."""

from fractions import Fraction

MEAN_SHARE = 1e-6


def shares(row, training, tag_sets, tag, itself=None):
    """Of the leaf of a row in each tree: what share of its items have the tag.

    `row` holds the row's leaf in each tree, `training` the same for every training item, and
    `tag_sets` their tags. A tree without any other item in the leaf has no share.
    """
    found = []
    for t, leaf in enumerate(row):
        others = [i for i in range(len(training)) if training[i][t] == leaf and i != itself]
        if others:
            found.append(Fraction(sum(1 for i in others if tag in tag_sets[i]), len(others)))
    return found


def exact_score(row, training, tag_sets, tag, itself=None):
    of_trees = shares(row, training, tag_sets, tag, itself)
    positive, negative = of_trees.count(1), of_trees.count(0)
    p = Fraction(positive, positive + negative) if positive + negative else Fraction(0)
    mean = sum(of_trees) / len(of_trees) if of_trees else Fraction(0)
    return p + Fraction(1, 10**6) * mean


def score(row, training, tag_sets, tag, itself=None):
    """The same in floats, each rounding in its place, so that ties are the core's."""
    of_trees = shares(row, training, tag_sets, tag, itself)
    positive, negative = of_trees.count(1), of_trees.count(0)
    if not of_trees:
        return 0.0
    total = 0.0
    for share in of_trees:
        total += float(share)
    p = positive / (positive + negative) if positive + negative else 0.0
    return p + MEAN_SHARE * (total / len(of_trees))


def votes(rows, training, tag_sets, n_tags, *, keep, exclude_self):
    """For each row the kept tags and their scores, as a dict."""
    frequency = [sum(1 for tags in tag_sets if tag in tags) for tag in range(n_tags)]
    result = []
    for i, row in enumerate(rows):
        itself = i if exclude_self else None
        own = tag_sets[i] if exclude_self else set()
        scores = {tag: score(row, training, tag_sets, tag, itself) for tag in range(n_tags)}
        positive = {tag: value for tag, value in scores.items() if value > 0}
        lacking = sorted(
            (tag for tag in positive if tag not in own),
            key=lambda tag: (-scores[tag], -frequency[tag], tag),
        )
        kept = set(lacking if keep < 0 else lacking[:keep]) | (set(positive) & own)
        result.append({tag: scores[tag] for tag in sorted(kept)})
    return result
