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
from typing import TYPE_CHECKING, Any

from conceptforest.baselines import CLUSTERING, COMPLETION
from conceptforest.baselines.cluster_completion import by_clusters
from conceptforest.baselines.contract import Baseline, ClusteringBaseline, CompletionBaseline
from conceptforest.completion import TagCompletion
from conceptforest.experiments.building import (
    MostSpecific,
    baseline,
    own_clusters,
    own_completion,
    paper_clusters,
    paper_completion,
)
from conceptforest.experiments.jobs import CLUSTER, COMPLETE
from conceptforest.structure.clustering import ConceptClustering

if TYPE_CHECKING:
    from conceptforest.experiments.building import Build


__all__ = ["METHODS", "MODES", "OURS", "Method", "add_methods_of_file", "title_of"]


MODES = {  # in the order of tables, with their titles there
    "vision": "features",
    "tags": "tags",
    "scores": "tag scores",
    "scores_held_out": "tag scores, held out",
    "concatenated": "both, one vector",
    "balanced": "both, balanced",
}


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


_CLUSTERS = ConceptClustering.__module__
_COMPLETES = TagCompletion.__module__
_OURS = {
    "HMLRF": Method("HML-RF", CLUSTER, _CLUSTERS, paper_clusters),
    "MostSpecific": Method("HML-RF, most specific tags", CLUSTER, _CLUSTERS, MostSpecific),
    "Joint": Method("conceptforest, default", CLUSTER, _CLUSTERS, own_clusters),
    "Joint(tags)": Method("conceptforest, default", COMPLETE, _COMPLETES, own_completion),
    "HMLRF(LN)": Method("HML-RF(LN)", COMPLETE, _COMPLETES, paper_completion("local")),
    "HMLRF(GC)": Method("HML-RF(GC)", COMPLETE, _COMPLETES, paper_completion("cluster")),
    "HMLRF(AM)": Method("HML-RF(AM)", COMPLETE, _COMPLETES, paper_completion("affinity")),
}
OURS = tuple(_OURS)
METHODS = {name: replace(method, grows_trees=True) for name, method in _OURS.items()}


# --- The competing ones --------------------------------------------------------------------------


def _competing(cls: type[Baseline]) -> Method:
    return Method(
        title=cls.title,
        task=CLUSTER if issubclass(cls, ClusteringBaseline) else COMPLETE,
        module=cls.__module__,
        build=baseline(cls),
        modes=getattr(cls, "modes", ()),
        extra=cls.extra,
        variants={called: dict(params) for called, params in cls.variants.items()},
        inner=getattr(getattr(cls, "clustering", None), "__module__", None),
        grows_trees="n_estimators" in inspect.signature(cls).parameters,
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
    for name, cls in classes.items():
        modes = getattr(cls, "modes", ())
        if issubclass(cls, ClusteringBaseline) and not (modes and set(modes) <= MODES.keys()):
            raise ValueError(
                f"'{path.name}': {name} has the modes {tuple(modes)}. Name at least one of"
                f" {', '.join(MODES)}."
            )
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
