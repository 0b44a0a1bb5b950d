"""The tags that were found, in order: cleaned, in one spelling each, as a matrix and layers."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from conceptforest.datasets.found_tags import count
from conceptforest.datasets.tag_text import MAX_LENGTH, clean_tag, merge_case
from conceptforest.tags import TagMatrix, parse_tags

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from conceptforest.datasets.found_tags import FoundTags

__all__ = ["settle_tags"]


def settle_tags(
    found: FoundTags, n_items: int
) -> tuple[TagMatrix, tuple[tuple[str, ...], ...] | None]:
    """Clean the tags, settle their spellings and find layers.

    Parameters
    ----------
    found : FoundTags
        Takes notes on what was changed.
    n_items : int

    Returns
    -------
    tags : TagMatrix
        Of shape (n_items, n_tags), its vocabulary in the order of the alphabet.
    layers : tuple of tuples of str, or None
        If at least half of the tags come from paths.

    Examples
    --------
    >>> from conceptforest.datasets.found_tags import FoundTags
    >>> found = FoundTags({0: {" old  town "}, 1: {"Sea"}, 2: {"Sea", "sea"}})
    >>> settle_tags(found, 3)[0].vocabulary
    ('Sea', 'old town')
    """
    cleaner = _Cleaner()
    flat = [{cleaner(tag) for tag in found.tags.get(k, ())} for k in range(n_items)]
    paths = [
        [tuple(filter(None, map(cleaner, path))) for path in found.paths.get(k, ())]
        for k in range(n_items)
    ]
    pathed = [{tag for path in each for tag in path} for each in paths]
    counts = Counter(tag for a, b in zip(flat, pathed, strict=True) for tag in a | b if tag)
    merged = merge_case(counts)
    if merged:
        first = min(merged)
        found.notes.append(
            f"{count(len(merged), 'spelling')} that differed in the case of letters alone gave way"
            f" to the most frequent one ({first!r} to {merged[first]!r}, for example)."
        )
    if cleaner.long:
        found.notes.append(
            f"{count(len(cleaner.long), 'tag')} of more than {MAX_LENGTH} characters"
            f" left out (first: {min(cleaner.long)[:40]!r})."
        )
    settle = {tag: merged.get(tag, tag) for tag in counts}
    pathed = [{settle[tag] for tag in each} for each in pathed]
    final = [{settle[tag] for tag in a if tag} | b for a, b in zip(flat, pathed, strict=True)]
    vocabulary = sorted(set().union(*final))
    if not vocabulary:
        found.notes.append("No item has a tag.")
    matrix = parse_tags(final, vocabulary=vocabulary)
    if 2 * sum(map(len, pathed)) < matrix.matrix.nnz or not vocabulary:
        return matrix, None
    settled = {tuple(settle[tag] for tag in path) for each in paths for path in each}
    return matrix, _layers(settled, vocabulary)


class _Cleaner:
    """Cleans each tag once; gives nothing for those that are too long."""

    def __init__(self) -> None:
        self.known: dict[str, str] = {}
        self.long: set[str] = set()

    def __call__(self, text: str) -> str:
        tag = self.known.get(text)
        if tag is None:
            tag = clean_tag(text)
            if len(tag) > MAX_LENGTH:
                self.long.add(tag)
                tag = ""
            self.known[text] = tag
        return tag


def _layers(
    paths: Iterable[tuple[str, ...]], vocabulary: Sequence[str]
) -> tuple[tuple[str, ...], ...] | None:
    """Put each tag in the layer of its first place in any path, and other tags in the last."""
    depths: dict[str, int] = {}
    for path in paths:
        for depth, tag in enumerate(path):
            depths[tag] = min(depth, depths.get(tag, depth))
    deepest = max(depths.values(), default=0)
    layers: list[list[str]] = [[] for _ in range(deepest + 1)]
    for tag in vocabulary:
        layers[depths.get(tag, deepest)].append(tag)
    kept = tuple(tuple(layer) for layer in layers if layer)
    return kept if len(kept) > 1 else None
