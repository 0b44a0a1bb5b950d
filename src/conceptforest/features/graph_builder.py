"""Networks written down in code, layer by layer, as ONNX graphs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest.features.vision_extra import import_vision

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["GraphBuilder", "fold_normalisation", "same_padding"]

# Old enough for every onnxruntime that is supported; nothing later is used.
_OPSET = 13
_IR_VERSION = 8


class GraphBuilder:
    """Collects layers; each takes the name of its input and gives the name of its output.

    The input of the network is called ``"image"``.

    Examples
    --------
    >>> graph = GraphBuilder()
    >>> hidden = graph.convolve("image", np.ones((2, 3, 8, 8)), np.zeros(2))
    >>> model = graph.finish(graph.add("Flatten", hidden), (3, 8, 8), 2)
    >>> [node.op_type for node in model.graph.node]
    ['Conv', 'Flatten']
    """

    def __init__(self) -> None:
        self._onnx = import_vision("onnx")
        self._nodes: list[Any] = []
        self._constants: list[Any] = []

    def constant(self, values: NDArray[Any]) -> str:
        """Add an array of any shape."""
        name = f"constant_{len(self._constants)}"
        helper = self._onnx.numpy_helper
        self._constants.append(helper.from_array(np.ascontiguousarray(values), name))
        return name

    def add(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Add a layer by ONNX's name for it."""
        name = f"{operator.lower()}_{len(self._nodes)}"
        self._nodes.append(
            self._onnx.helper.make_node(operator, list(inputs), [name], name=name, **attributes)
        )
        return name

    def convolve(
        self,
        x: str,
        weight: NDArray[Any],
        bias: NDArray[Any],
        *,
        stride: int = 1,
        padding: tuple[int, int] = (0, 0),
        groups: int = 1,
    ) -> str:
        """Add a convolution with square kernels, padded by so many pixels before and after.

        `weight` has shape (n_out, n_in / groups, k, k) and `bias` shape (n_out,).
        """
        before, after = padding
        return self.add(
            "Conv",
            x,
            self.constant(weight.astype(np.float32, copy=False)),
            self.constant(bias.astype(np.float32, copy=False)),
            kernel_shape=[weight.shape[2], weight.shape[3]],
            strides=[stride, stride],
            pads=[before, before, after, after],
            group=groups,
        )

    def clip(self, x: str, low: float, high: float) -> str:
        """Add a layer that limits values."""
        limits = (self.constant(np.array(value, np.float32)) for value in (low, high))
        return self.add("Clip", x, *limits)

    def finish(self, output: str, shape: tuple[int, int, int], n_features: int) -> Any:
        """Give the model from pictures of `shape` to vectors of `n_features`."""
        helper, kind = self._onnx.helper, self._onnx.TensorProto.FLOAT
        image = helper.make_tensor_value_info("image", kind, ["n", *shape])
        features = helper.make_tensor_value_info(output, kind, ["n", n_features])
        graph = helper.make_graph(self._nodes, "network", [image], [features], self._constants)
        opset = helper.make_opsetid("", _OPSET)
        return helper.make_model(
            graph, ir_version=_IR_VERSION, opset_imports=[opset], producer_name="conceptforest"
        )


def fold_normalisation(
    weight: NDArray[Any],
    *,
    gain: NDArray[Any],
    bias: NDArray[Any],
    mean: NDArray[Any],
    variance: NDArray[Any],
    epsilon: float,
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Give the convolution, weights and bias, that equals one followed by batch normalisation.

    Computed in double precision.

    Parameters
    ----------
    weight : ndarray, shape (n_out, n_in, k, k)
    gain, bias, mean, variance : ndarray, shape (n_out,)
    epsilon : float
        Added to the variance.

    Returns
    -------
    weight : ndarray of float32, shape (n_out, n_in, k, k)
    bias : ndarray of float32, shape (n_out,)

    Examples
    --------
    >>> one = np.ones(1)
    >>> fold_normalisation(np.full((1, 1, 1, 1), 6.0), gain=one, bias=one, mean=one,
    ...                    variance=one * 3, epsilon=1.0)
    (array([[[[3.]]]], dtype=float32), array([0.5], dtype=float32))
    """
    factor = gain.astype(np.float64) / np.sqrt(variance.astype(np.float64) + epsilon)
    folded = weight.astype(np.float64) * factor[:, None, None, None]
    shift = bias.astype(np.float64) - mean.astype(np.float64) * factor
    return folded.astype(np.float32), shift.astype(np.float32)


def same_padding(size: int, kernel: int, stride: int) -> tuple[int, int]:
    """Give the pixels before and after that make ceil(size / stride) outputs.

    As in TensorFlow: an odd pixel goes after, so that strided layers are padded unevenly.

    Examples
    --------
    >>> same_padding(224, 3, 2), same_padding(112, 3, 1)
    ((0, 1), (1, 1))
    """
    missing = max((-(-size // stride) - 1) * stride + kernel - size, 0)
    return missing // 2, missing - missing // 2
