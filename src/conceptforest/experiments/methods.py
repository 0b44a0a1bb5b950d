"""Every method that experiments may run, by name: the competing ones, the paper's and our own.

A competing method is here as soon as it is in :mod:`conceptforest.baselines`, or in a file that the
user gives (:func:`add_methods_of_file`).
"""

from __future__ import annotations

import hashlib
import importlib.util
import inspect
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from conceptforest.baselines import CLUSTERING, COMPLETION
from conceptforest.baselines.cluster_completion import by_clusters
from conceptforest.baselines.contract import Baseline, ClusteringBaseline, CompletionBaseline
from conceptforest.completion import TagCompletion
from conceptforest.experiments.jobs import CLUSTER, COMPLETE
from conceptforest.forest.hml_forest import HMLForest
from conceptforest.structure.clustering import ConceptClustering
from conceptforest.tags import TagHierarchy

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


__all__ = ["METHODS", "OURS", "Method", "Task", "add_methods_of_file", "title_of"]


@dataclass(frozen=True)
class Task:
    """What a method is told besides features and tags: never the classes, only their number."""

    n_clusters: int
    layers: tuple[tuple[str, ...], ...] | None
    seed: int
    n_jobs: int


Build: TypeAlias = "Callable[[Task, Mapping[str, Any]], Any]"


@dataclass(frozen=True)
class Method:
    """A method that experiments may run.

    Attributes
    ----------
    title : str
        Its name in tables.
    task : str
        ``"cluster"`` or ``"complete"``.
    module : str
        Full name of the module whose code it is.
    build : function of a Task and parameters
        Gives an estimator with `labels_` or `scores_` after ``fit(X, tags)``.
    modes : tuple of str
        What it can work on; empty where there is no choice.
    extra : str or None
        What must be installed for it.
    variants : dict of str to dict
        Further settings that tables show, by what they are called.
    inner : str or None
        Module of the method that it runs inside, if any.
    grows_trees : bool
        Whether it has as many trees as the experiments say.
    file : str or None
        Where a user has it from.
    """

    title: str
    task: str
    module: str
    build: Build
    modes: tuple[str, ...] = ()
    extra: str | None = None
    variants: dict[str, dict[str, Any]] | None = None
    inner: str | None = None
    grows_trees: bool = False
    file: str | None = None


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


def _paper_clusters(task: Task, params: Mapping[str, Any]) -> Any:
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


def _paper_completion(rule: str) -> Build:
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


def _own_clusters(task: Task, params: Mapping[str, Any]) -> Any:
    return ConceptClustering(
        task.n_clusters,
        forest=_own_forest(task, params),
        random_state=task.seed,
        n_jobs=task.n_jobs,
    )


def _own_completion(task: Task, params: Mapping[str, Any]) -> Any:
    return TagCompletion(
        forest=_own_forest(task, params, bootstrap=True),
        random_state=task.seed,
        n_jobs=task.n_jobs,
    )


_CLUSTERS = ConceptClustering.__module__
_COMPLETES = TagCompletion.__module__
_OURS = {
    "HMLRF": Method("HML-RF", CLUSTER, _CLUSTERS, _paper_clusters),
    "MostSpecific": Method("HML-RF, most specific tags", CLUSTER, _CLUSTERS, MostSpecific),
    "Joint": Method("conceptforest, default", CLUSTER, _CLUSTERS, _own_clusters),
    "Joint(tags)": Method("conceptforest, default", COMPLETE, _COMPLETES, _own_completion),
    "HMLRF(LN)": Method("HML-RF(LN)", COMPLETE, _COMPLETES, _paper_completion("local")),
    "HMLRF(GC)": Method("HML-RF(GC)", COMPLETE, _COMPLETES, _paper_completion("cluster")),
    "HMLRF(AM)": Method("HML-RF(AM)", COMPLETE, _COMPLETES, _paper_completion("affinity")),
}
OURS = tuple(_OURS)
METHODS = {name: replace(method, grows_trees=True) for name, method in _OURS.items()}


# --- The competing ones --------------------------------------------------------------------------


def _competing(cls: type[Baseline]) -> Method:
    known = inspect.signature(cls).parameters

    def build(task: Task, params: Mapping[str, Any]) -> Any:
        common: dict[str, Any] = {
            "n_clusters": task.n_clusters,
            "random_state": task.seed,
            "n_jobs": task.n_jobs,
        }
        if task.layers is not None:  # else the method estimates them
            common["layers"] = task.layers
        return cls(**{name: x for name, x in (common | dict(params)).items() if name in known})

    return Method(
        title=cls.title,
        task=CLUSTER if issubclass(cls, ClusteringBaseline) else COMPLETE,
        module=cls.__module__,
        build=build,
        modes=getattr(cls, "modes", ()),
        extra=cls.extra,
        variants={called: dict(params) for called, params in cls.variants.items()},
        inner=getattr(getattr(cls, "clustering", None), "__module__", None),
        grows_trees="n_estimators" in known,
    )


METHODS |= {name: _competing(cls) for name, cls in {**CLUSTERING, **COMPLETION}.items()}


def title_of(name: str) -> str:
    """Give what a method is called in tables.

    Examples
    --------
    >>> title_of("HMLRF")
    'HML-RF'
    """
    return METHODS[name].title


def add_methods_of_file(path: str | Path) -> list[str]:
    """Add the methods that a user has written to those that experiments run.

    Parameters
    ----------
    path : str or Path
        A Python file. Its subclasses of ``ClusteringBaseline`` and ``CompletionBaseline`` are
        added under their names, and the clustering ones as ``Name(GC)`` too, which completes tags
        by their clusters.

    Returns
    -------
    list of str
        Their names.
    """
    path = Path(path)
    classes = _classes_of(path)
    file = str(path.resolve())
    for name in classes:
        if name in METHODS and METHODS[name].file != file:
            raise ValueError(
                f"'{path.name}' has a method {name!r}, and there is one of that name already."
                " Call the class something else."
            )
    classes |= {
        f"{name}(GC)": by_clusters(name, cls)
        for name, cls in classes.items()
        if issubclass(cls, ClusteringBaseline)
    }
    METHODS.update({name: replace(_competing(cls), file=file) for name, cls in classes.items()})
    return sorted(classes)


def _classes_of(path: Path) -> dict[str, type[Baseline]]:
    """Run a user's file and give the methods that are written in it."""
    if not path.is_file() or path.suffix != ".py":
        raise ValueError(f"'{path}' is no Python file. Give one with the class of a method.")
    # By what is in it: one that was changed is another module, one that was moved is not.
    content = hashlib.blake2b(path.read_bytes(), digest_size=8).hexdigest()
    name = f"conceptforest_method_{path.stem}_{content}"
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ValueError(f"'{path}' cannot be read as a Python module.")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    found: dict[str, type[Baseline]] = {
        key: cls
        for key, cls in vars(module).items()
        if isinstance(cls, type)
        and issubclass(cls, ClusteringBaseline | CompletionBaseline)
        and cls.__module__ == name
        and not key.startswith("_")
    }
    if not found:
        raise ValueError(
            f"'{path.name}' has no subclass of ClusteringBaseline or CompletionBaseline"
            " (conceptforest.baselines.contract), so there is no method to add."
        )
    return found
