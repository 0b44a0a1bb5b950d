"""Verdicts: what comparisons over seeds come to, and what of the paper's findings is asked."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptforest.datasets import make_trecvid_like
from conceptforest.experiments import claims
from conceptforest.experiments.cells import Cell
from conceptforest.experiments.paper_claims import CLAIMS
from conceptforest.experiments.plan import Plan, Settings
from conceptforest.experiments.published import published
from conceptforest.experiments.runs import Runs
from conceptforest.experiments.subject import Subject
from conceptforest.experiments.verdicts import Comparison, Side, Verdict, best_of

NONE = np.array([np.nan, np.nan])
SETTINGS = Settings(trees=10, seeds=2)


def compare(a, b, said="more"):
    return Comparison(Side("a", np.array(a)), Side("b", np.array(b)), said)


@pytest.mark.parametrize(
    ("a", "b", "said", "outcome"),
    [
        ([0.6, 0.7], [0.5, 0.6], "more", "as said"),
        ([0.5, 0.6], [0.6, 0.7], "more", "against"),
        ([0.6, 0.7], [0.5, 0.8], "more", "unclear"),  # one seed says so, the other not
        ([0.6, 0.9], [0.5, 0.9], "more", "unclear"),  # one seed says nothing
        ([0.504, 0.504], [0.5, 0.5], "more", "unclear"),  # too little to matter
        ([0.5, 0.5], [0.5, 0.5], "no less", "as said"),
        ([0.497, 0.498], [0.5, 0.5], "no less", "as said"),
        ([0.4, 0.4], [0.5, 0.5], "no less", "against"),
        ([0.4, 0.51], [0.5, 0.5], "no less", "unclear"),
        ([0.485, 0.485], [0.5, 0.5], "hardly less", "as said"),
        ([0.4, 0.4], [0.5, 0.5], "hardly less", "against"),
        ([0.51, 0.51], [0.5, 0.5], "level", "as said"),
        ([0.6, 0.6], [0.5, 0.5], "level", "against"),
        ([0.9, 0.3], [0.5, 0.5], "level", "unclear"),  # noise is no sameness
        ([0.6, np.nan], [0.5, 0.9], "more", "as said"),
        ([np.nan, 0.6], [0.5, np.nan], "more", "missing"),
    ],
)
def test_a_comparison(a, b, said, outcome):
    assert compare(a, b, said).outcome == outcome


@given(
    a=st.lists(st.floats(0, 1), min_size=3, max_size=3),
    b=st.lists(st.floats(0, 1), min_size=3, max_size=3),
)
def test_more_and_its_opposite_never_both_hold(a, b):
    outcomes = {compare(a, b).outcome, compare(b, a).outcome}
    assert outcomes in ({"as said", "against"}, {"unclear"})


YES, NO, OPEN = compare([0.9], [0.1]), compare([0.1], [0.9]), compare([0.5], [0.5])
MISSING = Comparison(Side("a", NONE), Side("b", NONE))
AMONG_SOME = Comparison(Side("a", np.array([0.9])), Side("b", np.array([0.1]), 3))
AMONG_ALL_BUT_ONE = Comparison(Side("a", np.array([0.9])), Side("b", np.array([0.1]), 1))


@pytest.mark.parametrize(
    ("comparisons", "word", "numbers"),
    [
        ([YES], "holds", "a 0.900, b 0.100"),
        ([NO], "does not hold", "a 0.100, b 0.900"),
        ([OPEN], "cannot be told", "a 0.500, b 0.500"),
        ([MISSING], "not run", ""),
        ([], "not run", ""),
        ([YES, compare([0.4], [0.3])], "holds", "2 of 2; the closest: a 0.400, b 0.300"),
        ([YES, NO, OPEN], "holds in part", "1 of 3, but a 0.100, b 0.900; a 0.500, b 0.500"),
        ([NO, OPEN], "does not hold", "0 of 2, but a 0.100, b 0.900; a 0.500, b 0.500"),
        (
            [YES, YES, MISSING],
            "holds so far",
            "2 of 2; the closest: a 0.900, b 0.100; 1 of 3 not run",
        ),
        ([YES, MISSING], "holds so far", "1 of 1; the closest: a 0.900, b 0.100; 1 of 2 not run"),
        ([NO, MISSING], "does not hold", "0 of 1, but a 0.100, b 0.900; 1 of 2 not run"),
        ([AMONG_SOME], "holds so far", "a 0.900, b 0.100; 3 rivals not run"),
        ([AMONG_ALL_BUT_ONE], "holds so far", "a 0.900, b 0.100; 1 rival not run"),
        ([compare([0.9, np.nan], [0.1, 0.2])], "holds so far", "a 0.900, b 0.100; 1 of 2 seeds"),
    ],
)
def test_a_verdict(comparisons, word, numbers):
    assert Verdict.of(comparisons) == Verdict(word, numbers)


def test_the_best_is_that_in_the_mean_of_those_run_with_all_seeds():
    low, high = Side("low", np.array([0.1, 0.2])), Side("high", np.array([0.3, 0.2]))
    lucky, none = Side("lucky", np.array([0.9, np.nan])), Side("none", NONE)
    best = best_of([low, none, high, lucky])
    assert (best.name, best.n_absent) == ("high", 2)
    assert best_of([low, high], higher=False) is not None
    assert best_of([low, none, high], higher=False).name == "low"
    assert np.isnan(best_of([none, none]).scores).all()


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    made = make_trecvid_like(n_items=60, random_state=0)
    return Plan(Subject(made, tmp_path_factory.mktemp("x") / "none.npz"), SETTINGS)


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"layers": (3, 4)},
        {"layers": (2, 6)},
        {"leaf_sizes": (3, 5), "tree_counts": (50,)},
        {"rates": (0.32,)},
        {"methods": ("KMeans", "HMLRF", "HMLRF(AM)")},
    ],
)
def test_claims_ask_for_no_runs_but_those_of_the_tables(plan, changes):
    from conceptforest.experiments.reproducing import EXPERIMENTS

    plan = Plan(plan.subject, replace(SETTINGS, **changes))
    modules = {m for n, m in EXPERIMENTS.items() if not hasattr(m, "draw") and n != "claims"}
    of_tables = {job for module in modules for job in module.jobs(plan)}
    assert set(claims.jobs(plan)) <= of_tables
    for claim in CLAIMS:
        runs = Runs(plan, lambda _: None)
        assert Verdict.of(list(claim.check(runs))) == Verdict("not run", "")
        if not changes:
            assert runs.asked, claim.name


def test_the_most_specific_tags_are_run_with_the_model(plan):
    few = Plan(plan.subject, replace(SETTINGS, methods=("HMLRF",)))
    assert any(job.method == "MostSpecific" for job in claims.jobs(few))


ONLY_DRAWN = {"trees", "trees-converge", "single-leaves", "small-leaves", "hierarchy-fades"}


def _as_published(tables):
    """Look up jobs in the published numbers."""

    def row_of(job, params):
        if job.task == "complete":
            return tables["completion"].get(job.method)
        if job.method == "MostSpecific":
            return tables["most_specific"]
        if params in ({"correlation": False}, {"layers": 1}):
            variants = tables.get("components", {}).get(str(job.removed), {})
            return {"nmi": variants.get("NoCorr" if "correlation" in params else "FlatTags")}
        if "layers" in params:
            return tables.get("layers", {}).get(str(params["layers"]))
        mode = params.pop("mode", "balanced")
        row = None if params else tables["clustering"].get(mode, {}).get(job.method)
        return row if row is None or not job.removed else _dropped(tables, job, mode, row)

    def look(job):
        params = dict(job.params)
        trees = params.pop("n_estimators", 1000)
        row = row_of(job, params) if trees == 1000 else None
        return row and Cell({k: np.nan if x is None else x for k, x in row.items()})

    return look


def _dropped(tables, job, mode, row):
    drops = tables.get("drop", {"rates": (), "methods": {}})
    key = job.method if job.method == "HMLRF" else f"{job.method}:{mode}"
    if key not in drops["methods"]:
        return None
    drop = drops["methods"][key][drops["rates"].index(job.removed)]
    return {"nmi": row["nmi"] * (1 - drop)}


@pytest.mark.parametrize(("key", "source"), [("trecvid-med", "videos"), ("nus-wide", "images")])
def test_what_the_paper_says_holds_in_its_own_numbers(plan, key, source):
    made = replace(plan.subject.collection, layers=None, name=key)
    own = Plan(replace(plan.subject, collection=made), Settings(seeds=1))
    found = claims.result(own, _as_published(published()[key]))["claims"].rows
    unmet = {
        claim.name: verdict
        for claim, verdict in found
        if claim.source in (source, "both") and verdict.word not in ("holds", "holds so far")
    }
    assert set(unmet) <= ONLY_DRAWN
    assert all(verdict.word == "not run" for verdict in unmet.values())


def test_every_claim_is_decided_by_scores(plan):
    """Where HML-RF is better than all else in everything, claims of that kind hold."""

    def look(job):
        value = 0.9 if job.method.startswith("HMLRF") else 0.5
        value -= 0.3 * job.removed * (1 if job.method == "HMLRF" else 2)
        scores = dict.fromkeys(("purity", "nmi", "ri", "f1", "ari"), value)
        return Cell(scores | {name: [value] * 5 for name in ("ap", "ar", "coverage")})

    rows = {c.name: v.word for c, v in claims.result(plan, look)["claims"].rows}
    assert len(rows) == len(CLAIMS)
    for name in (
        "best-clusters", "best-of-all-clusters", "aasc", "drops-least", "drops-alike",
        "best-when-sparse", "decline", "completion", "completion-of-all", "clusters-complete",
        "small-leaves", "layers-saturate", "abstract",
    ):  # fmt: skip
        assert rows[name] == "holds", name
    assert rows["tags-double"] == "does not hold"
    for name in ("hierarchy", "correlations", "affinity-rule"):  # all of its variants are level
        assert rows[name] == "cannot be told", name


def test_it_is_written_for_people_and_programs(plan, tmp_path):
    table = claims.result(plan, lambda _: None)["claims"]
    markdown, data = (path.read_text() for path in table.write(tmp_path, "claims"))
    assert markdown.count("**not run**") == len(CLAIMS)
    assert [row["name"] for row in json.loads(data)] == [claim.name for claim in CLAIMS]
