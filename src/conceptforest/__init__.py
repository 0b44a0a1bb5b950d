"""Find the concept structure of collections whose tags are sparse and incomplete."""

from importlib import import_module
from importlib.metadata import version
from typing import Any

from conceptforest import datasets, metrics, tags
from conceptforest.completion import TagCompletion
from conceptforest.forest.hml_forest import HMLForest, load
from conceptforest.forest.reading import Reading
from conceptforest.structure.clustering import ConceptClustering
from conceptforest.tags import TagHierarchy

__all__ = [
    "ConceptClustering",
    "HMLForest",
    "Reading",
    "TagCompletion",
    "TagHierarchy",
    "baselines",
    "datasets",
    "discovery",
    "features",
    "load",
    "metrics",
    "report",
    "tags",
]
__version__ = version("conceptforest")


def __getattr__(name: str) -> Any:
    """Load what most users never need when it is asked for."""
    if name in {"baselines", "discovery", "features", "report"}:
        return import_module(f"conceptforest.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
