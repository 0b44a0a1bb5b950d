"""How well the demo does over several seeds: clusters against scenes, and suggested tags.

Every seed draws another collection and grows another forest. NMI is that of the demo's table, as a
mean over the seeds. A suggestion is right if the first tag suggested for an untagged picture is one
of its true tags; beside it is how often the most popular tag would have been.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from conceptforest._demo import run_demo, suggestion_hits
from workload import arguments, emit, machine_facts, note, settings, table


def measure(args: Any) -> dict[str, Any]:
    result: dict[str, Any] = {"machine": machine_facts(), "options": settings(args)}
    nmi: dict[str, list[float]] = {}
    ari: dict[str, list[float]] = {}
    suggested, popular = [], []
    for seed in range(args.seed, args.seed + args.seeds):
        note(f"seed {seed}")
        with tempfile.TemporaryDirectory() as out:
            demo = run_demo(
                Path(out), n_items=args.items, features=args.features, n_trees=args.trees, seed=seed
            )
        for name, scores in demo.compared.items():
            nmi.setdefault(name, []).append(scores["nmi"])
            ari.setdefault(name, []).append(scores["ari"])
        right, by_popularity, _ = suggestion_hits(demo.scenes, demo.found.items, demo.found.model)
        suggested.append(right)
        popular.append(by_popularity)
    return result | {"nmi": nmi, "ari": ari, "suggested": suggested, "popular": popular}


def render(result: dict[str, Any]) -> None:
    nmi, ari = result["nmi"], result["ari"]
    table(
        ("clusters found from", "mean NMI", "least", "most", "mean ARI"),
        [
            [name, float(np.mean(v)), min(v), max(v), float(np.mean(ari[name]))]
            for name, v in nmi.items()
        ],
    )
    print()
    table(
        ("tag for an untagged picture", "% right, mean", "least", "most"),
        [
            [name, 100 * float(np.mean(v)), 100 * min(v), 100 * max(v)]
            for name, v in (
                ("first suggestion", result["suggested"]),
                ("most popular tag", result["popular"]),
            )
        ],
    )


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--seeds", type=int, default=8, help="how many, from --seed on")
    parser.add_argument("--items", type=int, default=600)
    parser.add_argument("--features", default="classic")
    parser.add_argument("--trees", type=int, default=300)
    args = parser.parse_args()
    emit(measure(args), render, as_json=args.json)


if __name__ == "__main__":
    main()
