"""Items of the collection (the paper's figure of examples from its two data sets).

Some of each class with their tags, which are few, uneven and incomplete: before any number, see
what there is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conceptforest.experiments.figures import INK
from conceptforest.experiments.pictures import Picture, of_all_classes
from conceptforest.experiments.tiles import draw_tile
from conceptforest.report.figure_file import figure_for

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from conceptforest.experiments.plan import Plan

__all__ = ["PICTURES"]

_ROWS, _COLUMNS = 3, 8


def draw_samples(plan: Plan, folder: Path, path: str | os.PathLike[str], n_jobs: int) -> None:
    """Draw items of the collection, an equal number of each class as far as they go."""
    del folder, n_jobs
    subject = plan.subject
    items = of_all_classes(subject.labels, _ROWS * _COLUMNS)
    with figure_for(path, figsize=(11, 5.2), layout="constrained") as figure:
        for axes, item in zip(figure.subplots(_ROWS, _COLUMNS).flat, items, strict=False):
            draw_tile(axes, subject, int(item))
            axes.set_title(subject.class_of(int(item))[:24], fontsize=6, color=INK)


PICTURES = (
    Picture(
        "fig-samples",
        "Items of the collection",
        "Some of each class, with their tags.",
        draw_samples,
    ),
)
