"""What the paper found in its tables and figures, each as comparisons that can be made here.

Where the paper compares a method with all others, these are the methods of its own tables; what
other methods do is asked apart. Where a claim is about no measure in particular, NMI decides.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from conceptforest.experiments.completion_claims import COMPLETION_CLAIMS
from conceptforest.experiments.methods import METHODS, title_of
from conceptforest.experiments.published import published
from conceptforest.experiments.verdicts import (
    BOTH,
    IMAGES,
    OURS,
    VIDEOS,
    Claim,
    Comparison,
    Side,
    best_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from conceptforest.experiments.runs import Runs

__all__ = ["CLAIMS"]

_MEASURES = {"purity": "purity", "nmi": "NMI", "ri": "Rand", "f1": "F1", "ari": "ARI"}
_FLAT: dict[str, Any] = {"layers": 1}
_NO_CORRELATION: dict[str, Any] = {"correlation": False}
_CANONICAL = ("CCA", "ThreeViewCCA", "DCCA", "DCCAE")
_SIMPLE = ("KMeans", "SpClust", "ClustRF", "AffinityPropagation", "MMC")
_IN_SPARSENESS = (
    ("SpClust", "concatenated"), ("MMC", "balanced"), ("CCA", "balanced"),
    ("ThreeViewCCA", "balanced"), ("DCCA", "balanced"), ("DCCAE", "balanced"),
)  # fmt: skip
_FEATURES, _TAGS, _ONE_VECTOR, _BALANCED = "vision", "tags", "concatenated", "balanced"


def _rates(runs: Runs) -> tuple[float, ...]:
    return (0.0, *runs.plan.settings.rates)


def _removed(rate: float) -> str:
    return f"{rate:.0%} removed"


def _own(runs: Runs, score: str = "nmi", **params: Any) -> Side:
    return Side("HML-RF", runs.cluster("HMLRF", score, **params))


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


def _beyond_paper(runs: Runs, score: str) -> Iterator[Side]:
    """Give what other methods, other modes and other settings come to."""
    known = set(_in_paper())
    for name in runs.plan.clusterers():
        variants: Mapping[str, Mapping[str, Any]] = METHODS[name].variants or {}
        for mode in METHODS[name].modes:
            if (name, mode) not in known:
                yield _clustered(runs, name, mode, score)
            for called, params in variants.items():
                if params.get("mode", mode) == mode:
                    scores = runs.cluster(name, score, **{"mode": mode, **params})
                    yield Side(f"{title_of(name)}, {called} ({mode.replace('_', ' ')})", scores)


def _clustered(runs: Runs, name: str, mode: str, score: str = "nmi") -> Side:
    scores = runs.cluster(name, score, mode=mode)
    return Side(f"{title_of(name)} ({mode.replace('_', ' ')})", scores)


# --- Features and tags ---------------------------------------------------------------------------


def _tags_double(runs: Runs) -> Iterator[Comparison]:
    for name in _SIMPLE:
        features, tags = (runs.cluster(name, mode=mode) for mode in (_FEATURES, _TAGS))
        sides = Side("tags", tags), Side("twice features", 2 * features)
        yield Comparison(*sides, at=title_of(name))


def _scores_beat_tags(mode: str) -> Any:
    def check(runs: Runs) -> Iterator[Comparison]:
        for name in _SIMPLE:
            scores, tags = runs.cluster(name, mode=mode), runs.cluster(name, mode=_TAGS)
            yield Comparison(Side("scores", scores), Side("tags", tags), at=title_of(name))

    return check


def _both_beat_one(runs: Runs) -> Iterator[Comparison]:
    for name, mode in (
        ("SpClust", _ONE_VECTOR),
        ("AffinityPropagation", _ONE_VECTOR),
        ("MMC", _BALANCED),
    ):
        alone = {"features": _FEATURES, "tags": _TAGS}
        best = best_of([Side(one, runs.cluster(name, "f1", mode=m)) for one, m in alone.items()])
        yield Comparison(Side("both", runs.cluster(name, "f1", mode=mode)), best, at=title_of(name))


def _balanced_beats_joined(runs: Runs) -> Iterator[Comparison]:
    own, joined = (
        [_clustered(runs, name, m) for name, m in _in_paper() if m == mode]
        for mode in (_BALANCED, _ONE_VECTOR)
    )
    yield Comparison(best_of(own), best_of(joined), at="the best")
    sides = _middle("balanced", own), _middle("one vector", joined)
    yield Comparison(*sides, at="the median")


def _middle(name: str, sides: Sequence[Side]) -> Side:
    """Give the median of sides with all seeds."""
    full = [side.scores for side in sides if not np.isnan(side.scores).any()]
    middle = np.median(full, axis=0) if full else np.full(len(sides[0].scores), np.nan)
    return Side(name, middle, len(sides) - len(full))


def _spectral_joined(runs: Runs) -> Iterator[Comparison]:
    sides = [_clustered(runs, "SpClust", mode) for mode in (_ONE_VECTOR, _BALANCED)]
    yield Comparison(sides[0], sides[1], "no less")


def _k_means_gains_little(runs: Runs) -> Iterator[Comparison]:
    tags, both = (runs.cluster("KMeans", mode=mode) for mode in (_TAGS, _ONE_VECTOR))
    yield Comparison(Side("tags", tags), Side("both", both), "hardly less")


def _clust_rf_follows_features(runs: Runs) -> Iterator[Comparison]:
    features, tags, both = (
        runs.cluster("ClustRF", mode=mode) for mode in (_FEATURES, _TAGS, _ONE_VECTOR)
    )
    yield Comparison(Side("both", both), Side("features", features), "level")
    distances = Side("from tags", abs(both - tags)), Side("from features", abs(both - features))
    yield Comparison(*distances, at="how far")


def _cc_forest_between(runs: Runs) -> Iterator[Comparison]:
    cc_forest = Side("CC-Forest", runs.cluster("CCForest", mode=_BALANCED))
    yield Comparison(cc_forest, Side("ClustRF", runs.cluster("ClustRF", mode=_ONE_VECTOR)))
    yield Comparison(_own(runs), cc_forest)


def _aasc_below(runs: Runs) -> Iterator[Comparison]:
    yield Comparison(_own(runs), Side("AASC", runs.cluster("AASC", mode=_BALANCED)))


def _against_mean(names: Sequence[str], *, above: bool) -> Any:
    def check(runs: Runs) -> Iterator[Comparison]:
        mean = Side("SpClust-bln", runs.cluster("SpClust", mode=_BALANCED))
        for name in names:
            own = Side(title_of(name), runs.cluster(name, mode=_BALANCED))
            yield Comparison(own, mean) if above else Comparison(mean, own)

    return check


def _deep_above_linear(runs: Runs) -> Iterator[Comparison]:
    linear, deep = (
        [Side(title_of(name), runs.cluster(name, mode=_BALANCED)) for name in names]
        for names in (_CANONICAL[:2], _CANONICAL[2:])
    )
    for left in deep:
        for right in linear:
            yield Comparison(left, right)


def _best_clusters(runs: Runs) -> Iterator[Comparison]:
    for score, title in _MEASURES.items():
        rival = best_of([_clustered(runs, name, mode, score) for name, mode in _in_paper()])
        said: Any = "no less" if score == "ri" else "more"
        yield Comparison(_own(runs, score), rival, said, title)


def _best_of_all_clusters(runs: Runs) -> Iterator[Comparison]:
    for score, title in _MEASURES.items():
        rival = best_of(list(_beyond_paper(runs, score)))
        yield Comparison(_own(runs, score), rival, at=title)


def _flip_second(runs: Runs) -> Iterator[Comparison]:
    flip = ("FMMC", _BALANCED)
    others = [_clustered(runs, *one) for one in _in_paper() if one != flip]
    yield Comparison(_clustered(runs, *flip), best_of(others))


# --- Fewer tags ----------------------------------------------------------------------------------


def _by_rate(runs: Runs) -> list[tuple[str, list[Any]]]:
    rates = _rates(runs)
    found = [
        (title_of(name), [runs.cluster(name, removed=rate, mode=mode) for rate in rates])
        for name, mode in _IN_SPARSENESS
    ]
    return [*found, ("HML-RF", [runs.cluster("HMLRF", removed=rate) for rate in rates])]


def _all_decline(runs: Runs) -> Iterator[Comparison]:
    for name, values in _by_rate(runs):
        sides = [Side(f"{rate:.0%}", x) for rate, x in zip(_rates(runs), values, strict=True)]
        for more, fewer in pairwise(sides):
            yield Comparison(more, fewer, at=name)


def _drops(runs: Runs, rate: float) -> tuple[Side, Side]:
    """Give the smallest relative drop of the others, and that of HML-RF."""
    place = _rates(runs).index(rate)
    drops = []
    for name, values in _by_rate(runs):
        lost, whole = values[0] - values[place], values[0]
        drop = np.divide(lost, whole, out=np.full(len(whole), np.nan), where=whole > 0)
        drops.append(Side(name, drop))
    return best_of(drops[:-1], higher=False), drops[-1]


def _drops_least(runs: Runs) -> Iterator[Comparison]:
    for rate in runs.plan.settings.rates:
        if rate < 0.45:
            yield Comparison(*_drops(runs, rate), at=_removed(rate))


def _drops_alike(runs: Runs) -> Iterator[Comparison]:
    for rate in runs.plan.settings.rates:
        if rate >= 0.45:
            yield Comparison(*_drops(runs, rate), "no less", at=_removed(rate))


def _best_when_sparse(runs: Runs) -> Iterator[Comparison]:
    for place, rate in enumerate(_rates(runs)):
        *others, own = (Side(name, values[place]) for name, values in _by_rate(runs))
        yield Comparison(own, best_of(others), at=_removed(rate))


# --- Parts, parameters and layers of the model ---------------------------------------------------


def _variants(runs: Runs, rate: float) -> tuple[Side, Side, Side]:
    return (
        Side("FlatTags", runs.cluster("HMLRF", removed=rate, **_FLAT)),
        Side("NoCorr", runs.cluster("HMLRF", removed=rate, **_NO_CORRELATION)),
        _own(runs, removed=rate),
    )


def _gain(name: str, left: Side, right: Side) -> Side:
    return Side(name, left.scores - right.scores)


def _hierarchy_helps(runs: Runs) -> Iterator[Comparison]:
    flat, no_correlation, _ = _variants(runs, 0.0)
    yield Comparison(no_correlation, flat)


def _hierarchy_fades(runs: Runs) -> Iterator[Comparison]:
    flat, no_correlation, _ = _variants(runs, 0.0)
    before = _gain("gain with all tags", no_correlation, flat)
    for rate in runs.plan.settings.rates:
        if rate > 0.3:
            flat, no_correlation, _ = _variants(runs, rate)
            yield Comparison(before, _gain(f"with {_removed(rate)}", no_correlation, flat))
            yield Comparison(flat, no_correlation, "no less", at=_removed(rate))


def _correlations_help(runs: Runs) -> Iterator[Comparison]:
    for rate in _rates(runs):
        _, no_correlation, full = _variants(runs, rate)
        yield Comparison(full, no_correlation, at=_removed(rate))


def _correlations_help_more(runs: Runs) -> Iterator[Comparison]:
    most = _rates(runs)[-1]
    _, none, full = _variants(runs, most)
    now = _gain(f"gain with {_removed(most)}", full, none)
    _, none, full = _variants(runs, 0.0)
    yield Comparison(now, _gain("with all tags", full, none))


def _whole_beats_flat(runs: Runs) -> Iterator[Comparison]:
    for rate in _rates(runs):
        flat, _, full = _variants(runs, rate)
        yield Comparison(full, flat, at=_removed(rate))


def _more_trees(runs: Runs) -> Iterator[Comparison]:
    counts = runs.plan.settings.tree_counts
    sides = [Side(f"{n:,} trees", runs.cluster("HMLRF", n_estimators=n)) for n in counts]
    for fewer, more in pairwise(sides):
        yield Comparison(more, fewer, "no less")
    if len(sides) > 1:
        yield Comparison(sides[-1], sides[0])


def _trees_converge(runs: Runs) -> Iterator[Comparison]:
    counts = [n for n in runs.plan.settings.tree_counts if n >= 1000]
    sides = [Side(f"{n:,} trees", runs.cluster("HMLRF", n_estimators=n)) for n in counts]
    for fewer, more in pairwise(sides):
        yield Comparison(more, fewer, "level")


def _of_leaves(runs: Runs) -> dict[int, Side]:
    """Give the NMI by the size of leaves, for small ones."""
    sizes = [n for n in runs.plan.settings.leaf_sizes if n <= 5]
    by_size: dict[int, dict[str, Any]] = {
        n: {} if n == 3 else {"min_samples_leaf": n} for n in sizes
    }  # 3 is the paper's own
    return {n: Side(f"{n} items", runs.cluster("HMLRF", **p)) for n, p in by_size.items()}


def _single_leaves(runs: Runs) -> Iterator[Comparison]:
    by_size = _of_leaves(runs)
    single = by_size.pop(1, None)
    if single is not None:
        for side in by_size.values():
            yield Comparison(side, single)


def _small_leaves_alike(runs: Runs) -> Iterator[Comparison]:
    by_size = _of_leaves(runs)
    by_size.pop(1, None)
    for fewer, more in pairwise(by_size.values()):
        yield Comparison(more, fewer, "level")


def _by_layers(runs: Runs) -> dict[int, Side]:
    return {
        n: Side(f"{n} layers", runs.cluster("HMLRF", layers=n)) for n in runs.plan.settings.layers
    }


def _more_layers(runs: Runs) -> Iterator[Comparison]:
    by_number = _by_layers(runs)
    for n, side in by_number.items():
        if 2 in by_number and 2 < n <= 5:
            yield Comparison(side, by_number[2])


def _layers_saturate(runs: Runs) -> Iterator[Comparison]:
    by_number = _by_layers(runs)
    for n, side in by_number.items():
        if 5 in by_number and n > 5:
            yield Comparison(side, by_number[5], "level")


def _abstract_tags_count(runs: Runs) -> Iterator[Comparison]:
    for score, title in _MEASURES.items():
        one = Side("the most specific tags", runs.cluster("MostSpecific", score))
        yield Comparison(_own(runs, score), one, at=title)


CLAIMS = (
    Claim("tags-double", "Tags tell at least twice as much as features, method by method",
          BOTH, _tags_double),
    Claim("scores-of-seen", "Scores of tag classifiers, trained on these items, do better than the"
          " tags themselves", BOTH, _scores_beat_tags("scores")),
    Claim("scores-held-out", "The same where classifiers have not seen the item",
          OURS, _scores_beat_tags("scores_held_out")),
    Claim("both-beat-one", "Features and tags together do better than either alone (F1), for"
          " spectral clustering, affinity propagation and MMC", VIDEOS, _both_beat_one),
    Claim("balanced", "Features and tags each in their own right do better than as one vector",
          VIDEOS, _balanced_beats_joined),
    Claim("spectral-joined", "But spectral clustering gains nothing from that",
          VIDEOS, _spectral_joined),
    Claim("k-means", "K-means hardly gains from features beside tags",
          VIDEOS, _k_means_gains_little),
    Claim("clust-rf", "ClustRF follows the features alone when it gets both",
          BOTH, _clust_rf_follows_features),
    Claim("cc-forest", "CC-Forest is above ClustRF and below HML-RF", VIDEOS, _cc_forest_between),
    Claim("aasc", "AASC is below HML-RF", BOTH, _aasc_below),
    Claim("canonical", "Correlated spaces (CCA, 3VCCA, DCCA, DCCAE) beat the mean of two graphs",
          VIDEOS, _against_mean(_CANONICAL, above=True)),
    Claim("canonical-images", "The mean of two graphs beats CCA and 3VCCA",
          IMAGES, _against_mean(_CANONICAL[:2], above=False)),
    Claim("canonical-mean", "DCCA and DCCAE beat the mean of two graphs",
          BOTH, _against_mean(_CANONICAL[2:], above=True)),
    Claim("canonical-deep", "DCCA and DCCAE beat CCA and 3VCCA", IMAGES, _deep_above_linear),
    Claim("best-clusters", "HML-RF is the best of the paper's methods in every measure, with none"
          " above it in the Rand index", BOTH, _best_clusters),
    Claim("second-clusters", "F-MMC is the second best", VIDEOS, _flip_second),
    Claim("best-of-all-clusters", "HML-RF is also above the methods, modes and settings that the"
          " paper leaves out (the default of this package aside)", OURS, _best_of_all_clusters),
    Claim("decline", "The fewer tags, the lower the NMI of each method", VIDEOS, _all_decline),
    Claim("drops-least", "With 10 to 40 % of tags removed, HML-RF loses the least of its NMI",
          VIDEOS, _drops_least),
    Claim("drops-alike", "With 50 % removed it loses no more than the others",
          VIDEOS, _drops_alike),
    Claim("best-when-sparse", "HML-RF has the highest NMI whatever share of tags is removed",
          VIDEOS, _best_when_sparse),
    Claim("hierarchy", "With all tags, the hierarchy helps: NoCorr is above FlatTags",
          VIDEOS, _hierarchy_helps),
    Claim("hierarchy-fades", "Its gain shrinks, and is gone with more than 30 % removed",
          VIDEOS, _hierarchy_fades),
    Claim("correlations", "Tag correlations help: HML-RF is above NoCorr",
          VIDEOS, _correlations_help),
    Claim("correlations-sparse", "They help the more, the fewer tags there are",
          VIDEOS, _correlations_help_more),
    Claim("whole", "Hierarchy and correlations together help: HML-RF is above FlatTags",
          VIDEOS, _whole_beats_flat),
    Claim("trees", "The more trees, the higher the NMI", VIDEOS, _more_trees),
    Claim("trees-converge", "From 1,000 trees on it hardly changes", VIDEOS, _trees_converge),
    Claim("single-leaves", "Leaves of a single item are worse than those of a few",
          VIDEOS, _single_leaves),
    Claim("small-leaves", "Among leaves of a few items, the number does not matter",
          VIDEOS, _small_leaves_alike),
    Claim("layers", "Three, four and five estimated layers do better than two",
          IMAGES, _more_layers),
    Claim("layers-saturate", "More than five layers change little", IMAGES, _layers_saturate),
    Claim("abstract", "All layers together do better than the most specific tags alone",
          BOTH, _abstract_tags_count),
    *COMPLETION_CLAIMS,
)  # fmt: skip
