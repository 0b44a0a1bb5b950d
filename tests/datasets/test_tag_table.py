"""Tag tables: which columns count, whose a row is, and tables that are broken or huge."""

import csv
import json
import re

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyarrow import parquet
from tests.datasets.media_files import make_items
from tests.memory import peak_growth
from tests.oracle.item_names import find_slowly

from conceptforest.datasets.item_names import NONE, SEVERAL, ItemNames
from conceptforest.datasets.tag_table import read_tag_table

ITEMS = make_items("a/1.jpg", "a/2.jpg", "b/2.jpg", "b/ü.png", "c.d.mp4")


@pytest.fixture
def read(tmp_path):
    """Write a table and give the tags of each item, and the notes."""

    def read(content, name="tags.csv", **options):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        found = read_tag_table(path, ITEMS, **options)
        return {ITEMS[k].name: sorted(tags) for k, tags in found.tags.items() if tags}, found.notes

    return read


# --- Whose a row is ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("a/2.jpg", 1),
        ("./a/2.jpg", 1),
        ("b\\2.jpg", 2),
        ("1.jpg", 0),
        ("elsewhere/1.jpg", NONE),
        ("elsewhere/1.png", NONE),
        ("elsewhere/1", NONE),
        ("C:\\photos\\1.jpg", NONE),
        ("C:\\photos\\a\\1.jpg", 0),
        ("/home/me/b/2.jpg", 2),
        ("../b//2.png", 2),
        ("/home/me/b/2", 2),
        ("elsewhere/c.d.mp4", 4),
        ("elsewhere/c.d", 4),
        ("/", NONE),
        ("1", 0),
        ("1.png", 0),
        ("c.d", 4),
        ("c.d.avi", 4),
        ("u\u0308.png", 3),  # its accent written apart, as macOS does
        ("2.jpg", SEVERAL),
        ("2", SEVERAL),
        ("3.jpg", NONE),
        ("", NONE),
        ("a/1.JPG", 0),
    ],
)
def test_a_name_means_the_item_it_fits_best(name, place):
    assert ItemNames(ITEMS).find(name) == place


def test_names_may_be_relative_to_a_folder():
    names = ItemNames(ITEMS)
    assert names.find("2.jpg", "b/") == 2
    assert names.find("a/2.jpg", "b/") == 1


def test_the_end_of_a_long_path_is_enough():
    names = ItemNames(make_items("2019/sea/1.jpg", "2020/sea/1.jpg", "2020/sun/1.jpg"))
    assert names.find("sun/1.jpg") == 2
    assert names.find("sun/1") == 2
    assert names.find("sea/1.jpg") == SEVERAL
    assert names.find("photos/2020/sea/1.tif") == 1
    assert names.find("photos/sea/1.jpg") == NONE


def test_names_in_a_table_of_a_folder_with_items_stay_below_it():
    names = ItemNames(
        make_items("test/2.jpg", "train/1.jpg", "train/deep/3.jpg", "test/deep/4.jpg")
    )
    assert names.find("2.jpg", "train/") == NONE
    assert names.find("2", "train/") == NONE
    assert names.find("3.jpg", "train/") == 2
    assert names.find("deep/4", "train/") == NONE
    assert names.find("test/2.jpg", "train/") == 0
    assert names.match("test/2.jpg", "train/", anywhere=False).place == NONE
    assert names.match("/data/train/1.jpg", "train/", anywhere=False).place == 1
    assert names.match("1.jpg", "train/", anywhere=False) == (1, "", "")


PATHS = st.lists(st.sampled_from("abc"), max_size=3).flatmap(
    lambda folders: st.sampled_from(["1.jpg", "1.png", "2.jpg", "1"]).map(
        lambda base: "/".join([*folders, base])
    )
)


@settings(deadline=None, max_examples=300)
@given(
    items=st.lists(PATHS, min_size=1, max_size=8, unique=True),
    name=PATHS,
    within=st.sampled_from(["", "a/", "a/b/", "b/"]),
    anywhere=st.booleans(),
)
def test_names_mean_what_comparing_all_items_says(items, name, within, anywhere):
    names = ItemNames(make_items(*items))
    assert names.match(name, within, anywhere=anywhere).place == find_slowly(
        items, name, within, anywhere=anywhere
    )


def test_a_table_in_a_folder_of_its_own_may_use_file_names_alone():
    names = ItemNames(make_items("images/1.jpg", "images/2.jpg"))
    assert names.match("2.jpg", "annotations/") == (1, "by file name alone", "")


def test_rows_that_contradict_the_folder_give_no_tags(read):
    found, notes = read("file,tags\na/1.jpg,cat\ntest/1.jpg,dog\nval/1.png,fish\n")
    assert found == {"a/1.jpg": ["cat"]}
    assert notes == ["tags.csv: 3 rows; 2 rows whose file is not here (first: 'test/1.jpg')."]


def test_rows_that_are_matched_loosely_are_counted(read):
    found, notes = read("file,tags\n1.jpg,cat\n\u00fc,sea\nC:\\b\\2.jpg,dog\na/2.jpg,dog\n")
    assert len(found) == 4
    assert notes[0].split("; ") == [
        "tags.csv: 4 rows",
        "2 rows matched by file name alone (first: '1.jpg')",
        r"1 row matched by the end of the path (first: 'C:\\b\\2.jpg').",
    ]


def test_rows_of_different_folders_cannot_be_one_file(read):
    rows = "train/c.d.mp4,cat\ntest/c.d.mp4,dog\ntest/c.d.mp4,sea\nx/a/1.jpg,boat\nx/a/1.jpg,sun\n"
    found, notes = read("file,tags\n" + rows)
    assert found == {"a/1.jpg": ["boat", "sun"]}
    said = "3 rows left out, as rows of different folders fit one file (first: 'train/c.d.mp4')"
    assert said in notes[0]
    assert read("file,tags\nc.d.mp4,sun\ntest/c.d.mp4,dog\n")[0] == {"c.d.mp4": ["sun"]}


# --- Forms ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "name"),
    [
        ("file,tags\na/1.jpg,cat; dog\n", "tags.csv"),
        ("file,tags\na/1.jpg,cat|dog\n", "tags.csv"),
        ('file,tags\na/1.jpg,"cat, dog"\n', "tags.csv"),
        ("file;tags\na/1.jpg;cat,dog\n", "tags.csv"),
        ("file\ttags\na/1.jpg\tcat,dog\n", "tags.txt"),
        ("file\tTags \na/1.jpg\tcat,dog\n", "tags.TSV"),
        ("\ufeffFile_Name,year,KEYWORDS\r\na/1.jpg,1999,cat;dog\r\n", "tags.csv"),
        ("tag,item\ncat,a/1.jpg\ndog,a/1.jpg\n", "tags.csv"),
        ("photo,labels\na/1.jpg,cat;dog\n", "tags.csv"),
        ("a/1.jpg,cat;dog\n", "tags.csv"),
        ("photo,cat,dog,bird\na/1.jpg,1,TRUE,0\nb/2.jpg,0,false,\n", "tags.csv"),
        ('{"file": "a/1.jpg", "tags": ["cat", "dog"]}\n\n', "tags.jsonl"),
        ('{"tags": "cat; dog", "file_name": "a/1.jpg"}', "tags.ndjson"),
        ('{"id": "a/1.jpg", "cat": true, "dog": 1, "bird": false}\n', "tags.jsonl"),
        ("\n\nfile,tags\n\na/1.jpg,cat;dog\n\n", "tags.csv"),
        ("file,tags\na/1.jpg,cat;dog,,\n", "tags.csv"),
        ("sep=;\r\nfile;tags\r\na/1.jpg;cat,dog\r\n", "tags.csv"),
        ('\ufeff"sep=|"\nfile|tags\na/1.jpg|cat;dog\n', "tags.csv"),
        ("sep=\t\n\nfile\ttags\na/1.jpg\tcat;dog\n", "tags.txt"),
        ("photo,cat,dog,bird\na/1.jpg,1.0,x,0.0\nb/2.jpg,,no,N\n", "tags.csv"),
        ("photo,cat,dog,bird\na/1.jpg,yes,Y,nan\nb/2.jpg,0,n,None\n", "tags.csv"),
        ('{"id": "a/1.jpg", "cat": 1.0, "dog": "X", "bird": NaN}\n', "tags.jsonl"),
        ('SourceFile,FileName,Subject\n./a/1.jpg,1.jpg,"cat, dog"\n', "tags.csv"),
    ],
)
def test_tables_of_every_form_say_the_same(read, content, name):
    found, notes = read(content, name)
    assert found == {"a/1.jpg": ["cat", "dog"]}
    assert re.fullmatch(rf"{re.escape(name)}: \d rows?\.", notes[-1])


@pytest.mark.parametrize(
    "columns",
    [
        {"file": ["a/1.jpg"], "tags": [["cat", "dog", None]]},
        {"file": ["a/1.jpg"], "tags": ["cat;dog"], "image": [{"bytes": b"xyz"}]},
        {"item": ["a/1.jpg", "a/1.jpg"], "tag": ["cat", "dog"]},
        {"file": ["a/1.jpg"], "cat": [1.0], "dog": [1.0], "bird": [None], "fish": [0.0]},
        {"name": ["a/1.jpg", None], "cat": [True, None], "dog": [1, 0], "bird": [None, False]},
    ],
)
def test_parquet_tables_say_the_same(tmp_path, columns):
    parquet.write_table(pa.table(columns), tmp_path / "tags.parquet")
    found = read_tag_table(tmp_path / "tags.parquet", ITEMS)
    assert found.tags == {0: {"cat", "dog"}}


def test_commas_separate_only_where_nothing_else_does(read):
    content = 'file,tags\na/1.jpg,"Paris, Texas"\nb/2.jpg,sea;boat\n'
    assert read(content)[0] == {"a/1.jpg": ["Paris, Texas"], "b/2.jpg": ["boat", "sea"]}


def test_the_mark_in_most_cells_ends_a_tag(read):
    content = 'file,tags\na/1.jpg,"cat, dog"\na/2.jpg,"rock | roll, indoor"\nb/2.jpg,a;b\n'
    found, notes = read(content)
    assert found["a/1.jpg"] == ["cat", "dog"]
    assert found["a/2.jpg"] == ["indoor", "rock | roll"]
    assert notes == ["tags.csv: 3 rows; tags end at ',' (found in 2 cells; ';' in 1 and '|' in 1)."]


def test_rows_of_other_files_do_not_choose_the_mark(read):
    content = 'file,tags\na/1.jpg,"cat, dog"\n' + "x.jpg,a;b\n" * 3
    assert read(content)[0] == {"a/1.jpg": ["cat", "dog"]}


def test_a_column_for_one_tag_is_not_split_at_commas(read):
    found, notes = read('image,label\na/1.jpg,"Doe, John"\na/2.jpg,cat\n')
    assert found == {"a/1.jpg": ["Doe, John"], "a/2.jpg": ["cat"]}
    assert notes == [
        "tags.csv: 2 rows; commas of 1 cell kept, as the column's name is that of one tag."
    ]
    assert read('image,label\na/1.jpg,"Doe, John; cat"\n')[0] == {"a/1.jpg": ["Doe, John", "cat"]}


def test_a_long_table_is_not_split_at_all(read):
    content = "file,tag\na/1.jpg,AC|DC\na/1.jpg,;)\nb/2.jpg,cat\n"
    assert read(content)[0] == {"a/1.jpg": [";)", "AC|DC"], "b/2.jpg": ["cat"]}
    twice = "file,tag\na/1.jpg,cat;dog\na/1.jpg,cat;dog\n"  # one row, written twice
    assert read(twice)[0] == {"a/1.jpg": ["cat", "dog"]}


def test_yes_and_no_are_no_tags(read):
    lines = ['{"file": "a/1.jpg", "tags": true}', '{"file": "a/2.jpg", "tags": ["cat", false]}']
    found, notes = read("\n".join(lines), "t.jsonl")
    assert found == {"a/2.jpg": ["cat"]}
    assert notes == ["t.jsonl: 2 rows; 2 rows whose tags are no text (first: line 1)."]


def test_words_for_nothing_are_no_tags_in_csv(read):
    found, notes = read("file,tags\na/1.jpg,None\na/2.jpg, NaN\nb/2.jpg,null\nc.d.mp4,None;cat\n")
    assert found == {"c.d.mp4": ["None", "cat"]}
    said = "3 rows whose tags are 'nan', 'None' or 'null', taken as none (first: line 2)"
    assert notes == [f"tags.csv: 4 rows; {said}."]
    assert read('{"file": "a/1.jpg", "tags": ["null"]}', "t.jsonl")[0] == {"a/1.jpg": ["null"]}


def test_a_long_table_has_one_tag_a_row(read):
    content = 'file,tag\na/1.jpg,"Paris, Texas"\na/1.jpg,sea\n'
    assert read(content)[0] == {"a/1.jpg": ["Paris, Texas", "sea"]}


def test_formulas_and_markup_are_plain_text(read):
    content = 'file,tags\na/1.jpg,"=cmd(); <script>alert(1)</script>; x\' OR 1"\n'
    assert read(content)[0]["a/1.jpg"] == ["<script>alert(1)</script>", "=cmd()", "x' OR 1"]


def test_older_text_is_read_with_a_note(read):
    found, notes = read("file,tags\na/1.jpg,Küste\n".encode("cp1252"))
    assert found == {"a/1.jpg": ["Küste"]}
    assert notes[0] == (
        "tags.csv is not UTF-8 and was read as Windows-1252; check letters with accents."
    )
    assert read("file\ttags\na/1.jpg\tKüste\n".encode("utf-16"))[0] == {"a/1.jpg": ["Küste"]}
    assert read(b"file,tags\na/1.jpg,caf\xc3")[1][0].startswith("tags.csv is not UTF-8")


# --- What cannot be used -------------------------------------------------------------------------


def test_rows_of_other_files_are_counted(read):
    said = [
        "2 rows whose file is not here (first: 'x.jpg')",
        "1 row whose file name several files have (first: '2.jpg')",
    ]
    found, notes = read("file,tags\nx.jpg,cat\ny.jpg,cat\n2.jpg,dog\na/1.jpg,cat\n")
    assert found == {"a/1.jpg": ["cat"]}
    assert notes == ["tags.csv: 4 rows; " + "; ".join(said) + "."]


def test_rows_that_are_not_sound_are_counted(read):
    found, notes = read('file,tags\na/1.jpg\na/1.jpg,cat,dog\na/2.jpg,"a"b\nb/2.jpg,cat\n')
    assert found == {"b/2.jpg": ["cat"]}
    assert "2 rows without the 2 cells of the first line (first: line 2 has 1)" in notes[0]
    assert "1 row cannot be read (first: line 4: ',' expected after '\"')" in notes[0]


def test_lines_that_are_no_json_are_counted(read):
    lines = [
        "{",
        "[1]",
        "[" * 100_000,
        '{"file": 3.5, "tags": "a"}',
        '{"file": "a/1.jpg", "tags": {}}',
    ]
    good = '{"file": "a/1.jpg", "tags": ["cat", 7, null]}'
    found, notes = read("\n".join([*lines, good]), "t.jsonl")
    assert found == {"a/1.jpg": ["7", "cat"]}
    assert "3 lines cannot be read (first: line 1: Expecting" in notes[0]
    assert "1 row without the name of a file (first: line 4)" in notes[0]
    assert "1 row whose tags are no text (first: line 5)" in notes[0]


def test_json_lines_may_lack_tags(read):
    lines = ['{"file": "a/2.jpg"}', "{}", '{"file": "a/1.jpg", "tags": ["cat"], "seen": true}']
    found, notes = read("\n".join([*lines, '{"file": "b/2.jpg", "seen": true}']), "t.jsonl")
    assert found == {"a/1.jpg": ["cat"]}
    assert notes == ["t.jsonl: 4 rows; 3 rows without tags (first: line 1)."]


@pytest.mark.parametrize(
    ("content", "name", "message"),
    [
        ("", "t.csv", "it is empty"),
        ("sep=;\n", "t.csv", "it is empty but for its first line"),
        (" \n\n", "t.csv", "it is empty"),
        ("file\na.jpg\n", "t.csv", "none of its columns holds tags"),
        ("tags\ncat\n", "t.csv", "none of its columns holds tags"),
        ("file,tegs,x\na,b,c\n", "t.csv", "'tegs' holds 'b' in line 2.* Did you mean 'tags'?"),
        ("file,tags\n\n1.jpg,a\0b\n", "t.csv", "line 3 holds a zero byte. Save the table as UTF-8"),
        ('file,tags\n1.jpg,a\n2.jpg,"cat\n3,a\n', "t.csv", "a quotation mark in line 3 is not clo"),
        ('file,tags\n1.jpg,"' + "a\n" * 5000, "t.csv", "a quotation mark in line 2 is not closed"),
        ('file,tags\n1.jpg,"' + "a" * 200_000, "t.csv", "begins in line 2 has more than 131,072"),
        ('file,"tags\n1,2\n', "t.csv", "its first line cannot be read"),
        ("file,tags\n" + "a" * 5_000_000, "t.csv", "line 2 has more than 4,194,304 characters"),
        ("file,tags", "t.xlsx", "ends in '.xlsx'; tables end in one of .csv, .jsonl"),
        ("[]\n", "t.jsonl", "no line of it is an object such as"),
        ('{"file": "a", "text": "b"}', "t.jsonl", "'text' holds 'b' in line 1"),
        ("nonsense", "t.parquet", "it is no sound Parquet file"),
        ("", "t.parquet", "it is no sound Parquet file"),
    ],
)
def test_what_is_no_table_of_tags_is_refused(read, content, name, message):
    with pytest.raises(ValueError, match=message) as caught:
        read(content, name)
    assert name in str(caught.value)


def test_a_parquet_table_without_rows_is_refused(tmp_path):
    parquet.write_table(pa.table({"file": pa.array([], pa.string())}), tmp_path / "t.parquet")
    with pytest.raises(ValueError, match="it has no rows"):
        read_tag_table(tmp_path / "t.parquet", ITEMS)


def test_the_limit_of_cells_is_not_changed_for_others(read):
    before = csv.field_size_limit()
    read("file,tags\na/1.jpg,cat\n")
    assert csv.field_size_limit() == before


def test_an_open_quotation_mark_ends_whatever_the_limit_of_cells(read):
    before = csv.field_size_limit(2**30)
    try:
        with pytest.raises(ValueError, match="a quotation mark in line 2 is not closed"):
            read('file,tags\n1.jpg,"' + ("a" * 9999 + "\n") * 500)
    finally:
        csv.field_size_limit(before)


def test_a_million_lines_are_read_in_little_memory(tmp_path):
    path = tmp_path / "tags.csv"
    rows = "".join(f"{k % 1000}.jpg,tag {k % 77}\n" for k in range(100_000))
    path.write_text("file,tag\n" + rows * 10)
    before = f"""
    from conceptforest.datasets.tag_table import read_tag_table
    from tests.datasets.media_files import make_items
    path, items = {str(path)!r}, make_items(*(f"{{k}}.jpg" for k in range(500)))
    """
    work = """
    found = read_tag_table(path, items)
    assert found.notes == [
        "tags.csv: 1,000,000 rows; 500,000 rows whose file is not here (first: '500.jpg')."
    ], found.notes
    assert len(found.tags) == 500
    assert all(len(tags) == 77 for tags in found.tags.values())
    """
    assert peak_growth(before, work) < 30_000_000


@settings(deadline=None, max_examples=200)
@given(
    data=st.binary(max_size=80),
    text=st.text('ab1./,;|\t"\n\r{}[]:\0', max_size=60),
    ending=st.sampled_from(["csv", "tsv", "txt", "jsonl", "parquet"]),
    place=st.integers(0, 60),
)
def test_whatever_a_table_holds_it_is_read_or_refused(tmp_path_factory, data, text, ending, place):
    sound = {
        "csv": b'file,tags\na/1.jpg,"cat, dog"\n2.jpg,"b ""c"""\n',
        "jsonl": json.dumps({"file": "a/1.jpg", "tags": ["cat"], "x": 1}).encode(),
    }.get(ending, b"item\ttag\na/1.jpg\tcat\n")
    path = tmp_path_factory.getbasetemp() / f"fuzzed.{ending}"
    mutated = sound[:place] + data[:6] + sound[place + 3 :]
    for content in (data, text.encode(), sound[:place] + text.encode(), mutated):
        path.write_bytes(content)
        try:
            found = read_tag_table(path, ITEMS)
        except ValueError as error:
            assert str(error).startswith(f"Cannot read {str(path)!r}: ")  # noqa: PT017
        else:
            assert all(isinstance(tag, str) for tags in found.tags.values() for tag in tags)


def test_damaged_parquet_is_read_or_refused(tmp_path):
    path = tmp_path / "t.parquet"
    parquet.write_table(pa.table({"file": ["a/1.jpg"] * 9, "tags": [["cat"]] * 9}), path)
    sound = path.read_bytes()
    for place in range(0, len(sound), 7):
        path.write_bytes(sound[:place] + b"\xff\x00" + sound[place + 2 :])
        try:
            read_tag_table(path, ITEMS)
        except ValueError as error:
            assert str(error).startswith("Cannot read ")  # noqa: PT017
