"""Pictures of what was found."""

from conceptforest.report.affinity_plot import order_by_cluster, plot_affinity
from conceptforest.report.reliability_plot import plot_reliability

__all__ = ["order_by_cluster", "plot_affinity", "plot_reliability"]
