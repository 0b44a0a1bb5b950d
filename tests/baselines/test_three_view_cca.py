"""Three views: the block problem of their definition, layers given and estimated, many tags."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import adjusted_rand_score
from tests.oracle import subspaces as oracle

from conceptforest.baselines import three_view_cca
from conceptforest.baselines.shared_space import cut_shared_space
from conceptforest.baselines.three_view_cca import ThreeViewCCA
from conceptforest.tags import TagHierarchy

N, P = 300, 4
GROUP = np.arange(N) % P


@pytest.fixture
def collection(rng):
    """An abstract tag for each group, and twelve that only hint at it."""
    X = np.hstack([3 * np.eye(P)[GROUP], np.zeros((N, 6))]) + rng.normal(size=(N, 10))
    hints = np.kron(np.eye(P), np.ones(3))[GROUP] * 0.15 + 0.1
    Y = rng.random((N, 4 * P)) < np.hstack([0.8 * np.eye(P)[GROUP], hints])
    return X, Y.astype(int)


LAYERS = [list(range(P)), list(range(P, 4 * P))]


def fitted(collection, monkeypatch, **params):
    """Fit, and give the method with the points that it cuts."""
    seen = []

    def watch(points, *args, **kwargs):
        seen.append(points)
        return cut_shared_space(points, *args, **kwargs)

    monkeypatch.setattr(three_view_cca, "cut_shared_space", watch)
    return ThreeViewCCA(P, random_state=0, **params).fit(*collection), seen[0]


@pytest.mark.parametrize("power", [0, 1.5, 4])
def test_clusters_scaled_means_of_the_projections(power, collection, monkeypatch):
    X, Y = collection
    values, projections = oracle.canonical([X, sparse.csr_array(Y), Y[:, :P] + 0.0], 1e-4)
    method, points = fitted(collection, monkeypatch, layers=LAYERS, power=power)
    np.testing.assert_allclose(method.eigenvalues_, values, atol=1e-9)
    expected = (projections[0] + projections[1]) / 2 * values**power
    np.testing.assert_allclose(points @ points.T, expected @ expected.T, rtol=1e-6, atol=1e-6)


def test_tags_shared_by_two_views_lead(collection):
    """Two views with the same columns agree wholly on those, whatever the features say."""
    X = np.random.default_rng(1).normal(size=(N, 3))
    values = ThreeViewCCA(P, layers=LAYERS, random_state=0).fit(X, collection[1]).eigenvalues_
    assert (values[:P] > 1.99).all()
    assert values[P] < 1.5


def test_finds_planted_groups(collection):
    for layers in (LAYERS, 2):
        labels = ThreeViewCCA(P, layers=layers, random_state=0).fit(*collection).labels_
        assert adjusted_rand_score(GROUP, labels) > 0.8


def test_layers_are_estimated_with_a_topic_for_each_cluster(collection, monkeypatch):
    made = []

    class Watched(TagHierarchy):
        def __init__(self, n_layers=2, *, n_topics=None, top=3, n_init=10, random_state=None):
            made.append(n_topics)
            super().__init__(
                n_layers, n_topics=n_topics, top=top, n_init=n_init, random_state=random_state
            )

    monkeypatch.setattr(three_view_cca, "TagHierarchy", Watched)
    method, _ = fitted(collection, monkeypatch)
    assert set(made) == {P}
    assert len(method.layers_) == 2
    assert set(range(P)) <= set(method.layers_[0])


def test_a_fitted_hierarchy_says_what_the_layers_are(collection, monkeypatch):
    names = [f"abstract{j}" for j in range(P)] + [f"hint{j}" for j in range(3 * P)]
    paths = [f"abstract{j // 3}|hint{j}" for j in range(3 * P)]
    X, Y = collection
    tags = [{names[j] for j in np.flatnonzero(row)} for row in Y]
    method, _ = fitted((X, tags), monkeypatch, layers=TagHierarchy.from_paths(paths))
    assert [len(layer) for layer in method.layers_] == [P, 3 * P]
    given, _ = fitted(collection, monkeypatch, layers=LAYERS)
    np.testing.assert_allclose(method.eigenvalues_, given.eigenvalues_, rtol=1e-9)


def test_a_single_layer_repeats_the_tags(collection, monkeypatch):
    X, Y = collection
    method, _ = fitted(collection, monkeypatch, layers=1)
    values, _ = oracle.canonical([X, sparse.csr_array(Y), Y + 0.0], 1e-4)
    np.testing.assert_allclose(method.eigenvalues_, values, atol=1e-9)


def test_tags_in_no_layer_and_layers_on_no_item(collection, monkeypatch):
    X, Y = collection
    Y = np.insert(Y, 0, 0, axis=1)  # no item has tag 0
    one, _ = fitted((X, Y), monkeypatch, layers=[[0], list(range(1, P + 1))])
    other, _ = fitted(collection, monkeypatch, layers=[list(range(P))])
    np.testing.assert_allclose(one.eigenvalues_, other.eigenvalues_, rtol=1e-9)


@pytest.mark.parametrize(("n_tags", "limit"), [(9, 10), (12, 5)])
def test_many_tags_become_singular_vectors(n_tags, limit, rng, monkeypatch):
    monkeypatch.setattr(three_view_cca, "_MOST_TAGS", limit)
    matrix = sparse.csr_array((rng.random((40, n_tags)) < 0.3).astype(np.uint8))
    found = three_view_cca._compact(matrix, 0)
    if n_tags < limit:
        assert found is matrix
        return
    left, sizes, _ = np.linalg.svd(matrix.toarray().astype(float), full_matrices=False)
    best = (left * sizes)[:, :limit]
    assert found.shape == (40, limit)
    error = np.abs(found @ found.T - best @ best.T).max()
    assert error < 0.05 * np.abs(best @ best.T).max()  # the solver is a randomised one


def test_views_that_share_nothing_make_one_cluster(rng):
    method = ThreeViewCCA(2, random_state=0).fit(rng.normal(size=(30, 3)), np.ones((30, 2), int))
    assert (method.labels_ == 0).all()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"power": -1}, "power must be a finite number of at least 0; got -1"),
        ({"regularisation": 0}, "regularisation must be a finite number above 0; got 0"),
        ({"n_components": 0}, "n_components must be at least 1 or None; got 0"),
        ({"layers": [["hint"]]}, "'hint', which is not among"),
        ({"layers": 0}, "layers"),
    ],
)
def test_bad_parameters_are_explained(params, message, collection):
    with pytest.raises(ValueError, match=message):
        ThreeViewCCA(P, **params).fit(*collection)
