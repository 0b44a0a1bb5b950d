"""Seconds per tree: HMLForest against scikit-learn's forests on the same split criterion.

One thread each, fully grown trees, no bootstrap, all tags in one layer. The summed variance of 0/1
targets (RandomForestRegressor) and the summed Gini impurity (RandomForestClassifier) choose the
same splits as the summed Gini gain of tags, so all three do the same work. What each side is
charged with is unequal, in scikit-learn's favour: our time a tree is all of ``fit`` divided by the
trees, theirs leaves out what a fit costs beside its trees, measured with a stump.
"""

from __future__ import annotations

import statistics
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from conceptforest import HMLForest
from workload import (
    Clock,
    arguments,
    emit,
    machine_facts,
    make_workload,
    note,
    settings,
    table,
    timed_fit,
    visits,
)

if TYPE_CHECKING:
    import argparse

TARGETS = {"regressor": 30.0, "classifier": 90.0}
SIDES = ("ours", "regressor", "classifier")


@dataclass
class Measured:
    """One fit: seconds a tree, seconds beside the trees, and what the trees look like."""

    per_tree: float
    fixed: float
    growth_per_tree: float
    nodes: float
    depth: float
    root_gain: float
    total_gain: float


class Bench:
    """The collection and the three ways to grow trees on it."""

    def __init__(self, args: argparse.Namespace) -> None:
        self.args = args
        self.X, self.tags, _ = make_workload(
            args.items, args.features, args.tags, args.tags_per_item, seed=args.seed
        )
        self.dense = self.tags.toarray().astype(np.float64)

    def ours(self, seed: int) -> Measured:
        trees = self.args.trees
        forest = HMLForest(
            trees, min_samples_leaf=1, max_features="sqrt", layers=1, n_jobs=1, random_state=seed
        )
        times = timed_fit(forest, self.X, self.tags)
        grown, n = forest.trees_, self.args.items
        return Measured(
            per_tree=times.total.wall / trees,
            fixed=times.fixed,
            growth_per_tree=times.growth.wall / trees,
            nodes=len(grown.feature) / trees,
            depth=visits(grown) / n / trees,
            root_gain=float(grown.gain[grown.offsets[:-1]].mean()),
            total_gain=float((grown.gain * grown.count).sum() / n / trees),
        )

    def regressor(self, seed: int) -> Measured:
        # Variance p (1 - p), averaged over the tags: our sum of 2 p (1 - p) is 2 m times that.
        scale = 2.0 * self.args.tags
        return self._peer(RandomForestRegressor, self.args.regressor_trees, scale, seed)

    def classifier(self, seed: int) -> Measured:
        scale = float(self.args.tags)  # 2 p (1 - p), averaged over the tags
        return self._peer(RandomForestClassifier, self.args.classifier_trees, scale, seed)

    def _peer(self, kind: Any, trees: int, scale: float, seed: int) -> Measured:
        common = {"bootstrap": False, "n_jobs": 1, "random_state": seed}
        stump, full = Clock(), Clock()
        with stump.running():
            kind(1, max_depth=1, max_features=1, **common).fit(self.X, self.dense)
        forest = kind(trees, max_features="sqrt", min_samples_leaf=1, **common)
        with full.running():
            forest.fit(self.X, self.dense)
        fixed = min(stump.wall, full.wall)
        facts = np.array([_tree_facts(e.tree_, scale) for e in forest.estimators_])
        nodes, depth, root, total = (float(v) for v in facts.mean(axis=0))
        per_tree = (full.wall - fixed) / trees
        return Measured(per_tree, fixed, per_tree, nodes, depth, root, total)


def _tree_facts(tree: Any, scale: float) -> tuple[float, float, float, float]:
    """Give nodes, mean depth of an item, gain of the root and of the tree, in our units."""
    weight, impurity = tree.weighted_n_node_samples, tree.impurity * scale
    inner = np.flatnonzero(tree.children_left >= 0)
    left, right = tree.children_left[inner], tree.children_right[inner]
    after = weight[left] * impurity[left] + weight[right] * impurity[right]
    gain = (weight[inner] * impurity[inner] - after) / weight[0]
    depth = float(weight[inner].sum() / weight[0])
    return float(tree.node_count), depth, float(gain[0]), float(gain.sum())


def run(args: argparse.Namespace) -> dict[str, Any]:
    facts = machine_facts()
    note("making the collection")
    bench = Bench(args)
    found: dict[str, list[Measured]] = {side: [] for side in SIDES}
    with threadpool_limits(1):
        for r in range(args.rounds):
            for s in range(len(SIDES)):  # each side comes first in turn
                side = SIDES[(r + s) % len(SIDES)]
                note(f"round {r + 1} of {args.rounds}: {side}")
                found[side].append(getattr(bench, side)(args.seed + r))
    ours = [m.per_tree for m in found["ours"]]
    growth = [m.growth_per_tree for m in found["ours"]]
    result: dict[str, Any] = {"machine": facts, "options": settings(args)}
    result |= {"sides": {}, "ratios": {}}
    for side, measured in found.items():
        result["sides"][side] = {
            "per_tree": _spread([m.per_tree for m in measured]),
            "growth_per_tree": _spread([m.growth_per_tree for m in measured]),
            "fixed": statistics.median(m.fixed for m in measured),
            **{
                name: statistics.fmean(getattr(m, name) for m in measured)
                for name in ("nodes", "depth", "root_gain", "total_gain")
            },
        }
    for side, target in TARGETS.items():
        theirs = [m.per_tree for m in found[side]]
        by_round = [t / o for t, o in zip(theirs, ours, strict=True)]
        result["ratios"][side] = {
            "ratio": statistics.median(theirs) / statistics.median(ours),
            "by_round": _spread(by_round),
            "growth_only": statistics.median(theirs) / statistics.median(growth),
            "target": target,
        }
    return result


def _spread(values: list[float]) -> dict[str, float]:
    return {"median": statistics.median(values), "least": min(values), "most": max(values)}


def render(result: dict[str, Any]) -> None:
    options = result["options"]
    counts = {
        "ours": options["trees"],
        "regressor": options["regressor_trees"],
        "classifier": options["classifier_trees"],
    }
    names = {"ours": "HMLForest", "regressor": "RF regressor", "classifier": "RF classifier"}
    print(f"milliseconds per tree, {options['rounds']} rounds")
    table(
        ("forest", "trees a round", "median", "least", "most", "beside the trees, ms a fit"),
        [
            (
                names[s],
                counts[s],
                *(1e3 * side["per_tree"][k] for k in ("median", "least", "most")),
                1e3 * side["fixed"],
            )
            for s, side in result["sides"].items()
        ],
    )
    growth = 1e3 * result["sides"]["ours"]["growth_per_tree"]["median"]
    print(f"HMLForest's times hold all of fit; growth alone is {growth:.3g} ms a tree.\n")
    print("times faster")
    table(
        ("against", "ratio of medians", "target", "least round", "most round", "growth alone"),
        [
            (
                names[s],
                ratio["ratio"],
                ratio["target"],
                ratio["by_round"]["least"],
                ratio["by_round"]["most"],
                ratio["growth_only"],
            )
            for s, ratio in result["ratios"].items()
        ],
    )
    print("\nthe trees, means (gain: summed Gini, weighted by the share of items)")
    table(
        ("forest", "nodes", "depth of an item", "gain of the root", "gain of the tree"),
        [
            (names[s], side["nodes"], side["depth"], side["root_gain"], side["total_gain"])
            for s, side in result["sides"].items()
        ],
    )


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--items", type=int, default=4000)
    parser.add_argument("--features", type=int, default=1024)
    parser.add_argument("--tags", type=int, default=500)
    parser.add_argument("--tags-per-item", type=float, default=4.8)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--trees", type=int, default=50, help="our trees a round")
    parser.add_argument("--regressor-trees", type=int, default=2, help="a round")
    parser.add_argument("--classifier-trees", type=int, default=1, help="a round")
    args = parser.parse_args()
    emit(run(args), render, as_json=args.json)


if __name__ == "__main__":
    main()
