"""Nearest items: those of the oracle, fair and seeded choices among equals, bounded memory."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.memory import peak_growth
from tests.oracle import nearest_items as oracle
from threadpoolctl import threadpool_limits

from conceptforest.structure import visual_neighbours
from conceptforest.structure.visual_neighbours import nearest_items

KINDS = ["normal", "ties", "far", "large", "tiny", "half", "bits"]


def make_rows(rng, kind, n, d):
    rows = rng.normal(size=(n, d))
    return {
        "normal": rows,
        "ties": np.round(rows),
        "far": rows.astype(np.float32) + 3e4,  # nothing of the differences is left in products
        "large": rows * 1e160,
        "tiny": rows * 1e-160,
        "half": rows.astype(np.float16),
        "bits": (rows > 0.5).astype(np.uint8),
    }[kind]


@st.composite
def searches(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    d, n_items = draw(st.integers(1, 6)), draw(st.integers(2, 25))
    kind = draw(st.sampled_from(KINDS))
    items = make_rows(rng, kind, n_items, d)
    exclude_self = draw(st.booleans())
    queries = items if exclude_self else make_rows(rng, kind, draw(st.integers(1, 6)), d)
    k = draw(st.integers(1, n_items - exclude_self))
    return queries, items, k, exclude_self


def check_found(found, queries, items, k, metric, *, exclude_self, rounding=1e-14):
    indices, distances = found
    assert indices.shape == distances.shape == (len(queries), k)
    assert indices.dtype == np.int64
    assert distances.dtype == np.float64
    expected = oracle.all_distances(queries.tolist(), items.tolist(), metric)
    size = 1.0
    if metric == "euclidean":  # squares may be too small for a float, but not all of them
        size = max(1e-140 * float(np.abs(items).max()), *(max(row) for row in expected))
    for i, row in enumerate(expected):
        oracle.check_nearest(
            row,
            indices[i].tolist(),
            distances[i].tolist(),
            k,
            itself=i if exclude_self else None,
            tolerance=rounding * size,
        )


@settings(max_examples=80, deadline=None)
@given(search=searches(), metric=st.sampled_from(["euclidean", "cosine"]))
def test_dense_rows_equal_oracle(search, metric):
    queries, items, k, exclude_self = search
    found = nearest_items(queries, items, k, metric=metric, exclude_self=exclude_self, seed=3)
    check_found(found, queries, items, k, metric, exclude_self=exclude_self)


@settings(max_examples=60, deadline=None)
@given(search=searches(), metric=st.sampled_from(["euclidean", "cosine"]))
def test_sparse_rows_equal_oracle(search, metric):
    queries, items, k, exclude_self = search
    queries, items = (np.abs(np.round(rows.astype(float))) % 3 for rows in (queries, items))
    form = sparse.coo_array
    found = nearest_items(
        form(queries), form(items), k, metric=metric, exclude_self=exclude_self, seed=3
    )
    check_found(found, queries, items, k, metric, exclude_self=exclude_self)


@settings(max_examples=40, deadline=None)
@given(search=searches(), width=st.integers(1, 4), seed=st.integers(0, 99))
def test_parts_stand_for_their_concatenation(search, width, seed):
    queries, items, k, exclude_self = search
    rng = np.random.default_rng(seed)
    tags = rng.integers(0, 2, size=(len(items), width))
    asked = tags if exclude_self else rng.integers(0, 2, size=(len(queries), width))
    found = nearest_items(
        (queries, sparse.csr_array(asked)),
        (items, sparse.csr_array(tags)),
        k,
        exclude_self=exclude_self,
    )
    joined = [np.hstack([a.astype(float), b]) for a, b in ((queries, asked), (items, tags))]
    check_found(found, *joined, k, "euclidean", exclude_self=exclude_self)


@pytest.mark.parametrize("metric", ["euclidean", "cosine"])
@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_neither_blocks_nor_threads_matter(metric, form, rng, monkeypatch):
    rows = form(np.round(rng.normal(size=(150, 4))))
    whole = nearest_items(rows, rows, 9, metric=metric, exclude_self=True, seed=1)
    monkeypatch.setattr(visual_neighbours, "_BLOCK", 7 * 150)
    monkeypatch.setattr(visual_neighbours, "_PAIRS", 13 * 4)
    with threadpool_limits(1):
        pieces = nearest_items(rows, rows, 9, metric=metric, exclude_self=True, seed=1)
    for one, other in zip(whole, pieces, strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_coarse_product_alone_would_be_wrong(rng):
    """Rows far from zero in comparison with their distances, around two centres."""
    rows = rng.normal(size=(60, 3)) + 1e7 * rng.choice([-1, 1], size=(60, 1))
    found = nearest_items(rows, rows, 5, exclude_self=True)
    check_found(found, rows, rows, 5, "euclidean", exclude_self=True)
    coarse = rows.astype(np.float32)
    squares = (coarse**2).sum(axis=1)
    rough = squares[:, None] + squares - 2 * coarse @ coarse.T
    np.fill_diagonal(rough, np.inf)
    assert (np.sort(np.argsort(rough, axis=1)[:, :5]) != np.sort(found[0])).any()


def test_choice_among_equals_is_seeded():
    rows = np.zeros((300, 2))
    one, again, other = (
        nearest_items(rows, rows, 5, exclude_self=True, seed=seed)[0] for seed in (1, 1, 2)
    )
    np.testing.assert_array_equal(one, again)
    assert (one != other).any()
    first = nearest_items(rows, rows, 2, exclude_self=True, seed=None)[0]
    assert first[:3].tolist() == [[1, 2], [0, 2], [0, 1]]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_choice_among_equals_favours_no_index_and_differs_from_row_to_row(form):
    rows = form(np.ones((400, 1)))
    found = nearest_items(rows, rows, 10, exclude_self=True, seed=0)[0]
    # 4000 choices among 400: the mean of their indices has a standard error of 1.8, and each
    # item is chosen 10 times on average, with a standard deviation of 3.1.
    assert found.mean() == pytest.approx(199.5, abs=6)
    assert np.bincount(found.ravel(), minlength=400).std() == pytest.approx(3.1, abs=0.5)
    assert len(np.unique(np.sort(found), axis=0)) == 400


def test_rows_of_zeros_have_cosine_distance_1():
    rows = np.array([[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0]])
    for form in (np.asarray, sparse.csr_array):
        indices, distances = nearest_items(form(rows), form(rows), 3, metric="cosine", seed=None)
        assert distances.tolist() == [[1, 1, 1], [0, 1, 2], [0, 1, 2]]
        assert indices.tolist() == [[0, 1, 2], [1, 0, 2], [2, 0, 1]]


def test_input_is_not_modified(rng):
    dense, thin = rng.normal(size=(20, 3)), sparse.csr_array(rng.integers(0, 2, size=(20, 5)))
    before, stored = dense.copy(), thin.copy()
    nearest_items((dense, thin), (dense, thin), 3)
    np.testing.assert_array_equal(dense, before)
    assert (thin != stored).nnz == 0
    assert thin.dtype == stored.dtype


def test_memory_is_bounded():
    grown = peak_growth(
        """
        import numpy as np
        from conceptforest.structure.visual_neighbours import nearest_items
        rows = np.random.default_rng(0).normal(size=(8_000, 8)).astype(np.float32)
        nearest_items(rows[:100], rows, 3)
        """,
        "nearest_items(rows, rows, 3, exclude_self=True)",
    )
    assert grown < 400e6  # all pairs would take 512 MB, and their copies as much again


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"k": 0}, ValueError, "k must be at least 1; got 0"),
        ({"k": 4.0}, TypeError, "k must be a whole number"),
        ({"k": 5, "exclude_self": True}, ValueError, "there are 4 items to choose from"),
        ({"metric": "cosin"}, ValueError, "metric must be one of euclidean, cosine; got 'cosin'"),
        ({"queries": np.ones((2, 4))}, ValueError, "dense, 4 wide and items are dense, 3 wide"),
        ({"queries": sparse.eye_array(5, 3)}, ValueError, "queries are sparse, 3 wide"),
        ({"queries": np.ones((2, 3)), "exclude_self": True}, ValueError, "2 queries and 5 items"),
        ({"queries": np.ones(3)}, TypeError, "queries must be a table of numbers"),
        ({"queries": [["a", "b", "c"]]}, TypeError, "queries must be a table of numbers"),
        ({"items": np.full((5, 3), np.nan)}, ValueError, "items contains NaN or infinity"),
        ({"items": ()}, ValueError, "items is an empty tuple"),
        (
            {"items": (np.ones((5, 3)), np.ones((4, 3))), "queries": (np.ones((5, 3)),) * 2},
            ValueError,
            r"parts of items have \[4, 5\] rows",
        ),
        (
            {
                "items": (np.ones((5, 3)),) * 2,
                "queries": (np.ones((5, 3)),) * 2,
                "metric": "cosine",
            },
            ValueError,
            "cosine of rows in several parts",
        ),
    ],
)
def test_bad_input_is_explained(change, error, message):
    given = {"queries": np.eye(5, 3), "items": np.eye(5, 3), "k": 2} | change
    with pytest.raises(error, match=message):
        nearest_items(given.pop("queries"), given.pop("items"), given.pop("k"), **given)
