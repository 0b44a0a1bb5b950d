"""Items drawn as small tiles: their pictures where there are any, else their tags as words."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest.experiments.figures import INK

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from conceptforest.experiments.subject import Subject

__all__ = ["GREEN", "RED", "draw_tile", "tag_names"]

RED, GREEN = "#c0392b", "#1e8449"
_PAPER = "#f1f4f2"
_WIDTH = 18  # letters of a line of tags
_LINES = 4


def tag_names(subject: Subject, item: int, matrix: Any = None) -> list[str]:
    """List the tags of an item, those of a given matrix or all that it has."""
    tags = subject.collection.tags
    own = tags.matrix if matrix is None else matrix
    columns = own.indices[own.indptr[item] : own.indptr[item + 1]]
    return [tags.vocabulary[j] for j in columns]


def draw_tile(
    axes: Axes,
    subject: Subject,
    item: int,
    *,
    words: Sequence[str] | None = None,
    frame: str | None = None,
    dashed: bool = False,
) -> None:
    """Draw an item.

    Parameters
    ----------
    axes : Axes
    subject : Subject
    item : int
    words : sequence of str or None, default=None
        What to write below its picture, or on a plain tile; None writes its tags.
    frame : str or None, default=None
        Colour of a frame around it.
    dashed : bool, default=False
        Whether the frame is dashed.
    """
    axes.set_xticks([])
    axes.set_yticks([])
    path = subject.picture(item)
    text = tag_names(subject, item) if words is None else list(words)
    if path is None:
        axes.set_facecolor(_PAPER)
        axes.text(0.5, 0.5, _lines(text), ha="center", va="center", fontsize=6, color=INK,
                  transform=axes.transAxes)  # fmt: skip
        axes.set_aspect("equal")
        axes.set_xlabel(_short(subject.name_of(item)), fontsize=5, labelpad=2)
    else:
        from PIL import Image

        with Image.open(path) as picture:
            axes.imshow(np.asarray(picture.convert("RGB")))
        axes.set_xlabel(_lines(text), fontsize=5.5, labelpad=2, color=INK)
    for spine in axes.spines.values():
        spine.set_visible(frame is not None)
        if frame is not None:
            spine.set_edgecolor(frame)
            spine.set_linewidth(2.2)
            spine.set_linestyle((0, (2, 1.5)) if dashed else "solid")


def _short(text: str) -> str:
    return text if len(text) <= 2 * _WIDTH else f"…{text[-2 * _WIDTH :]}"


def _lines(words: Sequence[str]) -> str:
    if not words:
        return "(no tags)"
    lines = textwrap.wrap(", ".join(words), _WIDTH)
    if len(lines) > _LINES:
        lines = [*lines[: _LINES - 1], f"{lines[_LINES - 1][: _WIDTH - 1]}…"]
    return "\n".join(lines)
