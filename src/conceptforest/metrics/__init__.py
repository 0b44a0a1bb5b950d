"""Scores of clusters and of completed tags, and a check of tables of such scores.

:func:`clustering_report` compares clusters with known classes, :func:`completion_report` compares
ranked tags with hidden ones, and :func:`audit` finds rows of results that cannot be right.
"""

from conceptforest.metrics.audit import Remark, audit
from conceptforest.metrics.clustering import (
    adjusted_rand,
    clustering_report,
    nmi,
    nmi_geometric,
    pairwise_f1,
    purity,
    rand_index,
    same_class_share,
)
from conceptforest.metrics.completion import CompletionReport, completion_report
from conceptforest.metrics.implied import implied_ari, implied_hidden
from conceptforest.metrics.ranking import ranked_tags

__all__ = [
    "CompletionReport",
    "Remark",
    "adjusted_rand",
    "audit",
    "clustering_report",
    "completion_report",
    "implied_ari",
    "implied_hidden",
    "nmi",
    "nmi_geometric",
    "pairwise_f1",
    "purity",
    "rand_index",
    "ranked_tags",
    "same_class_share",
]
