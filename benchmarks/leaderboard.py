"""Every method, the paper's model and the default on one collection, and where the default stands.

Prints Markdown: a table of clusterings for each share of tags removed, a table of completions of
hidden tags, and for every column the place of the default and who is ahead. All methods get the
same data, seeds and number of clusters, and limits of time and memory. Results of single runs are
kept in a folder, so that a table can be stopped, continued, and given more seeds; a run is made
again when the code of its method has changed.
"""

from __future__ import annotations

import argparse
import shlex
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from conceptforest.experiments import Settings, comparison, completion
from conceptforest.experiments.cells import CellStore
from conceptforest.experiments.machine import machine_facts
from conceptforest.experiments.methods import METHODS
from conceptforest.experiments.plan import Plan, jobs_of
from conceptforest.experiments.pool import Bounds
from conceptforest.experiments.running import run_missing
from conceptforest.experiments.scoretable import (
    CLUSTER_COLUMNS,
    Column,
    Row,
    ScoreTable,
    series_columns,
)
from conceptforest.experiments.sources import open_subject
from conceptforest.experiments.table_files import as_markdown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

DEFAULT = METHODS["Joint"].title
SHOWN = (("ap", "AP", 1), ("ar", "AR", 5), ("coverage", "Coverage", 5))
_Table: TypeAlias = "tuple[str, tuple[Column, ...], list[Row]]"
COMPLETION_COLUMNS = tuple(series_columns(key, title, n)[n - 1] for key, title, n in SHOWN)


def tables_of(plan: Plan, rates: Sequence[float]) -> list[_Table]:
    """Give the titles, columns and rows of all tables."""
    tables = [
        (f"Clusters, {rate:.0%} of the tags removed", CLUSTER_COLUMNS, comparison.rows(plan, rate))
        for rate in rates
    ]
    title = f"Completion, {plan.settings.hidden:.0%} of each item's tags hidden"
    tables.append((title, COMPLETION_COLUMNS, completion.rows(plan)))
    return [table for table in tables if table[2]]


def standing(table: ScoreTable) -> Iterator[str]:
    """Say for each column which place the default has, and who is ahead of it."""
    names = [f"{row.title} ({row.group})" if row.group else row.title for row in table.rows]
    own = [row.title for row in table.rows].index(DEFAULT)
    for j, column in enumerate(table.columns):
        means = np.array([entries[j].mean for entries in table.entries])
        rivals = [int(i) for i in np.argsort(-means) if i != own and not np.isnan(means[i])]
        if np.isnan(means[own]) or not rivals:
            continue
        best = rivals[0]
        place = 1 + int((means > means[own]).sum())
        lead = (means[own] / means[best] - 1) if means[best] else 0.0
        yield (
            f"- {column.title}: place {place} of {len(rivals) + 1}, {means[own]:.3f};"
            f" {'best of the others' if place == 1 else 'ahead'}: {names[best]},"
            f" {means[best]:.3f} ({lead:+.1%})"
        )


def parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.HelpFormatter)
    parser.add_argument("--data", required=True, help="a feature file, or what `reproduce` takes")
    parser.add_argument("--remove", type=float, nargs="+", default=[0.0, 0.3, 0.5])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--trees", type=int, default=1000)
    parser.add_argument("--methods", default="", help="names, with commas; else all")
    parser.add_argument("--cells", type=Path, help="folder of results of single runs, kept")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--limit", type=float, default=1200.0, help="seconds of a run")
    parser.add_argument("--keep-older", action="store_true", help="results of earlier code too")
    args = parser.parse_args(argv)
    if not all(0 <= rate < 1 for rate in args.remove):
        parser.error("--remove takes shares from 0 to below 1, such as 0.3")
    return args


def run(args: argparse.Namespace, folder: Path) -> Iterator[str]:
    """Run what is missing and give the page piece by piece."""
    methods = tuple(name for name in args.methods.split(",") if name)
    changes = {"trees": args.trees, "seeds": args.seeds, "methods": methods, "seconds": args.limit}
    settings = Settings.of("paper", {name: x for name, x in changes.items() if x != ()})
    subject = open_subject(args.data, folder)
    plan = Plan(subject, settings)
    name, n_items = subject.collection.name, subject.collection.n_items
    store = CellStore(args.cells or folder / "cells", subject.digest, name, n_items)
    bounds = Bounds(n_workers=args.workers, seconds=settings.seconds)
    tables = tables_of(plan, args.remove)
    needed = list(dict.fromkeys(job for _, _, rows in tables for job in jobs_of(rows)))
    done = run_missing(
        needed, subject, store, bounds, keep_older=args.keep_older, show=sys.stderr.isatty()
    )
    facts = machine_facts(bounds)
    yield f"# {name}"
    yield f"{facts['date']}; {facts['cpu']}, {facts['cores']} cores; {facts['system']}"
    if done.n_older:
        yield f"{done.n_older} results are of earlier code."
    for title, columns, rows in tables:
        table = ScoreTable.of(title, columns, rows, store.get)
        yield "#" + as_markdown(table)[2:]
        if any(row.title == DEFAULT for row in rows):
            yield "\n".join(["Where the default stands:", "", *standing(table)])


def main(argv: Sequence[str] | None = None) -> None:
    argv = sys.argv[1:] if argv is None else list(argv)
    args = parse(argv)
    words = [Path(word).name if word.endswith(".npz") else word for word in argv]
    print(f"`python benchmarks/leaderboard.py {shlex.join(words)}`", end="\n\n", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for paragraph in run(args, Path(folder)):
            print(paragraph, end="\n\n", flush=True)


if __name__ == "__main__":
    main()
