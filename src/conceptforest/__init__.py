"""Find the concept structure of collections whose tags are sparse and incomplete."""

from importlib.metadata import version

from conceptforest.forest.hml_forest import HMLForest, load
from conceptforest.forest.reading import Reading

__all__ = ["HMLForest", "Reading", "load"]
__version__ = version("conceptforest")
