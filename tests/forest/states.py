"""Forest states for the tests: by hand, at random; and the slow, obvious twin of the audit."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import fields

import numpy as np
from safetensors import safe_open
from safetensors.numpy import save

from conceptforest.forest.model_file import ForestState, write_state
from conceptforest.forest.trees import Trees


def small_state(**changes):
    """Two trees by hand: a root with one split child, and a lone root.

    Tree 0:  0 -> (1, 2), 1 -> (3, 4); leaves 2, 3, 4.   Tree 1: 0, a leaf.
    """
    trees = Trees(
        offsets=np.array([0, 5, 6], np.int64),
        feature=np.array([2, 0, -1, -1, -1, -1], np.int32),
        threshold=np.array([0.5, -1.25, 0, 0, 0, 0]),
        left=np.array([1, 3, -1, -1, -1, -1], np.int32),
        layer=np.array([0, 1, -1, -1, -1, -1], np.int16),
        gain=np.array([0.75, 0.1, 0, 0, 0, 0]),
        count=np.array([4, 3, 1, 2, 1, 4], np.int32),
    )
    state = {
        "trees": trees,
        "leaves": np.array([[3, 0], [2, 0], [3, 0], [4, 0]], np.int32),
        "tree_seeds": np.array([7, 2**64 - 1], np.uint64),
        "seed": 2**64 - 2,
        "n_features": 3,
        "vocabulary": ("sea", "Straße", "犬", "beach"),
        "layers": (np.array([0], np.int32), np.array([3, 1], np.int32)),
        "feature_names": ("red", "green", "blue"),
        "params": {"n_estimators": 2, "max_features": "sqrt", "layers": [["sea"], ["beach"]]},
        "bootstrap": False,
        "library_version": "0.1.0",
    }
    return ForestState(**(state | changes))


def random_trees(rng, n_trees, n_items, n_features, n_layers):
    """Grow sound trees that mean nothing; give them and a leaf for each item."""
    parts = {field.name: [] for field in fields(Trees)}
    offsets, leaves = [0], []
    for _ in range(n_trees):
        nodes = [(-1, 0.0, -1, -1, 0.0, n_items)]
        for j, node in enumerate(nodes):  # grows while it is walked
            count = node[-1]
            if count < 2 or rng.random() < 0.2:
                continue
            n_left = int(rng.integers(1, count))
            nodes[j] = (
                int(rng.integers(n_features)),
                float(rng.normal()),
                len(nodes),
                int(rng.integers(n_layers)),
                float(rng.random()) + 1e-9,
                count,
            )
            nodes += [(-1, 0.0, -1, -1, 0.0, n) for n in (n_left, count - n_left)]
        for name, column in zip(
            ("feature", "threshold", "left", "layer", "gain", "count"),
            zip(*nodes, strict=True),
            strict=True,
        ):
            parts[name] += column
        offsets.append(offsets[-1] + len(nodes))
        ends = [j for j, node in enumerate(nodes) if node[2] == -1]
        leaves.append(rng.choice(ends, n_items))
    types = {"feature": "i4", "threshold": "f8", "left": "i4"}
    types |= {"layer": "i2", "gain": "f8", "count": "i4"}
    arrays = {name: np.array(parts[name], dtype) for name, dtype in types.items()}
    trees = Trees(offsets=np.array(offsets, np.int64), **arrays)
    return trees, np.array(leaves, np.int32).T


def assert_same(a, b):
    """Check that two states are equal bit for bit."""
    for field in fields(Trees):
        _assert_same_array(getattr(a.trees, field.name), getattr(b.trees, field.name))
    _assert_same_array(a.leaves, b.leaves)
    _assert_same_array(a.tree_seeds, b.tree_seeds)
    assert len(a.layers) == len(b.layers)
    for one, other in zip(a.layers, b.layers, strict=True):
        _assert_same_array(one, other)
    for name in ("seed", "n_features", "vocabulary", "feature_names", "params"):
        assert getattr(a, name) == getattr(b, name), name
    assert json.dumps(a.params) == json.dumps(b.params)
    assert a.bootstrap is b.bootstrap
    assert a.library_version == b.library_version


def _assert_same_array(a, b):
    assert a.dtype == b.dtype
    assert a.shape == b.shape
    assert a.tobytes() == b.tobytes()


def parts_of(state, folder):
    """Give the document and the tensors of a state's file, as the safetensors library sees them."""
    path = folder / "parts.safetensors"
    write_state(state, path)
    with safe_open(path, "np") as file:
        document = json.loads(file.metadata()["conceptforest"])
        tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    path.unlink()
    return document, tensors


def file_bytes(document, tensors):
    """Write a model file with the safetensors library: sound digests, whatever the content."""
    arrays = {name: np.ascontiguousarray(array) for name, array in tensors.items()}
    digests = {name: sha256(array.tobytes()) for name, array in arrays.items()}
    return save(arrays, metadata_of(json.dumps({"digests": digests} | document)))


def metadata_of(text):
    return {"conceptforest": text, "digest": sha256(text.encode())}


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def split_file(data):
    """Take a safetensors file apart: its header as a dict, and the bytes after it."""
    length = int.from_bytes(data[:8], "little")
    return json.loads(data[8 : 8 + length]), data[8 + length :]


def join_file(header, payload):
    """Put a safetensors file together; the header may be a dict or bytes."""
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + payload


def slow_audit(state):
    """Assert, node by node, that a state is a sound forest."""
    trees = state.trees
    assert trees.n_trees >= 1
    assert trees.offsets[0] == 0
    assert trees.offsets[-1] == len(trees.left)
    for t in range(trees.n_trees):
        assert trees.offsets[t] < trees.offsets[t + 1]
        _slow_audit_tree(trees.tree(t), state.n_features, len(state.layers))
    n_items, n_trees = state.leaves.shape
    assert n_items > 0
    assert n_trees == trees.n_trees == len(state.tree_seeds)
    for i in range(n_items):
        for t in range(n_trees):
            node = int(state.leaves[i, t])
            assert node >= 0
            assert list(trees.tree(t).left)[node] == -1
    ids = [int(tag) for layer in state.layers for tag in layer]
    assert len(set(ids)) == len(ids)
    assert all(0 <= tag < len(state.vocabulary) for tag in ids)
    assert len(set(state.vocabulary)) == len(state.vocabulary)
    assert state.feature_names is None or len(state.feature_names) == state.n_features
    assert 0 <= state.seed < 2**64
    assert isinstance(state.bootstrap, bool)
    assert json.loads(json.dumps(state.params, allow_nan=False)) == state.params


def _slow_audit_tree(tree, n_features, n_layers):
    parents = [0] * len(tree.left)
    for j, left in enumerate(tree.left.tolist()):
        assert tree.count[j] > 0
        if left == -1:
            assert tree.feature[j] == tree.layer[j] == -1
            assert tree.threshold[j] == tree.gain[j] == 0
            continue
        assert 0 <= tree.feature[j] < n_features
        assert 0 <= tree.layer[j] < n_layers
        assert math.isfinite(tree.threshold[j])
        assert 0 < tree.gain[j] < math.inf
        assert j < left < len(parents) - 1
        assert int(tree.count[j]) == int(tree.count[left]) + int(tree.count[left + 1])
        parents[left] += 1
        parents[left + 1] += 1
    assert parents == [0] + [1] * (len(parents) - 1)
