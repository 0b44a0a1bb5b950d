"""A network that runs: pictures in, vectors out, the same whatever else is in the batch."""

from __future__ import annotations

import numbers
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from conceptforest.checks import whole
from conceptforest.features.vision_extra import import_vision

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from conceptforest.features.preparation import Preparation

__all__ = ["ImageNetwork"]

_MAX_FEATURES = 2**20
_ERRORS_ONLY = 3  # onnxruntime's level of messages
_GREY = 128
_MAX_ROWS = 256
_MAX_THREADS = 1024


class ImageNetwork:
    """An ONNX model as an :class:`~conceptforest.features.extractor.Extractor`.

    Pictures go through the network one by one, each in one thread, and several at once: so the
    vector of a picture cannot depend on its company or on the number of threads. A model whose
    batch has a fixed length gets one picture and otherwise zeros.

    Parameters
    ----------
    model : bytes
        A serialised ONNX model of one input and one output.
    preparation : Preparation
    name, key : str
        See :class:`~conceptforest.features.extractor.Extractor`.
    pool : bool, default=True
        Average feature maps and tokens over their places; otherwise they are flattened.
    n_jobs : int, default=None
        Pictures at a time, as in scikit-learn: 1 for None, all cores for -1.
    batch_size : int, default=8

    Raises
    ------
    ValueError
        If onnxruntime cannot run the model, or its output is no vector of numbers.
    """

    def __init__(
        self,
        model: bytes,
        preparation: Preparation,
        *,
        name: str,
        key: str,
        pool: bool = True,
        n_jobs: int | None = None,
        batch_size: int = 8,
    ) -> None:
        whole("batch_size", batch_size, 1)
        self._name = name
        self._key = key
        self._pool = pool
        self._preparation = preparation
        self._n_threads = _n_threads(n_jobs)
        self._batch_size = int(batch_size)
        self._errors = _runtime_errors()
        self._session = self._start(model)
        (self._input,) = self._session.get_inputs()
        self._output = self._session.get_outputs()[0].name
        length = self._input.shape[0]
        self._rows = length if isinstance(length, int) and length > 0 else 1
        if self._rows > _MAX_ROWS:
            self._refuse(
                f"its batch has a fixed length of {self._rows:,}; at most {_MAX_ROWS} is possible."
                " Export it with a free length, or 1"
            )
        grey = np.full((preparation.height, preparation.width, 3), _GREY, np.uint8)
        probe = self._one(preparation(grey))
        if not np.isfinite(probe).all():
            self._refuse(
                "it gives values that are not finite. Check the weights, and mean, std and scale"
            )
        self._n_features = len(probe)

    @property
    def name(self) -> str:
        """For people and tables."""
        return self._name

    @property
    def key(self) -> str:
        """What the vectors depend on."""
        return self._key

    @property
    def n_features(self) -> int:
        """Length of a vector."""
        return self._n_features

    @property
    def shortest(self) -> int:
        """Pixels that the shorter side should have."""
        return self._preparation.shortest

    @property
    def batch_size(self) -> int:
        """Pictures in a batch."""
        return self._batch_size

    def prepare(self, image: NDArray[np.uint8]) -> NDArray[Any]:
        """Bring one RGB picture of shape (height, width, 3) to the fixed shape of the input."""
        return self._preparation(image)

    def run(self, batch: NDArray[Any]) -> NDArray[np.float32]:
        """Turn prepared pictures into features of shape (len(batch), n_features).

        What the network gives is returned, even where it is not finite: a network that brings its
        vectors to length 1, say, may divide 0 by 0 for a single odd picture.
        """
        if batch.shape[1:] != self._preparation.shape:
            raise ValueError(
                f"The batch has shape {batch.shape}; it must hold pictures of shape"
                f" {self._preparation.shape}, as prepare() gives them."
            )
        if self._n_threads == 1 or len(batch) == 1:
            vectors = [self._one(image) for image in batch]
        else:
            with ThreadPoolExecutor(min(self._n_threads, len(batch))) as pool:
                vectors = list(pool.map(self._one, batch))
        return np.array(vectors, np.float32).reshape(len(batch), self._n_features)

    def _start(self, model: bytes) -> Any:
        runtime = import_vision("onnxruntime")
        options = runtime.SessionOptions()
        options.intra_op_num_threads = 1
        options.inter_op_num_threads = 1
        options.log_severity_level = _ERRORS_ONLY
        options.use_deterministic_compute = True
        if hasattr(runtime, "disable_telemetry_events"):
            runtime.disable_telemetry_events()
        try:
            return runtime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
        except self._errors as error:
            self._refuse(f"onnxruntime cannot load it ({_one_line(error)})", error)

    def _one(self, image: NDArray[Any]) -> NDArray[np.float32]:
        """Run one prepared picture; the result has shape (n_features,)."""
        rows = np.zeros((self._rows, *image.shape), image.dtype)
        rows[0] = image
        try:
            (output,) = self._session.run([self._output], {self._input.name: rows})
        except self._errors as error:
            self._refuse(
                f"onnxruntime cannot run it on pictures of shape {image.shape}"
                f" ({_one_line(error)}). Another size may fit",
                error,
            )
        return self._vector(output)

    def _vector(self, output: Any) -> NDArray[np.float32]:
        kind = getattr(output, "dtype", None)
        if not isinstance(output, np.ndarray) or kind is None or kind.kind != "f":
            shown = type(output).__name__ if kind is None else f"an array of {kind}"
            self._refuse(f"its output {self._output!r} is {shown}. Choose an output of floats")
        if not 2 <= output.ndim <= 4 or output.shape[0] != self._rows or not output.size:
            self._refuse(
                f"its output {self._output!r} has shape {output.shape}. Choose one of shape"
                " (n, features), (n, tokens, features) or (n, features, height, width)"
            )
        values = output[0].astype(np.float64)
        with np.errstate(all="ignore"):  # what is not finite is told by the result
            if self._pool and values.ndim > 1:
                channels = self._channel_axis(values.shape)
                values = values.mean(axis=tuple(a for a in range(values.ndim) if a != channels))
            vector: NDArray[np.float32] = values.astype(np.float32).ravel()
        if len(vector) > _MAX_FEATURES:
            self._refuse(
                f"its output {self._output!r} has {len(vector):,} features; at most"
                f" {_MAX_FEATURES:,} are possible. Pool it, or choose another output"
            )
        return vector

    def _channel_axis(self, shape: tuple[int, ...]) -> int:
        """Say which axis of one picture's output counts features, not places.

        A map of a square picture is square, so the axis that differs is that of the features:
        models made from TensorFlow have both layouts, whatever the layout of their input is.
        """
        if len(shape) == 2:
            return 1
        if shape[1] == shape[2] != shape[0]:
            return 0
        if shape[0] == shape[1] != shape[2]:
            return 2
        return 0 if self._preparation.layout == "NCHW" else 2

    def _refuse(self, why: str, cause: BaseException | None = None) -> NoReturn:
        raise ValueError(f"Cannot use the network {self._name}: {why}.") from cause


def _runtime_errors() -> tuple[type[BaseException], ...]:
    """Give the errors of onnxruntime, which have no common base."""
    state = import_vision("onnxruntime").capi.onnxruntime_pybind11_state
    found = [value for value in vars(state).values() if isinstance(value, type)]
    own = [kind for kind in found if issubclass(kind, Exception)]
    return (*own, RuntimeError, ValueError, IndexError, TypeError)


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error).split())
    return text if len(text) <= 300 else text[:297] + "..."


def _n_threads(n_jobs: Any) -> int:
    from joblib import effective_n_jobs

    number = isinstance(n_jobs, numbers.Integral) and not isinstance(n_jobs, bool)
    if n_jobs is not None and not number:
        raise TypeError(f"n_jobs must be a whole number other than 0, or None; got {n_jobs!r}.")
    if n_jobs == 0:
        raise ValueError("n_jobs must be a whole number other than 0, or None; got 0.")
    return min(int(effective_n_jobs(n_jobs)), _MAX_THREADS)
