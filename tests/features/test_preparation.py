"""Cropping, resizing and normalising a picture."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptforest.features.preparation import Preparation, centre_crop


def test_the_middle_is_kept_and_the_borders_are_not():
    image = np.zeros((100, 200, 3), np.uint8)
    image[25:75, 75:125] = 255
    small = centre_crop(image, 10, 10, share=0.4)
    assert (small > 240).all()
    assert (centre_crop(image, 10, 10, share=1.0)[:2] == 0).all()


def test_a_wide_input_takes_a_wide_middle():
    image = np.zeros((100, 100, 3), np.uint8)
    image[:, :50] = (200, 0, 0)
    small = centre_crop(image, 4, 8, share=1.0)
    assert small.shape == (4, 8, 3)
    assert (small[:, :3, 0] > 190).all()
    assert (small[:, 5:, 0] < 10).all()


@settings(deadline=None, max_examples=60)
@given(
    rows=st.integers(1, 300),
    columns=st.integers(1, 300),
    height=st.integers(1, 64),
    width=st.integers(1, 64),
    share=st.floats(0.01, 1.0),
)
def test_a_picture_of_one_colour_stays_so_in_any_size(rows, columns, height, width, share):
    image = np.full((rows, columns, 3), (10, 100, 250), np.uint8)
    small = centre_crop(image, height, width, share)
    assert small.shape == (height, width, 3)
    assert (small == (10, 100, 250)).all()


@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
@pytest.mark.parametrize("channels", ["RGB", "BGR"])
def test_pixels_are_normalised_by_the_formula(layout, channels):
    image = np.full((20, 20, 3), (10, 20, 30), np.uint8)
    mean, std = (0.1, 0.2, 0.3), (0.5, 0.25, 0.2)
    prepare = Preparation(4, 4, mean=mean, std=std, layout=layout, channels=channels)
    result = prepare(image)
    colours = np.array([10, 20, 30] if channels == "RGB" else [30, 20, 10])
    wanted = ((colours / 255 - mean) / std).astype(np.float32)
    assert result.shape == prepare.shape
    assert result.dtype == np.float32
    found = result[:, 0, 0] if layout == "NCHW" else result[0, 0]
    np.testing.assert_allclose(found, wanted, rtol=1e-6)


def test_the_shorter_side_is_such_that_nothing_is_enlarged():
    assert Preparation(224, 224, crop=0.875).shortest == 256
    assert Preparation(224, 224, crop=1).shortest == 224
    assert Preparation(100, 200, crop=0.9).shortest == 223


def test_every_setting_changes_the_description():
    base = Preparation(8, 8)
    others = [
        Preparation(9, 8),
        Preparation(8, 9),
        Preparation(8, 8, crop=1.0),
        Preparation(8, 8, mean=0.5),
        Preparation(8, 8, std=0.5),
        Preparation(8, 8, scale=1),
        Preparation(8, 8, channels="BGR"),
        Preparation(8, 8, layout="NHWC"),
        Preparation(8, 8, dtype="float16"),
        Preparation(8, 8, interpolation="bilinear"),
    ]
    lines = [preparation.describe() for preparation in (base, *others)]
    assert len(set(lines)) == len(lines)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"height": 0}, "size must be from 1"),
        ({"width": 10**6}, "size must be from 1"),
        ({"crop": 0}, "crop must be"),
        ({"crop": 1.5}, "crop must be"),
        ({"crop": float("nan")}, "crop must be"),
        ({"mean": (1, 2)}, "mean must be a number or three"),
        ({"mean": "0.5"}, "mean must be a number or three"),
        ({"std": (1, 0, 1)}, "other than 0"),
        ({"scale": 0}, "other than 0"),
        ({"channels": "GRB"}, "channels must be one of"),
        ({"layout": "CHWN"}, "layout must be one of"),
        ({"interpolation": "magic"}, "interpolation must be one of"),
    ],
)
def test_wrong_settings_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        Preparation(**({"height": 8, "width": 8} | settings))


@pytest.mark.parametrize(
    "image", [np.zeros((4, 4), np.uint8), np.zeros((4, 4, 3)), np.zeros((0, 4, 3), np.uint8)]
)
def test_what_is_no_rgb_picture_is_refused(image):
    with pytest.raises(ValueError, match="must be uint8 of shape"):
        Preparation(8, 8)(image)
