import numpy as np
from hypothesis import given, settings
from hypothesis.extra.numpy import arrays
from tests.oracle import classic as oracle

from conceptforest.features.colour import cell_moments, colour_histogram, colour_summary, to_lab

PICTURES = arrays(np.uint8, (8, 8, 3))


@settings(max_examples=25, deadline=None)
@given(PICTURES)
def test_lab_is_that_of_the_standard(image):
    wanted = [[oracle.lab(*map(int, pixel)) for pixel in row] for row in image]
    assert np.allclose(to_lab(image), np.moveaxis(np.array(wanted), 2, 0), atol=2e-3)


@settings(max_examples=15, deadline=None)
@given(PICTURES)
def test_the_colour_histogram_is_that_of_its_definition(image):
    lab = to_lab(image)
    wanted = oracle.colour_histogram(lab.reshape(3, -1).T.astype(float).tolist())
    assert np.allclose(colour_histogram(lab) ** 2, np.square(wanted), atol=1e-5)


def test_cell_moments_are_means_and_spreads_of_cells(rng):
    lab = rng.normal(size=(3, 8, 8)).astype(np.float32) * 20
    found = cell_moments(lab, 2).reshape(3, 2, 2, 2)
    cell = lab[1, :4, 4:].astype(float)
    assert np.isclose(found[1, 0, 0, 1], cell.mean() / 40)
    assert np.isclose(found[1, 1, 0, 1], cell.std() / 40)


def test_the_summary_of_a_white_page_with_a_black_half():
    image = np.full((8, 8, 3), 255, np.uint8)
    image[:4] = 0
    found = colour_summary(image, to_lab(image))
    wanted = [0.5, 1 / 9, 2 / 30, 0.5, 1.0, 0.0, 1.0, 0.5, 0.5]
    assert np.allclose(found, wanted, atol=1e-4)
