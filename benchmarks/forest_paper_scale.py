"""The forest at the size of the paper's larger collection: time, memory, and what softening costs.

The collection is made once and written to a temporary file; each part below then loads it into an
ordinary float32 array in a process of its own, so that memory is counted from a clean start.

``size``     one full fit of ``--trees`` trees: time, nodes, memory.
``compare``  a few trees of the full model, of NoCorr (``correlation=False``) and of FlatTags (one
             layer), in turn, several rounds: what each costs a tree.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from conceptforest import HMLForest
from workload import (
    PeakMemory,
    emit,
    machine_facts,
    make_workload,
    model_bytes,
    n_try,
    note,
    paper_size_arguments,
    rss,
    settings,
    splits_by_layer,
    table,
    timed_fit,
    two_layers,
    visits,
)

PAPER_TREES = 1000
TARGET_MINUTES = 15.0
TARGET_RATIO = 3.0
VARIANTS = ("full", "nocorr", "flat")
NAMES = {"full": "full", "nocorr": "NoCorr", "flat": "FlatTags"}


def make_forest(
    variant: str, layers: list[list[int]], trees: int, seed: int, args: argparse.Namespace
) -> HMLForest:
    return HMLForest(
        trees,
        min_samples_leaf=args.min_samples_leaf,
        layers=1 if variant == "flat" else layers,
        correlation=variant == "full",
        n_jobs=args.jobs,
        random_state=seed,
    )


def tree_cost(forest: HMLForest, times: Any) -> dict[str, Any]:
    """Say what a tree of a fitted forest cost and how large it is."""
    grown = forest.trees_
    trees = grown.n_trees
    looked_at = visits(grown) * n_try(forest)
    return {
        "trees": trees,
        "fit_seconds": times.total.wall,
        "fixed_seconds": times.fixed,
        "rank_seconds": times.ranks.wall,
        "wall_per_tree": times.growth.wall / trees,
        "cpu_per_tree": times.growth.cpu / trees,
        "ns_per_candidate": 1e9 * times.growth.cpu / looked_at,
        "nodes_per_tree": len(grown.feature) / trees,
        "item_depth": visits(grown) / len(forest.leaves_) / trees,
        "splits_by_layer": splits_by_layer(grown, len(forest.layers_)),
        "bytes_per_node": model_bytes(grown) / len(grown.feature),
    }


def part_size(folder: Path, args: argparse.Namespace) -> dict[str, Any]:
    """Grow the full forest and watch the memory."""
    tags, layers = load_tags(folder)
    before_x = rss()
    X = np.load(folder / "X.npy")
    forest = make_forest("full", layers, args.trees, args.seed, args)
    note(f"full: {args.trees} trees on {args.jobs} threads")
    with PeakMemory() as memory, threadpool_limits(1):
        times = timed_fit(forest, X, tags, "full")
    model, leaves = model_bytes(forest.trees_), forest.leaves_.nbytes
    whole = memory.peak - before_x
    return tree_cost(forest, times) | {
        "missing": forest.missing_,
        "memory": {
            "x_bytes": X.nbytes,
            "model_bytes": model,
            "leaf_table_bytes": leaves,
            "rss_before_x": before_x,
            "rss_before_fit": memory.before,
            "peak_rss": memory.peak,
            "increase": memory.increase,
            "peak_with_x": whole,
            "x_and_increase_over_x": (X.nbytes + memory.increase) / X.nbytes,
            "peak_with_x_over_x": whole / X.nbytes,
            "beside_x_and_model": memory.increase - model - leaves,
            "beside_x_and_model_over_x": (memory.increase - model - leaves) / X.nbytes,
        },
    }


def part_compare(folder: Path, args: argparse.Namespace) -> dict[str, Any]:
    """Grow a few trees of each variant in turn."""
    tags, layers = load_tags(folder)
    X = np.load(folder / "X.npy")
    found: dict[str, list[dict[str, Any]]] = {variant: [] for variant in VARIANTS}
    with threadpool_limits(1):
        for r in range(args.rounds):
            for variant in VARIANTS:
                note(f"round {r + 1} of {args.rounds}: {variant}, {args.compare_trees} trees")
                forest = make_forest(variant, layers, args.compare_trees, args.seed + r, args)
                times = timed_fit(forest, X, tags, variant)
                found[variant].append(tree_cost(forest, times))
    return {variant: _summary(costs) for variant, costs in found.items()}


def _summary(costs: list[dict[str, Any]]) -> dict[str, Any]:
    numbers = [name for name, value in costs[0].items() if isinstance(value, float)]
    layers = zip(*(cost["splits_by_layer"] for cost in costs), strict=True)
    return {
        **{name: statistics.median(cost[name] for cost in costs) for name in numbers},
        "splits_by_layer": [statistics.fmean(layer) for layer in layers],
        "wall_per_tree_by_round": [cost["wall_per_tree"] for cost in costs],
        "cpu_per_tree_by_round": [cost["cpu_per_tree"] for cost in costs],
    }


PARTS = {"size": part_size, "compare": part_compare}


def load_tags(folder: Path) -> tuple[Any, list[list[int]]]:
    return sparse.csr_array(sparse.load_npz(folder / "tags.npz")), json.loads(
        (folder / "layers.json").read_text()
    )


def run(args: argparse.Namespace) -> dict[str, Any]:
    facts = machine_facts()
    result: dict[str, Any] = {"machine": facts, "options": settings(args)}
    with tempfile.TemporaryDirectory(dir=args.scratch) as name:
        folder = Path(name)
        note("making the collection")
        X, tags, _ = make_workload(
            args.items, args.features, args.tags, args.tags_per_item, seed=args.seed
        )
        layers, result["first_layer_missing_share"] = two_layers(tags, args.first_layer)
        np.save(folder / "X.npy", X)
        sparse.save_npz(folder / "tags.npz", tags)
        (folder / "layers.json").write_text(json.dumps(layers))
        del X
        for part in args.parts:
            result[part] = _in_new_process(part, folder)
    if "size" in result:
        size = result["size"]
        measured = size["trees"] == PAPER_TREES
        seconds = (
            size["fit_seconds"]
            if measured
            else size["fixed_seconds"] + PAPER_TREES * size["wall_per_tree"]
        )
        free = size["fixed_seconds"] + PAPER_TREES * size["cpu_per_tree"] / args.jobs
        size["paper_minutes"] = {
            "measured": measured,
            "minutes": seconds / 60,
            "minutes_on_free_cores": free / 60,
        }
    if "compare" in result:
        full = result["compare"]["full"]
        result["full_over"] = {
            variant: {
                "per_tree": full["cpu_per_tree"] / cost["cpu_per_tree"],
                "per_candidate": full["ns_per_candidate"] / cost["ns_per_candidate"],
            }
            for variant, cost in result["compare"].items()
        }
    return result


def _in_new_process(part: str, folder: Path) -> dict[str, Any]:
    command = [sys.executable, __file__, *sys.argv[1:], "--worker", part, "--folder", str(folder)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def render(result: dict[str, Any]) -> None:
    share = result["first_layer_missing_share"]
    print(f"items without a tag of the first layer: {100 * share:.1f} %\n")
    if "size" in result:
        _render_size(result["size"], result["options"]["jobs"])
    if "compare" in result:
        _render_compare(result)


def _render_size(size: dict[str, Any], jobs: int) -> None:
    paper = size["paper_minutes"]
    how = "measured" if paper["measured"] else f"extrapolated from {size['trees']} trees"
    splits = ", ".join(f"{s:,.0f}" for s in size["splits_by_layer"])
    table(
        ("full model", "value", "target"),
        [
            (f"minutes for {PAPER_TREES} trees ({how})", paper["minutes"], TARGET_MINUTES),
            ("the same from core time / threads", paper["minutes_on_free_cores"], None),
            ("seconds a tree, wall", size["wall_per_tree"], None),
            (f"seconds a tree, wall x {jobs} threads", size["wall_per_tree"] * jobs, None),
            ("seconds a tree, busy core time", size["cpu_per_tree"], None),
            ("ns per item and candidate feature, one core", size["ns_per_candidate"], None),
            ("seconds beside growth", size["fixed_seconds"], None),
            ("of them for ranking", size["rank_seconds"], None),
            ("nodes a tree", size["nodes_per_tree"], None),
            ("mean depth of an item", size["item_depth"], None),
            ("bytes a node", size["bytes_per_node"], None),
        ],
    )
    print("Core time / threads is what idle cores would take; wall counts on a busy machine too.")
    print(f"splits a tree by layer: {splits}\n")
    memory = size["memory"]
    rows = [
        ("X, float32", memory["x_bytes"]),
        ("model", memory["model_bytes"]),
        ("leaf table", memory["leaf_table_bytes"]),
        ("increase in fit", memory["increase"]),
        ("X + increase", memory["x_bytes"] + memory["increase"]),
        ("peak - before X", memory["peak_with_x"]),
        ("increase - model - leaf table", memory["beside_x_and_model"]),
    ]
    print(f"memory, {size['trees']} trees")
    table(("what", "MB", "times X"), [(w, b / 1e6, b / memory["x_bytes"]) for w, b in rows])
    print()


def _render_compare(result: dict[str, Any]) -> None:
    rows = []
    for variant in VARIANTS:
        cost = result["compare"][variant]
        by_round = cost["cpu_per_tree_by_round"]
        rows.append(
            (
                NAMES[variant],
                cost["wall_per_tree"],
                cost["cpu_per_tree"],
                f"{min(by_round):.4g} - {max(by_round):.4g}",
                cost["ns_per_candidate"],
                cost["nodes_per_tree"],
                cost["item_depth"],
                " / ".join(f"{s:,.0f}" for s in cost["splits_by_layer"]),
            )
        )
    options = result["options"]
    print(f"variants, {options['compare_trees']} trees x {options['rounds']} rounds, medians")
    table(
        ("variant", "wall s", "core s", "rounds", "ns", "nodes", "depth", "splits by layer"), rows
    )
    print("\ncore seconds of the full model over those of a variant, growth alone")
    table(
        ("full over", "a tree", "target, at most", "per item and candidate"),
        [
            (
                NAMES[variant],
                result["full_over"][variant]["per_tree"],
                TARGET_RATIO if variant == "nocorr" else None,
                result["full_over"][variant]["per_candidate"],
            )
            for variant in VARIANTS[1:]
        ],
    )
    print("A tree's cost also depends on its depth, which differs between the variants.")


def main() -> None:
    parser = paper_size_arguments(__doc__)
    parser.add_argument("--min-samples-leaf", type=int, default=3)
    parser.add_argument("--jobs", type=int, default=2, help="threads")
    parser.add_argument(
        "--trees", type=int, default=PAPER_TREES, help="of the full fit; fewer are extrapolated"
    )
    parser.add_argument("--compare-trees", type=int, default=20, help="a variant and round")
    parser.add_argument("--rounds", type=int, default=3, help="of the comparison")
    parser.add_argument("--parts", nargs="+", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--scratch", type=Path, help="folder for the temporary file of X")
    parser.add_argument("--worker", choices=list(PARTS), help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.worker:
        print(json.dumps(PARTS[args.worker](args.folder, args)))
        return
    emit(run(args), render, as_json=args.json)


if __name__ == "__main__":
    main()
