"""Missing tags: which tags an item lacks that the items near it carry.

:class:`TagCompletion` is the estimator. Its rules are in :mod:`.joint`, :mod:`.affinity`,
:mod:`.local` and :mod:`.cluster`; :func:`cluster_scores` applies the last one to any clustering.
"""

from conceptforest.completion.calibration import Calibration, ScoreMap
from conceptforest.completion.cluster import cluster_scores
from conceptforest.completion.tag_completion import TagCompletion

__all__ = ["Calibration", "ScoreMap", "TagCompletion", "cluster_scores"]
