"""A tree of joined sources in plain Python and exact fractions: slow and obvious.

`Y` holds rows of 0/1, one a tag; `real` says which rows are items, or is None where all are and no
source tells them from others.
"""

from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from tests.oracle.hml_tree import Node, draw_features
from tests.oracle.random_stream import branch

LEAST_GAIN = Fraction(10**-6)
TINY = Fraction(1, 2**40)  # of a node's impurity: smaller differences of gains are none


@dataclass
class Settings:
    n_try: int
    min_leaf: int
    alpha: float
    normalise: bool


@dataclass
class Source:
    seen: set  # the rows that it knows about
    members: set
    is_tag: bool
    weight: Fraction = Fraction(0)


def sources_of(Y, real):
    rows = set(range(len(Y)))
    present = {x for x in rows if any(Y[x])}
    tags = [{x for x in rows if Y[x][i]} for i in range(len(Y[0]))]
    found = [Source(present, members, is_tag=True) for members in tags]
    if real is not None:
        found.append(Source(rows, {x for x in rows if real[x]}, is_tag=False))
    return found


def size(rows, draws):
    return sum(draws[x] for x in rows)


def gini(source, rows, draws):
    known = [x for x in rows if x in source.seen]
    if not known:
        return Fraction(0)
    share = Fraction(size([x for x in known if x in source.members], draws), size(known, draws))
    return 1 - share**2 - (1 - share) ** 2


def gain(source, rows, left, right, draws):
    """Give the Gini gain among the rows that the source knows about."""
    whole = size([x for x in rows if x in source.seen], draws)
    if whole == 0:
        return Fraction(0)
    found = gini(source, rows, draws)
    for part in (left, right):
        known = size([x for x in part if x in source.seen], draws)
        found -= Fraction(known, whole) * gini(source, part, draws)
    return found


def cuts(X, rows, key, draws, settings):
    """All cuts that a node may choose from: feature, threshold, rows on either side."""
    tried = 0
    for f in draw_features(key, len(X[0])):
        values = sorted({X[x][f] for x in rows})
        if len(values) == 1:
            continue
        for below, above in pairwise(values):
            left = [x for x in rows if X[x][f] <= below]
            right = [x for x in rows if X[x][f] >= above]
            if min(size(left, draws), size(right, draws)) >= settings.min_leaf:
                middle = below / 2 + above / 2
                yield f, middle if below < middle <= above else above, left, right
        tried += 1
        if tried == settings.n_try:
            return


def set_weights(sources, X, rows, key, draws, settings, real):
    """Share out the weights of one tree, whose root has these rows."""
    items = [x for x in rows if real is None or real[x]]
    tags = [s for s in sources if s.is_tag and gini(s, rows, draws) > 0]
    alpha = Fraction(settings.alpha)
    used = [*tags, *(s for s in sources if not s.is_tag)]
    for s in sources:
        s.weight = Fraction(0)
    handed_out = Fraction(0)
    for s in used:
        share = (1 - alpha) / len(tags) if s.is_tag else alpha
        missing = Fraction(size([x for x in items if x not in s.seen], draws), size(items, draws))
        s.weight = share * (1 - missing)
        handed_out += share * missing
    for s in used:
        s.weight += handed_out / len(used)
    if settings.normalise:
        tried = list(cuts(X, rows, key, draws, settings))
        for s in used:
            best = max((gain(s, rows, a, b, draws) for _, _, a, b in tried), default=Fraction(0))
            s.weight /= max(best, LEAST_GAIN)


def best_split(sources, X, rows, key, draws, settings):
    best = (Fraction(0), None, None)
    tiny = TINY * sum(s.weight * gini(s, rows, draws) for s in sources)
    for f, threshold, left, right in cuts(X, rows, key, draws, settings):
        joined = sum(s.weight * gain(s, rows, left, right, draws) for s in sources)
        if joined > best[0] + tiny:
            best = (joined, f, threshold)
    return best


def grow_tree(X, Y, real, key, settings, draws=None):
    """Grow one tree; nodes in the order of the core."""
    n = len(X)
    draws = draws or [1] * n
    sources = sources_of(Y, real)
    nodes = [Node(items=[x for x in range(n) if draws[x]])]
    stack = [(0, branch(key, 0))]
    while stack:
        at, node_key = stack.pop()
        node = nodes[at]
        node.count = size(node.items, draws)
        if node.count < 2 * settings.min_leaf:
            continue
        if at == 0:
            if real is not None and not any(real[x] for x in node.items):
                continue  # no item was drawn
            set_weights(sources, X, node.items, node_key, draws, settings, real)
        node.gain, f, threshold = best_split(sources, X, node.items, node_key, draws, settings)
        if f is None:
            continue
        node.feature, node.threshold, node.layer = f, threshold, 0
        node.left = len(nodes)
        nodes.append(Node(items=[x for x in node.items if X[x][f] < threshold]))
        nodes.append(Node(items=[x for x in node.items if not X[x][f] < threshold]))
        stack.append((node.left + 1, branch(node_key, 1)))
        stack.append((node.left, branch(node_key, 0)))
    return nodes
