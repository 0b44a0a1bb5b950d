"""How the time to grow a tree scales: with items, tags an item, vocabulary and threads.

Times are of growth alone, the fastest of several rounds, all points in turn within a round. A trend
is the least-squares slope of log time against log size: 1 is linear, 0 is flat. Trees get deeper
with more items, and much deeper when tags are few or rare (a cut then splits off a few items at the
edge), so the time per item and candidate feature, summed over inner nodes, is given beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from conceptforest import HMLForest
from workload import (
    arguments,
    emit,
    machine_facts,
    make_workload,
    n_try,
    note,
    settings,
    table,
    timed_fit,
    two_layers,
    visits,
)

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence

SWEEPS = ("items", "tags", "vocabulary", "threads")
VARIANTS = ("flat", "nocorr", "full")


@dataclass(frozen=True)
class Point:
    """One place of a sweep."""

    variant: str
    items: int
    tags_per_item: float
    vocabulary: int
    threads: int


def points(sweep: str, args: argparse.Namespace) -> list[tuple[float, Point]]:
    """Give the sizes of a sweep and what to grow at each."""
    usual = {
        "items": args.base_items,
        "tags_per_item": args.base_tags_per_item,
        "vocabulary": args.base_vocabulary,
        "threads": 1,
    }
    name, sizes, variants = {
        "items": ("items", args.items, args.variants),
        "tags": ("tags_per_item", args.tags_per_item, ["flat"]),
        "vocabulary": ("vocabulary", args.vocabulary, ["flat", "nocorr"]),
        "threads": ("threads", args.threads, args.variants),
    }[sweep]
    return [
        (float(size), Point(variant, **{**usual, name: size}))
        for variant in variants
        for size in sizes
    ]


def measure(point: Point, args: argparse.Namespace) -> dict[str, float]:
    X, tags, _ = make_workload(
        point.items, args.features, point.vocabulary, point.tags_per_item, seed=args.seed
    )
    layers: Any = 1
    if point.variant != "flat":
        n_first = max(1, round(args.first_layer_share * point.vocabulary))
        layers, _ = two_layers(tags, n_first)
    forest = HMLForest(
        args.trees,
        min_samples_leaf=args.min_samples_leaf,
        layers=layers,
        correlation=point.variant == "full",
        n_jobs=point.threads,
        random_state=args.seed,
    )
    times = timed_fit(forest, X, tags)
    looked_at = visits(forest.trees_)
    return {
        "seconds": times.growth.wall / args.trees,
        "ns_per_candidate": 1e9 * times.growth.cpu / looked_at / n_try(forest),
        "item_depth": looked_at / point.items / args.trees,
        "nodes": len(forest.trees_.feature) / args.trees,
    }


def sweep_rows(sweep: str, args: argparse.Namespace) -> list[dict[str, Any]]:
    """Measure all points of a sweep, round by round; keep the fastest of each."""
    todo = points(sweep, args)
    best: dict[Point, dict[str, float]] = {}
    for r in range(args.rounds):
        for size, point in todo:
            note(f"{sweep} {size:g}, {point.variant}, round {r + 1} of {args.rounds}")
            found = measure(point, args)
            if point not in best or found["seconds"] < best[point]["seconds"]:
                best[point] = found
    return [{"variant": point.variant, "size": size, **best[point]} for size, point in todo]


def slope(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Give the least-squares slope of log y against log x."""
    if len(set(x)) < 2:
        return None
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def trends(sweep: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Fit what a sweep says, variant by variant."""
    fits: list[dict[str, Any]] = []
    for variant in dict.fromkeys(row["variant"] for row in rows):
        mine = [row for row in rows if row["variant"] == variant]
        x = [row["size"] for row in mine]
        seconds = [row["seconds"] for row in mine]
        fit: dict[str, Any] = {"variant": variant, "time": slope(x, seconds)}
        fit["ns_per_candidate"] = slope(x, [row["ns_per_candidate"] for row in mine])
        if sweep == "items":
            fit["time_over_n_log_n"] = slope(
                x, [s / (n * np.log(n)) for n, s in zip(x, seconds, strict=True)]
            )
        if sweep == "tags":
            fit["r2_of_a_line"] = _r2(x, [row["ns_per_candidate"] for row in mine])
        if sweep == "threads":
            fit = {"variant": variant, "speedup": [seconds[0] / s for s in seconds]}
        fits.append(fit)
    return fits


def _r2(x: Sequence[float], y: Sequence[float]) -> float | None:
    if len(set(x)) < 3:
        return None
    left = np.asarray(y) - np.polyval(np.polyfit(x, y, 1), x)
    return float(1.0 - left.var() / np.var(y))


def run(args: argparse.Namespace) -> dict[str, Any]:
    result: dict[str, Any] = {"machine": machine_facts(), "options": settings(args), "sweeps": {}}
    with threadpool_limits(1):
        for sweep in args.only:
            rows = sweep_rows(sweep, args)
            result["sweeps"][sweep] = {"rows": rows, "trends": trends(sweep, rows)}
    return result


def render(result: dict[str, Any]) -> None:
    expected = {
        "items": "time a tree against items (n log n: slope a little above 1)",
        "tags": "time against tags an item (linear: a straight line per item and candidate)",
        "vocabulary": "time against vocabulary, hard layers (per item and candidate: flat)",
        "threads": "time a tree against threads",
    }
    number: Callable[[Any], str] = lambda v: "-" if v is None else f"{v:.3f}"  # noqa: E731
    for sweep, found in result["sweeps"].items():
        print(expected[sweep])
        table(
            ("variant", sweep, "ms a tree", "core ns per item, candidate", "nodes", "depth"),
            [
                (
                    row["variant"],
                    row["size"],
                    1e3 * row["seconds"],
                    row["ns_per_candidate"],
                    row["nodes"],
                    row["item_depth"],
                )
                for row in found["rows"]
            ],
        )
        for fit in found["trends"]:
            if sweep == "threads":
                what = "speed-up " + ", ".join(map(number, fit["speedup"]))
            else:
                what = f"slope of time {number(fit['time'])}"
                what += f", of time per item and candidate {number(fit['ns_per_candidate'])}"
            if "time_over_n_log_n" in fit:
                what += f", of time / (n log n) {number(fit['time_over_n_log_n'])}"
            if "r2_of_a_line" in fit:
                what += (
                    f"; R2 of a straight line per item and candidate {number(fit['r2_of_a_line'])}"
                )
            print(f"{fit['variant']}: {what}")
        print()


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--only", nargs="+", choices=SWEEPS, default=list(SWEEPS))
    parser.add_argument("--variants", nargs="+", choices=VARIANTS, default=["flat", "full"])
    parser.add_argument("--items", type=int, nargs="+", default=[1000, 2000, 4000, 8000, 16000])
    parser.add_argument("--tags-per-item", type=float, nargs="+", default=[1, 2, 4, 8, 16])
    parser.add_argument("--vocabulary", type=int, nargs="+", default=[100, 1000, 10_000, 100_000])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--base-items", type=int, default=4000)
    parser.add_argument("--base-tags-per-item", type=float, default=4.8)
    parser.add_argument("--base-vocabulary", type=int, default=1000)
    parser.add_argument("--features", type=int, default=1024)
    parser.add_argument("--first-layer-share", type=float, default=0.09, help="of the vocabulary")
    parser.add_argument("--min-samples-leaf", type=int, default=3)
    parser.add_argument("--trees", type=int, default=10, help="at each point")
    parser.add_argument("--rounds", type=int, default=3)
    args = parser.parse_args()
    emit(run(args), render, as_json=args.json)


if __name__ == "__main__":
    main()
