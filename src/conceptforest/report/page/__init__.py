"""The page that shows a run to people: one HTML file, made of what was found."""

from conceptforest.report.page.data import ClusterInfo, DuplicateGroup, ReportData, Suggestion
from conceptforest.report.page.thumbnails import THUMBNAILS_INLINE_BYTES
from conceptforest.report.page.writer import write_report

__all__ = [
    "THUMBNAILS_INLINE_BYTES",
    "ClusterInfo",
    "DuplicateGroup",
    "ReportData",
    "Suggestion",
    "write_report",
]
