"""The audit of a model file: whether it describes a sound forest.

Digests find accidents, not forgers, so this is what keeps the indices of a hostile file from the
compiled core. It runs on whatever :mod:`~conceptforest.forest.model_file` parsed, and before that
on whatever is to be written, so that nothing is written which could not be read.
"""

from __future__ import annotations

import json
import reprlib
from dataclasses import fields
from itertools import pairwise
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from conceptforest.forest.trees import LEAF, Trees

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "MAX_PARAMS",
    "PARAMS",
    "TENSORS",
    "ModelFileError",
    "Tensors",
    "audit",
    "is_int",
    "require_sound",
    "unpack_names",
    "unpack_trees",
]

Tensors: TypeAlias = "dict[str, NDArray[Any]]"

MAX_PARAMS = 2**26  # bytes in the header
# Every tensor: its type and number of dimensions, widest type first so that all are aligned.
TENSORS = {
    "trees.offsets": ("int64", 1),
    "trees.threshold": ("float64", 1),
    "trees.gain": ("float64", 1),
    "tree_seeds": ("uint64", 1),
    "layers.offsets": ("int64", 1),
    "vocabulary.offsets": ("int64", 1),
    "feature_names.offsets": ("int64", 1),
    "trees.feature": ("int32", 1),
    "trees.left": ("int32", 1),
    "trees.count": ("int32", 1),
    "leaves": ("int32", 2),
    "layers.ids": ("int32", 1),
    "trees.layer": ("int16", 1),
    "vocabulary.text": ("uint8", 1),
    "feature_names.text": ("uint8", 1),
}
PARAMS = "params must be a JSON object (strings as keys, lists, finite numbers)"
_UNSOUND = "that is no sound forest: fit it, or save it, again"


class ModelFileError(ValueError):
    """A model file that cannot be read, or a state that cannot be written as one."""


def audit(document: dict[str, Any], tensors: Tensors) -> None:
    """Raise ModelFileError unless document and tensors describe a sound forest."""
    _audit_document(document)
    for name, tensor in tensors.items():
        dtype, n_dims = TENSORS[name]
        require_sound(
            tensor.dtype == dtype and tensor.ndim == n_dims,
            f"{name} must be {dtype} with {n_dims} dimensions, not {tensor.dtype} with"
            f" {tensor.ndim}",
        )
    tags = unpack_names(tensors, "vocabulary")
    require_sound(len(set(tags)) == len(tags), "vocabulary holds a name twice")
    if "feature_names.text" in tensors:
        n_names = len(unpack_names(tensors, "feature_names"))
        require_sound(
            n_names == document["n_features"],
            f"{n_names} feature names for {document['n_features']} features",
        )
    _audit_layers(tensors["layers.offsets"], tensors["layers.ids"], len(tags))
    # Comparing a signalling NaN, which a hostile file may hold, would warn.
    with np.errstate(invalid="ignore"):
        _audit_trees(tensors, document["n_features"], len(tensors["layers.offsets"]) - 1)
    _audit_leaves(tensors)


def _audit_document(document: dict[str, Any]) -> None:
    """Check the types and the ranges of the scalars, and the size of the parameters."""
    for key, low, high in (("seed", 0, 2**64 - 1), ("n_features", 1, 2**31 - 1)):
        require_sound(
            is_int(document[key], low, high),
            f"{key} must be an int from {low} to {high}, not {reprlib.repr(document[key])}",
        )
    require_sound(
        isinstance(document["bootstrap"], bool),
        f"bootstrap must be true or false, not {reprlib.repr(document['bootstrap'])}",
    )
    version = document["library_version"]
    require_sound(
        isinstance(version, str) and len(version) <= 100,
        f"library_version must be a str of at most 100 characters, not {reprlib.repr(version)}",
    )
    params = document["params"]
    require_sound(isinstance(params, dict), f"{PARAMS}, not {reprlib.repr(params)}")
    try:
        text = json.dumps(params, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ModelFileError(f"{PARAMS}: {error}; {_UNSOUND}") from error
    # The header holds the document as a string, in which quotes and backslashes take two bytes.
    size = len(text) + text.count('"') + text.count("\\")
    require_sound(
        size <= MAX_PARAMS, f"params take {size} bytes in the header, of at most {MAX_PARAMS}"
    )


def _audit_layers(offsets: NDArray[Any], ids: NDArray[Any], n_tags: int) -> None:
    """Check that the layers are disjoint sets of tags."""
    _audit_offsets("layers.offsets", offsets, len(ids))
    require_sound(len(offsets) <= 2**15, f"{len(offsets) - 1} layers, of at most {2**15 - 1}")
    bad = ids[(ids < 0) | (ids >= n_tags)]
    require_sound(
        not len(bad), f"the layers hold tag {bad[:1]}, but the vocabulary has {n_tags} tags"
    )
    require_sound(len(np.unique(ids)) == len(ids), "a tag is in the layers twice")


def _audit_trees(tensors: Tensors, n_features: int, n_layers: int) -> None:
    """Check every node of every tree; 10 million take less than a second."""
    trees = unpack_trees(tensors)
    n_nodes, offsets = len(trees.left), trees.offsets
    for field in fields(trees):
        n = len(getattr(trees, field.name))
        require_sound(
            field.name == "offsets" or n == n_nodes,
            f"trees.{field.name} has {n} entries for {n_nodes} nodes",
        )
    _audit_offsets("trees.offsets", offsets, n_nodes, strict=True)
    sizes = np.diff(offsets)
    root = np.repeat(offsets[:-1], sizes)
    index = np.arange(n_nodes) - root
    leaf = trees.left == LEAF
    inner = ~leaf

    def forbid(bad: NDArray[np.bool_], why: str) -> None:
        if bad.any():
            node = int(bad.argmax())
            tree = int(np.searchsorted(offsets, node, side="right")) - 1
            raise ModelFileError(f"tree {tree}, node {index[node]}: {why}; {_UNSOUND}")

    forbid(leaf & (trees.feature != LEAF), "a leaf must have feature -1")
    forbid(leaf & (trees.layer != LEAF), "a leaf must have layer -1")
    forbid(leaf & (trees.threshold != 0), "a leaf must have threshold 0")
    forbid(leaf & (trees.gain != 0), "a leaf must have gain 0")
    forbid(
        inner & ((trees.feature < 0) | (trees.feature >= n_features)),
        f"the feature must be from 0 to {n_features - 1}",
    )
    forbid(
        inner & ((trees.layer < 0) | (trees.layer >= n_layers)),
        f"the layer must be from 0 to {n_layers - 1}",
    )
    forbid(inner & ~np.isfinite(trees.threshold), "the threshold must be finite")
    forbid(inner & ~((trees.gain > 0) & (trees.gain < np.inf)), "the gain must be above 0, finite")
    forbid(trees.count <= 0, "the count must be above 0")
    forbid(
        inner & ((trees.left <= index) | (trees.left >= np.repeat(sizes, sizes) - 1)),
        "both children must come after their parent, inside the tree",
    )
    # Children lie past their parent, so never at a root: a node is an orphan, or has one parent
    # or more. No orphans and as many children as nodes that are no roots: exactly one each.
    left = (trees.left + root)[inner]
    orphan = np.ones(n_nodes, bool)
    orphan[offsets[:-1]] = orphan[left] = orphan[left + 1] = False
    forbid(orphan, "no node has it as a child")
    require_sound(2 * len(left) == n_nodes - len(sizes), "a node has two parents")
    total = np.zeros(n_nodes, np.int64)
    total[inner] = trees.count[left].astype(np.int64) + trees.count[left + 1]
    forbid(inner & (trees.count != total), "the count must be the sum of the children's counts")


def _audit_leaves(tensors: Tensors) -> None:
    """Check the leaf table, and the seeds, against trees that are known to be sound."""
    leaves, offsets = tensors["leaves"], tensors["trees.offsets"]
    n_trees = len(offsets) - 1
    require_sound(
        leaves.shape[0] > 0 and leaves.shape[1] == n_trees,
        f"leaves must have a row an item and a column for each of {n_trees} trees, not shape"
        f" {leaves.shape}",
    )
    n_seeds = len(tensors["tree_seeds"])
    require_sound(n_seeds == n_trees, f"{n_seeds} tree_seeds for {n_trees} trees")
    is_leaf = tensors["trees.left"] == LEAF
    # In blocks of rows, since the table is by far the largest array and its indices are wider.
    step = max(1, 2**20 // n_trees)
    for start in range(0, len(leaves), step):
        block = leaves[start : start + step]
        good = (block >= 0) & (block < np.diff(offsets))
        good &= is_leaf[np.where(good, block + offsets[:-1], 0)]
        if not good.all():
            row, tree = np.unravel_index(good.argmin(), good.shape)
            raise ModelFileError(
                f"leaves puts item {start + row} in node {block[row, tree]} of tree {tree}, which"
                f" is not one of its leaves; {_UNSOUND}"
            )


def _audit_offsets(name: str, offsets: NDArray[Any], end: int, *, strict: bool = False) -> None:
    """Check that offsets run from 0 to ``end`` and rise; if strict, at every step."""
    # Compared, not subtracted: a difference of hostile numbers may wrap around.
    before, after = offsets[:-1], offsets[1:]
    rises = len(offsets) > strict and offsets[0] == 0 and offsets[-1] == end
    require_sound(
        rises and bool(((after > before) if strict else (after >= before)).all()),
        f"{name} must {'strictly increase' if strict else 'not decrease'} from 0 to {end}",
    )


def unpack_names(tensors: Tensors, what: str) -> tuple[str, ...]:
    """Cut a text of UTF-8 bytes into names."""
    text, offsets = tensors[f"{what}.text"].tobytes(), tensors[f"{what}.offsets"]
    _audit_offsets(f"{what}.offsets", offsets, len(text))
    try:
        return tuple(text[a:b].decode() for a, b in pairwise(offsets.tolist()))
    except UnicodeDecodeError as error:
        raise ModelFileError(f"{what} holds a name that is not UTF-8; {_UNSOUND}") from error


def unpack_trees(tensors: Tensors) -> Trees:
    """Gather the arrays of the nodes."""
    return Trees(**{field.name: tensors[f"trees.{field.name}"] for field in fields(Trees)})


def require_sound(ok: bool, otherwise: str) -> None:
    """Require what any forest has."""
    if not ok:
        raise ModelFileError(f"{otherwise}; {_UNSOUND}")


def is_int(value: object, low: int, high: int) -> bool:
    """Tell whether a value is an int, and no bool, from ``low`` to ``high``."""
    return type(value) is int and low <= value <= high
