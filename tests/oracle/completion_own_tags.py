"""What an item's own tags say about another, one pair of tags at a time."""


def joined(score, tag, own, tags, n_tags, full):
    """Give the score of a tag for an item with some tags; `tags` are those of training items.

    `full` is the score that a tag of all voters would have.
    """
    if not own:
        return score
    n = len(tags)
    frequency = [(sum(1 for t in tags if j in t) + 0.5) / (n + 1) for j in range(n_tags)]
    vision = 0.9 * min(score / full, 1) + 0.1 * frequency[tag]
    others = [j for j in own if j != tag]
    shares = []
    for j in others:
        with_j = [t for t in tags if j in t]
        both = sum(1 for t in with_j if tag in t)
        shares.append((both + frequency[tag]) / (len(with_j) + 1))
    by_tags = sum(shares) / len(shares) if shares else frequency[tag]
    odds = vision / (1 - vision) * by_tags / (1 - by_tags)
    odds /= frequency[tag] / (1 - frequency[tag])
    return full * odds / (1 + odds)
