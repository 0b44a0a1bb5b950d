"""How long runs will take: by their like, what is foreseen, their method, or the rest."""

from dataclasses import replace

import pytest

from conceptforest.experiments.jobs import Job, frozen
from conceptforest.experiments.watching import Estimate

JOB = Job("cluster", "KMeans", frozen({"mode": "tags"}))
OF_THE_METHOD = replace(JOB, params=frozen({"mode": "vision"}))
OTHER = Job("cluster", "SpClust")


def test_nothing_is_known_at_first():
    assert Estimate().of(JOB) > 0


def test_what_is_closest_counts():
    estimate = Estimate({OF_THE_METHOD: 7.0}.get)
    estimate.learn(OTHER, 100.0)
    assert estimate.of(JOB) == 100.0
    estimate.learn(OF_THE_METHOD, 3.0)
    assert estimate.of(JOB) == 3.0
    assert estimate.of(OF_THE_METHOD) == 3.0, "a run itself counts more than what was foreseen"
    estimate.learn(replace(JOB, seed=1), 1.0)
    assert estimate.of(JOB) == 1.0


def test_what_is_foreseen_counts_more_than_other_settings():
    estimate = Estimate({JOB: 7.0}.get)
    estimate.learn(OF_THE_METHOD, 3.0)
    assert estimate.of(JOB) == 7.0


def test_several_runs_are_averaged():
    estimate = Estimate()
    for seed, seconds in enumerate((1.0, 2.0, 6.0)):
        estimate.learn(replace(JOB, seed=seed), seconds)
    assert estimate.of(replace(JOB, seed=9)) == pytest.approx(3.0)
