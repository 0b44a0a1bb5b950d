"""Hierarchies from outside: what is read, and what is refused and how."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import conceptforest as cf
from conceptforest.tags import outline

from_parents = cf.TagHierarchy.from_parents
from_paths = cf.TagHierarchy.from_paths
from_json = cf.TagHierarchy.from_json

PETS = [{"animal", "scene"}, {"dog", "cat", "beach"}, {"puppy"}]


def names(hierarchy):
    return [{hierarchy.vocabulary_[j] for j in layer} for layer in hierarchy.layers_]


def write(folder, text):
    path = folder / "tree.json"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


# What is read.

PAIRS = [("animal", None), ("dog", "animal"), ("cat", "animal"), ("puppy", "dog"),
         ("scene", ""), ("beach", "scene")]  # fmt: skip
TREES = [
    {"animal": {"dog": {"puppy": {}}, "cat": {}}, "scene": {"beach": None}},
    {"animal": {"dog": ["puppy"], "cat": []}, "scene": ["beach"]},
    {"animal": [{"dog": ["puppy"]}, "cat"], "scene": ["beach"]},
    [
        {"name": "animal", "children": [
            {"name": "dog", "children": [{"name": "puppy", "size": 3}]}, {"name": "cat"},
        ]},
        {"name": "scene", "children": ["beach"]},
    ],
]  # fmt: skip


@pytest.mark.parametrize(
    "table",
    [
        PAIRS,
        PAIRS[::-1],
        PAIRS + PAIRS,
        [list(pair) for pair in PAIRS],
        np.array(PAIRS, dtype=object),
        PAIRS[1:4] + PAIRS[5:],  # roots that are only named as parents
        pd.DataFrame(PAIRS, columns=["tag", "parent"]),
        pd.DataFrame(PAIRS, columns=["Tag", "PARENT"]).iloc[:, ::-1],
        pd.DataFrame(PAIRS, columns=["tag", "parent"]).fillna(np.nan),
        pd.DataFrame(PAIRS, columns=["tag", "parent"]).astype("string"),
        pl.DataFrame(PAIRS, schema=["tag", "parent"], orient="row"),
        pl.LazyFrame(PAIRS, schema=["tag", "parent"], orient="row"),
    ],
    ids=["pairs", "turned", "twice", "lists", "array", "implied", "pandas", "any case", "nan",
         "string", "polars", "lazy"],
)  # fmt: skip
def test_tables_of_parents(table):
    assert names(from_parents(table)) == PETS


def test_paths():
    paths = ["animal|dog|puppy", "animal|cat", "scene|beach", "scene", "animal|dog"]
    for given_paths in (paths, tuple(paths), iter(paths), pd.Series(paths), np.array(paths)):
        assert names(from_paths(given_paths)) == PETS
    slashes = [path.replace("|", "/") for path in paths]
    assert names(from_paths(slashes, separator="/")) == PETS
    assert names(from_paths(["a|b"], separator="/")) == [{"a|b"}]


@pytest.mark.parametrize("tree", TREES, ids=["nested", "lists", "mixed", "children"])
def test_trees(tree, tmp_path):
    assert names(from_json(tree)) == PETS
    path = write(tmp_path, json.dumps(tree))
    assert names(from_json(path)) == PETS
    assert names(from_json(str(path))) == PETS
    assert names(from_json(write(tmp_path, b"\xef\xbb\xbf" + json.dumps(tree).encode()))) == PETS


def test_a_tag_may_be_called_name():
    assert names(from_json({"name": {"children": {}}})) == [{"name"}, {"children"}]


def test_what_comes_out_is_fitted():
    found = from_paths(["animal|dog", "animal|cat"])
    assert found.vocabulary_ == ("animal", "dog", "cat")
    assert [layer.dtype for layer in found.layers_] == [np.int32, np.int32]
    assert found.scores_.tolist() == [0, 0, 0]
    assert found.counts_.tolist() == [0, 0, 0]
    assert found.topics_ == ()
    assert found.n_layers == 2
    assert found.to_frame()["layer"].tolist() == [1, 2, 2]
    assert found.to_frame()["topic"].isna().all()
    assert not hasattr(clone(found), "layers_")
    assert found.fit([{"x"}, {"y"}]).vocabulary_ == ("x", "y")
    assert "1 item  x 1" in found.to_text()


def test_the_tree_as_text():
    found = from_json({"place": {"Europe": ["Rome", "Paris", "Bonn"], "Asia": ["Kyoto"]}, "x": {}})
    assert found.to_text(max_tags=2) == "\n".join(  # noqa: FLY002 - a line a line
        [
            "8 tags in 3 layers",
            "",
            "place",
            "├─ Europe",
            "│  ├─ Rome",
            "│  ├─ Paris",
            "│  └─ and 1 more",
            "└─ Asia",
            "   └─ Kyoto",
            "x",
        ]
    )


@settings(deadline=None, max_examples=40)
@given(st.lists(st.integers(-1, 30), min_size=1, max_size=30))
def test_all_forms_agree(links):
    """Tag k's parent is an earlier tag, or none."""
    parents = [min(link, k - 1) for k, link in enumerate(links)]
    depth, paths, nodes = [], [], []
    for k, parent in enumerate(parents):
        depth.append(1 if parent < 0 else depth[parent] + 1)
        paths.append(f"t{k}" if parent < 0 else f"{paths[parent]}|t{k}")
        nodes.append({"name": f"t{k}", "children": []})
        if parent >= 0:
            nodes[parent]["children"].append(nodes[k])
    expected = [
        {f"t{k}" for k in range(len(links)) if depth[k] == d} for d in range(1, max(depth) + 1)
    ]
    pairs = [(f"t{k}", None if p < 0 else f"t{p}") for k, p in enumerate(parents)]
    tree = [node for node, parent in zip(nodes, parents, strict=True) if parent < 0]
    for found in (from_parents(pairs), from_paths(paths), from_json(tree)):
        assert names(found) == expected
        lines = found.to_text(max_tags=99).splitlines()[2:]
        assert sorted(line.split("─ ")[-1] for line in lines) == sorted(found.vocabulary_)


# What is refused.


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([("dog", "animal"), ("dog", "pet")], r"'dog' is below 'animal' and below 'pet'\. A tag"),
        ([("dog", None), ("dog", "pet")], r"'dog' is a root and below 'pet'"),
        ([("dog", "dog")], "'dog' is its own parent"),
        ([("a", "b"), ("b", "a")], "go round in a circle: 'a' -> 'b' -> 'a'"),
        ([("x", "a"), ("a", "b"), ("b", "c"), ("c", "a")], "circle: 'a' -> 'b' -> 'c' -> 'a'"),
        ([(f"t{k}", f"t{(k + 1) % 500}") for k in range(500)], r"circle: 't0' -> .* -> '\.\.\.'"),
        ([(f"t{k}", f"t{k + 1}") for k in range(100_000)], "more than 64 tags deep"),
        ([(f"t{k + 1}", f"t{k}") for k in range(64)], "more than 64 tags deep"),
        ([], "The table is empty"),
        (pd.DataFrame({"tag": ["a"], "parents": ["b"]}), r"'parents'.*Did you mean 'parent'\?"),
        (pd.DataFrame({"tag": ["a"], "parent": ["b"], "n": [1]}), "and no other"),
        (pd.DataFrame({"tag": ["a"]}), "must have 'tag' and 'parent'"),
    ],
)
def test_bad_links(pairs, message):
    with pytest.raises(ValueError, match=message):
        from_parents(pairs)


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ("dog", "of type str. Give a table"),
        ({"dog": "animal"}, "of type dict. Give a table"),
        (5, "of type int"),
        (["dog"], "Row 0 of the parents is 'dog'"),
        ([("dog", "animal"), ("cat",)], "Row 1 of the parents"),
        ([(1, "animal")], "Row 0 has the tag 1, of type int"),
        ([("dog", 3)], "Row 0 has the tag 3, of type int"),
        ([("", "animal")], "Row 0 has the tag '', an empty name"),
        ([(None, "animal")], "Row 0 has the tag None"),
        (pd.DataFrame({"tag": [1.5], "parent": ["a"]}), "of type float"),
    ],
)
def test_bad_tables(table, message):
    with pytest.raises(TypeError, match=message):
        from_parents(table)


def test_as_deep_as_allowed():
    deepest = [f"t{k}" for k in range(outline.MAX_DEPTH)]
    assert len(from_paths(["|".join(deepest)]).layers_) == 64
    found = from_parents(list(zip(deepest, [None, *deepest], strict=False))[::-1])
    assert len(found.layers_) == 64
    assert found.to_text().splitlines()[-1].endswith("└─ t63")


@pytest.mark.parametrize(
    ("paths", "error", "message"),
    [
        (["a||b"], ValueError, r"Path 0 is 'a\|\|b' and has an empty name"),
        (["a", ""], ValueError, "Path 1 is '' and has an empty name"),
        (["|a"], ValueError, "empty name"),
        (["a", None], TypeError, "Path 1 is None of type NoneType"),
        (["a", 3], TypeError, "Path 1 is 3 of type int"),
        ("a|b", TypeError, r"paths are 'a\|b'. Give a list"),
        (7, TypeError, "paths are 7"),
        ([], ValueError, "There are no paths"),
        (["x|Paris", "y|Paris"], ValueError, "'Paris' is below 'x' and below 'y'"),
        (["x|Paris", "Paris|x"], ValueError, "and"),
        (["x|x"], ValueError, "'x' is its own parent"),
        (["|".join(map(str, range(65)))], ValueError, "more than 64 tags deep"),
        (["a|" * 10**6 + "a"], ValueError, "more than 64 tags deep"),
    ],
)
def test_bad_paths(paths, error, message):
    with pytest.raises(error, match=message):
        from_paths(paths)


@pytest.mark.parametrize("separator", ["", None, 3])
def test_bad_separators(separator):
    with pytest.raises(ValueError, match=r"separator is .* give a non-empty string"):
        from_paths(["a"], separator)


def nest(depth):
    tree = {}
    for k in range(depth):
        tree = {f"t{k}": tree}
    return tree


def circle():
    tree = {}
    tree["a"] = {"b": tree}
    return tree


@pytest.mark.parametrize(
    ("tree", "error", "message"),
    [
        ({}, ValueError, "The tree has no tags"),
        ([], ValueError, "The tree has no tags"),
        (None, ValueError, "The tree has no tags"),
        (5, TypeError, "The top of the tree has 5 of type int"),
        ({"a": 5}, TypeError, "The tree below 'a' has 5 of type int"),
        ({"a": "b"}, TypeError, r"has 'b' of type str.*Write \['b'\]"),
        ({"a": [5]}, TypeError, "The tree below 'a' has the tag 5, of type int"),
        ({"a": [["b"]]}, TypeError, r"has the tag list\(...\), of type list"),
        ({1: {}}, TypeError, "The top of the tree has the tag 1, of type int"),
        ({"": {}}, TypeError, "an empty name"),
        ({"a": ["x"], "b": ["x"]}, ValueError, "'x' is below 'a' and below 'b'"),
        ({"a": {"b": {"a": {}}}}, ValueError, "'a' is a root and below 'b'"),
        ({"a": {"a": {}}}, ValueError, "'a' is its own parent"),
        (circle(), ValueError, "'a' is a root and below 'b'"),
        (nest(65), ValueError, "more than 64 tags deep"),
        (nest(50_000), ValueError, "more than 64 tags deep"),
        ({"name": "a", "childern": ["b"]}, ValueError, r"key 'childern'.*Did you mean 'children'"),
    ],
)
def test_bad_trees(tree, error, message):
    with pytest.raises(error, match=message):
        from_json(tree)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "does not hold a JSON tree: Expecting value"),
        ('{"a": ', "does not hold a JSON tree"),
        (b'{"\xff": {}}', "does not hold a JSON tree: 'utf-8' codec can't decode"),
        ('{"a": {}, "a": {"b": {}}}', "the key 'a' is there twice in one object"),
        ('{"a":' * 100_000 + "{}" + "}" * 100_000, "more than 64 tags deep"),
        ("[" * 100_000 + "]" * 100_000, "more than 64 tags deep"),
    ],
    ids=["empty", "cut", "encoding", "repeated", "deep", "deep lists"],
)
def test_bad_files(text, message, tmp_path):
    with pytest.raises(ValueError, match=message):
        from_json(write(tmp_path, text))


def test_lists_in_lists_are_refused_at_any_depth(tmp_path):
    for depth in (5, 400):
        with pytest.raises(TypeError, match=r"has the tag list\(...\)"):
            from_json(write(tmp_path, "[" * depth + "]" * depth))


def test_no_file(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"cannot be read: .*No such file.*path of a JSON"):
        from_json(tmp_path / "none.json")
    with pytest.raises(IsADirectoryError, match="cannot be read"):
        from_json(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"use json\.loads\(text\)"):
        from_json('{"animal": {}}')
    with pytest.raises(ValueError, match="cannot be read: embedded null byte"):
        from_json("a\0b")


def test_large_files_are_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr(outline, "MAX_BYTES", 2**20)
    assert names(from_json(write(tmp_path, '["a"]'.ljust(2**20)))) == [{"a"}]
    with pytest.raises(ValueError, match="larger than 1 MiB"):
        from_json(write(tmp_path, '["a"]'.ljust(2**20 + 1)))


def test_paths_without_the_separator_are_refused():
    with pytest.raises(ValueError, match=r"None of the 2 paths has a '\|'.*'pet/cat'"):
        cf.TagHierarchy.from_paths(["pet/cat", "pet/dog"])
    assert cf.TagHierarchy.from_paths(["pet"]).vocabulary_ == ("pet",)
