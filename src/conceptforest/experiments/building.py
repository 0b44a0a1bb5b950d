"""How methods are built for an experiment: with the seed, the number of classes, the tag layers.

What is decided here counts in the version of every result (:mod:`code_version`).
"""

from __future__ import annotations

import inspect
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from conceptforest.completion import TagCompletion
from conceptforest.forest.hml_forest import HMLForest
from conceptforest.structure.clustering import ConceptClustering
from conceptforest.tags import TagHierarchy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from conceptforest.baselines.contract import Baseline

__all__ = [
    "Build",
    "MostSpecific",
    "Task",
    "baseline",
    "layers_for",
    "own_clusters",
    "own_completion",
    "paper_clusters",
    "paper_completion",
]


@dataclass(frozen=True)
class Task:
    """What a method is told besides features and tags: never the classes, only their number."""

    n_clusters: int
    layers: tuple[tuple[str, ...], ...] | None
    seed: int
    n_jobs: int


Build: TypeAlias = "Callable[[Task, Mapping[str, Any]], Any]"


# --- The paper's ---------------------------------------------------------------------------------


def layers_for(task: Task, wanted: Any) -> dict[str, Any]:
    """Give the forest's parameters for the tag layers that an experiment asks for.

    Parameters
    ----------
    task : Task
    wanted : int, "given" or "most specific"
        A number to estimate, with a topic for each cluster. ``"given"``: those of the collection,
        or two estimated ones where it has none. ``"most specific"``: the last of those alone.

    Returns
    -------
    dict
        `layers` of :class:`~conceptforest.HMLForest`, and `unlayered` where tags are left out.
    """
    if wanted in {"given", "most specific"} and task.layers is not None:
        layers: Any = [list(layer) for layer in task.layers]
    elif isinstance(wanted, int):
        layers = TagHierarchy(wanted, n_topics=task.n_clusters, random_state=task.seed)
    else:
        layers = TagHierarchy(2, n_topics=task.n_clusters, random_state=task.seed)
    return {"layers": layers}


def _paper_forest(task: Task, params: Mapping[str, Any], **defaults: Any) -> HMLForest:
    settings = defaults | dict(params)
    settings |= layers_for(task, settings.pop("layers", "given"))
    return HMLForest.paper(random_state=task.seed, n_jobs=task.n_jobs, **settings)


def paper_clusters(task: Task, params: Mapping[str, Any]) -> Any:
    """Build the paper's clustering."""
    return ConceptClustering.paper(
        task.n_clusters,
        forest=_paper_forest(task, params),
        random_state=task.seed,
        n_jobs=task.n_jobs,
    )


class MostSpecific:
    """The paper's clustering, told nothing but the tags of the most specific layer."""

    def __init__(self, task: Task, params: Mapping[str, Any]) -> None:
        self.task, self.params = task, params

    def fit(self, X: Any, tags: Any) -> MostSpecific:
        """Estimate the layers where the collection has none, and cluster by the last one."""
        layers = layers_for(self.task, "given")["layers"]
        if isinstance(layers, TagHierarchy):
            layers = layers.fit(tags).layers_
        forest = HMLForest.paper(
            layers=[list(layers[-1])],
            unlayered="drop",
            random_state=self.task.seed,
            n_jobs=self.task.n_jobs,
            **self.params,
        )
        clusters = ConceptClustering.paper(
            self.task.n_clusters,
            forest=forest,
            random_state=self.task.seed,
            n_jobs=self.task.n_jobs,
        )
        self.labels_ = clusters.fit(X, tags).labels_
        return self


def paper_completion(rule: str) -> Build:
    """Give the function that builds the paper's completion by a rule."""

    def build(task: Task, params: Mapping[str, Any]) -> Any:
        return TagCompletion.paper(
            rule,
            forest=_paper_forest(task, params, bootstrap=True),
            n_clusters=task.n_clusters,
            random_state=task.seed,
            n_jobs=task.n_jobs,
        )

    return build


# --- The project's own ---------------------------------------------------------------------------


def _own_forest(task: Task, params: Mapping[str, Any], **defaults: Any) -> HMLForest:
    settings = defaults | dict(params) | layers_for(task, "given")
    return HMLForest(random_state=task.seed, n_jobs=task.n_jobs, **settings)


def own_clusters(task: Task, params: Mapping[str, Any]) -> Any:
    """Build the default clustering."""
    return ConceptClustering(
        task.n_clusters,
        forest=_own_forest(task, params),
        random_state=task.seed,
        n_jobs=task.n_jobs,
    )


def own_completion(task: Task, params: Mapping[str, Any]) -> Any:
    """Build the default completion."""
    return TagCompletion(
        forest=_own_forest(task, params, bootstrap=True),
        random_state=task.seed,
        n_jobs=task.n_jobs,
    )


# --- The competing ones --------------------------------------------------------------------------


def baseline(cls: type[Baseline]) -> Build:
    """Give the function that builds a competing method."""
    known = inspect.signature(cls).parameters
    unbounded = _unbounded(cls)

    def build(task: Task, params: Mapping[str, Any]) -> Any:
        common: dict[str, Any] = unbounded | {
            "n_clusters": task.n_clusters,
            "random_state": task.seed,
            "n_jobs": task.n_jobs,
        }
        if task.layers is not None:  # else the method estimates them
            common["layers"] = task.layers
        return cls(**{name: x for name, x in (common | dict(params)).items() if name in known})

    return build


def _unbounded(cls: type[Baseline]) -> dict[str, Any]:
    """Lift a method's own limit of size: an experiment has bounds of memory and time."""
    if "max_items" in inspect.signature(cls).parameters:
        return {"max_items": sys.maxsize}
    inner = getattr(cls, "clustering", None)
    lifted = {} if inner is None else _unbounded(inner)
    return {"params": lifted} if lifted else {}
