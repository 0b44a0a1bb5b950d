import numpy as np
import pytest
from PIL import Image
from tests.features.pictures import scene

from conceptforest.features.classic import ClassicDescriptor


def describe(image):
    return ClassicDescriptor().prepare(image)


def far(a, b):
    return float(np.linalg.norm(describe(a) - describe(b)))


def resized(image, width, height):
    return np.asarray(Image.fromarray(image).resize((width, height), Image.Resampling.BICUBIC))


@pytest.mark.parametrize("shade", [0, 1, 128, 255])
@pytest.mark.parametrize("shape", [(1, 1, 3), (128, 128, 3), (1000, 3, 3)])
def test_a_plain_picture_has_a_finite_vector(shade, shape):
    vector = describe(np.full(shape, shade, np.uint8))
    assert vector.shape == (ClassicDescriptor.n_features,)
    assert vector.dtype == np.float32
    assert np.isfinite(vector).all()


def test_noise_has_a_finite_vector(rng):
    assert np.isfinite(describe(rng.integers(256, size=(90, 70, 3), dtype=np.uint8))).all()


def test_the_same_picture_gives_the_same_bits():
    image = scene(150, 200)
    assert describe(image).tobytes() == describe(image.copy()).tobytes()


def test_twice_the_resolution_is_near():
    image, other = scene(200, 260), scene(200, 260, seed=5)
    assert far(image, resized(image, 520, 400)) < 0.5 * far(image, other)


def test_the_mirrored_picture_is_nearer_than_another_one():
    image, other = scene(200, 260), scene(200, 260, seed=5)[:, :, ::-1]
    assert far(image, image[:, ::-1].copy()) < far(image, other.copy())


def test_grey_is_far_from_colour():
    image = scene(200, 260)
    grey = np.repeat(image.mean(axis=2, keepdims=True), 3, axis=2).astype(np.uint8)
    assert far(image, grey) > 3 * far(image, resized(image, 520, 400))


def test_the_shape_of_the_picture_matters():
    image = scene(128, 128)
    assert far(image, resized(image, 400, 128)) > far(image, resized(image, 140, 128))


def test_the_batch_is_given_back_as_float32():
    descriptor = ClassicDescriptor()
    batch = np.arange(6.0).reshape(2, 3)
    assert descriptor.run(batch).dtype == np.float32
    assert np.array_equal(descriptor.run(batch), batch)


def test_the_input_is_not_changed():
    image = scene(128, 128)
    before = image.copy()
    describe(image)
    assert np.array_equal(image, before)
