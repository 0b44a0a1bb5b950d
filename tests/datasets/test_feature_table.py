"""Reading ready features with a table: every form gives the same, and damage is named."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import conceptforest as cf
from conceptforest.datasets.feature_table import read_feature_table

X = np.arange(12, dtype=np.float32).reshape(4, 3)
SETS = [["cat", "tame"], [], ["dog"], ["cat"]]
CLASSES = ["pet", "wild", "pet", "pet"]
NAMES = ["a.jpg", "b.jpg", "c.jpg", "d.jpg"]
WIDE = {"cat": [1, 0, 0, 1], "dog": [0, 0, 1, 0], "tame": [1, 0, 0, 0]}
DENSE = [[1, 0, 1], [0, 0, 0], [0, 1, 0], [1, 0, 0]]


def csv_table(path, delimiter=","):
    rows = zip(NAMES, (";".join(tags) for tags in SETS), CLASSES, strict=True)
    lines = [delimiter.join(row) for row in [("name", "tags", "class"), *rows]]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def wide_csv_table(path):
    lines = ["file,cat,dog,tame,label"]
    lines += [
        ",".join([name, *map(str, row), label])
        for name, row, label in zip(NAMES, DENSE, CLASSES, strict=True)
    ]
    path.write_text("\n".join(lines).replace(",0,0,0,", ",,0,,") + "\n", encoding="utf-8")


def jsonl_table(path):
    rows = [
        {"name": n, "tags": t, "class": c} for n, t, c in zip(NAMES, SETS, CLASSES, strict=True)
    ]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


def parquet_table(path):
    pq.write_table(pa.table({"name": NAMES, "tags": SETS, "class": CLASSES}), path)


TABLES = {
    "t.csv": csv_table,
    "t.tsv": lambda path: csv_table(path, "\t"),
    "wide.csv": wide_csv_table,
    "t.jsonl": jsonl_table,
    "t.parquet": parquet_table,
}


def assert_whole(found):
    assert np.array_equal(found.X, X)
    assert found.tags.vocabulary == ("cat", "dog", "tame")
    assert found.tags.matrix.toarray().tolist() == DENSE
    assert found.class_names == ("pet", "wild")
    assert found.labels.tolist() == [0, 1, 0, 0]


@pytest.mark.parametrize("name", TABLES)
def test_an_array_with_any_table_comes_back(tmp_path, name):
    np.save(tmp_path / "x.npy", X)
    TABLES[name](tmp_path / name)
    found = read_feature_table(tmp_path / "x.npy", tmp_path / name)
    assert_whole(found)
    assert isinstance(found.X, np.memmap)
    assert found.name == "x"


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (b"\xef\xbb\xbfname;tags\r\na;Caf\xc3\xa9, sea\r\nb;boat\r\n", "t.csv"),
        (b'sep=,\nFileName,Keywords\na,"Caf\xe9|sea"\nb,boat\n', "t.csv"),
        ("file\ttags\na\tCafe\u0301; sea \nb\tboat\n".encode("utf-16"), "t.txt"),
        (b"path,subject\na,caf\xc3\xa9;sea;Caf\xc3\xa9;Caf\xc3\xa9\x07\nb,boat\n", "t.csv"),
        ("file,Café,sea,boat\na,yes,1.0,\nb,no,0.0,x\n".encode(), "t.csv"),
        (
            '{"text": "a", "name": "a", "tags": "Café;sea"}\n{"name":"b","tags":["boat"]}',
            "t.ndjson",
        ),
    ],
)
def test_a_table_is_read_by_the_rules_of_other_tables(tmp_path, content, name):
    np.save(tmp_path / "x.npy", X[:2])
    (tmp_path / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    found = read_feature_table(tmp_path / "x.npy", tmp_path / name)
    assert found.tags.vocabulary == ("Café", "boat", "sea")
    assert found.tags.matrix.toarray().tolist() == [[1, 0, 1], [0, 1, 0]]
    assert found.item_names == ("a", "b")


def test_rows_stay_in_the_order_of_the_array_and_spellings_are_merged(tmp_path):
    np.save(tmp_path / "x.npy", X)
    (tmp_path / "x.csv").write_text("name,tags\nd,Doe\nb,doe\nc,nan\na,doe;Cat \n")
    found = read_feature_table(tmp_path / "x.npy")
    assert found.item_names == ("d", "b", "c", "a")
    assert found.tags.vocabulary == ("Cat", "doe")
    assert found.tags.matrix.toarray().tolist() == [[0, 1], [0, 1], [0, 0], [1, 1]]


def test_numbers_are_names_of_tags_and_null_is_none(tmp_path):
    np.save(tmp_path / "x.npy", X)
    lines = ['{"tags": [7, null]}', '{"tags": null}', "{}", '{"tags": 3}']
    (tmp_path / "x.jsonl").write_text("\n".join(lines))
    found = read_feature_table(tmp_path / "x.npy")
    assert found.tags.matrix.toarray().tolist() == [[0, 1], [0, 0], [0, 0], [1, 0]]


def test_a_wide_parquet_table_may_hold_floats(tmp_path):
    np.save(tmp_path / "x.npy", X)
    wide = {name: pa.array([float(v) or None for v in WIDE[name]], pa.float64()) for name in WIDE}
    pq.write_table(pa.table(wide), tmp_path / "x.parquet")
    found = read_feature_table(tmp_path / "x.npy")
    assert found.tags.matrix.toarray().tolist() == DENSE


def test_the_table_of_the_same_name_is_found(tmp_path):
    np.save(tmp_path / "x.npy", X)
    with pytest.raises(FileNotFoundError, match=r"No table lies beside.*x\.csv, x\.tsv"):
        read_feature_table(tmp_path / "x.npy")
    csv_table(tmp_path / "x.csv")
    assert_whole(read_feature_table(str(tmp_path / "x.npy")))
    jsonl_table(tmp_path / "x.jsonl")
    with pytest.raises(ValueError, match=r"Several tables lie beside.*x\.csv, x\.jsonl"):
        read_feature_table(tmp_path / "x.npy")


FORMS = {
    "lists": {"features": pa.array(X.tolist(), pa.list_(pa.float32()))},
    "fixed": {"Embedding": pa.array(X.tolist(), pa.list_(pa.float32(), 3))},
    "large": {"X": pa.array(X.tolist(), pa.large_list(pa.float64()))},
    "columns": {f"f{k}": pa.array(X[:, k]) for k in (2, 0, 1)},
}


@pytest.mark.parametrize("form", FORMS)
def test_a_parquet_file_holds_features_and_table(tmp_path, form):
    columns = {"name": NAMES, **FORMS[form], "tags": SETS, "class": CLASSES}
    pq.write_table(pa.table(columns), tmp_path / "x.parquet", row_group_size=3)
    found = read_feature_table(tmp_path / "x.parquet")
    assert_whole(found)
    assert found.X.dtype == (np.float64 if form == "large" else np.float32)


def test_a_parquet_file_may_have_wide_tags_and_numbers_as_classes(tmp_path):
    columns = {**FORMS["columns"], **WIDE, "label": [7, 3, 7, 7]}
    pq.write_table(pa.table(columns), tmp_path / "x.parquet")
    found = read_feature_table(tmp_path / "x.parquet")
    assert found.tags.matrix.toarray().tolist() == DENSE
    assert found.class_names == ("3", "7")


def test_classes_are_optional_and_tags_may_be_null(tmp_path):
    columns = {**FORMS["lists"], "tags": pa.array([["a"], None, [], ["b", " a "]])}
    pq.write_table(pa.table(columns), tmp_path / "x.parquet")
    found = read_feature_table(tmp_path / "x.parquet")
    assert found.labels is None
    assert found.class_names == ()
    assert found.tags.matrix.toarray().tolist() == [[1, 0], [0, 0], [0, 0], [1, 1]]


@settings(deadline=None, max_examples=30)
@given(
    n=st.integers(1, 9),
    d=st.integers(1, 4),
    kind=st.sampled_from(["float16", "float32", "float64"]),
    group=st.integers(1, 4),
)
def test_lists_of_any_size_come_back(tmp_path_factory, n, d, kind, group):
    array = np.random.default_rng(n).normal(size=(n, d)).astype(kind)
    values = pa.array(array.ravel(), pa.from_numpy_dtype(array.dtype))
    lists = pa.FixedSizeListArray.from_arrays(values, d)
    path = tmp_path_factory.mktemp("t") / "x.parquet"
    table = pa.table({"features": lists, "tags": [["a"]] * n})
    pq.write_table(table, path, row_group_size=group)
    found = read_feature_table(path)
    assert found.X.dtype == np.dtype(kind)
    assert np.array_equal(found.X, array)


def test_a_forest_takes_a_mapped_array(tmp_path):
    rng = np.random.default_rng(0)
    np.save(tmp_path / "x.npy", rng.normal(size=(40, 3)).astype(np.float32))
    lines = ["tags", *("a;b" if i % 2 else "b;c" for i in range(40))]
    (tmp_path / "x.csv").write_text("\n".join(lines))
    found = read_feature_table(tmp_path / "x.npy")
    assert cf.HMLForest(3, random_state=0).fit(found.X, found.tags).vocabulary_ == ("a", "b", "c")


def refused(tmp_path, message, array=X, table="x.csv", text="tags\na\nb\n\\N\nd\n"):
    np.save(tmp_path / "x.npy", array, allow_pickle=True)
    (tmp_path / table).write_bytes(text if isinstance(text, bytes) else text.encode())
    with pytest.raises(ValueError, match=message) as caught:
        read_feature_table(tmp_path / "x.npy", tmp_path / table)
    return str(caught.value)


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (np.zeros(4), r"it is float64 of shape \(4,\); it must be float16"),
        (np.zeros((4, 2), int), "it is int64 of shape"),
        (np.zeros((4, 0)), "with at least one of each"),
        (np.zeros((4, 2), np.longdouble), "it must be float16, float32 or float64"),
        (np.array([[object()]]), "it is no plain NumPy array"),
        (np.array([[0, 1], [0, np.nan]]), r"it holds nan \(item 1, feature 1\)"),
        (np.array([[0, 1], [np.inf, 0]]), r"it holds inf \(item 1, feature 0\)"),
    ],
)
def test_a_bad_array_is_refused(tmp_path, array, message):
    assert "x.npy" in refused(tmp_path, message, array=array)


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data[:0],
        lambda data: data[:40],
        lambda data: data[:-4],
        lambda data: b"PK" + data[2:],
        lambda data: data[:10] + b"(" * 60 + data[70:],
        lambda data: data[:8] + b"\xff\xff" + data[10:],
    ],
)
def test_a_damaged_array_is_refused(tmp_path, change):
    np.save(tmp_path / "x.npy", X)
    csv_table(tmp_path / "x.csv")
    (tmp_path / "x.npy").write_bytes(change((tmp_path / "x.npy").read_bytes()))
    with pytest.raises(ValueError, match=r"Cannot read '.*x\.npy'"):
        read_feature_table(tmp_path / "x.npy")


def test_an_archive_is_no_array(tmp_path):
    with (tmp_path / "x.npy").open("wb") as file:
        np.savez(file, X=X)
    csv_table(tmp_path / "x.csv")
    with pytest.raises(ValueError, match="it is an archive of several arrays"):
        read_feature_table(tmp_path / "x.npy")


@pytest.mark.parametrize(
    ("table", "text", "message"),
    [
        ("x.csv", "tags\na\nb\nc\n", "it has 3 rows; the 4 rows of the array need one each"),
        ("x.csv", "tags\na\nb\nc\nd\ne\n", "it has more than 4 rows"),
        ("x.csv", "", "it is empty"),
        ("x.csv", "tags,TAGS\n" + "a,b\n" * 4, "must name its columns, each once"),
        (
            "x.csv",
            "tags,name\na,b\na\na,b\na,b\n",
            r"1 row without the 2 cells of the first line \(line 3 has 1\)",
        ),
        ("x.csv", b"tags\na\n\0\nc\nd\n", "line 3 holds a zero byte"),
        ("x.csv", 'tags\n"a\nb\nc\nd\n', "a quotation mark in line 2 is not closed"),
        ("x.csv", "cat,dog\n1,0\n0,2\n0,0\n1,1\n", "the tag 'dog' of item 1 is '2'"),
        ("x.csv", "name\na\nb\nc\nd\n", "neither a column tags nor a column for each tag"),
        ("x.csv", "tags,class\na,1\na,\na,1\na,1\n", "the class of item 1 is ''"),
        ("x.csv", "tags,class,label\n" + "a,1,1\n" * 4, "both a class and a label"),
        ("x.jsonl", '{"tags": "a", "class": 1}\n{"tags": "a", "label": 1}\n{}\n{}', "both a class"),
        (
            "x.jsonl",
            '{"note": "a long text"}\n{"cat": 1}\n{}\n{}',
            "line 1: the tag 'note' of item 0",
        ),
        ("x.jsonl", '{"tags": ["a"]}\n' * 3, "it has 3 rows; the 4 rows of the array need"),
        ("x.jsonl", '{"tags": ["a"]}\n{\n{}\n{}', r"1 line cannot be read \(line 2: Expecting"),
        ("x.jsonl", '{"tags": ["a"]}\n[]\n{}\n{}', r"\(line 2 is no object in braces\)"),
        ("x.jsonl", '{"tags": ["a"]}\n{"tags": [1.5]}\n{}\n{}', "the tags of item 1 are"),
        ("x.jsonl", '{"tags": ["a"]}\n{"tags": true}\n{}\n{}', "item 1 are True; give names"),
        ("x.jsonl", '{"tags": [], "class": 1.5}\n{}\n{}\n{}', "the class of item 0 is 1.5"),
        ("x.jsonl", '{"a": true}\n{"a": [1]}\n{}\n{}', "the tag 'a' of item 1 is"),
        ("x.jsonl", "[" * 100_000, "line 1: nested too deep"),
        ("x.parquet", b"PAR1 nothing PAR1", "it is no sound Parquet file"),
        ("x.xlsx", b"", "its name ends in '.xlsx'"),
    ],
)
def test_a_bad_table_is_refused(tmp_path, table, text, message):
    assert table in refused(tmp_path, message, table=table, text=text)


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"tags": SETS}, "it must have one column of features, embedding, x, or columns f0"),
        ({**FORMS["lists"], "X": X.tolist()}, "it must have one column of"),
        ({"f0": X[:, 0], "f2": X[:, 1]}, "it must have one column of"),
        ({"features": [1.0] * 4}, "the features are double; they must be lists of floats"),
        ({"features": [[1]] * 4}, "the features are int64; they must be floats"),
        ({"f0": [1, 2, 3, 4]}, "the features are int64; they must be floats"),
        ({"features": [[1.0], [1.0], None, [1.0]]}, "item 2 has no features"),
        ({"features": [[1.0], [1.0, 2.0], [], [1.0]]}, "item 1 has 2 features; others have 1"),
        ({"features": [[1.0], [None], [1.0], [1.0]]}, "a feature of one of the items from 0"),
        ({"f0": [1.0, None, 1.0, 1.0]}, "a feature of one of the items from 0 on is missing"),
        ({"features": [[1.0], [np.inf], [1.0], [1.0]]}, r"it holds inf \(item 1, feature 0\)"),
        ({"features": pa.array([[]] * 4, pa.list_(pa.float32()))}, "at least one item and one"),
    ],
)
def test_bad_features_in_parquet_are_refused(tmp_path, columns, message):
    pq.write_table(pa.table({"tags": SETS, **columns}), tmp_path / "x.parquet")
    with pytest.raises(ValueError, match=message) as caught:
        read_feature_table(tmp_path / "x.parquet")
    assert "x.parquet" in str(caught.value)


def test_a_damaged_page_of_parquet_is_refused(tmp_path):
    path = tmp_path / "x.parquet"
    rng = np.random.default_rng(0).normal(size=(4000, 3))
    columns = {"features": rng.tolist(), "tags": [["a"]] * 4000}
    pq.write_table(pa.table(columns), path, write_page_checksum=True)
    data = bytearray(path.read_bytes())
    data[4:3000] = bytes(2996)
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"x\.parquet"):
        read_feature_table(path)


def test_other_files_are_refused(tmp_path):
    (tmp_path / "x.h5").write_bytes(b"")
    with pytest.raises(ValueError, match=r"its name ends in '.h5'"):
        read_feature_table(tmp_path / "x.h5")
    with pytest.raises(FileNotFoundError, match="There is no file"):
        read_feature_table(tmp_path / "y.npy")
    with pytest.raises(TypeError, match="path is of type int"):
        read_feature_table(3)
    with pytest.raises(TypeError, match="table is of type int"):
        read_feature_table(tmp_path / "x.h5", 3)
    pq.write_table(pa.table(FORMS["lists"]), tmp_path / "x.parquet")
    with pytest.raises(ValueError, match="holds its own table; leave out table"):
        read_feature_table(tmp_path / "x.parquet", tmp_path / "x.csv")
    with pytest.raises(ValueError, match="it is a folder"):
        read_feature_table(tmp_path)


def test_names_of_items_are_kept_and_must_differ(tmp_path):
    np.save(tmp_path / "a.npy", np.eye(2, dtype="float32"))
    (tmp_path / "a.csv").write_text("file,tags\nx.jpg,cat\ny.jpg,dog\n")
    assert read_feature_table(tmp_path / "a.npy").item_names == ("x.jpg", "y.jpg")
    (tmp_path / "a.csv").write_text("file,tags\nx.jpg,cat\nx.jpg,dog\n")
    with pytest.raises(ValueError, match="two items have the same name"):
        read_feature_table(tmp_path / "a.npy")
    (tmp_path / "a.csv").write_text("tags\ncat\ndog\n")
    assert read_feature_table(tmp_path / "a.npy").item_names is None
