"""Scores of the simple completion methods: those of their definitions."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.oracle import baselines as oracle
from tests.oracle import nearest_items

from conceptforest.baselines.contract import keep_of_block
from conceptforest.baselines.cooccurrence import CoOccurrence
from conceptforest.baselines.popularity import Popularity
from conceptforest.baselines.visual_neighbours import VisualNeighbours


@st.composite
def collections(draw):
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, m = draw(st.integers(2, 15)), draw(st.integers(1, 6))
    tags = (rng.random((n, m)) < draw(st.sampled_from([0.1, 0.4, 0.8]))).astype(int)
    tags[0, 0] = 1
    return rng.normal(size=(n, 3)), tags, (rng.random((2, m)) < 0.5).astype(int)


def check_scores(found, expected):
    np.testing.assert_allclose(found.toarray(), expected, rtol=0, atol=1e-12)


def by_cell(score, tags):
    n, m = tags.shape
    return [[score(tags.tolist(), i, j) for j in range(m)] for i in range(n)]


@settings(max_examples=50, deadline=None)
@given(made=collections())
def test_popularity_equals_oracle(made):
    X, tags, _ = made
    method = Popularity(n_scores=None).fit(X, tags)
    check_scores(method.scores_, by_cell(oracle.popularity, tags))
    check_scores(method.predict(X[:2]), [tags.mean(axis=0)] * 2)


@settings(max_examples=50, deadline=None)
@given(made=collections())
def test_cooccurrence_equals_oracle(made):
    X, tags, known = made
    method = CoOccurrence(n_scores=None).fit(X, tags)
    check_scores(method.scores_, by_cell(oracle.cooccurrence, tags))
    expected = [
        [oracle.cooccurrence_new(tags.tolist(), row, j) for j in range(tags.shape[1])]
        for row in known.tolist()
    ]
    check_scores(method.predict(X[:2], known), expected)


@settings(max_examples=50, deadline=None)
@given(made=collections(), k=st.integers(1, 20), weights=st.sampled_from(["equal", "cosine"]))
def test_visual_neighbours_equal_oracle(made, k, weights):
    X, tags, _ = made
    new = X[:2] + 0.1
    method = VisualNeighbours(k, weights=weights, n_scores=None).fit(X, tags)
    for found, queries, alike in ((method.scores_, X, True), (method.predict(new), new, False)):
        away = nearest_items.all_distances(queries.tolist(), X.tolist(), "cosine")
        for i, row in enumerate(away):
            voters = sorted(range(len(row)), key=row.__getitem__)
            voters = [v for v in voters if not (alike and v == i)][:k]
            votes = [1.0 if weights == "equal" else max(1 - row[v], 0) for v in voters]
            if sum(votes) > 1e-6:
                expected = [
                    oracle.votes(tags.tolist(), voters, votes, j) for j in range(tags.shape[1])
                ]
                check_scores(found[[i]], [expected])


@settings(max_examples=80, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), m=st.integers(1, 8), n_scores=st.integers(1, 9))
def test_kept_scores_equal_oracle(seed, m, n_scores):
    rng = np.random.default_rng(seed)
    scores = rng.integers(0, 3, size=(4, m)) / 2  # many equal ones
    known, counts = rng.integers(0, 2, size=(4, m)), rng.integers(0, 3, size=m)
    found = keep_of_block(scores, sparse.csr_array(known), counts, n_scores)
    for row in range(4):
        columns = oracle.kept(scores[row].tolist(), known[row], counts.tolist(), n_scores)
        assert found[[row]].indices.tolist() == columns
        np.testing.assert_array_equal(found[[row]].data, scores[row, columns])


def test_untagged_items_have_no_cooccurrence_and_most_popular_tags(rng):
    tags = np.array([[1, 1, 0], [0, 1, 0], [0, 0, 0]])
    X = rng.normal(size=(3, 2))
    assert CoOccurrence().fit(X, tags).scores_[[2]].nnz == 0
    assert Popularity(n_scores=1).fit(X, tags).scores_[[2]].indices.tolist() == [1]


def test_a_tag_of_one_item_says_nothing_about_others(rng):
    tags = np.array([[1, 1, 0], [0, 1, 1], [0, 1, 1]])
    scores = CoOccurrence().fit(rng.normal(size=(3, 2)), tags).scores_.toarray()
    np.testing.assert_array_equal(scores[0], [0, 0, 1])


def test_opposite_items_have_no_cosine_vote():
    X = np.array([[1.0, 0.0], [-1.0, 0.0], [-1.0, 0.1]])
    scores = VisualNeighbours(2, weights="cosine").fit(X, np.eye(3)).scores_
    assert scores[[0]].nnz == 0
    assert scores[1, 2] == pytest.approx(1)


def test_visual_neighbours_can_hear_what_a_new_item_is_tagged_with(rng):
    X = rng.normal(size=(40, 3))
    tags = [{"sea", "boat"} if i % 2 else {"snow", "ski"} for i in range(40)]
    new, own = rng.normal(size=(5, 3)), [{"sea"}] * 5
    deaf = VisualNeighbours().fit(X, tags)
    assert (deaf.predict(new, own) != deaf.predict(new)).nnz == 0
    heard = VisualNeighbours(own_tags=True).fit(X, tags)
    boat, ski = (heard.vocabulary_.index(tag) for tag in ("boat", "ski"))
    scores = heard.predict(new, own).toarray()
    assert (scores[:, boat] > scores[:, ski]).all()
    assert (heard.predict(new) != deaf.predict(new)).nnz == 0


def test_the_number_of_visual_neighbours_can_be_chosen(rng):
    """Groups of 8 that look alike within and nowhere else: more neighbours only bring noise."""
    group = np.repeat(np.arange(20), 8)
    X = 5 * np.eye(20)[group] + rng.normal(scale=0.1, size=(160, 20))
    tags = (rng.random((160, 60)) < 0.8 * np.repeat(np.eye(20), 3, axis=1)[group]).astype(int)
    tuned = VisualNeighbours(80, weights="equal", tune=True, random_state=0).fit(X, tags)
    assert tuned.tuned_["n_neighbors"] in {5, 10}
    assert len(tuned.tuning_) == 5
    plain = VisualNeighbours(tuned.tuned_["n_neighbors"], weights="equal", random_state=0).fit(
        X, tags
    )
    assert (plain.scores_ != tuned.scores_).nnz == 0
    assert (plain.predict(X + 0.1) != tuned.predict(X + 0.1)).nnz == 0
    assert VisualNeighbours(80).fit(X, tags).tuned_ == {}
