import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conceptforest.baselines import CLUSTERING
from conceptforest.datasets import Collection, make_nuswide_like
from conceptforest.metrics import clustering_report


def test_the_same_seed_gives_the_same_collection():
    one, two = (make_nuswide_like(n_items=100, random_state=3) for _ in range(2))
    assert np.array_equal(one.X, two.X)
    assert np.array_equal(one.labels, two.labels)
    assert np.array_equal(one.tags.matrix.toarray(), two.tags.matrix.toarray())


@settings(deadline=None, max_examples=15)
@given(
    n_classes=st.integers(2, 12),
    more_items=st.integers(0, 60),
    more_tags=st.integers(0, 30),
    seed=st.integers(0, 2**32 - 1),
)
def test_parts_fit_together(n_classes, more_items, more_tags, seed):
    n, m = n_classes + more_items, max(40, 20 * n_classes) + more_tags
    made = make_nuswide_like(n_items=n, n_classes=n_classes, n_tags=m, random_state=seed)
    assert isinstance(made, Collection)
    assert made.X.shape == (n, 4096)
    assert made.X.dtype == np.float32
    assert np.array_equal(np.unique(made.labels), np.arange(n_classes))
    assert len(made.class_names) == n_classes
    assert made.tags.matrix.shape == (n, m)
    assert made.tags.vocabulary[-1] == f"tag {m}"
    assert made.layers is None


def test_features_are_the_same_on_every_machine():
    """The last bits of sums differ between processors, and are rounded away."""
    X = make_nuswide_like(n_items=60, random_state=0).X
    assert np.array_equal(X, np.round(X.astype(np.float64), 2).astype(np.float32))


@pytest.fixture(scope="module")
def made():
    return make_nuswide_like(n_items=2000, random_state=0)


def test_tags_are_as_sparse_as_in_the_paper(made):
    assert made.tags.matrix.nnz / 2000 == pytest.approx(4.8, abs=0.1)
    counts = np.sort(made.tags.counts)[::-1]
    assert counts[0] > 30 * np.median(counts)


@pytest.mark.parametrize(
    ("method", "mode", "printed"),
    [("KMeans", "vision", 0.26), ("SpClust", "vision", 0.24),
     ("KMeans", "tags", 0.64), ("SpClust", "tags", 0.59)],
)  # fmt: skip
def test_each_side_alone_tells_what_it_does_in_the_paper(made, method, mode, printed):
    found = CLUSTERING[method](30, mode=mode, random_state=0).fit(made.X, made.tags).labels_
    assert clustering_report(made.labels, found)["nmi"] == pytest.approx(printed, abs=0.12)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"n_items": 29}, "n_items is 29, fewer than n_classes=30"),
        ({"n_tags": 599}, "n_tags is 599; 30 classes need 600"),
        ({"n_classes": 2, "n_tags": 39}, "n_tags must be at least 40; got 39"),
    ],
)
def test_values_out_of_range_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        make_nuswide_like(**given)
