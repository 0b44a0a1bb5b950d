"""What the parts of quality.py share: runs over seeds, Markdown tables of them, and their audit.

Not a benchmark itself.
"""

from __future__ import annotations

import statistics
import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from conceptforest import metrics

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Callable, Iterator, Sequence

# Of each method one report a seed, as the functions of conceptforest.metrics give them.
Runs: TypeAlias = dict[str, list[dict[str, Any]]]
Column: TypeAlias = tuple[str, "Callable[[dict[str, Any]], float]"]

DECIMALS = 3
AVERAGED = 0.01  # how far the ARI of an average row may be from what its RI and F1 imply
CLUSTER_SCORES = {
    "purity": "purity",
    "nmi": "NMI",
    "nmi_geometric": "NMI geom.",
    "ri": "RI",
    "f1": "F1",
    "ari": "ARI",
}
COMPLETION_SCORES = {"ap": "AP", "ar": "AR", "coverage": "Coverage"}


def single(key: str, title: str | None = None) -> Column:
    """Give the column of a score that is one number."""
    return title or CLUSTER_SCORES.get(key, key), lambda report: float(report[key])


def at(key: str, n: int) -> Column:
    """Give the column of a completion score at N."""
    return f"{COMPLETION_SCORES[key]}@{n}", lambda report: float(report[key][n - 1])


# --- Tables --------------------------------------------------------------------------------------


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a table whose first column is text and whose others are numbers."""
    rule = ["---"] + ["---:"] * (len(header) - 1)
    return "\n".join(f"| {' | '.join(row)} |" for row in [header, rule, *rows])


def mean_and_spread(values: Sequence[float], *, decimals: int = DECIMALS) -> str:
    """Write the mean and, of several values, their standard deviation."""
    mean = f"{statistics.fmean(values):.{decimals}f}"
    if len(values) < 2:
        return mean
    return f"{mean} ± {statistics.stdev(values):.{decimals}f}"


def score_table(
    runs: Runs, columns: Sequence[Column], *, first: str = "method", unranked: Sequence[str] = ()
) -> str:
    """Write the mean of each score over the seeds, the best **so** and the second best *so*.

    Rows that are `unranked` are shown but do not compete.
    """
    cells = {
        name: [mean_and_spread([get(report) for report in reports]) for _, get in columns]
        for name, reports in runs.items()
    }
    ranked = [name for name in runs if name not in unranked]
    for place in range(len(columns)):
        means = {name: cells[name][place].split()[0] for name in ranked}
        order = sorted(set(means.values()), key=float, reverse=True)
        for name, mean in means.items():
            mark = {0: "**", 1: "*"}.get(order.index(mean)) if len(order) > 1 else None
            if mark:
                cells[name][place] = cells[name][place].replace(mean, f"{mark}{mean}{mark}", 1)
    header = [first, *(title for title, _ in columns)]
    return markdown(header, [[name, *row] for name, row in cells.items()])


# --- Scores --------------------------------------------------------------------------------------


def scored(classes: Any, clusters: Any) -> dict[str, Any]:
    """Score clusters, and keep the share of same-class pairs, by which the scores are audited."""
    report: dict[str, Any] = dict(metrics.clustering_report(classes, clusters))
    return report | {"same_class": metrics.same_class_share(classes)}


def audited(runs: Runs) -> str:
    """Check every run and the averages as they are printed; write what is impossible."""
    remarks = []
    for name, reports in runs.items():
        for place, report in enumerate(reports, start=1):
            row = {"name": f"{name}, run {place}"} | report
            remarks += metrics.audit([row], same_class=report.get("same_class"))
        shares = [report["same_class"] for report in reports if "same_class" in report]
        remarks += metrics.audit(
            [{"name": name} | average(reports)],
            same_class=(min(shares), max(shares)) if shares else None,
            decimals=DECIMALS,
            tolerance=AVERAGED,
        )
    if not remarks:
        return "audit: nothing impossible"
    return "\n".join(["audit:", "", *(f"- {remark}" for remark in remarks)])


def average(reports: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Average the reports over seeds, rounded as in print."""
    found: dict[str, Any] = {}
    for key in (*CLUSTER_SCORES, *COMPLETION_SCORES):
        if key in reports[0]:
            mean = np.mean([report[key] for report in reports], axis=0)
            found[key] = np.round(mean, DECIMALS).tolist()
    return found


# --- Warnings ------------------------------------------------------------------------------------


@contextmanager
def warnings_counted(into: Counter[str]) -> Iterator[None]:
    """Count the warnings of a block by their text instead of showing them."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield
    into.update(str(warning.message) for warning in caught)


def warned(counts: dict[str, int]) -> Iterator[str]:
    """Write the warnings that came up."""
    for text, count in sorted(counts.items()):
        yield f"warned {count} times: {text}" if count > 1 else f"warned: {text}"
