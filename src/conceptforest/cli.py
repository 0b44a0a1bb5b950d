"""The command line: parse, call, print."""

from __future__ import annotations

import os
import shlex
import sqlite3
import sys
import tomllib
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console

from conceptforest import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["main"]

_FOLDER = click.Path(file_okay=False, path_type=Path)
_EXISTING = click.Path(exists=True, path_type=Path)
# Where Linux tells how many bytes a container may hold, in its present and its former layout.
_CONTAINER_MEMORY = (
    "/sys/fs/cgroup/memory.max",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
)


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 80})
@click.version_option(__version__, prog_name="conceptforest")
def main() -> None:
    """Find the concept structure of collections with sparse, incomplete tags."""


def _check_jobs(_context: click.Context, _option: click.Parameter, value: int) -> int:
    if value == 0:
        raise click.BadParameter("0 threads can do nothing; give 1 or more, or -1.")
    return value


_trees = click.option("--trees", type=click.IntRange(1, 100_000), default=500, help="Trees.")
_seed = click.option(
    "--seed", type=click.IntRange(0, 2**32 - 1), default=0, help="Same seed, same result."
)
_jobs = click.option(
    "--jobs", type=int, default=-1, callback=_check_jobs, help="Threads; -1 is one for each core."
)
_features = click.option(
    "--features",
    default="auto",
    metavar="NAME",
    help="classic, efficientnet-lite0, onnx:FILE, vgg16:FILE, or hog3d (videos alone); auto takes"
    " the best that is installed.",
)
_open = click.option(
    "--open/--no-open", "open_report", default=None, help="Open the report in the browser."
)


@main.command(context_settings={"show_default": True})
@click.argument("path", type=_EXISTING)
@click.option("--out", type=_FOLDER, required=True, help="Folder of the run; made if not there.")
@click.option(
    "--tags",
    multiple=True,
    metavar="SOURCE",
    help="A table (CSV, TSV, JSONL, Parquet), COCO JSON, a folder of SVG or XMP files, or one of"
    " the words sidecars, embedded, folders. May be given several times. Without it: sidecars,"
    " embedded keywords and metadata files.",
)
@_features
@click.option("--clusters", type=click.IntRange(2), help="Number of concepts; chosen if not given.")
@click.option("--layers", type=click.IntRange(1, 20), default=2, help="Tag layers to estimate.")
@click.option(
    "--hierarchy",
    type=click.Path(exists=True, dir_okay=False),
    help="Tag hierarchy: a JSON tree, or a CSV table with the columns tag and parent.",
)
@_trees
@click.option(
    "--min-tag-count", type=click.IntRange(1), default=2, help="Ignore tags on fewer items."
)
@click.option("--suggest", type=click.IntRange(1), default=5, help="Most suggestions an item.")
@click.option(
    "--min-probability", type=click.FloatRange(0, 1), default=0.02, help="Of a suggestion."
)
@click.option(
    "--video-pool", type=click.Choice(["mean", "max"]), default="mean", help="Of video frames."
)
@click.option(
    "--cache",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File for features, to be shared between runs.  [default: in the run]",
)
@click.option("--title", help="Heading of the report.  [default: the folder's name]")
@_seed
@_jobs
@click.option("--dry-run", is_flag=True, help="Say what would be done, and write nothing.")
@_open
def discover(
    path: Path, out: Path, *, dry_run: bool, open_report: bool | None, **given: Any
) -> None:
    """Find the concepts of a collection, and the tags that are missing.

    PATH is a folder of pictures and videos, or a feature file (.npz, .npy, .parquet). The run
    holds report.html, tables, and the models. Stopped or killed, the same command continues.
    """
    from conceptforest.discovery import Settings, discover, plan
    from conceptforest.discovery.summary import print_discovery, print_plan

    with _errors_for_people(out):
        settings = Settings(
            tags=given["tags"] or None,
            features=given["features"],
            pool=given["video_pool"],
            n_clusters=given["clusters"],
            layers=given["layers"],
            hierarchy=given["hierarchy"],
            n_trees=given["trees"],
            min_tag_count=given["min_tag_count"],
            n_suggestions=given["suggest"],
            min_probability=given["min_probability"],
            seed=given["seed"],
        )
        if dry_run:
            foreseen = plan(path, out, settings, cache=given["cache"], verbose=_verbose())
            print_plan(foreseen, Console(highlight=False))
            return
        found = discover(
            path,
            out,
            settings,
            cache=given["cache"],
            title=given["title"],
            command=_command(),
            n_jobs=given["jobs"],
            verbose=_verbose(),
        )
    print_discovery(found, Console(highlight=False))
    _show(found.run.report, wanted=open_report)


@main.command(context_settings={"show_default": True})
@click.argument("run", type=_FOLDER)
@click.argument("path", type=_EXISTING)
@click.option("--out", type=_FOLDER, help="Folder for the tables.  [default: within the run]")
@click.option("--tags", multiple=True, metavar="SOURCE", help="Tags of the new items, if any.")
@click.option("--features", metavar="NAME", help="Where the run's network file has moved.")
@click.option("--suggest", type=click.IntRange(1), help="Most suggestions an item.")
@click.option("--cache", type=click.Path(dir_okay=False, path_type=Path), help="Of features.")
@_jobs
def predict(
    run: Path, path: Path, *, out: Path | None, tags: tuple[str, ...], **given: Any
) -> None:
    """Place and tag new pictures with the model of a run.

    RUN is the folder that `discover` made, PATH a folder of new pictures and videos.
    """
    from conceptforest.discovery import predict
    from conceptforest.discovery.new_items import place_for
    from conceptforest.discovery.summary import print_prediction

    place = place_for(run, path) if out is None else out
    with _errors_for_people(place):
        made = predict(
            run,
            path,
            tags=tags or None,
            features=given["features"],
            n_suggestions=given["suggest"],
            cache=given["cache"],
            n_jobs=given["jobs"],
            verbose=_verbose(),
        )
        table = made.write(place)
    print_prediction(made, table, Console(highlight=False))


@main.command(context_settings={"show_default": True})
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option(
    "--data",
    default="scenes",
    metavar="SOURCE",
    help="A feature file; scenes, trecvid-like or nuswide-like, with :N behind it for N items; or"
    " a published layout and its folder, such as nus-wide:FOLDER.",
)
@click.option("--out", type=_FOLDER, required=True, help="Folder for tables, figures and results.")
@click.option("--preset", default="paper", help="paper (10 seeds, 1,000 trees) or quick.")
@click.option(
    "--config",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="TOML file with settings that differ from the preset's.",
)
@click.option("--trees", type=click.IntRange(1, 100_000), help="Of each forest.")
@click.option("--seeds", type=click.IntRange(1, 1000), help="Runs of each method.")
@click.option("--methods", metavar="NAME,NAME,...", help="Run these alone.")
@click.option(
    "--method",
    "method_files",
    type=click.Path(exists=True, dir_okay=False),
    multiple=True,
    help="Python file with a method of your own; it gets a row in every table.",
)
@click.option(
    "--cells",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the results of single runs.  [default: in the folder for tables]",
)
@click.option("--workers", type=click.IntRange(1), help="Runs at a time.  [default: the cores]")
@click.option(
    "--memory",
    type=click.FloatRange(0.5),
    help="GB for all runs.  [default: three quarters of what there is]",
)
@click.option("--limit", type=click.FloatRange(1), help="Seconds a run may take.")
@click.option("--features", default="auto", metavar="NAME", help="Of media: see `discover`.")
@click.option(
    "--keep-older",
    is_flag=True,
    help="Use results that earlier code has computed, and say so.",
)
@click.option(
    "--no-runs",
    is_flag=True,
    help="Begin no run: tables of what is kept, with how long the rest would take.",
)
def reproduce(names: tuple[str, ...], *, out: Path, **given: Any) -> None:
    """Reproduce the paper's tables and figures on a collection.

    NAME is claims, table1 to table8, fig-..., or all. Stopped or killed, the same command
    continues; what is done is never computed twice. Needs pip install "conceptforest[reproduce]".
    """
    from joblib import cpu_count

    from conceptforest.experiments import reproduce
    from conceptforest.experiments.pool import Bounds

    with _errors_for_people(out):
        changes: dict[str, Any] = {}
        if given["config"] is not None:
            changes |= tomllib.loads(given["config"].read_text("utf-8"))
        layout = changes.pop("layout", None)
        options = {"trees": given["trees"], "seeds": given["seeds"], "seconds": given["limit"]}
        changes |= {name: value for name, value in options.items() if value is not None}
        if given["methods"]:
            changes["methods"] = tuple(given["methods"].split(","))
        cores = cpu_count()  # those that this process may use
        workers = given["workers"] or cores
        done = reproduce(
            names,
            given["data"],
            out,
            settings=(given["preset"], changes),
            features=given["features"],
            layout=layout,
            cells=given["cells"],
            bounds=Bounds(workers, max(1, cores // workers), _memory_mb(given["memory"])),
            method_files=given["method_files"],
            keep_older=given["keep_older"],
            no_runs=given["no_runs"],
            command=_command(),
            verbose=1,  # runs of hours are watched in logs as well
        )
    _print_reproduction(done)


def _memory_mb(given: float | None) -> float:
    """Give the memory for runs in MB: what a user says, in GB, or a good part of what there is."""
    if given is not None:
        return 1000 * given
    try:
        there = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError):
        return 16_000.0
    for file in _CONTAINER_MEMORY:
        with suppress(OSError, ValueError):  # not Linux, or no limit, which is the word "max"
            there = min(there, int(Path(file).read_text("ascii")))
    return 0.75 * there / 1e6


def _print_reproduction(done: Any) -> None:
    """Tell a person what there is now."""
    click.echo(f"{done.n_jobs:,} runs, {done.n_run:,} of them made now.")
    if done.n_failed:
        click.echo(f"{done.n_failed:,} gave no result; the tables say why.")
    for remark in done.remarks:
        click.echo(f"Audit: {remark}")
    if done.lacking:
        click.echo(f"Not made: {', '.join(done.lacking)}; the page says why.")
    click.echo(f"{len(done.files):,} files. Open {done.index}")


@main.command(context_settings={"show_default": True})
@click.option("--out", type=_FOLDER, default=Path("demo-output"), help="Folder for all files.")
@click.option("--items", type=click.IntRange(50, 20_000), default=600, help="Pictures to draw.")
@click.option("--features", default="classic", metavar="NAME", help="See `discover`.")
@click.option("--trees", type=click.IntRange(1, 100_000), default=300, help="Trees.")
@_seed
@_jobs
@_open
def demo(out: Path, *, open_report: bool | None, **given: Any) -> None:
    """Draw a collection of pictures, and find its concepts.

    The pictures are drawn by code, so their scenes and all of their tags are known: the summary
    says how many of them were found again.
    """
    from conceptforest._demo import print_demo, run_demo

    with _errors_for_people(out):
        done = run_demo(
            out,
            n_items=given["items"],
            features=given["features"],
            n_trees=given["trees"],
            seed=given["seed"],
            n_jobs=given["jobs"],
            command=_command(),
            verbose=_verbose(),
        )
    print_demo(done, Console(highlight=False))
    _show(done.found.run.report, wanted=open_report)


def _verbose() -> int:
    """Progress is for people who watch."""
    return int(sys.stderr.isatty())


def _command() -> str:
    """Give the command without the places on this machine, which a report may leave."""
    return shlex.join(["conceptforest", *map(_without_places, sys.argv[1:])])


def _without_places(word: str) -> str:
    """Cut absolute paths down to names, also behind an option's = and a layout's colon."""
    option, equals, value = word.partition("=") if word.startswith("-") else ("", "", word)
    kind, colon, place = value.partition(":")
    if colon and Path(place).is_absolute():
        value = f"{kind}:{Path(place).name}"
    elif Path(value).is_absolute():
        value = Path(value).name
    return f"{option}{equals}{value}"


@contextmanager
def _errors_for_people(out: Path) -> Iterator[None]:
    """Turn what a user can mend into a message; other faults keep their traceback."""
    try:
        yield
    except KeyboardInterrupt:
        click.echo("\nStopped. What was done is kept: the same command continues.", err=True)
        raise SystemExit(130) from None
    except (FileNotFoundError, ValueError, TypeError, ImportError) as error:
        raise click.ClickException(str(error)) from error
    except sqlite3.Error as error:
        raise click.ClickException(
            f"Cannot use the cache of features: {error}. Free some space, or name another file with"
            " --cache."
        ) from error
    except OSError as error:
        reason = error.strerror or str(error)
        where = error.filename or out
        raise click.ClickException(
            f"Cannot use '{where}': {reason}. Choose another folder with --out, or mend it."
        ) from error


def _show(report: Path, *, wanted: bool | None) -> None:
    """Open the report where somebody can see it."""
    screen = sys.platform == "darwin" or any(
        os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY")
    )
    if wanted or (wanted is None and screen and sys.stdout.isatty()):
        import webbrowser

        if not webbrowser.open(report.resolve().as_uri()):
            click.echo(f"No browser could be started. Open it by hand: {report}", err=True)
