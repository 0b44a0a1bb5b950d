"""The intersection map: its numbers, and how close its products come to intersections."""

import math
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptforest.features.intersection_map import intersection_map, map_weights

# The package has a function of the same name, which hides the module.
module = sys.modules["conceptforest.features.intersection_map"]


@pytest.fixture(scope="module")
def histograms():
    values = np.random.default_rng(0).gamma(0.3, size=(100, 1000))
    return values / values.sum(axis=1, keepdims=True)


@pytest.mark.parametrize(
    ("window", "frequency", "spectrum"),
    [("rectangular", 1.283, [0.449, 0.109]), ("uniform", 0.898, [0.637, 0.151])],
)
def test_weights_of_order_one_are_the_published_ones(window, frequency, spectrum):
    weights = map_weights(1, window)
    assert weights.frequency == pytest.approx(frequency, abs=5e-4)
    np.testing.assert_allclose(weights.spectrum, spectrum, atol=5e-4)
    assert weights.multiples.tolist() == [0, 1]


@pytest.mark.parametrize(
    ("order", "window", "error", "correlation"),
    [
        (1, "rectangular", 0.035, 0.984),
        (2, "rectangular", 0.023, 0.992),
        (3, "rectangular", 0.017, 0.996),
        (1, "uniform", 0.054, 0.985),
    ],
)
def test_products_come_as_close_to_intersections_as_they_should(
    histograms, order, window, error, correlation
):
    mapped = intersection_map(histograms, order, window)
    assert mapped.shape == (100, 1000 * (2 * order + 1))
    assert mapped.dtype == np.float32
    pairs = np.triu_indices(100, 1)
    exact = np.array(
        [np.minimum(histograms[a], histograms[b]).sum() for a, b in zip(*pairs, strict=True)]
    )
    close = (mapped @ mapped.T)[pairs]
    assert exact.mean() == pytest.approx(0.268, abs=0.01)
    assert np.abs(close - exact).mean() == pytest.approx(error, abs=0.002)
    assert np.corrcoef(close, exact)[0, 1] == pytest.approx(correlation, abs=0.003)


def test_products_of_a_histogram_with_itself_come_out_short(histograms):
    mapped = intersection_map(histograms)
    assert (mapped**2).sum(axis=1).mean() == pytest.approx(0.855, abs=0.003)


@settings(deadline=None, max_examples=50)
@given(
    values=st.lists(st.floats(-2, 2), min_size=1, max_size=5),
    order=st.integers(1, 4),
    window=st.sampled_from(["rectangular", "uniform"]),
)
def test_each_value_is_mapped_by_the_formula(values, order, window):
    weights = map_weights(order, window)
    step, spectrum = weights.frequency, weights.spectrum
    expected = []
    for value in values:
        x, sign = abs(value), math.copysign(1, value)
        if x < 2.0**-20:
            expected += [0.0] * (2 * order + 1)
            continue
        expected.append(sign * math.sqrt(x * step * spectrum[0]))
        for j, weight in zip(weights.multiples[1:], spectrum[1:], strict=True):
            length = sign * math.sqrt(2 * x * step * weight)
            expected += [
                length * math.cos(j * step * math.log(x)),
                length * math.sin(j * step * math.log(x)),
            ]
    np.testing.assert_allclose(intersection_map([values], order, window)[0], expected, atol=1e-6)


def test_a_frequency_without_weight_is_passed_over(monkeypatch):
    monkeypatch.setattr(
        module, "_smoothed_spectrum", lambda *_: np.array([0.5, 0.2, 0.0, 0.1, 0.0, 0.0, 0.05])
    )
    weights = map_weights(2)
    assert weights.multiples.tolist() == [0, 1, 3]
    assert weights.spectrum.tolist() == [0.5, 0.2, 0.1]


def test_empty_histograms_map_to_zeros():
    assert not intersection_map(np.zeros((2, 5))).any()
    assert intersection_map(np.zeros((0, 5))).shape == (0, 15)


def test_histograms_are_mapped_alike_in_blocks(histograms, monkeypatch):
    expected = intersection_map(histograms)
    monkeypatch.setattr(module, "_BLOCK", 7000)
    np.testing.assert_array_equal(intersection_map(histograms), expected)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (([[np.inf]],), ValueError, "not finite"),
        (([0.5, 0.5],), ValueError, r"float64 of shape \(2,\)"),
        (([[0.5]], 0), ValueError, "order must be at least 1; got 0"),
        (([[0.5]], 1.5), TypeError, "order must be a whole number"),
        (
            ([[0.5]], 1, "hann"),
            ValueError,
            "window must be one of rectangular, uniform; got 'hann'",
        ),
    ],
)
def test_wrong_arguments_are_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        intersection_map(*arguments)
