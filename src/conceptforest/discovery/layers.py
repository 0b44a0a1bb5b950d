"""The tag layers of a run: given by a file, brought by the collection, or to be estimated."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from conceptforest.tags import TagHierarchy

if TYPE_CHECKING:
    from collections.abc import Sequence

    from conceptforest.discovery.settings import Settings
    from conceptforest.discovery.source import Items
    from conceptforest.tags import TagMatrix

__all__ = ["choose_layers"]


def choose_layers(items: Items, tags: TagMatrix, settings: Settings) -> int | list[list[str]]:
    """Give a number of layers to estimate, or the layers themselves.

    Tags that a given hierarchy does not name are the most specific ones.
    """
    given: Sequence[Sequence[str]] | None = items.layers
    if settings.hierarchy is not None:
        given = _read(Path(settings.hierarchy))
    if given is None:
        return settings.layers
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
    if path.suffix.lower() == ".json":
        hierarchy = TagHierarchy.from_json(path)
    else:
        import pandas as pd

        table: Any = pd.read_csv(path, dtype=str, keep_default_na=False, sep=None, engine="python")
        if "parent" in table.columns:
            table["parent"] = table["parent"].replace("", None)
        hierarchy = TagHierarchy.from_parents(table)
    names = hierarchy.vocabulary_
    return [[names[j] for j in layer] for layer in hierarchy.layers_]
