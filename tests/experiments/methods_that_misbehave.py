"""Methods for tests: one that works, and some that do what runs must survive."""

# ruff: noqa: ARG002 - they have the arguments of the contract

import os
import time

import numpy as np

from conceptforest.baselines.contract import ClusteringBaseline, check_threads


class _Made(ClusteringBaseline):
    source = "tests"
    grade = "exact"
    modes = ("vision",)

    def __init__(self, n_clusters=8, mode="vision", random_state=None):
        self.n_clusters = n_clusters
        self.mode = mode
        self.random_state = random_state


class Halves(_Made):
    title = "halves"

    def _cluster(self, X, tags, seed):
        return (np.arange(len(X)) * 2 // len(X)).astype(np.int64)


class Fails(_Made):
    title = "fails"

    def _cluster(self, X, tags, seed):
        raise ZeroDivisionError("one cannot do that")


class TellsThreads(_Made):
    title = "tells threads"

    def __init__(self, n_clusters=8, mode="vision", random_state=None, n_jobs=None):
        super().__init__(n_clusters, mode, random_state)
        self.n_jobs = n_jobs

    def _cluster(self, X, tags, seed):
        raise RuntimeError(f"{check_threads(self.n_jobs)} threads")


class Sleeps(_Made):
    title = "sleeps"

    def _cluster(self, X, tags, seed):
        time.sleep(600)


class Dies(_Made):
    title = "dies"

    def _cluster(self, X, tags, seed):
        os._exit(3)


class Hoards(_Made):
    title = "hoards"

    def _cluster(self, X, tags, seed):
        hoard = []
        for _ in range(600):
            hoard.append(np.ones(10**7))  # 80 MB each
            time.sleep(0.05)
        return np.zeros(len(X), dtype=np.int64)
