"""What bounds the growth of trees: bytes read, node sizes, width of registers, threads.

The split search reads one rank of two bytes for each item and candidate feature (a visit). In a
small node every item lies in a cache line of its own, so a visit moves up to 64 bytes. The expected
number of lines follows from the node's size: with ``c`` lines a column, a node of ``s`` items
touches ``c (1 - (1 - 1 / c)^s)`` of them.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from conceptforest import HMLForest, _core
from conceptforest.forest.trees import LEAF
from workload import (
    emit,
    machine_facts,
    make_workload,
    n_try,
    note,
    paper_size_arguments,
    settings,
    table,
    timed_fit,
    two_layers,
    visits,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

VARIANTS = ("flat", "nocorr", "full")
WIDTHS = (64, 32, 16)  # bytes of a vector register: AVX-512, AVX2, SSE2
LINE = 64


def lines_read(sizes: NDArray[np.int64], n_items: int, rank_bytes: int) -> NDArray[np.float64]:
    """Give the expected number of cache lines of one column that nodes of these sizes touch."""
    lines = n_items * rank_bytes / LINE
    return np.asarray(lines * -np.expm1(sizes * np.log1p(-1.0 / lines)))


def by_size(sizes: NDArray[np.int64], lines: NDArray[np.float64]) -> list[list[Any]]:
    """Sum up visits and lines by the node's size."""
    rows: list[list[Any]] = []
    edges = [2, 8, 32, 128, 512, 2048, 1 << 31]
    for low, high in pairwise(edges):
        inside = (sizes >= low) & (sizes < high)
        if inside.any():
            label = f"{low} - {high - 1}" if high < edges[-1] else f"{low} and more"
            share = sizes[inside].sum() / sizes.sum()
            rows.append([label, 100 * share, LINE * lines[inside].sum() / sizes[inside].sum()])
    return rows


def measure(args: Any) -> dict[str, Any]:
    note("making the collection")
    X, tags, _ = make_workload(args.items, args.features, args.tags, args.tags_per_item)
    layers, _ = two_layers(tags, args.first_layer)
    result: dict[str, Any] = {"machine": machine_facts(), "options": settings(args)}
    for variant in VARIANTS:
        forest = HMLForest(
            args.trees,
            layers=1 if variant == "flat" else layers,
            correlation=variant == "full",
            random_state=args.seed,
            n_jobs=1,
        )
        seconds: dict[int, float] = {}
        for width in WIDTHS:
            note(f"{variant}, registers of {width} bytes")
            _core.limit_registers(width)
            times = timed_fit(forest, X, tags)
            seconds[width] = times.growth.wall / args.trees
        _core.limit_registers(max(WIDTHS))
        note(f"{variant}, two threads")
        pair = timed_fit(forest.set_params(n_jobs=2), X, tags).growth.wall / args.trees
        trees = forest.trees_
        sizes = trees.count[trees.feature != LEAF].astype(np.int64)
        rank_bytes = 2 if args.items < 2**16 else 4
        lines = lines_read(sizes, args.items, rank_bytes)
        tried = n_try(forest)
        gigabytes = LINE * lines.sum() * tried / args.trees / 1e9
        visited = visits(trees) * tried / args.trees
        result[variant] = {
            "ns": {w: 1e9 * s / visited for w, s in seconds.items()},
            "threads": seconds[WIDTHS[0]] / pair,
            "bytes_a_visit": 1e9 * gigabytes / visited,
            "gigabytes_a_tree": gigabytes,
            "gigabytes_a_second": gigabytes / seconds[WIDTHS[0]],
            "by_size": by_size(sizes, lines),
        }
    return result


def render(result: dict[str, Any]) -> None:
    table(
        ("variant", *(f"ns a visit, {w} bytes" for w in WIDTHS), "2 threads, times faster"),
        [[v, *result[v]["ns"].values(), result[v]["threads"]] for v in VARIANTS],
    )
    print()
    table(
        ("variant", "bytes moved a visit", "GB a tree", "GB/s, one thread"),
        [
            [
                v,
                *(
                    result[v][k]
                    for k in ("bytes_a_visit", "gigabytes_a_tree", "gigabytes_a_second")
                ),
            ]
            for v in VARIANTS
        ],
    )
    for variant in VARIANTS:
        print(f"\n{variant}: visits by the size of the node")
        table(
            ("items at the node", "% of visits", "bytes moved a visit"), result[variant]["by_size"]
        )


def main() -> None:
    parser = paper_size_arguments(__doc__)
    parser.add_argument("--trees", type=int, default=8)
    args = parser.parse_args()
    with threadpool_limits(1):
        emit(measure(args), render, as_json=args.json)


if __name__ == "__main__":
    main()
