"""What a tag matrix is: parsing, vocabulary, layers, correlations.

:func:`parse_tags` makes a :class:`TagMatrix` of whatever the caller has, :func:`resolve_layers`
turns layers written by hand into column numbers, and :func:`correlate` and :func:`scores` measure
how the tags of one layer speak for and against those of a layer above.
"""

from conceptforest.tags.correlations import LayerCorrelations, Scores, correlate, scores
from conceptforest.tags.layers import resolve_layers
from conceptforest.tags.matrix import TagMatrix, parse_tags

__all__ = [
    "LayerCorrelations",
    "Scores",
    "TagMatrix",
    "correlate",
    "parse_tags",
    "resolve_layers",
    "scores",
]
