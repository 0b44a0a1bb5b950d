import errno
import os
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from tests.features import pictures
from tests.features.pictures import FORMATS, encode, scene
from tests.memory import peak_growth

from conceptforest.features import decode
from conceptforest.features.decode import UnreadableError, decode_image


def saved(folder, data, name="picture"):
    path = folder / name
    path.write_bytes(data)
    return path


def decoded(folder, data, shortest=1000, **options):
    return decode_image(saved(folder, data), shortest=shortest, **options)


def reason(folder, data, **options):
    with pytest.raises(UnreadableError) as caught:
        decoded(folder, data, **options)
    return str(caught.value)


def far(a, b):
    assert a.shape == b.shape
    return np.abs(a.astype(float) - b).mean()


# --- Ordinary pictures ---------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["PNG", "BMP", "TIFF"])
def test_lossless_formats_come_back_as_they_were(tmp_path, kind):
    image = scene()
    assert np.array_equal(decoded(tmp_path, encode(image, kind)), image)


@pytest.mark.parametrize("kind", ["JPEG", "WEBP", "GIF"])
def test_lossy_formats_come_back_nearly(tmp_path, kind):
    image = scene()
    assert far(decoded(tmp_path, encode(image, kind)), image) < 12


@pytest.mark.parametrize("kind", FORMATS)
@pytest.mark.parametrize("name", ["a.jpg", "a.png", "a.eps", "a"])
def test_the_content_decides_and_not_the_name(tmp_path, kind, name):
    path = saved(tmp_path, encode(scene(), kind), name)
    assert decode_image(path, shortest=1000).shape == (48, 64, 3)


@pytest.mark.parametrize("kind", FORMATS)
def test_the_shorter_side_gets_the_wanted_length(tmp_path, kind):
    image = scene(300, 500)
    small = decoded(tmp_path, encode(image, kind), shortest=60)
    assert small.shape == (60, 100, 3)
    wanted = np.asarray(Image.fromarray(image).resize((100, 60), Image.Resampling.LANCZOS))
    assert far(small, wanted) < 12


def test_an_elongated_picture_keeps_eight_times_the_shortest_side(tmp_path):
    assert decoded(tmp_path, encode(scene(20, 3000)), shortest=50).shape == (3, 400, 3)


def test_a_picture_of_one_pixel_is_one(tmp_path):
    assert decoded(tmp_path, encode(Image.new("RGB", (1, 1), (1, 2, 3)))).tolist() == [[[1, 2, 3]]]


def test_a_large_jpeg_is_decoded_in_reduced_size(tmp_path):
    seen = []

    @contextmanager
    def gate(n_bytes):
        seen.append(n_bytes)
        yield

    image = scene(900, 1200)
    small = decoded(tmp_path, encode(image, "JPEG"), shortest=112, gate=gate)
    assert len(seen) == 1
    assert 113 * 150 * 3 <= seen[0] < 900 * 1200
    wanted = np.asarray(Image.fromarray(image).resize(small.shape[1::-1], Image.Resampling.LANCZOS))
    assert far(small, wanted) < 6


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP", "TIFF"])
def test_pictures_are_turned_as_exif_tells(tmp_path, orientation, kind):
    upright = scene(40, 60)
    stored = {
        1: upright,
        2: upright[:, ::-1],
        3: upright[::-1, ::-1],
        4: upright[::-1],
        5: upright.swapaxes(0, 1),
        6: np.rot90(upright),
        7: np.rot90(upright, 2).swapaxes(0, 1),
        8: np.rot90(upright, -1),
    }[orientation]
    data = pictures.with_orientation(np.ascontiguousarray(stored), orientation, kind)
    assert far(decoded(tmp_path, data), upright) < 12
    assert decoded(tmp_path, data, shortest=20).shape == (20, 30, 3)


@pytest.mark.parametrize("orientation", [0, 9, 65535])
def test_an_orientation_that_does_not_exist_is_ignored(tmp_path, orientation):
    data = pictures.with_orientation(scene(), orientation)
    assert decoded(tmp_path, data).shape == (48, 64, 3)


def test_damaged_exif_costs_no_picture(tmp_path):
    data = encode(scene(), "JPEG", exif=b"Exif\0\0II*\0\xff\xff\xff\xffrubbish")
    assert decoded(tmp_path, data).shape == (48, 64, 3)


# --- Modes ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["PNG", "WEBP", "TIFF"])
def test_what_is_transparent_is_white(tmp_path, kind):
    image = Image.new("RGBA", (8, 8), (255, 0, 0, 0))
    image.paste((0, 0, 255, 255), (0, 0, 4, 8))
    seen = decoded(tmp_path, encode(image, kind, **({"lossless": True} if kind == "WEBP" else {})))
    assert seen[0, 0].tolist() == [0, 0, 255]
    assert seen[0, 7].tolist() == [255, 255, 255]


def test_colours_of_clear_pixels_do_not_bleed_when_a_picture_is_reduced(tmp_path):
    image = Image.new("RGBA", (400, 400), (255, 0, 0, 0))  # clear red
    image.paste((0, 0, 0, 255), (0, 0, 200, 400))
    seen = decoded(tmp_path, encode(image), shortest=50).astype(int)
    assert np.abs(seen[..., 0] - seen[..., 1]).max() == 0


def test_half_clear_black_is_grey(tmp_path):
    seen = decoded(tmp_path, encode(Image.new("LA", (4, 4), (0, 128))))
    assert abs(int(seen[0, 0, 0]) - 127) <= 1


@pytest.mark.parametrize(
    ("mode", "colour", "clear"), [("P", 1, 1), ("RGB", (9, 8, 7), (9, 8, 7)), ("L", 77, 77)]
)
def test_a_single_clear_colour_is_white(tmp_path, mode, colour, clear):
    image = Image.new(mode, (4, 4), colour)
    if mode == "P":
        image.putpalette([0, 0, 0, 200, 0, 0])
    seen = decoded(tmp_path, encode(image, transparency=clear))
    assert (seen == 255).all()


def test_a_palette_gives_its_colours(tmp_path):
    image = Image.new("P", (4, 4), 1)
    image.putpalette([0, 0, 0, 200, 10, 20])
    assert decoded(tmp_path, encode(image))[0, 0].tolist() == [200, 10, 20]


@pytest.mark.parametrize("kind", ["PNG", "TIFF"])
def test_sixteen_bit_grey_keeps_its_shades(tmp_path, kind):
    ramp = np.linspace(0, 65535, 256).astype(np.uint16)
    seen = decoded(tmp_path, encode(Image.fromarray(np.tile(ramp, (4, 1))), kind))
    assert np.abs(seen[0, :, 0].astype(int) - np.arange(256)).max() <= 1


@pytest.mark.parametrize("top", [1.0, 255.0, 65535.0, 1e6])
def test_fractions_are_brought_to_shades(tmp_path, top):
    ramp = np.tile(np.linspace(0, top, 256).astype(np.float32), (4, 1))
    seen = decoded(tmp_path, encode(Image.fromarray(ramp), "TIFF"))
    assert np.abs(seen[0, :, 0].astype(int) - np.arange(256)).max() <= 1


def test_long_integers_with_negative_ones_are_stretched(tmp_path):
    ramp = np.tile(np.linspace(-9000, 9000, 256).astype(np.int32), (4, 1))
    seen = decoded(tmp_path, encode(Image.fromarray(ramp), "TIFF"))
    assert seen[0, 0, 0] == 0
    assert seen[0, -1, 0] == 255


def test_values_that_are_no_numbers_are_black_and_no_numbers_at_all_are_refused(tmp_path):
    values = np.array([[0.5, np.nan], [1.0, np.inf]], np.float32)
    seen = decoded(tmp_path, encode(Image.fromarray(values), "TIFF"))
    assert seen[:, :, 0].tolist() == [[128, 0], [255, 255]]
    nothing = np.full((2, 2), np.nan, np.float32)
    assert "finite" in reason(tmp_path, encode(Image.fromarray(nothing), "TIFF"))


def test_cmyk_becomes_rgb(tmp_path):
    seen = decoded(tmp_path, encode(Image.new("CMYK", (8, 8), (0, 255, 255, 0)), "JPEG"))
    red, green, blue = seen[4, 4].astype(int)
    assert red > 230
    assert max(green, blue) < 25


def test_black_and_white_is_black_and_white(tmp_path):
    image = Image.new("1", (8, 8), 1)
    image.putpixel((0, 0), 0)
    seen = decoded(tmp_path, encode(image))
    assert seen[0, 0].tolist() == [0, 0, 0]
    assert seen[5, 5].tolist() == [255, 255, 255]


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "TIFF", "PNG"])
def test_of_an_animation_the_first_frame_is_taken(tmp_path, kind):
    frames = [Image.new("RGB", (16, 16), colour) for colour in ("red", "blue")]
    data = encode(frames[0], kind, save_all=True, append_images=frames[1:])
    red, _, blue = decoded(tmp_path, data)[8, 8]
    assert red > 200
    assert blue < 50


# --- Hostile files -------------------------------------------------------------------------------


def test_an_empty_file_is_unreadable(tmp_path):
    assert reason(tmp_path, b"") == "it is empty"


@pytest.mark.parametrize("data", [b"hello, world", b"%!PS-Adobe-3.0 EPSF-3.0\n", b"<svg/>"])
def test_what_is_no_picture_is_unreadable(tmp_path, data):
    assert reason(tmp_path, data) == "it is not a JPEG, PNG, WebP, TIFF, GIF or BMP file"


def test_folders_pipes_and_missing_files_are_unreadable_but_not_for_good(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe", tmp_path / "missing.png"):
        with pytest.raises(UnreadableError) as caught:
            decode_image(path, shortest=10)
        assert not caught.value.lasting


def test_a_file_that_may_not_be_read_is_unreadable_but_not_for_good(tmp_path, monkeypatch):
    path = saved(tmp_path, encode(scene()))

    def refuse(*_):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    monkeypatch.setattr(decode, "open_regular", refuse)
    with pytest.raises(UnreadableError, match="it cannot be read: Permission denied") as caught:
        decode_image(path, shortest=10)
    assert not caught.value.lasting


def test_a_lack_of_memory_is_not_for_good(tmp_path, monkeypatch):
    def fail(*_, **__):
        raise MemoryError

    monkeypatch.setattr(decode, "shrink", fail)
    with pytest.raises(UnreadableError, match="memory") as caught:
        decoded(tmp_path, encode(scene()))
    assert not caught.value.lasting


@pytest.mark.parametrize("kind", FORMATS)
def test_a_file_cut_short_is_unreadable(tmp_path, kind):
    data = encode(scene(), kind)
    for share in (0.1, 0.5, 0.9):
        text = reason(tmp_path, data[: int(len(data) * share)])
        assert len(text) < 110
        assert "\n" not in text


def test_files_that_claim_to_be_huge_are_refused_before_they_are_decoded(tmp_path):
    bombs = {
        "gif": pictures.gif_bomb(),
        "tiff": pictures.tiff_bomb(),
        "bmp": pictures.bmp_bomb(),
        "progressive jpeg": pictures.jpeg_bomb(progressive=True),
        "jpeg": pictures.jpeg_bomb(progressive=False),
        "interlaced png": pictures.png_bomb(20_000, 10_000, colour=0, interlaced=1),
        "png": pictures.png_parts(60_000, 60_000) + pictures.chunk(b"IDAT", b""),
    }
    paths = [str(saved(tmp_path, data, name)) for name, data in bombs.items()]
    before = "from conceptforest.features.decode import UnreadableError, decode_image"
    work = f"""
    for path in {paths!r}:
        try:
            decode_image(path, shortest=128)
        except UnreadableError as error:
            assert "pixels, more than" in str(error), (path, error)
        else:
            raise AssertionError(path + " was decoded")
    """
    assert peak_growth(before, work) < 40e6


def test_bombs_that_can_be_decoded_take_little_memory(tmp_path):
    huge = saved(tmp_path, pictures.png_bomb(10_000, 20_000, colour=0), "huge")
    text = saved(tmp_path, pictures.png_text_bomb(), "text")
    profile = saved(tmp_path, pictures.png_profile_bomb(), "profile")
    assert max(path.stat().st_size for path in (huge, text, profile)) < 300_000
    before = "from conceptforest.features.decode import UnreadableError, decode_image"
    work = f"""
    for path in {[str(text), str(profile)]!r}:
        try:
            decode_image(path, shortest=128)
        except UnreadableError:
            pass
    assert decode_image({str(huge)!r}, shortest=64).shape == (128, 64, 3)
    """
    assert peak_growth(before, work) < 60e6


def test_the_reason_tells_how_many_pixels_there_are(tmp_path):
    text = reason(tmp_path, pictures.bmp_bomb(20_990, 29_700))
    assert text == "it has 623,403,000 pixels, more than 100,000,000"


@pytest.mark.parametrize("size", [(2**16 + 1, 1), (1, 2**31 - 1), (0, 5)])
def test_sides_beyond_reason_are_refused(tmp_path, size):
    assert reason(tmp_path, pictures.png_parts(*size) + pictures.chunk(b"IDAT", b"x"))


def test_a_jpeg_with_endless_scans_is_refused(tmp_path):
    text = reason(tmp_path, pictures.jpeg_with_many_scans(30_000))
    assert "times" in text


def test_a_jpeg_in_several_scans_counts_by_its_full_size(tmp_path):
    image = scene(400, 400)
    once, often = (encode(image, "JPEG", progressive=flag) for flag in (False, True))
    assert decoded(tmp_path, once, shortest=50, max_pixels=10_000).shape == (50, 50, 3)
    assert "160,000 pixels" in reason(tmp_path, often, shortest=50, max_pixels=10_000)


def test_a_file_of_too_many_bytes_is_refused(tmp_path):
    path = saved(tmp_path, encode(scene(), "BMP"))
    os.truncate(path, decode.MAX_BYTES + 1)
    with pytest.raises(UnreadableError, match="bytes, more than"):
        decode_image(path, shortest=10)


def test_pillow_does_not_warn_where_its_own_limit_is_lower(tmp_path, monkeypatch):
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 60_000)
    monkeypatch.setattr("conceptforest.features.shrink._STRIP_PIXELS", 10_000)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for kind in FORMATS:
            data = encode(scene(300, 300), kind)
            assert decoded(tmp_path, data, shortest=30).shape == (30, 30, 3)
    assert not caught


def test_warning_filters_are_as_before_after_many_threads(tmp_path):
    path = saved(tmp_path, encode(scene(200, 200), "JPEG"))
    before = warnings.filters[:]
    barrier = threading.Barrier(4)

    def work(_):
        barrier.wait()
        return [decode_image(path, shortest=50).tobytes() for _ in range(20)]

    with ThreadPoolExecutor(4) as pool:
        results = {data for part in pool.map(work, range(4)) for data in part}
    assert len(results) == 1
    assert warnings.filters[:] == before


VALID = {
    **{kind: encode(scene(12, 17), kind) for kind in FORMATS},
    "progressive": encode(scene(12, 17), "JPEG", progressive=True),
    "packed TIFF": encode(scene(12, 17), "TIFF", compression="tiff_lzw"),
    "palette": encode(Image.fromarray(scene(12, 17)).quantize(9), "PNG"),
    "Exif": pictures.with_orientation(scene(12, 17), 6),
}


@settings(max_examples=150, deadline=None)
@given(
    kind=st.sampled_from(sorted(VALID)),
    share=st.floats(0, 1),
    changes=st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.integers(0, 255)), max_size=6),
)
def test_damaged_files_give_a_picture_or_the_one_error(kind, share, changes, tmp_path_factory):
    data = bytearray(
        VALID[kind][: max(1, round(len(VALID[kind]) * share)) if share < 0.9 else None]
    )
    for place, value in changes:
        data[int(place * len(data))] = value
    path = tmp_path_factory.getbasetemp() / "damaged"
    path.write_bytes(data)
    try:
        image = decode_image(path, shortest=8, max_pixels=10**6)
    except UnreadableError as error:
        assert str(error).startswith("it ")  # noqa: PT017 - a picture is as good
    else:
        assert image.dtype == np.uint8
        assert image.ndim == 3
        assert image.shape[2] == 3
        assert 1 <= min(image.shape[:2]) <= 8
        assert max(image.shape[:2]) <= 64


@pytest.mark.parametrize("value", [0, -1])
def test_limits_of_nothing_are_refused(tmp_path, value):
    with pytest.raises(ValueError, match="shortest"):
        decoded(tmp_path, encode(scene()), shortest=value)
    with pytest.raises(ValueError, match="max_pixels"):
        decoded(tmp_path, encode(scene()), max_pixels=value)
