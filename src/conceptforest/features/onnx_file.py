"""ONNX files: read into memory, checked, and cut at the layer that is wanted.

Weights in files beside the model are read only from its own folder, or from that of the file it is
a link to, and onnxruntime is given the bytes: it never opens a file that a model names.
"""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, Any, NoReturn

from conceptforest.datasets.regular_file import open_regular
from conceptforest.features.vision_extra import import_vision
from conceptforest.tags.names import did_you_mean, short

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["ImageInput", "cut_at", "find_input", "read_onnx"]

MAX_BYTES = 2**31 - 2**20  # a serialised model must stay below 2 GiB
_MAX_DEPTH = 16  # of graphs in graphs
_FLOATS = {1: "float32", 10: "float16", 11: "float64", 2: "uint8"}  # by ONNX's number of the type


@dataclass(frozen=True)
class ImageInput:
    """What a model says about its input.

    Attributes
    ----------
    name : str
    dtype : str
    layout : {"NCHW", "NHWC"} or None
        None if no dimension is known to be that of the three colours.
    height, width : int or None
        None if any is allowed.
    """

    name: str
    dtype: str
    layout: str | None
    height: int | None
    width: int | None


def read_onnx(path: str | os.PathLike[str]) -> tuple[Any, str]:
    """Read and check a model with all its weights.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    model : onnx.ModelProto
    digest : str
        SHA-256 of the file and of the weights beside it.

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        If it is no ONNX model, is larger than 2 GiB, or names weights outside of its folder.
    """
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError(f"path is of type {type(path).__name__}; give the name of a .onnx file.")
    path = Path(path)
    data = _read(path)
    onnx = import_vision("onnx")
    digest = hashlib.sha256(data)
    decode_error = import_vision("google.protobuf.message").DecodeError
    try:
        model = onnx.ModelProto.FromString(data)
    except decode_error:
        _refuse(path, "it is no ONNX model, or it is damaged")
    size = len(data)
    del data  # the model has a copy of it
    del model.training_info[:]  # not run, and might name files
    if not model.graph.node or not model.graph.input or not model.graph.output:
        _refuse(path, "it holds no network")
    _load_beside(path, model, size, digest)
    try:
        onnx.checker.check_model(model)
    except (onnx.checker.ValidationError, ValueError) as error:
        _refuse(path, f"it is no valid ONNX model ({' '.join(str(error).split())[:300]})")
    return model, digest.hexdigest()


def _read(path: Path) -> bytes:
    try:
        with open_regular(path) as file:
            _check_size(path, os.fstat(file.fileno()).st_size)
            data = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        raise FileNotFoundError(
            f"There is no file {str(path)!r}. Give the name of a .onnx file."
        ) from None
    except OSError as error:
        why = f"it cannot be read ({error.strerror})" if error.strerror else "it is no regular file"
        _refuse(path, why)
    _check_size(path, len(data))  # it may have grown
    return data


def _refuse(path: Path, why: str) -> NoReturn:
    raise ValueError(f"Cannot read {str(path)!r} as a network: {why}.")


def _check_size(path: Path, size: int) -> None:
    if size > MAX_BYTES:
        _refuse(
            path,
            f"it has {size:,} bytes with its weights; ONNX models of up to {MAX_BYTES:,} bytes can"
            " be run. Export it in half precision, or a smaller one",
        )


# --- Weights beside the model --------------------------------------------------------------------


def _load_beside(path: Path, model: Any, size: int, digest: Any) -> None:
    """Read the tensors that lie in other files into the model."""
    external = import_vision("onnx").TensorProto.EXTERNAL
    for tensor in _all_tensors(path, model):
        if tensor.data_location != external:
            continue
        entries = {entry.key: entry.value for entry in tensor.external_data}
        place = _beside(path, entries.get("location", ""))
        with open_regular(place) as file:
            last = os.fstat(file.fileno()).st_size
            try:
                start = int(entries.get("offset", "0"))
                length = int(entries.get("length", str(last - start)))
            except ValueError:
                _refuse(path, f"the place of the weights {short(tensor.name)} is no number")
            if start < 0 or length < 0 or start + length > last:
                _refuse(path, f"the weights {short(tensor.name)} reach beyond {place.name!r}")
            size += length
            _check_size(path, size)
            file.seek(start)
            data = file.read(length)
        digest.update(data)
        tensor.raw_data = data
        del tensor.external_data[:]
        tensor.data_location = import_vision("onnx").TensorProto.DEFAULT


def _beside(path: Path, location: str) -> Path:
    """Find a file that the model names, if it lies in the folder of the model.

    Model collections keep files under other names and link to them: so the name is looked for
    beside the link, and may lead to where the model itself lies.
    """
    plain = not PureWindowsPath(location).drive and "\\" not in location and "\0" not in location
    place = PurePosixPath(location)
    if not location or not plain or place.is_absolute() or ".." in place.parts:
        _refuse(path, f"it names weights in {short(location)}, which is not in its own folder")
    folders = (path.parent.resolve(), path.resolve().parent)
    found = [folder / place for folder in folders if (folder / place).exists()]
    file = (found[0] if found else folders[0] / place).resolve()  # a link may lead out of them
    if not any(file.is_relative_to(folder) for folder in folders):
        _refuse(path, f"it names weights in {short(location)}, which is not in its own folder")
    if not file.is_file():
        _refuse(path, f"its weights {short(location)} are missing. Put that file beside it")
    return file


def _all_tensors(path: Path, model: Any) -> Iterator[Any]:
    yield from _graph_tensors(path, model.graph, 0)
    for function in model.functions:
        for node in function.node:
            yield from _node_tensors(path, node, 0)


def _graph_tensors(path: Path, graph: Any, depth: int) -> Iterator[Any]:
    if depth > _MAX_DEPTH:
        _refuse(path, f"its graphs are nested more than {_MAX_DEPTH} deep")
    yield from graph.initializer
    for sparse in graph.sparse_initializer:
        yield from (sparse.values, sparse.indices)
    for node in graph.node:
        yield from _node_tensors(path, node, depth)


def _node_tensors(path: Path, node: Any, depth: int) -> Iterator[Any]:
    for attribute in node.attribute:
        yield attribute.t
        yield from attribute.tensors
        for sparse in (attribute.sparse_tensor, *attribute.sparse_tensors):
            yield from (sparse.values, sparse.indices)
        for graph in (attribute.g, *attribute.graphs):
            yield from _graph_tensors(path, graph, depth + 1)


# --- Input and output ----------------------------------------------------------------------------


def find_input(model: Any) -> ImageInput:
    """Say what pictures a model takes.

    Raises
    ------
    ValueError
        If it has not one input for pictures of three colours.
    """
    constants = {tensor.name for tensor in model.graph.initializer}
    inputs = [entry for entry in model.graph.input if entry.name not in constants]
    if len(inputs) != 1:
        names = ", ".join(short(entry.name) for entry in inputs) or "none"
        raise ValueError(f"The network has the inputs {names}; it must have one, for pictures.")
    kind = inputs[0].type.tensor_type
    sizes = [dim.dim_value if dim.dim_value > 0 else None for dim in kind.shape.dim]
    if kind.elem_type not in _FLOATS or len(sizes) != 4:
        raise ValueError(
            f"The input {short(inputs[0].name)} of the network has {len(sizes)} dimensions and"
            f" ONNX's type number {kind.elem_type}; it must have four dimensions, (n, 3, height,"
            " width) or (n, height, width, 3), of floats or uint8."
        )
    layout = "NCHW" if sizes[1] == 3 else "NHWC" if sizes[3] == 3 else None
    if layout is None and sizes[1] is not None and sizes[3] is not None:
        raise ValueError(
            f"The input {short(inputs[0].name)} of the network has the shape {sizes}, without a"
            " dimension of three colours; it must be (n, 3, height, width) or (n, height, width,"
            " 3)."
        )
    height, width = (sizes[1], sizes[2]) if layout == "NHWC" else (sizes[2], sizes[3])
    if layout is None:
        height = width = None
    return ImageInput(inputs[0].name, _FLOATS[kind.elem_type], layout, height, width)


def cut_at(model: Any, output: str | None = None) -> str:
    """Make one tensor the only output and drop, in place, all layers that it does not need.

    Parameters
    ----------
    model : onnx.ModelProto
    output : str, default=None
        Name of any layer's output; the last output of the model for None.

    Returns
    -------
    str
        The name of the output.

    Raises
    ------
    ValueError
        If there is no such tensor; the message names the last ones.
    """
    graph = model.graph
    name = graph.output[-1].name if output is None else output
    made_by = {made: node for node in graph.node for made in node.output if made}
    if name not in made_by:
        likely = [entry.name for entry in graph.output]
        likely += [made for node in reversed(graph.node) for made in node.output if made]
        shown = ", ".join(map(repr, dict.fromkeys(likely[:12])))
        raise ValueError(
            f"The network has no output {short(name)}.{did_you_mean(name, made_by)} It has"
            f" {len(made_by)} inner and outer ones; the last are {shown}."
        )
    needed, waiting = {name}, [name]
    while waiting:
        node = made_by.get(waiting.pop())
        for used in _used_by(node) if node is not None else ():
            if used not in needed:
                needed.add(used)
                waiting.append(used)
    # Old models list their weights among the inputs: one without its weights would be an input.
    dropped = {tensor.name for tensor in graph.initializer} - needed
    _keep(graph.input, lambda entry: entry.name not in dropped)
    _keep(graph.node, lambda node: any(made in needed for made in node.output))
    _keep(graph.initializer, lambda tensor: tensor.name in needed)
    _keep(graph.sparse_initializer, lambda sparse: sparse.values.name in needed)
    if not any(entry.name == name for entry in graph.output):
        known = [entry for entry in graph.value_info if entry.name == name]
        graph.output.extend(known or [type(graph.output[0])(name=name)])
    _keep(graph.output, lambda entry: entry.name == name)
    return name


def _used_by(node: Any) -> Iterator[str]:
    """Name all that a node reads, also from within the graphs that it runs."""
    yield from node.input
    for attribute in node.attribute:
        for graph in (attribute.g, *attribute.graphs):
            for inner in graph.node:
                yield from _used_by(inner)
            for entry in graph.output:
                yield entry.name


def _keep(entries: Any, wanted: Any) -> None:
    """Drop the other entries, last first, without copying what stays (weights are large)."""
    for place in reversed(range(len(entries))):
        if not wanted(entries[place]):
            del entries[place]
