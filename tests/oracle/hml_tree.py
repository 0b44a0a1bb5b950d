"""A Hierarchical-Multi-Label tree in plain Python and exact fractions: slow and obvious.

Evidence is a list of layers; each layer has `positive` and `negative`, lists of rows (one an item)
of whole numbers (one a tag), and `weight`, one whole number a tag.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

from tests.oracle.random_stream import Random, branch


@dataclass
class Layer:
    positive: list
    negative: list
    weight: list
    one: int = 2**20  # the mass of hard evidence


@dataclass
class Settings:
    n_try: int
    min_leaf: int
    child_weights: str = "count"


@dataclass
class Node:
    feature: int = -1
    threshold: float = 0.0
    left: int = -1
    layer: int = -1
    gain: Fraction = Fraction(0)
    count: int = 0
    items: list = field(default_factory=list)


def masses(layer, i, items, draws):
    p = sum(draws[x] * layer.positive[x][i] for x in items)
    n = sum(draws[x] * layer.negative[x][i] for x in items)
    return p, n


def impurity(layer, i, items, draws):
    """Gini impurity of tag i (section of Eq. 3): 2PN/M^2, 0 without evidence."""
    p, n = masses(layer, i, items, draws)
    return Fraction(2 * p * n, (p + n) ** 2) if p + n else Fraction(0)


def tag_gain(layer, i, items, left, right, draws, child_weights):
    """Eq. 3 for one tag."""
    if child_weights == "count":
        size = [sum(draws[x] for x in part) for part in (items, left, right)]
    else:
        size = [sum(masses(layer, i, part, draws)) for part in (items, left, right)]
    if size[0] == 0:
        return Fraction(0)
    return (
        impurity(layer, i, items, draws)
        - Fraction(size[1], size[0]) * impurity(layer, i, left, draws)
        - Fraction(size[2], size[0]) * impurity(layer, i, right, draws)
    )


def gain(layer, items, left, right, draws, child_weights="count"):
    """Eq. 4, and Eq. 5 once the layer is chosen."""
    return sum(
        (
            w * tag_gain(layer, i, items, left, right, draws, child_weights)
            for i, w in enumerate(layer.weight)
            if w > 0
        ),
        Fraction(0),
    )


def is_impure(layer, items, draws):
    return any(impurity(layer, i, items, draws) > 0 for i, w in enumerate(layer.weight) if w > 0)


def could_gain(layer, items, draws, child_weights):
    """Some split of these items, by whatever feature, might reduce an impurity."""
    for i, w in enumerate(layer.weight):
        if w == 0 or impurity(layer, i, items, draws) == 0:
            continue
        pairs = [(layer.positive[x][i], layer.negative[x][i]) for x in items]
        shares = {Fraction(p, p + n) for p, n in pairs if p + n}
        if len(shares) > 1 or (child_weights == "count" and (0, 0) in pairs):
            return True
    return False


def target_layer(layers, items, draws, child_weights="count"):
    """Eq. 5: the first layer that is impure; None when all are pure."""
    for k, layer in enumerate(layers):
        if is_impure(layer, items, draws) and could_gain(layer, items, draws, child_weights):
            return k
    return None


def draw_features(key, n_features):
    """All features in the order in which the node draws them."""
    random = Random(key)
    features = list(range(n_features))
    for drawn in range(n_features):
        pick = drawn + random.below(n_features - drawn)
        features[drawn], features[pick] = features[pick], features[drawn]
        yield features[drawn]


def smallest_difference(layer, items, draws):
    """Gains closer than this count as equal: 2^-40 of the impurity where an item is soft."""
    hard = {(0, layer.one), (layer.one, 0)}
    if all(set(zip(layer.positive[x], layer.negative[x], strict=True)) <= hard for x in items):
        return Fraction(0)
    whole = sum(w * impurity(layer, i, items, draws) for i, w in enumerate(layer.weight))
    return whole / 2**40


def best_split(X, layers, k, items, key, draws, settings):
    best = (Fraction(0), None, None)
    tiny = smallest_difference(layers[k], items, draws)
    tried = 0
    for f in draw_features(key, len(X[0])):
        if tried == settings.n_try:
            break
        values = sorted({X[x][f] for x in items})
        if len(values) == 1:
            continue
        tried += 1
        for below, above in pairwise(values):
            left = [x for x in items if X[x][f] <= below]
            right = [x for x in items if X[x][f] >= above]
            if min(sum(draws[x] for x in part) for part in (left, right)) < settings.min_leaf:
                continue
            g = gain(layers[k], items, left, right, draws, settings.child_weights)
            if g > best[0] + tiny:
                middle = below / 2 + above / 2
                best = (g, f, middle if below < middle <= above else above)
    return best


def grow_tree(X, layers, key, settings, draws=None):
    """Grow one tree; nodes in the order of the core, each with the drawn items that reach it."""
    n = len(X)
    draws = draws or [1] * n
    nodes = [Node(items=[x for x in range(n) if draws[x]])]
    stack = [(0, branch(key, 0))]
    while stack:
        at, node_key = stack.pop()
        node = nodes[at]
        node.count = sum(draws[x] for x in node.items)
        if node.count < 2 * settings.min_leaf:
            continue
        k = target_layer(layers, node.items, draws, settings.child_weights)
        if k is None:
            continue
        g, f, threshold = best_split(X, layers, k, node.items, node_key, draws, settings)
        if f is None:
            continue
        node.gain, node.feature, node.threshold, node.layer = g, f, threshold, k
        node.left = len(nodes)
        nodes.append(Node(items=[x for x in node.items if X[x][f] < threshold]))
        nodes.append(Node(items=[x for x in node.items if not X[x][f] < threshold]))
        stack.append((node.left + 1, branch(node_key, 1)))
        stack.append((node.left, branch(node_key, 0)))
    return nodes


def find_leaf(nodes, x):
    at = 0
    while nodes[at].left >= 0:
        at = nodes[at].left + (0 if x[nodes[at].feature] < nodes[at].threshold else 1)
    return at
