import io

import numpy as np
import pytest
from PIL import Image
from tests.features.pictures import encode, scene

from conceptforest.features.decode import decode_image
from conceptforest.features.thumbnail import make_thumbnail

SECRET = b"51.5007 N, 0.1246 W"


def opened(data):
    return Image.open(io.BytesIO(data))


def test_the_longer_side_fits_and_the_shape_is_kept():
    data, width, height = make_thumbnail(scene(300, 400), 100)
    assert (width, height) == (100, 75)
    assert opened(data).size == (100, 75)


def test_small_pictures_are_not_enlarged():
    assert make_thumbnail(scene(20, 30))[1:] == (30, 20)


def test_a_line_of_pixels_keeps_a_pixel_of_height():
    assert make_thumbnail(scene(1, 4000))[1:] == (192, 1)


def test_it_shows_the_picture():
    image = scene(96, 128)
    seen = np.asarray(opened(make_thumbnail(image)[0]).convert("RGB")).astype(float)
    assert np.abs(seen - image).mean() < 12


def test_nothing_but_pixels_gets_into_it(tmp_path):
    exif = Image.Exif()
    exif[0x010E] = SECRET.decode()
    exif.get_ifd(0x8825)[2] = (51.0, 30.0, 2.5)
    path = tmp_path / "a.jpg"
    xmp = b"<x:xmpmeta>" + SECRET + b"</x:xmpmeta>"
    path.write_bytes(
        encode(scene(), "JPEG", exif=exif, comment=SECRET, xmp=xmp, icc_profile=SECRET)
    )
    assert path.read_bytes().count(SECRET) == 4
    data = make_thumbnail(decode_image(path, shortest=48))[0]
    small = opened(data)
    assert SECRET not in data
    assert not dict(small.getexif())
    assert not {"exif", "xmp", "icc_profile", "comment"} & set(small.info)
    for mark in (b"EXIF", b"XMP ", b"ICCP"):
        assert mark not in data


def test_without_webp_it_is_a_jpeg_without_metadata(monkeypatch):
    monkeypatch.setattr("PIL.features.check", lambda _: False)
    data, width, height = make_thumbnail(scene(96, 128))
    small = opened(data)
    assert small.format == "JPEG"
    assert small.size == (width, height)
    assert not {"exif", "xmp", "icc_profile", "comment"} & set(small.info)


@pytest.mark.parametrize("shape", [(4, 4), (4, 4, 4), (0, 4, 3)])
def test_arrays_that_are_no_picture_are_refused(shape):
    with pytest.raises(ValueError, match="shape"):
        make_thumbnail(np.zeros(shape, np.uint8))


def test_a_size_of_nothing_is_refused():
    with pytest.raises(ValueError, match="at least 1"):
        make_thumbnail(scene(), 0)
