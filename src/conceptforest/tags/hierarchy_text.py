"""A tag hierarchy as lines of text, for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from conceptforest.tags.names import Names

__all__ = ["write_topics", "write_tree"]

WIDTH = 96
FORK, LAST, PIPE, BLANK = "├─ ", "└─ ", "│  ", "   "


def write_topics(
    vocabulary: Names,
    counts: NDArray[Any],
    layers: Sequence[Iterable[int]],
    topics: Sequence[Sequence[tuple[int, Sequence[int]]]],
    limit: int,
) -> str:
    """Write layers, their topics and the tags of each.

    Parameters
    ----------
    vocabulary : tuple of str
    counts : ndarray of shape (n_tags,)
        Items of each tag.
    layers : sequence of collections of int
        Columns of each layer, in the order in which to show those that no topic holds.
    topics : sequence of sequences of (int, sequence of int)
        Size and columns of each topic, for as many layers as have topics.
    limit : int
        Most tags shown of a topic, or of a layer without topics.

    Returns
    -------
    str
    """

    def tags(columns: Sequence[int]) -> list[str]:
        shown = [f"{_clean(vocabulary[j])} {counts[j]:,}" for j in columns[:limit]]
        if len(columns) > limit:
            shown.append(f"and {len(columns) - limit:,} more")
        return shown

    title = f"{_plural(len(vocabulary), 'tag')} in {_plural(len(layers), 'layer')}"
    lines = [f"{title}, each tag with its number of items"]
    for number, layer in enumerate(map(list, layers)):
        title = f"Layer {number + 1}: {_plural(len(layer), 'tag')}"
        if number >= len(topics):
            lines += ["", title, *_wrap(tags(layer), LAST, BLANK)]
            continue
        groups = topics[number]
        lines += ["", f"{title} of {_plural(len(groups), 'topic')}"]
        sizes = [_plural(size, "item") for size, _ in groups]
        margin = max(map(len, sizes))
        for k, (size, (_, columns)) in enumerate(zip(sizes, groups, strict=True)):
            ends = k == len(groups) - 1
            head = f"{LAST if ends else FORK}{size:>{margin}}  "
            below = (BLANK if ends else PIPE) + " " * (margin + 2)
            lines += _wrap(tags(columns), head, below)
    return "\n".join(lines)


def write_tree(vocabulary: Names, parents: NDArray[Any], n_layers: int, limit: int) -> str:
    """Write a tree of tags.

    Parameters
    ----------
    vocabulary : tuple of str
    parents : ndarray of shape (n_tags,)
        Column of each tag's parent, -1 for a root.
    n_layers : int
        How deep the tree is.
    limit : int
        Most tags shown below one tag.

    Returns
    -------
    str
    """
    below: dict[int, list[int]] = {}
    for j, parent in enumerate(parents.tolist()):
        below.setdefault(parent, []).append(j)
    lines = [f"{_plural(len(vocabulary), 'tag')} in {_plural(n_layers, 'layer')}", ""]

    def write(columns: list[int], margin: str, *, roots: bool) -> None:
        shown = [(j, _clean(vocabulary[j])) for j in columns[:limit]]
        if len(columns) > limit:
            shown.append((-2, f"and {len(columns) - limit:,} more"))  # nothing is below -2
        for k, (j, text) in enumerate(shown):
            ends = k == len(shown) - 1
            lines.append(text if roots else margin + (LAST if ends else FORK) + text)
            inner = "" if roots else margin + (BLANK if ends else PIPE)
            write(below.get(j, []), inner, roots=False)

    write(below[-1], "", roots=True)
    return "\n".join(lines)


def _plural(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


def _clean(name: str) -> str:
    """Give a name that stays on its line."""
    return name if name.isprintable() else ascii(name)


def _wrap(pieces: list[str], first: str, later: str) -> list[str]:
    """Fill lines with pieces, none of which is cut."""
    lines = [first + pieces[0]]
    for piece in pieces[1:]:
        lines[-1] += ","
        if len(lines[-1]) + 1 + len(piece) < WIDTH:
            lines[-1] += " " + piece
        else:
            lines.append(later + piece)
    return lines
