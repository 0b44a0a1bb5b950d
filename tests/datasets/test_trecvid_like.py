import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import conceptforest as cf
from conceptforest.baselines import CLUSTERING
from conceptforest.datasets import Collection, make_trecvid_like
from conceptforest.metrics import clustering_report
from conceptforest.tags import remove_tags


def test_the_same_seed_gives_the_same_collection():
    one, two = (make_trecvid_like(n_items=100, random_state=3) for _ in range(2))
    assert np.array_equal(one.X, two.X)
    assert np.array_equal(one.labels, two.labels)
    assert np.array_equal(one.tags.matrix.toarray(), two.tags.matrix.toarray())


def test_another_seed_gives_another_collection():
    one, two = (make_trecvid_like(n_items=100, random_state=seed) for seed in (3, 4))
    assert not np.array_equal(one.X, two.X)
    assert not np.array_equal(one.tags.matrix.toarray(), two.tags.matrix.toarray())


@settings(deadline=None, max_examples=25)
@given(
    n_classes=st.integers(2, 12),
    more_items=st.integers(0, 60),
    more_tags=st.integers(0, 30),
    seed=st.integers(0, 2**32 - 1),
)
def test_parts_fit_together(n_classes, more_items, more_tags, seed):
    n, m = n_classes + more_items, 2 * n_classes + 6 + more_tags
    made = make_trecvid_like(n_items=n, n_classes=n_classes, n_tags=m, random_state=seed)
    assert isinstance(made, Collection)
    assert made.X.shape == (n, 1000)
    assert made.X.dtype == np.float32
    assert np.isfinite(made.X).all()
    assert made.labels.dtype == np.int64
    assert np.array_equal(np.unique(made.labels), np.arange(n_classes))
    assert len(made.class_names) == n_classes
    assert made.tags.matrix.shape == (n, m)
    assert not made.tags.untagged.any()
    assert made.layers[0] + made.layers[1] == made.tags.vocabulary
    assert len(made.layers[0]) == 2 * n_classes


def test_abstract_tags_belong_to_one_class_and_specific_ones_are_shared():
    made = make_trecvid_like(random_state=0)
    tags = made.tags.matrix.tocsc()
    owners = [
        {int(c) for c in made.labels[tags.indices[tags.indptr[j] : tags.indptr[j + 1]]]}
        for j in range(made.tags.n_tags)
    ]
    for j, labels in enumerate(owners[:30]):
        assert labels == {j // 2}
        assert made.tags.vocabulary[j].startswith(f"{made.class_names[j // 2]} ")
    assert np.mean([len(labels) > 5 for labels in owners[30:]]) > 0.9


def test_size_and_sparseness_are_those_of_the_paper():
    made = [make_trecvid_like(random_state=seed) for seed in range(3)]
    assert made[0].tags.matrix.shape == (2379, 114)
    assert np.mean([m.tags.matrix.nnz / 2379 for m in made]) == pytest.approx(3.75, abs=0.05)
    lacking = [np.diff(m.tags.matrix[:, :30].indptr) == 0 for m in made]
    assert np.mean(lacking) == pytest.approx(0.55**2, abs=0.03)


@pytest.mark.parametrize(
    ("method", "mode", "printed"),
    [
        ("KMeans", "vision", 0.19), ("SpClust", "vision", 0.20), ("MMC", "vision", 0.19),
        ("KMeans", "tags", 0.52), ("SpClust", "tags", 0.73), ("MMC", "tags", 0.72),
        ("KMeans", "concatenated", 0.49), ("SpClust", "concatenated", 0.74),
    ],
)  # fmt: skip
def test_simple_methods_find_what_they_do_in_the_paper(method, mode, printed):
    made = make_trecvid_like(random_state=0)
    found = CLUSTERING[method](15, mode=mode, random_state=0).fit(made.X, made.tags).labels_
    assert clustering_report(made.labels, found)["nmi"] == pytest.approx(printed, abs=0.1)


def test_layers_stay_valid_when_tags_are_removed():
    made = make_trecvid_like(n_items=120, n_classes=3, random_state=0)
    tags = remove_tags(made.tags, 0.5, random_state=0)
    forest = cf.HMLForest(5, layers=made.layers, random_state=0).fit(made.X, tags)
    assert [len(layer) for layer in forest.layers_] == [6, 108]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"n_items": 1}, "n_items must be at least 2; got 1"),
        ({"n_items": 14}, "n_items is 14, fewer than n_classes=15"),
        ({"n_classes": 1}, "n_classes must be at least 2; got 1"),
        ({"n_tags": 35}, "n_tags is 35; 15 classes need 30 abstract tags and 6 specific ones"),
    ],
)
def test_values_out_of_range_are_refused(given, message):
    with pytest.raises(ValueError, match=message):
        make_trecvid_like(**given)


@pytest.mark.parametrize("given", [{"n_items": 10.0}, {"n_classes": "8"}, {"n_tags": True}])
def test_values_of_another_kind_are_refused(given):
    with pytest.raises(TypeError, match="must be a whole number"):
        make_trecvid_like(**given)
