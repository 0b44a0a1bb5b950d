"""Completed tags of example items (the paper's figure of tag completion).

What an item was left with (Obs), what was hidden from it (GT), and the first three tags that
HML-RF(AM) suggests (Pr), the right ones marked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest.experiments.figures import INK
from conceptforest.experiments.looks import completion_run, look_at_completion
from conceptforest.experiments.pictures import Picture, of_all_classes
from conceptforest.experiments.tiles import GREEN, RED, draw_tile, tag_names
from conceptforest.report.figure_file import figure_for

if TYPE_CHECKING:
    import os
    from pathlib import Path

    from conceptforest.experiments.plan import Plan

__all__ = ["PICTURES"]


def draw_completion(plan: Plan, folder: Path, path: str | os.PathLike[str], n_jobs: int) -> None:
    """Draw items with their observed tags, the hidden ones and the first three suggested."""
    look = look_at_completion(plan, folder, n_jobs=n_jobs)
    subject = plan.subject
    truth = subject.collection.truth or subject.collection.tags
    hidden = np.diff(truth.matrix.indptr) - np.diff(look.observed.indptr)
    candidates = np.flatnonzero(hidden > 0)
    items = candidates[of_all_classes(subject.labels[candidates], 8)]
    with figure_for(path, figsize=(11, 3.8), layout="constrained") as figure:
        for axes, item in zip(figure.subplots(2, 4).flat, items, strict=False):
            left, right = axes.inset_axes((0, 0, 0.42, 1)), axes.inset_axes((0.45, 0, 0.55, 1))
            axes.set_axis_off()
            right.set_axis_off()
            draw_tile(left, subject, int(item), words=[subject.class_of(int(item))])
            _write_tags(right, plan, int(item), look, truth)


def _write_tags(axes: Any, plan: Plan, item: int, look: Any, truth: Any) -> None:
    vocabulary = plan.subject.collection.tags.vocabulary
    observed = tag_names(plan.subject, item, look.observed)
    hidden = [t for t in tag_names(plan.subject, item, truth.matrix) if t not in observed]
    lines = [
        ("Obs", [(t, INK) for t in observed]),
        ("GT", [(t, INK) for t in hidden]),
        ("Pr", [(vocabulary[j], GREEN if vocabulary[j] in hidden else RED)
                for j in look.first[item] if j >= 0]),
    ]  # fmt: skip
    y = 0.96
    for title, tags in lines:
        axes.text(0, y, f"{title}:", fontsize=6.5, weight="bold", va="top", color=INK)
        for tag, colour in tags[:5]:
            weight = "bold" if colour == GREEN else "normal"
            text = tag[:28]
            axes.text(0.2, y, text, fontsize=6.5, va="top", color=colour, weight=weight)
            y -= 0.075
        y -= 0.03 if tags else 0.1


PICTURES = (
    Picture(
        "fig-completion",
        "Completed tags",
        "Items and classes; observed, hidden and first suggested tags, green where right.",
        draw_completion,
        completion_run,
    ),
)
