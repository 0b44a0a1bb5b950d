"""What a tag matrix is: parsing, vocabulary, layers, hierarchy, correlations.

:func:`parse_tags` makes a :class:`TagMatrix` of whatever the caller has, :class:`TagHierarchy`
finds layers in it, and :func:`hide_tags` and :func:`remove_tags` hide some of it.
:func:`resolve_layers` turns layers written by hand into column numbers; :func:`correlate` and
:func:`scores` measure how the tags of one layer speak for and against those of a layer above.
"""

from conceptforest.tags.correlations import LayerCorrelations, Scores, correlate, scores
from conceptforest.tags.hiding import hide_tags, remove_tags
from conceptforest.tags.hierarchy import TagHierarchy
from conceptforest.tags.layers import match_layers, resolve_layers
from conceptforest.tags.matrix import TagMatrix, parse_tags

__all__ = [
    "LayerCorrelations",
    "Scores",
    "TagHierarchy",
    "TagMatrix",
    "correlate",
    "hide_tags",
    "match_layers",
    "parse_tags",
    "remove_tags",
    "resolve_layers",
    "scores",
]
