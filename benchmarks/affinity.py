"""Top-k affinity from leaf tables: HMLForest.affinity against SciPy's sparse product.

The peer turns the leaf table into a sparse one-hot matrix Q, items by leaves, multiplies it with
its transpose, drops the diagonal and keeps the largest k of each row. It runs with several row
blocks and number types, and as one product where that fits the memory; the fastest is compared.
One thread each. Both sides must find the same affinities.
"""

from __future__ import annotations

import statistics
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from conceptforest import HMLForest
from conceptforest.forest.trees import LEAF, Trees
from workload import (
    Clock,
    PeakMemory,
    emit,
    machine_facts,
    make_workload,
    note,
    paper_size_arguments,
    settings,
    table,
    timed_fit,
    two_layers,
)

if TYPE_CHECKING:
    import argparse

    from numpy.typing import NDArray

TARGET_RATIO = 10.0
TARGET_BYTES = 1_000_000_000
DTYPES = ("int16", "int32")  # int16 counts to 32,767 trees; narrow rows are partitioned faster


def forest_of(args: argparse.Namespace) -> HMLForest:
    """Give a forest with leaves, from a file or from a fit."""
    if args.load_leaves is not None:
        note(f"reading {args.load_leaves}")
        with np.load(args.load_leaves) as file:
            return _forest_from_leaves(file["leaves"], file["offsets"], args.seed)
    note("making the collection")
    X, tags, _ = make_workload(
        args.items, args.features, args.tags, args.tags_per_item, seed=args.seed
    )
    layers, _ = two_layers(tags, args.first_layer)
    forest = HMLForest(args.trees, layers=layers, n_jobs=args.jobs, random_state=args.seed)
    note(f"growing {args.trees} trees")
    timed_fit(forest, X, tags)
    if args.save_leaves is not None:
        table_ = np.ascontiguousarray(forest.leaves_.T)
        np.savez(args.save_leaves, leaves=table_, offsets=forest.trees_.offsets)
        note(f"wrote {args.save_leaves}")
    return forest


def _forest_from_leaves(
    leaves: NDArray[np.int32], offsets: NDArray[np.int64], seed: int
) -> HMLForest:
    """Make a forest that knows its leaf table, (n_trees, n_items), and the sizes of its trees."""
    forest = HMLForest(len(leaves))
    none = np.empty(0)
    forest.trees_ = Trees(
        offsets=offsets,
        feature=np.full(0, LEAF, dtype=np.int32),
        threshold=none,
        left=none.astype(np.int32),
        layer=none.astype(np.int16),
        gain=none,
        count=none.astype(np.int32),
    )
    forest._leaf_table = np.ascontiguousarray(leaves)  # noqa: SLF001
    forest.seed_ = seed
    return forest


def one_hot(leaves: NDArray[np.int32], dtype: str) -> Any:
    """Give Q: items by leaves of all trees, 1 where the item is in the leaf."""
    n, trees = leaves.shape
    columns = np.empty((n, trees), dtype=np.int32)
    total = 0
    for t in range(trees):
        used, place = np.unique(leaves[:, t], return_inverse=True)
        columns[:, t] = place + total
        total += len(used)
    start = np.arange(0, n * trees + 1, trees, dtype=np.int64)
    if n * trees < 2**31:
        start = start.astype(np.int32)
    ones = np.ones(n * trees, dtype=dtype)
    return sparse.csr_array((ones, columns.ravel(), start), shape=(n, total))


def top_values(product: Any, first: int, k: int, out: NDArray[np.int64]) -> None:
    """Write the k largest counts of each row, largest first; row r of the product is first + r.

    The neighbours' numbers are picked too, as a caller would need them, and then left aside.
    """
    start, index, data = product.indptr, product.indices, product.data
    for r in range(product.shape[0]):
        row, columns = data[start[r] : start[r + 1]], index[start[r] : start[r + 1]]
        other = columns != first + r
        row, columns = row[other], columns[other]
        if len(row) > k:
            best = np.argpartition(row, len(row) - k)[-k:]
            row, columns = row[best], columns[best]
        out[first + r, : len(row)] = np.sort(row)[::-1]


def peer(
    leaves: NDArray[np.int32], k: int, block: int, dtype: str
) -> tuple[NDArray[np.int64], dict[str, Any]]:
    """Do it with SciPy; give the counts and the seconds of each step."""
    build, multiply, select = Clock(), Clock(), Clock()
    n = len(leaves)
    values = np.zeros((n, k), dtype=np.int64)
    entries = 0
    with PeakMemory() as memory:
        with build.running():
            Q = one_hot(leaves, dtype)
            across = Q.T.tocsr()
        for first in range(0, n, block):
            with multiply.running():
                product = (Q if block >= n else Q[first : first + block]) @ across
            with select.running():
                top_values(product, first, k, values)
            entries += product.nnz
            del product
    return values, {
        "dtype": dtype,
        "block_rows": min(block, n),
        "build": build.wall,
        "multiply": multiply.wall,
        "select": select.wall,
        "total": build.wall + multiply.wall + select.wall,
        "entries": entries,
        "increase_bytes": memory.increase,
    }


def sorted_rows(found: Any, n_trees: int, k: int) -> NDArray[np.int64]:
    """Give our affinities as counts, largest first, 0 where a row has fewer than k."""
    values = np.zeros((found.shape[0], k), dtype=np.int64)
    sizes = np.diff(found.indptr)
    row = np.repeat(np.arange(len(sizes)), sizes)
    within = np.arange(found.nnz) - np.repeat(found.indptr[:-1], sizes)
    values[row, within] = np.rint(found.data * n_trees).astype(np.int64)
    return -np.sort(-values, axis=1)


def peer_blocks(leaves: NDArray[np.int32], args: argparse.Namespace) -> list[int]:
    """Give the row blocks to try: those asked for, and all rows when the product may fit."""
    n = len(leaves)
    pairs = sum(float(np.sum(np.bincount(leaf).astype(float) ** 2)) for leaf in leaves.T)
    gigabytes = (min(pairs, float(n) ** 2) + 2 * leaves.size) * 8 / 1e9
    blocks = [block for block in args.block_rows if block < n]
    if gigabytes <= args.max_gb or not blocks:
        return [*blocks, n]
    note(f"one product may take {gigabytes:.1f} GB, above {args.max_gb} GB: blocks only")
    return blocks


def run(args: argparse.Namespace) -> dict[str, Any]:
    facts = machine_facts()
    forest = forest_of(args).set_params(n_jobs=1)
    leaves = forest.leaves_
    n, trees = leaves.shape
    k = args.neighbors
    ours: list[float] = []
    increase = 0
    ways = [(dtype, block) for dtype in args.dtypes for block in peer_blocks(leaves, args)]
    peers: dict[tuple[str, int], list[dict[str, Any]]] = {way: [] for way in ways}
    equal = True
    with threadpool_limits(1):
        for r in range(args.rounds):
            note(f"round {r + 1} of {args.rounds}: ours")
            clock = Clock()
            with PeakMemory() as memory, clock.running():
                found = forest.affinity(n_neighbors=k)
            ours.append(clock.wall)
            increase = max(increase, memory.increase)
            values = sorted_rows(found, trees, k)
            del found
            for (dtype, block), runs in peers.items():
                note(f"round {r + 1} of {args.rounds}: SciPy, {dtype}, {block} rows at a time")
                theirs, cost = peer(leaves, k, block, dtype)
                equal = equal and bool(np.array_equal(values, theirs))
                runs.append(cost)
    medians = [_median(runs) for runs in peers.values()]
    best = min(medians, key=lambda cost: float(cost["total"]))
    seconds = statistics.median(ours)
    return {
        "machine": facts,
        "options": settings(args),
        "n_items": n,
        "n_trees": trees,
        "leaf_table_bytes": leaves.nbytes,
        "ours": {"seconds": seconds, "least": min(ours), "most": max(ours)},
        "ours_increase_bytes": increase,
        "target_bytes": TARGET_BYTES,
        "peer": medians,
        "values_equal": equal,
        "ratio": best["total"] / seconds,
        "ratio_without_building_q": (best["total"] - best["build"]) / seconds,
        "target_ratio": TARGET_RATIO,
    }


def _median(runs: list[dict[str, Any]]) -> dict[str, Any]:
    same = ("dtype", "block_rows", "entries")
    typical = {n: statistics.median(run[n] for run in runs) for n in runs[0] if n not in same}
    return {name: runs[0][name] for name in same} | typical


def render(result: dict[str, Any]) -> None:
    ours = result["ours"]
    print(f"{result['n_items']:,} items, {result['n_trees']:,} trees", end="; ")
    print(f"leaf table {result['leaf_table_bytes'] / 1e6:,.0f} MB\n")
    extra = result["ours_increase_bytes"]
    rows: list[tuple[Any, ...]] = [
        ("HMLForest.affinity", ours["seconds"], None, None, None, extra / 1e6)
    ]
    for cost in result["peer"]:
        name = f"SciPy {cost['dtype']}, {cost['block_rows']:,} rows at a time"
        steps = (cost[step] for step in ("total", "build", "multiply", "select"))
        rows.append((name, *steps, cost["increase_bytes"] / 1e6))
    table(("method", "seconds", "build Q", "multiply", "select", "extra memory, MB"), rows)
    print(f"\nsame affinities in every row: {'yes' if result['values_equal'] else 'NO'}")
    table(
        ("what", "value", "target"),
        [
            ("times faster than SciPy's fastest way", result["ratio"], result["target_ratio"]),
            ("the same without building Q", result["ratio_without_building_q"], None),
            ("extra memory, GB", extra / 1e9, result["target_bytes"] / 1e9),
        ],
    )


def main() -> None:
    parser = paper_size_arguments(__doc__)
    parser.add_argument("--trees", type=int, default=1000)
    parser.add_argument("--jobs", type=int, default=2, help="threads of the fit alone")
    parser.add_argument("--neighbors", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3, help="each runs every method once")
    parser.add_argument("--block-rows", type=int, nargs="+", default=[512], help="of the peer")
    parser.add_argument("--max-gb", type=float, default=12.0, help="limit of the whole product")
    parser.add_argument("--dtypes", nargs="+", choices=DTYPES, default=list(DTYPES), help="of Q")
    parser.add_argument("--load-leaves", type=Path, help=".npz with leaf tables; no fit")
    parser.add_argument("--save-leaves", type=Path, help=".npz to write after the fit")
    args = parser.parse_args()
    result = run(args)
    emit(result, render, as_json=args.json)
    if not result["values_equal"]:
        raise SystemExit("The two methods disagree.")


if __name__ == "__main__":
    main()
