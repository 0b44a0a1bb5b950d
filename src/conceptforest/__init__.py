"""Find the concept structure of collections whose tags are sparse and incomplete."""

from importlib import import_module
from importlib.metadata import version
from typing import Any

from conceptforest import datasets, metrics
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
    "load",
    "metrics",
]
__version__ = version("conceptforest")


def __getattr__(name: str) -> Any:
    """Load the competing methods when they are asked for: most users never do."""
    if name == "baselines":
        return import_module("conceptforest.baselines")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
