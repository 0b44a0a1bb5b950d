"""Reading NUS-WIDE: both layouts, the subset rule, and what is said of damaged files."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.datasets.published_trees import CONCEPTS, NusWide, write
from tests.oracle.zero_one_lines import ones_of

from conceptforest.datasets.nus_wide import read_nus_wide
from conceptforest.datasets.nus_wide_files import _ones, _quick_column

SMALL = {"n_classes": 3, "min_items": 2, "features": ["CH"]}


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
@pytest.mark.parametrize("parts", [False, True])
def test_all_images_come_back_as_they_were_written(tmp_path, parts, eol):
    tree = NusWide(tmp_path, parts=parts, eol=eol)
    found = read_nus_wide(tmp_path, features=("CH", "BoW"), subset=None)
    assert found.name == "nus-wide"
    assert found.labels is None
    assert found.class_names == ()
    assert found.X.dtype == np.float32
    assert np.array_equal(found.X, np.hstack([tree.X["CH"], tree.X["BoW"]]))
    assert np.array_equal(found.tags.matrix.toarray(), tree.tags)
    assert found.tags.vocabulary == tuple(tree.tag_names)
    assert found.item_names == tuple(name.replace("\\", "/") for name in tree.images)


def test_all_six_lists_are_read_unless_some_are_chosen(tmp_path):
    names = ("CH", "CORR", "EDH", "WT", "CM55", "BoW")
    tree = NusWide(tmp_path, n=30, features=names)
    assert read_nus_wide(tmp_path, subset=None).X.shape == (30, 1134)
    chosen = read_nus_wide(tmp_path, subset=None, features=["wt", "EDH"]).X
    assert np.array_equal(chosen, np.hstack([tree.X["WT"], tree.X["EDH"]]))


@pytest.mark.parametrize("parts", [False, True])
def test_the_subset_holds_images_of_exactly_one_of_the_drawn_concepts(tmp_path, parts):
    tree = NusWide(tmp_path, parts=parts)
    found = read_nus_wide(tmp_path, **SMALL, random_state=4)
    assert found.name == "nus-wide (3 concepts)"
    assert len(found.class_names) == 3
    drawn = [CONCEPTS.index(name) for name in found.class_names]
    rows = np.flatnonzero(np.isin(tree.classes, drawn))
    assert np.array_equal(found.X, tree.X["CH"][rows])
    assert np.array_equal(found.tags.matrix.toarray(), tree.tags[rows])
    assert [CONCEPTS.index(found.class_names[k]) for k in found.labels] == list(tree.classes[rows])


def test_items_are_called_by_their_images_if_these_differ(tmp_path):
    tree = NusWide(tmp_path)
    found = read_nus_wide(tmp_path, **SMALL, max_items=3)
    rows = [tree.images.index(name.replace("/", "\\")) for name in found.item_names]
    assert np.array_equal(found.X, tree.X["CH"][rows])
    path = next(tmp_path.rglob("Imagelist.txt"))
    lines = path.read_text().splitlines()
    path.write_text("\n".join([*lines[:-1], lines[0]]))
    assert read_nus_wide(tmp_path, features=["CH"], subset=None).item_names is None


def test_classes_are_those_with_more_images_than_asked(tmp_path):
    tree = NusWide(tmp_path)
    sizes = np.bincount(tree.classes[tree.classes >= 0])
    least = int(np.sort(sizes)[-2]) - 1
    n = int((sizes > least).sum())
    found = read_nus_wide(tmp_path, features="CH", n_classes=n, min_items=least)
    assert np.bincount(found.labels).min() > least
    with pytest.raises(ValueError, match=f"Only {n} of 5 classes have more than {least} images"):
        read_nus_wide(tmp_path, features="CH", n_classes=n + 1, min_items=least)


def test_a_seed_draws_the_same_classes_and_other_seeds_others(tmp_path):
    NusWide(tmp_path)
    draws = [read_nus_wide(tmp_path, **SMALL, random_state=seed) for seed in (0, 0, 1, 2, 3, 4)]
    assert draws[0].class_names == draws[1].class_names
    assert np.array_equal(draws[0].X, draws[1].X)
    assert len({draw.class_names for draw in draws}) > 1


def test_large_classes_can_be_thinned(tmp_path):
    NusWide(tmp_path)
    found = read_nus_wide(tmp_path, **SMALL, max_items=3)
    assert np.bincount(found.labels).tolist() == [3, 3, 3]
    assert np.array_equal(found.X, read_nus_wide(tmp_path, **SMALL, max_items=3).X)


def test_groups_name_images_by_place_path_or_file(tmp_path):
    tree = NusWide(tmp_path)
    lines = ["0\tboats", f"{tree.images[1]}\tboats", "0002_9002.jpg\tcats", "3\tcats", "3\tboats"]
    table = write(tmp_path / "groups.tsv", "\n".join([*lines, "4\tcats", "4\tcats"]))
    options = {"n_classes": 2, "min_items": 1, "features": "CH"}
    found = read_nus_wide(tmp_path, groups=table, **options)
    assert found.name == "nus-wide (2 groups)"
    assert found.class_names == ("boats", "cats")
    assert found.labels.tolist() == [0, 0, 1, 1]  # the image of two groups is left out
    assert np.array_equal(found.X, tree.X["CH"][[0, 1, 2, 4]])


def test_the_order_of_the_group_table_does_not_change_the_draw(tmp_path):
    NusWide(tmp_path)
    lines = [f"{i}\tg{i % 6}" for i in range(60)]
    one = write(tmp_path / "a.tsv", "\n".join(lines))
    other = write(tmp_path / "b.tsv", "\n".join(reversed(lines)))
    options = {"n_classes": 3, "min_items": 5, "features": "CH", "random_state": 7}
    a, b = (read_nus_wide(tmp_path, groups=table, **options) for table in (one, other))
    assert a.class_names == b.class_names
    assert np.array_equal(a.X, b.X)
    assert np.array_equal(a.labels, b.labels)


def test_features_can_come_from_an_array_of_the_user(tmp_path):
    tree = NusWide(tmp_path, features=())
    mine = np.random.default_rng(1).normal(size=(tree.n, 7)).astype(np.float16)
    path = tmp_path / "vgg.npy"
    np.save(path, mine)
    options = SMALL | {"features": path}
    found = read_nus_wide(tmp_path, **options)
    drawn = [CONCEPTS.index(name) for name in found.class_names]
    assert found.X.dtype == np.float16
    assert np.array_equal(found.X, mine[np.isin(tree.classes, drawn)])
    everything = read_nus_wide(tmp_path, features=str(path), subset=None)
    assert np.array_equal(everything.X, mine)


def test_rows_of_other_images_may_be_damaged_in_the_array(tmp_path):
    tree = NusWide(tmp_path, features=())
    mine = np.ones((tree.n, 2), dtype=np.float32)
    mine[0] = np.nan  # of no concept
    np.save(tmp_path / "a.npy", mine)
    assert read_nus_wide(tmp_path, **SMALL | {"features": tmp_path / "a.npy"}).n_items > 0
    mine[20] = np.nan
    np.save(tmp_path / "a.npy", mine)
    options = {"n_classes": 5, "min_items": 2, "features": tmp_path / "a.npy"}
    with pytest.raises(ValueError, match=r"a\.npy.*it holds nan \(item 20, feature 0\)"):
        read_nus_wide(tmp_path, **options)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("ImageList/Imagelist.txt", "lists/ImageList.TXT"),
        ("NUS_WID_Tags/TagList1k.txt", "NUS_WID_Tags/Final_Tag_List.txt"),
        (
            "NUS_WID_Low_Level_Features/Low_Level_Features/Normalized_CH.dat",
            "Low_Level_Features/CH_normalized.dat",
        ),
    ],
)
def test_other_places_and_spellings_are_found(tmp_path, old, new):
    tree = NusWide(tmp_path)
    (tmp_path / new).parent.mkdir(exist_ok=True)
    (tmp_path / old).rename(tmp_path / new)
    assert np.array_equal(read_nus_wide(tmp_path, subset=None, features="CH").X, tree.X["CH"])


LOW = "NUS_WID_Low_Level_Features/Low_Level_Features"


@pytest.mark.parametrize(
    ("file", "line", "text", "message"),
    [
        ("NUS_WID_Tags/AllTags1k.txt", 20, "0\t1", "line 20: it has 2 values; there are 12 tags"),
        ("NUS_WID_Tags/AllTags1k.txt", 20, "0\t" * 11 + "2", "value 12 is '2'; it must be 0 or 1"),
        ("NUS_WID_Tags/AllTags1k.txt", 20, "\t".join(["10"] * 12), "value 1 is '10'"),
        ("NUS_WID_Tags/AllTags1k.txt", 20, "0,1," * 5 + "0,1", "it has 1 values"),
        ("NUS_WID_Tags/AllTags1k.txt", 20, "", "it has 0 values"),
        ("NUS_WID_Tags/TagList1k.txt", 2, "tag0", "the tag 'tag0' is already on line 1"),
        ("NUS_WID_Tags/TagList1k.txt", 2, "", "line 2: the tag is empty"),
        ("Groundtruth/AllLabels/Labels_dog.txt", 9, "-1130179", "line 9: it holds '-1130179'"),
        (f"{LOW}/Normalized_CH.dat", 30, "1 2 x", "line 30: 'x' is no number"),
        (f"{LOW}/Normalized_CH.dat", 30, "1 2 nan", "line 30: 'nan' is no finite number"),
        (f"{LOW}/Normalized_CH.dat", 30, "1 2 1e60", "'1e60' is no finite number"),
        (f"{LOW}/Normalized_CH.dat", 30, "1 2 3", "it has 3 values; others have 64"),
        (f"{LOW}/Normalized_CH.dat", 30, "", "line 30: it is empty"),
        ("ImageList/Imagelist.txt", 3, "..\\secret.jpg", "'../secret.jpg' is no path within"),
        ("ImageList/Imagelist.txt", 3, "/etc/passwd", "'/etc/passwd' is no path within"),
    ],
)
def test_a_damaged_line_is_named(tmp_path, file, line, text, message):
    NusWide(tmp_path)
    lines = (tmp_path / file).read_text().split("\n")
    lines[line - 1] = text
    (tmp_path / file).write_text("\n".join(lines))
    with pytest.raises(ValueError, match=message) as caught:
        read_nus_wide(tmp_path, features="CH", n_classes=5, min_items=0)
    assert str(tmp_path / file) in str(caught.value)


@pytest.mark.parametrize("file", ["NUS_WID_Tags/AllTags1k.txt", f"{LOW}/Normalized_CH.dat"])
@pytest.mark.parametrize(("change", "message"), [(-1, "it has 59 lines"), (1, "more than the 60")])
def test_a_file_must_have_a_line_for_each_image(tmp_path, file, change, message):
    NusWide(tmp_path)
    lines = (tmp_path / file).read_text().splitlines()
    lines = lines[:-1] if change < 0 else [*lines, lines[0]]
    (tmp_path / file).write_text("\n".join(lines))
    with pytest.raises(ValueError, match=message):
        read_nus_wide(tmp_path, features="CH", subset=None)


def test_a_flaw_in_the_train_labels_does_not_matter_where_all_labels_are_there(tmp_path):
    NusWide(tmp_path)
    write(tmp_path / "Groundtruth/TrainTestLabels/Labels_dog_Train.txt", "-1130179\n")
    assert read_nus_wide(tmp_path, **SMALL).n_classes == 3


def test_lists_of_parts_must_fit_the_image_list(tmp_path):
    tree = NusWide(tmp_path, parts=True)
    path = tmp_path / "ImageList/TrainImagelist.txt"
    path.write_text(path.read_text().replace(tree.images[tree.train[0]], "x.jpg"))
    with pytest.raises(ValueError, match=r"line 1: 'x\.jpg' is not in the image list"):
        read_nus_wide(tmp_path, features="CH", subset=None)
    path.write_text(tree.images[tree.test[0]])
    for file in ("NUS_WID_Tags/Train_Tags1k.dat",):
        (tmp_path / file).write_text((tmp_path / file).read_text().splitlines()[0])
    with pytest.raises(ValueError, match="is there twice, by the train and test lists"):
        read_nus_wide(tmp_path, features="CH", subset=None)


def test_an_image_of_no_part_is_named(tmp_path):
    tree = NusWide(tmp_path, parts=True)
    tree.lines("ImageList/Imagelist.txt", [*tree.images, "lost\\1.jpg"])
    with pytest.raises(ValueError, match=r"'lost/1\.jpg' is in neither the train nor the test"):
        read_nus_wide(tmp_path, features="CH", subset=None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0 boats", "line 1: it must hold an image, a tab and a group"),
        ("0\tboats\n60\tboats", "line 2: 60 is not from 0 to 59"),
        ("x.jpg\tboats", r"line 1: the image 'x\.jpg' is not in the image list"),
    ],
)
def test_a_damaged_group_table_is_named(tmp_path, text, message):
    NusWide(tmp_path)
    with pytest.raises(ValueError, match=message):
        read_nus_wide(tmp_path, groups=write(tmp_path / "g.tsv", text), **SMALL)


@pytest.mark.parametrize(
    ("file", "message"),
    [
        ("ImageList/Imagelist.txt", "There is no file 'ImageList/Imagelist.txt' below"),
        ("NUS_WID_Tags/AllTags1k.txt", "no file 'NUS_WID_Tags/AllTags1k.txt'"),
        ("NUS_WID_Tags/TagList1k.txt", "no file 'NUS_WID_Tags/TagList1k.txt'"),
        ("Groundtruth/AllLabels/Labels_dog.txt", "no file 'Groundtruth/AllLabels/Labels_dog.txt'"),
        (f"{LOW}/Normalized_CH.dat", "Normalized_CH.dat"),
    ],
)
def test_a_missing_file_is_named(tmp_path, file, message):
    NusWide(tmp_path)
    (tmp_path / file).unlink()
    with pytest.raises(FileNotFoundError, match=message):
        read_nus_wide(tmp_path, **SMALL)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"subset": "all"}, ValueError, 'subset must be "paper" or None'),
        ({"subset": None, "groups": "g.tsv"}, ValueError, "groups are the classes of a subset"),
        ({"features": ["SIFT"]}, ValueError, "features has 'SIFT'"),
        ({"features": []}, ValueError, "one list or more"),
        ({"features": ["CH", "ch"]}, ValueError, "each once"),
        ({"features": 3}, TypeError, "features is of type int"),
        ({"n_classes": 0}, ValueError, "n_classes must be at least 1"),
        ({"min_items": -1}, ValueError, "min_items must be at least 0"),
        ({"max_items": 0}, ValueError, "max_items must be at least 1 or None"),
        ({"random_state": "a"}, TypeError, "random_state must be a whole number"),
    ],
)
def test_bad_choices_are_refused_before_anything_is_read(tmp_path, options, error, message):
    with pytest.raises(error, match=message):
        read_nus_wide(tmp_path, **options)


def test_tags_are_never_held_as_text_or_dense(tmp_path):
    n, m = 6000, 1000
    tree = NusWide(tmp_path, n=30, features=())
    tree.lines("NUS_WID_Tags/TagList1k.txt", [f"t{j}" for j in range(m)])
    tree.lines("ImageList/Imagelist.txt", [f"a/{i}.jpg" for i in range(n)])
    row = "\t".join(["0"] * (m - 1) + ["1"])
    tree.lines("NUS_WID_Tags/AllTags1k.txt", [row] * n)
    np.save(tmp_path / "x.npy", np.ones((n, 1), dtype=np.float32))
    options = {"features": tmp_path / "x.npy", "subset": None}
    read_nus_wide(tmp_path, **options)  # what is imported on first use is not counted
    tracemalloc.start()
    found = read_nus_wide(tmp_path, **options)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert found.tags.counts[-1] == n
    assert peak < n * m  # the file has two bytes a value


WORDS = st.sampled_from([b"0", b"1", b"0", b"1", b"0", b"1", b"2", b"10", b"x", b""])
BETWEEN = st.sampled_from([b"\t", b" ", b"\t", b" ", b"\t ", b","])


@settings(max_examples=300, deadline=None)
@given(words=st.lists(WORDS, max_size=6), between=BETWEEN, n=st.integers(1, 6))
def test_a_row_of_tags_is_read_as_its_words_say(tmp_path_factory, words, between, n):
    line = between.join(words).strip()
    expected = ones_of(line, n)
    path = tmp_path_factory.getbasetemp() / "tags.txt"
    if expected is None:
        with pytest.raises(ValueError, match="line 7: "):
            _ones(path, 7, line, n)
    else:
        assert _ones(path, 7, line, n).tolist() == expected


@settings(max_examples=200, deadline=None)
@given(words=st.lists(WORDS, min_size=1, max_size=6), end=st.sampled_from([b"\n", b"\r\n", b" "]))
def test_a_list_is_read_at_once_only_if_it_is_zeros_and_ones(tmp_path_factory, words, end):
    path = write(tmp_path_factory.getbasetemp() / "labels.txt", b"".join(w + end for w in words))
    found = _quick_column(path, len(words))
    expected = [ones_of(word, 1) for word in words]
    if end == b" " or None in expected:
        assert found is None
    else:
        assert found.tolist() == [ones == [0] for ones in expected]
