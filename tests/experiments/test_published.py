"""The paper's numbers, and which of them cannot be."""

from conceptforest.baselines import CLUSTERING, COMPLETION
from conceptforest.experiments.methods import METHODS
from conceptforest.experiments.published import published, published_for, remarks


def test_every_name_is_that_of_a_method():
    for tables in published().values():
        for methods in tables["clustering"].values():
            assert set(methods) <= {*CLUSTERING, "HMLRF"}
        assert set(tables["completion"]) <= {*COMPLETION, *METHODS}
        for mode, methods in tables["clustering"].items():
            for name in set(methods) - {"HMLRF"}:
                assert mode in CLUSTERING[name].modes


def test_numbers_that_are_well_known():
    trecvid, nus = published()["trecvid-med"], published()["nus-wide"]
    assert trecvid["clustering"]["balanced"]["HMLRF"]["nmi"] == 0.90
    assert trecvid["clustering"]["scores"]["LMMC"]["ari"] is None
    assert nus["completion"]["HMLRF(AM)"]["coverage"][4] == 0.50
    assert len(nus["layers"]) == 6


def test_ap_and_coverage_at_one_agree_everywhere():
    for tables in published().values():
        for scores in tables["completion"].values():
            assert scores["ap"][0] == scores["coverage"][0]


def test_the_audit_finds_the_rows_that_cannot_be():
    rows = {str(remark).split(":")[1].strip() for remark in remarks()["nus-wide"]}
    assert {"HMLRF", "CCA", "ThreeViewCCA", "MMC", "ClustRF"} <= rows
    assert "KMeans" not in rows


def test_twins_stand_beside_what_they_are_like():
    assert published_for("trecvid-like") is published()["trecvid-med"]
    assert published_for("nus-wide") is published()["nus-wide"]
    assert published_for("corel5k") is None
    assert published_for("") is None
