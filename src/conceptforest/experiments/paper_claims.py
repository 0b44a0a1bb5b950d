"""What the paper found in its tables and figures, each as comparisons that can be made here.

Where the paper compares a method with "all others", these are the methods of its own tables; what
other methods do is asked apart. Where a claim is about no measure in particular, NMI decides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest.experiments.methods import METHODS
from conceptforest.experiments.published import published
from conceptforest.experiments.verdicts import Claim, Comparison, best_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from conceptforest.experiments.runs import Runs

__all__ = ["CLAIMS"]

VIDEOS, IMAGES, BOTH, OURS = "videos", "images", "both", "not asked"
_MEASURES = {"purity": "purity", "nmi": "NMI", "ri": "Rand", "f1": "F1", "ari": "ARI"}
_COMPLETED = {"ap": "AP", "ar": "AR", "coverage": "Coverage"}
_TOP = range(1, 6)
_FLAT: dict[str, Any] = {"layers": 1}
_NO_CORRELATION: dict[str, Any] = {"correlation": False}
_RULES = ("HMLRF(GC)", "HMLRF(LN)", "HMLRF(AM)")
_IN_SPARSENESS = (
    ("SpClust", "concatenated"), ("MMC", "balanced"), ("CCA", "balanced"),
    ("ThreeViewCCA", "balanced"), ("DCCA", "balanced"), ("DCCAE", "balanced"),
)  # fmt: skip


def _title(name: str) -> str:
    return METHODS[name].title


def _rates(runs: Runs) -> tuple[float, ...]:
    return (0.0, *runs.plan.settings.rates)


# --- Rivals --------------------------------------------------------------------------------------


def _in_paper() -> list[tuple[str, str]]:
    """List the methods and modes of the paper's clustering tables, without its own."""
    found = {
        (name, mode): None
        for tables in published().values()
        for mode, rows in tables["clustering"].items()
        for name in rows
        if name != "HMLRF"
    }
    return list(found)


def _beyond_paper(runs: Runs) -> list[tuple[str, str]]:
    known = set(_in_paper())
    return [
        (name, mode)
        for name in runs.plan.clusterers()
        for mode in METHODS[name].modes
        if (name, mode) not in known
    ]


def _clustered(
    runs: Runs, rivals: Sequence[tuple[str, str]], score: str = "nmi", removed: float = 0.0
) -> list[tuple[str, Any]]:
    return [
        (f"{_title(name)} ({mode.replace('_', ' ')})",
         runs.cluster(name, score, removed=removed, mode=mode))
        for name, mode in rivals
    ]  # fmt: skip


def _completers_in_paper() -> list[str]:
    found = {name: None for tables in published().values() for name in tables["completion"]}
    return [name for name in found if name not in _RULES]


def _completed(runs: Runs, names: Sequence[str], score: str, n: int) -> list[tuple[str, Any]]:
    return [(_title(name), runs.complete(name, score, n)) for name in names]


# --- Features and tags ---------------------------------------------------------------------------


def _tags_double(runs: Runs) -> Iterator[Comparison]:
    for name in ("KMeans", "SpClust", "ClustRF", "AffinityPropagation", "MMC"):
        features = runs.cluster(name, mode="vision")
        tags = runs.cluster(name, mode="tags")
        yield Comparison("tags", tags, "twice features", 2 * features, at=_title(name))


def _scores_beat_tags(mode: str) -> Any:
    def check(runs: Runs) -> Iterator[Comparison]:
        for name in ("KMeans", "SpClust", "ClustRF", "AffinityPropagation", "MMC"):
            scores, tags = runs.cluster(name, mode=mode), runs.cluster(name, mode="tags")
            yield Comparison("scores", scores, "tags", tags, at=_title(name))

    return check


def _both_beat_one(runs: Runs) -> Iterator[Comparison]:
    for name in ("SpClust", "AffinityPropagation", "MMC"):
        modes = METHODS[name].modes
        _, both = best_of(
            [(m, runs.cluster(name, mode=m)) for m in ("concatenated", "balanced") if m in modes]
        )
        one, alone = best_of([(m, runs.cluster(name, mode=m)) for m in ("vision", "tags")])
        yield Comparison("both", both, {"vision": "features"}.get(one, one), alone, at=_title(name))


def _balanced_beats_joined(runs: Runs) -> Iterator[Comparison]:
    found = {
        mode: _clustered(runs, [(n, m) for n, m in _in_paper() if m == mode])
        for mode in ("balanced", "concatenated")
    }
    yield Comparison(*best_of(found["balanced"]), *best_of(found["concatenated"]), at="the best")
    middle = {mode: _median([x for _, x in named]) for mode, named in found.items()}
    yield Comparison(
        "balanced", middle["balanced"], "one vector", middle["concatenated"], at="the median"
    )


def _median(values: Sequence[Any]) -> Any:
    known = [x for x in values if not np.isnan(x).all()]
    return np.nanmedian(known, axis=0) if known else values[0]


def _k_means_gains_little(runs: Runs) -> Iterator[Comparison]:
    tags = runs.cluster("KMeans", mode="tags")
    yield Comparison("tags", tags, "both", runs.cluster("KMeans", mode="concatenated"), "no less")


def _clust_rf_follows_features(runs: Runs) -> Iterator[Comparison]:
    by_mode = {m: runs.cluster("ClustRF", mode=m) for m in ("vision", "tags", "concatenated")}
    to_tags, to_features = (abs(by_mode["concatenated"] - by_mode[m]) for m in ("tags", "vision"))
    yield Comparison("distance to tags", to_tags, "to features", to_features)


def _cc_forest_between(runs: Runs) -> Iterator[Comparison]:
    cc_forest = runs.cluster("CCForest", mode="balanced")
    clust_rf = runs.cluster("ClustRF", mode="concatenated")
    yield Comparison("CC-Forest", cc_forest, "ClustRF", clust_rf)
    yield Comparison("HML-RF", runs.cluster("HMLRF"), "CC-Forest", cc_forest)


def _aasc_below(runs: Runs) -> Iterator[Comparison]:
    aasc = runs.cluster("AASC", mode="balanced")
    yield Comparison("HML-RF", runs.cluster("HMLRF"), "AASC", aasc)


def _against_mean(names: Sequence[str], *, above: bool) -> Any:
    def check(runs: Runs) -> Iterator[Comparison]:
        mean = "SpClust-bln", runs.cluster("SpClust", mode="balanced")
        for name in names:
            own = _title(name), runs.cluster(name, mode="balanced")
            yield Comparison(*own, *mean) if above else Comparison(*mean, *own)

    return check


def _best_clusters(runs: Runs) -> Iterator[Comparison]:
    for score, title in _MEASURES.items():
        rival = best_of(_clustered(runs, _in_paper(), score))
        yield Comparison("HML-RF", runs.cluster("HMLRF", score), *rival, at=title)


def _best_of_all_clusters(runs: Runs) -> Iterator[Comparison]:
    for score, title in _MEASURES.items():
        rival = best_of(_clustered(runs, _beyond_paper(runs), score))
        yield Comparison("HML-RF", runs.cluster("HMLRF", score), *rival, at=title)


# --- Fewer tags ----------------------------------------------------------------------------------


def _by_rate(runs: Runs) -> list[tuple[str, list[Any]]]:
    rates = _rates(runs)
    found = [
        (_title(name), [runs.cluster(name, removed=rate, mode=mode) for rate in rates])
        for name, mode in _IN_SPARSENESS
    ]
    return [*found, ("HML-RF", [runs.cluster("HMLRF", removed=rate) for rate in rates])]


def _all_decline(runs: Runs) -> Iterator[Comparison]:
    rates = _rates(runs)
    for name, values in _by_rate(runs):
        for place in range(1, len(rates)):
            yield Comparison(
                f"{rates[place - 1]:.0%}", values[place - 1],
                f"{rates[place]:.0%}", values[place], at=name,
            )  # fmt: skip


def _drops(runs: Runs, rate: float) -> tuple[tuple[str, Any], tuple[str, Any]]:
    """Give the relative drop of HML-RF, and the smallest of the others."""
    place = _rates(runs).index(rate)
    drops = [(name, (values[0] - values[place]) / values[0]) for name, values in _by_rate(runs)]
    return drops[-1], best_of(drops[:-1], higher=False)


def _drops_least(runs: Runs) -> Iterator[Comparison]:
    for rate in runs.plan.settings.rates:
        if rate < 0.45:
            own, rival = _drops(runs, rate)
            yield Comparison(*rival, *own, at=f"{rate:.0%} removed")


def _drops_alike(runs: Runs) -> Iterator[Comparison]:
    for rate in runs.plan.settings.rates:
        if rate >= 0.45:
            own, rival = _drops(runs, rate)
            yield Comparison(*rival, *own, "no less", at=f"{rate:.0%} removed")


def _best_when_sparse(runs: Runs) -> Iterator[Comparison]:
    for place, rate in enumerate(_rates(runs)):
        *others, (own, values) = _by_rate(runs)
        rival = best_of([(name, x[place]) for name, x in others])
        yield Comparison(own, values[place], *rival, at=f"{rate:.0%} removed")


# --- Parts, parameters and layers of the model ---------------------------------------------------


def _variants(runs: Runs, rate: float) -> tuple[Any, Any, Any]:
    flat, no_correlation = (
        runs.cluster("HMLRF", removed=rate, **params) for params in (_FLAT, _NO_CORRELATION)
    )
    return flat, no_correlation, runs.cluster("HMLRF", removed=rate)


def _hierarchy_helps(runs: Runs) -> Iterator[Comparison]:
    flat, no_correlation, _ = _variants(runs, 0.0)
    yield Comparison("NoCorr", no_correlation, "FlatTags", flat)


def _hierarchy_fades(runs: Runs) -> Iterator[Comparison]:
    for rate in runs.plan.settings.rates:
        if rate > 0.35:
            flat, no_correlation, _ = _variants(runs, rate)
            yield Comparison(
                "FlatTags", flat, "NoCorr", no_correlation, "no less", at=f"{rate:.0%} removed"
            )


def _correlations_help(runs: Runs) -> Iterator[Comparison]:
    for rate in _rates(runs):
        _, no_correlation, full = _variants(runs, rate)
        yield Comparison("HML-RF", full, "NoCorr", no_correlation, at=f"{rate:.0%} removed")


def _correlations_help_more(runs: Runs) -> Iterator[Comparison]:
    most = runs.plan.settings.rates[-1]
    gains = [full - none for _, none, full in (_variants(runs, rate) for rate in (most, 0.0))]
    yield Comparison(f"gain with {most:.0%} removed", gains[0], "with all tags", gains[1])


def _whole_beats_flat(runs: Runs) -> Iterator[Comparison]:
    for rate in _rates(runs):
        flat, _, full = _variants(runs, rate)
        yield Comparison("HML-RF", full, "FlatTags", flat, at=f"{rate:.0%} removed")


def _more_trees(runs: Runs) -> Iterator[Comparison]:
    counts = runs.plan.settings.tree_counts
    values = [runs.cluster("HMLRF", n_estimators=n) for n in counts]
    for place in range(1, len(counts)):
        yield Comparison(
            f"{counts[place]:,} trees", values[place],
            f"{counts[place - 1]:,}", values[place - 1], "no less",
        )  # fmt: skip
    yield Comparison(f"{counts[-1]:,} trees", values[-1], f"{counts[0]:,}", values[0])


def _of_leaves(runs: Runs, size: int) -> Any:
    if size == 3:  # the paper's own: the jobs of all other tables
        return runs.cluster("HMLRF")
    return runs.cluster("HMLRF", min_samples_leaf=size)


def _single_leaves(runs: Runs) -> Iterator[Comparison]:
    for size in runs.plan.settings.leaf_sizes:
        if 1 < size <= 5:
            yield Comparison(f"{size} items", _of_leaves(runs, size), "1", _of_leaves(runs, 1))


def _small_leaves_alike(runs: Runs) -> Iterator[Comparison]:
    for size in runs.plan.settings.leaf_sizes:
        if 1 < size <= 5 and size != 3:
            own = _of_leaves(runs, size)
            yield Comparison(f"{size} items", own, "3", _of_leaves(runs, 3), "level")


def _more_layers(runs: Runs) -> Iterator[Comparison]:
    two = runs.cluster("HMLRF", layers=2)
    for n in runs.plan.settings.layers:
        if 2 < n <= 5:
            yield Comparison(f"{n} layers", runs.cluster("HMLRF", layers=n), "2", two)


def _layers_saturate(runs: Runs) -> Iterator[Comparison]:
    five = runs.cluster("HMLRF", layers=5)
    for n in runs.plan.settings.layers:
        if n > 5:
            yield Comparison(f"{n} layers", runs.cluster("HMLRF", layers=n), "5", five, "level")


def _abstract_tags_count(runs: Runs) -> Iterator[Comparison]:
    for score, title in _MEASURES.items():
        one, two = (runs.cluster(name, score) for name in ("MostSpecific", "HMLRF"))
        yield Comparison("2 layers", two, "the most specific tags", one, at=title)


# --- Completion ----------------------------------------------------------------------------------


def _rules_best(runs: Runs) -> Iterator[Comparison]:
    yield from _rules_against(runs, _completers_in_paper(), _RULES)


def _rules_best_of_all(runs: Runs) -> Iterator[Comparison]:
    known = set(_completers_in_paper())
    others = [name for name in runs.plan.completers() if name not in known]
    yield from _rules_against(runs, others, _RULES)


def _affinity_best(runs: Runs) -> Iterator[Comparison]:
    yield from _rules_against(runs, [*_completers_in_paper(), *_RULES[:2]], _RULES[2:])


def _rules_against(runs: Runs, others: Sequence[str], own: Sequence[str]) -> Iterator[Comparison]:
    for score, title in _COMPLETED.items():
        for n in _TOP:
            rival = best_of(_completed(runs, others, score, n))
            yield Comparison(*best_of(_completed(runs, own, score, n)), *rival, at=f"{title}@{n}")


def _clusters_best(runs: Runs) -> Iterator[Comparison]:
    others = [name for name in _completers_in_paper() if name.endswith("(GC)")]
    for n in _TOP:
        rival = best_of(_completed(runs, others, "ap", n))
        yield Comparison("HML-RF(GC)", runs.complete("HMLRF(GC)", "ap", n), *rival, at=f"AP@{n}")


def _clusters_are_strong(runs: Runs) -> Iterator[Comparison]:
    own = runs.complete("DCCAE(GC)", "ap", 1)
    for name in ("LSR", "TCMR"):
        rival = runs.complete(name, "ap", 1)
        yield Comparison("DCCAE(GC)", own, _title(name), rival, "no less")


def _rule_beats(first: str, second: str, top: Sequence[int]) -> Any:
    def check(runs: Runs) -> Iterator[Comparison]:
        for score in ("ap", "ar"):
            for n in top:
                pair = _completed(runs, (first, second), score, n)
                yield Comparison(*pair[0], *pair[1], at=f"{_COMPLETED[score]}@{n}")

    return check


_CANONICAL = ("CCA", "ThreeViewCCA", "DCCA", "DCCAE")
CLAIMS = (
    Claim("tags-double", "Tags tell at least twice as much as features (NMI, method by method)",
          BOTH, _tags_double),
    Claim("scores-of-seen", "Scores of tag classifiers, trained on these items, do better than the"
          " tags themselves", BOTH, _scores_beat_tags("scores")),
    Claim("scores-held-out", "The same where classifiers have not seen the item",
          OURS, _scores_beat_tags("scores_held_out")),
    Claim("both-beat-one", "Features and tags together do better than either alone, for spectral"
          " clustering, affinity propagation and MMC", VIDEOS, _both_beat_one),
    Claim("balanced", "Features and tags each in their own right do better than as one vector",
          VIDEOS, _balanced_beats_joined),
    Claim("k-means", "K-means gains nothing from features beside tags",
          VIDEOS, _k_means_gains_little),
    Claim("clust-rf", "ClustRF follows the features alone when it gets both",
          BOTH, _clust_rf_follows_features),
    Claim("cc-forest", "CC-Forest is above ClustRF and below HML-RF", VIDEOS, _cc_forest_between),
    Claim("aasc", "AASC is below HML-RF", BOTH, _aasc_below),
    Claim("canonical", "Correlated spaces (CCA, 3VCCA, DCCA, DCCAE) beat the mean of two graphs",
          VIDEOS, _against_mean(_CANONICAL, above=True)),
    Claim("canonical-images", "The mean of two graphs beats CCA and 3VCCA",
          IMAGES, _against_mean(_CANONICAL[:2], above=False)),
    Claim("canonical-deep", "DCCA and DCCAE beat the mean of two graphs",
          BOTH, _against_mean(_CANONICAL[2:], above=True)),
    Claim("best-clusters", "HML-RF is the best of the paper's methods in every measure",
          BOTH, _best_clusters),
    Claim("best-of-all-clusters", "HML-RF is also above the methods and modes that the paper leaves"
          " out", OURS, _best_of_all_clusters),
    Claim("decline", "The fewer tags, the lower the NMI of each method", VIDEOS, _all_decline),
    Claim("drops-least", "With 10 to 40 % of tags removed, HML-RF loses the least of its NMI",
          VIDEOS, _drops_least),
    Claim("drops-alike", "With 50 % removed it loses no more than the others",
          VIDEOS, _drops_alike),
    Claim("best-when-sparse", "HML-RF has the highest NMI whatever share of tags is removed",
          VIDEOS, _best_when_sparse),
    Claim("hierarchy", "With all tags, the hierarchy helps: NoCorr is above FlatTags",
          VIDEOS, _hierarchy_helps),
    Claim("hierarchy-fades", "With more than 30 % removed it no longer does",
          VIDEOS, _hierarchy_fades),
    Claim("correlations", "Tag correlations help: HML-RF is above NoCorr",
          VIDEOS, _correlations_help),
    Claim("correlations-sparse", "They help the more, the fewer tags there are",
          VIDEOS, _correlations_help_more),
    Claim("whole", "Hierarchy and correlations together help: HML-RF is above FlatTags",
          VIDEOS, _whole_beats_flat),
    Claim("trees", "The more trees, the higher the NMI", VIDEOS, _more_trees),
    Claim("single-leaves", "Leaves of a single item are worse than those of a few",
          VIDEOS, _single_leaves),
    Claim("small-leaves", "Among leaves of a few items, the number does not matter",
          VIDEOS, _small_leaves_alike),
    Claim("layers", "Three, four and five estimated layers do better than two",
          IMAGES, _more_layers),
    Claim("layers-saturate", "More than five layers change little", IMAGES, _layers_saturate),
    Claim("abstract", "Two layers do better than the most specific tags alone",
          BOTH, _abstract_tags_count),
    Claim("completion", "The best of the three completion rules is above all of the paper's other"
          " methods", BOTH, _rules_best),
    Claim("completion-of-all", "It is also above the methods that the paper leaves out",
          OURS, _rules_best_of_all),
    Claim("affinity-rule", "HML-RF(AM) is above all others, LN and GC among them",
          IMAGES, _affinity_best),
    Claim("clusters-complete", "Completion by clusters is best with those of HML-RF",
          BOTH, _clusters_best),
    Claim("clusters-strong", "Clusters alone, DCCAE(GC), complete the first tag as well as LSR and"
          " TCMR", VIDEOS, _clusters_are_strong),
    Claim("clusters-over-neighbours", "HML-RF(GC) is above HML-RF(LN) from the second tag on",
          VIDEOS, _rule_beats("HMLRF(GC)", "HMLRF(LN)", range(2, 6))),
    Claim("neighbours-over-clusters", "HML-RF(LN) is above HML-RF(GC)",
          IMAGES, _rule_beats("HMLRF(LN)", "HMLRF(GC)", _TOP)),
)  # fmt: skip
