import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from tests.features.pictures import scene

from conceptforest.features.shrink import final_size, on_white, shrink, value_range
from conceptforest.features.unreadable import UnreadableError

SIDES = st.integers(1, 70_000)


def cut(picture, step):
    for top in range(0, picture.height, step):
        yield picture.crop((0, top, picture.width, min(top + step, picture.height)))


@given(SIDES, SIDES, st.integers(1, 500))
def test_sizes_keep_their_bounds_and_their_shape(width, height, shortest):
    size = final_size((width, height), shortest)
    assert 1 <= min(size) <= max(shortest, 1)
    assert max(size) <= 8 * shortest
    assert all(after <= before for after, before in zip(size, (width, height), strict=True))
    if min(width, height) >= shortest and max(width, height) <= 8 * min(width, height):
        assert min(size) == shortest


@settings(max_examples=20, deadline=None)
@given(st.integers(10, 90), st.integers(10, 90), st.integers(1, 9), st.integers(1, 4000))
def test_the_way_rows_are_cut_does_not_matter(height, width, shortest, pixels):
    picture = Image.fromarray(scene(height, width))
    target = final_size(picture.size, shortest)
    at_once = shrink(picture.size, target, lambda step: cut(picture, step))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("conceptforest.features.shrink._STRIP_PIXELS", pixels)
        assert np.array_equal(shrink(picture.size, target, lambda s: cut(picture, s)), at_once)


def test_a_plain_picture_stays_plain():
    picture = Image.new("RGB", (333, 217), (12, 200, 99))
    small = shrink(picture.size, final_size(picture.size, 20), lambda step: cut(picture, step))
    assert (small == (12, 200, 99)).all()


@pytest.mark.parametrize(
    "mode", ["1", "L", "LA", "P", "PA", "RGB", "RGBA", "CMYK", "YCbCr", "I;16"]
)
def test_every_mode_becomes_rgb(mode):
    assert on_white(Image.new(mode, (3, 2))).mode == "RGB"


@pytest.mark.parametrize(
    ("values", "limits"),
    [
        ([0.0, 0.5], (0.0, 1.0)),
        ([0.0, 2.0], (0.0, 255.0)),
        ([0.0, 300.0], (0.0, 65535.0)),
        ([-1.0, 2.0], (-1.0, 2.0)),
        ([0.0, 1e6], (0.0, 1e6)),
    ],
)
def test_the_range_of_fractions_is_guessed_from_them(values, limits):
    assert value_range(Image.fromarray(np.array([values], np.float32))) == limits


def test_values_that_are_all_the_same_and_odd_do_no_harm():
    picture = Image.fromarray(np.full((2, 2), -5.0, np.float32))
    assert np.asarray(on_white(picture, value_range(picture))).max() == 0


def test_no_finite_value_is_an_error():
    with pytest.raises(UnreadableError):
        value_range(Image.fromarray(np.full((2, 2), np.inf, np.float32)))
