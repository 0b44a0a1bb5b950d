"""The paper's evaluation on any tagged collection with classes: every table, every figure.

:func:`reproduce` runs what is missing and writes what the paper prints. Each table or figure is a
file here that reads like the paragraph of the paper that it comes from; each run of a method is a
job whose result is kept, so that nothing is computed twice.
"""

from conceptforest.experiments.plan import PRESETS, Settings
from conceptforest.experiments.reproducing import EXPERIMENTS, Reproduction, reproduce

__all__ = ["EXPERIMENTS", "PRESETS", "Reproduction", "Settings", "reproduce"]
