import re

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.oracle import metrics as oracle

from conceptforest.metrics import (
    audit,
    clustering_report,
    completion_report,
    implied_ari,
    implied_hidden,
    same_class_share,
)


@st.composite
def partitions(draw):
    n = draw(st.integers(3, 25))
    k = draw(st.integers(1, 6))
    label = st.integers(0, k - 1)
    return tuple(draw(st.lists(label, min_size=n, max_size=n)) for _ in range(2))


def rounded(row, decimals):
    if decimals is None:
        return row
    return {
        key: value if key == "name" else np.round(value, decimals) for key, value in row.items()
    }


def kinds(remarks):
    return [remark.kind for remark in remarks]


@settings(deadline=None, max_examples=150)
@given(partitions(), st.sampled_from([None, 1, 2, 3, 6]), st.floats(0, 0.1), st.floats(0, 0.1))
def test_real_clusterings_are_never_flagged(case, decimals, below, above):
    row = rounded({"name": "real", **clustering_report(*case)}, decimals)
    share = same_class_share(case[0])
    interval = (max(0.0, share - below), min(1.0, share + above))
    for same_class in (share, interval, None):
        assert audit([row], same_class=same_class, decimals=decimals) == []


@settings(deadline=None, max_examples=100)
@given(partitions(), st.sampled_from([None, 3, 4]), st.sampled_from([-0.1, 0.1]))
def test_a_changed_ari_is_flagged(case, decimals, change):
    report = clustering_report(*case)
    assume(report["f1"] < 0.99 and 0.01 < same_class_share(case[0]) < 0.99)
    ari = report["ari"] + change
    assume(-0.5 <= ari <= 1)
    row = rounded({"name": "changed", **report, "ari": ari}, decimals)
    remarks = audit([row], same_class=same_class_share(case[0]), decimals=decimals)
    assert kinds(remarks) == ["ari"]


@settings(deadline=None, max_examples=100)
@given(partitions())
def test_exact_scores_imply_the_exact_ari(case):
    assume(0 < same_class_share(case[0]) < 1)  # else 0 and 1 both go with an RI and F1 of 1
    report = clustering_report(*case)
    low, high = implied_ari(report["ri"], report["f1"], same_class_share(case[0]))
    assert low == pytest.approx(report["ari"], abs=1e-6)
    assert high == pytest.approx(report["ari"], abs=1e-6)


@settings(deadline=None, max_examples=40)
@given(
    st.integers(0, 100).map(lambda x: x / 100),
    st.integers(0, 100).map(lambda x: x / 100),
    st.floats(0.01, 0.9),
    st.floats(0, 0.3),
)
def test_implied_range_is_that_of_a_scan(ri, f1, low, width):
    share = (low, min(1.0, low + width))
    found = implied_ari(ri, f1, share, decimals=2)
    scanned = [
        oracle.implied_ari(r, f, p)
        for r in np.linspace(max(0, ri - 0.005), min(1 - 1e-6, ri + 0.005), 15)
        for f in np.linspace(max(0, f1 - 0.005), min(1 - 1e-6, f1 + 0.005), 15)
        for p in np.linspace(*share, 15)
    ]
    scanned = [value for value in scanned if value is not None]
    if found is None:
        assert scanned == []
        return
    assert found[0] <= found[1]
    if scanned:
        assert found[0] - 1e-6 <= min(scanned)
        assert max(scanned) <= found[1] + 1e-6


def test_implied_range_is_not_too_wide():
    """Where all of the box is possible, the ends are those of its corners and edges."""
    scan = [
        oracle.implied_ari(r, f, p)
        for r in np.linspace(0.945, 0.955, 21)
        for f in np.linspace(0.595, 0.605, 21)
        for p in np.linspace(0.05, 0.07, 41)
    ]
    assert None not in scan
    low, high = implied_ari(0.95, 0.60, (0.05, 0.07), decimals=2)
    assert low == pytest.approx(min(scan), abs=1e-6)
    assert high == pytest.approx(max(scan), abs=1e-6)


TRECVID = (0.067, 0.085)
NUS_WIDE = (0.033, 0.053)


@pytest.mark.parametrize(
    ("share", "ri", "f1", "ari", "low", "high"),
    [
        (TRECVID, 0.98, 0.88, 0.87, 0.862, 0.877),  # HML-RF
        (TRECVID, 0.86, 0.30, 0.23, 0.217, 0.238),  # K-means, BiTag
        (NUS_WIDE, 0.77, 0.20, 0.15, 0.119, 0.156),  # K-means, BiTag
    ],
)
def test_rows_of_the_paper_that_are_possible(share, ri, f1, ari, low, high):
    found = implied_ari(ri, f1, share, decimals=2)
    assert found == pytest.approx((low, high), abs=0.0006)
    row = {"name": "row", "ri": ri, "f1": f1, "ari": ari}
    assert audit([row], same_class=share, decimals=2) == []


IMPOSSIBLE = [
    ("HML-RF", NUS_WIDE, 0.96, 0.32, 0.45, 0.29, 0.31),
    ("HML-RF, 5 layers", NUS_WIDE, 0.96, 0.35, 0.48, 0.32, 0.34),
    ("CCA", NUS_WIDE, 0.95, 0.24, 0.28, 0.21, 0.23),
    ("3VCCA", NUS_WIDE, 0.96, 0.25, 0.32, 0.22, 0.25),
    ("MMC, BiTag", NUS_WIDE, 0.94, 0.24, 0.40, 0.20, 0.22),
    ("MMC, DetScore", NUS_WIDE, 0.95, 0.25, 0.41, 0.22, 0.24),
    ("ClustRF, BiTag", NUS_WIDE, 0.90, 0.15, 0.33, 0.09, 0.11),
    ("ClustRF, DetScore", NUS_WIDE, 0.92, 0.17, 0.35, 0.12, 0.14),
    ("AffProp, BiTag", NUS_WIDE, 0.76, 0.15, 0.16, 0.06, 0.10),
    ("AffProp, DetScore", NUS_WIDE, 0.78, 0.17, 0.18, 0.09, 0.12),
    ("SpClust, BiTag", TRECVID, 0.93, 0.56, 0.60, 0.51, 0.53),
    ("SpClust-cmb", TRECVID, 0.94, 0.62, 0.66, 0.58, 0.60),
    ("CC-Forest", TRECVID, 0.89, 0.41, 0.19, 0.34, 0.36),
    ("K-means-cmb", TRECVID, 0.90, 0.34, 0.24, 0.28, 0.295),
    ("MMC-bln", TRECVID, 0.95, 0.66, 0.66, 0.625, 0.643),
]


@pytest.mark.parametrize(("name", "share", "ri", "f1", "ari", "low", "high"), IMPOSSIBLE)
def test_rows_of_the_paper_that_are_not_possible(name, share, ri, f1, ari, low, high):
    found = implied_ari(ri, f1, share, decimals=2)
    assert found == pytest.approx((low, high), abs=0.006)
    row = {"name": name, "ri": ri, "f1": f1, "ari": ari}
    (remark,) = audit([row], same_class=share, decimals=2, tolerance=0.01)
    assert (remark.row, remark.kind) == (name, "ari")
    assert f"{found[0]:.3f} to {found[1]:.3f}; reported is {ari:.2f}" in remark.text


@pytest.mark.parametrize(("ri", "f1", "ari"), [(0.88, 0.15, 0.07), (0.95, 0.64, 0.60)])
def test_tolerance_lets_near_misses_pass(ri, f1, ari):
    row = {"name": "SpClust, ViFeat; MMC, BiTag", "ri": ri, "f1": f1, "ari": ari}
    assert kinds(audit([row], same_class=TRECVID, decimals=2)) == ["ari"]
    assert audit([row], same_class=TRECVID, decimals=2, tolerance=0.01) == []


def test_scores_without_a_clustering_are_flagged():
    row = {"name": "row", "ri": 0.5, "f1": 0.9}
    (remark,) = audit([row], same_class=0.1)
    assert remark.kind == "pairs"
    assert "RI 0.5 and F1 0.9 are not possible together" in str(remark)
    assert implied_ari(0.5, 0.9, 0.1) is None
    assert implied_ari(0.98, 1.0, (0.05, 0.1)) is None


def test_tolerance_applies_where_averages_are_just_not_possible():
    # The pairs that share class and cluster would be 0.05 of all, more than share the class.
    row = {"name": "average", "ri": 0.9, "f1": 0.5, "ari": 0.46}
    assert kinds(audit([row], same_class=0.0499)) == ["pairs"]
    assert audit([row], same_class=0.0499, tolerance=0.01) == []
    remarks = audit([{**row, "ari": 0.4}], same_class=0.0499, tolerance=0.01)
    assert kinds(remarks) == ["ari"]


@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**6), st.sampled_from([None, 1, 2, 3]), st.integers(1, 6))
def test_real_completions_are_never_flagged(seed, decimals, max_n):
    rng = np.random.default_rng(seed)
    n, m = rng.integers(1, 30), rng.integers(2, 12)
    observed = rng.random((n, m)) < 0.2
    truth = observed | (rng.random((n, m)) < rng.random())
    truth[0], observed[0] = True, False
    scores = rng.random((n, m)) + truth * rng.random()
    report = completion_report(scores, observed, truth, max_n=max_n)
    row = {key: report[key] for key in ("ap", "ar", "coverage")}
    assert audit([{"name": "real", **rounded(row, decimals)}], decimals=decimals) == []


NUS_COMPLETION = {
    "MMC(GC)": (
        [0.10, 0.09, 0.09, 0.07, 0.07],
        [0.06, 0.07, 0.11, 0.12, 0.17],
        [0.10, 0.15, 0.18, 0.24, 0.23],
    ),
    "AASC(GC)": (
        [0.09, 0.09, 0.09, 0.07, 0.07],
        [0.05, 0.07, 0.10, 0.12, 0.15],
        [0.09, 0.14, 0.17, 0.22, 0.22],
    ),
    "HML-RF(AM)": (
        [0.34, 0.24, 0.20, 0.17, 0.15],
        [0.18, 0.24, 0.28, 0.30, 0.32],
        [0.34, 0.41, 0.45, 0.48, 0.50],
    ),
}


def test_coverage_of_the_paper_that_falls():
    rows = [
        {"name": name, "ap": ap, "ar": ar, "coverage": coverage}
        for name, (ap, ar, coverage) in NUS_COMPLETION.items()
    ]
    remarks = audit(rows, decimals=2)
    assert {remark.row for remark in remarks} == {"MMC(GC)"}
    assert kinds(remarks) == ["falls", "rises"]
    assert "Coverage@4 is 0.24 and Coverage@5 is 0.23" in remarks[0].text
    # It rises too fast just before, so the 0.24 is the likelier misprint.
    assert "can rise by 0.045 at most; reported are 0.18 and 0.24" in remarks[1].text


def test_recall_of_the_paper_is_not_pooled():
    ap, ar, _ = NUS_COMPLETION["HML-RF(AM)"]
    found = implied_hidden(ap, ar, decimals=2)
    assert found.shape == (5, 2)
    np.testing.assert_allclose(found[0], [1.81, 1.97], atol=0.005)
    np.testing.assert_allclose(found[4], [2.23, 2.46], atol=0.005)
    assert found[0, 1] < found[4, 0]


def test_pooled_recall_implies_one_number():
    hits = np.array([30, 50, 60])
    found = implied_hidden(hits / 100 / [1, 2, 3], hits / 230)
    np.testing.assert_allclose(found, 2.3)


def test_rows_of_the_depth_study_are_identical():
    metrics = ("purity", "nmi", "ri", "f1")
    values = {
        "4": (0.70, 0.69, 0.96, 0.35),
        "5": (0.71, 0.70, 0.96, 0.35),
        "6": (0.71, 0.70, 0.96, 0.35),
        "7": (0.71, 0.70, 0.96, 0.35),
    }
    rows = [{"name": n, **dict(zip(metrics, v, strict=True))} for n, v in values.items()]
    assert audit(rows, decimals=2) == []
    remarks = audit(rows, decimals=2, distinct=True)
    assert [(remark.row, remark.kind) for remark in remarks] == [
        ("6", "identical"),
        ("7", "identical"),
    ]
    assert "(purity, NMI, RI, F1) are the same as those of '5'" in remarks[0].text


def test_rows_with_different_scores_are_not_identical():
    rows = [{"name": "a", "nmi": 0.5}, {"name": "b", "purity": 0.5}, {"name": "a", "nmi": 0.6}]
    assert audit(rows, distinct=True) == []


@pytest.mark.parametrize(
    ("row", "kind", "text"),
    [
        ({"ri": 1.01}, "range", r"RI is 1\.01; it lies in 0 to 1"),
        ({"ari": -0.6}, "range", r"ARI is -0\.6; it lies in -0\.5 to 1"),
        ({"coverage": [0.5, 1.2]}, "range", r"Coverage@2 is 1\.2"),
        ({"nmi": 0.6, "nmi_geometric": 0.5}, "nmi", r"0\.5 is at least the arithmetic one"),
        ({"ap": [0.3], "coverage": [0.31]}, "first", r"AP@1 is 0\.3 and Coverage@1 is 0\.31"),
        ({"ar": [0.3, 0.2]}, "falls", r"AR@1 is 0\.3 and AR@2 is 0\.2"),
        ({"ap": [0.5, 0.2]}, "falls", r"from 0\.5 at N = 1 to 0\.4 at N = 2"),
        ({"ap": [0.1, 0.6]}, "rises", "at most one more hit"),
        ({"ap": [0.2, 0.15], "ar": [0.1, 0.3]}, "rises", r"AR can rise by 0\.1 at most"),
        ({"ar": [0.4], "coverage": [0.3]}, "bounds", r"AR@1 is at most Coverage@1"),
        (
            {"ap": [0.3, 0.4], "coverage": [0.3, 0.35]},
            "bounds",
            r"AP@2 is at most Coverage@2, which is 0\.35; reported is 0\.4",
        ),
    ],
)
def test_each_identity(row, kind, text):
    (remark,) = audit([{"name": "row", **row}])
    assert remark.kind == kind
    assert re.search(text, remark.text)


def test_coverage_above_the_number_of_hits():
    remarks = audit([{"name": "row", "ap": [0.2, 0.15], "coverage": [0.2, 0.35]}])
    assert kinds(remarks) == ["rises", "bounds"]
    assert "implies a Coverage@2 of at most 0.3; reported is 0.35" in remarks[1].text


def test_rounding_is_given_the_benefit_of_the_doubt():
    row = {"name": "row", "ap": [0.5, 0.25, 0.16], "coverage": [0.5, 0.5, 0.5]}
    assert audit([row], decimals=2) == []  # 3 x 0.16 is less than 0.5, 3 x 0.165 is not
    assert "falls" in kinds(audit([row]))


def test_scores_that_are_not_reported_are_left_out():
    row = {"name": "row", "ri": 0.96, "f1": 0.32, "ari": None, "nmi": float("nan"), "seed": 3}
    assert audit([row], same_class=NUS_WIDE, decimals=2) == []


@pytest.mark.parametrize(
    ("row", "error", "message"),
    [
        ({"ri": 0.5}, ValueError, "Row 0 has the name None. Give each row a name"),
        ({"name": "x"}, ValueError, "Row 'x' has no score. Give it any of purity"),
        ({"name": "x", "ARI": 0.5}, ValueError, "The key 'ARI' of row 'x' is written 'ari'"),
        ({"name": "x", "ri": "0.5"}, TypeError, "ri of row 'x' is '0.5' of type str"),
        ({"name": "x", "ri": float("inf")}, ValueError, "ri of row 'x' is inf"),
        ({"name": "x", "ap": 0.5}, ValueError, "ap of row 'x' is 0.5. Give a list"),
        ({"name": "x", "ap": [0.5, None]}, ValueError, "Give a list of finite numbers"),
        ({"name": "x", "ap": []}, ValueError, "Give a list of finite numbers"),
        ({"name": "x", "ri": 0.123}, ValueError, "ri of row 'x' is .*more than the 2 decimals"),
        ("x", TypeError, "Row 0 is of type str. Give a list of mappings"),
    ],
)
def test_bad_rows_are_refused(row, error, message):
    with pytest.raises(error, match=message):
        audit([row], decimals=2)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"same_class": 1.5}, ValueError, "same_class is 1.5. Give the share"),
        ({"same_class": (0.2, 0.1)}, ValueError, r"same_class is \(0.2, 0.1\)"),
        ({"same_class": "x"}, TypeError, "same_class is 'x'"),
        ({"decimals": -1}, ValueError, "decimals is -1"),
        ({"decimals": 2.0}, ValueError, "decimals is 2.0"),
        ({"tolerance": -0.1}, ValueError, "tolerance is -0.1"),
        ({"tolerance": None}, TypeError, "tolerance is None"),
    ],
)
def test_bad_options_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        audit([{"name": "x", "ri": 0.5}], **options)


def test_bad_numbers_for_implied_scores_are_refused():
    with pytest.raises(ValueError, match=r"f1 is 1\.2; it lies between 0 and 1"):
        implied_ari(0.5, 1.2)
    with pytest.raises(ValueError, match="ap has 2 values but ar has 1"):
        implied_hidden([0.1, 0.1], [0.1])
