"""How far probabilities of missing tags can be trusted, as a picture.

A point on the diagonal kept its promise; one below it promised too much. The strip below shows
how many tags stand behind each point.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest.report.figure_file import figure_for

if TYPE_CHECKING:
    import os

    from matplotlib.axes import Axes
    from numpy.typing import NDArray

    from conceptforest.completion.calibration import Calibration

__all__ = ["plot_reliability"]

_SIZE = 5.6, 6.6  # inches
_FONT = 9.0  # points
_COLOR = "#6a4c9c"  # from the dark half of the colours of affinities
_LIGHT = "#b9b3d9"
_GREY = "0.45"


def plot_reliability(
    calibration: Calibration,
    path: str | os.PathLike[str],
    *,
    title: str = "Suggested tags: promised and true",
    dpi: int = 160,
) -> None:
    """Draw promised against observed shares of hidden tags and write the picture to a file.

    Bars show 95 % intervals (Wilson). The file is written beside its place and then moved there.

    Parameters
    ----------
    calibration : Calibration
        ``TagCompletion(calibrate=True).fit(X, tags).calibration_``.
    path : str or path-like
        Where to write; the suffix chooses the format, such as ``.png``, ``.svg`` or ``.pdf``.
    title : str
        Text above the picture; may be empty.
    dpi : int, default=160
        Pixels to the inch; the picture is 5.6 by 6.6 inches.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    ValueError
        If there are no bins to draw or the suffix is not a picture format.
    """
    predicted, observed, count = _check(calibration)
    with figure_for(path, figsize=_SIZE, dpi=dpi, layout="constrained") as figure:
        grid = figure.add_gridspec(2, 1, height_ratios=(5.2, 1), hspace=0.04)
        axes = figure.add_subplot(grid[0])
        strip = figure.add_subplot(grid[1], sharex=axes)
        _draw_promises(axes, predicted, observed, count)
        figure.suptitle(title, fontsize=_FONT + 3, x=0.02, ha="left")
        axes.set_title(
            f"expected calibration error {calibration.error:.4f}; {count.sum():,} tags with a"
            " score; bars are 95 % intervals",
            fontsize=_FONT - 1,
            color="0.25",
            loc="left",
        )
        _draw_counts(strip, predicted, count)
        for each in (axes, strip):
            _tidy(each)


def _check(
    calibration: Any,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Give the bins, by ascending promise."""
    if not all(hasattr(calibration, name) for name in ("predicted", "observed", "count", "error")):
        raise TypeError(
            f"calibration is of type {type(calibration).__name__}; give the calibration_ of a"
            " TagCompletion(calibrate=True) after fit."
        )
    if len(calibration.count) == 0:
        raise ValueError("The calibration has no bins: no tag that an item lacks got a score.")
    order = np.argsort(calibration.predicted, kind="stable")
    return calibration.predicted[order], calibration.observed[order], calibration.count[order]


def _wilson(
    share: NDArray[np.float64], count: NDArray[np.int64]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Give the ends of Wilson's 95 % interval of a share."""
    z2 = 1.96**2
    middle = (share + z2 / (2 * count)) / (1 + z2 / count)
    half = np.sqrt(z2 * (share * (1 - share) / count + z2 / (4 * count**2))) / (1 + z2 / count)
    return np.maximum(middle - half, 0.0), np.minimum(middle + half, 1.0)


def _draw_promises(
    axes: Axes,
    predicted: NDArray[np.float64],
    observed: NDArray[np.float64],
    count: NDArray[np.int64],
) -> None:
    """Draw a point with its interval for each bin, and the diagonal on which they should lie."""
    dashes = (0, (5, 4))
    axes.plot([0, 1], [0, 1], c=_GREY, lw=0.9, ls=dashes, zorder=1, label="as promised")
    low, high = _wilson(observed, count)
    axes.vlines(predicted, low, high, color=_LIGHT, linewidth=3.2, zorder=2)
    axes.plot(predicted, observed, color=_COLOR, linewidth=1.2, zorder=3)
    axes.scatter(
        predicted, observed, s=26, color=_COLOR, edgecolor="white", linewidth=0.8, zorder=4
    )
    end = min(1.0, 1.1 * float(max(predicted.max(), high.max())))  # low promises need room too
    axes.set(xlim=(0, end), ylim=(0, end))
    axes.set_ylabel("share that were hidden tags", fontsize=_FONT)
    axes.tick_params(labelbottom=False)
    axes.legend(loc="lower right", frameon=False, fontsize=_FONT - 1, labelcolor="0.25")


def _draw_counts(axes: Axes, predicted: NDArray[np.float64], count: NDArray[np.int64]) -> None:
    """Draw how many tags each bin holds; they differ by powers of ten."""
    from matplotlib.ticker import NullLocator

    floor = 10.0 ** np.floor(np.log10(count.min() / 2))
    axes.vlines(predicted, floor, count, color=_LIGHT, linewidth=3.2)
    axes.scatter(predicted, count, s=12, color=_COLOR, zorder=3)
    axes.set_yscale("log")
    axes.set_ylim(floor, float(count.max()) * 2)
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.yaxis.set_minor_locator(NullLocator())
    axes.set_ylabel("tags", fontsize=_FONT)
    axes.set_xlabel("promised probability", fontsize=_FONT)


def _tidy(axes: Axes) -> None:
    axes.grid(color="0.93", linewidth=0.7)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=_FONT - 1, length=2.5, width=0.6)
    axes.spines[["top", "right"]].set_visible(False)
    axes.spines[["left", "bottom"]].set_linewidth(0.6)
