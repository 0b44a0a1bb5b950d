import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import sparse

from conceptforest.structure.cosine_graph import cosine_graph

ROWS = st.tuples(st.integers(2, 8), st.integers(1, 4)).flatmap(
    lambda shape: hnp.arrays(np.float64, shape, elements=st.sampled_from([0, 0, 1, 2, -1, 0.5]))
)


def cosine(one, other):
    lengths = math.sqrt(sum(a * a for a in one) * sum(b * b for b in other))
    return sum(a * b for a, b in zip(one, other, strict=True)) / lengths if lengths else 0.0


@settings(deadline=None)
@given(ROWS)
def test_all_positive_cosines_when_all_are_neighbours(rows):
    n = len(rows)
    expected = [
        [0.0 if i == j else max(0.0, cosine(rows[i], rows[j])) for j in range(n)] for i in range(n)
    ]
    np.testing.assert_allclose(cosine_graph(rows, n).toarray(), expected, atol=1e-9)


@settings(deadline=None)
@given(ROWS, st.integers(1, 4))
def test_parts_stand_for_their_concatenation(rows, n_neighbors):
    whole = cosine_graph(np.hstack([rows, rows[::-1]]), n_neighbors, seed=None).toarray()
    parts = cosine_graph((rows, sparse.csr_array(rows[::-1])), n_neighbors, seed=None).toarray()
    kept = (whole > 0) & (parts > 0)  # equal angles may be chosen otherwise by the last bits
    np.testing.assert_allclose(whole[kept], parts[kept], atol=1e-9)
    assert (whole.sum() > 0) == (parts.sum() > 0)


def test_only_the_nearest_are_joined():
    angles = np.radians([0, 10, 25, 80])
    rows = np.stack([np.cos(angles), np.sin(angles)], axis=1)
    joined = cosine_graph(rows, 1).toarray() > 0
    assert np.argwhere(np.triu(joined)).tolist() == [[0, 1], [1, 2], [2, 3]]


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_length_does_not_matter(form, rng):
    rows = rng.normal(size=(30, 4))
    longer = rows * rng.uniform(0.1, 9, size=(30, 1))
    np.testing.assert_allclose(
        cosine_graph(form(rows), 5).toarray(), cosine_graph(form(longer), 5).toarray(), atol=1e-9
    )
