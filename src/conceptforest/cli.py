"""The command line: parse, call, print."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import click
from rich.console import Console

from conceptforest import __version__

__all__ = ["main"]


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80})
@click.version_option(__version__, prog_name="conceptforest")
def main() -> None:
    """Find the concept structure of collections with sparse, incomplete tags."""


@main.command(context_settings={"show_default": True})
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("demo-output"),
    help="Folder for the files; made if it is not there.",
)
@click.option("--trees", type=click.IntRange(1, 100_000), default=300, help="Number of trees.")
@click.option("--items", type=click.IntRange(50, 100_000), default=600, help="Number of items.")
@click.option(
    "--seed",
    type=click.IntRange(0, 2**32 - 1),
    default=0,
    help="Same seed, same collection and forest.",
)
@click.option("--jobs", type=int, default=-1, help="Threads; -1 is one for each core.")
def demo(out: Path, trees: int, items: int, seed: int, jobs: int) -> None:
    """Make up a tagged collection, and find its concepts.

    The collection is synthetic, so its concepts and all of its tags are known: the summary says
    how many of them were found again.
    """
    if jobs == 0:
        raise click.BadParameter(
            "0 threads can do nothing; give 1 or more, or -1.", param_hint="--jobs"
        )
    _make_folder(out)
    from conceptforest._demo import print_summary, run_demo

    try:
        done = run_demo(
            out,
            n_items=items,
            n_trees=trees,
            seed=seed,
            n_jobs=jobs,
            verbose=int(sys.stderr.isatty()),
        )
    except OSError as error:
        raise _cannot_write(out, error) from error
    print_summary(done, Console(highlight=False))


def _make_folder(out: Path) -> None:
    """Make sure before any work that files can be written into the folder."""
    try:
        out.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=out):
            pass
    except OSError as error:
        raise _cannot_write(out, error) from error


def _cannot_write(out: Path, error: OSError) -> click.ClickException:
    reason = error.strerror or str(error)
    return click.ClickException(
        f"Cannot write to the folder '{out}': {reason}. Choose another with --out."
    )
