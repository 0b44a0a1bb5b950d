"""Weights from safetensors files: those of the library are read, those that lie are refused."""

import io
import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from safetensors.numpy import save_file
from tests.features.networks import some_weights

from conceptforest.features.safetensors_weights import read_safetensors
from conceptforest.features.torch_weights import read_weights


def packed(header, data=b""):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return io.BytesIO(len(text).to_bytes(8, "little") + text + data)


def entry(dtype="F32", shape=(2,), offsets=(0, 8)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


def test_files_of_the_library_are_read(tmp_path):
    weights = some_weights() | {"flags": np.array([True, False]), "none": np.zeros((0, 3), "f2")}
    save_file(weights, tmp_path / "w.safetensors", metadata={"format": "pt"})
    found = read_weights(tmp_path / "w.safetensors")
    assert set(found) == set(weights)
    for name, array in weights.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)


def test_only_wanted_tensors_are_read(tmp_path):
    save_file(some_weights(), tmp_path / "w.safetensors")
    assert list(read_weights(tmp_path / "w.safetensors", {"steps"})) == ["steps"]


def test_brain_floats_become_single_precision():
    data = np.array([0x3F80, 0xC000], "<u2").tobytes()
    found = read_safetensors(packed({"a": entry("BF16", (2,), (0, 4))}, data))
    np.testing.assert_array_equal(found["a"], np.float32([1, -2]))


@pytest.mark.parametrize(
    ("header", "message"),
    [
        ({"a": entry(shape=(3,))}, "not the size"),
        ({"a": entry(offsets=(4, 12))}, "not the size"),
        ({"a": entry(offsets=(8, 0))}, "not the size"),
        ({"a": entry(shape=(-2,))}, "not possible"),
        ({"a": entry(shape=(2.0,))}, "not possible"),
        ({"a": entry(shape=(1,) * 20)}, "not possible"),
        ({"a": entry(shape=(2**50,))}, "not possible"),
        ({"a": entry("C64")}, "type 'C64'"),
        ({"a": entry(["F32"])}, "type"),
        ({"a": {"dtype": "F32"}}, "not dtype, shape and data_offsets"),
        ({"a": 3}, "not dtype, shape and data_offsets"),
        ({"a": entry(), "b": entry("F32", (1,), (4, 8))}, "overlap"),
        ([1], "no JSON object"),
        (b'{"a": 1, "a": 2}', "twice"),
        (b"[" * 100_000, "nested|Expecting"),
        (b"\xff\xff", "utf-8"),
        (b"", "cut short"),
    ],
)
def test_a_header_that_lies_is_refused(header, message):
    with pytest.raises(ValueError, match=message):
        read_safetensors(packed(header, b"\0" * 8))


@settings(
    deadline=None,
    max_examples=100,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(place=st.floats(0, 0.999), replacement=st.binary(max_size=6))
def test_changed_bytes_raise_nothing_but_value_errors(tmp_path, place, replacement):
    path = tmp_path / "w.safetensors"
    save_file(some_weights(), path)
    data = bytearray(path.read_bytes())
    begin = int(place * len(data))
    data[begin : begin + max(len(replacement), 1)] = replacement
    path.write_bytes(data)
    try:
        found = read_weights(path)
    except ValueError:
        return
    assert all(isinstance(array, np.ndarray) for array in found.values())
