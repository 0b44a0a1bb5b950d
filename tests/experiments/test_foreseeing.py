"""What would take too long on a large collection is told from runs on smaller parts."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptforest.datasets import make_trecvid_like, write_feature_file
from conceptforest.experiments import Settings, reproduce
from conceptforest.experiments.cells import Cell, CellStore
from conceptforest.experiments.foreseeing import Growth, too_slow
from conceptforest.experiments.jobs import Job
from conceptforest.experiments.running import code_version_of

JOB = Job("cluster", "KMeans")


@given(
    seconds=st.floats(1, 100),
    share=st.floats(0, 1),
    size=st.integers(10, 10_000),
    times=st.integers(2, 20),
)
def test_parts_that_grow_as_the_number_of_items_and_as_its_square_are_told_apart(
    seconds, share, size, times
):
    def took(times):
        return seconds * ((1 - share) * times + share * times**2)

    growth = Growth([(JOB, size, seconds), (JOB, 2 * size, took(2))])
    assert growth.seconds(JOB, times * size) == pytest.approx(took(times))


def test_the_two_largest_parts_count_and_the_mean_of_their_seeds():
    runs = [(JOB, 10, 500.0), (JOB, 100, 2.0)]
    runs += [(replace(JOB, seed=seed), 200, seconds) for seed, seconds in ((0, 3.0), (1, 5.0))]
    assert Growth(runs).seconds(replace(JOB, seed=7), 400) == pytest.approx(8.0)


@pytest.mark.parametrize(("later", "expected"), [(0.5, 1.0), (8.0, 32.0), (1000.0, 4000.0)])
def test_times_that_grow_strangely_do_not_run_away(later, expected):
    growth = Growth([(JOB, 100, 1.0), (JOB, 200, later)])
    assert growth.seconds(JOB, 400) == pytest.approx(expected)


def test_one_size_tells_the_least():
    growth = Growth([(JOB, 100, 60.0)])
    assert growth.seconds(JOB, 400) == pytest.approx(240.0)
    assert too_slow(growth, JOB, 400, 60.0).failure == (
        "not run: at least 4.0 min foreseen, from 100 items; 1.0 min allowed"
    )


def test_a_part_that_was_stopped_tells_the_least():
    growth = Growth([(JOB, 100, 30.0), (JOB, 200, 60.0)], stopped=[(JOB, 200)])
    assert "at least 2.0 min foreseen" in too_slow(growth, JOB, 400, 30.0).failure


def test_nothing_is_foreseen_from_another_job():
    growth = Growth([(replace(JOB, removed=0.5), 200, 1.0)])
    assert growth.seconds(JOB, 400) is None
    assert too_slow(growth, JOB, 400, 0.1) is None


def test_what_takes_far_longer_than_allowed_is_told_with_its_time():
    growth = Growth([(JOB, 1000, 900.0), (JOB, 2000, 3600.0)])
    cell = too_slow(growth, JOB, 4000, 3600.0)
    assert cell.failure == (
        "not run: about 4.0 h foreseen, from 1,000 and 2,000 items; 1.0 h allowed"
    )
    assert cell.foreseen
    assert cell.took_too_long
    assert too_slow(growth, JOB, 4000, 7200.0) is None, "it may be done in two hours"
    assert too_slow(growth, JOB, 4000, None) is None


def test_parts_are_known_by_name_and_size(tmp_path):
    for data, name, n_items in (("a", "pets", 10), ("b", "pets", 20), ("c", "cars", 20)):
        CellStore(tmp_path, data, name, n_items).put(JOB, Cell({"nmi": 1.0}, seconds=n_items))
    (tmp_path / "damaged.json").write_text("{}")
    found = CellStore(tmp_path, "e", "pets", 40).smaller_parts()
    assert sorted((job, n, cell.seconds) for job, n, cell in found) == [
        (JOB, 10, 10),
        (JOB, 20, 20),
    ]


@pytest.mark.parametrize(
    ("cell", "tells"),
    [
        (Cell({"nmi": 1.0}, seconds=5.0), True),
        (Cell({}, "slow", seconds=10.0, limit=9.0), True),  # at least so long
        (Cell({}, "broken", seconds=5.0), False),
        (Cell({}, "foreseen", seconds=10.0, limit=9.0, facts={"foreseen": True}), False),
    ],
)
def test_which_cells_tell_time(cell, tells):
    assert cell.tells_time is tells


def test_a_reproduction_leaves_out_what_would_take_too_long(tmp_path):
    names = ("KMeans", "SpClust", "MMC")
    settings = Settings(trees=5, seeds=1, methods=names, seconds=3600.0)
    slow, older, elsewhere = (Job("cluster", name, (("mode", "tags"),)) for name in names)
    code = code_version_of("KMeans")
    for n_items, seconds in ((20, 4000.0), (40, 8000.0)):
        store = CellStore(tmp_path / "cells", f"part {n_items}", "whole", n_items)
        store.put(slow, Cell({"nmi": 1.0}, seconds=seconds, code=code))
        store.put(older, Cell({"nmi": 1.0}, seconds=seconds, code="of last year"))
        other = {"code": code_version_of("MMC"), "machine": {"cpu": "a slow one"}}
        store.put(elsewhere, Cell({"nmi": 1.0}, seconds=seconds, **other))
    path = tmp_path / "whole.npz"
    write_feature_file(path, make_trecvid_like(n_items=80, random_state=0))
    found = reproduce(["table1"], str(path), tmp_path, settings=settings)
    assert (found.n_failed, found.n_run) == (1, found.n_jobs - 1)
    table = (tmp_path / "tables" / "table1.md").read_text()
    assert "- tags, K-means: not run: about 4.4 h foreseen, from 20 and 40 items" in table
    page = found.index.read_text()
    assert "0.0 hours of runs in all" in page
    assert reproduce(["table1"], str(path), tmp_path, settings=settings).n_run == 0
    (tmp_path / "out").mkdir()
    kept = {path: path.read_bytes() for path in (tmp_path / "cells").iterdir()}
    options = {"settings": replace(settings, seeds=2), "cells": tmp_path / "cells"}
    seen = reproduce(["table1"], str(path), tmp_path / "out", no_runs=True, **options)
    assert seen.n_run == 0
    assert {path: path.read_bytes() for path in (tmp_path / "cells").iterdir()} == kept
    table = (tmp_path / "out" / "tables" / "table1.md").read_text()
    assert "- tags, K-means: not run: about 4.4 h foreseen, from 20 and 40 items." in table
    assert "- features, K-means: 1 of 2 seeds; not run" in table
    for part in (20, 40):  # without them it is begun after all
        CellStore(tmp_path / "cells", f"part {part}", "whole", part).put(slow, Cell({}, "broken"))
    assert reproduce(["table1"], str(path), tmp_path, settings=settings).n_run == 1
