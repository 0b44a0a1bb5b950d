"""The tag layers of a run: given by a file, brought by the collection, or to be estimated."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conceptforest.tags import TagHierarchy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conceptforest.discovery.settings import Settings
    from conceptforest.tags import TagMatrix

__all__ = ["choose_layers", "fit_layers", "read_hierarchy"]


def read_hierarchy(settings: Settings) -> list[list[str]] | None:
    """Read the file that gives the layers, where one is asked for."""
    return None if settings.hierarchy is None else _read(Path(settings.hierarchy))


def choose_layers(
    given: Sequence[Sequence[str]] | None, tags: TagMatrix, settings: Settings
) -> int | list[list[str]]:
    """Give a number of layers to estimate, or the layers themselves.

    Tags that a given hierarchy does not name are the most specific ones.
    """
    if given is None:
        return settings.layers
    known = {name for layer in given for name in layer}
    if not known.intersection(tags.vocabulary):
        first = ", ".join(map(repr, tags.vocabulary[:3]))
        raise ValueError(
            f"The hierarchy names {len(known):,} tags, and none of those of the collection, such as"
            f" {first}. Spell them alike, or leave --hierarchy out."
        )
    return fit_layers(given, tags.vocabulary)


def fit_layers(given: Sequence[Sequence[str]], vocabulary: Sequence[str]) -> int | list[list[str]]:
    """Keep the tags that there are, and put those that have no layer into the last one.

    Examples
    --------
    >>> fit_layers([["animal"], ["dog", "cat"]], ["animal", "cat", "fence"])
    [['animal'], ['cat', 'fence']]
    """
    wanted = set(vocabulary)
    layers = [[name for name in layer if name in wanted] for layer in given]
    placed = {name for layer in layers for name in layer}
    layers[-1].extend(name for name in vocabulary if name not in placed)
    layers = [layer for layer in layers if layer]
    return layers if len(layers) > 1 else 1


def _read(path: Path) -> list[list[str]]:
    """Read a JSON tree, or a table with the columns tag and parent."""
    if not path.is_file():
        raise FileNotFoundError(
            f"There is no file '{path}' with a hierarchy of tags. Give a JSON tree, or a CSV table"
            " with the columns tag and parent."
        )
    try:
        hierarchy = TagHierarchy.from_json(path) if _is_json(path) else _from_table(path)
    except (ValueError, TypeError, csv.Error) as error:
        raise ValueError(f"Cannot read the hierarchy '{path}': {error}") from error
    names = hierarchy.vocabulary_
    return [[names[j] for j in layer] for layer in hierarchy.layers_]


def _is_json(path: Path) -> bool:
    return path.suffix.lower() == ".json"


def _from_table(path: Path) -> TagHierarchy:
    import pandas as pd

    if not path.stat().st_size:
        raise ValueError("it is empty.")
    table: Any = pd.read_csv(path, dtype=str, keep_default_na=False, sep=None, engine="python")
    if "parent" in table.columns:
        table["parent"] = table["parent"].replace("", None)
    return TagHierarchy.from_parents(table)
