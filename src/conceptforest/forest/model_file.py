"""The model file: a fitted forest in one safetensors file, read without trusting it.

The file holds the arrays of :class:`ForestState` as tensors; names are stored as UTF-8 bytes and
offsets, so that a million tags cost no JSON. The header's metadata has two keys:

``conceptforest``
    One JSON document: ``format``, ``library_version``, ``seed``, ``n_features``, ``bootstrap``,
    ``params`` and ``digests``, the SHA-256 of each tensor's bytes.
``digest``
    The SHA-256 of that document.

Reading has three steps that share nothing but their results: *parse* (bytes to a document and
tensors, in :mod:`~conceptforest.forest.model_container`), *audit* (does it describe a forest? in
:mod:`~conceptforest.forest.model_audit`) and *construct*. Writing runs the same audit, so whatever
is written can be read. Nothing is ever unpickled or evaluated. SHA-256 costs about 0.6 s a gigabyte
on a CPU with SHA instructions, and several times that on one without.

To change the format:

1. Add 1 to ``FORMAT_VERSION`` for any change that an older reader would misread or refuse: a
   tensor or a key added, dropped, renamed or given another meaning.
2. Keep reading every older version: upgrade the parsed document and tensors to the newest layout
   between parse and audit, so that audit and construct know one layout only.
3. Keep a small file written by the old version among the test data, and a test that loads it.
4. Never change the two metadata keys, the digest of the document or the meaning of ``format``:
   through them an older reader can say "upgrade" instead of "damaged".
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest.forest.model_audit import (
    TENSORS,
    ModelFileError,
    Tensors,
    audit,
    unpack_names,
    unpack_trees,
)
from conceptforest.forest.model_container import FORMAT_VERSION, make_header, parse, write_whole
from conceptforest.forest.trees import Trees

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from numpy.typing import NDArray

__all__ = ["FORMAT_VERSION", "ForestState", "ModelFileError", "read_state", "write_state"]


@dataclass(frozen=True, eq=False)
class ForestState:
    """All of a fitted forest that must survive a save and a load.

    Attributes
    ----------
    trees : Trees
        The nodes.
    leaves : ndarray of shape (n_items, n_trees), int32
        Leaf in which each training item ends, as a node index counted from the tree's root.
    tree_seeds : ndarray of shape (n_trees,), uint64
        Seed of each tree.
    seed : int
        Seed of the forest, from 0 to 2**64 - 1.
    n_features : int
        Length of a feature vector.
    vocabulary : tuple of str
        Tag names by tag id, all different.
    layers : tuple of ndarray, int32
        Tag ids of each layer, most abstract first; no tag is in two.
    feature_names : tuple of str, length n_features, or None
        Names of the features, where they have any.
    params : dict
        The estimator's parameters, as a JSON object of at most 64 MiB: strings as keys, lists
        and not tuples.
    bootstrap : bool
        Whether each tree was grown on draws with replacement.
    library_version : str
        Version of the library that made the forest.
    """

    trees: Trees
    leaves: NDArray[np.int32]
    tree_seeds: NDArray[np.uint64]
    seed: int
    n_features: int
    vocabulary: tuple[str, ...]
    layers: tuple[NDArray[np.int32], ...]
    feature_names: tuple[str, ...] | None
    params: dict[str, Any]
    bootstrap: bool
    library_version: str


def write_state(state: ForestState, path: str | os.PathLike[str]) -> None:
    """Write a forest to a model file, whole or not at all.

    The bytes go to a temporary file in the same folder, which takes the place of ``path`` once it
    is on the disk. After an error ``path`` is as it was and the temporary file is gone.

    Parameters
    ----------
    state : ForestState
        What to write.
    path : str or path-like
        Where to write it; a file that is there is replaced.

    Raises
    ------
    ModelFileError
        If the state is not a sound forest.
    OSError
        If the folder is missing or cannot be written to.
    """
    path = Path(path)
    if path.is_dir():
        raise IsADirectoryError(
            f"cannot save the model as {path}, which is a folder: give a file name in it"
        )
    if not path.parent.is_dir():
        raise FileNotFoundError(
            f"cannot save the model as {path}: there is no folder {path.parent}; create it first"
        )
    try:
        document, tensors = _pack(state)
        audit(document, tensors)
        header = make_header(document, tensors)
    except (ModelFileError, RecursionError) as error:
        raise ModelFileError(f"cannot save the model as {path}: {error}") from error
    write_whole(path, header, tensors)


def read_state(path: str | os.PathLike[str]) -> ForestState:
    """Read a forest from a model file, which need not be trusted.

    Parameters
    ----------
    path : str or path-like
        A file written by :func:`write_state`.

    Returns
    -------
    ForestState
        What was written, bit for bit.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ModelFileError
        If the file cannot be opened, is not a model file, is damaged, was made by a newer version
        of the library, or does not describe a forest.
    """
    try:
        document, tensors = parse(Path(path))
        audit(document, tensors)
    except FileNotFoundError:
        raise
    except ModelFileError as error:
        raise ModelFileError(f"cannot read the model file {path}: {error}") from error
    except OSError as error:
        raise ModelFileError(
            f"cannot read the model file {path}: {error.strerror}; check the path and its"
            " permissions"
        ) from error
    return _construct(document, tensors)


def _construct(document: dict[str, Any], tensors: Tensors) -> ForestState:
    """Build the state from a document and tensors that passed the audit."""
    named = "feature_names.text" in tensors
    cuts = pairwise(tensors["layers.offsets"].tolist())
    return ForestState(
        trees=unpack_trees(tensors),
        leaves=tensors["leaves"],
        tree_seeds=tensors["tree_seeds"],
        seed=document["seed"],
        n_features=document["n_features"],
        vocabulary=unpack_names(tensors, "vocabulary"),
        layers=tuple(tensors["layers.ids"][a:b] for a, b in cuts),
        feature_names=unpack_names(tensors, "feature_names") if named else None,
        params=document["params"],
        bootstrap=document["bootstrap"],
        library_version=document["library_version"],
    )


def _pack(state: ForestState) -> tuple[dict[str, Any], Tensors]:
    """Lay a state out as the file has it, without checking what the audit will."""
    tensors = {f"trees.{f.name}": getattr(state.trees, f.name) for f in fields(Trees)}
    tensors |= {"leaves": state.leaves, "tree_seeds": state.tree_seeds}
    tensors |= _pack_names("vocabulary", state.vocabulary)
    if state.feature_names is not None:
        tensors |= _pack_names("feature_names", state.feature_names)
    layers = [np.asarray(layer) for layer in state.layers]
    if any(layer.ndim != 1 for layer in layers):
        raise ModelFileError("each layer must be an array of one dimension, of tag ids")
    tensors["layers.ids"] = np.concatenate([np.empty(0, np.int32), *layers])
    tensors["layers.offsets"] = _ends(map(len, layers))
    # The order of the format: widest type first.
    ordered = {name: np.asarray(tensors[name]) for name in TENSORS if name in tensors}
    document = {
        "format": FORMAT_VERSION,
        "library_version": state.library_version,
        "seed": state.seed,
        "n_features": state.n_features,
        "bootstrap": state.bootstrap,
        "params": state.params,
    }
    return document, ordered


def _pack_names(what: str, names: Iterable[str]) -> Tensors:
    """Join names to one text of UTF-8 bytes."""
    encoded = []
    for name in names:
        try:
            encoded.append(name.encode())
        except (AttributeError, UnicodeEncodeError):
            raise ModelFileError(
                f"{what} must hold strings that UTF-8 can encode, not {name!r}; rename it"
            ) from None
    text = np.frombuffer(b"".join(encoded), np.uint8)
    return {f"{what}.text": text, f"{what}.offsets": _ends(map(len, encoded))}


def _ends(lengths: Iterable[int]) -> NDArray[np.int64]:
    """Offsets of parts that lie one after another."""
    return np.cumsum([0, *lengths], dtype=np.int64)
