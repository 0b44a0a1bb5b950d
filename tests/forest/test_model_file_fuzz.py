"""Whatever the bytes, reading gives a sound forest or a ModelFileError, in little memory."""

import json
import time
import tracemalloc
from collections import Counter

import numpy as np
import pytest
from tests.forest.states import (
    file_bytes,
    join_file,
    parts_of,
    random_trees,
    slow_audit,
    small_state,
    split_file,
)

from conceptforest.forest.model_file import ModelFileError, read_state, write_state

SECONDS = 5.0
N_AT_LEAST = 300  # mutations, however slow the machine
MEGABYTES = 1  # the files have 3 KB; 25 KB were measured
NUMBERS = [0, 1, -1, 2, 5, 6, 127, 255, 2**15, 2**31 - 1, -(2**31), 2**32, 2**63 - 1, 2**64, 10**40]
JSON_VALUES = [*NUMBERS, None, True, "", "F64", "I32", 0.5, [], {}, [0], [0, 2**62], [[]], "\ud800"]
FLOATS = [0.0, -0.0, np.nan, np.inf, -np.inf, 1e-320, 1e308, -1.0]


def flip(rng, good, _parts):
    data = bytearray(good[rng.integers(len(good))])
    for _ in range(rng.integers(1, 4)):
        data[rng.integers(len(data))] ^= 1 << int(rng.integers(8))
    return bytes(data)


def truncate(rng, good, _parts):
    data = good[rng.integers(len(good))]
    return data[: rng.integers(len(data))]


def splice(rng, good, _parts):
    """Put a piece of one file into another: over what is there, or between."""
    one, other = (good[i] for i in rng.integers(len(good), size=2))
    at, start = rng.integers(len(one)), rng.integers(len(other))
    piece = other[start : start + rng.integers(1, 200)]
    return one[:at] + piece + one[at + (len(piece) if rng.random() < 0.5 else 0) :]


def edit_json(rng, value):
    """Change, drop or add one value somewhere inside a JSON object."""
    while True:
        keys = list(value) if isinstance(value, dict) else list(range(len(value)))
        if not keys:
            return
        key = keys[rng.integers(len(keys))]
        if not isinstance(value[key], (dict, list)) or rng.random() < 0.2:
            break
        value = value[key]
    action = rng.random()
    if action < 0.7:
        value[key] = JSON_VALUES[rng.integers(len(JSON_VALUES))]
    elif action < 0.85 or isinstance(value, list):
        del value[key]
    else:
        value[f"{key}2"] = value[key]


def header(rng, good, _parts):
    entries, payload = split_file(good[rng.integers(len(good))])
    edit_json(rng, entries)
    return join_file(entries, payload)


def document(rng, _good, parts):
    """Edit the document, and compute its digest anew."""
    doc, tensors = parts[rng.integers(len(parts))]
    doc = json.loads(json.dumps(doc))
    for _ in range(rng.integers(1, 3)):
        edit_json(rng, doc)
    return file_bytes(doc, tensors)


def tensor(rng, _good, parts):
    """Edit a tensor, and compute all digests anew."""
    doc, tensors = parts[rng.integers(len(parts))]
    name = list(tensors)[rng.integers(len(tensors))]
    array = tensors[name].copy()
    if rng.random() < 0.2:
        array = array[: rng.integers(len(array) + 1)]
    elif array.dtype == float:
        array.flat[rng.integers(array.size)] = FLOATS[rng.integers(len(FLOATS))]
    else:
        value = np.array(NUMBERS[rng.integers(len(NUMBERS) - 2)]).astype(array.dtype)
        array.flat[rng.integers(array.size)] = value
    kept = {key: value for key, value in doc.items() if key != "digests"}
    return file_bytes(kept, tensors | {name: array})


MUTATIONS = [flip, truncate, splice, header, document, tensor]


@pytest.fixture
def seeds(tmp_path):
    """Sound files to mutate: as bytes, and as documents and tensors."""
    rng = np.random.default_rng(1)
    trees, leaves = random_trees(rng, n_trees=3, n_items=15, n_features=3, n_layers=2)
    other = {"trees": trees, "leaves": leaves, "tree_seeds": np.arange(3, dtype=np.uint64)}
    states = [small_state(), small_state(**other, feature_names=None, bootstrap=True)]
    path = tmp_path / "seed"
    good = []
    for state in states:
        write_state(state, path)
        good.append(path.read_bytes())
    return good, [parts_of(state, tmp_path) for state in states]


def test_fuzz(tmp_path, seeds):
    path = tmp_path / "fuzzed"
    rng = np.random.default_rng(20240229)
    refused, accepted = Counter(), Counter()
    messages = []
    peak = 0
    deadline = time.monotonic() + SECONDS
    n = 0
    while n < N_AT_LEAST or time.monotonic() < deadline:
        mutate = MUTATIONS[n % len(MUTATIONS)]
        n += 1
        path.write_bytes(mutate(rng, *seeds))
        tracemalloc.start()
        try:
            state = read_state(path)
        except ModelFileError as error:
            refused[mutate.__name__] += 1
            messages.append(str(error))
        else:
            slow_audit(state)
            accepted[mutate.__name__] += 1
        finally:
            peak = max(peak, tracemalloc.get_traced_memory()[1])
            tracemalloc.stop()
    assert sorted(refused) == sorted(mutate.__name__ for mutate in MUTATIONS)
    assert all(str(path) in message and len(message) < 1500 for message in messages)
    assert min(refused.values()) >= 10
    # Without new digests no change of the tensors may pass; with them, harmless ones do.
    assert accepted["truncate"] == 0
    assert accepted["tensor"] > 0
    assert accepted["document"] > 0
    assert peak < MEGABYTES * 2**20
