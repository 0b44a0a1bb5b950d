"""Items that were not there at the fit: their clusters and their tags.

Not a benchmark itself: quality.py runs it.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import clone

from conceptforest import metrics
from conceptforest.structure.visual_neighbours import nearest_items
from conceptforest.tags import TagMatrix, hide_tags, remove_tags
from quality_clustering import known_labels, paper_clusters
from quality_completion import BASELINES, MAX_N, OBSERVED, RULES, completers, plain
from quality_tables import (
    CLUSTER_SCORES,
    Runs,
    at,
    audited,
    mean_and_spread,
    score_table,
    scored,
    single,
    warned,
    warnings_counted,
)
from workload import Clock, note

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from conceptforest.datasets import Collection

HELD_OUT = 0.2
SEEN = "seen: HML-RF"
AS_MANY = "seen: HML-RF, as many items as are unseen"
BY_FOREST = "unseen: HML-RF predict"
BY_LOOKS = "unseen: cluster of the visually nearest seen item"
JOINED = " + own tags"  # joined with co-occurrence, which the paper's rules do not do
COLUMNS = (("ap", 1), ("ar", MAX_N), ("coverage", MAX_N))


def hold_out(n_items: int, seed: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Give the numbers of the seen and of the unseen items, each ascending."""
    order = np.random.RandomState(seed).permutation(n_items)
    n_unseen = max(1, round(HELD_OUT * n_items))
    return np.sort(order[n_unseen:]), np.sort(order[:n_unseen])


def part_of(tags: TagMatrix, items: NDArray[np.int64]) -> TagMatrix:
    """Give the tags of some of the items; the vocabulary stays."""
    return TagMatrix(tags.matrix[items], tags.vocabulary)


def measure(collection: Collection, *, trees: int, seeds: Sequence[int]) -> dict[str, Any]:
    """Hold items out, fit on the others, and place and tag those held out."""
    clusters: Runs = {SEEN: [], AS_MANY: [], BY_FOREST: [], BY_LOOKS: []}
    names = (*BASELINES, *RULES)
    untagged: Runs = {name: [] for name in names if name != "co-occurrence"}
    tagged: Runs = {name: [] for name in (*names, *(name + JOINED for name in names[2:]))}
    counts, clock = Counter[str](), Clock()
    with clock.running(), warnings_counted(counts):
        for seed in seeds:
            seen, unseen = hold_out(collection.n_items, seed)
            note(f"unseen items, seed {seed}: clusters")
            for name, report in _place(collection, seen, unseen, trees=trees, seed=seed).items():
                clusters[name].append(report)
            _suggest(collection, seen, unseen, untagged, tagged, trees=trees, seed=seed)
    return {
        "part": "unseen",
        "held_out": HELD_OUT,
        "observed": OBSERVED,
        "clusters": clusters,
        "untagged": untagged,
        "tagged": tagged,
        "warnings": dict(counts),
        "seconds": clock.wall,
    }


def _place(
    collection: Collection,
    seen: NDArray[np.int64],
    unseen: NDArray[np.int64],
    *,
    trees: int,
    seed: int,
) -> dict[str, dict[str, Any]]:
    """Cluster the seen items and score where the unseen ones are put."""
    known = known_labels(collection)
    X, new = collection.X[seen], collection.X[unseen]
    n_clusters = len(np.unique(known))
    found = paper_clusters(X, part_of(collection.tags, seen), n_clusters, trees=trees, seed=seed)
    nearest, _ = nearest_items(new, X, 1, seed=seed)
    some = np.random.RandomState(seed).permutation(len(seen))[: len(unseen)]
    return {
        SEEN: scored(known[seen], found.labels_),
        AS_MANY: scored(known[seen[some]], found.labels_[some]),
        BY_FOREST: scored(known[unseen], found.predict(new)),
        BY_LOOKS: scored(known[unseen], found.labels_[nearest[:, 0]]),
    }


def _suggest(
    collection: Collection,
    seen: NDArray[np.int64],
    unseen: NDArray[np.int64],
    untagged: Runs,
    tagged: Runs,
    *,
    trees: int,
    seed: int,
) -> None:
    """Fit all methods to the seen items with all their tags; add their scores on the unseen."""
    truth = part_of(collection.tags, unseen)
    none = remove_tags(truth, 1.0)
    some = hide_tags(truth, OBSERVED, random_state=seed)
    n_clusters = len(np.unique(known_labels(collection)))
    new = collection.X[unseen]
    fitted = completers(
        collection.X[seen],
        part_of(collection.tags, seen),
        n_clusters=n_clusters,
        trees=trees,
        seed=seed,
    )
    counts = part_of(collection.tags, seen).counts

    def score(scores: Any, known: TagMatrix) -> dict[str, Any]:
        return plain(metrics.completion_report(scores, known, truth, max_n=MAX_N, counts=counts))

    for name, method in fitted:
        note(f"unseen items, seed {seed}: tags by {name}")
        if name in untagged:
            untagged[name].append(score(method.predict(new), none))
        if name == "visual neighbours":
            joined = clone(method).set_params(own_tags=True)
            joined.fit(collection.X[seen], part_of(collection.tags, seen))
        else:
            joined = method
        if name + JOINED in tagged:
            tagged[name].append(score(method.predict(new), some))
            tagged[name + JOINED].append(score(joined.predict(new, some), some))
        else:
            tagged[name].append(score(method.predict(new, some), some))


def render(result: dict[str, Any]) -> Iterator[str]:
    """Write a measured part as paragraphs of Markdown."""
    clusters: Runs = result["clusters"]
    n_seeds = len(clusters[SEEN])
    yield f"## Unseen items, {result['held_out']:.0%} of the collection held out"
    yield (
        f"The rest is clustered and completed with all its tags; mean ± standard deviation of"
        f" {n_seeds} seeds; **best**, *second best*."
    )
    yield "### Clusters against classes"
    yield (
        "Purity and NMI come out higher where fewer items are scored, so seen items are also scored"
        " on a random part of the same size; the ARI is free of that."
    )
    columns = [single(key) for key in CLUSTER_SCORES]
    yield score_table(clusters, columns, first="items and method", unranked=[SEEN, AS_MANY])
    yield audited(clusters)
    for key, title in (
        ("untagged", "Tags of unseen items that come without any"),
        ("tagged", f"Tags of unseen items that come with {result['observed']:.0%} of theirs"),
    ):
        runs: Runs = result[key]
        scored = [report["n_items"] for report in next(iter(runs.values()))]
        yield f"### {title}"
        yield f"{mean_and_spread(scored, decimals=0)} items are scored."
        if key == "tagged":
            yield (
                f"`{JOINED.strip()}` joins a rule with what the item's own tags say, by Bayes'"
                " rule; the rules alone look at features only."
            )
        yield score_table(runs, [at(score, n) for score, n in COLUMNS])
        yield audited(runs)
    yield from warned(result["warnings"])
    yield f"{result['seconds']:.0f} s"
