"""Reading feature files: what is written comes back, and what is wrong is said."""

import io
import pickle
import tracemalloc
import zipfile

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse

import conceptforest as cf
from conceptforest.datasets import Collection, feature_file, load
from conceptforest.tags import TagMatrix


def parts(n=6, m=4, d=3, seed=0, dtype="float16"):
    """Give the arrays of a small sound file."""
    rng = np.random.default_rng(seed)
    tags = sparse.csr_array((rng.random((n, m)) < 0.4).astype(np.uint8))
    return {
        "X": rng.normal(size=(n, d)).astype(dtype),
        "T_indices": tags.indices,
        "T_indptr": tags.indptr.astype(np.int64),
        "T_shape": np.array(tags.shape),
        "tag_names": np.array([f"tag {j}" for j in range(m)], dtype=str),
        "y": (np.arange(n) % 2).astype(np.int32),
        "class_names": np.array(["even", "odd"]),
    }


@pytest.fixture
def assert_refused(tmp_path):
    """Check that a file with some arrays replaced (None: left out) is refused with a message."""

    def check(message, **changes):
        path = tmp_path / "set.npz"
        arrays = {key: value for key, value in (parts() | changes).items() if value is not None}
        np.savez(path, **arrays)
        with pytest.raises(ValueError, match=message) as caught:
            load(path)
        assert str(path) in str(caught.value)

    return check


@settings(deadline=None, max_examples=40)
@given(
    n=st.integers(1, 20),
    m=st.integers(0, 8),
    d=st.integers(1, 5),
    seed=st.integers(0, 2**32 - 1),
    dtype=st.sampled_from(["float16", "float32", "float64", ">f4"]),
    fortran=st.booleans(),
    packed=st.booleans(),
)
def test_what_is_written_comes_back(tmp_path_factory, n, m, d, seed, dtype, fortran, packed):
    arrays = parts(n, m, d, seed, dtype)
    if fortran:
        arrays["X"] = np.asfortranarray(arrays["X"])
    path = tmp_path_factory.mktemp("set") / "made up.npz"
    (np.savez_compressed if packed else np.savez)(path, **arrays)
    found = load(path)
    assert isinstance(found, Collection)
    assert isinstance(found.tags, TagMatrix)
    assert found.name == "made up"
    assert found.X.dtype == np.dtype(dtype).newbyteorder("=")
    assert np.array_equal(found.X, arrays["X"])
    assert found.X.flags.writeable
    pieces = (np.ones(len(arrays["T_indices"])), arrays["T_indices"], arrays["T_indptr"])
    assert np.array_equal(
        found.tags.matrix.toarray(), sparse.csr_array(pieces, shape=(n, m)).toarray()
    )
    assert found.tags.vocabulary == tuple(arrays["tag_names"])
    assert found.labels.dtype == np.int64
    assert np.array_equal(found.labels, arrays["y"])
    assert found.class_names == ("even", "odd")
    assert found.layers is None
    assert (found.n_items, found.n_classes) == (n, 2)


def test_classes_are_optional(tmp_path):
    arrays = {k: v for k, v in parts().items() if k not in {"y", "class_names"}}
    np.savez(tmp_path / "a.npz", **arrays)
    found = load(str(tmp_path / "a.npz"))
    assert found.labels is None
    assert found.class_names == ()


def test_classes_without_names_are_called_by_number(tmp_path):
    np.savez(tmp_path / "a.npz", **{k: v for k, v in parts().items() if k != "class_names"})
    assert load(tmp_path / "a.npz").class_names == ("0", "1")


def test_other_arrays_are_ignored_even_pickled_ones(tmp_path):
    hostile = np.array([object()], dtype=object)
    np.savez(tmp_path / "a.npz", **parts(), notes=hostile)
    assert load(tmp_path / "a.npz").n_items == 6


def test_a_tag_listed_twice_for_an_item_counts_once(tmp_path):
    twice = {"T_indices": [1, 1, 0], "T_indptr": [0, 3, 3, 3, 3, 3, 3]}
    np.savez(tmp_path / "a.npz", **(parts() | twice))
    assert load(tmp_path / "a.npz").tags.matrix.toarray()[0].tolist() == [1, 1, 0, 0]


def test_a_forest_takes_the_collection_as_it_is(tmp_path):
    np.savez(tmp_path / "a.npz", **parts(n=40))
    found = load(tmp_path / "a.npz")
    forest = cf.HMLForest(3, random_state=0).fit(found.X, found.tags)
    assert forest.vocabulary_ == found.tags.vocabulary


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"X": None}, "it has no X. A feature file holds X, T_indices, T_indptr, T_shape, tag_na"),
        ({"X": None, "tag_names": None}, "it has no X, tag_names"),
        ({"X": np.zeros(6)}, r"X is float64 of shape \(6,\); it must be floats of shape \(n_items"),
        ({"X": np.zeros((6, 3), int)}, "X is int64 of shape"),
        ({"X": np.zeros((6, 0))}, "at least one item and one feature"),
        ({"X": np.zeros((0, 3))}, "at least one item and one feature"),
        ({"X": np.zeros((6, 3), np.longdouble)}, "it must be float16, float32 or float64"),
        ({"X": np.zeros((5, 3))}, r"T_shape is \[6, 4\], but X has 5 items and there are 4"),
        ({"X": np.full((6, 3), np.nan)}, r"X holds nan \(item 0, feature 0\)"),
        ({"X": np.full((6, 3), np.inf)}, "X holds inf"),
        ({"X": np.array([[object()]])}, "X holds Python objects"),
        ({"T_shape": [6, 4, 1]}, r"T_shape is \[6, 4, 1\]"),
        ({"T_shape": [[6, 4]]}, "T_shape is int64 of shape"),
        ({"T_shape": [6, 5]}, "there are 4 tag names"),
        ({"T_shape": [6.0, 4.0]}, "T_shape is float64"),
        ({"T_indptr": [0, 1]}, "T_indptr has 2 entries; 6 items need 7"),
        ({"T_indptr": np.array([0, 9, 2, 3, 4, 5, 6])}, "T_indptr must rise from 0 to the"),
        ({"T_indptr": np.arange(7, dtype=np.uint8)[::-1].copy()}, "T_indptr must rise from 0"),
        ({"T_indptr": np.zeros(7, int)}, "T_indptr must rise from 0 to the"),
        ({"T_indices": [4], "T_indptr": [0, 1, 1, 1, 1, 1, 1]}, "from 4 to 4; there are 4 tags"),
        ({"T_indices": [-1], "T_indptr": [0, 1, 1, 1, 1, 1, 1]}, "T_indices reaches from -1"),
        ({"tag_names": ["a", "b", "c", "a"]}, "tag_names has 'a' twice"),
        ({"tag_names": ["a", "b", "c", ""]}, "tag_names has an empty name at place 3"),
        ({"tag_names": [1, 2, 3, 4]}, "tag_names is int64 of shape"),
        ({"tag_names": np.array(["a", "b", "c", "d"], dtype=object)}, "dtype=str"),
        ({"tag_names": np.array(["a", "b", "c", "d"], dtype="S")}, r"must be strings of shape"),
        ({"y": np.zeros(5, int)}, "y has 5 entries but X has 6 items"),
        ({"y": np.full(6, 2)}, "y reaches from 2 to 2; with 2 class names"),
        ({"y": np.full(6, -1)}, "y reaches from -1 to -1"),
        ({"y": np.full(6, 2**63, np.uint64)}, "y reaches from 9223372036854775808"),
        ({"y": np.full(6, 6), "class_names": None}, "with 6 items the classes are numbered"),
        ({"y": np.zeros(6)}, "y is float64"),
        ({"class_names": ["a", "a"]}, "class_names has 'a' twice"),
    ],
)
def test_arrays_that_do_not_fit_are_refused(assert_refused, changes, message):
    assert_refused(message, **changes)


def test_what_is_no_feature_file_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"There is no file .*none.npz"):
        load(tmp_path / "none.npz")
    with pytest.raises(ValueError, match=r"it is a folder. Give a .npz, .npy or .parquet file"):
        load(tmp_path)
    table = tmp_path / "tags.csv"
    table.write_text("item,tag\n")
    with pytest.raises(ValueError, match=r"its name ends in '.csv'. Give a .npz, .npy"):
        load(table)
    with pytest.raises(TypeError, match="path is of type int"):
        load(3)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "it is not a zip archive. Write it with numpy.savez"),
        (pickle.dumps({"X": 1}), "it is not a zip archive but looks like a pickle"),
        (b"\x93NUMPY\x01\x00", "looks like a single NumPy array"),
        (b"PK\x03\x04 and nothing", "it is damaged"),
    ],
)
def test_files_of_another_kind_are_refused(tmp_path, data, message):
    path = tmp_path / "a.npz"
    path.write_bytes(data)
    with pytest.raises(ValueError, match=message):
        load(path)


def write_archive(path, members):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)


def members_of(arrays):
    """Give name and bytes of each array, as NumPy stores them."""
    members = []
    for key, value in arrays.items():
        buffer = io.BytesIO()
        np.save(buffer, value)
        members.append((f"{key}.npy", buffer.getvalue()))
    return members


def test_more_than_the_limit_is_not_unpacked(tmp_path, monkeypatch):
    path = tmp_path / "bomb.npz"
    arrays = parts() | {"X": np.zeros((6, 500_000), "float32")}
    np.savez_compressed(path, **arrays)
    assert path.stat().st_size < 100_000
    monkeypatch.setattr(feature_file, "MAX_BYTES", 2**20)
    tracemalloc.start()
    try:
        with pytest.raises(
            ValueError, match=r"it unpacks to 12,\d+,\d+ bytes, more than the 1,048"
        ):
            load(path)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 2**20


@pytest.mark.parametrize("shape", ["(6000000000000, 3)", "(5, 3)", "(-6, 3)", "(6, True)"])
def test_a_header_that_does_not_tell_the_size_is_refused(tmp_path, shape):
    path = tmp_path / "a.npz"
    text = f"{{'descr': '<f2', 'fortran_order': False, 'shape': {shape}, }}\n".encode()
    header = b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text
    members = dict(members_of(parts())) | {"X.npy": header + bytes(36)}
    write_archive(path, members.items())
    with pytest.raises(ValueError, match=r"X (has|is)"):
        load(path)


def test_a_member_listed_twice_is_refused(tmp_path):
    path = tmp_path / "a.npz"
    members = members_of(parts())
    with pytest.warns(UserWarning, match="Duplicate name"):
        write_archive(path, [*members, members[0]])
    with pytest.raises(ValueError, match="it holds 'X' twice"):
        load(path)


def test_a_member_that_is_no_array_is_refused(tmp_path):
    path = tmp_path / "a.npz"
    write_archive(path, (dict(members_of(parts())) | {"X.npy": b"something else"}).items())
    with pytest.raises(ValueError, match="X is not stored as a plain NumPy array"):
        load(path)


@settings(deadline=None, max_examples=150)
@given(data=st.data(), packed=st.booleans())
def test_damage_is_found_or_harmless(tmp_path_factory, data, packed):
    """Whatever byte is changed, the file is refused with a reason or gives the same collection."""
    path = tmp_path_factory.mktemp("set") / "a.npz"
    (np.savez_compressed if packed else np.savez)(path, **parts())
    content = bytearray(path.read_bytes())
    place = data.draw(st.integers(0, len(content) - 1))
    content[place] ^= data.draw(st.integers(1, 255))
    if data.draw(st.booleans()):
        content = content[: data.draw(st.integers(0, len(content)))]
    path.write_bytes(content)
    try:
        found = load(path)
    except ValueError as error:
        if not str(error).startswith(f"Cannot read {str(path)!r}: "):
            raise
        return
    assert np.array_equal(found.X, parts()["X"])
    assert found.tags.matrix.nnz == len(parts()["T_indices"])


def test_a_zip_of_a_later_version_is_refused(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, **parts())
    content = bytearray(path.read_bytes())
    content[content.index(b"PK\x01\x02") + 6] = 255  # the version needed to read the member
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"it is damaged \(zip file version 25.5\)"):
        load(path)


def test_a_header_that_is_no_header_is_refused(tmp_path):
    path = tmp_path / "a.npz"
    with zipfile.ZipFile(path, "w") as archive:
        for key, value in parts().items():
            data = io.BytesIO()
            np.save(data, value)
            text = data.getvalue()
            if key == "X":
                text = text[:10] + b"(" * (len(text) - 10)
            archive.writestr(f"{key}.npy", text)
    with pytest.raises(ValueError, match="X is not stored as a plain NumPy array"):
        load(path)


def test_all_that_a_collection_says_comes_back(tmp_path):
    arrays = parts()
    tags = TagMatrix(
        sparse.csr_array(
            (np.ones(len(arrays["T_indices"]), np.uint8), arrays["T_indices"], arrays["T_indptr"]),
            shape=(6, 4),
        ),
        tuple(arrays["tag_names"].tolist()),
    )
    truth = TagMatrix(sparse.csr_array(np.ones((6, 4), np.uint8)), tags.vocabulary)
    written = Collection(
        arrays["X"],
        tags,
        np.arange(6) % 2,
        ("even", "odd"),
        "set",
        layers=(("tag 1", "tag 3"), ("tag 0",), ("tag 2",)),
        item_names=tuple("abcdef"),
        truth=truth,
    )
    cf.datasets.write_feature_file(tmp_path / "set.npz", written)
    found = load(tmp_path / "set.npz")
    np.testing.assert_array_equal(found.X, written.X)
    assert (found.tags.matrix != tags.matrix).nnz == 0
    assert found.labels.tolist() == written.labels.tolist()
    assert (found.truth.matrix != truth.matrix).nnz == 0
    for name in ("class_names", "name", "layers", "item_names"):
        assert getattr(found, name) == getattr(written, name)


def test_a_collection_that_says_little_comes_back(tmp_path):
    tags = cf.tags.parse_tags([{"a"}, set()])
    cf.datasets.write_feature_file(
        tmp_path / "bare.npz", Collection(np.eye(2), tags, None, (), "bare")
    )
    found = load(tmp_path / "bare.npz")
    assert (found.labels, found.layers, found.item_names, found.truth) == (None,) * 4


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"tag_layers": np.zeros(3, int)}, "tag_layers has 3 entries; there are 4 tags"),
        ({"tag_layers": np.array([0, 2, 2, 0])}, r"holds \[0, 2\]; layers are numbered 0, 1"),
        ({"item_names": np.array(["a", "b"])}, "item_names has 2 entries but X has 6"),
        ({"item_names": np.array(["a"] * 6)}, "item_names has 'a' twice"),
        ({"truth_indptr": np.zeros(7, int)}, "truth_indptr without truth_indices"),
        (
            {"truth_indptr": np.zeros(3, int), "truth_indices": np.zeros(0, int)},
            "truth_indptr has 3 entries; 6 items need 7",
        ),
        (
            {"truth_indptr": np.array([0] * 6 + [1]), "truth_indices": np.array([9])},
            "truth_indices reaches from 9 to 9",
        ),
    ],
)
def test_layers_names_and_truth_are_checked(assert_refused, changes, message):
    assert_refused(message, **changes)
