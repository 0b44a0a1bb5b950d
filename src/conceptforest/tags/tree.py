"""A tree of tags to draw: each tag below the more abstract tag that its items mostly carry."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest.tags.correlations import correlate
from conceptforest.tags.layers import resolve_layers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from conceptforest.tags.matrix import TagMatrix

__all__ = ["tag_tree"]

_PRIOR = 5.0  # items that would carry the parent by chance, added to those of the child
_LEAST = 0.2  # of the share by which a child's items could exceed chance: less is no relation


def tag_tree(
    tags: TagMatrix, layers: Sequence[Sequence[str | int]]
) -> list[tuple[str, str | None]]:
    """Find a parent for each tag of a lower layer.

    The parent is the tag of any layer above that speaks most of the child's items: with the share s
    of them that carry it, and the share b of all items, (s - b) / (1 - b) is highest. The share s
    is shrunk by 5 items that carry the parent by chance, so that a tag on one or two items hangs
    on nobody. Less than 0.2 is no relation, and a tag without one is a root. Of equal parents the
    more specific one is taken: the less frequent. Only tagged items count.

    Parameters
    ----------
    tags : TagMatrix
    layers : sequence of collections of str or int
        Names or columns of the tags, from abstract to specific. Tags in no layer are left out.

    Returns
    -------
    list of (str, str or None)
        Each tag with its parent, None for a root. Layer by layer, so that a parent comes before
        its children, and the most frequent tags first. :meth:`TagHierarchy.from_parents` takes it.

    Examples
    --------
    >>> from conceptforest.tags import TagHierarchy, parse_tags
    >>> names = [{"animal", "dog"}] * 9 + [{"animal", "cat"}] * 8 + [{"city", "tram"}] * 7
    >>> tree = tag_tree(parse_tags(names), [["animal", "city"], ["cat", "dog", "tram"]])
    >>> tree[2:]
    [('dog', 'animal'), ('cat', 'animal'), ('tram', 'city')]
    >>> print(TagHierarchy.from_parents(tree).to_text())
    5 tags in 2 layers
    <BLANKLINE>
    animal
    ├─ dog
    └─ cat
    city
    └─ tram
    """
    columns = resolve_layers(layers, tags.vocabulary, unlayered="drop")
    counts = tags.counts
    n_tagged = int((~tags.untagged).sum())
    found: list[tuple[str, str | None]] = []
    for number, layer in enumerate(columns):
        children = layer[np.argsort(-counts[layer], kind="stable")]
        above = np.concatenate([np.zeros(0, dtype=np.int32), *columns[:number]])
        parents = _parents(tags.matrix, above, children, n_tagged)
        found += [
            (tags.vocabulary[child], None if parent < 0 else tags.vocabulary[parent])
            for child, parent in zip(children, parents, strict=True)
        ]
    return found


def _parents(
    matrix: Any, above: NDArray[np.int32], children: NDArray[np.int32], n_tagged: int
) -> NDArray[np.int64]:
    """Give the column of each child's parent, or -1."""
    parents = np.full(len(children), -1, dtype=np.int64)
    if len(above) == 0:
        return parents
    found = correlate(matrix, above, children)
    pairs = found.cooccurrence.tocoo()
    base = found.target_counts[pairs.row] / n_tagged
    size = found.subordinate_counts[pairs.col]
    share = (pairs.data * size + _PRIOR * base) / (size + _PRIOR)
    room = 1 - base
    score = np.divide(share - base, room, out=np.zeros(len(share)), where=room > 0)
    order = np.lexsort((pairs.row, base, -np.round(score, 9), pairs.col))
    child, best = np.unique(pairs.col[order], return_index=True)
    good = score[order][best] >= _LEAST
    parents[child[good]] = above[pairs.row[order][best][good]]
    return parents
