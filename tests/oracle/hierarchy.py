"""Layers of tags by naive loops: tf-idf, the score of a tag in a topic, picking, layering.

An item is a set of tag numbers. Which topic an item belongs to is given: `assign(number, tags)`
for layer `number` (from 1) and the item's tags that remain there.
"""

import math

UNIT = 2**30  # weights are rounded to this, so that sums do not depend on order


def weights(items):
    """Weigh the tags of each item, {tag: weight} an item, each of length 1 (or all 0)."""
    table = []
    for item in items:
        idf = {}
        for tag in item:
            df = sum(1 for other in items if tag in other)
            idf[tag] = math.log(len(items) / df)
        length = math.sqrt(sum(value**2 for value in idf.values()))
        table.append({tag: value / length if length else 0.0 for tag, value in idf.items()})
    return table


def score(table, topics, e, tag):
    """Sum a tag's weights over the items of topic e, in units."""
    total = 0
    for row, topic in zip(table, topics, strict=True):
        if topic == e and tag in row:
            total += round(row[tag] * UNIT)
    return total


def pick(items, topics, e, n_tags, n_best):
    """Give the best tags of a topic, [(tag, score)]: by score, then items, then number."""
    table = weights(items)
    ranked = []
    for tag in range(n_tags):
        found = score(table, topics, e, tag)
        if found > 0:
            df = sum(1 for item in items if tag in item)
            ranked.append((-found, -df, tag))
    return [(tag, -found / UNIT) for found, _, tag in sorted(ranked)[:n_best]]


def layer_tags(items, n_tags, n_layers, top, assign):
    """Give the layers, the topics of each and the score of every tag.

    Topics are lists of tags, in no particular order among each other.
    """
    rest = set(range(n_tags))
    layers, topics_by_layer, scores = [], [], [0.0] * n_tags
    for number in range(1, n_layers):
        left = [item & rest for item in items if item & rest]
        topics = [assign(number, item) for item in left]
        picks = [pick(left, topics, e, n_tags, top * number) for e in sorted(set(topics))]
        picks = [found for found in picks if found]
        if not picks:
            break
        for found in picks:
            for tag, value in found:
                scores[tag] = max(scores[tag], value)
        chosen = {tag for found in picks for tag, _ in found}
        layers.append(sorted(chosen))
        topics_by_layer.append([[tag for tag, _ in found] for found in picks])
        rest -= chosen
    if rest:
        layers.append(sorted(rest))
    return layers, topics_by_layer, scores
