import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.memory import peak_growth
from tests.oracle import metrics as oracle

from conceptforest.metrics import completion_report, ranked_tags, ranking
from conceptforest.tags import TagMatrix, parse_tags

VALUES = [-1.5, -0.5, 0.0, 0.0, 0.25, 0.5, 0.5, 2.0]  # few, so that ties are common


@st.composite
def cases(draw):
    """Draw scores, observed and true tags as lists of rows, candidates and max_n."""
    n, m = draw(st.integers(1, 7)), draw(st.integers(1, 7))
    values = draw(st.lists(st.sampled_from(VALUES), min_size=1, max_size=5))

    def table(cell):
        rows = st.lists(cell, min_size=m, max_size=m)
        return draw(st.lists(rows, min_size=n, max_size=n))

    scores = table(st.sampled_from(values))
    observed, truth = table(st.integers(0, 1)), table(st.integers(0, 1))
    candidates = draw(st.none() | st.lists(st.integers(0, m - 1), min_size=1))
    return scores, observed, truth, candidates, draw(st.integers(1, 9))


@st.composite
def score_forms(draw, scores):
    """Draw a form of the same scores; sparse ones may store zeros, repeats and unsorted columns."""
    dense = np.array(scores, dtype=np.float64)
    form = draw(st.sampled_from(["dense", "float32", "csr", "csc", "repeats", "zeros"]))
    if form == "float32":
        return dense.astype(np.float32)
    if form in {"csr", "csc"}:
        return sparse.csr_array(dense).asformat(form)
    if form == "repeats":
        rows, columns = np.nonzero(dense)
        halves = np.tile(dense[rows, columns] / 2, 2)
        pairs = (np.tile(rows, 2)[::-1], np.tile(columns, 2)[::-1])
        return sparse.coo_array((halves[::-1], pairs), shape=dense.shape)
    if form == "zeros":
        indptr = np.arange(dense.shape[0] + 1) * dense.shape[1]
        indices = np.tile(np.arange(dense.shape[1])[::-1], dense.shape[0])
        return sparse.csr_array((dense[:, ::-1].ravel(), indices, indptr), shape=dense.shape)
    return dense


def check_report(found, expected):
    ap, ar, coverage, n_items, tie_rate = expected
    np.testing.assert_allclose(found["ap"], np.array(ap, dtype=float), rtol=1e-14)
    np.testing.assert_allclose(found["ar"], np.array(ar, dtype=float), rtol=1e-13)
    np.testing.assert_array_equal(found["coverage"], np.array(coverage, dtype=float))
    assert found["n_items"] == n_items
    assert found["tie_rate"] == float(tie_rate)


@settings(deadline=None, max_examples=200)
@given(st.data())
def test_ranking_agrees_with_sorting(data):
    scores, observed, _, candidates, max_n = data.draw(cases())
    given_scores = data.draw(score_forms(scores))
    tags, values = ranked_tags(given_scores, observed, max_n, candidates, return_scores=True)
    assert tags.shape == values.shape == (len(scores), max_n)
    assert (tags.dtype, values.dtype) == (np.int32, np.float64)
    allowed = range(len(scores[0])) if candidates is None else candidates
    for i, row in enumerate(tags.tolist()):
        expected = oracle.ranking(scores, observed, i, allowed)[:max_n]
        assert row == expected + [-1] * (max_n - len(expected))
        np.testing.assert_array_equal(values[i, : len(expected)], [scores[i][j] for j in expected])
        assert np.isnan(values[i, len(expected) :]).all()
    np.testing.assert_array_equal(ranked_tags(given_scores, observed, max_n, candidates), tags)


@settings(deadline=None, max_examples=200)
@given(st.data())
def test_report_agrees_with_counting(data):
    scores, observed, truth, candidates, max_n = data.draw(cases())
    allowed = set(range(len(scores[0])) if candidates is None else candidates)
    rows = zip(truth, observed, strict=True)
    hidden = any(
        t > o for row in rows for j, (t, o) in enumerate(zip(*row, strict=True)) if j in allowed
    )
    arguments = (data.draw(score_forms(scores)), observed, truth, candidates, max_n)
    if hidden:
        expected = oracle.completion(scores, observed, truth, allowed, max_n)
        check_report(completion_report(*arguments), expected)
    else:
        with pytest.raises(ValueError, match="has a hidden tag"):
            completion_report(*arguments)


@pytest.mark.parametrize("block", [1, 7, 60])
def test_blocks_make_no_difference(block, rng, monkeypatch):
    scores = rng.choice(VALUES, size=(40, 30)) * (rng.random((40, 30)) < 0.5)
    observed = rng.random((40, 30)) < 0.2
    truth = observed | (rng.random((40, 30)) < 0.2)
    whole = [completion_report(s, observed, truth) for s in (scores, sparse.csr_array(scores))]
    tags = ranked_tags(scores, observed, 12)
    monkeypatch.setattr(ranking, "BLOCK", block)
    parts = [completion_report(s, observed, truth) for s in (scores, sparse.csr_array(scores))]
    for found in (*whole[1:], *parts):
        for key, value in whole[0].items():
            np.testing.assert_array_equal(found[key], value)
    np.testing.assert_array_equal(ranked_tags(sparse.csr_array(scores), observed, 12), tags)


def test_larger_rankings_agree_with_sorting(rng):
    """Long rows, so that most stored scores are ruled out before they are sorted."""
    scores = np.round(rng.normal(size=(60, 200)), 1) * (rng.random((60, 200)) < 0.6)
    scores[:20] = np.maximum(scores[:20], 0)
    observed = (rng.random((60, 200)) < 0.1).astype(int).tolist()
    for max_n in (1, 5, 50, 150, 250):
        tags = ranked_tags(sparse.csr_array(scores), observed, max_n)
        for i, row in enumerate(tags.tolist()):
            expected = oracle.ranking(scores, observed, i, range(200))[:max_n]
            assert row == expected + [-1] * (max_n - len(expected))


@settings(deadline=None)
@given(cases())
def test_identities_of_the_scores(case):
    scores, observed, truth, _, max_n = case
    assume(len(scores[0]) > 1)
    truth = np.maximum(truth, 1 - np.eye(*np.shape(truth), dtype=int))
    observed = np.minimum(observed, np.eye(*np.shape(truth), dtype=int))
    found = completion_report(np.array(scores), observed, truth, max_n=max_n)
    n = np.arange(1, max_n + 1)
    assert found["ap"][0] == found["coverage"][0]
    for rising in (n * found["ap"], found["ar"], found["coverage"]):
        assert (np.diff(rising) >= -1e-12).all()
    assert (found["ap"] <= found["coverage"] + 1e-12).all()
    assert (found["ar"] <= found["coverage"] + 1e-12).all()
    assert (found["coverage"] <= n * found["ap"] + 1e-12).all()


def test_an_example_by_hand():
    # Item 0 hides tags 2 and 3, item 1 hides tag 4, item 2 hides nothing and is left out.
    observed = [[1, 0, 0, 0, 0], [0, 1, 0, 0, 0], [1, 1, 0, 0, 0]]
    truth = [[1, 0, 1, 1, 0], [0, 1, 0, 0, 1], [1, 1, 0, 0, 0]]
    scores = [[9, 5, 4, 1, 3], [0, 9, 3, 2, 1], [1, 2, 3, 4, 5]]
    found = completion_report(np.array(scores), observed, truth, max_n=4)
    # Item 0 is offered 1, 2, 4, 3 and item 1 is offered 2, 3, 4, 0.
    np.testing.assert_allclose(found["ap"], [0, 1 / 4, 2 / 6, 3 / 8])
    np.testing.assert_allclose(found["ar"], [0, 1 / 4, 3 / 4, 1])
    np.testing.assert_allclose(found["coverage"], [0, 1 / 2, 1, 1])
    assert found["n_items"] == 2
    assert found["tie_rate"] == 0


def test_precision_is_over_n_even_if_fewer_tags_are_hidden():
    found = completion_report(np.array([[3, 2, 1]]), [[0, 0, 0]], [[1, 0, 0]], max_n=5)
    np.testing.assert_allclose(found["ap"], [1, 1 / 2, 1 / 3, 1 / 4, 1 / 5])


def test_recall_is_averaged_over_items_not_pooled():
    observed, truth = [[0] * 4] * 2, [[1, 0, 0, 0], [0, 1, 1, 1]]
    found = completion_report(np.array([[1, 0, 0, 0], [1, 0, 0, 0]]), observed, truth, max_n=1)
    assert found["ar"][0] == 1 / 2  # pooled: 1 / 4


def test_equal_scores_go_by_observed_frequency_then_column():
    observed = [[0, 0, 0, 0], [0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1]]
    assert ranked_tags(np.zeros((4, 4)), observed, 4)[0].tolist() == [3, 2, 1, 0]
    assert ranked_tags(np.zeros((4, 4)), observed, 4)[1].tolist() == [1, 0, -1, -1]


def test_negative_scores_come_after_zeros():
    scores = sparse.csr_array(np.array([[-1.0, 0, -0.5, 0, 2]]))
    assert ranked_tags(scores, [[0, 0, 0, 0, 0]], 5).tolist() == [[4, 1, 3, 2, 0]]


@pytest.mark.parametrize(
    ("scores", "rate"), [([4, 3, 2, 1], 0), ([4, 3, 1, 1], 0), ([4, 3, 3, 1], 1), ([0, 0, 0, 0], 1)]
)
def test_tie_rate_counts_ties_at_the_cut_only(scores, rate):
    found = completion_report(np.array([scores]), [[0] * 4], [[1] * 4], max_n=2)
    assert found["tie_rate"] == rate


def test_ties_do_not_count_if_there_is_nothing_left_out():
    found = completion_report(np.zeros((1, 4)), [[0] * 4], [[1] * 4], max_n=4)
    assert found["tie_rate"] == 0


@pytest.mark.parametrize(
    "candidates", [["b", "d"], [1, 3], ("b", 3), {"b", "d"}, np.array([3, 1, 1])]
)
def test_candidates_by_name_or_number(candidates):
    observed = parse_tags([[0, 0, 0, 0], [1, 1, 0, 0]], vocabulary=list("abcd"))
    tags = ranked_tags(np.array([[4, 3, 2, 1], [4, 3, 2, 1]]), observed, 3, candidates)
    assert tags.tolist() == [[1, 3, -1], [3, -1, -1]]


def test_truth_is_matched_by_name():
    observed = parse_tags([{"b"}, {"a"}], vocabulary=["c", "b", "a"])
    scores = np.array([[3, 2, 1], [3, 2, 1]])
    by_set = completion_report(scores, observed, [{"b", "c"}, {"a"}], max_n=1)
    other_order = parse_tags([{"b", "c"}, {"a"}], vocabulary=["a", "b", "c"])
    by_matrix = completion_report(scores, observed, other_order, max_n=1)
    unnamed = completion_report(scores, observed, [[1, 1, 0], [0, 0, 1]], max_n=1)
    assert by_set["ap"] == by_matrix["ap"] == unnamed["ap"] == 1


def test_names_of_truth_serve_unnamed_observed_tags():
    truth = TagMatrix(parse_tags([[1, 1, 0]]).matrix, ("a", "b", "c"))
    found = completion_report(np.array([[0, 1, 2]]), [[1, 0, 0]], truth, ["b"], max_n=1)
    assert found["ap"] == 1


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"scores": np.zeros((2, 4))}, ValueError, r"shape \(2, 4\).*2 items x 3 tags"),
        ({"scores": np.zeros(3)}, ValueError, r"shape \(3,\)"),
        ({"scores": np.array([["a"] * 3] * 2)}, TypeError, "dtype <U1"),
        ({"scores": np.array([[0, 0, 0], [0, np.nan, 0]])}, ValueError, "item 1 for tag 1 is nan"),
        (
            {"scores": sparse.csr_array([[0, 0, 1.0], [0, 0, np.inf]])},
            ValueError,
            "item 1 for tag 2 is inf",
        ),
        ({"truth": [[1, 1, 1]]}, ValueError, "observed has 2 items but truth has 1"),
        ({"truth": [[1, 1], [1, 1]]}, ValueError, "observed has 3 tags but truth has 2.*names"),
        ({"candidates": []}, ValueError, "candidates is empty"),
        ({"candidates": "abc"}, TypeError, "Give a list of tag names"),
        ({"candidates": 3}, TypeError, "Give a list of tag names"),
        ({"candidates": [3]}, ValueError, "candidate 3 is no column number; there are 3 tags"),
        ({"candidates": [-1]}, ValueError, "candidate -1 is no column number"),
        ({"candidates": [True]}, TypeError, "candidate True is of type bool"),
        ({"candidates": [1.0]}, TypeError, r"candidate 1\.0 is of type float"),
        ({"max_n": 0}, ValueError, "at least 1; got 0"),
        ({"max_n": 2.0}, TypeError, "whole number"),
        ({"max_n": True}, TypeError, "whole number"),
        ({"truth": [[1, 0, 0], [0, 0, 0]]}, ValueError, "None of the 2 items has a hidden tag"),
    ],
)
def test_bad_input_is_refused(changes, error, message):
    arguments = {
        "scores": np.eye(2, 3),
        "observed": [[1, 0, 0], [0, 1, 0]],
        "truth": [[1, 1, 1]] * 2,
    }
    with pytest.raises(error, match=message):
        completion_report(**arguments | changes)


def test_unknown_names_are_refused_with_a_hint():
    observed = parse_tags([{"cat"}, {"dog"}])
    with pytest.raises(ValueError, match=r"'cta' is not among the 2 tags\. Did you mean 'cat'\?"):
        ranked_tags(np.zeros((2, 2)), observed, 1, ["cta"])
    with pytest.raises(ValueError, match=r"truth does not agree.*'bird'.*give observed a vocab"):
        completion_report(np.zeros((2, 2)), observed, [{"cat", "bird"}, {"dog"}])


def test_nothing_given_is_changed(rng):
    dense = rng.choice(VALUES, size=(6, 5))
    data, indices = dense.ravel().copy(), np.tile(np.arange(5, dtype=np.int32), 6)
    scores = sparse.csr_array((data, indices, np.arange(7) * 5), shape=(6, 5))
    repeated = sparse.csr_array((data, indices // 2, np.arange(7) * 5), shape=(6, 5))
    before = [(s.data.copy(), s.indices.copy(), s.indptr.copy()) for s in (scores, repeated)]
    for matrix, kept in zip((scores, repeated), before, strict=True):
        ranked_tags(matrix, np.zeros((6, 5), dtype=int), 3)
        for now, then in zip((matrix.data, matrix.indices, matrix.indptr), kept, strict=True):
            np.testing.assert_array_equal(now, then)


def test_memory_follows_the_stored_scores():
    before = """
        import numpy as np
        from scipy import sparse
        from conceptforest.metrics import completion_report
        from conceptforest.tags import parse_tags

        n, m = 20_000, 50_000
        rng = np.random.default_rng(0)
        def draw(k):
            columns = rng.integers(0, m, n * k)
            return sparse.csr_array((np.ones(n * k), columns, np.arange(n + 1) * k), shape=(n, m))
        scores, observed = draw(30), parse_tags(draw(3))
        truth = parse_tags(observed.matrix + draw(2))
        completion_report(scores[:50], observed.matrix[:50], truth.matrix[:50])
        """
    grown = peak_growth(before, "completion_report(scores, observed, truth)")
    assert grown < 200e6  # one byte for each item and tag would be 1 GB


def test_counts_order_equal_scores():
    observed = [[1, 0, 0, 0], [1, 0, 0, 0]]
    scores = np.zeros((2, 4))
    assert ranked_tags(scores, observed, 3, counts=[0, 1, 3, 2]).tolist() == [[2, 3, 1]] * 2
    truth = [[1, 0, 1, 0], [1, 0, 0, 1]]
    report = completion_report(scores, observed, truth, max_n=2, counts=[0, 1, 3, 2])
    assert report["ap"].tolist() == [0.5, 0.5]
    assert completion_report(scores, observed, truth, max_n=1)["ap"].tolist() == [0.0]


@pytest.mark.parametrize(
    "counts", [[1, 2], [[1, 2, 3, 4]], ["a", "b", "c", "d"], [1, 2, 3, np.nan]]
)
def test_bad_counts_are_refused(counts):
    with pytest.raises(ValueError, match="counts"):
        ranked_tags(np.zeros((1, 4)), [[1, 0, 0, 0]], 2, counts=counts)
