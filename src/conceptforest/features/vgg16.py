"""VGG-16's first fully connected layer (fc1, or fc6), from weights that the user has."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest.datasets.regular_file import open_regular
from conceptforest.features.graph_builder import GraphBuilder
from conceptforest.features.image_network import ImageNetwork
from conceptforest.features.onnx_file import cut_at, find_input, read_onnx
from conceptforest.features.preparation import Preparation
from conceptforest.features.safetensors_weights import differences
from conceptforest.features.torch_weights import read_weights

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["ARCHITECTURE", "Architecture", "Vgg16", "build_vgg16"]

_VERSION = 1  # raise when the vectors change
_SHOWN = 8  # wrong weights that a message lists
_CHUNK = 2**20


@dataclass(frozen=True)
class Architecture:
    """The widths of a VGG network.

    Attributes
    ----------
    stages : tuple of (int, int)
        Convolutions and their channels in each stage; each stage ends by halving the map.
    n_hidden : int
        Units of the first fully connected layer.
    size : int
        Pixels of the input.
    """

    stages: tuple[tuple[int, int], ...]
    n_hidden: int
    size: int

    def shapes(self) -> Iterator[tuple[str, tuple[int, ...]]]:
        """Name the weights, with their shapes, in the order of the layers."""
        place, n_in = 0, 3
        for n_layers, n_out in self.stages:
            for _ in range(n_layers):
                yield f"features.{place}.weight", (n_out, n_in, 3, 3)
                yield f"features.{place}.bias", (n_out,)
                place, n_in = place + 2, n_out  # a layer and its ReLU
            place += 1  # the pooling
        side = self.size // 2 ** len(self.stages)
        yield "classifier.0.weight", (self.n_hidden, n_in * side * side)
        yield "classifier.0.bias", (self.n_hidden,)


ARCHITECTURE = Architecture(((2, 64), (2, 128), (3, 256), (3, 512), (3, 512)), 4096, 224)


class Vgg16(ImageNetwork):
    """The 4,096 features of VGG-16's first fully connected layer.

    A picture is cropped to the middle 7/8 of its shorter side and resized to 224 x 224 (shorter
    side 256, middle 224), with ImageNet's mean and standard deviation.

    Parameters
    ----------
    weights : str or path-like
        A ``state_dict`` with the names of torchvision (``features.0.weight``, ...,
        ``classifier.0.weight``) in a ``.pth`` or ``.safetensors`` file, or an ``.onnx`` file.
    relu : bool, default=True
        Features after the ReLU; before it for False.
    output : str, default=None
        Only for ``.onnx``: the output of the layer before its ReLU. For None it is the first layer
        with 4,096 units.
    n_jobs : int, default=None
        Pictures at a time, as in scikit-learn: 1 for None, all cores for -1.
    batch_size : int, default=8

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ImportError
        If the extra ``vision`` is not installed.
    ValueError
        If the weights are not those of VGG-16; the message lists what differs.

    Examples
    --------
    >>> Vgg16("vgg16.pth")
    Traceback (most recent call last):
    FileNotFoundError: There is no file 'vgg16.pth'. Give the name of a file of weights.
    """

    def __init__(
        self,
        weights: str | os.PathLike[str],
        *,
        relu: bool = True,
        output: str | None = None,
        n_jobs: int | None = None,
        batch_size: int = 8,
    ) -> None:
        size, layout, dtype = ARCHITECTURE.size, "NCHW", "float32"
        path = Path(weights)
        if path.suffix.lower() == ".onnx":
            model, digest = read_onnx(path)
            taken = find_input(model)
            if {taken.height, taken.width} - {None, size}:
                raise ValueError(
                    f"{str(path)!r} takes pictures of {taken.height} x {taken.width} pixels;"
                    f" VGG-16 takes {size} x {size}."
                )
            layout, dtype = taken.layout or layout, taken.dtype
            layer = cut_at(model, _first_hidden(path, model) if output is None else output)
            digest += f" layer={hashlib.sha256(layer.encode()).hexdigest()[:16]}"
        elif output is not None:
            raise ValueError("output is for .onnx files only; leave it out.")
        else:
            shapes = dict(ARCHITECTURE.shapes())
            model = build_vgg16(read_weights(path, shapes, shapes), ARCHITECTURE)
            digest = _digest(path)
        if relu:
            _append_relu(model)
        preparation = Preparation(size, size, layout=layout, dtype=dtype, interpolation="bilinear")
        data = model.SerializeToString()
        del model  # half a gigabyte
        super().__init__(
            data,
            preparation,
            name="vgg16",
            key=f"vgg16 version={_VERSION} weights={digest} relu={bool(relu)}"
            f" {preparation.describe()}",
            n_jobs=n_jobs,
            batch_size=batch_size,
        )


def build_vgg16(weights: dict[str, NDArray[Any]], architecture: Architecture | None = None) -> Any:
    """Write VGG up to its first fully connected layer, before the ReLU, as an ONNX model.

    Parameters
    ----------
    weights : dict of str to ndarray
        By torchvision's names; others are ignored.
    architecture : Architecture, default=None
        VGG-16 for None.

    Returns
    -------
    onnx.ModelProto
        From ``image`` of shape (n, 3, size, size) to features of shape (n, n_hidden).

    Raises
    ------
    ValueError
        If a weight is missing, has another shape or is not finite.
    """
    architecture = ARCHITECTURE if architecture is None else architecture
    _check_weights(weights, architecture)
    graph = GraphBuilder()
    x, place = "image", 0
    for n_layers, _ in architecture.stages:
        for _ in range(n_layers):
            names = f"features.{place}.weight", f"features.{place}.bias"
            x = graph.convolve(x, weights[names[0]], weights[names[1]], padding=(1, 1))
            x, place = graph.add("Relu", x), place + 2
        x = graph.add("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
        place += 1
    matrix = graph.constant(weights["classifier.0.weight"].astype(np.float32, copy=False))
    bias = graph.constant(weights["classifier.0.bias"].astype(np.float32, copy=False))
    x = graph.add("Gemm", graph.add("Flatten", x), matrix, bias, transB=1)
    return graph.finish(x, (3, architecture.size, architecture.size), architecture.n_hidden)


def _check_weights(weights: dict[str, NDArray[Any]], architecture: Architecture) -> None:
    shapes = dict(architecture.shapes())
    wrong = differences({name: array.shape for name, array in weights.items()}, shapes)
    for name in shapes:
        array = weights.get(name)
        if array is not None and (array.dtype.kind != "f" or not np.isfinite(array).all()):
            # torchvision publishes weights of the convolutions alone, with no numbers in the rest.
            wrong.append(f"{name} holds what is no finite number")
    if wrong:
        more = f" and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
        raise ValueError(
            f"These are not the weights of VGG-16: {'; '.join(wrong[:_SHOWN])}{more}. Give a"
            " state_dict of torchvision's vgg16, with its classifier."
        )


def _append_relu(model: Any) -> None:
    """Put a ReLU after the output of a model, in place; a second one changes nothing."""
    graph = model.graph
    before = graph.output[0].name
    after = f"{before}/non_negative"
    graph.output[0].name = after
    graph.node.add(op_type="Relu", name=after, input=[before], output=[after])


def _first_hidden(path: Path, model: Any) -> str:
    """Find the first layer with 4,096 units and give the name of its output, bias included."""
    graph = model.graph
    shapes = {tensor.name: tuple(tensor.dims) for tensor in graph.initializer}
    for node in graph.node:
        shape = shapes.get(node.input[1], ()) if len(node.input) > 1 else ()
        units = _units(node, shape)
        if units != ARCHITECTURE.n_hidden:
            continue
        name: str = node.output[0]
        for other in graph.node:
            adds = other.op_type == "Add" and name in other.input
            if adds and any(shapes.get(used) == (units,) for used in other.input):
                return str(other.output[0])
        return name
    raise ValueError(
        f"{str(path)!r} has no layer of {ARCHITECTURE.n_hidden:,} units. Give the name of its"
        " first fully connected layer as output."
    )


def _units(node: Any, shape: tuple[int, ...]) -> int | None:
    """Count the units of a fully connected layer, which may be written as a convolution."""
    if node.op_type == "Gemm" and len(shape) == 2:
        transposed = any(entry.name == "transB" and entry.i for entry in node.attribute)
        return shape[0 if transposed else 1]
    if node.op_type == "MatMul" and len(shape) == 2:
        return shape[1]
    if node.op_type == "Conv" and len(shape) == 4:
        return shape[0]
    return None


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with open_regular(path) as file:
        while piece := file.read(_CHUNK):
            digest.update(piece)
    return digest.hexdigest()
