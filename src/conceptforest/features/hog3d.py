"""HOG3D: what a small box of a video looks like and how it moves, as histograms of gradients.

After Klaeser, Marszalek and Schmid, *A spatio-temporal descriptor based on 3D-gradients* (2008).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from conceptforest.features.hog3d_bins import Bins, PolarBins, SolidBins
from conceptforest.features.video_frames import GrayChunk

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

__all__ = ["SETTINGS", "Hog3d"]

SETTINGS = ("hollywood2", "kth")

# Added to the length of a cell's histogram, for each of its sub-blocks, when it is brought to
# length 1: what is weaker than this is mostly noise, and stays small.
_NOISE = 0.02
# Descriptors whose cells' lengths add up to less than this show nothing.
_WEAKEST = 0.1


@dataclass(frozen=True)
class Hog3d:
    """Descriptors of boxes that lie densely over a video, in several sizes.

    A box is divided into cells and each cell into `splits`**3 sub-blocks. The mean gradient of a
    sub-block is shared out to bins by its direction; the sum over the sub-blocks is the cell's
    histogram, which is divided by its length (and a little more). The histograms of all cells are
    the descriptor. Frames are as :func:`~conceptforest.features.video_frames.read_gray_chunks`
    gives them, 320 pixels wide or less, with values from 0 to 1.

    Parameters
    ----------
    n_cells : tuple of int, default=(2, 5)
        Cells along each side of a box, and in time.
    support : tuple of float, default=(24.0, 12.0)
        Size of the smallest box in pixels, and in frames.
    quantisation : "polar", "icosahedron" or "dodecahedron", default="polar"
        How gradients are shared out: to 5 x 3 angles, 10 axes or 6 axes. Opposite ones share
        their bins.
    splits : int, default=4
        Sub-blocks of a cell along each side, and in time.
    stride : tuple of int, default=(16, 6)
        Pixels and frames between neighbouring boxes of the smallest size; it grows with the size.
    n_scales : tuple of int, default=(3, 2)
        Sizes in pixels and in frames, each the square root of 2 times the one before.

    Examples
    --------
    >>> video = np.random.default_rng(0).random((20, 48, 64), dtype=np.float32)
    >>> Hog3d.setting("hollywood2").describe(video).shape
    (24, 300)
    """

    n_cells: tuple[int, int] = (2, 5)
    support: tuple[float, float] = (24.0, 12.0)
    quantisation: Literal["polar", "icosahedron", "dodecahedron"] = "polar"
    splits: int = 4
    stride: tuple[int, int] = (16, 6)
    n_scales: tuple[int, int] = (3, 2)

    def __post_init__(self) -> None:
        if self.quantisation not in {"polar", "icosahedron", "dodecahedron"}:
            raise ValueError(
                "quantisation must be polar, icosahedron or dodecahedron; got"
                f" {self.quantisation!r}."
            )
        for name in ("n_cells", "support", "stride", "n_scales"):
            pair = getattr(self, name)
            if len(pair) != 2 or not all(value >= 1 for value in pair):
                raise ValueError(f"{name} must be two numbers of at least 1; got {pair!r}.")
        if self.splits < 1:
            raise ValueError(f"splits must be at least 1; got {self.splits!r}.")

    @classmethod
    def setting(cls, name: str) -> Hog3d:
        """Give a published setting: "hollywood2", the usual one, or "kth"."""
        if name == "hollywood2":
            return cls()
        if name == "kth":
            return cls(n_cells=(5, 4), support=(16.0, 4.0), quantisation="icosahedron")
        raise ValueError(f"setting must be one of {', '.join(SETTINGS)}; got {name!r}.")

    @property
    def n_features(self) -> int:
        """Length of a descriptor."""
        return self.n_cells[0] ** 2 * self.n_cells[1] * self._bins().n_bins

    @property
    def overlap(self) -> int:
        """Frames that neighbouring chunks must share, so that each box is whole in one of them."""
        # One more on either side, for differences between frames.
        return math.ceil(max(self._sizes(1))) + 2

    def describe(self, video: Any) -> NDArray[np.float32]:
        """Describe a video that is in memory as a whole.

        Parameters
        ----------
        video : array-like of shape (n_frames, height, width)
            Grey values from 0 to 1.

        Returns
        -------
        ndarray of shape (n_descriptors, n_features), float32
            Boxes that show nothing have no descriptor; nor have videos smaller than a box.
        """
        frames = np.asarray(video, dtype=np.float32)
        if frames.ndim != 3 or not np.isfinite(frames).all():
            raise ValueError(
                "video must hold finite numbers in the shape (n_frames, height, width); got the"
                f" shape {frames.shape}."
            )
        found = list(self.describe_chunks([GrayChunk(frames, 0, None)]))
        return np.concatenate([np.empty((0, self.n_features), np.float32), *found])

    def describe_chunks(self, chunks: Iterable[GrayChunk]) -> Iterator[NDArray[np.float32]]:
        """Describe a video chunk by chunk.

        All boxes together are those of the whole video, with the same descriptors.

        Parameters
        ----------
        chunks : iterable of GrayChunk
            Neighbours share :attr:`overlap` frames or more.

        Yields
        ------
        ndarray of shape (n_descriptors, n_features), float32
            Pieces of at most some hundred descriptors.
        """
        for chunk in chunks:
            if chunk.next_start is not None:
                shared = chunk.start + len(chunk.frames) - chunk.next_start
                if shared < self.overlap:
                    raise ValueError(
                        f"Neighbouring chunks share {shared} frames; boxes of"
                        f" {self.overlap - 2} frames need {self.overlap}."
                    )
            yield from self._describe_chunk(chunk)

    def _describe_chunk(self, chunk: GrayChunk) -> Iterator[NDArray[np.float32]]:
        begins = [self._time_origins(chunk, length) for length in self._sizes(1)]
        if not any(begins):
            return
        _, height, width = chunk.frames.shape
        for number, size in enumerate(self._sizes(0)):
            stride = self.stride[0] * math.sqrt(2.0) ** number
            across = _origins(width, size, stride)
            down = _origins(height, size, stride)
            if not across or not down:
                continue
            weights = _sub_block_weights(size, self.n_cells[0] * self.splits)
            planes = _plane_means(chunk.frames, weights, down, across)
            for length, origins in zip(self._sizes(1), begins, strict=True):
                over_time = _sub_block_weights(length, self.n_cells[1] * self.splits)
                for origin in origins:
                    window = planes[:, origin : origin + over_time.shape[1]]
                    means = np.matmul(over_time, window.reshape(3, over_time.shape[1], -1))
                    yield self._descriptors(means, len(down), len(across))

    def _descriptors(
        self, means: NDArray[np.float32], n_down: int, n_across: int
    ) -> NDArray[np.float32]:
        """Turn the mean gradients of all boxes that begin with one frame into descriptors."""
        cells, splits, n_times = self.n_cells[0], self.splits, self.n_cells[1]
        bins = self._bins()
        histograms = np.empty((n_down, n_across, cells, cells, n_times, bins.n_bins), np.float32)
        by_axis = (n_times, splits, n_down * cells, splits, n_across * cells, splits)
        for place, votes in enumerate(bins.votes(means)):
            # One axis after the other, the outer ones first: they add long rows to each other.
            sums = votes.reshape(by_axis).sum(axis=1).sum(axis=2).sum(axis=3)
            sums = sums.reshape(n_times, n_down, cells, n_across, cells)
            histograms[..., place] = sums.transpose(1, 3, 2, 4, 0)
        lengths = np.sqrt((histograms**2).sum(axis=-1, keepdims=True))
        histograms /= lengths + np.float32(_NOISE * splits**3)
        rows = histograms.reshape(n_down * n_across, self.n_features)
        strong: NDArray[np.bool_] = lengths.reshape(len(rows), -1).sum(axis=1) >= _WEAKEST
        return rows[strong]

    def _bins(self) -> Bins:
        return PolarBins() if self.quantisation == "polar" else SolidBins(self.quantisation)

    def _sizes(self, axis: int) -> list[float]:
        """Give the sizes of boxes in pixels (0) or frames (1)."""
        return [self.support[axis] * math.sqrt(2.0) ** k for k in range(self.n_scales[axis])]

    def _time_origins(self, chunk: GrayChunk, length: float) -> list[int]:
        """Give the first frames, within the chunk, of the boxes that belong to it."""
        stride = self.stride[1] * length / self.support[1]
        whole_length = math.ceil(length)
        end = chunk.start + len(chunk.frames)
        origins = []
        number = max(0, int(chunk.start / stride) - 1)
        while (origin := math.floor(number * stride + 0.5)) + whole_length <= end:
            number += 1
            needed = max(0, origin - 1)  # a box begins with the frame before its first
            if needed < chunk.start or (
                chunk.next_start is not None and needed >= chunk.next_start
            ):
                continue
            origins.append(origin - chunk.start)
        return origins


def _origins(extent: int, size: float, stride: float) -> list[int]:
    """Give where boxes begin along a side, with what is left over shared by both ends."""
    if size > extent:
        return []
    room = extent - math.ceil(size)
    steps = [math.floor(k * stride + 0.5) for k in range(int(room // stride) + 2)]
    steps = [step for step in steps if step <= room]
    return [step + (room - steps[-1]) // 2 for step in steps]


def _sub_block_weights(size: float, n_blocks: int) -> NDArray[np.float32]:
    """Give what each pixel is worth in the means of the sub-blocks that a box is cut into.

    Cuts do not respect pixels: one that is cut counts for both sides by its parts.
    """
    edges = np.linspace(0.0, size, n_blocks + 1)
    pixels = np.arange(math.ceil(size))
    begin = np.maximum(edges[:-1, None], pixels)
    end = np.minimum(edges[1:, None], pixels + 1)
    shares: NDArray[np.float64] = np.maximum(end - begin, 0.0) * (n_blocks / size)
    return shares.astype(np.float32)


def _plane_means(
    frames: NDArray[np.float32], weights: NDArray[np.float32], down: list[int], across: list[int]
) -> NDArray[np.float32]:
    """Give mean gradients over the sub-blocks of all boxes in each frame.

    Returns shape (3, n_frames, len(down) * n_blocks, len(across) * n_blocks).
    """
    n_frames, height, width = frames.shape
    n_blocks, size = weights.shape
    means = np.empty((3, n_frames, len(down) * n_blocks, len(across) * n_blocks), np.float32)
    for part, axis in enumerate((2, 1, 0)):
        slopes = _central_differences(frames, axis)
        rows = slopes.reshape(n_frames * height, width)
        narrow = np.empty((len(rows), len(across), n_blocks), np.float32)
        for place, origin in enumerate(across):
            narrow[:, place] = rows[:, origin : origin + size] @ weights.T
        flat = narrow.reshape(n_frames, height, len(across) * n_blocks)
        for place, origin in enumerate(down):
            rows_of_box = slice(place * n_blocks, (place + 1) * n_blocks)
            means[part, :, rows_of_box] = np.matmul(weights, flat[:, origin : origin + size])
    return means


def _central_differences(frames: NDArray[np.float32], axis: int) -> NDArray[np.float32]:
    """Give half the difference of both neighbours; at the ends, the difference to the one."""
    if frames.shape[axis] == 1:
        return np.zeros_like(frames)
    slopes: NDArray[np.float32] = np.gradient(frames, axis=axis)
    return slopes
