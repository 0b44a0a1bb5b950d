"""What figures show of a fitted model: computed once, and kept as arrays beside the results."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from conceptforest.completion import TagCompletion
from conceptforest.experiments import building
from conceptforest.experiments.building import Task
from conceptforest.experiments.code_version import code_version
from conceptforest.experiments.completion import own_layers
from conceptforest.experiments.kept_arrays import keep_arrays, kept_arrays
from conceptforest.experiments.methods import METHODS
from conceptforest.metrics import ranked_tags
from conceptforest.structure.clustering import ConceptClustering
from conceptforest.structure.layout import lay_out
from conceptforest.tags import hide_tags, remove_tags

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from conceptforest.experiments.jobs import Job
    from conceptforest.experiments.plan import Plan

__all__ = [
    "ClusterLook",
    "CompletionLook",
    "cluster_run",
    "completion_run",
    "look_at_clusters",
    "look_at_completion",
]

_CENTRAL = 12  # items of a cluster
_SHOWN_BY = ("conceptforest.structure.layout", "conceptforest.metrics", "conceptforest.tags.hiding")


@dataclass(frozen=True, eq=False)
class ClusterLook:
    """The paper's clusters of a collection.

    Attributes
    ----------
    labels : ndarray of shape (n_items,), int64
    central : ndarray of shape (n_clusters, 12), int64
        The most typical items of each; -1 where there are no more.
    names : list of str
    graph : csr_array of shape (n_items, n_items)
        Affinities of neighbours.
    places : ndarray of shape (n_items, 2), float32
        On a map.
    tags : csr_array of shape (n_items, n_tags)
        Tags that were left.
    """

    labels: NDArray[np.int64]
    central: NDArray[np.int64]
    names: list[str]
    graph: Any
    places: NDArray[np.float32]
    tags: Any


@dataclass(frozen=True, eq=False)
class CompletionLook:
    """What the paper's completion by affinity suggests.

    Attributes
    ----------
    observed : csr_array of shape (n_items, n_tags)
        Tags that were left in sight.
    first : ndarray of shape (n_items, n), int32
        The tags suggested first, as columns; -1 where there are no more.
    """

    observed: Any
    first: NDArray[np.int32]


def cluster_run(plan: Plan, removed: float) -> Job:
    """Name the run whose clusters figures show."""
    return plan.jobs("HMLRF", removed=removed)[0]


def completion_run(plan: Plan) -> Job:
    """Name the run whose completed tags a figure shows."""
    return plan.jobs("HMLRF(AM)", layers=own_layers(plan))[0]


def look_at_clusters(plan: Plan, folder: Path, removed: float, *, n_jobs: int) -> ClusterLook:
    """Fit the paper's clustering with a share of the tags removed, or find what it gave before."""
    job = cluster_run(plan, removed)
    tags = remove_tags(plan.subject.collection.tags, removed, random_state=0)

    def make() -> dict[str, Any]:
        clusters: ConceptClustering = _build(plan, job, n_jobs).fit(plan.subject.collection.X, tags)
        summary = clusters.cluster_summary(top=_CENTRAL)
        central = np.full((len(summary), _CENTRAL), -1, dtype=np.int64)
        for row, items in zip(central, summary["central"], strict=True):
            row[: len(items)] = items
        graph = clusters.graph_
        return {
            "labels": clusters.labels_,
            "central": central,
            "names": np.array(json.dumps(list(clusters.cluster_names_))),
            "data": graph.data,
            "indices": graph.indices,
            "indptr": graph.indptr,
            "places": lay_out(graph, embedding=clusters.embedding_),
        }

    found = _kept(plan, folder, job, ConceptClustering.__module__, make)
    n = len(found["labels"])
    graph = sparse.csr_array((found["data"], found["indices"], found["indptr"]), shape=(n, n))
    names = json.loads(str(found["names"]))
    return ClusterLook(
        found["labels"], found["central"], names, graph, found["places"], tags.matrix
    )


def look_at_completion(plan: Plan, folder: Path, *, n: int = 3, n_jobs: int) -> CompletionLook:
    """Fit the paper's completion by affinity to a share of the tags, or find what it gave."""
    job = completion_run(plan)
    collection = plan.subject.collection
    tags = hide_tags(collection.tags, 1 - plan.hidden, random_state=0)

    def make() -> dict[str, Any]:
        completion: TagCompletion = _build(plan, job, n_jobs).fit(collection.X, tags)
        return {"first": ranked_tags(completion.scores_, tags, max_n=n)}

    found = _kept(plan, folder, job, TagCompletion.__module__, make)
    return CompletionLook(tags.matrix, found["first"])


def _build(plan: Plan, job: Job, n_jobs: int) -> Any:
    n_clusters = len(np.unique(plan.subject.labels))
    task = Task(n_clusters, plan.subject.collection.layers, job.seed, n_jobs)
    return METHODS[job.method].build(task, dict(job.params))


def _kept(plan: Plan, folder: Path, job: Job, module: str, make: Any) -> dict[str, Any]:
    """Give the arrays of a look: from its file where the same code has made it, else anew."""
    path = folder / f"{job.name(plan.subject.digest)}.npz"
    version = code_version(module, *_SHOWN_BY, alone=(__name__, building.__name__))
    kept = kept_arrays(path)
    if kept is not None and str(kept.get("version")) == version:
        return kept
    arrays = make()
    keep_arrays(path, {"version": np.array(version), **arrays}, compressed=True)
    return dict(arrays)
