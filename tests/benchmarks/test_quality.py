"""The quality benchmark on small made collections: its tables, its audit and its verdicts."""

import importlib
import json
import re
from pathlib import Path

import numpy as np
import pytest

from conceptforest import metrics
from conceptforest.datasets import Collection, make_trecvid_like

FOLDER = Path(__file__).parents[2] / "benchmarks"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason="this copy comes without benchmarks")


@pytest.fixture
def load(monkeypatch):
    """Give a module of the benchmarks by name; they import each other as scripts do."""
    monkeypatch.syspath_prepend(str(FOLDER))
    return importlib.import_module


def small(n_items=150, random_state=0):
    return make_trecvid_like(n_items=n_items, n_classes=3, n_tags=24, random_state=random_state)


@pytest.fixture
def feature_file(tmp_path):
    made = small()
    path = tmp_path / "small set.npz"
    np.savez(
        path,
        X=made.X,
        T_indices=made.tags.matrix.indices,
        T_indptr=made.tags.matrix.indptr,
        T_shape=made.tags.matrix.shape,
        tag_names=made.tags.vocabulary,
        y=made.labels,
        class_names=made.class_names,
    )
    return path


# --- Tables --------------------------------------------------------------------------------------


def rows_of(table):
    """Give the cells of a Markdown table, row by row, by the first cell."""
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    return {row[0]: row[1:] for row in cells}


def test_best_and_second_best_are_marked_by_what_is_printed(load):
    tables = load("quality_tables")
    runs = {
        "a": [{"nmi": 0.5}, {"nmi": 0.7}],
        "b": [{"nmi": 0.6}, {"nmi": 0.6001}],
        "c": [{"nmi": 0.1}, {"nmi": 0.2}],
        "d": [{"nmi": 0.05}, {"nmi": 0.05}],
        "reference": [{"nmi": 0.9}, {"nmi": 0.9}],
    }
    table = tables.score_table(runs, [tables.single("nmi")], unranked=["reference"])
    assert rows_of(table) == {
        "method": ["NMI"],
        "---": ["---:"],
        "a": ["**0.600** ± 0.141"],
        "b": ["**0.600** ± 0.000"],
        "c": ["*0.150* ± 0.071"],
        "d": ["0.050 ± 0.000"],
        "reference": ["0.900 ± 0.000"],
    }


def test_of_one_seed_no_spread_is_claimed(load):
    tables = load("quality_tables")
    assert tables.mean_and_spread([0.25]) == "0.250"


def test_the_audit_passes_true_scores_and_names_false_ones(load):
    tables = load("quality_tables")
    rng = np.random.default_rng(0)
    classes = rng.integers(4, size=60)
    runs = {
        "good": [tables.scored(classes, rng.integers(4, size=60)) for _ in range(3)],
        "better": [tables.scored(classes, np.where(rng.random(60) < 0.7, classes, 0))] * 3,
    }
    assert tables.audited(runs) == "audit: nothing impossible"
    runs["good"][1]["ari"] += 0.2
    text = tables.audited(runs)
    assert re.search(r"^- good, run 2: RI .* imply an ARI", text, flags=re.MULTILINE)
    assert "better" not in text


def test_the_audit_looks_at_completion_too(load):
    tables = load("quality_tables")
    wrong = {"ap": [0.5, 0.4], "ar": [0.2, 0.3], "coverage": [0.4, 0.5]}
    assert "AP@1" in tables.audited({"kNN": [wrong]})


# --- Parts ---------------------------------------------------------------------------------------


def test_clustering_scores_every_method_for_every_seed(load):
    clustering = load("quality_clustering")
    made = small()
    found = clustering.measure(made, trees=20, seeds=[0, 1], removed=0.0)
    assert {len(reports) for reports in found["runs"].values()} == {2}
    assert found["n_clusters"] == 3
    assert found["untagged"] == [0.0, 0.0]
    again = clustering.paper_clusters(made.X, made.tags, 3, trees=20, seed=1)
    report = found["runs"][clustering.FULL][1]
    assert report["nmi"] == metrics.nmi(made.labels, again.labels_)
    for layers in found["layers"].values():
        for layer in layers:
            assert sum(fact["splits"] for fact in layer) == pytest.approx(1)
            assert sum(fact["tags"] for fact in layer) == 24
    parts = list(clustering.render(found))
    assert "audit: nothing impossible" in parts
    assert list(rows_of(parts[2]))[2:] == list(found["runs"])
    assert (
        rows_of(parts[2])[clustering.FULL][1]
        .replace("*", "")
        .startswith(f"{np.mean([r['nmi'] for r in found['runs'][clustering.FULL]]):.3f} ± ")
    )


def test_removal_leaves_items_without_tags(load):
    clustering = load("quality_clustering")
    found = clustering.measure(small(), trees=5, seeds=[0], removed=0.8)
    assert found["untagged"][0] > 0.2
    assert "80% of tags removed" in next(clustering.render(found))


def test_a_collection_without_classes_is_refused(load):
    clustering = load("quality_clustering")
    made = small()
    bare = Collection(made.X, made.tags, None, (), "bare")
    with pytest.raises(SystemExit, match="bare has no classes"):
        clustering.measure(bare, trees=5, seeds=[0], removed=0.0)


def test_completion_scores_the_hidden_tags_alone(load):
    completion = load("quality_completion")
    made = small()
    found = completion.measure(made, trees=10, seeds=[3])
    several = int((np.diff(made.tags.matrix.indptr) >= 2).sum())
    names = [*completion.BASELINES, *completion.RULES]
    assert list(found["runs"]) == names
    for (report,) in found["runs"].values():
        assert report["n_items"] == several, "of two tags or more, one is hidden"
        assert 0 < report["coverage"][4] <= 1
    text = "\n".join(completion.render(found))
    assert f"{several} items have a hidden tag" in text
    assert "audit: nothing impossible" in text


def test_unseen_items_are_a_fifth_and_never_seen(load):
    unseen = load("quality_unseen")
    seen, new = unseen.hold_out(101, seed=4)
    assert len(new) == 20
    assert sorted([*seen, *new]) == list(range(101))
    assert not np.array_equal(new, unseen.hold_out(101, seed=5)[1])


def test_unseen_items_are_placed_and_tagged(load):
    unseen = load("quality_unseen")
    made = small()
    found = unseen.measure(made, trees=10, seeds=[0, 1])
    assert {len(reports) for reports in found["clusters"].values()} == {2}
    assert "co-occurrence" not in found["untagged"]
    assert "co-occurrence" in found["tagged"]
    for report in found["untagged"]["popularity"]:
        assert report["n_items"] == 30, "every item has tags, all of them hidden"
    _, new = unseen.hold_out(made.n_items, seed=0)
    several = int((np.diff(made.tags.matrix.indptr)[new] > 1).sum())
    assert found["tagged"]["popularity"][0]["n_items"] == several, "of one tag, none is hidden"
    text = "\n".join(unseen.render(found))
    assert text.count("audit: nothing impossible") == 3


# --- Verdicts ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("one", "other", "relation"),
    [
        ([0.8, 0.82], [0.7, 0.71], "above"),
        ([0.7, 0.71], [0.8, 0.82], "below"),
        ([0.8, 0.7], [0.7, 0.8], "level"),
        ([0.80, 0.85], [0.79, 0.81], "above"),
        ([0.80, 0.85], [0.81, 0.82], "level"),
        ([0.6], [0.5], "not known from one seed"),
    ],
)
def test_methods_are_compared_seed_by_seed(load, one, other, relation):
    assert load("quality_sparseness").compare(one, other) == relation


def made_up(sparseness, removed, **nmi):
    """Give a result with the given NMI, the same for both kinds of layers."""
    short = {"flat": sparseness.FLAT, "no_corr": sparseness.NO_CORR, "full": sparseness.FULL}
    runs = {name: [{"nmi": 0.1}, {"nmi": 0.1}] for name in sparseness.ORDER}
    for key, value in nmi.items():
        for name in (short[key], short[key] + sparseness.ESTIMATED):
            if name in runs:
                runs[name] = [{"nmi": value}, {"nmi": value + 0.01}]
    return {"removed": removed, "runs": runs}


def test_the_verdict_follows_the_numbers(load):
    sparseness = load("quality_sparseness")
    like_the_paper = [
        made_up(sparseness, 0.0, flat=0.71, no_corr=0.84, full=0.9),
        made_up(sparseness, 0.5, flat=0.35, no_corr=0.31, full=0.49),
    ]
    lines = list(sparseness.verdict(like_the_paper))
    assert lines[0] == (
        "With all tags and given layers, the paper's order FlatTags < NoCorr < HML-RF, full HOLDS"
        " (0.715, 0.845, 0.905)."
    )
    assert len(lines) == 2 * (1 + 3 + 2)
    assert not any(": NO " in line or "NOT HOLD" in line for line in lines)
    otherwise = [
        made_up(sparseness, 0.0, flat=0.80, no_corr=0.82, full=0.82),
        made_up(sparseness, 0.4, flat=0.05, no_corr=0.06, full=0.04),
    ]
    lines = list(sparseness.verdict(otherwise))
    assert "DOES NOT HOLD" in lines[0]
    assert "HML-RF, full is level with NoCorr" in lines[0]
    assert "NoCorr is at or below FlatTags: NO (0.065 and 0.055, difference 0.010" in lines[1]
    assert "HML-RF, full is at or above SpClust, balanced, cosine: NO" in lines[5]


def test_sparseness_measures_given_and_estimated_layers(load):
    sparseness = load("quality_sparseness")
    found = [
        sparseness.measure(trees=5, seeds=[0], removed=removed, make=small)
        for removed in (0.0, 0.5)
    ]
    assert list(found[0]["runs"]) == list(sparseness.ORDER)
    assert [fact["tags"] for fact in found[0]["layers"][sparseness.FULL][0]] == [6, 18]
    assert found[0]["untagged"] == [0.0]
    assert found[1]["untagged"][0] > 0
    summary = list(sparseness.summary(found))
    assert rows_of(summary[1])["method"] == ["0%", "50%"]
    vision = [cell.replace("*", "") for cell in rows_of(summary[1])["SpClust, vision"]]
    assert vision[0] == vision[1], "features do not feel the removal"


# --- The command ---------------------------------------------------------------------------------


def test_the_command_prints_every_part(load, feature_file, capsys):
    argv = ["--data", str(feature_file), "--trees", "5", "--seeds", "1", "--remove", "0", "0.5"]
    load("quality").main(argv)
    text = capsys.readouterr().out
    assert text.startswith("`python benchmarks/quality.py --data 'small set.npz' --trees 5")
    assert "| items | 150 |" in text
    titles = re.findall(r"^##? (.*)$", text, flags=re.MULTILINE)
    assert titles == [
        "small set",
        "Clustering, all tags",
        "Clustering, 50% of tags removed",
        "Completion of seen items, 60% of each item's tags observed",
        "Unseen items, 20% of the collection held out",
    ]
    assert text.count("audit: nothing impossible") == 6


def test_json_is_one_object_and_the_same_every_time(load, feature_file, capsys):
    argv = ["--data", str(feature_file), "--trees", "5", "--seeds", "1", "--json"]
    argv += ["--parts", "clustering", "completion", "--remove", "0.2"]
    found = []
    for _ in range(2):
        load("quality").main(argv)
        result = json.loads(capsys.readouterr().out)
        assert result["machine"]["versions"]["conceptforest"]
        found.append([{k: v for k, v in r.items() if k != "seconds"} for r in result["results"]])
    assert [part["part"] for part in found[0]] == ["clustering", "completion"]
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        ([], "one of the arguments --data --trecvid-like is required"),
        (["--trecvid-like", "--remove", "1.5"], "argument --remove: invalid share value: '1.5'"),
        (["--trecvid-like", "--seeds", "0"], "--seeds and --trees must be at least 1"),
    ],
)
def test_wrong_options_are_refused(load, argv, message, capsys):
    with pytest.raises(SystemExit):
        load("quality").main(argv)
    assert message in capsys.readouterr().err
