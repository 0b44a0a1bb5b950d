"""Picture files for the tests: ordinary ones in every format, and hostile ones made by hand."""

import io
import struct
import zlib

import numpy as np
from PIL import Image

FORMATS = ("JPEG", "PNG", "GIF", "WEBP", "TIFF", "BMP")


def scene(height=48, width=64, seed=0):
    """Make a colourful array of shape (height, width, 3): a smooth sky, a dark box, some noise."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[0:height, 0:width]
    image = np.stack([255 * x / width, 255 * y / height, 128 + 90 * np.sin(x / 7)], axis=2)
    top, left = rng.integers((height + 1) // 2), rng.integers((width + 1) // 2)
    image[top : top + height // 3, left : left + width // 3] = rng.integers(256, size=3)
    image += rng.normal(0, 4, size=image.shape)
    return np.clip(image, 0, 255).astype(np.uint8)


def encode(image, kind="PNG", **options):
    """Give the bytes of a picture file; `image` is an array or a Pillow image."""
    picture = image if isinstance(image, Image.Image) else Image.fromarray(image)
    file = io.BytesIO()
    picture.save(file, kind, **options)
    return file.getvalue()


def with_orientation(image, orientation, kind="JPEG"):
    """Give the bytes of a file whose Exif tells how to turn it."""
    exif = Image.Exif()
    exif[0x0112] = orientation
    options = {"quality": 95} if kind == "JPEG" else {}
    return encode(image, kind, exif=exif.tobytes(), **options)


def chunk(kind, data):
    checksum = zlib.crc32(data, zlib.crc32(kind))
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)


def png_parts(width, height, *, depth=8, colour=2, interlaced=0):
    """Give signature and header of a PNG file of any claimed size."""
    head = struct.pack(">IIBBBBB", width, height, depth, colour, 0, 0, interlaced)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head)


def png_bomb(width, height, *, colour=2, interlaced=0):
    """Give a small, valid PNG file of black pixels of any size: its rows are zeros."""
    channels = {0: 1, 2: 3, 3: 1, 6: 4}[colour]
    packer, packed = zlib.compressobj(9), []
    row_block = bytes((1 + width * channels) * 64)
    left = height
    while left:
        n_rows = min(left, 64)
        packed.append(packer.compress(row_block[: n_rows * (1 + width * channels)]))
        left -= n_rows
    packed.append(packer.flush())
    palette = chunk(b"PLTE", bytes(3)) if colour == 3 else b""
    parts = [png_parts(width, height, colour=colour, interlaced=interlaced), palette]
    return b"".join([*parts, chunk(b"IDAT", b"".join(packed)), chunk(b"IEND", b"")])


def png_text_bomb():
    """Give a PNG file with a compressed text that unpacks to 100 MB."""
    packer = zlib.compressobj(9)
    text = b"".join([packer.compress(bytes(10**6)) for _ in range(100)] + [packer.flush()])
    plain = encode(scene())
    return plain[:33] + chunk(b"zTXt", b"Comment\0\0" + text) + plain[33:]


def png_profile_bomb():
    """Give a PNG file with a colour profile that unpacks to 100 MB."""
    packer = zlib.compressobj(9)
    data = b"".join([packer.compress(bytes(10**6)) for _ in range(100)] + [packer.flush()])
    plain = encode(scene())
    return plain[:33] + chunk(b"iCCP", b"profile\0\0" + data) + plain[33:]


def gif_bomb():
    """Give a GIF file of a few bytes with the largest screen there can be."""
    plain = bytearray(encode(Image.new("P", (2, 2)), "GIF"))
    plain[6:10] = struct.pack("<HH", 65535, 65535)
    return bytes(plain)


def tiff_bomb(width=60_000, height=60_000):
    """Give a TIFF file whose header claims any size over a few bytes of data."""
    tags = [(256, 4, 1, width), (257, 4, 1, height), (258, 3, 1, 8), (259, 3, 1, 1)]
    tags += [(262, 3, 1, 1), (273, 4, 1, 8), (277, 3, 1, 1), (278, 4, 1, height), (279, 4, 1, 4)]
    entries = b"".join(struct.pack("<HHII", *tag) for tag in tags)
    return (
        struct.pack("<2sHI", b"II", 42, 12) + bytes(4) + struct.pack("<H", len(tags)) + entries
    ) + bytes(4)


def bmp_bomb(width=60_000, height=60_000):
    """Give a BMP file whose header claims any size."""
    head = struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, 0, 0, 0, 0, 0)
    return b"BM" + struct.pack("<IHHI", 54, 0, 0, 54) + head + bytes(16)


def jpeg_bomb(*, progressive):
    """Give a JPEG file whose header claims 60,000 x 60,000 pixels."""
    plain = bytearray(encode(scene(), "JPEG", progressive=progressive))
    place = plain.index(b"\xff\xc2" if progressive else b"\xff\xc0")
    plain[place + 5 : place + 9] = struct.pack(">HH", 60_000, 60_000)
    return bytes(plain)


def jpeg_with_many_scans(n_scans):
    """Give a progressive JPEG file that repeats its last scan."""
    plain = encode(scene(), "JPEG", progressive=True)
    last = plain.rindex(b"\xff\xda")
    return plain[:last] + plain[last:-2] * n_scans + plain[-2:]
