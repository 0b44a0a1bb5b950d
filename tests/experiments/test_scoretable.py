"""Tables of scores: means, ranks as printed, paired tests, what is missing, and the audit."""

import math

import numpy as np
import pytest
from scipy.stats import ttest_rel

from conceptforest.experiments.by_rate import drop_table, nmi_table
from conceptforest.experiments.cells import Cell
from conceptforest.experiments.jobs import Job, frozen
from conceptforest.experiments.scoretable import (
    CLUSTER_COLUMNS,
    Column,
    Row,
    ScoreTable,
    series_columns,
)
from conceptforest.experiments.table_files import as_markdown

NMI = Column("NMI", lambda scores: float(scores["nmi"]), published=lambda own: own.get("nmi"))


def table(values, columns=(NMI,), **more):
    """Give a table of rows called a, b, ... with values of all seeds; None: not run."""
    cells, rows = {}, []
    for name, runs in zip("abcdefg", values, strict=False):
        jobs = [Job("cluster", name, frozen({}), 0.0, seed) for seed in range(len(runs))]
        rows.append(Row(name, jobs, **more.get(name, {})))
        for job, value in zip(jobs, runs, strict=True):
            if isinstance(value, str):
                cells[job] = Cell({}, value)
            elif value is not None:
                scores = value if isinstance(value, dict) else {"nmi": value}
                cells[job] = Cell(scores, seconds=2.0, peak_mb=50.0)
    return ScoreTable.of("T", columns, rows, cells.get)


def test_means_and_spreads():
    entry = table([[0.1, 0.2, 0.6]]).entries[0][0]
    assert entry.mean == pytest.approx(0.3)
    assert entry.spread == pytest.approx(np.std([0.1, 0.2, 0.6], ddof=1))
    assert math.isnan(table([[0.5]]).entries[0][0].spread)


def test_ranks_are_those_of_what_is_printed():
    found = table([[0.5004], [0.50041], [0.7], [0.3]])
    assert [row[0].rank for row in found.entries] == [2, 2, 1, 0]


def test_minus_nothing_is_nothing():
    down = Column("drop", lambda scores: scores["nmi"], higher=False)
    found = table([[-0.0001], [0.0003], [0.5]], (down,))
    assert [row[0].rank for row in found.entries] == [1, 1, 2]
    assert as_markdown(found).count("| **0.000** |") == 2


def test_of_one_value_none_is_the_best():
    assert [row[0].rank for row in table([[0.5], [0.5]]).entries] == [0, 0]


def test_less_may_be_better():
    down = Column("drop", lambda scores: scores["nmi"], higher=False)
    assert [r[0].rank for r in table([[0.5], [0.2], [0.3]], (down,)).entries] == [0, 1, 2]


def test_close_to_the_best_is_by_a_paired_test():
    best, near, far = [0.50, 0.60, 0.70], [0.49, 0.61, 0.69], [0.40, 0.50, 0.601]
    assert ttest_rel(best, near).pvalue > 0.05 > ttest_rel(best, far).pvalue
    found = table([best, near, far])
    assert [row[0].close for row in found.entries] == [False, True, False]


def test_what_differs_by_the_same_in_every_seed_is_not_close():
    assert not table([[0.5, 0.5], [0.4, 0.4]]).entries[1][0].close


def test_missing_and_failed_runs_are_told():
    found = table([[0.5, None], ["it took more than 3 s", "it took more than 3 s"], [None, None]])
    assert found.states == [
        "1 of 2 seeds; not run",
        "it took more than 3 s",
        "not run",
    ]
    assert found.entries[0][0].mean == 0.5
    assert math.isnan(found.entries[1][0].mean)
    assert math.isnan(found.seconds[2])


def test_published_numbers_stand_beside_ours():
    found = table([[0.5], [0.6]], a={"published": {"nmi": 0.9}})
    assert [row[0].published for row in found.entries] == [0.9, None]


def test_series_are_columns():
    scores = {"ap": [0.5, 0.4, 0.3, 0.2, 0.1]}
    found = table([[scores]], series_columns("ap", "AP"))
    assert [entry.mean for entry in found.entries[0]] == scores["ap"]
    assert [column.title for column in found.columns][::4] == ["AP@1", "AP@5"]


def test_impossible_rows_are_found():
    right = {"purity": 0.5, "nmi": 0.5, "nmi_geometric": 0.5, "ri": 0.96, "f1": 0.32, "ari": 0.3}
    wrong = right | {"ari": 0.45}
    found = table([[wrong]], CLUSTER_COLUMNS)
    assert any("imply an ARI" in remark for remark in found.remarks)
    assert all(remark.startswith("a") for remark in found.remarks)


def test_a_table_may_have_no_rows():
    table = ScoreTable.of("nothing", CLUSTER_COLUMNS, [], lambda _: None)
    assert table.entries == []
    assert table.remarks == []


def test_only_rows_of_all_seeds_are_ranked():
    found = table([[0.5, 0.5], [0.9, None], [0.4, 0.4]])
    assert [row[0].rank for row in found.entries] == [1, 0, 2]
    assert found.entries[1][0].mean == 0.9
    assert not found.entries[1][0].close


def test_drops_tell_what_they_lack():
    jobs = {rate: (Job("cluster", "a", removed=rate),) for rate in (0.0, 0.5)}
    job, other = jobs[0.0][0], jobs[0.5][0]
    nothing = {job: Cell({"nmi": 0.0}), other: Cell({"nmi": 0.0})}
    lost = {job: Cell({"nmi": 0.5}), other: Cell({}, "it broke")}
    tables = [drop_table("T", {"a": jobs}, cells.get, {}) for cells in (nothing, lost)]
    assert all(math.isnan(one.entries[0][0].mean) for one in tables)
    assert [one.states for one in tables] == [[""], ["50% removed: it broke"]]
    whole = nmi_table("T", {"a": jobs}, lost.get)
    assert whole.entries[0][0].mean == 0.5  # the others are not lost with it
    assert [column.title for column in whole.columns] == ["0%", "50%"]
