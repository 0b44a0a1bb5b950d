"""Layers of tags, from abstract to specific, as sorted arrays of column numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest.tags.names import did_you_mean

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["match_layers", "resolve_layers"]

EXAMPLE = "[['animal', 'scene'], ['cat', 'dog', 'beach']]"
SHOWN = 5


def resolve_layers(
    layers: Any, vocabulary: Sequence[str], *, unlayered: str = "error"
) -> tuple[NDArray[np.int32], ...]:
    """Turn layers written by hand into column numbers.

    Parameters
    ----------
    layers : 1 or sequence of collections of str or int
        The layers from abstract to specific, each a collection of tag names or column numbers
        (they may be mixed), with no tag in two layers. The number 1 puts all tags in one layer.
    vocabulary : sequence of str of length n_tags
        Name of each column.
    unlayered : {"error", "drop"}, default="error"
        What becomes of a tag in no layer: refuse it, or ignore it.

    Returns
    -------
    tuple of ndarray, int32
        One array of shape (tags in the layer,) per layer, ascending; a tag given twice in one
        layer counts once.

    Raises
    ------
    TypeError
        If the layers, a layer or a tag are of the wrong kind.
    ValueError
        If a tag is unknown, in two layers or in none, or a layer is empty.

    Examples
    --------
    >>> resolve_layers([["animal"], ["dog", 1]], ["animal", "cat", "dog"])
    (array([0], dtype=int32), array([1, 2], dtype=int32))
    """
    if unlayered not in {"error", "drop"}:
        hint = did_you_mean(unlayered, ["error", "drop"])
        raise ValueError(f"unlayered is {unlayered!r}; allowed are 'error' and 'drop'.{hint}")
    if isinstance(layers, (int, np.integer)) and not isinstance(layers, bool):
        return _single_layer(int(layers), len(vocabulary))
    home = np.full(len(vocabulary), -1, dtype=np.int64)
    columns = {name: j for j, name in enumerate(vocabulary)}
    for number, layer in enumerate(_open_layers(layers)):
        for tag in _open_layer(number, layer):
            j = _find_column(tag, number, vocabulary, columns)
            if home[j] not in {-1, number}:
                raise ValueError(
                    f"The tag {str(vocabulary[j])!r} is in layer {home[j] + 1} and in layer "
                    f"{number + 1}. Layers may not share tags: leave it in one of them."
                )
            home[j] = number
    left = np.flatnonzero(home < 0)
    if left.size and unlayered == "error":
        shown = ", ".join(repr(str(vocabulary[j])) for j in left[:SHOWN])
        more = f" and {left.size - SHOWN} more" if left.size > SHOWN else ""
        raise ValueError(
            f"{left.size} of {len(vocabulary)} tags are in no layer: {shown}{more}. Add them to a "
            'layer, or set unlayered="drop" to ignore them.'
        )
    n_layers = int(home.max()) + 1
    return tuple(np.flatnonzero(home == number).astype(np.int32) for number in range(n_layers))


def match_layers(layers: Sequence[Sequence[str]], vocabulary: Sequence[str]) -> list[list[str]]:
    """Give the part of a hierarchy that a collection has, by name.

    Parameters
    ----------
    layers : sequence of sequences of str
        The tags of each layer of the hierarchy.
    vocabulary : sequence of str of length n_tags
        The tags of the collection.

    Returns
    -------
    list of list of str
        The layers without the tags that the collection lacks; layers left empty are gone.

    Raises
    ------
    ValueError
        If the two have no tag in common.

    Examples
    --------
    >>> match_layers([["animal"], ["pet"], ["cat", "dog"]], ["animal", "dog"])
    [['animal'], ['dog']]
    """
    known = set(vocabulary)
    shared = [[name for name in layer if name in known] for layer in layers]
    if not any(shared):
        first = next((name for layer in layers for name in layer), "")
        hint = did_you_mean(first, vocabulary)
        raise ValueError(
            f"The hierarchy and the collection have no tag in common: the hierarchy has {first!r} "
            f"and others, the collection {', '.join(map(repr, vocabulary[:SHOWN]))}.{hint} Names "
            "must agree to the letter."
        )
    return [layer for layer in shared if layer]


def _single_layer(number: int, n_tags: int) -> tuple[NDArray[np.int32], ...]:
    """Answer the number 1, and explain any other number."""
    if number > 1:
        raise ValueError(
            f"layers={number} asks for estimated layers, but there are only names here to tell "
            f"them by. Use TagHierarchy(n_layers={number}).fit(tags).layers_, explicit layers such "
            f"as {EXAMPLE}, or layers=1 for a single layer of all tags."
        )
    if number < 1:
        raise ValueError(
            f"layers={number} is not a number of layers. Give 2 or more to estimate as many, 1 for "
            f"a single layer of all tags, or explicit layers such as {EXAMPLE}."
        )
    return (np.arange(n_tags, dtype=np.int32),)


def _open_layers(layers: Any) -> list[Any]:
    """Check that the layers come as an ordered collection with something in it."""
    if hasattr(layers, "columns"):
        raise TypeError(
            "layers is a table. Give TagHierarchy.from_parents(table) for one with the columns tag "
            f"and parent, or lists of tags such as {EXAMPLE}."
        )
    unordered = isinstance(layers, (str, bytes, Mapping, set, frozenset))
    if unordered or not isinstance(layers, Iterable):
        raise TypeError(
            f"layers is {layers!r} of type {type(layers).__name__}. Give a list of layers from "
            f"abstract to specific, each a list of tag names or column numbers, such as {EXAMPLE}, "
            "a number of layers, or a TagHierarchy."
        )
    opened = list(layers)
    if not opened:
        raise ValueError(
            f"layers is empty. Give at least one layer, such as {EXAMPLE}, or a number of layers."
        )
    return opened


def _open_layer(number: int, layer: Any) -> list[Any]:
    """Check that one layer is a collection of tags with something in it."""
    if isinstance(layer, (str, bytes, int, np.generic)):
        raise TypeError(
            f"Layer {number + 1} is the single value {_plain(layer)!r}. Write [{_plain(layer)!r}] "
            f"for a layer with one tag; several layers look like {EXAMPLE}."
        )
    if isinstance(layer, Mapping) or not isinstance(layer, Iterable):
        raise TypeError(
            f"Layer {number + 1} is of type {type(layer).__name__}. Give a list or set of tag "
            "names or column numbers."
        )
    opened = list(layer)
    if not opened:
        raise ValueError(f"Layer {number + 1} is empty. Give it at least one tag or leave it out.")
    return opened


def _find_column(
    tag: Any, number: int, vocabulary: Sequence[str], columns: Mapping[str, int]
) -> int:
    """Give the column of a tag that is written as a name or as a number."""
    if isinstance(tag, str):
        if tag not in columns:
            hint = did_you_mean(tag, vocabulary)
            raise ValueError(
                f"Layer {number + 1} has the tag {str(tag)!r}, which is not among the "
                f"{len(vocabulary)} tags.{hint} Use a name of the vocabulary or a column number."
            )
        return columns[tag]
    if isinstance(tag, (bool, np.bool_)) or not isinstance(tag, (int, np.integer)):
        raise TypeError(
            f"Layer {number + 1} has the tag {_plain(tag)!r} of type {type(tag).__name__}; tags "
            "are names (str) or column numbers (int)."
        )
    if not 0 <= tag < len(vocabulary):
        allowed = f"0 to {len(vocabulary) - 1}" if len(vocabulary) else "none, as there are no tags"
        raise ValueError(
            f"Layer {number + 1} has the column number {int(tag)}; column numbers are {allowed}."
        )
    return int(tag)


def _plain(value: Any) -> Any:
    """Give NumPy scalars as Python values, which read better in a message."""
    return value.item() if isinstance(value, np.generic) else value
