"""Collections to try things on.

:func:`make_tagged` makes one from a seed, without a download.
"""

from conceptforest.datasets.synthetic import TaggedSet, make_tagged

__all__ = ["TaggedSet", "make_tagged"]
