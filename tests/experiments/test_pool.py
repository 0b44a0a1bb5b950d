"""Runs in processes: what fails, hangs, dies or hoards takes nothing else with it."""

from pathlib import Path

import pytest

from conceptforest.datasets import make_trecvid_like, write_feature_file
from conceptforest.experiments.jobs import Job, frozen
from conceptforest.experiments.pool import Bounds, run_jobs

METHODS = str(Path(__file__).with_name("methods_that_misbehave.py"))


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    path = tmp_path_factory.mktemp("data") / "made.npz"
    write_feature_file(path, make_trecvid_like(n_items=60, random_state=0))
    return path


def test_every_job_gets_its_answer(data):
    names = ["Halves", "Fails", "Sleeps", "Dies", "Hoards"]
    jobs = [Job("cluster", name, frozen({}), 0.0, seed) for seed in (0, 1) for name in names]
    found = {}

    def done(job, cell):
        assert job not in found
        found[job] = cell

    run_jobs(
        jobs,
        data,
        done,
        Bounds(n_workers=2, memory_mb=1800.0, seconds=20.0),
        method_files=[METHODS],
    )
    assert set(found) == set(jobs)
    for job, cell in found.items():
        if job.method == "Halves":
            assert not cell.failure
            assert 0 < cell.scores["nmi"] < 1
            assert cell.peak_mb > 10
        else:
            assert not cell.scores
    failures = {job.method: cell.failure for job, cell in found.items()}
    assert failures["Fails"] == "ZeroDivisionError: one cannot do that"
    assert failures["Sleeps"] == "it took more than 20 s"
    assert failures["Dies"] == "its process died (exit code 3)"
    assert "more than the 1,800 allowed" in failures["Hoards"]
