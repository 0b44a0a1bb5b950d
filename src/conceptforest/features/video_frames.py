"""Frames of videos: a few, evenly spread, as pictures; or all, in grey, piece by piece."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from conceptforest.checks import whole
from conceptforest.features.decode import UnreadableError
from conceptforest.features.shrink import final_size
from conceptforest.features.video_file import Video, decoding_errors, open_video, quarters

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

__all__ = ["GrayChunk", "read_gray_chunks", "sample_frames"]

# Frames decoded from a key frame on, at most, to come to the wanted one: ten seconds or so.
_REACH = 300
# Frames of a video that is read as a whole if that gives more pictures.
_SHORT = 20_000
# Frames read of a file in which one cannot search: over two hours.
_MAX_READ = 250_000
# A grey frame is at most this many times as high as the width it is scaled to.
_TALLEST = 3


class GrayChunk(NamedTuple):
    """Consecutive frames of a video in grey.

    Attributes
    ----------
    frames : ndarray of shape (n_frames, height, width), float32
        From 0 (black) to 1 (white).
    start : int
        Number of the first frame, counted from the beginning of the video in frames that are used.
    next_start : int or None
        Number of the first frame of the next chunk, which repeats the last frames of this one;
        None for the last chunk.
    """

    frames: NDArray[np.float32]
    start: int
    next_start: int | None


class _LostError(Exception):
    """One cannot search in this file."""


# --- A few frames --------------------------------------------------------------------------------


def sample_frames(
    path: str | os.PathLike[str], n_frames: int, *, shortest: int
) -> list[NDArray[np.uint8]]:
    """Decode frames that are evenly spread over a video: the middles of `n_frames` equal parts.

    The work does not grow with the length of the video: it goes to the key frame before each
    part's middle and decodes from there, at most 300 frames; if the middle is farther, the key
    frame is taken. A file that does not tell its duration or tells a wrong one is read from the
    beginning, up to 250,000 frames; so is one of up to 20,000 frames with too few key frames.

    Parameters
    ----------
    path : str or path-like
        A local MP4, QuickTime, Matroska, WebM or AVI file.
    n_frames : int
        At least 1.
    shortest : int
        Frames whose shorter side has more pixels are scaled down to this; the longer side gets
        at most eight times as many.

    Returns
    -------
    list of ndarray of shape (height, width, 3), uint8
        RGB, turned as the file says it is to be shown, with square pixels. Fewer than `n_frames`
        if the video has fewer, at least one.

    Raises
    ------
    UnreadableError
        If no frame can be decoded.

    Examples
    --------
    >>> sample_frames("missing.mp4", 4, shortest=224)
    Traceback (most recent call last):
    conceptforest.features...UnreadableError: it cannot be opened (No such file or directory)
    """
    whole("n_frames", n_frames, 1)
    whole("shortest", shortest, 1)
    with open_video(path) as video:
        try:
            frames = _by_searching(video, n_frames, shortest)
        except _LostError:
            frames = None
    if frames is None:
        with open_video(path) as video:
            frames = _by_reading(video, n_frames, shortest)
    if not frames:
        raise UnreadableError("none of its frames can be decoded")
    return frames


def _by_searching(video: Video, n_frames: int, shortest: int) -> list[NDArray[np.uint8]]:
    """Go to the middle of each part; raises `_LostError` where times cannot be relied on."""
    begin, duration, rate = _times(video)
    close = 0.5 / rate
    found: list[NDArray[np.uint8]] = []
    stepping = _Stepping(video)
    last_taken = -math.inf
    for part in range(n_frames):
        target = begin + duration * (part + 0.5) / n_frames
        if (target - stepping.time) * rate > _REACH:
            stepping.go_to_key_frame(target)
        frame = stepping.until(target - close)
        if stepping.ended and target - stepping.time > duration / n_frames:
            raise _LostError  # the duration was wrong
        if frame is None:
            continue
        if frame.time > last_taken:  # a short video may have the same frame for several parts
            found.append(_rgb(video, frame, shortest))
            last_taken = frame.time
    if len(found) < n_frames and 2 * n_frames <= duration * rate <= _SHORT:
        raise _LostError  # there are too few key frames to go to, and it is soon read as a whole
    return found


def _times(video: Video) -> tuple[float, float, float]:
    """Tell the first time and the duration in seconds, and the frames in a second."""
    container, stream = video.container, video.stream
    if not stream.time_base:
        raise _LostError
    if stream.duration:
        duration = float(stream.duration * stream.time_base)
    else:
        duration = (container.duration or 0) / 1e6
    if not 0.0 < duration < math.inf:
        raise _LostError
    begin = float((stream.start_time or 0) * stream.time_base)
    rate = float(stream.average_rate or 25)
    return begin, duration, min(max(rate, 1.0), 240.0)


class _Stepping:
    """A place in a video that moves on frame by frame, or jumps to a key frame."""

    def __init__(self, video: Video) -> None:
        self.video = video
        self.frames = video.frames()
        self.frame: Any = None
        self.time = float((video.stream.start_time or 0) * (video.stream.time_base or 0))
        self.ended = False

    def go_to_key_frame(self, time: float) -> None:
        """Jump to the last key frame before a time."""
        stream = self.video.stream
        try:
            self.video.container.seek(int(time / stream.time_base), stream=stream)
        except decoding_errors() as error:
            raise _LostError from error
        self.frames = self.video.frames()
        self.frame, self.ended = None, False

    def until(self, time: float) -> Any:
        """Decode up to the first frame at a time or later; too far off, give the key frame."""
        if self.frame is not None and self.frame.time >= time:
            return self.frame
        key = None
        for _ in range(_REACH + 1):
            frame = next(self.frames, None)
            if frame is None:
                self.ended = True
                break
            if frame.time is None:
                raise _LostError
            key = key or frame
            self.frame, self.time = frame, frame.time
            if frame.time >= time:
                return frame
        return self.frame if self.ended else key


def _by_reading(video: Video, n_frames: int, shortest: int) -> list[NDArray[np.uint8]]:
    """Read all frames and keep every first, second, fourth ... of them, ever fewer."""
    kept: list[NDArray[np.uint8]] = []
    step, total = 1, 0
    for frame in video.frames():
        if total % step == 0:
            if len(kept) == 4 * n_frames:
                kept = kept[::2]
                step *= 2
            if total % step == 0:
                kept.append(_rgb(video, frame, shortest))
        total += 1
        if total == _MAX_READ:
            break
    middles = [round(total * (part + 0.5) / (n_frames * step)) for part in range(n_frames)]
    places = {min(place, len(kept) - 1) for place in middles}
    return [kept[place] for place in sorted(places)] if kept else []


def _rgb(video: Video, frame: Any, shortest: int) -> NDArray[np.uint8]:
    return video.picture(frame, "rgb24", *final_size(_size(video, frame), shortest))


def _size(video: Video, frame: Any) -> tuple[int, int]:
    """Give width and height in square pixels, none larger than it is in the file."""
    width = frame.width * min(1.0, video.stretch)
    height = frame.height / max(1.0, video.stretch)
    return max(1, round(width)), max(1, round(height))


# --- All frames, in grey -------------------------------------------------------------------------


def read_gray_chunks(
    path: str | os.PathLike[str],
    *,
    width: int = 320,
    chunk: int = 100,
    overlap: int = 20,
    max_seconds: float | None = None,
    every: int = 1,
) -> Iterator[GrayChunk]:
    """Read a video in grey, piece by piece, in memory that does not grow with its length.

    Parameters
    ----------
    path : str or path-like
        A local MP4, QuickTime, Matroska, WebM or AVI file.
    width : int, default=320
        Wider frames are scaled down to this, and frames that would then be more than three times
        as high to that height; none is scaled up. All frames get the size of the first.
    chunk : int, default=100
        Frames in a chunk; the last chunk may have fewer.
    overlap : int, default=20
        Frames that the next chunk repeats, fewer than `chunk`.
    max_seconds : float or None, default=None
        How much of the video is read, from its beginning.
    every : int, default=1
        Takes every second frame, say, with 2.

    Yields
    ------
    GrayChunk

    Raises
    ------
    UnreadableError
        If no frame can be decoded. A file that is damaged later ends there.

    Examples
    --------
    >>> next(read_gray_chunks("missing.mp4"))
    Traceback (most recent call last):
    conceptforest.features...UnreadableError: it cannot be opened (No such file or directory)
    """
    whole("width", width, 1)
    whole("overlap", overlap, 0)
    whole("chunk", chunk, overlap + 1)
    whole("every", every, 1)
    if max_seconds is not None and not max_seconds > 0:
        raise ValueError(f"max_seconds must be above 0, or None; got {max_seconds!r}.")
    return _gray_chunks(
        path, chunk, overlap, lambda video: _gray_frames(video, width, max_seconds, every)
    )


def _gray_chunks(
    path: str | os.PathLike[str],
    chunk: int,
    overlap: int,
    gray_frames: Callable[[Video], Iterator[NDArray[np.uint8]]],
) -> Iterator[GrayChunk]:
    start = 0
    held: NDArray[np.uint8] | None = None
    n_held = 0
    with open_video(path) as video:
        for picture in gray_frames(video):
            if held is None:
                held = np.empty((chunk, *picture.shape), np.uint8)
            if n_held == chunk:  # there is a frame beyond, so this chunk is not the last one
                yield GrayChunk(_as_floats(held), start, start + chunk - overlap)
                held[:overlap] = held[chunk - overlap :].copy()
                start, n_held = start + chunk - overlap, overlap
            held[n_held] = picture
            n_held += 1
    if held is None:
        raise UnreadableError("none of its frames can be decoded")
    yield GrayChunk(_as_floats(held[:n_held]), start, None)


def _gray_frames(
    video: Video, width: int, max_seconds: float | None, every: int
) -> Iterator[NDArray[np.uint8]]:
    size: tuple[float, float] | None = None
    shape: tuple[int, ...] | None = None
    begin: float | None = None
    for number, frame in enumerate(video.frames()):
        if max_seconds is not None and frame.time is not None:
            begin = frame.time if begin is None else begin
            if frame.time - begin >= max_seconds:
                return
        if number % every:
            continue
        if size is None:
            size = _gray_size(video, frame, width)
        picture = video.picture(frame, "gray", *size)
        shape = shape or picture.shape
        if picture.shape == shape:  # a frame that is suddenly turned otherwise is passed over
            yield picture


def _gray_size(video: Video, frame: Any, width: int) -> tuple[float, float]:
    """Give the size to scale to, before the frame is turned."""
    size = _size(video, frame)
    across, up = reversed(size) if quarters(frame) % 2 else size
    scale = min(1.0, width / across, _TALLEST * width / up)
    return size[0] * scale, size[1] * scale


def _as_floats(frames: NDArray[np.uint8]) -> NDArray[np.float32]:
    return frames * np.float32(1 / 255)
