"""Scores of tag classifiers are computed once for all methods, and charged to each."""

import numpy as np
import pytest

from conceptforest.baselines import modes
from conceptforest.baselines.detection_scores import detection_scores
from conceptforest.datasets import make_trecvid_like
from conceptforest.experiments.jobs import Job, frozen
from conceptforest.experiments.run_job import run_job
from conceptforest.experiments.shared_scores import shared_scores

MADE = make_trecvid_like(n_items=90, random_state=0)


def job(method, mode, seed=0):
    return Job("cluster", method, frozen({"mode": mode}), 0.0, seed)


def count_fits(monkeypatch):
    calls = []

    def counted(*args, **kwargs):
        calls.append(kwargs)
        return detection_scores(*args, **kwargs)

    monkeypatch.setattr(modes, "detection_scores", counted)
    return calls


@pytest.mark.parametrize("mode", ["scores", "scores_held_out"])
def test_methods_find_the_same_with_shared_scores_and_with_their_own(tmp_path, monkeypatch, mode):
    calls = count_fits(monkeypatch)
    for method in ("KMeans", "SpClust"):
        own = run_job(job(method, mode), MADE)
        shared = run_job(job(method, mode), MADE, shared=tmp_path)
        assert own["scores"] == shared["scores"]
    assert len(calls) == 3  # two of their own, one that both share
    assert modes.detection_scores.__name__ == "counted"  # as it was before


def test_each_run_is_charged_for_what_it_was_lent(tmp_path):
    with shared_scores(tmp_path) as lent:
        modes.detection_scores(MADE.X, MADE.tags)
        assert lent() == 0.0  # its own work
    (path,) = tmp_path.iterdir()
    with np.load(path) as file:
        arrays = dict(file)
    np.savez(path, **arrays | {"seconds": np.array(1000.0)})
    assert run_job(job("KMeans", "scores"), MADE, shared=tmp_path)["seconds"] > 1000


def test_other_tags_features_and_folds_have_scores_of_their_own(tmp_path, monkeypatch):
    calls = count_fits(monkeypatch)
    fewer = MADE.tags.matrix.copy()
    fewer.data[0] = 0
    fewer.eliminate_zeros()
    other = type(MADE.tags)(fewer, MADE.tags.vocabulary)
    with shared_scores(tmp_path):
        for _ in range(2):
            modes.detection_scores(MADE.X, MADE.tags, seed=0)
            modes.detection_scores(MADE.X, MADE.tags, seed=1)  # without folds, the same
            modes.detection_scores(MADE.X, MADE.tags, held_out=True, seed=0)
            modes.detection_scores(MADE.X, MADE.tags, held_out=True, seed=1)
            modes.detection_scores(MADE.X, other)
            modes.detection_scores(MADE.X * np.float32(2) + 1, MADE.tags)
    assert len(calls) == 5


def test_a_damaged_file_is_made_anew(tmp_path, monkeypatch):
    calls = count_fits(monkeypatch)
    with shared_scores(tmp_path):
        first = modes.detection_scores(MADE.X, MADE.tags)
        (path,) = tmp_path.iterdir()
        whole = path.read_bytes()
        for damaged in (b"", whole[: len(whole) // 2], b"PK\x03\x04", whole[:-20]):
            path.write_bytes(damaged)
            again = modes.detection_scores(MADE.X, MADE.tags)
            assert (again[0] == first[0]).all()
            assert (again[1] != first[1]).nnz == 0
    assert len(calls) == 5
    assert path.stat().st_size == len(whole)
