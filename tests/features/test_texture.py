import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.oracle import classic as oracle

from conceptforest.features.texture import gradient_histograms, texture_histograms

# Levels so far apart that rounding cannot tell lighter from not lighter.
LIGHTS = arrays(np.int64, (8, 8), elements=st.integers(0, 40)).map(
    lambda steps: (steps / 44.0).astype(np.float32)
)


@settings(max_examples=25, deadline=None)
@given(LIGHTS, st.sampled_from([1, 2, 4]))
def test_the_gradient_histograms_are_those_of_their_definition(light, n_cells):
    found, summary = gradient_histograms(light, n_cells)
    wanted = oracle.gradient_histograms(light.astype(float).tolist(), n_cells)
    assert np.allclose(found**2, np.square(wanted), atol=1e-4)
    assert ((summary >= 0) & (summary <= 2)).all()


@settings(max_examples=25, deadline=None)
@given(LIGHTS, st.sampled_from([1, 3]))
def test_the_texture_histograms_are_those_of_their_definition(light, radius):
    wanted = oracle.texture_histograms(light.tolist(), radius)
    assert np.allclose(texture_histograms(light, radius), wanted)


def test_an_upright_edge_has_one_direction():
    light = np.zeros((16, 16), np.float32)
    light[:, 8:] = 1.0
    directions, (clear, flat) = gradient_histograms(light, 1)
    assert directions.argmax() == 0
    assert np.count_nonzero(directions) == 1
    assert clear == 2 * 2 / 16
    assert flat == 14 / 16


def test_a_plain_picture_has_no_directions_and_one_pattern():
    light = np.full((16, 16), 0.5, np.float32)
    assert not gradient_histograms(light, 2)[0].any()
    assert texture_histograms(light, 1)[:10].tolist() == [1.0] + [0.0] * 9
