"""Small files of weights and small networks, written without PyTorch."""

import struct
import zipfile
from dataclasses import dataclass
from typing import Any

import numpy as np

STORAGES = {
    "float32": "FloatStorage",
    "float16": "HalfStorage",
    "float64": "DoubleStorage",
    "int64": "LongStorage",
    "int32": "IntStorage",
    "int16": "ShortStorage",
    "int8": "CharStorage",
    "uint8": "ByteStorage",
    "bool": "BoolStorage",
}
OLD_MAGIC = 0x1950A86A20F9469CFC6C


@dataclass
class Name:
    """The name of a Python object in a pickle."""

    module: str
    name: str


@dataclass
class Call:
    function: Any
    arguments: Any


@dataclass
class Elsewhere:
    """A reference to what lies outside of the pickle."""

    identity: Any


ORDERED = Name("collections", "OrderedDict")
TENSOR = Name("torch._utils", "_rebuild_tensor_v2")


def opcodes(value):
    """Write a value as the opcodes of a pickle, without its start and end."""
    return _WRITERS[type(value)](value)


def _whole_number(value):
    data = value.to_bytes(value.bit_length() // 8 + 1, "little", signed=True)
    return b"\x8a" + bytes([len(data)]) + data


def _string(value):
    return b"X" + struct.pack("<I", len(value.encode())) + value.encode()


def _items(value):
    return b"".join(opcodes(key) + opcodes(item) for key, item in value.items())


_WRITERS = {
    type(None): lambda _: b"N",
    bool: {True: b"\x88", False: b"\x89"}.get,
    int: _whole_number,
    str: _string,
    tuple: lambda value: b"(" + b"".join(map(opcodes, value)) + b"t",
    list: lambda value: b"](" + b"".join(map(opcodes, value)) + b"e",
    dict: lambda value: b"}(" + _items(value) + b"u",
    Name: lambda value: f"c{value.module}\n{value.name}\n".encode(),
    Call: lambda value: opcodes(value.function) + opcodes(value.arguments) + b"R",
    Elsewhere: lambda value: opcodes(value.identity) + b"Q",
}


def pickled(value):
    return b"\x80\x02" + opcodes(value) + b"."


def storage(kind, key, length, *rest):
    return Elsewhere(("storage", Name("torch", kind), key, "cpu", length, *rest))


def tensor(where, start, shape, steps):
    return Call(TENSOR, (where, start, shape, steps, False, Call(ORDERED, ())))


def listed(weights, *rest):
    """Give the list of tensors of some arrays, each in a storage of its own."""
    return {
        name: tensor(
            storage(STORAGES[array.dtype.name], str(key), array.size, *rest),
            0,
            array.shape,
            tuple(step // array.itemsize for step in array.strides),
        )
        for key, (name, array) in enumerate(weights.items())
    }


def write_zip(path, weights, *, value=None, members=None, compression=zipfile.ZIP_STORED):
    """Write an archive as PyTorch does; `value` replaces the list, `members` adds or replaces."""
    order = "big" if members and members.get("byteorder") == b"big" else "little"
    parts = {"data.pkl": pickled(listed(weights) if value is None else value)}
    for key, array in enumerate(weights.values()):
        swapped = array.astype(array.dtype.newbyteorder({"big": ">", "little": "<"}[order]))
        parts[f"data/{key}"] = swapped.tobytes()
    parts |= {"version": b"3\n"} | (members or {})
    with zipfile.ZipFile(path, "w", compression) as archive:
        for name, data in parts.items():
            if data is not None:
                archive.writestr(f"archive/{name}", data)
    return path


def write_old(path, weights, *, value=None, keys=None, lengths=None):
    """Write the row of pickles that PyTorch wrote before version 1.6."""
    value = listed(weights, None) if value is None else value
    machine = {"protocol_version": 1001, "little_endian": True, "type_sizes": {"int": 4}}
    keys = [str(key) for key in range(len(weights))] if keys is None else keys
    data = b"".join(map(pickled, (OLD_MAGIC, 1001, machine, value, keys)))
    for place, array in enumerate(weights.values()):
        length = array.size if lengths is None else lengths[place]
        data += struct.pack("<q", length) + array.tobytes()
    path.write_bytes(data)
    return path


def some_weights(seed=0):
    rng = np.random.default_rng(seed)
    return {
        "conv.weight": rng.normal(size=(4, 3, 2, 2)).astype(np.float32),
        "conv.bias": rng.normal(size=4).astype(np.float32),
        "steps": np.array(7, np.int64),
    }


def tiny_model(*, layout="NCHW", n="n", size=(8, 8), dtype=np.float32, seed=0):
    """Make a network of two layers: ``map`` (5 channels), ``tokens`` and ``vector`` (6 values)."""
    import onnx
    from onnx import helper, numpy_helper

    rng = np.random.default_rng(seed)
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
    float_type = np.float32 if dtype == np.uint8 else dtype
    constants = {
        "kernel": rng.normal(size=(5, 3, 3, 3)).astype(float_type),
        "matrix": rng.normal(size=(5, 6)).astype(float_type),
        "unused": rng.normal(size=(4, 4)).astype(float_type),
    }
    nodes = []
    x = "pixels"
    if dtype == np.uint8:
        nodes.append(helper.make_node("Cast", [x], ["cast"], to=onnx.TensorProto.FLOAT))
        x = "cast"
    if layout == "NHWC":
        nodes.append(helper.make_node("Transpose", [x], ["first"], perm=[0, 3, 1, 2]))
        x = "first"
    nodes += [
        helper.make_node("Conv", [x, "kernel"], ["map"], pads=[1, 1, 1, 1]),
        helper.make_node("GlobalAveragePool", ["map"], ["pooled"]),
        helper.make_node("Flatten", ["pooled"], ["flat"]),
        helper.make_node("MatMul", ["flat", "matrix"], ["vector"]),
        helper.make_node("Flatten", ["map"], ["long"]),
        helper.make_node("ArgMax", ["vector"], ["best"], axis=1, keepdims=0),
    ]
    shape = [n, 3, *size] if layout == "NCHW" else [n, *size, 3]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info("pixels", kind, shape)],
        [
            helper.make_tensor_value_info("best", onnx.TensorProto.INT64, [n]),
            helper.make_tensor_value_info(
                "vector", helper.np_dtype_to_tensor_dtype(np.dtype(float_type)), [n, 6]
            ),
        ],
        [numpy_helper.from_array(array, name) for name, array in constants.items()],
    )
    opset = helper.make_opsetid("", 13)
    return helper.make_model(graph, ir_version=8, opset_imports=[opset])


def some_pictures(count, seed=0, shape=(40, 60, 3)):
    """Draw smooth random pictures."""
    rng = np.random.default_rng(seed)
    coarse = rng.integers(0, 256, (count, 5, 6, 3))
    rows = np.arange(shape[0]) * 5 // shape[0]
    columns = np.arange(shape[1]) * 6 // shape[1]
    return coarse[:, rows][:, :, columns].astype(np.uint8)
