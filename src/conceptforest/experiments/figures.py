"""Figures in one style: colours that everybody can tell apart, and marks besides."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest.report.figure_file import figure_for

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.axes import Axes

    from conceptforest.experiments.by_rate import Runs
    from conceptforest.experiments.cells import Cell
    from conceptforest.experiments.jobs import Job

__all__ = ["COLOURS", "INK", "Curve", "CurveFigure", "plain_axes"]

# Okabe and Ito's, without the yellow that vanishes on white, and two of Tol's. Black is for the
# paper's model.
COLOURS = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#882255", "#999933",
)  # fmt: skip
INK = "#1b1f1d"
_QUIET = "#6b726e"
_MARKS = ("o", "s", "^", "D", "v", "P", "X", "p")
_DASHES = ("-", "--", "-.", ":")


@dataclass(frozen=True)
class Curve:
    """A method against something.

    Attributes
    ----------
    title : str
    points : sequence of (x, cells)
        Cells of all seeds at each place; None for one that has not been run.
    own : bool
        Whether it is the paper's method.
    """

    title: str
    points: Sequence[tuple[float, Sequence[Cell | None]]]
    own: bool = False

    def values(self, key: str) -> tuple[Any, Any, Any]:
        """Give places, means and standard deviations, (n_points,) each, where there are any."""
        found = []
        for x, cells in self.points:
            scores = [c.scores[key] for c in cells if c is not None and not c.failure]
            if scores:
                spread = np.std(scores, ddof=1) if len(scores) > 1 else 0.0
                found.append((x, np.mean(scores), spread))
        places, means, spreads = np.array(found, dtype=float).reshape(-1, 3).T
        return places, means, spreads


@dataclass(frozen=True)
class CurveFigure:
    """Curves with their spread over seeds.

    Attributes
    ----------
    title, x, y : str
        Of the figure and its axes.
    curves : sequence of Curve
    key : str
        Name of the score.
    percent, log : bool
        How x is written.
    """

    title: str
    x: str
    y: str
    curves: Sequence[Curve]
    key: str = "nmi"
    percent: bool = False
    log: bool = False

    @classmethod
    def of_rates(
        cls, title: str, runs: Mapping[str, Runs], look: Callable[[Job], Cell | None], *, own: str
    ) -> CurveFigure:
        """Give the NMI of methods against the share of tags removed; `own` is the title of ours."""
        curves = [
            Curve(
                name,
                [(rate, [look(job) for job in some]) for rate, some in by_rate.items()],
                own=name == own,
            )
            for name, by_rate in runs.items()
        ]
        return cls(title, "share of tags removed", "NMI", curves, percent=True)

    def draw(self, path: str | os.PathLike[str]) -> None:
        """Draw into a file; its ending says how."""
        with figure_for(path, figsize=(6.4, 4.0), layout="constrained") as figure:
            axes = plain_axes(figure.subplots())
            others = [curve for curve in self.curves if not curve.own]
            for curve in self.curves:
                place = others.index(curve) if curve in others else 0
                x, mean, spread = curve.values(self.key)
                if not len(x):
                    continue
                colour = INK if curve.own else COLOURS[place % len(COLOURS)]
                axes.fill_between(x, mean - spread, mean + spread, color=colour, alpha=0.12, lw=0)
                axes.plot(
                    x,
                    mean,
                    color=colour,
                    marker="*" if curve.own else _mark(place),
                    markersize=9 if curve.own else 5,
                    linestyle="-" if curve.own else _DASHES[place % len(_DASHES)],
                    linewidth=2.4 if curve.own else 1.5,
                    label=curve.title,
                    zorder=3 if curve.own else 2,
                )
            axes.set_xlabel(self.x)
            axes.set_ylabel(self.y)
            self._scale(axes)
            if len(self.curves) > 1 and axes.get_legend_handles_labels()[1]:
                axes.legend(frameon=False, fontsize=8, loc="center left", bbox_to_anchor=(1, 0.5))

    def _scale(self, axes: Axes) -> None:
        from matplotlib.ticker import NullLocator, PercentFormatter

        places = sorted({x for curve in self.curves for x, _ in curve.points})
        if self.log:
            axes.set_xscale("log")
            axes.set_xticks(places, [f"{x:,g}" for x in places])
            axes.xaxis.set_minor_locator(NullLocator())
        elif self.percent:
            axes.set_xticks(places)
            axes.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))


def _mark(place: int) -> str:
    """Give a mark; where colours begin again, another one goes with each."""
    return _MARKS[(place + place // len(COLOURS)) % len(_MARKS)]


def plain_axes(axes: Any) -> Any:
    """Leave of a frame what is needed, and add quiet lines to read values by."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    for side in ("left", "bottom"):
        axes.spines[side].set_color(_QUIET)
    axes.tick_params(colors=_QUIET, labelsize=9)
    axes.xaxis.label.set_color(INK)
    axes.yaxis.label.set_color(INK)
    axes.grid(axis="y", color="#e4e8e5", linewidth=0.8)
    axes.set_axisbelow(True)
    return axes
