"""The leaderboard on a small collection."""

import importlib
from pathlib import Path

import numpy as np
import pytest

from conceptforest.experiments.plan import Plan
from conceptforest.experiments.scoretable import CLUSTER_COLUMNS, Entry, Row, ScoreTable

FOLDER = Path(__file__).parents[2] / "benchmarks"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="this copy comes without benchmarks")


@pytest.fixture
def leaderboard(monkeypatch):
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module("leaderboard")


@pytest.fixture
def page(leaderboard, tmp_path, capsys):
    options = ["--data", "trecvid-like:120", "--remove", "0", "0.5", "--seeds", "2"]
    options += ["--trees", "10", "--cells", str(tmp_path), "--methods"]
    leaderboard.main([*options, "KMeans,SpClust,Popularity,CoOccurrence,HMLRF,Joint,Joint(tags)"])
    return capsys.readouterr().out


def test_says_every_table_and_where_the_default_stands(page):
    assert page.count("Clusters, ") == 2
    assert page.count("Completion, 40% of each item's tags hidden") == 1
    assert page.count("Where the default stands:") == 3
    assert page.count("conceptforest, default") >= 3
    assert "K-means" in page
    assert "co-occurrence" in page
    assert "runs are missing" not in page
    assert "- NMI: place" in page
    assert "- AP@1: place" in page


def test_all_methods_are_in_without_a_choice(leaderboard):
    class Subject:
        published = None

        class collection:  # noqa: N801
            layers = None
            truth = None

    tables = leaderboard.tables_of(Plan(Subject()), [0.0, 0.3])
    titles = [{row.title for row in rows} for _, _, rows in tables]
    assert len(tables) == 3
    assert titles[0] == titles[1]
    assert {"DCCAE", "Leiden", "HML-RF", "conceptforest, default"} <= titles[0]
    assert {"LSR", "TCMR", "HML-RF(AM)", "conceptforest, default"} <= titles[2]


def test_tables_without_rows_are_left_out(leaderboard, tmp_path, capsys):
    options = ["--data", "trecvid-like:120", "--remove", "0", "--seeds", "1", "--cells"]
    leaderboard.main([*options, str(tmp_path), "--methods", "KMeans"])
    page = capsys.readouterr().out
    assert "K-means" in page
    assert "Completion" not in page


def test_who_is_ahead_is_named(leaderboard):
    def row(value):
        return [Entry(value, np.nan)] * 5

    rows = [Row("rival", ()), Row(leaderboard.DEFAULT, ()), Row("slow", ())]
    table = ScoreTable("t", CLUSTER_COLUMNS, rows, [row(0.6), row(0.5), row(np.nan)], [""] * 3)
    lines = list(leaderboard.standing(table))
    assert len(lines) == 5
    assert lines[1] == "- NMI: place 2 of 2, 0.500; ahead: rival, 0.600 (-16.7%)"
