"""What turns a decoded picture into a vector."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Extractor"]


class Extractor(Protocol):
    """The contract of all image features.

    The vector of a picture depends on the picture and on `key` alone: not on the pictures that
    happen to be in the same batch, on the number of threads or on the order of work. Batches
    are therefore always of `batch_size`; the caller fills a last, shorter one with zeros.

    Attributes
    ----------
    name : str
        For people and tables, such as ``"efficientnet-lite0"``.
    key : str
        Changes whenever the vectors may: name, version, digest of the weights, preprocessing.
    n_features : int
    shortest : int
        Pixels that the shorter side should have; larger pictures may be decoded in reduced size,
        as long as they keep this.
    batch_size : int
    """

    @property
    def name(self) -> str:
        """For people and tables."""
        ...

    @property
    def key(self) -> str:
        """What the vectors depend on."""
        ...

    @property
    def n_features(self) -> int:
        """Length of a vector."""
        ...

    @property
    def shortest(self) -> int:
        """Pixels that the shorter side should have."""
        ...

    @property
    def batch_size(self) -> int:
        """Pictures in a batch."""
        ...

    def prepare(self, image: NDArray[np.uint8]) -> NDArray[Any]:
        """Bring one RGB picture of shape (height, width, 3) to the fixed shape of the input.

        Called from several threads at once.
        """
        ...

    def run(self, batch: NDArray[Any]) -> NDArray[np.float32]:
        """Turn `batch_size` prepared pictures into features of shape (batch_size, n_features).

        Called from one thread at a time.
        """
        ...
