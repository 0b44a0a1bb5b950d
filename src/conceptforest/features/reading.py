"""What is done with one file in a thread: its digest, and its picture ready for an extractor."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from conceptforest.datasets.regular_file import open_regular
from conceptforest.features.decode import BYTES_A_PIXEL, MAX_PIXELS, decode_image
from conceptforest.features.digest import digest_open
from conceptforest.features.memory_budget import MemoryBudget
from conceptforest.features.thumbnail import make_thumbnail
from conceptforest.features.unreadable import UnreadableError

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from conceptforest.datasets.media import MediaItem
    from conceptforest.features.extractor import Extractor

__all__ = ["Failure", "Prepared", "Preparer", "Read", "read_digest"]

_BUDGET = MAX_PIXELS * BYTES_A_PIXEL  # bytes of all pictures that are decoded at once
_CHANGED = "it changed while it was read"


@dataclass(frozen=True)
class Read:
    """A file's content: its digest, and the status that the file had before it was read."""

    digest: str
    status: os.stat_result


@dataclass(frozen=True)
class Failure:
    """Why a file gives nothing; `lasting` if the same content never will."""

    reason: str
    lasting: bool = False


@dataclass(frozen=True, eq=False)
class Prepared:
    """Inputs of an extractor, one for a picture and several for a video, and a thumbnail."""

    rows: list[NDArray[Any]]
    thumbnail: tuple[bytes, int, int] | None


def read_digest(path: Path) -> Read | Failure:
    """Give the digest of a file's content, or why it cannot be read."""
    try:
        with open_regular(path) as file:
            status = os.fstat(file.fileno())
            digest = digest_open(file)
        return Read(digest, status) if _same(status, path.stat()) else Failure(_CHANGED)
    except OSError as error:
        if error.errno is None:
            return Failure("it is not a regular file")
        return Failure(f"it cannot be read: {error.strerror or error}")


def _same(before: os.stat_result, after: os.stat_result) -> bool:
    return (before.st_size, before.st_mtime_ns, before.st_ino) == (
        after.st_size,
        after.st_mtime_ns,
        after.st_ino,
    )


class Preparer:
    """Decodes files for an extractor, in any number of threads.

    Parameters
    ----------
    extractor : Extractor
    video_frames : int
        Frames of a video.
    thumbnail_size : int
        0 makes none.
    max_pixels : int
    """

    def __init__(
        self, extractor: Extractor, video_frames: int, thumbnail_size: int, max_pixels: int
    ) -> None:
        self.extractor = extractor
        self.video_frames = video_frames
        self.thumbnail_size = thumbnail_size
        self.max_pixels = max_pixels
        self._budget = MemoryBudget(_BUDGET)

    def __call__(self, item: MediaItem, read: Read) -> Prepared | Failure:
        """Decode and prepare what is still the content of that digest."""
        try:
            try:
                images = self._images(item)
            finally:  # a file that is gone or new by now is not the one that was to be read
                unchanged = _same(read.status, item.path.stat())
            if not unchanged:
                return Failure(_CHANGED)
        except UnreadableError as error:
            return Failure(str(error), error.lasting) if unchanged else Failure(_CHANGED)
        except ImportError:
            return Failure('videos need PyAV: pip install "conceptforest[video]"')
        except OSError as error:
            return Failure(f"it cannot be read: {error.strerror or error}")
        except MemoryError:
            return Failure("there is not enough memory to decode it")
        rows = [self.extractor.prepare(image) for image in images]
        middle = images[len(images) // 2]
        size = self.thumbnail_size
        return Prepared(rows, make_thumbnail(middle, size) if size else None)

    def _images(self, item: MediaItem) -> list[NDArray[np.uint8]]:
        shortest = self.extractor.shortest
        if item.kind == "image":
            limits: Any = {"max_pixels": self.max_pixels, "gate": self._budget.take}
            image = decode_image(item.path, shortest=shortest, **limits)
            if (image == image[0, 0]).all():  # it would be like any other blank one
                raise UnreadableError("it shows nothing but one colour")
            return [image]
        from conceptforest.features.video_frames import sample_frames

        frames = list(sample_frames(item.path, self.video_frames, shortest=shortest))
        if not frames:
            raise UnreadableError("it has no frames")
        return frames
