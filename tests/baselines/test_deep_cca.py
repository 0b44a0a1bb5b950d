"""Networks that correlate: the loss and its gradient, linear nets, state that is left as found."""

import builtins
import time

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from scipy.linalg import subspace_angles
from tests.ctrl_c import PATIENCE, CtrlC
from tests.oracle import subspaces as oracle

from conceptforest.baselines import deep_cca
from conceptforest.baselines.deep_cca import (
    DeepSettings,
    correlate,
    held_out_correlation,
    import_torch,
    train_networks,
)


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(2, 40),
    widths=st.tuples(st.integers(1, 6), st.integers(1, 6)),
    regularisation=st.sampled_from([1e-3, 0.1]),
)
def test_total_is_the_sum_of_canonical_correlations(seed, n, widths, regularisation):
    rng = np.random.default_rng(seed)
    left, right = (rng.normal(size=(n, max(widths))) for _ in range(2))
    left[:, widths[0] :] = 0  # outputs that never change
    right[:, widths[1] :] = 1
    found = correlate(left, right, regularisation)
    expected = oracle.total_correlation(left, right, regularisation)
    assert found.total == pytest.approx(expected, rel=1e-6, abs=1e-6)


def test_total_without_regularisation_is_that_of_the_angles_between_outputs(rng):
    left, right = rng.normal(size=(2, 80, 5))
    left[:, 0] += 2 * right[:, 1]
    angles = subspace_angles(oracle.dense(left), oracle.dense(right))
    assert correlate(left, right, 1e-12).total == pytest.approx(np.cos(angles).sum())


@settings(max_examples=20, deadline=None)
@given(
    seed=st.integers(0, 2**32 - 1),
    n=st.integers(4, 9),
    n_outputs=st.integers(1, 3),
    regularisation=st.sampled_from([1e-3, 0.1]),
)
def test_gradients_are_finite_differences(seed, n, n_outputs, regularisation):
    rng = np.random.default_rng(seed)
    outputs = list(rng.normal(size=(2, n, n_outputs)))
    gradients = correlate(*outputs, regularisation).gradients
    step = 1e-5
    for side, gradient in enumerate(gradients):
        for place in np.ndindex(gradient.shape):
            totals = []
            for sign in (1, -1):
                moved = [outputs[0].copy(), outputs[1].copy()]
                moved[side][place] += sign * step
                totals.append(correlate(*moved, regularisation).total)
            slope = (totals[0] - totals[1]) / (2 * step)
            assert gradient[place] == pytest.approx(slope, rel=1e-3, abs=1e-4)


@pytest.mark.parametrize("value", [0.0, 5.0])
def test_gradients_of_outputs_that_never_change_are_0(value, rng):
    """Where derivatives of eigenvectors would divide by 0."""
    constant, other = np.full((20, 3), value), rng.normal(size=(20, 3))
    for outputs in ([constant, other], [other, constant], [constant, constant]):
        found = correlate(*outputs)
        assert found.total == 0
        for gradient in found.gradients:
            np.testing.assert_array_equal(gradient, 0)


def test_held_out_correlation_is_not_that_of_chance(rng):
    """In their own directions, outputs of few items correlate wholly."""
    seen, unseen = rng.normal(size=(2, 2000, 10)), rng.normal(size=(2, 20, 10))
    shared = [rng.normal(size=(2000, 1)), rng.normal(size=(20, 1))]
    seen[:, :, :1] += 100 * shared[0]
    unseen[:, :, :1] += 100 * shared[1]
    assert correlate(*unseen).total > 5
    assert held_out_correlation(seen, unseen) == pytest.approx(1, abs=1.5)
    assert held_out_correlation(seen, seen) == pytest.approx(correlate(*seen).total, rel=1e-2)


def gaussian_views(rng, n=450):
    """Two views of ten and eight numbers with three correlated directions."""
    factors = rng.normal(size=(n, 3))
    left = np.hstack([factors, rng.normal(size=(n, 7))]) @ rng.normal(size=(10, 10))
    noisy = factors + rng.normal(size=(n, 3)) * [0.3, 0.7, 1.5]
    right = np.hstack([noisy, rng.normal(size=(n, 5))]) @ rng.normal(size=(8, 8))
    return left, right


def train(views, n_outputs=3, hidden=(), n_epochs=60, seed=0, n_threads=1, **params):
    made = DeepSettings(n_outputs, hidden, n_epochs, **params)
    return train_networks(torch, views, made, seed=seed, n_threads=n_threads)


def test_linear_networks_find_what_linear_correlations_are(rng):
    left, right = gaussian_views(rng)
    expected = np.cos(subspace_angles(oracle.dense(left), oracle.dense(right)))
    expected = np.sort(expected)[::-1][:3]
    outputs = train([left, right], n_epochs=1200)  # of one batch each
    found = np.linalg.svd(whitened(outputs[0]).T @ whitened(outputs[1]))[1]
    np.testing.assert_allclose(found, expected, atol=0.01)


def whitened(rows):
    return np.linalg.qr(oracle.dense(rows))[0]


def test_networks_correlate_what_no_linear_map_does(rng):
    left, right = rng.normal(size=(2, 400, 2))
    right[:, 0] = np.abs(left[:, 0]) + 0.05 * right[:, 0]
    flat, deep = (
        correlate(*train([left, right], n_outputs=1, hidden=hidden, n_epochs=150)).total
        for hidden in ((), (32, 32))
    )
    assert flat < 0.3
    assert deep > 0.8


def test_units_do_not_matter(rng):
    left, right = gaussian_views(rng, 100)
    base = train([left, right], hidden=(8,), n_epochs=5)
    scaled = train([left * 2.0**100, right * 2.0**-100], hidden=(8,), n_epochs=5)
    for one, other in zip(base, scaled, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("n", [2, 3, 60])
@pytest.mark.parametrize("reconstruction", [None, 0.01])
@pytest.mark.parametrize("kind", ["constant", "one column", "wide"])
def test_odd_collections(n, reconstruction, kind, rng):
    left = rng.normal(size=(n, 300 if kind == "wide" else 4)).astype(np.float32)
    if kind == "constant":
        left[:] = 0.1
    right = sparse.csr_array(np.eye(n, 1 if kind == "one column" else 5, dtype=np.uint8))
    outputs = train([left, right], 7, (6, 5), 4, reconstruction=reconstruction)
    for output in outputs:
        assert output.shape == (n, 7)
        assert output.dtype == np.float64
        assert np.isfinite(output).all()


def test_training_ends_when_items_held_out_correlate_no_better(rng, monkeypatch):
    monkeypatch.setattr(deep_cca, "_PATIENCE", 3)
    totals = iter([1.0, 3.0, 2.0, 2.9, 2.5, 9.0])
    states = []

    def judged(*_):
        return next(totals)

    def watch(self, rows):
        forward(self, rows)
        states.append(self._encoders[0][-1].weight.detach().clone())

    forward = deep_cca._Training._step
    monkeypatch.setattr(deep_cca, "held_out_correlation", judged)
    monkeypatch.setattr(deep_cca._Training, "_step", watch)
    trained = []
    monkeypatch.setattr(
        deep_cca._Training,
        "_forward",
        lambda self, _: trained.append(self._encoders[0][-1].weight.detach().clone()),
    )
    train(gaussian_views(rng, 600), n_epochs=50)
    assert len(states) == 5  # epochs of one batch: 3 after the best one
    assert torch.equal(trained[-1], states[1])  # whose networks give the outputs


@pytest.mark.parametrize(("n", "n_outputs", "sizes"), [(499, 3, {499}), (3000, 60, {1350})])
def test_batches_are_large_and_leave_out_items_held_out(n, n_outputs, sizes, rng, monkeypatch):
    seen = []
    monkeypatch.setattr(deep_cca._Training, "_step", lambda _, rows: seen.append(rows))
    train(gaussian_views(rng, n), n_outputs, n_epochs=2)
    assert {len(rows) for rows in seen} == sizes
    shown = np.unique(np.concatenate(seen))
    assert len(shown) == (n if n < 500 else n - n // 10)


def test_same_seed_same_outputs(rng):
    views = gaussian_views(rng, 200)
    one, two, other = (
        train(views, hidden=(16,), n_epochs=3, seed=seed, reconstruction=0.1) for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one[0], two[0])
    assert np.abs(one[0] - other[0]).max() > 1e-3


def test_without_weight_decoders_change_nothing(rng):
    views = gaussian_views(rng, 600)
    plain, mirrored, weighted = (
        train(views, hidden=(16,), n_epochs=4, reconstruction=weight) for weight in (None, 0.0, 1.0)
    )
    for one, other, third in zip(plain, mirrored, weighted, strict=True):
        np.testing.assert_array_equal(one, other)
        assert np.abs(one - third).max() > 1e-3


def test_decoders_learn_to_give_back_the_inputs(rng, monkeypatch):
    """By the squared error of inputs whose mean squared length is 1."""
    factors = rng.normal(size=(400, 2))
    views = [factors @ rng.normal(size=(2, width)) for width in (6, 5)]
    errors = []
    outputs = deep_cca._Training.outputs

    def watch(self):
        found = outputs(self)
        for net, view, H in zip(self._decoders, self._inputs, found, strict=True):
            given_back = net(torch.from_numpy(H.astype(np.float32))).detach().numpy()
            unit = view.take(slice(None)) / view.width**0.5
            errors.append(((given_back / view.width**0.5 - unit) ** 2).sum(axis=1).mean())
        return found

    monkeypatch.setattr(deep_cca._Training, "outputs", watch)
    train(views, 2, (), 400, reconstruction=1.0)
    assert max(errors) < 0.2  # a constant answer has 1


def test_state_of_torch_is_left_as_found(rng):
    views = gaussian_views(rng, 1200)
    torch.manual_seed(3)
    state, threads = torch.get_rng_state(), torch.get_num_threads()
    grad = torch.is_grad_enabled()
    inside = []
    step = deep_cca._Training._step

    def watch(self, rows):
        inside.append(torch.get_num_threads())
        step(self, rows)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(deep_cca._Training, "_step", watch)
        for n_threads in (1, threads + 1):
            train(views, n_epochs=1, n_threads=n_threads)
        assert set(inside) == {1, threads + 1}
        patch.setattr(deep_cca, "correlate", None)  # now a step fails
        with pytest.raises(TypeError):
            train(views, n_epochs=1, n_threads=threads + 1)
    assert torch.equal(torch.get_rng_state(), state)
    assert torch.get_num_threads() == threads
    assert torch.is_grad_enabled() == grad


def test_ctrl_c_stops_between_batches(rng):
    threads = torch.get_num_threads()
    with CtrlC(0.5) as ctrl_c, pytest.raises(KeyboardInterrupt):
        train(gaussian_views(rng), hidden=(64,), n_epochs=10**6)
    assert time.monotonic() - ctrl_c.sent < PATIENCE
    assert torch.get_num_threads() == threads


def test_missing_torch_is_explained(monkeypatch):
    original = builtins.__import__

    def missing(name, *args, **kwargs):
        if name == "torch":
            raise ImportError(name)
        return original(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", missing)
    with pytest.raises(ImportError, match=r'DCCA .*PyTorch.*pip install "conceptforest\[deep\]"'):
        import_torch("DCCA")
