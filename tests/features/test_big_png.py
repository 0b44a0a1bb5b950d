import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from tests.features import pictures
from tests.features.pictures import encode, scene

from conceptforest.features import decode
from conceptforest.features.big_png import open_big_png
from conceptforest.features.decode import UnreadableError, decode_image


def modes():
    image = Image.fromarray(scene(37, 29))
    clear = image.copy()
    clear.putalpha(Image.fromarray(scene(37, 29, seed=1)[..., 2]))
    return {
        "RGB": image,
        "RGBA": clear,
        "L": image.convert("L"),
        "LA": clear.convert("LA"),
        "P": image.quantize(200),
    }


def in_strips(data, step):
    big = open_big_png(io.BytesIO(data))
    assert big is not None
    return np.concatenate([np.asarray(strip) for strip in big.strips(step)])


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "LA", "P"])
@pytest.mark.parametrize("step", [1, 5, 37, 100])
def test_the_strips_make_up_the_picture(mode, step):
    picture = modes()[mode]
    assert np.array_equal(in_strips(encode(picture), step), np.asarray(picture))


@settings(max_examples=25, deadline=None)
@given(st.integers(1, 40), st.integers(1, 40), st.integers(1, 41), st.integers(0, 99))
def test_the_strips_make_up_any_picture(height, width, step, seed):
    image = scene(height, width, seed)
    assert np.array_equal(in_strips(encode(image), step), image)


@pytest.mark.parametrize("mode", ["RGB", "RGBA", "L", "LA", "P"])
def test_large_pictures_are_the_same_in_strips_and_at_once(tmp_path, monkeypatch, mode):
    path = tmp_path / "a.png"
    path.write_bytes(encode(modes()[mode].resize((290, 370))))
    at_once = decode_image(path, shortest=32)
    monkeypatch.setattr(decode, "_STRIPS_FROM", 10)
    monkeypatch.setattr("conceptforest.features.shrink._STRIP_PIXELS", 1000)
    assert np.array_equal(decode_image(path, shortest=32), at_once)


def test_a_clear_colour_and_exif_are_heeded_in_strips(tmp_path, monkeypatch):
    monkeypatch.setattr(decode, "_STRIPS_FROM", 10)
    path = tmp_path / "a.png"
    exif = Image.Exif()
    exif[0x0112] = 6
    image = Image.new("RGB", (60, 40), (9, 8, 7))
    path.write_bytes(encode(image, exif=exif.tobytes(), transparency=(9, 8, 7)))
    seen = decode_image(path, shortest=20)
    assert seen.shape == (30, 20, 3)
    assert (seen == 255).all()


@pytest.mark.parametrize("picture", ["interlaced", "16 bits", "1 bit"])
def test_other_kinds_of_png_are_left_to_pillow(picture):
    data = {
        "interlaced": pictures.png_bomb(8, 8, interlaced=1),
        "16 bits": encode(Image.fromarray(np.zeros((8, 8), np.uint16))),
        "1 bit": encode(Image.new("1", (8, 8))),
    }[picture]
    assert open_big_png(io.BytesIO(data)) is None


@pytest.mark.parametrize("share", [0.05, 0.3, 0.7, 0.95])
def test_files_cut_short_are_unreadable(share):
    data = encode(scene(200, 200))
    with pytest.raises(UnreadableError):
        in_strips(data[: int(len(data) * share)], 10)


def test_rows_that_end_too_early_are_unreadable():
    data = pictures.png_bomb(100, 50).replace(
        pictures.png_parts(100, 50), pictures.png_parts(100, 51)
    )
    with pytest.raises(UnreadableError, match="too early"):
        in_strips(data, 10)


def test_a_wrong_checksum_is_noticed():
    data = bytearray(encode(scene(20, 20)))
    place = data.rindex(b"IEND") - 8
    data[place] ^= 1
    with pytest.raises(UnreadableError, match="checksum"):
        in_strips(bytes(data), 4)
