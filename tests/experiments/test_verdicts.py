"""Verdicts: what comparisons over seeds come to, and what of the paper's findings is asked."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conceptforest.datasets import make_trecvid_like
from conceptforest.experiments import claims
from conceptforest.experiments.cells import Cell
from conceptforest.experiments.paper_claims import CLAIMS
from conceptforest.experiments.plan import Plan, Settings
from conceptforest.experiments.runs import Runs
from conceptforest.experiments.subject import Subject
from conceptforest.experiments.verdicts import Comparison, Verdict, best_of

NONE = np.array([np.nan, np.nan])
SETTINGS = Settings(trees=10, seeds=2)


def compare(a, b, said="more"):
    return Comparison("a", np.array(a), "b", np.array(b), said)


@pytest.mark.parametrize(
    ("a", "b", "said", "outcome"),
    [
        ([0.6, 0.7], [0.5, 0.6], "more", "as said"),
        ([0.5, 0.6], [0.6, 0.7], "more", "against"),
        ([0.6, 0.7], [0.5, 0.8], "more", "unclear"),  # one seed says so, the other not
        ([0.6, 0.9], [0.5, 0.9], "more", "unclear"),  # one seed says nothing
        ([0.504, 0.504], [0.5, 0.5], "more", "unclear"),  # too little to matter
        ([0.5, 0.5], [0.5, 0.5], "no less", "as said"),
        ([0.4, 0.4], [0.5, 0.5], "no less", "against"),
        ([0.51, 0.51], [0.5, 0.5], "level", "as said"),
        ([0.6, 0.6], [0.5, 0.5], "level", "against"),
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
MISSING = Comparison("a", NONE, "b", NONE)


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
        ([YES, YES, MISSING], "holds", "2 of 2; the closest: a 0.900, b 0.100; 1 not run"),
    ],
)
def test_a_verdict(comparisons, word, numbers):
    assert Verdict.of(comparisons) == Verdict(word, numbers)


def test_the_best_is_that_in_the_mean_of_what_was_run():
    named = [("low", np.array([0.1, 0.2])), ("none", NONE), ("high", np.array([0.9, np.nan]))]
    assert best_of(named)[0] == "high"
    assert best_of(named, higher=False)[0] == "low"
    assert best_of([("none", NONE)])[0] == "none"


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    made = make_trecvid_like(n_items=60, random_state=0)
    return Plan(Subject(made, tmp_path_factory.mktemp("x") / "none.npz"), SETTINGS)


def test_every_claim_asks_for_runs_of_the_tables(plan):
    from conceptforest.experiments.reproducing import EXPERIMENTS

    modules = {m for n, m in EXPERIMENTS.items() if not hasattr(m, "draw") and n != "claims"}
    of_tables = {job for module in modules for job in module.jobs(plan)}
    assert set(claims.jobs(plan)) <= of_tables
    for claim in CLAIMS:
        runs = Runs(plan, lambda _: None)
        assert Verdict.of(list(claim.check(runs))) == Verdict("not run", "")
        assert runs.asked, claim.name


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
    for name in ("tags-double", "clust-rf"):
        assert rows[name] in {"does not hold", "cannot be told"}
    for name in ("hierarchy", "correlations", "affinity-rule"):  # all of its variants are level
        assert rows[name] == "cannot be told", name


def test_it_is_written_for_people_and_programs(plan, tmp_path):
    table = claims.result(plan, lambda _: None)["claims"]
    markdown, data = (path.read_text() for path in table.write(tmp_path, "claims"))
    assert markdown.count("**not run**") == len(CLAIMS)
    assert [row["name"] for row in json.loads(data)] == [claim.name for claim in CLAIMS]
