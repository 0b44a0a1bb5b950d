"""Runs in processes: what fails, hangs, dies or hoards takes nothing else with it."""

import subprocess
import sys
import time
from pathlib import Path

import pytest

from conceptforest.datasets import make_trecvid_like, write_feature_file
from conceptforest.experiments.jobs import Job, frozen
from conceptforest.experiments.pool import Bounds, _relieve, _team, run_jobs

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


def test_a_method_gets_as_many_threads_as_a_run_may_have(data):
    job = Job("cluster", "TellsThreads", frozen({}), 0.0, 0)
    found = []
    bounds = Bounds(n_workers=1, n_threads=3)
    run_jobs([job], data, lambda _, cell: found.append(cell), bounds, method_files=[METHODS])
    assert [cell.failure for cell in found] == ["RuntimeError: 3 threads"]


PARENT = """
import sys
from conceptforest.experiments.jobs import Job, frozen
from conceptforest.experiments.pool import Bounds, run_jobs

if __name__ == "__main__":
    jobs = [Job("cluster", name, frozen({}), 0.0, 0) for name in ("Halves", "Sleeps")]

    def done(job, cell):
        print(job.method, flush=True)

    run_jobs(jobs, sys.argv[1], done, Bounds(n_workers=1), method_files=[sys.argv[2]])
"""


@pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="children are read from /proc")
def test_a_run_ends_when_the_parent_is_killed(data, tmp_path):
    script = tmp_path / "parent.py"
    script.write_text(PARENT)
    parent = subprocess.Popen(  # noqa: S603 - ours
        [sys.executable, script, data, METHODS], stdout=subprocess.PIPE, text=True
    )
    assert parent.stdout.readline() == "Halves\n"  # the other one begins now, and sleeps
    children = _children(parent.pid)
    assert children
    parent.kill()
    parent.wait()
    parent.stdout.close()
    until = time.monotonic() + 30
    while any(_runs(child) for child in children) and time.monotonic() < until:
        time.sleep(0.1)
    assert not any(_runs(child) for child in children)


def _children(pid):
    tasks = Path(f"/proc/{pid}/task").glob("*/children")
    return [int(child) for task in tasks for child in task.read_text().split()]


def _runs(pid):
    try:
        return ") Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False


def test_a_process_that_died_idle_is_started_again(data):
    job = Job("cluster", "Halves")
    with _team(Bounds(), data, [METHODS], 1, None) as (worker,):
        for _ in range(2):
            worker.begin(job)
            while (answer := worker.answer(Bounds())) is None:
                time.sleep(0.01)
            assert (answer[0], answer[1].failure) == (job, "")
            worker._process.kill()
            worker._process.join()


class _Holding:
    """Stands in for a process that holds memory."""

    def __init__(self, mb, job=None, begun=0.0):
        self.mb, self.job, self.begun, self.is_fresh = mb, job, begun, False

    def held_mb(self):
        return self.mb

    def stop(self):
        self.mb, self.job = 0.0, None


def test_what_holds_memory_for_nothing_is_stopped_first():
    first, last = Job("cluster", "KMeans"), Job("cluster", "MMC")
    team = [_Holding(60.0, first, 1.0), _Holding(30.0, last, 2.0), _Holding(30.0)]
    assert _relieve(team, Bounds(memory_mb=100.0)) is None
    assert [worker.mb for worker in team] == [60.0, 30.0, 0.0]
    assert _relieve(team, Bounds(memory_mb=80.0)) == last  # to be tried again alone
    assert _relieve(team, Bounds(memory_mb=50.0)) == first  # it may hold what others left
    team = [_Holding(60.0, first)]
    team[0].is_fresh = True
    stopped, cell = _relieve(team, Bounds(memory_mb=50.0))
    assert stopped == first
    assert cell.failure == "it held 60 MB, more than the 50 allowed"
    assert _relieve(team, Bounds(memory_mb=50.0)) is None
