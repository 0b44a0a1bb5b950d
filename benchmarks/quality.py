"""How good clusters and suggested tags are on one collection, by the paper's settings and others'.

Prints Markdown, each part as soon as it is done: facts about the collection, clustering with all
tags and with a share of them removed, completion of hidden tags, and items unseen at the fit. With
``--trecvid-like`` it makes collections in the likeness of the paper's videos instead, and says
whether the paper's order of the model's variants holds on them. Every table is audited for scores
that cannot stand together. Classes are used for scores, and their number as that of clusters.
"""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import quality_clustering
import quality_completion
import quality_sparseness
import quality_unseen
from conceptforest import datasets
from quality_tables import markdown
from workload import arguments, machine_facts, note, settings

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Sequence

    from conceptforest.datasets import Collection

PARTS = ("clustering", "completion", "unseen")
REMOVED = (0.0, 0.3, 0.5)
REMOVED_TRECVID_LIKE = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)


def facts_of(collection: Collection) -> dict[str, Any]:
    """Give the size and the sparseness of a collection."""
    tags, labels = collection.tags, collection.labels
    return {
        "items": collection.n_items,
        "features": collection.X.shape[1],
        "tags": tags.n_tags,
        "tags an item": round(tags.matrix.nnz / collection.n_items, 2),
        "untagged items": f"{tags.untagged.mean():.1%}",
        "classes": "unknown" if labels is None else len(np.unique(labels)),
    }


def heading(
    machine: dict[str, Any], args: argparse.Namespace, argv: Sequence[str]
) -> Iterator[str]:
    """Say what was run, when, and on what; a file by its name, wherever it lies."""
    words = [args.data.name if args.data and word == str(args.data) else word for word in argv]
    yield f"`python benchmarks/quality.py {shlex.join(words)}`"
    versions = ", ".join(f"{name} {number}" for name, number in machine["versions"].items())
    yield (
        f"{machine['date']}; {machine['cpu']}, {machine['cores']} cores, {machine['memory_gb']} GB,"
        f" load before {machine['load_before']}; {machine['system']}; {versions}"
    )


def facts_table(name: str, facts: dict[str, Any]) -> Iterator[str]:
    yield f"# {name}"
    yield markdown(("fact", "value"), [[key, _fact(value)] for key, value in facts.items()])


def _fact(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def measure_file(args: argparse.Namespace, show: Any) -> dict[str, Any]:
    """Measure the parts asked for on a feature file, showing each when it is done."""
    collection = datasets.load(args.data)
    facts = facts_of(collection)
    show(facts_table(collection.name, facts))
    common: dict[str, Any] = {"trees": args.trees, "seeds": seeds_of(args)}
    results = []
    for removed in args.remove or REMOVED if "clustering" in args.parts else ():
        found = quality_clustering.measure(collection, removed=removed, **common)
        show(quality_clustering.render(found))
        results.append(found)
    for name, part in (("completion", quality_completion), ("unseen", quality_unseen)):
        if name in args.parts:
            found = part.measure(collection, **common)
            show(part.render(found))
            results.append(found)
    return {"collection": collection.name, "facts": facts, "results": results}


def measure_trecvid_like(args: argparse.Namespace, show: Any) -> dict[str, Any]:
    """Measure made collections at every removal rate, and compare with the paper's order."""
    seeds = seeds_of(args)
    made = datasets.make_trecvid_like(random_state=seeds[0])
    facts = facts_of(made)
    show(facts_table(f"{made.name}, one collection a seed; this is seed {seeds[0]}", facts))
    results = []
    for removed in args.remove or REMOVED_TRECVID_LIKE:
        found = quality_sparseness.measure(trees=args.trees, seeds=seeds, removed=removed)
        show(quality_sparseness.render(found))
        results.append(found)
    show(quality_sparseness.summary(results))
    verdict = list(quality_sparseness.verdict(results))
    return {"collection": made.name, "facts": facts, "results": results, "verdict": verdict}


def seeds_of(args: argparse.Namespace) -> list[int]:
    return list(range(args.seed, args.seed + args.seeds))


def print_paragraphs(paragraphs: Iterable[str]) -> None:
    for paragraph in paragraphs:
        print(paragraph, end="\n\n", flush=True)


def skip(paragraphs: Iterable[str]) -> None:
    """Show nothing: one JSON object is printed in the end."""
    for paragraph in paragraphs:
        if paragraph.startswith("#"):
            note(f"done: {paragraph.lstrip('# ')}")


def share(text: str) -> float:
    value = float(text)
    if not 0 <= value < 1:
        raise ValueError
    return value


def parse(argv: Sequence[str]) -> argparse.Namespace:
    parser = arguments(__doc__)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--data", type=Path, help="feature file, .npz")
    source.add_argument("--trecvid-like", action="store_true", help="made collections instead")
    parser.add_argument("--trees", type=int, default=1000)
    parser.add_argument("--seeds", type=int, default=3, help="how many, from --seed on")
    parser.add_argument(
        "--remove", type=share, nargs="+", help="shares of tags to remove for clustering"
    )
    parser.add_argument(
        "--parts", nargs="+", choices=PARTS, default=list(PARTS), help="with --data"
    )
    args = parser.parse_args(argv)
    if args.seeds < 1 or args.trees < 1:
        parser.error("--seeds and --trees must be at least 1")
    return args


def main(argv: Sequence[str] | None = None) -> None:
    argv = sys.argv[1:] if argv is None else argv
    args = parse(argv)
    show = skip if args.json else print_paragraphs
    machine = machine_facts()
    show(heading(machine, args, argv))
    result = (measure_trecvid_like if args.trecvid_like else measure_file)(args, show)
    if args.json:
        print(json.dumps({"machine": machine, "options": settings(args)} | result))


if __name__ == "__main__":
    main()
