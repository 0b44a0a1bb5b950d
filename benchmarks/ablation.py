"""What each part of the default model is worth: the model without it, on several collections.

Clusters are scored by NMI and ARI against classes, with all tags and with half of them removed;
completed tags by AP@1, AR@5 and Coverage@5 with 40 % of each item's tags hidden. All variants of a
run share their forest and their regressions, but for the part that is taken away. Prints a table
for each collection, and one of the means over collections, in which the last column says in how
many of the collections a variant is worse than the whole.
"""

from __future__ import annotations

import argparse
import json
import tempfile
import warnings
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest import mock

import numpy as np

from conceptforest import ConceptClustering, HMLForest, TagCompletion, TagHierarchy
from conceptforest.completion import joint
from conceptforest.experiments.sources import open_subject
from conceptforest.metrics import clustering_report, completion_report
from conceptforest.regression import tag_profile
from conceptforest.regression.tag_ridge import TagRidge
from conceptforest.structure import affinities, clustering, profile_neighbours
from conceptforest.tags import hide_tags, remove_tags
from workload import machine_facts, note, table

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from conceptforest.datasets import Collection

WHOLE = "whole"
RATES = (0.0, 0.5)


def shown(value: Callable[[Any, Any, Any], Any]) -> Any:
    """Let profiles show another function of the trust, what is foretold and what items have."""

    def rows(self: Any, foretold: NDArray[Any], own: Any) -> NDArray[np.float32]:
        found = np.sqrt(value(self.trust, foretold, own.toarray())) * self._idf
        length = np.linalg.norm(found, axis=1, keepdims=True)
        return np.asarray(found / np.where(length > 0, length, 1.0), dtype=np.float32)

    return mock.patch.object(tag_profile.TagProfile, "_rows", rows)


def constant(module: Any, **values: Any) -> list[Any]:
    return [mock.patch.object(module, name, value) for name, value in values.items()]


def no_idf() -> Any:
    """Let all tags weigh alike."""
    ones = property(lambda _: 1.0, lambda *_: None)
    return mock.patch.object(tag_profile.TagProfile, "_idf", ones, create=True)


CLUSTER_PARTS: dict[str, Callable[[], list[Any]]] = {
    WHOLE: list,
    "no forest": lambda: constant(affinities, _FOREST=0.0),
    "no profiles": lambda: constant(affinities, _FOREST=1.0),
    "forest of one layer": list,
    "forest without correlations": list,
    "profiles of what items have alone": lambda: [shown(lambda _, __, own: own)],
    "profiles of what is foretold alone": lambda: [shown(lambda _, told, __: told)],
    "profiles without trust, half and half": lambda: [shown(lambda _, told, own: told + own)],
    "profiles in which all tags weigh alike": lambda: [no_idf()],
    "cosines, not their fourth power": lambda: constant(profile_neighbours, _POWER=1),
    "as many eigenvectors as clusters, all alike": lambda: constant(
        clustering, _VECTORS=1, _POWER=0.0
    ),
    "items do not settle": lambda: constant(
        clustering, settle=lambda _, labels, *__, **___: labels
    ),
}
COMPLETION_PARTS: dict[str, dict[str, float]] = {
    WHOLE: {},
    "no regression": {"_REGRESSION": 0.0, "_LEAVES": 0.44, "_PROFILES": 0.56},
    "no forest": {"_REGRESSION": 0.69, "_LEAVES": 0.0, "_PROFILES": 0.31},
    "no profiles": {"_REGRESSION": 0.73, "_LEAVES": 0.27, "_PROFILES": 0.0},
}


@contextmanager
def kept_regressions() -> Iterator[None]:
    """Let all fits on the same tags share their regressions, which no variant changes."""
    kept: dict[int, tuple[Any, Any]] = {}
    real = TagRidge

    def make(X: Any, tags: Any, **options: Any) -> Any:
        key = hash((tags.matrix.indices.tobytes(), tags.matrix.indptr.tobytes()))
        if key not in kept:
            kept[key] = real(X, tags, **options), tags
        return kept[key][0]

    with mock.patch.object(tag_profile, "TagRidge", make):
        yield


def cluster_scores(made: Collection, rate: float, seed: int, trees: int) -> dict[str, list[float]]:
    tags = remove_tags(made.tags, rate, random_state=seed)
    n_clusters = len(np.unique(np.asarray(made.labels)))
    layers = TagHierarchy(2, n_topics=n_clusters, random_state=seed)
    plain: dict[str, Any] = {"n_estimators": trees, "random_state": seed, "n_jobs": -1}
    grown = {
        "forest of one layer": HMLForest(layers=1, **plain),
        "forest without correlations": HMLForest(layers=layers, correlation=False, **plain),
        WHOLE: HMLForest(layers=layers, **plain),
    }
    grown = {name: forest.fit(made.X, tags) for name, forest in grown.items()}
    scores = {}
    for name, patches in CLUSTER_PARTS.items():
        with ExitStack() as stack:
            for patch in patches():
                stack.enter_context(patch)
            forest = grown.get(name, grown[WHOLE])
            found = ConceptClustering(n_clusters, forest=forest, random_state=seed, n_jobs=-1)
            report = clustering_report(made.labels, found.fit(made.X, tags).labels_)
        scores[name] = [report["nmi"], report["ari"]]
    return scores


def completion_scores(made: Collection, seed: int, trees: int) -> dict[str, list[float]]:
    tags = hide_tags(made.tags, 0.6, random_state=seed)
    truth = made.tags if made.truth is None else made.truth
    forest = HMLForest(trees, bootstrap=True, random_state=seed, n_jobs=-1).fit(made.X, tags)
    scores = {}
    for name, weights in COMPLETION_PARTS.items():
        with ExitStack() as stack:
            for patch in constant(joint, **weights):
                stack.enter_context(patch)
            found = TagCompletion(forest=forest, random_state=seed, n_jobs=-1).fit(made.X, tags)
        report: Any = completion_report(found.scores_, tags, truth, max_n=5)
        scores[name] = [report["ap"][0], report["ar"][4], report["coverage"][4]]
    return scores


def measure(made: Collection, seeds: int, trees: int) -> dict[str, dict[str, list[float]]]:
    """Give the mean scores of every variant, for clusters by rate, and for completion."""
    runs: dict[str, list[dict[str, list[float]]]] = {}
    for seed in range(seeds):
        with kept_regressions(), warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # graphs in pieces, where parts are gone
            for rate in RATES:
                found = cluster_scores(made, rate, seed, trees)
                runs.setdefault(f"clusters {rate:.0%}", []).append(found)
            found = completion_scores(made, seed, trees)
            runs.setdefault("completion", []).append(found)
    return {
        part: {name: np.mean([run[name] for run in some], axis=0).tolist() for name in some[0]}
        for part, some in runs.items()
    }


def show(title: str, results: list[dict[str, dict[str, list[float]]]]) -> None:
    """Print the means over collections, and in how many of them a variant is worse."""
    print(f"## {title}\n")
    rates = [f"clusters {rate:.0%}" for rate in RATES]
    rows = []
    for name in CLUSTER_PARTS:
        means = np.mean([[one[part][name] for part in rates] for one in results], axis=0)
        worse = sum(
            np.mean([one[part][name] for part in rates])
            < np.mean([one[part][WHOLE] for part in rates])
            for one in results
        )
        rows.append([name, *means.ravel().tolist(), f"{worse} of {len(results)}"])
    heads = [f"{score}, {rate:.0%} removed" for rate in RATES for score in ("NMI", "ARI")]
    table(("clusters", *heads, "worse on"), rows)
    print()
    rows = []
    for name in COMPLETION_PARTS:
        means = np.mean([one["completion"][name] for one in results], axis=0)
        worse = sum(one["completion"][name][0] < one["completion"][WHOLE][0] for one in results)
        rows.append([name, *means.tolist(), f"{worse} of {len(results)}"])
    table(("completion", "AP@1", "AR@5", "Coverage@5", "worse on (AP@1)"), rows)
    print(flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", nargs="+", required=True, help="as `reproduce` takes them")
    parser.add_argument("--seeds", type=int, default=2)
    parser.add_argument("--trees", type=int, default=300)
    parser.add_argument("--json", action="store_true", help="print numbers instead of tables")
    args = parser.parse_args()
    results = {}
    with tempfile.TemporaryDirectory() as folder:
        for data in args.data:
            note(data)
            made = open_subject(data, Path(folder)).collection
            results[made.name] = measure(made, args.seeds, args.trees)
            if not args.json:
                show(made.name, [results[made.name]])
    if args.json:
        print(json.dumps({"machine": machine_facts(), "results": results}))
    elif len(results) > 1:
        show(f"Mean of {len(results)} collections", list(results.values()))


if __name__ == "__main__":
    main()
