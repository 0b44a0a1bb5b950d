"""What the terminal says at the end of a run, before it begins, and about new items."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich import box
from rich.markup import escape
from rich.table import Table

from conceptforest.discovery.report_data import facts, remarks
from conceptforest.discovery.result_tables import is_calibrated

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from rich.console import Console

    from conceptforest.datasets import Skipped
    from conceptforest.discovery.main_job import Discovery
    from conceptforest.discovery.new_items import Prediction
    from conceptforest.discovery.planning import Plan

__all__ = ["print_discovery", "print_plan", "print_prediction", "section", "two_columns"]

_SHOWN_CLUSTERS = 15
_SHOWN_SKIPPED = 5
_SHOWN_SUGGESTIONS = 6
_NAME = 20  # characters


def print_discovery(found: Discovery, console: Console) -> None:
    """Tell a person what was found, in 80 columns."""
    section(console, found.items.name)
    console.print(two_columns(facts(found)))
    _print_notes([*found.items.notes, *remarks(found)], console)
    if found.scores:
        section(console, "How well it meets the truth")
        console.print(two_columns([(label, f"{x:.2f}  {hint}") for label, x, hint in found.scores]))
    section(console, f"The {found.model.clustering.n_clusters_} concepts")
    console.print(_clusters(found))
    section(console, "Some suggested tags")
    console.print(_suggestions(found))
    _print_skipped(found.items.skipped, console)
    section(console, "Files")
    root = found.run.root
    lines = [
        ("report", str(found.run.report)),
        ("tables", f"{root}/{{items,clusters,suggestions,layers,...}}.csv and .parquet"),
        ("models", f"{found.run.concepts} and {found.run.suggestions.name}"),
    ]
    for what, place in lines:  # a path is not broken into lines, so that it can be copied
        console.print(f"  {what:<16}  {place}", markup=False, soft_wrap=True)
    steps = ", ".join(f"{step} {s:.1f} s" for step, s in found.seconds.items())
    total = sum(found.seconds.values())
    console.print(f"\nDone in {total:.1f} s ({steps}).", style="bold", soft_wrap=True)


def section(console: Console, title: str) -> None:
    """Print a heading."""
    console.print(f"\n{escape(title)}", style="bold cyan")


def two_columns(rows: Sequence[tuple[str, str]]) -> Table:
    """Set names and values beside each other."""
    table = Table.grid(padding=(0, 2))
    table.add_column(style="dim", min_width=18)
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(f"  {escape(name)}", escape(value))
    return table


def _print_notes(notes: Sequence[str], console: Console) -> None:
    for note in notes:
        console.print(f"  {note}", markup=False, style="dim")


def _print_skipped(skipped: Sequence[Skipped], console: Console) -> None:
    if not skipped:
        return
    section(console, f"{len(skipped):,} files left out")
    for one in skipped[:_SHOWN_SKIPPED]:
        console.print(f"  {one.name!r}: {one.reason}", markup=False, soft_wrap=True)
    if len(skipped) > _SHOWN_SKIPPED:
        console.print("  ... all of them are in skipped.csv and in the report", style="dim")


def _table(*headings: str) -> Table:
    table = Table(box=box.SIMPLE, padding=(0, 1), show_edge=False)
    for heading in headings:
        number = heading in {"items", "cohesion", "at least", "score"}
        table.add_column(heading, justify="right" if number else "left", overflow="fold")
    return table


def _clusters(found: Discovery) -> Table:
    table = _table("name", "items", "cohesion", "characteristic tags")
    summary = found.model.clustering.cluster_summary(top=5)
    for row in summary.head(_SHOWN_CLUSTERS).itertuples():
        tags = ", ".join(row.tags)
        table.add_row(escape(row.name), f"{row.size:,}", f"{row.cohesion:.2f}", escape(tags))
    if len(summary) > _SHOWN_CLUSTERS:
        table.add_row(f"... and {len(summary) - _SHOWN_CLUSTERS} more", "", "", "")
    return table


def _suggestions(found: Discovery) -> Table:
    """Show the likeliest suggestion of a few items."""
    calibrated = is_calibrated(found)
    heading = "at least" if calibrated else "score"
    table = _table("picture", "suggested", heading, "because of")
    best = found.findings.suggestions.drop_duplicates("item").sort_values(
        ["score", "item"], ascending=[False, True], kind="stable"
    )
    names = found.items.names
    for row in best.head(_SHOWN_SUGGESTIONS).itertuples():
        voters = ", ".join(_short(names[i]) for i, _ in row.why[:3])
        name = _short(names[row.item])
        chance = f"{row.score:.0%}" if calibrated else f"{row.score:.2f}"
        table.add_row(
            escape(name), escape(row.tag), chance, escape(voters or "its looks and other tags")
        )
    return table


def _short(name: str) -> str:
    """Keep the end of a path that fits into a narrow column."""
    last = name.rpartition("/")[2]
    return last if len(last) <= _NAME else f"...{last[3 - _NAME :]}"


def print_plan(plan: Plan, console: Console) -> None:
    """Say what a run would do."""
    section(console, f"{plan.name}: what would be done")
    console.print(two_columns(plan.steps))
    _print_notes(plan.notes, console)
    _print_skipped(plan.skipped, console)
    console.print("\nNothing was written.", style="bold")


def print_prediction(made: Prediction, place: Path, console: Console) -> None:
    """Say where new items belong."""
    section(console, f"{made.items.n_items:,} new items")
    table = _table("file", "concept", "suggested tags")
    for name, cluster, tags in zip(made.items.names, made.cluster_names, made.tags, strict=True):
        likely = ", ".join(f"{tag} {p:.0%}" for tag, p in tags[:3])
        table.add_row(escape(name), escape(cluster), escape(likely))
        if table.row_count == _SHOWN_CLUSTERS:
            break
    console.print(table)
    _print_skipped(made.items.skipped, console)
    console.print(f"\nAll of it is in {place}", markup=False, soft_wrap=True, style="bold")
