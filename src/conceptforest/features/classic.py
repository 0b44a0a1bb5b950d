"""A description of pictures that needs no trained weights: colours, edges, textures, layout."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest.features.colour import cell_moments, colour_histogram, colour_summary, to_lab
from conceptforest.features.texture import gradient_histograms, texture_histograms

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["ClassicDescriptor"]

_VERSION = 1  # raise it with any change of the numbers
_SIDE = 128  # pixels of the square that is looked at
_SHORTEST = 192  # a little more, so that thumbnails of the same decoded picture are sharp
_CELLS = 4  # in a row, for colours and edges

# Each block, its length and its factor. The factors bring the root mean square distance of two
# pictures (1,500 of openclipart) to 1, to 1.5 where a block tells more, to 0.5 where it tells less.
_BLOCKS = {
    "colours": (100, 1.4),
    "layout": (96, 0.1),
    "edges": (128, 1.1),
    "fine texture": (50, 3.2),
    "coarse texture": (50, 1.8),
    "summary": (13, 1.4),
}


class ClassicDescriptor:
    """Colour, gradient and layout statistics of a picture; an extractor without weights.

    The picture is stretched to a square of 128 x 128 pixels. In this order, the 437 features are

    - colours (100): soft histogram in CIE Lab, as square roots of shares;
    - layout (96): mean and spread of L, a and b in 4 x 4 cells;
    - edges (128): histograms of 8 edge directions in 4 x 4 cells, as square roots of shares;
    - fine and coarse texture (50 each): histograms of local patterns at distances of 1 and 3
      pixels, of the whole and of its quarters;
    - summary (13): how much is white, black, grey, flat or clear edge, how many colours there are
      and how they are shared out, mean lightness and colourfulness, and the shape of the picture.

    The blocks are scaled to have a like influence on distances.

    Attributes
    ----------
    name, key, n_features, shortest, batch_size
        As of :class:`~conceptforest.features.extractor.Extractor`.

    Examples
    --------
    >>> descriptor = ClassicDescriptor()
    >>> vector = descriptor.prepare(np.zeros((90, 160, 3), np.uint8))
    >>> vector.shape, vector.dtype.name
    ((437,), 'float32')
    """

    name = "classic"
    key = f"classic-{_VERSION}"
    n_features = sum(length for length, _ in _BLOCKS.values())
    shortest = _SHORTEST
    batch_size = 64

    def prepare(self, image: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Describe one picture; all the work is here, so that it is done in threads.

        Parameters
        ----------
        image : ndarray of shape (height, width, 3), uint8

        Returns
        -------
        ndarray of shape (437,), float32
        """
        square = _square(image)
        lab = to_lab(square)
        light = lab[0] / np.float32(100.0)
        edges, clear_and_flat = gradient_histograms(light, _CELLS)
        shape = math.log(image.shape[1] / image.shape[0])
        parts = {
            "colours": colour_histogram(lab),
            "layout": cell_moments(lab, _CELLS),
            "edges": edges,
            "fine texture": texture_histograms(light, 1),
            "coarse texture": texture_histograms(light, 3),
            "summary": np.concatenate(
                [colour_summary(square, lab), clear_and_flat, [shape, abs(shape)]]
            ),
        }
        scaled = [parts[block] * factor for block, (_, factor) in _BLOCKS.items()]
        return np.concatenate(scaled).astype(np.float32)

    def run(self, batch: NDArray[Any]) -> NDArray[np.float32]:
        """Give the batch as it is: its pictures are described already."""
        return np.asarray(batch, dtype=np.float32)


def _square(image: NDArray[np.uint8]) -> NDArray[np.uint8]:
    from PIL import Image

    if image.shape[:2] == (_SIDE, _SIDE):
        return image
    picture = Image.fromarray(image).resize((_SIDE, _SIDE), Image.Resampling.BILINEAR)
    return np.asarray(picture)
