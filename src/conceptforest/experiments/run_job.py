"""One job: take tags away, run the method on what is left, score it against what is known."""

from __future__ import annotations

import time
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest import metrics
from conceptforest.experiments.building import Task
from conceptforest.experiments.jobs import CLUSTER
from conceptforest.experiments.methods import METHODS
from conceptforest.experiments.shared_scores import shared_scores
from conceptforest.tags import hide_tags, remove_tags

if TYPE_CHECKING:
    from pathlib import Path

    from conceptforest.datasets import Collection
    from conceptforest.experiments.jobs import Job

__all__ = ["MAX_N", "run_job"]

MAX_N = 5
_TOLD = ("n_clusters_", "n_noise_", "resolution_", "tuned_", "objective_", "weights_")


def run_job(
    job: Job, collection: Collection, *, n_jobs: int = 1, shared: Path | None = None
) -> dict[str, Any]:
    """Run a job.

    Parameters
    ----------
    job : Job
    collection : Collection
        With classes, for a job that clusters.
    n_jobs : int, default=1
    shared : Path or None, default=None
        Folder of what several jobs use (:func:`shared_scores`).

    Returns
    -------
    dict
        `scores` as :mod:`conceptforest.metrics` gives them, `facts` that the method tells of
        itself, and `seconds` of fitting, those of what was shared included.

    Examples
    --------
    >>> from conceptforest.datasets import make_trecvid_like
    >>> from conceptforest.experiments.jobs import Job
    >>> found = run_job(Job("cluster", "KMeans"), make_trecvid_like(n_items=60, random_state=0))
    >>> sorted(found["scores"])[:3]
    ['ari', 'f1', 'nmi']
    """
    take_away = (
        remove_tags if job.task == CLUSTER else lambda t, share, **kw: hide_tags(t, 1 - share, **kw)
    )
    tags = take_away(collection.tags, job.removed, random_state=job.seed)
    labels = collection.labels
    n_clusters = 8 if labels is None else len(np.unique(labels))
    task = Task(n_clusters, collection.layers, job.seed, n_jobs)
    method = METHODS[job.method].build(task, dict(job.params))
    with warnings.catch_warnings(record=True) as caught, shared_scores(shared) as lent:
        warnings.simplefilter("always")
        begun = time.perf_counter()
        method.fit(collection.X, tags)
        seconds = time.perf_counter() - begun + lent()
    facts = {name: _plain(getattr(method, name)) for name in _TOLD if hasattr(method, name)}
    said = sorted({str(one.message) for one in caught if issubclass(one.category, UserWarning)})
    if said:
        facts["warnings"] = said
    if job.task == CLUSTER:
        report: Any = metrics.clustering_report(labels, method.labels_)
        facts |= {"n_found": int(method.labels_.max()) + 1}
        facts["same_class"] = metrics.same_class_share(labels)
    else:
        truth = collection.tags if collection.truth is None else collection.truth
        report = metrics.completion_report(
            method.scores_, tags, truth, candidates=_judged(collection), max_n=MAX_N
        )
    scores = {name: _plain(value) for name, value in report.items()}
    return {"scores": scores, "facts": facts, "seconds": seconds}


def _judged(collection: Collection) -> Any:
    """Give the tags that count where the true ones are known: those that some item lacks."""
    if collection.truth is None:
        return None
    lacking = collection.truth.matrix.astype(np.int8) - collection.tags.matrix.astype(np.int8)
    return np.flatnonzero((lacking > 0).sum(axis=0)).tolist()


def _plain(value: Any) -> Any:
    """Give values as JSON takes them."""
    if isinstance(value, np.ndarray):
        return value.tolist()
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, dict):
        return {str(key): _plain(one) for key, one in value.items()}
    return [_plain(one) for one in value] if isinstance(value, list | tuple) else value
