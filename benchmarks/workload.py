"""What the benchmarks share: made collections, clocks, memory, machine facts, tables.

Not a benchmark itself; ``python benchmarks/workload.py`` prints what a collection looks like.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import json
import os
import platform
import sys
import threading
import time
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self
from unittest import mock

import numpy as np
from scipy import sparse

from conceptforest import HMLForest, _core
from conceptforest.forest import parameters
from conceptforest.forest.trees import LEAF, Trees

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

_BOOSTED = 0.08  # share of the tags that a class favours
_BOOST = 20.0  # how much likelier a favoured tag is
_HEARTBEAT = 10.0  # seconds between two lines of progress


# --- Collections ---------------------------------------------------------------------------------


def make_workload(
    n: int, d: int, m: int, tags_per_item: float, *, n_classes: int = 30, seed: int = 0
) -> tuple[NDArray[np.float32], sparse.csr_array[np.uint8, tuple[int, int]], NDArray[np.int64]]:
    """Make a collection of n items with classes, features and tags.

    One feature in eight differs between classes, the others are noise. The popularity of tags
    falls like Zipf's law, and each class favours some of them. The number of tags of an item is
    Poisson given that all items together have ``round(n * tags_per_item)``.

    Parameters
    ----------
    n, d, m : int
        Items, features, tags.
    tags_per_item : float
        Mean number of tags of an item, exact; at most m / 4.
    n_classes : int
    seed : int

    Returns
    -------
    X : ndarray of shape (n, d), float32
    tags : csr_array of shape (n, m), uint8
    y : ndarray of shape (n,), int64
        Class of each item.
    """
    if tags_per_item > m / 4:
        raise ValueError(f"{tags_per_item} tags an item of {m} tags; give at most {m / 4}.")
    rng = np.random.default_rng(seed)
    y = rng.integers(n_classes, size=n)
    X = rng.standard_normal((n, d), dtype=np.float32)
    informative = np.sort(rng.choice(d, size=max(1, d // 8), replace=False))
    centre = rng.standard_normal((n_classes, d), dtype=np.float32)
    told = np.zeros(d, dtype=np.float32)
    told[informative] = 1.0
    centre *= told
    for begin in range(0, n, 1024):  # in blocks, so that X is the only large array
        X[begin : begin + 1024] += centre[y[begin : begin + 1024]]
    return X, _draw_tags(rng, y, m, tags_per_item, n_classes), y


def _draw_tags(
    rng: np.random.Generator, y: NDArray[np.int64], m: int, tags_per_item: float, n_classes: int
) -> sparse.csr_array[np.uint8, tuple[int, int]]:
    n = len(y)
    popularity = rng.permutation(1.0 / (np.arange(m) + 3.0))
    boost = np.where(rng.random((n_classes, m)) < _BOOSTED, _BOOST, 1.0)
    edges = np.cumsum(popularity * boost, axis=1)
    edges /= edges[:, -1:]
    edges = (edges + np.arange(n_classes)[:, None]).ravel()  # class c owns [c, c + 1)
    wanted = rng.multinomial(round(n * tags_per_item), np.full(n, 1.0 / n))
    pairs = np.empty(0, dtype=np.int64)
    lacking = wanted
    while lacking.any():  # a tag drawn twice for an item is drawn again
        item = np.repeat(np.arange(n), lacking)
        place = np.searchsorted(edges, y[item] + rng.random(len(item)), side="right")
        tag = np.minimum(place - y[item] * m, m - 1)
        pairs = np.unique(np.concatenate([pairs, item * m + tag]))
        lacking = wanted - np.bincount(pairs // m, minlength=n)
    start = np.concatenate([[0], np.cumsum(wanted)])
    ones = np.ones(len(pairs), dtype=np.uint8)
    return sparse.csr_array((ones, pairs % m, start), shape=(n, m))


def two_layers(
    tags: sparse.csr_array[np.uint8, tuple[int, int]], n_first: int, missing: float = 0.5
) -> tuple[list[list[int]], float]:
    """Put some tags into a first layer and the others into a second.

    The first layer is a run of `n_first` tags in order of popularity, placed so that the share
    of items without any of them comes nearest to `missing`: the most popular tags when even they
    leave more items out, otherwise the run just below the tags that nearly everything carries.

    Returns
    -------
    layers : list of two lists of int
    share : float
        Share of items without a tag of the first layer.
    """
    n, m = tags.shape
    order = np.argsort(-np.bincount(tags.indices, minlength=m), kind="stable")
    columns = tags.tocsc()[:, order]

    def share(begin: int) -> float:
        run = columns[:, begin : begin + n_first]
        return 1.0 - len(np.unique(run.indices)) / n

    low, high = 0, m - n_first
    while low < high:  # the share grows with the place of the run
        middle = (low + high) // 2
        low, high = (middle + 1, high) if share(middle) < missing else (low, middle)
    begin = min((b for b in (low - 1, low) if b >= 0), key=lambda b: abs(share(b) - missing))
    first = order[begin : begin + n_first]
    rest = np.setdiff1d(np.arange(m), first)
    return [sorted(first.tolist()), rest.tolist()], share(begin)


# --- Clocks --------------------------------------------------------------------------------------


@dataclass
class Clock:
    """Seconds by the wall and seconds of all cores."""

    wall: float = 0.0
    cpu: float = 0.0

    @contextmanager
    def running(self) -> Iterator[None]:
        wall, cpu = time.perf_counter(), time.process_time()
        try:
            yield
        finally:
            self.wall += time.perf_counter() - wall
            self.cpu += time.process_time() - cpu


@dataclass
class FitTimes:
    """Where the time of a fit went: `rest` is checks, evidence and thresholds."""

    total: Clock = field(default_factory=Clock)
    ranks: Clock = field(default_factory=Clock)
    growth: Clock = field(default_factory=Clock)

    @property
    def rest(self) -> float:
        return self.total.wall - self.ranks.wall - self.growth.wall

    @property
    def fixed(self) -> float:
        return self.total.wall - self.growth.wall


def timed_fit(forest: HMLForest, X: Any, tags: Any, label: str = "growing") -> FitTimes:
    """Fit, with a clock on the core's functions and a line of progress now and then."""
    times = FitTimes()
    rank, grow = _core.rank_columns, _core.grow

    def timed_rank(*args: Any) -> None:
        with times.ranks.running():
            rank(*args)

    def timed_grow(*args: Any, **options: Any) -> Any:
        options["progress"] = heartbeat(label, len(args[2]))
        with times.growth.running():
            return grow(*args, **options)

    with (
        mock.patch.object(_core, "rank_columns", timed_rank),
        mock.patch.object(_core, "grow", timed_grow),
        times.total.running(),
    ):
        forest.fit(X, tags)
    return times


def heartbeat(label: str, total: int) -> Callable[[int], None]:
    """Give a progress function that writes to stderr every ten seconds."""
    begin = time.perf_counter()
    last = begin

    def update(done: int) -> None:
        nonlocal last
        now = time.perf_counter()
        if now - last >= _HEARTBEAT:
            last = now
            left = (now - begin) / done * (total - done) if done else float("nan")
            note(f"{label}: {done} of {total}, about {left:.0f} s left")

    return update


def note(message: str) -> None:
    """Say on stderr what is happening."""
    print(f"[{datetime.now(UTC):%H:%M:%S}] {message}", file=sys.stderr, flush=True)


# --- Trees ---------------------------------------------------------------------------------------


def n_try(forest: HMLForest) -> int:
    """Give the number of candidate features at a node of a fitted forest."""
    return parameters.n_try(forest.max_features, forest.n_features_in_)


def visits(trees: Trees) -> int:
    """Count how many items were looked at in all inner nodes."""
    return int(trees.count[trees.feature != LEAF].sum(dtype=np.int64))


def splits_by_layer(trees: Trees, n_layers: int) -> list[float]:
    """Give the mean number of splits a tree that each layer chose."""
    chosen = trees.layer[trees.feature != LEAF]
    return [float(c) / trees.n_trees for c in np.bincount(chosen, minlength=n_layers)]


def model_bytes(trees: Trees) -> int:
    return sum(part.nbytes for part in vars(trees).values())


# --- Memory --------------------------------------------------------------------------------------


def rss() -> int:
    """Give the bytes of memory that this process holds now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


def _give_back() -> None:
    """Return freed memory to the system, where the C library can, so that reuse is counted."""
    gc.collect()
    with suppress(AttributeError, OSError):
        ctypes.CDLL(None).malloc_trim(0)


class PeakMemory:
    """Measure the largest memory of this process during a ``with`` block, in bytes.

    Linux keeps the peak and lets a process reset it; where that is not allowed a thread looks
    every 5 ms.

    Attributes
    ----------
    before, peak, increase : int
    """

    def __enter__(self) -> Self:
        self._done = threading.Event()
        self._thread: threading.Thread | None = None
        _give_back()
        self.before = self.peak = rss()
        try:
            Path("/proc/self/clear_refs").write_text("5")
        except OSError:
            self._thread = threading.Thread(target=self._watch, daemon=True)
            self._thread.start()
        return self

    def _watch(self) -> None:
        while not self._done.wait(0.005):
            self.peak = max(self.peak, rss())

    def __exit__(self, *_: object) -> None:
        self._done.set()
        if self._thread is None:
            status = Path("/proc/self/status").read_text()
            line = next(line for line in status.splitlines() if line.startswith("VmHWM:"))
            self.peak = max(self.peak, int(line.split()[1]) * 1024)
        else:
            self._thread.join()
        self.increase = self.peak - self.before


# --- Output --------------------------------------------------------------------------------------


def machine_facts() -> dict[str, Any]:
    """Say where and when a number was made."""
    names = ("conceptforest", "numpy", "scipy", "scikit-learn")
    versions = {"python": platform.python_version()} | {name: version(name) for name in names}
    return {
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "cpu": _cpu_name(),
        "cores": os.cpu_count(),
        "memory_gb": round(os.sysconf("SC_PAGESIZE") * os.sysconf("SC_PHYS_PAGES") / 1e9, 1),
        "load_before": round(os.getloadavg()[0], 2),
        "system": f"{platform.system()} {platform.machine()}",
        "versions": versions,
    }


def _cpu_name() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.machine())


def table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print rows under a header: text to the left, numbers to the right."""
    rows = [list(row) for row in rows]
    cells = [[_cell(value) for value in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(header, *cells, strict=True)]
    right = [all(not isinstance(row[c], str) for row in rows) for c in range(len(header))]

    def line(row: Sequence[str]) -> str:
        parts = [
            cell.rjust(width) if r else cell.ljust(width)
            for cell, width, r in zip(row, widths, right, strict=True)
        ]
        return "  ".join(parts).rstrip()

    print(line(header))
    print("  ".join("-" * width for width in widths))
    for row in cells:
        print(line(row))


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    if isinstance(value, float):
        return f"{value:.4g}" if abs(value) < 1000 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def arguments(description: str | None) -> argparse.ArgumentParser:
    """Give a parser with the options that every benchmark has."""
    parser = argparse.ArgumentParser(
        description=(description or "").split("\n\n")[0],
        formatter_class=argparse.ArgumentDefaultsHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead")
    parser.add_argument("--seed", type=int, default=0, help="seed of the data and of the forests")
    return parser


def paper_size_arguments(description: str | None) -> argparse.ArgumentParser:
    """Add the size of the collection, by default that of the paper's larger one."""
    parser = arguments(description)
    parser.add_argument("--items", type=int, default=17523)
    parser.add_argument("--features", type=int, default=4096)
    parser.add_argument("--tags", type=int, default=1000)
    parser.add_argument("--tags-per-item", type=float, default=4.8)
    parser.add_argument("--first-layer", type=int, default=90, help="tags in the first layer")
    return parser


def settings(args: argparse.Namespace) -> dict[str, Any]:
    """Give the options of a run as plain values."""
    hidden = ("json", "worker", "folder")
    return {
        k: str(v) if isinstance(v, Path) else v for k, v in vars(args).items() if k not in hidden
    }


def emit(result: dict[str, Any], render: Callable[[Any], None], *, as_json: bool) -> None:
    """Print a result for a person, or as JSON."""
    if as_json:
        print(json.dumps(result))
        return
    facts = result["machine"]
    versions = " ".join(f"{name} {number}" for name, number in facts["versions"].items())
    size = f"{facts['cores']} cores, {facts['memory_gb']} GB, load before {facts['load_before']}"
    print(f"{facts['date']} | {facts['cpu']}, {size} | {facts['system']} | {versions}")
    print("options:", " ".join(f"{k}={v}" for k, v in result["options"].items()), "\n")
    render(result)


def _describe() -> None:
    parser = paper_size_arguments(__doc__)
    args = parser.parse_args()
    facts = machine_facts()
    note("making the collection")
    clock = Clock()
    with clock.running():
        X, tags, _ = make_workload(
            args.items, args.features, args.tags, args.tags_per_item, seed=args.seed
        )
    _, share = two_layers(tags, args.first_layer)
    counts = np.sort(np.bincount(tags.indices, minlength=args.tags))[::-1]
    result = {
        "machine": facts,
        "options": settings(args),
        "seconds": clock.wall,
        "x_bytes": X.nbytes,
        "tags_per_item": tags.nnz / args.items,
        "most_tags": int(np.diff(tags.indptr).max()),
        "untagged_share": float(np.mean(np.diff(tags.indptr) == 0)),
        "top_tag_share": float(counts[0] / args.items),
        "median_tag_items": float(np.median(counts)),
        "first_layer_missing_share": share,
    }
    skip = ("machine", "options")
    rows = [(name, value) for name, value in result.items() if name not in skip]
    emit(result, lambda _: table(("fact", "value"), rows), as_json=args.json)


if __name__ == "__main__":
    _describe()
