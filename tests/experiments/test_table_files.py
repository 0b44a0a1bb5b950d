"""Tables as files: Markdown, LaTeX, CSV and JSON say the same."""

import csv
import dataclasses
import io
import json
import math

import pytest
from tests.experiments.test_scoretable import NMI, table

from conceptforest.experiments.table_files import (
    as_csv,
    as_json,
    as_latex,
    as_markdown,
    write_table,
)


@pytest.fixture
def found():
    return table(
        [[0.5, 0.6], [0.9, 0.9], [None, None]],
        (NMI,),
        a={"group": "tags", "published": {"nmi": 0.7}},
        b={"group": "both"},
        c={"group": "both"},
    )


def test_markdown(found):
    text = as_markdown(found)
    assert "| tags | a | *0.550* ± 0.071† | 0.70 | 2.0 | 50 |" in text
    assert "| both | b | **0.900** ± 0.000 |" in text
    assert "|  | c | - |" in text
    assert "- both, c: not run." in text
    assert "audit: nothing impossible" in text


def test_markdown_of_names_with_bars():
    found = table([[0.5]], (NMI,))
    object.__setattr__(found.rows[0], "title", "a|b")
    assert r"| a\|b |" in as_markdown(found)


def test_latex_escapes_and_balances(found):
    object.__setattr__(found.rows[0], "title", "50% of A&B_1")
    text = as_latex(found)
    assert r"50\% of A\&B\_1" in text
    assert r"\textbf{0.900}" in text
    assert text.count(r"\begin{") == text.count(r"\end{") == 2


def test_csv_and_json_hold_the_same_numbers(found):
    rows = list(csv.DictReader(io.StringIO(as_csv(found))))
    other = json.loads(as_json(found))["rows"]
    for row, entry, own in zip(rows, other, found.entries, strict=True):
        assert row["method"] == entry["method"]
        if math.isnan(own[0].mean):
            assert (row["NMI"], entry["scores"]["NMI"]["mean"]) == ("", None)
            assert entry["scores"]["NMI"]["by_seed"] == [None, None]
        else:
            assert float(row["NMI"]) == entry["scores"]["NMI"]["mean"] == pytest.approx(own[0].mean)


def test_json_holds_what_a_reader_would_ask_for(found):
    content = json.loads(as_json(dataclasses.replace(found, about="On what")))
    first, second, _ = content["rows"]
    assert content["about"] == "On what"
    assert first["scores"]["NMI"]["by_seed"] == [0.5, 0.6]
    assert [row["scores"]["NMI"]["rank"] for row in (first, second)] == [2, 1]
    assert first["scores"]["NMI"]["published"] == 0.7


def test_latex_tells_what_is_missing_and_what_the_paper_has(found):
    text = as_latex(found)
    assert "Paper \\\\" in text
    assert r"c\textsuperscript{3}" in text
    assert r"\textsuperscript{3} not run" in text


def test_one_seed_is_not_called_a_test():
    one, two = (table([[0.5] * n, [0.6] * n]) for n in (1, 2))
    assert "one seed, so nothing says" in as_markdown(one)
    assert "paired t test" not in as_markdown(one)
    assert "standard deviation" not in as_latex(one)
    assert "paired t test" in as_markdown(two)
    alone = as_markdown(table([[0.5, 0.6]]))
    assert "standard deviation over the seeds" in alone
    assert "one seed" not in alone
    assert "paired t test" not in alone


def test_all_forms_are_written(found, tmp_path):
    paths = write_table(found, tmp_path, "table9")
    assert [path.name for path in paths] == [f"table9.{x}" for x in ("md", "tex", "csv", "json")]
    assert all(path.stat().st_size for path in paths)
