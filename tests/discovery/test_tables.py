"""Tables: exact in Parquet, harmless in spreadsheets."""

import csv

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet

from conceptforest.discovery.tables import read_columns, write_table


def test_formulas_are_disarmed_in_csv_and_exact_in_parquet(tmp_path):
    names = ["=cmd()", "+1", "-2", "@x", "\tt", "plain", "<script>"]
    write_table(tmp_path, "t", {"tag": names, "tags": [[n, "b"] for n in names]})
    with (tmp_path / "t.csv").open(newline="", encoding="utf-8-sig") as file:
        rows = list(csv.DictReader(file))
    assert [row["tag"] for row in rows[:5]] == ["'=cmd()", "'+1", "'-2", "'@x", "'\tt"]
    assert rows[0]["tags"] == "'=cmd(); b"
    assert [row["tag"] for row in rows[5:]] == names[5:]
    assert read_columns(tmp_path / "t.parquet", ["tag", "tags"]) == [
        names,
        [[n, "b"] for n in names],
    ]


@given(
    st.lists(
        st.tuples(st.text(st.characters(exclude_categories=["Cs"])), st.integers(-9, 9)), max_size=8
    )
)
def test_any_text_survives(tmp_path_factory, rows):
    folder = tmp_path_factory.mktemp("t")
    columns = {
        "text": [text for text, _ in rows],
        "number": np.array([n for _, n in rows], dtype=np.int64),
    }
    write_table(folder, "t", columns)
    assert read_columns(folder / "t.parquet", ["text", "number"]) == [
        columns["text"], columns["number"].tolist(),
    ]  # fmt: skip
    with (folder / "t.csv").open(newline="", encoding="utf-8-sig") as file:
        assert len(list(csv.reader(file))) == len(rows) + 1


def test_empty_tables_keep_their_columns(tmp_path):
    write_table(tmp_path, "t", {"file": [], "score": np.zeros(0)})
    assert parquet.read_table(tmp_path / "t.parquet").column_names == ["file", "score"]
    assert (tmp_path / "t.csv").read_bytes() == b"\xef\xbb\xbffile,score\r\n"


def test_a_damaged_or_foreign_table_is_refused(tmp_path):
    write_table(tmp_path, "t", {"a": ["x"]})
    with pytest.raises(ValueError, match="no column 'b'"):
        read_columns(tmp_path / "t.parquet", ["a", "b"])
    (tmp_path / "t.parquet").write_bytes(b"PAR1 not really")
    with pytest.raises(ValueError, match="Cannot read"):
        read_columns(tmp_path / "t.parquet", ["a"])
