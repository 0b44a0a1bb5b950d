"""Collections to work on: read from files, or made from a seed without a download.

:func:`load` reads a feature file into a :class:`Collection`; :func:`make_tagged` makes a small
photo collection whose true tags are known, and :func:`make_trecvid_like` one of the size and
difficulty of the paper's videos.
"""

from conceptforest.datasets.collection import Collection
from conceptforest.datasets.feature_file import load
from conceptforest.datasets.synthetic import TaggedSet, make_tagged
from conceptforest.datasets.trecvid_like import make_trecvid_like

__all__ = ["Collection", "TaggedSet", "load", "make_tagged", "make_trecvid_like"]
