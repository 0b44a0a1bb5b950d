"""Video files opened as local data and nothing more.

What FFmpeg would do with a file depends on its content: a playlist or a list of parts can make it
fetch other files or addresses. Here a file is one of three known containers, or it is not opened.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from conceptforest.datasets.regular_file import open_regular
from conceptforest.features.decode import UnreadableError

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    from numpy.typing import NDArray

__all__ = ["MAX_PIXELS", "Video", "decoding_errors", "open_video", "quarters"]

# The largest frame that is decoded: 8K and a little more. A decoder keeps up to 17 of them.
MAX_PIXELS = 40_000_000

# Damaged packets that are passed over before the rest of a file is given up.
_MAX_DAMAGED = 100

_WHITELISTS = {
    "format_whitelist": "mov,mp4,m4a,3gp,3g2,mj2,matroska,webm,avi",
    "protocol_whitelist": "none",  # the name of no protocol: nothing else can be opened from here
}
_MOV_ATOMS = {b"ftyp", b"styp", b"moov", b"mdat", b"wide", b"free", b"skip", b"pnot"}


@dataclass(frozen=True)
class Video:
    """An open video.

    Attributes
    ----------
    container : av.container.InputContainer
    stream : av.video.stream.VideoStream
        The one that is watched; cover pictures are not.
    scaler : av.video.reformatter.VideoReformatter
        Kept from frame to frame, since making one takes longer than scaling a small frame.
    """

    container: Any
    stream: Any
    scaler: Any

    @property
    def stretch(self) -> float:
        """How much wider than high a pixel is when it is shown."""
        ratio = self.stream.sample_aspect_ratio
        # What is beyond is no format that was ever in use, but an error.
        return float(ratio) if ratio and 0.25 <= ratio <= 4 else 1.0

    def picture(
        self, frame: Any, form: Literal["rgb24", "gray"], width: float, height: float
    ) -> NDArray[np.uint8]:
        """Scale, convert and turn a frame; the size is that before it is turned."""
        try:
            scaled = self.scaler.reformat(
                frame,
                width=max(1, round(width)),
                height=max(1, round(height)),
                format=form,
                interpolation="AREA",
            )
            picture = scaled.to_ndarray()
        except decoding_errors() as error:
            raise UnreadableError("its frames are in a form that is not known here") from error
        return np.ascontiguousarray(np.rot90(picture, quarters(frame)))

    def frames(self) -> Iterator[Any]:
        """Decode from where the file stands; what is damaged is passed over, or ends it."""
        damaged = 0
        packets = self.container.demux(self.stream)
        while True:
            try:
                packet = next(packets, None)
                if packet is None:
                    return
                frames = packet.decode()
            except decoding_errors():
                damaged += 1
                if damaged > _MAX_DAMAGED:
                    return
                continue
            for frame in frames:
                if frame.width * frame.height <= MAX_PIXELS:
                    yield frame


@contextmanager
def open_video(path: str | os.PathLike[str]) -> Iterator[Video]:
    """Open a local MP4, QuickTime, Matroska, WebM or AVI file for decoding its frames.

    Frames are decoded by one thread; parallel work is over videos. Sound is not touched. The size
    of frames is looked at before any is decoded.

    Parameters
    ----------
    path : str or path-like

    Yields
    ------
    Video

    Raises
    ------
    UnreadableError
        If the file is none of these, is damaged, holds no video, or larger frames than
        :data:`MAX_PIXELS`.
    ImportError
        If PyAV is not installed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     place = Path(folder) / "list.mp4"
    ...     _ = place.write_text("#EXTM3U")
    ...     with open_video(place):
    ...         pass
    Traceback (most recent call last):
    conceptforest.features...UnreadableError: it is no MP4, QuickTime, Matroska, WebM or AVI file
    """
    av = _import_av()
    place = Path(path)
    try:
        file = open_regular(place)
    except OSError as error:
        if error.errno is None:
            raise UnreadableError("it is not a regular file", lasting=False) from None
        raise UnreadableError(f"it cannot be opened ({error.strerror})", lasting=False) from error
    with file:
        kind = _kind(file.read(12))
        file.seek(0)
        # Given to the container and to all its decoders, those that guess the frame rate too.
        limits = {"max_pixels": str(MAX_PIXELS), "threads": "1"}
        try:
            container = av.open(
                file,
                mode="r",
                format=kind,
                options=limits,
                container_options=_WHITELISTS,
                metadata_errors="replace",
            )
        except decoding_errors() as error:
            raise UnreadableError(f"it is damaged ({_reason(error)})") from error
        with container:
            scaler = av.video.reformatter.VideoReformatter()
            yield Video(container, _watched_stream(container, limits), scaler)


def quarters(frame: Any) -> int:
    """Tell by how many quarters, against the clock, a frame is turned to be shown.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> quarters(SimpleNamespace(rotation=-90))
    3
    """
    return round(getattr(frame, "rotation", 0) / 90) % 4


def _import_av() -> Any:
    try:
        import av
    except ImportError as error:
        raise ImportError(
            'Reading videos needs PyAV. Install it with: pip install "conceptforest[video]"'
        ) from error
    return av


def decoding_errors() -> tuple[type[Exception], ...]:
    """Give what PyAV raises on damaged files: FFmpeg's errors, and its own on odd values.

    FFmpeg's lack of memory is among them: it is the size that a damaged file claims.

    Examples
    --------
    >>> ValueError in decoding_errors(), MemoryError in decoding_errors()
    (True, False)
    """
    from av.error import FFmpegError

    return (FFmpegError, ValueError, IndexError, OverflowError, EOFError, ArithmeticError)


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def _kind(head: bytes) -> str:
    """Tell FFmpeg's name of the container by the first bytes."""
    if head[4:8] in _MOV_ATOMS:
        return "mov"
    if head.startswith(b"\x1a\x45\xdf\xa3"):
        return "matroska"
    if head.startswith(b"RIFF") and head[8:11] == b"AVI":
        return "avi"
    raise UnreadableError("it is no MP4, QuickTime, Matroska, WebM or AVI file")


def _watched_stream(container: Any, limits: dict[str, str]) -> Any:
    from av.stream import Disposition

    cover = int(Disposition.attached_pic)
    streams = [s for s in container.streams.video if not int(s.disposition) & cover]
    if not streams:
        raise UnreadableError("it holds no video")
    stream = streams[0]
    context = stream.codec_context
    if context is None:
        raise UnreadableError("its video is in a coding that is not known here")
    if context.width * context.height > MAX_PIXELS:
        raise UnreadableError(
            f"its frames are {context.width} x {context.height} pixels; up to"
            f" {MAX_PIXELS:,} pixels are decoded"
        )
    context.options = limits
    context.thread_count = 1
    return stream
