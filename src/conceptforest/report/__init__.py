"""Pictures of what was found."""

from conceptforest.report.affinity_plot import order_by_cluster, plot_affinity

__all__ = ["order_by_cluster", "plot_affinity"]
