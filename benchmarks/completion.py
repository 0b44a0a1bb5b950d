"""Time of each completion rule once the forest is grown, and its memory.

The collection has as many items and tags as the paper's larger one. Scoring sees the leaves alone,
so the number of features matters for growing the forest and for nothing that is timed here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from conceptforest import HMLForest, TagCompletion
from conceptforest.metrics import completion_report
from conceptforest.tags import hide_tags, parse_tags
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
)

if TYPE_CHECKING:
    import argparse

_METHODS = {"local": "LN", "cluster": "GC", "affinity": "AM"}
_TARGET = 20.0  # seconds on two cores


def measure(args: argparse.Namespace) -> dict[str, Any]:
    result: dict[str, Any] = {"machine": machine_facts(), "options": settings(args)}
    note(f"making {args.items:,} items")
    X, matrix, _ = make_workload(
        args.items, args.features, args.tags, args.tags_per_item, seed=args.seed
    )
    truth = parse_tags(matrix)
    observed = hide_tags(truth, 0.6, random_state=args.seed)
    forest = HMLForest(
        args.trees, layers=2, bootstrap=True, n_jobs=args.jobs, random_state=args.seed
    )
    result["grow_seconds"] = timed_fit(forest, X, observed).total.wall
    result["rules"] = [
        _score(method, args, forest=forest, X=X, observed=observed, truth=truth)
        for method in _METHODS
    ]
    return result


def _score(
    method: str, args: argparse.Namespace, *, forest: Any, X: Any, observed: Any, truth: Any
) -> dict[str, Any]:
    note(f"scoring by {method}")
    rule = TagCompletion(
        method, forest=forest, n_clusters=args.clusters, n_jobs=args.jobs, random_state=0
    )
    clock, unseen, suggesting = Clock(), Clock(), Clock()
    with PeakMemory() as memory, clock.running():
        rule.fit(X, observed)
    with unseen.running():
        rule.predict(X[:1000])
    with suggesting.running():
        rule.suggest(5, items=range(1000))
    report = completion_report(rule.scores_, observed, truth)
    return {
        "method": method,
        "seconds": clock.wall,
        "predict_1000_seconds": unseen.wall,
        "suggest_1000_seconds": suggesting.wall,
        "peak_mb": memory.increase / 1e6,
        "stored_mb": (rule.scores_.data.nbytes + rule.scores_.indices.nbytes) / 1e6,
        "ap1": float(report["ap"][0]),
    }


def render(result: dict[str, Any]) -> None:
    print(f"Forest grown in {result['grow_seconds']:.0f} s, which does not count below.\n")
    table(
        ("rule", "all scores s", "target s", "1,000 unseen s", "1,000 suggested s", "peak MB",
         "stored MB", "AP@1"),
        [
            (f"{_METHODS[row['method']]} ({row['method']})", row["seconds"], _TARGET,
             row["predict_1000_seconds"], row["suggest_1000_seconds"], row["peak_mb"],
             row["stored_mb"], row["ap1"])
            for row in result["rules"]
        ],
    )  # fmt: skip


def main() -> None:
    parser = paper_size_arguments(__doc__)
    parser.set_defaults(features=256)
    parser.add_argument("--trees", type=int, default=1000)
    parser.add_argument("--clusters", type=int, default=30)
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args()
    emit(measure(args), render, as_json=args.json)


if __name__ == "__main__":
    main()
