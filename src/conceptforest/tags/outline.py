"""Tag hierarchies that exist already: tables of parents, paths and nested trees.

Every reader gives an :class:`Outline`. A tag's depth is its layer, so a tag has one parent; what
comes from a file is not trusted, and depth and size are bounded.
"""

from __future__ import annotations

import json
import os
from collections import Counter, deque
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import narwhals as nw
import numpy as np

from conceptforest.tags.names import Names, did_you_mean, short
from conceptforest.tags.tables import open_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Outline", "read_json", "read_parents", "read_paths"]

_SEPARATORS = ("|", "/", "\\", ">")  # that programs write between names
MAX_DEPTH = 64
MAX_BYTES = 64 * 2**20

TREE = (
    '{"animal": {"dog": {}, "cat": {}}}, {"animal": ["dog", "cat"]} or '
    '{"name": "animal", "children": [{"name": "dog"}, {"name": "cat"}]}'
)
PAIRS = "a table with the columns 'tag' and 'parent', or a list of pairs (tag, parent)"


class Outline(NamedTuple):
    """A forest of tags.

    Attributes
    ----------
    vocabulary : tuple of str, length n_tags
        The tags, in order of appearance.
    layers : tuple of ndarray, int32
        Columns of the tags at each depth, the roots first.
    parents : ndarray of shape (n_tags,), int32
        Column of each tag's parent, -1 for a root.
    """

    vocabulary: Names
    layers: tuple[NDArray[np.int32], ...]
    parents: NDArray[np.int32]


def read_parents(table: Any) -> Outline:
    """Read a table of tags and their parents.

    Parameters
    ----------
    table : pandas or polars table, or sequence of pairs
        Columns ``tag`` and ``parent`` in any case, or pairs in this order. A tag whose parent is
        null or empty is a root, and so is a parent that is not listed as a tag.

    Returns
    -------
    Outline
    """
    links = _Links()
    for number, (tag, parent) in enumerate(_open_pairs(table)):
        where = f"Row {number}"
        name = _check_name(tag, where)
        if parent is None or parent == "" or (isinstance(parent, float) and np.isnan(parent)):
            links.add(name, None)
        else:
            links.add(name, _check_name(parent, where))
    return links.outline(f"The table is empty. Give {PAIRS}.")


def read_paths(paths: Any, separator: str) -> Outline:
    """Read paths from a root to a tag, such as ``animal|dog``.

    Parameters
    ----------
    paths : iterable of str
    separator : str
        Stands between a tag and the next.

    Returns
    -------
    Outline
    """
    if not isinstance(separator, str) or not separator:
        raise ValueError(
            f"separator is {separator!r}; give a non-empty string, such as '|' or '/'."
        )
    if isinstance(paths, (str, bytes, Mapping)) or not isinstance(paths, Iterable):
        raise TypeError(
            f"paths are {short(paths)}. Give a list of strings such as 'animal{separator}dog'."
        )
    links = _Links()
    paths, deepest = list(paths), 0
    for number, path in enumerate(paths):
        if not isinstance(path, str):
            raise TypeError(
                f"Path {number} is {short(path)} of type {type(path).__name__}; a path is a string "
                f"such as 'animal{separator}dog'. Leave out items without a path."
            )
        names = str(path).split(separator, MAX_DEPTH)
        if len(names) > MAX_DEPTH:
            raise ValueError(_too_deep(f"Path {number}, {short(path)},"))
        if not all(names):
            raise ValueError(
                f"Path {number} is {short(path)} and has an empty name. Give names on both sides "
                f"of each {separator!r}, and none at the ends."
            )
        for parent, name in zip([None, *names], names, strict=False):
            links.add(name, parent)
        deepest = max(deepest, len(names))
    other = next((mark for mark in _SEPARATORS if any(mark in path for path in paths)), None)
    if deepest == 1 and len(paths) > 1 and other is not None:
        raise ValueError(
            f"None of the {len(paths)} paths has a {separator!r}, so there is no hierarchy in them:"
            f" the first is {short(paths[0])}. Is the separator {other!r}?"
        )
    return links.outline("There are no paths. Give at least one, such as 'animal|dog'.")


def read_json(source: Any) -> Outline:
    """Read a tree of tags from a JSON file, or one that is read already.

    Parameters
    ----------
    source : path, mapping or list
        Nested objects, with lists of names for leaves if liked, or objects with ``name`` and
        ``children``; other plain values beside a ``name`` are ignored.

    Returns
    -------
    Outline
    """
    is_path = isinstance(source, (str, os.PathLike))
    tree = _load_json(source) if is_path else source
    links = _Links()
    waiting: deque[tuple[Any, str | None, int]] = deque([(tree, None, 1)])
    while waiting:
        node, parent, depth = waiting.popleft()
        for name, children in _branches(node, parent):
            if depth > MAX_DEPTH:
                raise ValueError(_too_deep(f"The tree, at {short(name)},"))
            links.add(_check_name(name, _place(parent)), parent)
            waiting.append((children, str(name), depth + 1))
    return links.outline(f"The tree has no tags. Give a tree such as {TREE}.")


class _Links:
    """Tags and their parents, as they are found."""

    def __init__(self) -> None:
        self.parents: dict[str, str | None] = {}

    def add(self, tag: str, parent: str | None) -> None:
        if tag == parent:
            raise ValueError(f"The tag {tag!r} is its own parent. Give it another, or none.")
        known = self.parents.setdefault(tag, parent)
        if known != parent:
            places = sorted("a root" if p is None else f"below {p!r}" for p in (known, parent))
            raise ValueError(
                f"The tag {tag!r} is {places[0]} and {places[1]}. A tag has one place, as layers "
                "may not share tags: rename or remove one of the two."
            )

    def outline(self, if_empty: str) -> Outline:
        """Find the depth of every tag."""
        if not self.parents:
            raise ValueError(if_empty)
        for parent in list(self.parents.values()):
            if parent is not None:
                self.parents.setdefault(parent, None)
        names = tuple(self.parents)
        column = {name: j for j, name in enumerate(names)}
        depth = self._depths()
        depths = np.array([depth[name] for name in names])
        above = [-1 if p is None else column[p] for p in self.parents.values()]
        layers = [np.flatnonzero(depths == k) for k in range(1, depths.max() + 1)]
        return Outline(
            names, tuple(layer.astype(np.int32) for layer in layers), np.array(above, np.int32)
        )

    def _depths(self) -> dict[str, int]:
        depth: dict[str, int] = {}
        for tag in self.parents:
            trail: list[str] = []
            at: str | None = tag
            while at is not None and at not in depth:
                trail.append(at)
                if len(trail) > MAX_DEPTH:
                    self._refuse_trail(tag)
                at = self.parents[at]
            base = 0 if at is None else depth[at]
            if base + len(trail) > MAX_DEPTH:
                self._refuse_trail(tag)
            for below, name in enumerate(reversed(trail), start=1):
                depth[name] = base + below
        return depth

    def _refuse_trail(self, tag: str) -> None:
        """Say whether the way up from a tag is a circle or only too long."""
        way: dict[str, None] = {}
        at: str | None = tag
        while at is not None and at not in way:
            way[at] = None
            at = self.parents[at]
        if at is None:
            raise ValueError(_too_deep(f"The hierarchy, at {short(tag)},"))
        names = list(way)
        circle = [*names[names.index(at) :], at]
        shown = " -> ".join(map(short, circle if len(circle) <= 6 else [*circle[:5], "..."]))
        raise ValueError(
            f"The parents go round in a circle: {shown}. Leave out one of these links, so that "
            "every way up ends at a root."
        )


def _open_pairs(table: Any) -> list[tuple[Any, Any]]:
    """Give the rows of a table, or check the pairs."""
    native = open_table(table)
    if isinstance(native, nw.DataFrame):
        columns = [str(column).lower() for column in native.columns]
        if sorted(columns) != ["parent", "tag"]:
            unknown = [c for c in columns if c not in {"parent", "tag"}]
            hint = did_you_mean(unknown[0], ["parent", "tag"]) if unknown else ""
            raise ValueError(
                f"The table of parents has the columns {short(list(native.columns))}; it must have "
                f"'tag' and 'parent' and no other.{hint} Rename or select columns first."
            )
        tag, parent = (native[native.columns[columns.index(name)]] for name in ("tag", "parent"))
        roots = parent.is_null().to_list()
        above = [None if r else p for p, r in zip(parent.to_list(), roots, strict=True)]
        return list(zip(tag.to_list(), above, strict=True))
    if isinstance(table, (str, bytes, Mapping, set)) or not isinstance(table, Iterable):
        raise TypeError(f"The table of parents is of type {type(table).__name__}. Give {PAIRS}.")
    rows = list(table)
    for number, row in enumerate(rows):
        if not isinstance(row, (tuple, list, np.ndarray)) or len(row) != 2:
            raise TypeError(f"Row {number} of the parents is {short(row)}. Give {PAIRS}.")
    return [(row[0], row[1]) for row in rows]


def _branches(node: Any, parent: str | None) -> list[tuple[Any, Any]]:
    """Give the tags at the top of a node and what is below each."""
    if node is None:
        return []
    if isinstance(node, Mapping):
        if isinstance(node.get("name"), str):
            return [(node["name"], _children(node))]
        return list(node.items())
    if not isinstance(node, (list, tuple)):
        hint = f" Write [{short(node)}]." if isinstance(node, str) else ""
        raise TypeError(
            f"{_place(parent)} has {_show(node)} of type {type(node).__name__}, which is not "
            f"a list or an object of tags.{hint} A tree looks like {TREE}."
        )
    branches: list[tuple[Any, Any]] = []
    for entry in node:
        if isinstance(entry, Mapping):
            branches += _branches(entry, parent)
        else:
            branches.append((entry, None))
    return branches


def _children(node: Mapping[str, Any]) -> Any:
    """Give the children of an object with a name, which may have other plain values."""
    for key, value in node.items():
        if key != "children" and isinstance(value, (Mapping, list, tuple)):
            hint = did_you_mean(key, ["children"])
            raise ValueError(
                f"The tag {short(node['name'])} has the key {short(key)}, which holds a list or an "
                f"object; only 'children' does.{hint} Rename the key."
            )
    return node.get("children")


def _check_name(name: Any, where: str) -> str:
    if isinstance(name, str) and name:
        return str(name)
    kind = "an empty name" if isinstance(name, str) else f"of type {type(name).__name__}"
    raise TypeError(f"{where} has the tag {_show(name)}, {kind}; tag names are non-empty strings.")


def _show(value: Any) -> str:
    """Write a value for a message; what may be nested without end is not written out."""
    nested = isinstance(value, (Mapping, list, tuple))
    return f"{type(value).__name__}(...)" if nested else short(value)


def _place(parent: str | None) -> str:
    return "The top of the tree" if parent is None else f"The tree below {short(parent)}"


def _too_deep(what: str) -> str:
    return (
        f"{what} is more than {MAX_DEPTH} tags deep. Each depth is a layer, and a few layers are "
        "enough: cut it shorter."
    )


def _load_json(path: str | os.PathLike[str]) -> Any:
    """Read a file of bounded size."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123 - takes any path-like
            content = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        text = " To give the text of a tree, use json.loads(text)." if "{" in str(path) else ""
        raise type(error)(
            f"The file {short(path)} cannot be read: {error}. Give the path of a JSON file, or a "
            f"tree such as {TREE}.{text}"
        ) from error
    if len(content) > MAX_BYTES:
        raise ValueError(
            f"{path} is larger than {MAX_BYTES // 2**20} MiB, too large for a tree of tags. Check "
            "that it is the file you mean."
        )
    try:
        return json.loads(content.decode("utf-8-sig"), object_pairs_hook=_no_repeats)
    except RecursionError as error:
        raise ValueError(_too_deep(f"The tree in {path}")) from error
    except ValueError as error:
        raise ValueError(
            f"{path} does not hold a JSON tree: {error}. A tree looks like {TREE}."
        ) from error


def _no_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Refuse an object that names a key twice: one of the two would be lost."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for key, times in Counter(key for key, _ in pairs).items() if times > 1)
        raise ValueError(f"the key {short(twice)} is there twice in one object; merge the two")
    return found
