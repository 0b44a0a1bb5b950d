import threading
import time

import pytest

from conceptforest.in_threads import in_threads


@pytest.mark.parametrize("n_threads", [1, 3])
def test_every_job_has_its_result(n_threads):
    with in_threads(lambda number: number * 2, range(50), n_threads) as results:
        assert dict(results) == {number: number * 2 for number in range(50)}


def test_no_jobs_give_no_results():
    with in_threads(abs, [], 2) as results:
        assert list(results) == []


def test_jobs_are_begun_only_a_little_ahead():
    taken = []

    def jobs():
        for number in range(100):
            taken.append(number)
            yield number

    with in_threads(abs, jobs(), 2) as results:
        for done, _ in enumerate(results):
            assert len(taken) <= done + 4
    assert len(taken) == 100


def test_no_more_run_at_once_than_there_are_threads():
    running, most, lock = set(), [], threading.Lock()

    def work(number):
        with lock:
            running.add(number)
            most.append(len(running))
        time.sleep(0.002)
        with lock:
            running.remove(number)

    with in_threads(work, range(30), 3) as results:
        assert len(list(results)) == 30
    assert max(most) <= 3


def test_an_error_reaches_the_caller():
    def fail(number):
        raise KeyError(number)

    with pytest.raises(KeyError), in_threads(fail, [1], 2) as results:
        list(results)


def test_leaving_early_does_not_wait_for_what_runs():
    gate = threading.Event()

    def work(number):
        if number:
            gate.wait(30)
        return number

    start = time.monotonic()
    with pytest.raises(KeyboardInterrupt), in_threads(work, range(9), 2) as results:  # noqa: PT012
        next(results)
        raise KeyboardInterrupt
    assert time.monotonic() - start < 10
    gate.set()
