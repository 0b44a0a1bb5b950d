import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as sklearn_metrics
from tests.oracle import metrics as oracle

from conceptforest import metrics

SCORES = {
    "purity": metrics.purity,
    "nmi": metrics.nmi,
    "nmi_geometric": metrics.nmi_geometric,
    "ri": metrics.rand_index,
    "f1": metrics.pairwise_f1,
    "ari": metrics.adjusted_rand,
}


@st.composite
def partitions(draw, max_size=14):
    n = draw(st.integers(1, max_size))
    k = draw(st.integers(1, 5))
    label = st.integers(0, k - 1)
    return tuple(draw(st.lists(label, min_size=n, max_size=n)) for _ in range(2))


@settings(deadline=None)
@given(partitions())
def test_report_agrees_with_counting_pairs(case):
    report = metrics.clustering_report(*case)
    assert report["purity"] == float(oracle.purity(*case))
    assert report["ri"] == float(oracle.rand_index(*case))
    assert report["f1"] == float(oracle.pairwise_f1(*case))
    assert report["ari"] == pytest.approx(float(oracle.adjusted_rand(*case)), abs=1e-14)
    assert report["nmi"] == pytest.approx(oracle.nmi(*case, "arithmetic"), abs=1e-12)
    assert report["nmi_geometric"] == pytest.approx(oracle.nmi(*case, "geometric"), abs=1e-12)


@settings(deadline=None)
@given(partitions(40))
def test_report_agrees_with_scikit_learn(case):
    report = metrics.clustering_report(*case)
    assert report["ri"] == pytest.approx(sklearn_metrics.rand_score(*case), abs=1e-14)
    assert report["ari"] == pytest.approx(sklearn_metrics.adjusted_rand_score(*case), abs=1e-14)
    for key, mean in (("nmi", "arithmetic"), ("nmi_geometric", "geometric")):
        expected = sklearn_metrics.normalized_mutual_info_score(*case, average_method=mean)
        assert report[key] == pytest.approx(expected, abs=1e-12)


@settings(deadline=None)
@given(partitions())
def test_single_scores_are_those_of_the_report(case):
    report = metrics.clustering_report(*case)
    assert list(report) == list(SCORES)
    for key, score in SCORES.items():
        assert score(*case) == report[key]
        assert type(report[key]) is float


@settings(deadline=None)
@given(partitions(), st.permutations(range(5)), st.randoms(use_true_random=False))
def test_names_and_order_mean_nothing(case, renamed, random):
    y_true, labels = case
    report = metrics.clustering_report(y_true, labels)
    order = list(range(len(labels)))
    random.shuffle(order)
    shuffled = [y_true[i] for i in order]
    other = metrics.clustering_report(shuffled, [f"cluster {renamed[labels[i]]}" for i in order])
    assert other == pytest.approx(report, abs=1e-13)


@settings(deadline=None)
@given(partitions())
def test_scores_stay_in_range_and_rank_as_they_must(case):
    report = metrics.clustering_report(*case)
    for key in ("purity", "nmi", "nmi_geometric", "ri", "f1"):
        assert 0 <= report[key] <= 1
    assert -0.5 <= report["ari"] <= 1
    assert report["nmi"] <= report["nmi_geometric"] + 1e-12


@settings(deadline=None)
@given(st.lists(st.integers(0, 6), min_size=1, max_size=30))
def test_the_same_partition_scores_exactly_1(y_true):
    report = metrics.clustering_report(y_true, [f"_{y}" for y in y_true])
    assert set(report.values()) == {1.0}


def test_one_cluster_says_nothing():
    report = metrics.clustering_report([0, 0, 1, 1, 2, 2], [7] * 6)
    assert report["nmi"] == report["nmi_geometric"] == report["ari"] == 0
    assert report["purity"] == pytest.approx(1 / 3)


def test_trivial_partitions_that_agree_score_1():
    for labels in ([0, 0, 0], [0, 1, 2], [5]):
        assert set(metrics.clustering_report(labels, labels).values()) == {1.0}


def test_random_labels_have_an_ari_of_about_0(rng):
    y_true, labels = rng.integers(0, 15, 5000), rng.integers(0, 15, 5000)
    report = metrics.clustering_report(y_true, labels)
    assert abs(report["ari"]) < 0.003
    assert report["ri"] > 0.85  # which is why the plain index is of little use


def test_many_items_are_counted_exactly():
    n = 200_000
    y_true, labels = np.zeros(n, dtype=np.int8), np.arange(n) % 2
    half = n // 2
    tp, pairs = half * (half - 1), n * (n - 1) // 2
    report = metrics.clustering_report(y_true, labels)
    assert report["ri"] == tp / pairs
    assert report["f1"] == 2 * tp / (tp + pairs)
    assert report["ari"] == 0
    # Products of pair counts pass 2**63 here.
    shifted = (np.arange(n) + 1) // 2 % 2
    expected = sklearn_metrics.adjusted_rand_score(labels, shifted)
    assert metrics.adjusted_rand(labels, shifted) == pytest.approx(expected, abs=1e-15)


@settings(deadline=None)
@given(partitions())
def test_share_of_same_class_pairs(case):
    y_true, _ = case
    if len(y_true) > 1:
        tp, fn, fp, tn = oracle.pair_counts(y_true, y_true)
        assert metrics.same_class_share(y_true) == tp / (tp + fn + fp + tn)


def test_share_of_same_class_pairs_needs_a_pair():
    with pytest.raises(ValueError, match="no pairs"):
        metrics.same_class_share([3])


@pytest.mark.parametrize(
    "labels",
    [
        [1, 1, 2],
        (1, 1, 2),
        np.array([1.0, 1.0, 2.0]),
        np.array([1, 1, 2], dtype=np.uint8),
        np.array(["a", "a", "b"]),
        np.array(["a", "a", "b"], dtype=object),
        [np.str_("a"), "a", "b"],
        [True, True, False],
        [2**80, 2**80, 5],
        [np.array(4), 4, np.int8(-1)],
        pd.Series(["a", "a", "b"], dtype="category"),
        pd.Series(["a", "a", "b"], dtype="string"),
    ],
)
def test_forms_of_labels(labels):
    assert metrics.adjusted_rand(["x", "x", "y"], labels) == 1


@pytest.mark.parametrize("call", [metrics.clustering_report, *SCORES.values()])
def test_different_lengths_are_refused(call):
    with pytest.raises(ValueError, match=r"y_true has 3 items but labels have 2\. Give the class"):
        call([0, 1, 2], [0, 1])


@pytest.mark.parametrize(
    ("labels", "error", "message"),
    [
        ([], ValueError, "labels is empty"),
        ([[0, 1], [1, 0]], ValueError, "one-dimensional"),
        ([[0, 1], [1]], ValueError, "one-dimensional"),
        (np.zeros((2, 2)), ValueError, r"one-dimensional.*shape \(2, 2\)"),
        (3, ValueError, "one-dimensional"),
        ([0, float("nan")], ValueError, r"Item 1 of labels is nan\. Labels are whole numbers"),
        (["a", float("nan")], ValueError, "Item 1 of labels is nan"),
        (["a", None], ValueError, "Item 1 of labels is None"),
        (pd.Series(["a", pd.NA], dtype="string"), ValueError, "Item 1 of labels is <NA>"),
        ([0, float("inf")], ValueError, "Item 1 of labels is inf"),
        ([0.5, 1.0], ValueError, r"Item 0 of labels is 0\.5"),
        ([0, "0"], TypeError, "mixes strings and numbers"),
        (np.array([1j, 2]), TypeError, "dtype complex128"),
        (np.array(["2020-01-01", "2020-01-02"], dtype="M8[D]"), TypeError, "datetime64"),
    ],
)
def test_bad_labels_are_refused(labels, error, message):
    with pytest.raises(error, match=message):
        metrics.clustering_report([0, 1], labels)
