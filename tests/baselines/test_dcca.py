"""DCCA and DCCAE as clusterings: what linear correlations cannot see, and odd parameters."""

import subprocess
import sys

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score
from tests.memory import peak_growth
from tests.oracle import subspaces as oracle

from conceptforest.baselines import dcca
from conceptforest.baselines.cca import CCA
from conceptforest.baselines.dcca import DCCA
from conceptforest.baselines.dccae import DCCAE

both = pytest.mark.parametrize("cls", [DCCA, DCCAE])


@pytest.fixture
def rings(rng):
    """Two rings, and two pairs of tags that only together say which.

    No linear function of the one correlates with any of the other.
    """
    ring = np.arange(400) % 2
    angle = rng.uniform(0, 2 * np.pi, size=400)
    radius = np.where(ring, 1.0, 3.0) + rng.normal(scale=0.05, size=400)
    X = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    one = rng.integers(2, size=400)
    other = one ^ ring
    return X, np.column_stack([one, 1 - one, other, 1 - other]), ring


@both
def test_finds_what_linear_correlations_cannot_see(cls, rings):
    X, tags, ring = rings
    labels = CCA(2, random_state=0).fit(X, tags).labels_
    assert adjusted_rand_score(ring, labels) < 0.1
    method = cls(2, hidden=(64, 64), n_outputs=1, n_epochs=150, random_state=0)
    assert adjusted_rand_score(ring, method.fit(X, tags).labels_) > 0.95


@both
def test_finds_planted_groups_by_default(cls, rng):
    group = np.arange(120) % 4
    X = 3 * np.eye(4)[group] + rng.normal(size=(120, 4))
    chance = np.kron(np.eye(4), np.ones(3))[group] * 0.6 + 0.05
    tags = (rng.random((120, 12)) < chance).astype(int)
    assert adjusted_rand_score(group, cls(4, random_state=0).fit(X, tags).labels_) > 0.9


def test_clusters_means_of_linear_correlations_of_the_outputs(rng, monkeypatch):
    outputs = [rng.normal(size=(50, 3)), rng.normal(size=(50, 3))]
    outputs[0][:, 0] += outputs[1][:, 0]
    seen = []

    def cut(points, X, *_, **__):
        seen.append(points)
        return np.zeros(len(X), dtype=np.int64)

    monkeypatch.setattr(dcca, "train_networks", lambda *_, **__: outputs)
    monkeypatch.setattr(dcca, "cut_shared_space", cut)
    method = DCCA(2).fit(rng.normal(size=(50, 2)), np.ones((50, 1), dtype=int))
    values, projections = oracle.canonical(outputs, 1e-4)
    expected = (projections[0] + projections[1]) / 2
    np.testing.assert_allclose(seen[0] @ seen[0].T, expected @ expected.T, atol=1e-9)
    np.testing.assert_allclose(method.correlations_, values - 1, atol=1e-9)


def test_without_reconstruction_autoencoders_are_dcca(rings):
    X, tags, _ = rings
    params = {"hidden": (16,), "n_epochs": 5, "random_state": 1}
    one = DCCA(3, **params).fit(X, tags)
    other = DCCAE(3, reconstruction=0, **params).fit(X, tags)
    np.testing.assert_array_equal(one.labels_, other.labels_)
    np.testing.assert_array_equal(one.correlations_, other.correlations_)
    third = DCCAE(3, reconstruction=10.0, **params).fit(X, tags)
    assert not np.array_equal(one.correlations_, third.correlations_)


@both
def test_sizes_of_the_networks(cls, rings, monkeypatch):
    seen = []
    original = dcca.train_networks

    def watch(torch, views, settings, **kwargs):
        seen.append((settings, [view.shape for view in views]))
        return original(torch, views, settings, **kwargs)

    monkeypatch.setattr(dcca, "train_networks", watch)
    X, tags, _ = rings
    wide = np.insert(tags, 1, 0, axis=1)  # a tag on no item
    cls(3, hidden=[2000, 8], n_epochs=1, random_state=0).fit(X, wide)
    settings, shapes = seen.pop()
    assert settings.hidden == (400, 8)  # no more units than items
    assert settings.n_outputs == 3
    assert shapes == [(400, 2), (400, 4)]
    cls(3, hidden=(), n_outputs=9, n_epochs=1, random_state=0).fit(X, tags)
    assert seen.pop()[0].n_outputs == 9


@both
def test_more_outputs_than_tags(cls, rng):
    X = rng.normal(size=(60, 3))
    tags = np.arange(60)[:, None] % 2
    method = cls(2, n_outputs=20, n_epochs=5, random_state=0).fit(X, tags)
    assert len(method.labels_) == 60
    assert np.isfinite(method.correlations_).all()


@both
@pytest.mark.parametrize(
    ("params", "error", "message"),
    [
        ({"hidden": 1024}, TypeError, r"hidden must be a list or tuple .*\(1024, .*got 1024"),
        ({"hidden": (8, 0)}, ValueError, "each of hidden must be at least 1; got 0"),
        ({"n_outputs": 0}, ValueError, "n_outputs must be at least 1 or None; got 0"),
        ({"n_epochs": 0}, ValueError, "n_epochs must be at least 1; got 0"),
    ],
)
def test_bad_parameters_are_explained(cls, params, error, message, rings):
    with pytest.raises(error, match=message):
        cls(2, **params).fit(*rings[:2])


def test_bad_weight_of_reconstruction_is_explained(rings):
    with pytest.raises(
        ValueError, match="reconstruction must be a finite number of at least 0; got -1"
    ):
        DCCAE(2, reconstruction=-1).fit(*rings[:2])


def test_a_fit_without_torch_is_explained(rings, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(ImportError, match=r'DCCAE .*pip install "conceptforest\[deep\]"'):
        DCCAE(2).fit(*rings[:2])


def test_methods_can_be_listed_without_torch():
    code = "import sys, conceptforest.baselines; assert 'torch' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)  # noqa: S603


def test_memory_is_that_of_networks_and_sparse_tags():
    grown = peak_growth(
        """
        import numpy as np
        from scipy import sparse
        from conceptforest.baselines.dccae import DCCAE
        n, m, rng = 500, 60_000, np.random.default_rng(0)
        X = rng.normal(size=(n, 2))
        rows, columns = np.repeat(np.arange(n), 3), rng.integers(0, m, size=3 * n)
        tags = sparse.csr_array((np.ones(3 * n), (rows, columns)), shape=(n, m))
        DCCAE(2, n_epochs=2, n_init=1).fit(X, tags[:, :5000])  # what PyTorch takes of itself
        """,
        "DCCAE(2, n_epochs=2, n_init=1, random_state=0).fit(X, tags)",
    )
    assert grown < 150e6  # a dense matrix of floats would take 240 MB
